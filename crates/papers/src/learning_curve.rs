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

/// Points of a curve.
const POINTS: u64 = 100;

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

    fn points(&self, won: &[bool]) -> Vec<(f64, f64)> {
        let stretch = (won.len() as u64).div_ceil(POINTS).max(1) as usize;
        let mut total = 0;
        let mut points = Vec::new();
        for (i, games) in won.chunks(stretch).enumerate() {
            let wins = games.iter().filter(|&&won| won).count();
            total += wins;
            let x = (i * stretch + games.len()) as f64;
            points.push(if self.cumulative {
                (x, total as f64)
            } else {
                (x, 100.0 * wins as f64 / games.len() as f64)
            });
        }
        points
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
        let mut won = Vec::new();
        self.training.train(bench, |game| won.push(game))?;
        let wins = |games: &[bool]| games.iter().filter(|&&won| won).count() as u64;
        let last = &won[won.len() - won.len().div_ceil(10)..];
        let mut cells = vec![Cell::Figure(Figure::percent(wins(last), last.len() as u64))];
        if self.cumulative {
            let total = Figure::exact(wins(&won) as f64, won.len() as u64);
            cells.insert(0, Cell::Figure(total));
        }
        Ok(Measured {
            cells,
            curves: vec![Curve {
                name: String::new(),
                x: "training games".into(),
                y: self.y.into(),
                points: self.points(&won),
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
        let won: Vec<bool> = (0..250).map(|game| game >= 200).collect();
        let shares = LearningCurve::new(training, "").points(&won);
        assert_eq!(
            (shares.len(), shares[0], shares[83]),
            (84, (3.0, 0.0), (250.0, 100.0))
        );
        assert!(
            (shares[66].1 - 100.0 / 3.0).abs() < 1e-9,
            "{:?}",
            shares[66]
        );
        let sums = LearningCurve::cumulative(training, "").points(&won);
        assert_eq!((sums[66], sums[83]), ((201.0, 1.0), (250.0, 50.0)));
    }
}
