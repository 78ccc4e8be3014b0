//! Learners of chess endgames, their runs and checkpoints.
//!
//! A learner is one file: [`q`] is document Y's Q-learning of two agents, [`q_lambda`] document D's
//! eligibility traces, [`bounds`] our own; of networks, [`dqn`] is document Y's deep Q-learning and
//! [`td_net`] our own. A [`Recipe`] is a learner with settings under a name, a
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
mod backup;
pub mod bounds;
pub mod checkpoint;
mod contest;
mod costs;
pub mod distance;
mod distance_network;
pub mod dqn;
mod dqn_agent;
mod dqn_settings;
mod dqn_validation;
mod durable;
mod encoding;
mod endgame;
mod errata;
mod error;
mod learner;
mod line;
mod mate_search;
mod memory;
pub mod metrics;
pub mod net;
mod opponent;
mod own_games;
mod plan;
mod planes;
mod player;
mod policy;
pub mod q;
pub mod q_lambda;
pub mod recipe;
pub mod record;
mod relative_actions;
mod replay;
mod retro_play;
pub mod run;
mod run_info;
pub mod samadi;
mod settings;
mod study;
pub mod td_net;
mod td_net_settings;
pub mod tensorboard;
mod textbook;
mod tiny;
mod tiny_lessons;
pub mod tiny_net;

pub use action_values::{ActionValues, Met, Taken};
pub use contest::{ContestResult, ContestRules, Defender, contest, contest_from};
pub use costs::Costs;
pub use distance_network::{DistanceNetwork, DistanceShape, Reading};
pub use dqn_settings::DqnSettings;
pub use encoding::{Encoding, Inputs};
pub use endgame::{Endgame, Folding};
pub use errata::Errata;
pub use error::LearnError;
pub use learner::{Episode, Extent, Learner, Preference, Ties};
pub use line::Line;
pub use metrics::{Metrics, Point};
pub use opponent::Opponent;
pub use plan::{Plan, Versions};
pub use planes::Planes;
pub use player::{PolicyPlayer, Searching, register};
pub use policy::{Policy, PolicyMove, Which};
pub use recipe::{Episodes, RECIPES, Recipe, Task};
pub use relative_actions::RelativeActions;
pub use run::{Control, Progress, Stopped, Summary, resume, train};
pub use run_info::{RunInfo, info, list};
