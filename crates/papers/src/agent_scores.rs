use std::path::Path;

use learn::Metrics;

use crate::{
    Agent, Bench, Budget, Cell, Curve, Figure, Measure, Measured, PaperError,
    agent_contest::{Tally, both_colours},
    stopwatch,
};

/// How an agent plays against a random mover in the course of its training: wins less losses of a
/// thousand games at its best checkpoint, which that is, the same by colour, at the end, and at the
/// best checkpoint with moves drawn by their chances; then what its training was like: seconds, plies of its
/// last hundred games, and how far the policy went in an iteration, over the legal moves and over all moves
/// as if all were legal. The curves come along.
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

const LENGTH: &str = "rollout/ep_len_mean";
const OVER_LEGAL: &str = "train/kl_legal_moves";
const OVER_ALL: &str = "train/kl_all_moves";

/// Curves of the training, and what they show.
const TOLD: [(&str, &str); 4] = [
    ("rollout/ep_rew_mean", "reward of a training game"),
    (LENGTH, "plies of a training game"),
    (OVER_LEGAL, "distance to the old policy, legal moves"),
    (OVER_ALL, "distance to the old policy, all moves"),
];

/// Every second point of a curve of the training, which has a hundred.
fn thinned(metrics: &Metrics, scalar: &str) -> Vec<(f64, f64)> {
    let series = metrics.series(scalar).into_iter();
    let points: Vec<_> = series.map(|(at, value)| (at as f64, value)).collect();
    points.into_iter().rev().step_by(2).rev().collect()
}

/// Seconds, plies of a game at the end, and the two distances, means over the points of the curve.
fn of_the_training(folder: &Path, metrics: &Metrics) -> [Cell; 4] {
    let missing = || Cell::Missing("not known".into());
    let alone = |value: Option<f64>| {
        let figure = value.map(|value| Figure {
            interval: None,
            ..Figure::exact(value, 1)
        });
        figure.map_or_else(missing, Cell::Figure)
    };
    let mean = |scalar: &str| {
        let series = metrics.series(scalar).into_iter();
        let values: Vec<f64> = series.map(|(_, value)| value).collect();
        Cell::mean(&values, "it is not measured in this recipe")
    };
    [
        alone(stopwatch::seconds(folder)),
        alone(metrics.last(LENGTH)),
        mean(OVER_LEGAL),
        mean(OVER_ALL),
    ]
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
        10
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}, each checkpoint {} games against random, half of them with each colour",
            self.agent.settings(budget),
            AgentScores::games(budget)
        )
    }

    fn agents(&self) -> Vec<Agent> {
        vec![self.agent]
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
        let metrics = learn::info(&folder)?.progressed.unwrap_or_default().metrics;
        let mut cells = vec![
            figure(total(best.1), games),
            figure(best.0 as f64, games),
            figure(best.1[0].score() / 2.0, games / 2),
            figure(best.1[1].score() / 2.0, games / 2),
            figure(total(last), games),
            figure(total(drawn), games),
        ];
        cells.extend(of_the_training(&folder, &metrics));
        let score = Curve {
            name: String::new(),
            x: "iterations".into(),
            y: "wins less losses of 1,000 games against random".into(),
            points: points.collect(),
        };
        let curves = TOLD.into_iter().map(|(scalar, y)| Curve {
            name: String::new(),
            x: "iterations".into(),
            y: y.into(),
            points: thinned(&metrics, scalar),
        });
        Ok(Measured {
            cells,
            curves: std::iter::once(score)
                .chain(curves.filter(|curve| !curve.points.is_empty()))
                .collect(),
            ..Measured::default()
        })
    }
}
