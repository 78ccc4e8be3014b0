//! What two men contribute to a network's sums, ready for every two squares.
//!
//! Most features look at two men only. The rows of all that look at the same two are added up when the
//! network is loaded, for every pair of squares; a position then costs a row for each pair, however many
//! such features there are. That is what makes a network quick enough for the leaves of a search.

use rules::Square;

use crate::features::{Pair, Trio, View};

/// What a pair contributes: a row for every two squares.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PairTable {
    pair: Pair,
    rows: Vec<f32>,
    stride: usize,
}

impl PairTable {
    /// A table of rows of `stride` numbers; `add` adds to a row what the pair contributes in a position.
    pub fn new(pair: Pair, stride: usize, add: impl Fn(&View, &mut [f32])) -> PairTable {
        let mut rows = vec![0.0; 64 * 64 * stride];
        for one in Square::ALL {
            for other in Square::ALL {
                if let Some(view) = View::of_pair(pair, one, other) {
                    add(&view, &mut rows[place(one, other) * stride..][..stride]);
                }
            }
        }
        PairTable { pair, rows, stride }
    }

    /// What it contributes in a position: the row that the slice begins with.
    #[inline]
    pub fn row(&self, men: &Trio) -> &[f32] {
        let (one, other) = men.squares(self.pair);
        &self.rows[place(one, other) * self.stride..]
    }
}

#[inline]
fn place(one: Square, other: Square) -> usize {
    64 * usize::from(one) + usize::from(other)
}
