//! Searching for settings: a grid of them, some at random, or a population that is bred.
//!
//! A [`Search`] says what is searched and how it is judged, [`tune`] carries it out in a folder and
//! [`resume`] goes on with it. Every training of a search is an ordinary run in a folder below, so that it
//! can be looked at, played and certified; what was decided stands in a [`Journal`], and what came of it is a
//! [`Report`].
//!
//! A setting is judged by several trainings that differ in their seeds, and by the mean of their scores:
//! with two or three seeds the ends of an interval would be ruled by how near two numbers happened to fall
//! to each other. The report shows every seed's score.

mod axis;
mod clock;
mod error;
mod journal;
mod population;
mod report;
mod score;
mod search;
mod space;
mod table;
mod tools;
mod tuner;

pub use axis::{Axis, Values};
pub use error::TuningError;
pub use journal::{Copied, Entry, Journal};
pub use report::{Change, Generation, Judged, Report};
pub use score::Score;
pub use search::{MEMBERS, Method, SEEDS, Search, TRIALS};
pub use space::{Settings, Space, written};
pub use tools::{Certify, Tools, TuningProgress};
pub use tuner::{resume, tune};
