//! Players of chess and its endgames behind one small trait, and matches between them.
//!
//! A [`Player`] chooses a move in a [`Game`](rules::Game). It is named by a short text that the
//! [`Registry`] reads: `random`, `minimax:depth=4`, `uci:stockfish,nodes=10000`.
#![deny(missing_docs)]

mod dice;
mod distance;
mod drawish;
mod evaluation;
mod heuristic;
mod minimax;
mod mop_up;
mod perfect;
mod piece_square;
mod player;
mod random;
mod registry;
mod search;
mod settings;
mod transposition;
mod tree;

pub use dice::{Dice, derived_seed};
pub use drawish::Drawish;
pub use evaluation::Evaluation;
pub use heuristic::Heuristic;
pub use minimax::{MAX_DEPTH, Minimax};
pub use perfect::{Perfect, Ties};
pub use player::{Choice, Info, Limits, Nature, Player, PlayerError, Score};
pub use random::Random;
pub use registry::{Kind, Maker, PlayerSpec, Registry};
pub use settings::{Key, Settings, SpecError};
