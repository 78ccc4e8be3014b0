//! What the games of a match add up to.

use std::collections::BTreeMap;

use rules::{Color, Reason};
use serde::Serialize;

use crate::GameRecord;

/// Wins, draws and losses of the first player, how they came about and how long they took.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    paired: bool,
    /// By result and reason.
    endings: BTreeMap<(Ending, Reason), u64>,
    /// Games by the number of moves the winner needed, the first player's mates only.
    mates: BTreeMap<u32, u64>,
    /// The same for moves beyond the optimal number, where that is known.
    excess: BTreeMap<u32, u64>,
    /// Pairs of games by the first player's half points, 0 to 4.
    pairs: [u64; 5],
    /// Half points of the first game of a pair that waits for its second.
    half_pair: Option<u64>,
}

/// A result, seen from the first player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ending {
    /// The first player won.
    Win,
    /// Nobody won.
    Draw,
    /// The second player won.
    Loss,
}

/// A share of a number of trials with its 95 % confidence interval (Wilson's score interval).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// Successes.
    pub count: u64,
    /// Trials.
    pub of: u64,
    /// Successes by trials; 0 without trials.
    pub share: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Mean, median and extremes of a set of lengths.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Lengths {
    /// How many there are.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Half the width of the mean's 95 % interval.
    pub error: f64,
    /// The one in the middle.
    pub median: u32,
    /// The least.
    pub least: u32,
    /// The greatest.
    pub greatest: u32,
}

/// The standard normal distribution holds 95 % within this.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

impl Statistics {
    /// No games yet; `paired` when games come in pairs with colours exchanged.
    pub fn new(paired: bool) -> Statistics {
        Statistics {
            paired,
            ..Statistics::default()
        }
    }

    /// Adds a game; games must come in the order of their indices.
    pub fn add(&mut self, record: &GameRecord) {
        let first = if self.paired && record.index % 2 == 1 {
            Color::Black
        } else {
            Color::White
        };
        let ending = match record.winner {
            None => Ending::Draw,
            Some(winner) if winner == first => Ending::Win,
            Some(_) => Ending::Loss,
        };
        *self.endings.entry((ending, record.reason)).or_default() += 1;
        if ending == Ending::Win
            && record.reason == Reason::Checkmate
            && let Some(moves) = record.winner_moves()
        {
            *self.mates.entry(moves).or_default() += 1;
            if let Some(optimal) = record.optimal_moves() {
                *self
                    .excess
                    .entry(moves.saturating_sub(optimal))
                    .or_default() += 1;
            }
        }
        if self.paired {
            let half_points = match ending {
                Ending::Win => 2,
                Ending::Draw => 1,
                Ending::Loss => 0,
            };
            match self.half_pair.take() {
                None => self.half_pair = Some(half_points),
                Some(before) => self.pairs[(before + half_points) as usize] += 1,
            }
        }
    }

    /// How many games.
    pub fn games(&self) -> u64 {
        self.endings.values().sum()
    }

    /// How many games ended so.
    pub fn count(&self, ending: Ending) -> u64 {
        self.by_reason(ending).map(|(_, count)| count).sum()
    }

    /// How many games ended so, by reason.
    pub fn by_reason(&self, ending: Ending) -> impl Iterator<Item = (Reason, u64)> {
        self.endings
            .iter()
            .filter(move |((e, _), _)| *e == ending)
            .map(|(&(_, reason), &count)| (reason, count))
    }

    /// The share of games that ended so.
    pub fn share(&self, ending: Ending) -> Share {
        Share::new(self.count(ending), self.games())
    }

    /// Wins plus half the draws.
    pub fn points(&self) -> f64 {
        self.count(Ending::Win) as f64 + self.count(Ending::Draw) as f64 / 2.0
    }

    /// Moves to the first player's mates.
    pub fn moves_to_mate(&self) -> Option<Lengths> {
        Lengths::new(&self.mates)
    }

    /// How many of the first player's mates took how many moves.
    pub fn mate_histogram(&self) -> &BTreeMap<u32, u64> {
        &self.mates
    }

    /// Moves beyond the optimal number, for those of the first player's mates where that is known.
    pub fn excess_moves(&self) -> Option<Lengths> {
        Lengths::new(&self.excess)
    }

    /// Pairs of games by the first player's points: 0, ½, 1, 1½, 2. All zero unless paired.
    pub fn pentanomial(&self) -> [u64; 5] {
        self.pairs
    }

    /// Do games come in pairs?
    pub fn is_paired(&self) -> bool {
        self.paired
    }
}

impl Share {
    /// `count` successes in `of` trials.
    pub fn new(count: u64, of: u64) -> Share {
        let (k, n) = (count as f64, of as f64);
        if of == 0 {
            return Share {
                count,
                of,
                share: 0.0,
                low: 0.0,
                high: 1.0,
            };
        }
        let p = k / n;
        let z2 = Z95 * Z95;
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
        Share {
            count,
            of,
            share: p,
            low: (centre - half).max(0.0),
            high: (centre + half).min(1.0),
        }
    }
}

impl Lengths {
    fn new(histogram: &BTreeMap<u32, u64>) -> Option<Lengths> {
        let (&least, _) = histogram.first_key_value()?;
        let (&greatest, _) = histogram.last_key_value()?;
        let count: u64 = histogram.values().sum();
        let n = count as f64;
        let mean = weighted(histogram, f64::from) / n;
        let squares = weighted(histogram, |x| (f64::from(x) - mean).powi(2));
        let mut seen = 0;
        let median = histogram
            .iter()
            .find(|&(_, &games)| {
                seen += games;
                2 * seen >= count
            })
            .map_or(greatest, |(&length, _)| length);
        Some(Lengths {
            count,
            mean,
            error: Z95 * (squares / n / n).sqrt(),
            median,
            least,
            greatest,
        })
    }
}

fn weighted(histogram: &BTreeMap<u32, u64>, value: impl Fn(u32) -> f64) -> f64 {
    histogram
        .iter()
        .map(|(&length, &games)| value(length) * games as f64)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_intervals_are_the_textbook_ones() {
        // Newcombe 1998, Table I: 81 of 263 and 0 of 20.
        let share = Share::new(81, 263);
        assert!((share.low - 0.2553).abs() < 5e-5 && (share.high - 0.3662).abs() < 5e-5);
        let none = Share::new(0, 20);
        assert!(none.low == 0.0 && (none.high - 0.1611).abs() < 5e-5);
    }

    #[test]
    fn lengths_of_a_small_histogram() {
        let lengths = Lengths::new(&BTreeMap::from([(1, 1), (2, 1), (6, 2)])).unwrap();
        assert_eq!(
            (
                lengths.mean,
                lengths.median,
                lengths.least,
                lengths.greatest
            ),
            (3.75, 2, 1, 6)
        );
        assert_eq!(Lengths::new(&BTreeMap::new()), None);
    }
}
