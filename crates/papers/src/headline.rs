//! Document S's claims about its Table 6, worked out from ours.

use std::time::Instant;

use crate::{
    Bench, Budget, Cell, Contest, Figure, Kept, Kind, Measure, Measured, PaperError, Training,
    samadi::S6, small_network::network,
};

/// How many moves fewer a network needs than an engine, in percent of the engine's: from the kept figures of
/// Table 6 under the paper's settings, over the games that each has won.
pub struct FewerMoves {
    /// The row of the engine.
    pub engine: &'static str,
    /// The row of the network.
    pub network: &'static str,
}

/// The column of Table 6 with the moves.
const MOVES: &str = "moves to mate";

impl FewerMoves {
    fn moves(row: &str) -> Result<Figure, PaperError> {
        let missing = || PaperError::Kept {
            experiment: S6.id.into(),
            why: format!("{row} has no figure for '{MOVES}'"),
        };
        let kept = Kept::built_in(&S6)?.ok_or_else(missing)?;
        let rows = kept.runs.iter().flat_map(|run| &run.rows);
        let mut rows = rows.filter(|kept| kept.row == row && kept.kind == Kind::Ours);
        let mut cells = rows.next().ok_or_else(missing)?.cells.iter();
        let cell = cells.find(|cell| cell.column == MOVES);
        let figure = cell.and_then(|cell| cell.cell.figure());
        figure.copied().ok_or_else(missing)
    }
}

/// How much less one mean is than another, in percent of the other, with the interval that their errors allow.
fn less(mean: Figure, than: Figure) -> Figure {
    let ratio = mean.value / than.value;
    // Relative errors of a quotient add up as squares.
    let relative = |figure: Figure| {
        let (low, high) = figure.interval.unwrap_or((figure.value, figure.value));
        (high - low) / 2.0 / figure.value
    };
    let half = ratio * relative(mean).hypot(relative(than));
    Figure {
        value: 100.0 * (1.0 - ratio),
        interval: Some((100.0 * (1.0 - ratio - half), 100.0 * (1.0 - ratio + half))),
        count: mean.count.min(than.count),
        deviation: None,
    }
}

impl Measure for FewerMoves {
    fn cells(&self) -> usize {
        1
    }

    fn settings(&self, _: Budget) -> String {
        format!(
            "the kept figures of {}: {} against {}",
            S6.id, self.network, self.engine
        )
    }

    fn measure(&self, _: &Bench<'_>) -> Result<Measured, PaperError> {
        let engine = FewerMoves::moves(self.engine)?;
        let network = FewerMoves::moves(self.network)?;
        Ok(Measured::cells(vec![Cell::Figure(less(network, engine))]))
    }
}

/// How much less than an engine takes for a game a limit of time is, in percent.
pub struct LessTime {
    /// Games of the engine.
    pub engine: Contest,
    /// The limit for a game.
    pub milliseconds: u64,
}

impl Measure for LessTime {
    fn cells(&self) -> usize {
        1
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{} ms against the time of a game of: {}",
            self.milliseconds,
            self.engine.settings(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let begin = Instant::now();
        let alone = Bench {
            threads: 1,
            ..bench.with_seed(bench.seed)
        };
        let games = self.engine.measure(&alone)?;
        let Some(Figure {
            count: Some(count), ..
        }) = games.cells.first().and_then(Cell::figure)
        else {
            return Ok(Measured {
                cells: games.cells.into_iter().take(1).collect(),
                ..Measured::default()
            });
        };
        let a_game = begin.elapsed().as_secs_f64() / (*count).max(1) as f64;
        let less = 100.0 * (1.0 - self.milliseconds as f64 / 1000.0 / a_game);
        Ok(Measured::cells(vec![Cell::Figure(Figure {
            value: less,
            interval: None,
            count: Some(*count),
            deviation: None,
        })]))
    }
}

/// Bytes of a network's weights, and of the table of exact distances that knows the same endgame.
pub struct Sizes {
    /// How the network is made.
    pub training: Training,
}

impl Measure for Sizes {
    fn cells(&self) -> usize {
        2
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "bytes of weights after {}, and of the table of the endgame",
            self.training.settings(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let (material, board) = self.training.endgame(bench.budget)?;
        let weights = network(&self.training, bench)?.weight_bytes();
        let table = bench.truth(material, board)?.table(material, board)?;
        let table = table.map_or_else(
            || Cell::Missing("there is no table".into()),
            |table| Cell::Figure(Figure::exact(table.bytes() as f64, 1)),
        );
        let weights = Cell::Figure(Figure::exact(weights as f64, 1));
        Ok(Measured::cells(vec![weights, table]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_means_has_the_error_of_both() {
        let mean = |value: f64, half: f64| Figure {
            value,
            interval: Some((value - half, value + half)),
            count: Some(20),
            deviation: None,
        };
        // The paper's own rook: 14.3 against 28.7 moves.
        let figure = less(mean(14.3, 0.0), mean(28.7, 0.0));
        assert!((figure.value - 50.17).abs() < 0.01, "{figure:?}");
        let (low, high) = less(mean(10.0, 1.0), mean(20.0, 2.0)).interval.unwrap();
        // Two errors of a tenth make one of 14 %, of the half that is left.
        assert!(
            (low - 42.93).abs() < 0.01 && (high - 57.07).abs() < 0.01,
            "{low} {high}"
        );
    }
}
