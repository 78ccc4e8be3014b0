//! AlphaZero: a network that plays against itself by searching, and learns what the searches find.
//!
//! Games are played at `Table`s, in `Group`s whose searches ask the network together. Of every move
//! there is a `Lesson`: what was seen, how the search shared its favour among the moves, and, once the
//! game is over, how it ended. `Replay` keeps the last of them, and the network learns from batches of
//! them. An iteration plays and learns; `AlphaZero` does one after the other. What it plays by, the
//! [`play::Puct`] search, knows nothing of training, and a network only what `ZeroNetwork` asks.

mod chess_learner;
mod chess_trainer;
mod dense_network;
mod dense_trainer;
mod device_evaluator;
mod divided;
mod endgame_learner;
mod endgame_network;
mod endgame_trainer;
mod group;
mod learner;
mod lesson;
mod network;
mod pair;
mod replay;
mod settings;
mod table;
mod terms;
pub mod wojcik;

pub(crate) use dense_network::CHESS;
pub use dense_network::{DenseEvaluator, DenseNetwork};
pub use endgame_network::{EndgameEvaluator, EndgameNetwork};
pub use settings::{AlphaZeroSettings, RECIPE};
