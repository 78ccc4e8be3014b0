//! What two men contribute to a network's sums, ready for every two squares.
//!
//! Most features look at two men only. The rows of all that look at the same two are added up when the
//! network is loaded, for every pair of squares; a position then costs three rows, however many
//! features there are. That is what makes a network quick enough for the leaves of a search.

use rules::Square;

use crate::features::{Pair, Trio, View};

/// For each of the pairs, a row for every two squares.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Pairs {
    tables: [Vec<f32>; Pair::ALL.len()],
    stride: usize,
}

impl Pairs {
    /// Tables of rows of `stride` numbers; `add` adds to a row what the features of a pair contribute in
    /// a position.
    pub fn new(stride: usize, add: impl Fn(Pair, &View, &mut [f32])) -> Pairs {
        let table = |pair: Pair| {
            let mut table = vec![0.0; 64 * 64 * stride];
            for one in Square::ALL {
                for other in Square::ALL {
                    if let Some(view) = View::of_pair(pair, one, other) {
                        let row = &mut table[place(one, other) * stride..][..stride];
                        add(pair, &view, row);
                    }
                }
            }
            table
        };
        Pairs {
            tables: Pair::ALL.map(table),
            stride,
        }
    }

    /// What a pair contributes in a position.
    #[inline]
    pub fn row(&self, pair: Pair, men: &Trio) -> &[f32] {
        let (one, other) = men.squares(pair);
        &self.tables[pair as usize][place(one, other) * self.stride..]
    }
}

#[inline]
fn place(one: Square, other: Square) -> usize {
    64 * usize::from(one) + usize::from(other)
}
