//! Learners of chess endgames, their runs and checkpoints.
#![deny(missing_docs)]

pub mod bounds;
mod endgame;

pub use endgame::{Endgame, Folding};
