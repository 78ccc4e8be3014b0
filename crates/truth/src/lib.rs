//! Exact truth about chess endgames: who wins, and how many plies it takes.
#![deny(missing_docs)]

mod attack;
mod conversion;
mod layout;
mod solved;
mod solver;
mod statistics;
mod verdict;

pub use attack::TooLong;
pub use layout::MAX_MEN;
pub use solved::{OnProgress, Progress, Solved};
pub use solver::{SolveError, Solver};
pub use statistics::{SideStatistics, Statistics};
pub use verdict::{Oracle, Verdict};
