//! When to stop: tests on starts that are never trained on.

use crate::{
    LearnError,
    net::QNetwork,
    runs::record::{Reader, Writer},
};

/// How the tests have gone so far.
#[derive(Default)]
pub(crate) struct Validation {
    /// The best share of wins, and the networks that had it.
    best: Option<(f64, Vec<QNetwork>)>,
    /// Tests since then.
    since: u64,
    finished: bool,
}

impl Validation {
    /// Is it time to stop?
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Takes notice of a test. After `patience` tests in a row without progress it is time to stop,
    /// and the networks to go back to are returned.
    pub fn judge(
        &mut self,
        wins: f64,
        patience: u64,
        networks: impl FnOnce() -> Vec<QNetwork>,
    ) -> Option<Vec<QNetwork>> {
        if self.best.as_ref().is_none_or(|(best, _)| wins > *best) {
            self.best = Some((wins, networks()));
            self.since = 0;
            return None;
        }
        self.since += 1;
        self.finished = self.since >= patience.max(1);
        let best = self.best.as_ref().filter(|_| self.finished);
        best.map(|(_, networks)| networks.clone())
    }

    pub fn save(&self, out: &mut Writer) {
        out.u64(self.since);
        out.u64(self.finished.into());
        out.u64(self.best.is_some().into());
        if let Some((wins, networks)) = &self.best {
            out.f64(*wins);
            networks.iter().for_each(|n| n.save(out));
        }
    }

    pub fn load(
        &mut self,
        from: &mut Reader<'_>,
        networks: impl FnOnce(&mut Reader<'_>) -> Result<Vec<QNetwork>, LearnError>,
    ) -> Result<(), LearnError> {
        self.since = from.u64()?;
        self.finished = from.u64()? != 0;
        self.best = match from.u64()? {
            0 => None,
            _ => Some((from.f64()?, networks(from)?)),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_begins_the_count_anew() {
        let mut validation = Validation::default();
        for (wins, finished) in [
            (0.1, false),
            (0.1, false),
            (0.2, false),
            (0.15, false),
            (0.2, true),
        ] {
            let back = validation.judge(wins, 2, Vec::new);
            assert_eq!(validation.is_finished(), finished, "{wins}");
            assert_eq!(back.is_some(), finished);
        }
    }
}
