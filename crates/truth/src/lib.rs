//! Exact truth about chess endgames: who wins, and how many plies it takes.
#![deny(missing_docs)]

mod attack;
mod conversion;
mod layout;
mod sample;
mod solved;
mod solver;
mod statistics;
mod syzygy;
mod table;
mod tablebase;
mod verdict;

pub use attack::TooLong;
pub use layout::MAX_MEN;
pub use solved::{OnProgress, Progress, Solved};
pub use solver::{Report, SolveError, Solver};
pub use statistics::{SideStatistics, Statistics};
pub use syzygy::{Syzygy, SyzygyError, SyzygyVerdict};
pub use table::{Problem, Table, TableError};
pub use tablebase::{ProbedMove, Tablebase, closure};
pub use verdict::{Oracle, Verdict};
