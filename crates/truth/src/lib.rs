//! Exact truth about chess endgames: who wins, and how many plies it takes.
#![deny(missing_docs)]

mod attack;
mod certify;
mod conversion;
pub mod durable;
mod layout;
mod passing;
mod sample;
mod solved;
mod solver;
mod statistics;
mod syzygy;
mod table;
mod tablebase;
mod verdict;
mod view;

pub use attack::TooLong;
pub use certify::{
    Certificate, Certifier, CertifyError, Chooser, Choosers, Convert, Decision, Defence, Failure,
    FailureKind, ManyChooser, Refutation, Stage, Undecided,
};
pub use layout::MAX_MEN;
pub use solved::{OnProgress, SolveProgress, Solved};
pub use solver::{Report, SolveError, Solver};
pub use statistics::{SideStatistics, Statistics};
pub use syzygy::{Syzygy, SyzygyError, SyzygyVerdict};
pub use table::{Problem, Table, TableError};
pub use tablebase::{ProbedMove, Tablebase, closure};
pub use verdict::{Oracle, Verdict};
