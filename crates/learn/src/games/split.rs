//! Which games are learned from, and which are held out to judge by.

use std::{fmt, str::FromStr};

use super::{GameFile, GameHeader};

/// A share of the games that is held out.
///
/// A game is held out for its moves alone: that never changes when games are added, does not depend
/// on their order, and equal games fall on the same side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// In ten-thousandths.
    held_out: u64,
}

/// Why a text is no split.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not a share in percent between 0 and 100, with two decimals at most")]
pub struct SplitError(String);

impl Split {
    /// Holds out this many of 10,000 games.
    ///
    /// # Panics
    /// When that is more than all.
    pub const fn new(of_ten_thousand: u64) -> Split {
        assert!(of_ten_thousand <= 10_000);
        Split {
            held_out: of_ten_thousand,
        }
    }

    /// The share that is held out, in percent.
    pub fn percent(self) -> f64 {
        self.held_out as f64 / 100.0
    }

    /// Is this game held out?
    pub fn holds_out(self, header: &GameHeader) -> bool {
        // The high half of the product: the key as a fraction, in ten-thousandths.
        let place = (u128::from(header.key) * 10_000) >> 64;
        (place as u64) < self.held_out
    }

    /// The numbers of the games to learn from, and of those held out.
    pub fn of(self, file: &GameFile) -> (Vec<u32>, Vec<u32>) {
        let numbered = file.games().zip(0..);
        let (held_out, training): (Vec<_>, Vec<_>) = numbered
            .map(|(game, number)| (self.holds_out(game.header()), number))
            .partition(|&(held_out, _)| held_out);
        let numbers = |list: Vec<(bool, u32)>| list.into_iter().map(|(_, n)| n).collect();
        (numbers(training), numbers(held_out))
    }
}

/// Two percent.
impl Default for Split {
    fn default() -> Split {
        Split::new(200)
    }
}

impl FromStr for Split {
    type Err = SplitError;

    fn from_str(text: &str) -> Result<Split, SplitError> {
        let refuse = || SplitError(text.to_owned());
        let percent: f64 = text
            .trim()
            .trim_end_matches('%')
            .trim_end()
            .parse()
            .map_err(|_| refuse())?;
        let held_out = percent * 100.0;
        ((0.0..=10_000.0).contains(&held_out) && (held_out - held_out.round()).abs() < 1e-6)
            .then(|| Split::new(held_out.round() as u64))
            .ok_or_else(refuse)
    }
}

/// In percent.
impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.percent())
    }
}
