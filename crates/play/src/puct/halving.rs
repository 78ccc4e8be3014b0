//! Sequential halving: which root moves are tried, and how often.

use super::{noise, settings::Gumbel};
use crate::Dice;

/// The root moves that are still considered. In a *round* each of them is tried once; after some
/// rounds the better half of them stays (Danihelka et al. 2022, figure 1).
///
/// Which moves a round tries does not depend on what the round finds, so all its simulations can wait
/// for their judgements at the same time, and nothing changes if they do.
#[derive(Clone, Debug)]
pub(super) struct Halving {
    candidates: Vec<Candidate>,
    /// How many of them the present round has tried.
    tried: usize,
    /// Rounds until the next halving, the present one included.
    rounds: u32,
    simulations: u32,
    halvings: u32,
}

/// A root move that is considered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The number of the move among the root's.
    pub index: usize,
    /// Its lot and the logarithm of its prior: what it is chosen by, beside its value.
    pub lot: f32,
}

/// Simulations that are enough for a root move: where there are more, more moves are considered, so that
/// a long search overlooks nothing for its low prior.
const ENOUGH: u32 = 32;

impl Halving {
    /// Draws the moves to consider, by their priors.
    pub fn new(
        priors: impl Iterator<Item = f32>,
        gumbel: &Gumbel,
        simulations: u32,
        dice: &mut Dice,
    ) -> Halving {
        let mut candidates: Vec<Candidate> = priors
            .enumerate()
            .map(|(index, prior)| {
                let lot = if gumbel.noise {
                    noise::gumbel(dice)
                } else {
                    0.0
                };
                let lot = lot + prior.max(f32::MIN_POSITIVE).ln();
                Candidate { index, lot }
            })
            .collect();
        candidates.sort_by(|a, b| b.lot.total_cmp(&a.lot));
        let considered = gumbel.considered.max(simulations / ENOUGH).max(1);
        candidates.truncate(considered as usize);
        let count = candidates.len().max(1) as u32;
        let halvings = count.next_power_of_two().ilog2().max(1);
        Halving {
            rounds: rounds(simulations, halvings, count),
            candidates,
            tried: 0,
            simulations,
            halvings,
        }
    }

    /// The next move to try; `None` when the round is over.
    pub fn next(&mut self) -> Option<usize> {
        let candidate = self.candidates.get(self.tried)?;
        self.tried += 1;
        Some(candidate.index)
    }

    /// Takes the last move back: nobody has tried it.
    pub fn take_back(&mut self) {
        self.tried -= 1;
    }

    /// Begins the next round, when everything that the last one asked about has been judged. `value`
    /// says how good a move has turned out, and nothing of one that is proven to lose.
    pub fn next_round(&mut self, value: impl Fn(usize) -> Option<f32>) {
        self.tried = 0;
        self.rounds -= 1;
        if self.candidates.iter().any(|c| value(c.index).is_some()) {
            self.candidates.retain(|c| value(c.index).is_some());
        }
        if self.rounds == 0 {
            let score = |c: &Candidate| c.lot + value(c.index).unwrap_or(f32::MIN);
            self.candidates
                .sort_by(|a, b| score(b).total_cmp(&score(a)));
            self.candidates.truncate((self.candidates.len() / 2).max(2));
            let count = self.candidates.len() as u32;
            self.rounds = rounds(self.simulations, self.halvings, count);
        }
    }

    /// The moves that are still considered.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }
}

/// Rounds between two halvings, so that each takes the same share of the simulations.
fn rounds(simulations: u32, halvings: u32, considered: u32) -> u32 {
    (simulations / (halvings * considered)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of `moves` moves is tried, best lots and values first.
    fn visits(moves: usize, considered: u32, simulations: u32) -> Vec<u32> {
        let gumbel = Gumbel {
            considered,
            visit: 50.0,
            scale: 1.0,
            noise: false,
        };
        let priors = (0..moves).map(|index| 1.0 / (index + 1) as f32);
        let mut halving = Halving::new(priors, &gumbel, simulations, &mut Dice::new(0));
        let mut visits = vec![0; moves];
        for _ in 0..simulations {
            let index = halving.next().unwrap_or_else(|| {
                halving.next_round(|index| Some(-(index as f32)));
                halving.next().expect("a new round")
            });
            visits[index] += 1;
        }
        visits
    }

    #[test]
    fn every_halving_takes_its_share() {
        // 16 moves, 4 halvings, 50 simulations each: 3, 6, 12 and 25 visits in addition.
        let all = visits(30, 16, 200);
        assert_eq!(all.iter().sum::<u32>(), 200);
        assert_eq!(all[8..16], [3; 8]);
        assert_eq!(all[4..8], [3 + 6; 4]);
        assert_eq!(all[2..4], [3 + 6 + 12; 2]);
        assert_eq!(all[16..], [0; 14]);
        assert_eq!(all[0] + all[1], 200 - 24 - 36 - 42);
        // The figure of the paper: 4 moves, 16 simulations.
        assert_eq!(visits(4, 4, 16), [6, 6, 2, 2]);
    }

    #[test]
    fn few_simulations_and_few_moves() {
        assert_eq!(visits(20, 16, 5)[..6], [1, 1, 1, 1, 1, 0]);
        assert_eq!(visits(1, 16, 7), [7]);
        assert_eq!(visits(2, 16, 7), [4, 3]);
        assert_eq!(visits(3, 1, 9), [9, 0, 0]);
    }
}
