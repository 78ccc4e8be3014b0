//! How often a network's first choice is what a master played, in games held out.

use std::path::Path;

use learn::{
    games::Split,
    imitation::{ImitationNetwork, Judging, Library, Matches},
};
use rules::plain_file;

use crate::{
    Bench, Budget, Cell, Curve, Figure, GamesTraining, Measure, Measured, PaperError,
    games_training::NO_GAMES, stopwatch,
};

/// A network of recipe `imitation`, as eight cells: its weights, the positions and the seconds of its training; how
/// often its first choice was played, over all positions of held-out games and over those that occur in no training
/// game, and the same of its first three; and how far the scores that it expects are from those that came. The curve
/// of its training comes along.
#[derive(Clone, Copy, Debug)]
pub struct HeldOutMatches {
    /// How it is made.
    pub training: GamesTraining,
}

fn broken(error: impl std::fmt::Display) -> PaperError {
    PaperError::Setting(error.to_string())
}

fn exactly(value: f64) -> Cell {
    Cell::Figure(Figure::exact(value, 1))
}

fn network(run: &Path) -> Result<ImitationNetwork, PaperError> {
    let path = run.join("weights.safetensors");
    let bytes = plain_file::read(&path, plain_file::TEXT)
        .map_err(|source| PaperError::File { path, source })?;
    Ok(ImitationNetwork::from_file(&bytes)?)
}

/// Held-out positions that are judged.
fn judged(budget: Budget) -> usize {
    match budget {
        Budget::Smoke => 100,
        Budget::Quick => 20_000,
        Budget::Full => usize::MAX,
    }
}

fn cells(matches: &Matches, expected: f64) -> [Cell; 5] {
    let share = |part: u64, of: u64| match of {
        0 => Cell::Missing("no such position".into()),
        of => Cell::Figure(Figure::percent(part, of)),
    };
    [
        share(matches.right, matches.positions),
        share(matches.unseen_right, matches.unseen),
        share(matches.first_three, matches.positions),
        share(matches.unseen_first_three, matches.unseen),
        exactly(100.0 * expected),
    ]
}

impl Measure for HeldOutMatches {
    fn cells(&self) -> usize {
        8
    }

    fn settings(&self, budget: Budget) -> String {
        let positions = match budget {
            Budget::Full => "all held-out positions".to_owned(),
            budget => format!("{} held-out positions", judged(budget)),
        };
        format!("{}; judged by {positions}", self.training.settings(budget))
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let Some(trained) = self.training.train(bench)? else {
            return Ok(Measured::missing(Measure::cells(self), NO_GAMES));
        };
        let seconds = stopwatch::cell(stopwatch::seconds(&trained.run));
        let run = learn::info(&trained.run)?;
        let metrics = run.progressed.unwrap_or_default().metrics;
        let held_out = run.plan.settings.get("held_out");
        let held_out = held_out.and_then(|percent| percent.as_float());
        let split: Split = held_out
            .ok_or_else(|| broken("no games are held out"))?
            .to_string()
            .parse()
            .map_err(broken)?;
        bench.tell(0, 0, "judging by held-out games");
        let library = Library::open(&trained.games, split).map_err(broken)?;
        let network = network(&trained.run)?;
        let judging = Judging::of(&network, &library, judged(bench.budget), 0);
        let seen = metrics.series("training/plies");
        let millions = |episodes: u64| {
            let all = seen.iter().find(|&&(at, _)| at == episodes);
            all.map_or(f64::NAN, |&(_, positions)| positions / 1e6)
        };
        let mut all = vec![
            exactly(network.weights() as f64),
            match seen.last() {
                Some(&(_, positions)) => exactly(positions),
                None => Cell::Missing("not known".into()),
            },
            seconds,
        ];
        all.extend(cells(&judging.matches, judging.endings.error()));
        let points = metrics.series("held_out/right").into_iter();
        Ok(Measured {
            curves: vec![Curve {
                name: String::new(),
                x: "millions of positions learned from".into(),
                y: "right in some held-out positions, %".into(),
                points: points
                    .map(|(at, share)| (millions(at), 100.0 * share))
                    .collect(),
            }],
            ..Measured::cells(all)
        })
    }

    fn reads_games(&self) -> bool {
        true
    }
}
