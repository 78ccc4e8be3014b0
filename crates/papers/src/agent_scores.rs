use std::path::Path;

use crate::{
    Agent, Bench, Budget, Cell, Curve, Figure, Measure, Measured, PaperError,
    agent_contest::{Tally, both_colours},
};

/// How an agent plays against a random mover in the course of its training: wins less losses of a
/// thousand games at its best checkpoint, which that is, the same by colour, at the end, and at the
/// best checkpoint with moves drawn by their chances. The curve comes along.
#[derive(Clone, Copy, Debug)]
pub struct AgentScores {
    agent: Agent,
}

impl AgentScores {
    /// Of an agent.
    pub const fn new(agent: Agent) -> AgentScores {
        AgentScores { agent }
    }

    fn games(budget: Budget) -> u64 {
        budget.pick(2, 100, 1000)
    }
}

/// The score of a checkpoint, by colour.
fn score(
    bench: &Bench<'_>,
    folder: &Path,
    checkpoint: u64,
    moves: &str,
) -> Result<[Tally; 2], PaperError> {
    let text = format!(
        "run:{},checkpoint={checkpoint},moves={moves}",
        folder.display()
    );
    let (own, random) = (bench.player(&text)?, bench.player("random")?);
    both_colours(bench, &own, &random, AgentScores::games(bench.budget))
}

impl Measure for AgentScores {
    fn cells(&self) -> usize {
        6
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}, each checkpoint {} games against random, half of them with each colour",
            self.agent.settings(budget),
            AgentScores::games(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let folder = match self.agent.train(bench)? {
            Ok(folder) => folder,
            Err(why) => return Ok(Measured::missing(self.cells(), &why)),
        };
        let mut scores = Vec::new();
        for checkpoint in self.agent.checkpoints(bench.budget) {
            scores.push((checkpoint, score(bench, &folder, checkpoint, "best")?));
        }
        let total = |[white, black]: [Tally; 2]| white.plus(black).score();
        // The first of several that are as good.
        let mut best = scores[0];
        for &next in &scores[1..] {
            if total(next.1) > total(best.1) {
                best = next;
            }
        }
        let drawn = score(bench, &folder, best.0, "drawn")?;
        let figure = |value: f64, games: u64| Cell::Figure(Figure::exact(value, games));
        let games = AgentScores::games(bench.budget);
        let (_, last) = scores[scores.len() - 1];
        let points = scores.iter().map(|&(at, tally)| (at as f64, total(tally)));
        Ok(Measured {
            cells: vec![
                figure(total(best.1), games),
                figure(best.0 as f64, games),
                figure(best.1[0].score() / 2.0, games / 2),
                figure(best.1[1].score() / 2.0, games / 2),
                figure(total(last), games),
                figure(total(drawn), games),
            ],
            curves: vec![Curve {
                name: String::new(),
                x: "iterations".into(),
                y: "wins less losses of 1,000 games against random".into(),
                points: points.collect(),
            }],
            ..Measured::default()
        })
    }
}
