//! Solving a signature after everything it depends on.

use std::{collections::HashMap, sync::Arc};

use rules::{Board, Material};

use crate::{
    attack::TooLong,
    conversion::successors,
    layout::MAX_MEN,
    solved::{OnProgress, Solved},
};

/// Solves signatures in memory, each after the ones that captures and promotions lead to.
#[derive(Debug, Default)]
pub struct Solver {
    board: Board,
    solved: HashMap<Material, Arc<Solved>>,
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
    /// The caller asked to stop.
    #[error("stopped before {material} was solved")]
    Stopped {
        /// The signature that was being solved.
        material: Material,
    },
}

impl Solver {
    /// A solver for one board size.
    pub fn new(board: Board) -> Solver {
        Solver { board, solved: HashMap::new() }
    }

    /// Solves `material` and everything it depends on, unless done before.
    ///
    /// # Errors
    /// When the signature has no table, or `progress` answered `false`.
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
        for successor in successors(material) {
            self.solve(successor, progress)?;
        }
        let solved =
            Solved::solve(material, self.board, |m| self.solved[&m].clone(), progress)?
                .ok_or(SolveError::Stopped { material })?;
        let solved = Arc::new(solved);
        self.solved.insert(material, solved.clone());
        Ok(solved)
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
