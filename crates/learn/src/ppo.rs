//! Proximal policy optimisation: policies that are made better step by step by the games they play.
//!
//! A `World` is a game as the learner meets it, of chess or of an endgame; a `Group` of them is
//! played together (`rollout.rs`), what was seen and done becomes a `Trace` and its advantages
//! (`samples.rs`), and `update.rs` makes the policy better by them, or `together.rs` the policies of
//! several learners on a GPU. The networks are
//! [`Mlp`](crate::net::plain::Mlp)s: two hidden layers between tables of which only the rows that matter are touched. [`Ppo`] is the learner,
//! [`salisch`] document P's ten agents, [`own`] our own recipe, and a [`PpoPlayer`] plays what a
//! [`PpoNetwork`] says.

mod chess_world;
mod divided;
mod endgame_learner;
mod endgame_world;
mod learner;
mod method;
mod network;
pub mod own;
mod place;
mod player;
mod rollout;
pub mod salisch;
mod samples;
mod sight;
#[cfg(feature = "libtorch")]
mod together;
mod update;
mod world;

pub use endgame_learner::EndgamePpo;
pub use learner::Ppo;
pub use network::PpoNetwork;
pub use own::PpoSettings;
pub use player::{Manner, PpoPlayer};
pub use salisch::SalischSettings;
pub use sight::Sight;
