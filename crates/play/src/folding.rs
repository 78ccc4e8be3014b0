//! Folding the images of a position under the eight symmetries onto one, fast.

use std::sync::LazyLock;

use rules::{Board, Square, Symmetry, attacks};

/// For every board size, which symmetry brings a pair of kings to its standard image.
static FOLDINGS: LazyLock<Vec<Folding>> =
    LazyLock::new(|| Board::ALL.into_iter().map(Folding::new).collect());

/// What folding needs to know about a board.
#[derive(Debug)]
pub(crate) struct Folding {
    /// By first and second king: the symmetries that lead to the standard image, two when a
    /// reflection leaves both kings in place.
    pairs: Vec<[u8; 2]>,
    images: [[Square; 64]; 8],
}

impl Folding {
    /// The folding of a board.
    pub fn of(board: Board) -> &'static Folding {
        &FOLDINGS[board.size() - 4]
    }

    fn new(board: Board) -> Folding {
        let mut images = [[Square::A1; 64]; 8];
        for symmetry in Symmetry::ALL {
            for square in board.squares() {
                images[symmetry.index()][usize::from(square)] = symmetry.square(board, square);
            }
        }
        let mut pairs = vec![[0; 2]; 64 * 64];
        for first in board.squares() {
            for second in board.squares() {
                if attacks::king_attacks(first).contains(second) || first == second {
                    continue;
                }
                let image = |s: usize| {
                    (
                        images[s][usize::from(first)],
                        images[s][usize::from(second)],
                    )
                };
                let standard = (0..8).map(image).min();
                let mut leading = (0..8u8).filter(|&s| Some(image(s.into())) == standard);
                let one = leading.next().unwrap_or(0);
                pairs[64 * usize::from(first) + usize::from(second)] =
                    [one, leading.next().unwrap_or(one)];
            }
        }
        Folding { pairs, images }
    }

    /// The symmetries that bring the kings to their standard image.
    #[inline]
    pub fn symmetries(&self, first: Square, second: Square) -> [u8; 2] {
        self.pairs[64 * usize::from(first) + usize::from(second)]
    }

    /// Where a square goes under symmetry `index` of [`Symmetry::ALL`].
    #[inline]
    pub fn image(&self, index: u8, square: Square) -> Square {
        self.images[usize::from(index)][usize::from(square)]
    }
}
