//! How good a network of a given size is: its own choice, and with a search.

use learn::Policy;

use crate::{
    Bench, Budget, Cell, Figure, Measure, Measured, PaperError, Trained, Training,
    certificate::{self, certify, certify_searching},
};

/// Certificates of a network beside the bytes of its weights.
pub struct NetworkSize {
    /// How it is made: a small network, or a network of distances.
    pub training: Training,
}

impl NetworkSize {
    /// Plies that a small network searches with. Its own choice looks two plies ahead, that of a
    /// network of distances one; with a search each looks two plies further.
    fn plies(budget: Budget) -> u32 {
        if budget == Budget::Smoke { 2 } else { 4 }
    }

    fn certify_searching(
        &self,
        policy: Policy,
        bench: &Bench<'_>,
    ) -> Result<truth::Certificate, PaperError> {
        let (material, board) = self.training.endgame(bench.budget)?;
        if let Some(network) = policy.skill().network() {
            let plies = NetworkSize::plies(bench.budget);
            return certify_searching(&network, plies, material, board, bench);
        }
        let ahead = policy.looking_ahead();
        let ahead = ahead.ok_or_else(|| PaperError::Setting("no network to search with".into()))?;
        certify(&ahead, material, board, bench)
    }
}

impl Measure for NetworkSize {
    fn cells(&self) -> usize {
        5
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{}; certificates within fifty moves of its own choice, and of a search two plies deeper ({} \
             plies for small networks)",
            self.training.settings(budget),
            NetworkSize::plies(budget)
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let (material, board) = self.training.endgame(bench.budget)?;
        let Trained {
            policy, learner, ..
        } = self.training.train(bench)?;
        let bytes = learner.bytes();
        let mut cells = vec![Cell::Figure(Figure::exact(bytes as f64, 1))];
        let own = certify(&policy, material, board, bench)?;
        cells.extend(certificate::cells(&own));
        let searching = self.certify_searching(policy, bench)?;
        cells.extend(certificate::cells(&searching));
        Ok(Measured::cells(cells))
    }
}
