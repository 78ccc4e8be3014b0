//! Learners of chess endgames, their runs and checkpoints.
//!
//! A learner is one file, found in the folder of its family: [`tables`], [`distances`], [`deep_q`],
//! [`small`], [`imitation`], [`ppo`], [`alphazero`]. What learners of endgames share is in [`endgames`], what networks share in [`net`],
//! what makes a run of a learner in [`runs`], the search for its settings in [`tuning`], and games of full chess as data in [`games`]. A [`Recipe`] is
//! a learner with settings under a name, a
//! [`Plan`] says what a run is to do, [`train`] carries it out in a folder and [`resume`] goes on
//! with it, and what was learned comes back as a [`Policy`] or, by the name `run:FOLDER`, as a
//! player.
//!
//! ```
//! use learn::{Control, Plan, Policy, Task, Which, train};
//! use rules::{Board, Position};
//!
//! let folder = tempfile::tempdir()?;
//! let plan = Plan::new("two-bounds", Task::Endgame("KQK".parse()?, Board::new(4)?), 10_000, 1, &[])?;
//! train(&plan, folder.path(), Control::default())?;
//! let policy = Policy::load(folder.path(), Which::Best)?;
//! let mate_in_one = Position::from_fen("k3/4/K3/2Q1 w")?;
//! let chosen = policy.choose(&mate_in_one).ok_or("no move")?;
//! assert!(mate_in_one.after(chosen.m).is_checkmate());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

pub mod alphazero;
pub mod chess;
mod costs;
pub mod deep_q;
pub mod distances;
pub mod elsewhere;
pub mod endgames;
mod error;
pub mod games;
pub mod imitation;
mod learner;
pub mod net;
pub mod ppo;
pub mod recipe;
pub mod runs;
pub mod small;
pub mod tables;
mod task;
pub mod tuning;
mod whole_games;
pub mod wojcik;

pub use costs::Costs;
pub use deep_q::{DqnSettings, Planes, RelativeActions};
pub use distances::{DistanceNetwork, DistanceShape, Encoding, Errata, Inputs, Reading};
pub use endgames::{
    ContestResult, ContestRules, Defender, Endgame, EndgameLearner, Extent, Folding, Opponent,
    Past, Preference, Skill, Ties, contest, contest_from,
};
pub use error::LearnError;
pub use learner::{Episode, Learner};
pub use recipe::{Episodes, LearnerMaker, LearnerSettings, Learns, RECIPES, Recipe};
pub use runs::settings::{Range, Setting};
pub use runs::{
    Control, ExactPlay, Extension, Learned, Metrics, NetworkFile, Plan, Point, Policy, PolicyMove,
    PolicyPlayer, RunInfo, RunProgress, Searching, Stopped, Summary, Versions, Which, delete,
    extend, info, list, load, load_sound, register, rename, resume, train,
};
pub use tables::{ActionValues, Met, Taken};
pub use task::{Course, Task};
