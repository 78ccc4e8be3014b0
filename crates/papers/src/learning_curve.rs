use learn::{Metrics, Point, runs::metrics::WIN_RATE};

use crate::{Bench, Budget, Cell, Curve, Figure, Measure, Measured, PaperError, Training};

/// How training games go while a player learns: the share won in the last tenth of them, and with
/// [`LearningCurve::cumulative`], before it, the number won in all. The curve comes along.
#[derive(Clone, Copy, Debug)]
pub struct LearningCurve {
    training: Training,
    /// What the vertical axis shows.
    y: &'static str,
    cumulative: bool,
}

impl LearningCurve {
    /// The share of training games won, a hundredth of the training at a time.
    pub const fn new(training: Training, y: &'static str) -> LearningCurve {
        LearningCurve {
            training,
            y,
            cumulative: false,
        }
    }

    /// The number of training games won so far.
    pub const fn cumulative(training: Training, y: &'static str) -> LearningCurve {
        LearningCurve {
            training,
            y,
            cumulative: true,
        }
    }

    fn points(&self, stretches: &[Stretch]) -> Vec<(f64, f64)> {
        let (mut games, mut wins) = (0, 0);
        let point = |stretch: &Stretch| {
            games += stretch.games;
            wins += stretch.wins;
            let y = match self.cumulative {
                true => wins as f64,
                false => 100.0 * stretch.wins as f64 / stretch.games as f64,
            };
            (games as f64, y)
        };
        stretches.iter().map(point).collect()
    }
}

/// Games of the training between two points of its curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stretch {
    games: u64,
    wins: u64,
}

impl Stretch {
    fn of(metrics: &Metrics) -> Vec<Stretch> {
        let mut before = 0;
        let stretch = |point: &Point| {
            let games = point.episodes - before;
            before = point.episodes;
            let rate = metrics.value(point, WIN_RATE).unwrap_or_default();
            let wins = (rate * games as f64).round() as u64;
            Stretch { games, wins }
        };
        let stretches = metrics.points().iter().map(stretch);
        stretches.filter(|stretch| stretch.games > 0).collect()
    }
}

impl Measure for LearningCurve {
    fn cells(&self) -> usize {
        1 + usize::from(self.cumulative)
    }

    fn settings(&self, budget: Budget) -> String {
        self.training.settings(budget)
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let stretches = Stretch::of(&self.training.train(bench)?.metrics);
        let sum = |stretches: &[Stretch]| {
            stretches.iter().fold((0, 0), |(wins, games), stretch| {
                (wins + stretch.wins, games + stretch.games)
            })
        };
        let (wins, games) = sum(&stretches[stretches.len() - stretches.len().div_ceil(10)..]);
        let mut cells = vec![Cell::Figure(Figure::percent(wins, games))];
        if self.cumulative {
            let (wins, games) = sum(&stretches);
            cells.insert(0, Cell::Figure(Figure::exact(wins as f64, games)));
        }
        Ok(Measured {
            cells,
            curves: vec![Curve {
                name: String::new(),
                x: "training games".into(),
                y: self.y.into(),
                points: self.points(&stretches),
            }],
            ..Measured::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_tells_shares_or_sums() {
        let training = Training::new("two-bounds", "KQK", 1);
        let mut metrics = Metrics::default();
        for (episodes, rate) in [(3, 0.0), (6, 1.0 / 3.0), (7, 1.0)] {
            metrics.push(episodes, &[(WIN_RATE.to_owned(), rate)]);
        }
        let stretches = Stretch::of(&metrics);
        let shares = LearningCurve::new(training, "").points(&stretches);
        assert_eq!(
            (shares.len(), shares[0], shares[2]),
            (3, (3.0, 0.0), (7.0, 100.0))
        );
        assert!((shares[1].1 - 100.0 / 3.0).abs() < 1e-9, "{shares:?}");
        let sums = LearningCurve::cumulative(training, "").points(&stretches);
        assert_eq!(sums, [(3.0, 0.0), (6.0, 1.0), (7.0, 2.0)]);
    }
}
