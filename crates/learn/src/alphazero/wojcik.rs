//! Document W's AlphaZero: the recipe `wojcik-alphazero`.
//!
//! A `WojcikNetwork` sees sixteen sets of squares and scores 4,096 moves. It learns the moves of a
//! file of games first; then the best network so far plays games against itself (`self_play`), another
//! learns from them, and replaces it when it wins a duel against it. `WojcikZero` does one after the
//! other.

mod learner;
mod network;
mod self_play;
mod settings;
mod sight;
mod studies;

pub use network::{WojcikEvaluator, WojcikNetwork};
pub use settings::{RECIPE, WojcikZeroSettings};
