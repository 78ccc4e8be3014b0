use play::{GameRecord, PlayerSpec};
use rules::{Color, Reason, Role, Rules, Square};

use crate::{
    Agent, Bench, Budget, Cell, Figure, Measure, Measured, PaperError, agent_contest::whole_games,
};

/// Does an agent know the scholar's mate, the queen's on f7, and does its later self defend against it? In games with
/// white: won against a random mover, won so, moves of the shortest win; then the same shares of games against the next
/// checkpoint, both drawing moves by their chances. The last checkpoint meets itself.
#[derive(Clone, Copy, Debug)]
pub struct AgentScholar {
    /// The agent …
    pub agent: Agent,
    /// … after so many tenths of its training.
    pub tenth: usize,
}

/// A mate that comes later is no scholar's.
const MOST_MOVES: u32 = 10;

/// Has white mated so?
fn is_scholars_mate(record: &GameRecord) -> Result<bool, PaperError> {
    if record.winner != Some(Color::White)
        || record.reason != Reason::Checkmate
        || record.winner_moves().is_none_or(|moves| moves > MOST_MOVES)
    {
        return Ok(false);
    }
    let game = record.game(Rules::default());
    let game = game.map_err(|error| PaperError::Setting(error.to_string()))?;
    let last = game.moves().last();
    Ok(last.is_some_and(|m| m.role() == Role::Queen && m.to() == Square::F7))
}

impl AgentScholar {
    fn games(budget: Budget) -> u64 {
        budget.pick(2, 50, 500)
    }

    /// Won, won by the scholar's mate, and moves of the shortest win.
    fn cells(
        bench: &Bench<'_>,
        white: &PlayerSpec,
        black: &PlayerSpec,
    ) -> Result<[Cell; 3], PaperError> {
        let games = AgentScholar::games(bench.budget);
        let records = whole_games(bench, white, black, games, bench.seed)?;
        let (mut won, mut so, mut shortest) = (0, 0, None);
        for record in &records {
            if record.winner == Some(Color::White) {
                won += 1;
                let moves = record.winner_moves().map(f64::from);
                shortest = [shortest, moves].into_iter().flatten().reduce(f64::min);
            }
            so += u64::from(is_scholars_mate(record)?);
        }
        let count = records.len() as u64;
        Ok([
            Cell::Figure(Figure::percent(won, count)),
            Cell::Figure(Figure::percent(so, count)),
            match shortest {
                Some(moves) => Cell::Figure(Figure {
                    interval: None,
                    ..Figure::exact(moves, count)
                }),
                None => Cell::Missing("it won none".into()),
            },
        ])
    }
}

impl Measure for AgentScholar {
    fn cells(&self) -> usize {
        6
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}, tenth {} of its training, {} games with white against random and against the next tenth, which draws its moves",
            self.agent.settings(budget),
            self.tenth,
            AgentScholar::games(budget)
        )
    }

    fn agents(&self) -> Vec<Agent> {
        vec![self.agent]
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let folder = match self.agent.train(bench)? {
            Ok(folder) => folder,
            Err(why) => return Ok(Measured::missing(Measure::cells(self), &why)),
        };
        let checkpoints = self.agent.checkpoints(bench.budget);
        let player = |tenth: usize, moves: &str| {
            let checkpoint = checkpoints[tenth.min(checkpoints.len()) - 1];
            let run = folder.display();
            bench.player(&format!("run:{run},checkpoint={checkpoint},moves={moves}"))
        };
        let random = bench.player("random")?;
        let mut cells = AgentScholar::cells(bench, &player(self.tenth, "best")?, &random)?.to_vec();
        let (own, later) = (
            player(self.tenth, "drawn")?,
            player(self.tenth + 1, "drawn")?,
        );
        cells.extend(AgentScholar::cells(bench, &own, &later)?);
        Ok(Measured::cells(cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queen_mates_on_f7_within_ten_moves() {
        let record = |moves: &str| GameRecord {
            index: 0,
            white: "a".into(),
            black: "b".into(),
            seed: 1,
            start: rules::Position::start().fen(),
            moves: moves.into(),
            plies: moves.split(' ').count() as u32,
            winner: Some(Color::White),
            reason: Reason::Checkmate,
            optimal_plies: None,
            remark: None,
        };
        let scholars = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7";
        assert!(is_scholars_mate(&record(scholars)).unwrap());
        // On e8's other side, by a queen as well.
        let elsewhere = "e2e4 f7f6 d2d4 g7g5 d1h5";
        assert!(!is_scholars_mate(&record(elsewhere)).unwrap());
        let late = format!("{} {scholars}", ["b1c3 b8c6 c3b1 c6b8"; 4].join(" "));
        assert!(!is_scholars_mate(&record(&late)).unwrap());
        let lost = GameRecord {
            winner: Some(Color::Black),
            ..record(scholars)
        };
        assert!(!is_scholars_mate(&lost).unwrap());
    }
}
