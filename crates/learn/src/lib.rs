//! Learners of chess endgames, their runs and checkpoints.
//!
//! A learner is one file: [`q`] is document Y's Q-learning of two agents, [`q_lambda`] document D's
//! eligibility traces, [`bounds`] our own. A [`Recipe`] is a learner with settings under a name, a
//! [`Plan`] says what a run is to do, [`train`] carries it out in a folder and [`resume`] goes on
//! with it, and what was learned comes back as a [`Policy`] or, by the name `run:FOLDER`, as a
//! player.
//!
//! ```
//! use learn::{Control, Plan, Policy, Which, train};
//! use rules::{Board, Position};
//!
//! let folder = tempfile::tempdir()?;
//! let plan = Plan::new("two-bounds", "KQK".parse()?, Board::new(4)?, 10_000, 1, &[])?;
//! train(&plan, folder.path(), Control::default())?;
//! let policy = Policy::load(folder.path(), Which::Best)?;
//! let mate_in_one = Position::from_fen("k3/4/K3/2Q1 w")?;
//! let chosen = policy.choose(&mate_in_one).ok_or("no move")?;
//! assert!(mate_in_one.after(chosen.m).is_checkmate());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod action_values;
pub mod bounds;
pub mod checkpoint;
mod contest;
mod durable;
mod endgame;
mod error;
mod learner;
mod line;
pub mod metrics;
mod opponent;
mod plan;
mod player;
mod policy;
pub mod q;
pub mod q_lambda;
pub mod recipe;
pub mod record;
pub mod run;
mod run_info;
mod settings;
pub mod tensorboard;

pub use action_values::{ActionValues, Met, Taken};
pub use contest::{ContestResult, ContestRules, Defender, contest};
pub use endgame::{Endgame, Folding};
pub use error::LearnError;
pub use learner::{Episode, Extent, Learner, Preference, Ties};
pub use line::Line;
pub use opponent::Opponent;
pub use plan::{Plan, Versions};
pub use player::{PolicyPlayer, register};
pub use policy::{Policy, PolicyMove, Which};
pub use recipe::{RECIPES, Recipe, Task};
pub use run::{Control, Progress, Stopped, Summary, resume, train};
pub use run_info::{RunInfo, info, list};
