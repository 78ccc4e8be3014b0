//! Solving a signature after everything it depends on.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use rules::{Board, Material};

use crate::{
    attack::TooLong,
    conversion::successors,
    layout::MAX_MEN,
    solved::{OnProgress, Solved},
    table::{Problem, Table, TableError},
};

/// Solves signatures, each after the ones that captures and promotions lead to.
///
/// With a folder, tables found there are used and new ones are saved; without, all stays in
/// memory.
#[derive(Debug, Default)]
pub struct Solver {
    board: Board,
    folder: Option<PathBuf>,
    solved: HashMap<Material, Arc<Solved>>,
    reports: Vec<Report>,
}

/// What solving one signature took.
#[derive(Clone, Debug)]
pub struct Report {
    /// The signature.
    pub material: Material,
    /// Time to solve it, its successors not counted.
    pub solve: Duration,
    /// Time to compress and save it.
    pub save: Duration,
    /// Size of the file; 0 without a folder.
    pub bytes: u64,
}

/// Why a signature could not be solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// More men than a table can hold, or fewer than three.
    #[error("{material} has {} men: tables exist for 3 to {MAX_MEN} men", .material.men())]
    Men {
        /// The signature asked for.
        material: Material,
    },
    /// Pawns on a small board.
    #[error("{material} has pawns, and the {board} board has none: small boards are pawnless")]
    Pawns {
        /// The signature asked for.
        material: Material,
        /// The board asked for.
        board: Board,
    },
    /// A distance that does not fit.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// A file that cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The caller asked to stop.
    #[error("stopped before {material} was solved")]
    Stopped {
        /// The signature that was being solved.
        material: Material,
    },
}

impl Solver {
    /// A solver for one board size that keeps everything in memory.
    pub fn new(board: Board) -> Solver {
        Solver {
            board,
            ..Solver::default()
        }
    }

    /// A solver that reads and writes tables in `folder`.
    pub fn with_folder(board: Board, folder: &Path) -> Solver {
        Solver {
            board,
            folder: Some(folder.to_owned()),
            ..Solver::default()
        }
    }

    /// What was solved so far, in order; tables that were found in the folder are not listed.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The signature's values, solved now unless they are in memory or in the folder.
    ///
    /// # Errors
    /// When the signature has no table, a file in the folder is unusable, or `progress` answered
    /// `false`.
    pub fn solve(
        &mut self,
        material: Material,
        progress: OnProgress<'_>,
    ) -> Result<Arc<Solved>, SolveError> {
        let material = material.canonical();
        check(material, self.board)?;
        if let Some(solved) = self.solved.get(&material) {
            return Ok(solved.clone());
        }
        if let Some(solved) = self.load(material)? {
            return Ok(self.keep(material, solved));
        }
        self.solve_again(material, progress)
    }

    /// Solves the signature even when its table is in memory or in the folder; its successors are
    /// used where they are there.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_again(
        &mut self,
        material: Material,
        progress: OnProgress<'_>,
    ) -> Result<Arc<Solved>, SolveError> {
        let material = material.canonical();
        check(material, self.board)?;
        // Everything below must exist before, so that the distance to it is known.
        let mut tables = HashMap::new();
        for successor in successors(material) {
            tables.insert(successor, self.solve(successor, progress)?);
        }
        let start = Instant::now();
        let solved = Solved::solve(material, self.board, tables, progress)?
            .ok_or(SolveError::Stopped { material })?;
        let solve = start.elapsed();
        let start = Instant::now();
        let bytes = match &self.folder {
            Some(folder) => Table::save(&solved, folder)?,
            None => 0,
        };
        self.reports.push(Report {
            material,
            solve,
            save: start.elapsed(),
            bytes,
        });
        Ok(self.keep(material, solved))
    }

    fn load(&self, material: Material) -> Result<Option<Solved>, SolveError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        match Table::open_in(folder, material, self.board) {
            Ok(table) => Ok(Some(table.load()?)),
            Err(TableError {
                problem: Problem::Io(e),
                ..
            }) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Remembers a table, unless it is large and can be read again.
    fn keep(&mut self, material: Material, solved: Solved) -> Arc<Solved> {
        let solved = Arc::new(solved);
        if self.folder.is_none() || material.men() < MAX_MEN {
            self.solved.insert(material, solved.clone());
        }
        solved
    }
}

/// Can there be a table for this signature on this board?
pub(crate) fn check(material: Material, board: Board) -> Result<(), SolveError> {
    if !(3..=MAX_MEN).contains(&material.men()) {
        return Err(SolveError::Men { material });
    }
    if material.has_pawns() && !board.is_standard() {
        return Err(SolveError::Pawns { material, board });
    }
    Ok(())
}
