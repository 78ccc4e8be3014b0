//! Runs: a plan carried out in a folder that survives being killed, its checkpoints and curves, and
//! the players that come of it.

pub mod checkpoint;
pub(crate) mod curve_files;
pub(crate) mod durable;
pub(crate) mod exact_play;
pub(crate) mod grace;
pub mod metrics;
mod network_file;
mod plan;
mod player;
mod policy;
pub mod record;
pub mod run;
mod run_info;
pub mod settings;
pub mod tensorboard;
mod upkeep;

pub use exact_play::ExactPlay;
pub use metrics::{Metrics, Point};
pub use network_file::NetworkFile;
pub use plan::{Extension, Plan, Versions};
pub(crate) use player::policy_players;
pub use player::{PolicyPlayer, Searching, register};
pub use policy::{Learned, Policy, PolicyMove, Which, load, load_sound};
pub use run::{Control, RunProgress, Stopped, Summary, resume, train};
pub use run_info::{RunInfo, info, list};
pub use upkeep::{delete, extend, rename};
