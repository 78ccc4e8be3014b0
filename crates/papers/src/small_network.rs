//! What a small network is worth: how well it knows its lessons, what it does in games with a search,
//! and a certificate.

use std::{sync::Arc, time::Duration};

use learn::Searching;
use play::{Fingerprint, PlayerSpec, TinyNetwork};

use crate::{
    Bench, Budget, Cell, Contest, Figure, Measure, Measured, PaperError, Training,
    certificate::{self, certify, certify_searching},
};

/// Trains a network.
pub(crate) fn network(
    training: &Training,
    bench: &Bench<'_>,
) -> Result<Arc<TinyNetwork>, PaperError> {
    let network = training.train(bench)?.learner.network();
    network.ok_or_else(|| {
        let settings = training.settings(bench.budget);
        PaperError::Setting(format!("{settings} makes no small network"))
    })
}

/// Games of a trained network that searches, with a time for each game.
pub struct NetworkContest {
    /// How the network is made.
    pub training: Training,
    /// Milliseconds for all of white's moves of a game.
    pub milliseconds: u64,
    /// The games; its white player is the network.
    pub contest: Contest,
}

impl Measure for NetworkContest {
    fn cells(&self) -> usize {
        self.contest.cells()
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}; {} ms for white's moves of a game: {}",
            self.training.settings(budget),
            self.milliseconds,
            self.contest.settings(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let network = network(&self.training, bench)?;
        let searching = Searching::Game(Duration::from_millis(self.milliseconds));
        let name = format!("network,game={}", self.milliseconds as f64 / 1000.0);
        let fingerprint = Fingerprint::of([name.as_bytes(), &network.to_bytes()]);
        let maker =
            move |_| -> Box<dyn play::Player> { Box::new(searching.player(network.clone())) };
        let white = PlayerSpec::new(name, fingerprint, Arc::new(maker));
        self.contest.measure_with(bench, Some(white))
    }
}

/// The mean squared error over the training positions, and its standard deviation over trainings.
pub struct TrainingError {
    /// How the network is made; each training has a seed of its own.
    pub training: Training,
    /// How many trainings.
    pub trainings: u64,
    /// The longest mate: errors are divided by its square.
    pub longest: f64,
}

impl Measure for TrainingError {
    fn cells(&self) -> usize {
        3
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{} trainings of {}, targets divided by {}",
            self.count(budget),
            self.training.settings(budget),
            self.longest
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let mut errors = Vec::new();
        for i in 0..self.count(bench.budget) {
            let bench = bench.with_seed(play::derived_seed(bench.seed, i));
            let error = self.training.error(&bench)?;
            errors.push(
                error.ok_or_else(|| {
                    PaperError::Setting("this recipe has no training error".into())
                })?,
            );
        }
        let scaled: Vec<f64> = errors.iter().map(|e| e / self.longest.powi(2)).collect();
        let roots: Vec<f64> = errors.iter().map(|error| error.sqrt()).collect();
        let mean = Figure::mean(&scaled);
        let deviation = mean.and_then(|mean| mean.deviation);
        let cell = |figure: Option<Figure>| {
            figure.map_or_else(|| Cell::Missing("one training only".into()), Cell::Figure)
        };
        Ok(Measured {
            cells: vec![
                cell(mean),
                cell(deviation.map(|deviation| Figure::exact(deviation, scaled.len() as u64))),
                cell(Figure::mean(&roots)),
            ],
            ..Measured::default()
        })
    }
}

impl TrainingError {
    fn count(&self, budget: Budget) -> u64 {
        budget.pick(2, self.trainings, self.trainings)
    }
}

/// What a trained network forces from every won position, without a memory of the game.
pub struct NetworkCertificate {
    /// How the network is made.
    pub training: Training,
    /// Plies to search, or none for the network's own choice.
    pub depth: Option<u32>,
}

impl Measure for NetworkCertificate {
    fn cells(&self) -> usize {
        3
    }

    fn settings(&self, budget: Budget) -> String {
        let how = match self.depth {
            Some(depth) => format!("a search of {depth} plies"),
            None => "its own choice".to_owned(),
        };
        format!("{}; certificate of {how}", self.training.settings(budget))
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let (material, board) = self.training.endgame(bench.budget)?;
        let certificate = match self.depth {
            None => certify(&self.training.train(bench)?.policy, material, board, bench)?,
            Some(plies) => {
                let network = network(&self.training, bench)?;
                certify_searching(&network, plies, material, board, bench)?
            }
        };
        let mut cells = certificate::cells(&certificate).to_vec();
        let bytes = network(&self.training, bench)?.weight_bytes();
        cells.push(Cell::Figure(Figure::exact(bytes as f64, 1)));
        Ok(Measured::cells(cells))
    }
}
