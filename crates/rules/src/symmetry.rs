use shakmaty::{Bitboard, Square};

use crate::Board;

/// One of the eight symmetries of a square board.
///
/// A pawnless position keeps its value under all eight, a position with pawns under the first two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry {
    /// Applied in this order: bit 0 mirrors the files, bit 1 the ranks, bit 2 exchanges both.
    steps: u8,
}

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Symmetry = Symmetry { steps: 0 };

    /// Mirrors the ranks.
    pub const UPSIDE_DOWN: Symmetry = Symmetry { steps: 2 };

    /// All eight symmetries, the identity first.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry::IDENTITY; 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry { steps: i as u8 };
            i += 1;
        }
        all
    };

    /// The two that pawns allow: the identity and the exchange of left and right.
    pub const WITH_PAWNS: [Symmetry; 2] = [Symmetry { steps: 0 }, Symmetry { steps: 1 }];

    /// The four that keep files files and ranks ranks: what document D calls its symmetry.
    pub const FLIPS: [Symmetry; 4] = [
        Symmetry { steps: 0 },
        Symmetry { steps: 1 },
        Symmetry { steps: 2 },
        Symmetry { steps: 3 },
    ];

    /// Its place in [`Symmetry::ALL`].
    pub const fn index(self) -> usize {
        self.steps as usize
    }

    /// Does it exchange files and ranks?
    pub const fn is_diagonal(self) -> bool {
        self.steps & 4 != 0
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // A flip before the exchange of files and ranks is the other flip after it.
        if self.is_diagonal() {
            Symmetry {
                steps: 4 | (self.steps & 1) << 1 | (self.steps & 2) >> 1,
            }
        } else {
            self
        }
    }

    /// Where `square` goes on `board`.
    pub fn square(self, board: Board, square: Square) -> Square {
        let last = board.size() as u32 - 1;
        let (mut file, mut rank) = (u32::from(square.file()), u32::from(square.rank()));
        if self.steps & 1 != 0 {
            file = last - file;
        }
        if self.steps & 2 != 0 {
            rank = last - rank;
        }
        if self.is_diagonal() {
            std::mem::swap(&mut file, &mut rank);
        }
        Square::new(file + 8 * rank)
    }

    /// Where each of [`Symmetry::ALL`] sends every square of `board`.
    pub fn images(board: Board) -> [[Square; 64]; 8] {
        let mut images = [[Square::A1; 64]; 8];
        for symmetry in Symmetry::ALL {
            for square in board.squares() {
                images[symmetry.index()][usize::from(square)] = symmetry.square(board, square);
            }
        }
        images
    }

    /// Where the squares of a set go on `board`.
    #[inline]
    pub const fn bitboard(self, board: Board, mut set: Bitboard) -> Bitboard {
        let outside = 8 - board.size() as u32;
        if self.steps & 1 != 0 {
            set = Bitboard(set.flip_horizontal().0 >> outside);
        }
        if self.steps & 2 != 0 {
            set = Bitboard(set.flip_vertical().0 >> (8 * outside));
        }
        if self.is_diagonal() {
            set.flip_diagonal()
        } else {
            set
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_squares_move_alike_and_the_inverse_undoes_it() {
        for board in Board::ALL {
            for symmetry in Symmetry::ALL {
                for square in board.squares() {
                    let image = symmetry.square(board, square);
                    assert!(board.contains(image));
                    assert_eq!(
                        symmetry.bitboard(board, Bitboard::from_square(square)),
                        Bitboard::from_square(image)
                    );
                    assert_eq!(symmetry.inverse().square(board, image), square);
                }
            }
        }
    }

    #[test]
    fn a_corner_visits_four_corners_and_a_general_square_eight_squares() {
        let orbit = |square| {
            Symmetry::ALL
                .into_iter()
                .map(|s| s.square(Board::STANDARD, square))
                .collect::<Bitboard>()
                .count()
        };
        assert_eq!(orbit(Square::A1), 4);
        assert_eq!(orbit(Square::B1), 8);
    }
}
