use shakmaty::{Bitboard, Square};
use std::fmt;

/// The size of a board, from 4×4 to 8×8.
///
/// A small board is the lower-left corner of the big one: 5×5 is a1 to e5.
///
/// ```
/// use rules::{Board, Square};
/// let five = Board::new(5)?;
/// assert!(five.contains(Square::E5));
/// assert!(!five.contains(Square::F1));
/// # Ok::<(), rules::BoardError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    size: u8,
}

/// A board size outside 4..=8.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a board is 4×4 to 8×8, not {0}×{0}")]
pub struct BoardError(pub usize);

impl Board {
    /// The ordinary board.
    pub const STANDARD: Board = Board { size: 8 };

    /// Every board size, smallest first.
    pub const ALL: [Board; 5] = [
        Board { size: 4 },
        Board { size: 5 },
        Board { size: 6 },
        Board { size: 7 },
        Board { size: 8 },
    ];

    /// A board of `size` × `size` squares.
    ///
    /// # Errors
    /// When `size` is not 4 to 8.
    pub const fn new(size: usize) -> Result<Board, BoardError> {
        if size >= 4 && size <= 8 {
            Ok(Board { size: size as u8 })
        } else {
            Err(BoardError(size))
        }
    }

    /// Squares along one edge.
    pub const fn size(self) -> usize {
        self.size as usize
    }

    /// Is this the ordinary 8×8 board?
    pub const fn is_standard(self) -> bool {
        self.size == 8
    }

    /// The squares that belong to the board.
    pub const fn squares(self) -> Bitboard {
        let rank = (1u64 << self.size) - 1;
        let mut squares = 0;
        let mut i = 0;
        while i < self.size {
            squares |= rank << (8 * i);
            i += 1;
        }
        Bitboard(squares)
    }

    /// Does `square` belong to the board?
    pub const fn contains(self, square: Square) -> bool {
        self.squares().contains(square)
    }

    /// The distance in king steps from `square` to the nearest edge.
    pub fn distance_to_edge(self, square: Square) -> usize {
        let (file, rank) = (usize::from(square.file()), usize::from(square.rank()));
        let last = self.size() - 1;
        file.min(rank).min(last - file).min(last - rank)
    }

    /// The four central squares; on a board of odd size, the single one.
    pub fn centre(self) -> Bitboard {
        let deepest = (self.size() - 1) / 2;
        self.squares()
            .into_iter()
            .filter(|&square| self.distance_to_edge(square) == deepest)
            .collect()
    }
}

impl Default for Board {
    fn default() -> Board {
        Board::STANDARD
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}×{0}", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outside_four_to_eight_are_refused() {
        for size in [0, 3, 9, 255] {
            assert_eq!(Board::new(size), Err(BoardError(size)));
        }
        for board in Board::ALL {
            assert_eq!(board.squares().count(), board.size() * board.size());
        }
    }

    #[test]
    fn the_centre_is_four_squares_or_one() {
        let centres: Vec<usize> = Board::ALL.iter().map(|b| b.centre().count()).collect();
        assert_eq!(centres, [4, 1, 4, 1, 4]);
        assert!(Board::STANDARD.centre().contains(Square::E5));
    }
}
