//! How the error of a small network falls in the course of its training.

use learn::runs::metrics::SQUARED_ERROR;

use crate::{Bench, Budget, Cell, Curve, Measure, Measured, PaperError, Training};

/// The mean squared error over the training positions, at some points of the training and at its end, the
/// mean of several trainings; the curve comes along.
pub struct ErrorCurve {
    /// How the network is made; each training has a seed of its own.
    pub training: Training,
    /// How many trainings.
    pub trainings: u64,
    /// The longest mate: errors are divided by its square.
    pub longest: f64,
    /// Passes over the training positions in all.
    pub iterations: u64,
    /// After how many of them the error is told.
    pub points: &'static [u64],
}

impl ErrorCurve {
    fn count(&self, budget: Budget) -> u64 {
        budget.pick(2, self.trainings, self.trainings)
    }

    /// The curve of a training: iterations and errors.
    fn curve(&self, bench: &Bench<'_>) -> Result<Vec<(f64, f64)>, PaperError> {
        let trained = self.training.train(bench)?;
        let an_iteration = trained.games as f64 / self.iterations as f64;
        let series = trained.metrics.series(SQUARED_ERROR).into_iter();
        let scaled = self.longest.powi(2);
        Ok(series
            .map(|(batches, error)| (batches as f64 / an_iteration, error / scaled))
            .collect())
    }
}

impl Measure for ErrorCurve {
    fn cells(&self) -> usize {
        self.points.len() + 1
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "the error in the course of {} trainings of {}, targets divided by {}, {} iterations",
            self.count(budget),
            self.training.settings(budget),
            self.longest,
            self.iterations
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let mut curves = Vec::new();
        for i in 0..self.count(bench.budget) {
            curves.push(self.curve(&bench.with_seed(play::derived_seed(bench.seed, i)))?);
        }
        // A point is the first that was told at or after an iteration.
        let after = |iteration: f64| {
            let errors: Vec<f64> = curves
                .iter()
                .filter_map(|curve| {
                    let mut points = curve.iter();
                    let point = points.find(|(at, _)| *at >= iteration).or(curve.last());
                    point.map(|(_, error)| *error)
                })
                .collect();
            Cell::mean(&errors, "the training told no error")
        };
        let mut cells: Vec<Cell> = self.points.iter().map(|&at| after(at as f64)).collect();
        cells.push(after(f64::INFINITY));
        let shortest = curves.iter().map(Vec::len).min().unwrap_or_default();
        let mean = |i: usize| {
            let sum: f64 = curves.iter().map(|curve| curve[i].1).sum();
            (curves[0][i].0, sum / curves.len() as f64)
        };
        Ok(Measured {
            cells,
            curves: vec![Curve {
                name: String::new(),
                x: "iterations".into(),
                y: "squared error".into(),
                points: (0..shortest).map(mean).collect(),
            }],
            ..Measured::default()
        })
    }
}
