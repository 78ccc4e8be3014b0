//! Learners of chess endgames, their runs and checkpoints.
//!
//! A learner is one file: [`q`] is document Y's Q-learning of two agents, [`q_lambda`] document D's
//! eligibility traces, [`bounds`] our own.
#![deny(missing_docs)]

mod action_values;
pub mod bounds;
mod contest;
mod endgame;
mod error;
mod learner;
mod line;
mod opponent;
pub mod q;
pub mod q_lambda;
pub mod record;

pub use action_values::{ActionValues, Met, Taken};
pub use contest::{ContestResult, ContestRules, Defender, contest};
pub use endgame::{Endgame, Folding};
pub use error::LearnError;
pub use learner::{Episode, Extent, Learner, Preference};
pub use line::Line;
pub use opponent::Opponent;
