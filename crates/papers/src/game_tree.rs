use rules::{Board, Color, Position, RandomPositions};

use crate::{Bench, Budget, Cell, Measure, Measured, PaperError};

/// How many lines of play a number of plies has, from random positions with white to move.
///
/// Every line counts, also when it leads to the same position as another one; a game that is over
/// has no continuation.
#[derive(Clone, Copy, Debug)]
pub struct GameTree {
    /// The endgame.
    pub material: &'static str,
    /// Plies.
    pub depth: u32,
    /// Positions with the quick budget.
    pub quick: u64,
    /// Positions with the full budget.
    pub full: u64,
}

impl GameTree {
    fn count(&self, budget: Budget) -> u64 {
        budget.pick(self.quick.min(20), self.quick, self.full)
    }
}

fn leaves(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    if position.is_insufficient_material() {
        return 0;
    }
    if depth == 1 {
        return moves.len() as u64;
    }
    moves
        .into_iter()
        .map(|m| leaves(&position.after(m), depth - 1))
        .sum()
}

impl Measure for GameTree {
    fn cells(&self) -> usize {
        1
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "lines of {} plies, mean of {} random {} positions, white to move",
            self.depth,
            self.count(budget),
            self.material,
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let material = self
            .material
            .parse()
            .map_err(|e| PaperError::Setting(format!("{e}")))?;
        let count = self.count(bench.budget);
        let positions =
            RandomPositions::new(material, Board::STANDARD, Some(Color::White), bench.seed)
                .filter(|position| !position.legal_moves().is_empty())
                .take(count as usize);
        let mut values = Vec::new();
        for position in positions {
            if bench.stopped() {
                return Err(PaperError::Stopped);
            }
            values.push(leaves(&position, self.depth) as f64);
            bench.tell(values.len() as u64, count, "");
        }
        Ok(Measured::cells(vec![Cell::mean(&values, "no position")]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_known_position() {
        // Counted by hand: the white king on a1 has three squares, the rook on h1 six along the
        // rank and seven up the file, and the black king on e8 five, whatever white did except
        // Re1+ and Rh8+.
        let position = Position::from_fen("4k3/8/8/8/8/8/8/K6R w - - 0 1").unwrap();
        assert_eq!(leaves(&position, 0), 1);
        assert_eq!(leaves(&position, 1), 3 + 6 + 7);
        let after: u64 = position
            .legal_moves()
            .into_iter()
            .map(|m| position.after(m).legal_moves().len() as u64)
            .sum();
        assert_eq!(leaves(&position, 2), after);
        assert!(leaves(&position, 3) > leaves(&position, 2));
    }

    #[test]
    fn a_finished_game_has_no_continuation() {
        let bare = Position::from_fen("4k3/8/8/8/8/8/8/K7 w - - 0 1").unwrap();
        assert_eq!(leaves(&bare, 1), 0);
    }
}
