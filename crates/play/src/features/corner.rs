//! A position seen from the corner that the bare king is driven to.
//!
//! With bishop and knight only the two corners of the bishop's colour are of use, so four of the eight
//! images of a position are alike. In the standard one of them the bishop runs on dark squares and
//! the bare king stands in the triangle below both long diagonals: its nearest edge is the first rank,
//! the right corner, a1, lies to the left and the wrong one, h1, to the right. In that picture
//! *left of the bare king* and *above it* mean the same thing in every position.

use rules::{Bitboard, Square, attacks};

/// Where the men stand in the standard picture, as files and ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FromCorner {
    pub bare: (i32, i32),
    pub king: (i32, i32),
    pub bishop: (i32, i32),
    pub knight: (i32, i32),
    /// What turns the board into the picture: these bits of a square are flipped,
    flips: u32,
    /// and files and ranks change places.
    turned: bool,
}

/// For each way to flip the board (files, ranks, both): the squares that are at least so far from the corner
/// that is then a1.
const FARTHER: [[u64; 16]; 4] = {
    let mut areas = [[0; 16]; 4];
    let mut square = 0;
    while square < 64 {
        let mut corner = 0;
        while corner < 4 {
            let flipped = square ^ [0, 7, 56, 63][corner];
            let mut least = 0;
            while least <= (flipped & 7) + (flipped >> 3) {
                areas[corner][least] |= 1 << square;
                least += 1;
            }
            corner += 1;
        }
        square += 1;
    }
    areas
};

impl FromCorner {
    /// The picture of a position.
    #[inline]
    pub fn new(bare: Square, king: Square, bishop: Square, knight: Square) -> FromCorner {
        let mut picture = FromCorner {
            flips: if bishop.is_light() { 7 } else { 0 },
            ..FromCorner::default()
        };
        let (file, rank) = picture.place(bare);
        if file + rank > 7 {
            picture.flips ^= 63;
        }
        let (file, rank) = picture.place(bare);
        picture.turned = rank > file;
        let (file, rank) = picture.place(bare);
        // On a long diagonal the bare king leaves two pictures; the other men decide.
        if file == rank {
            let side = [king, knight, bishop]
                .map(|square| picture.place(square))
                .map(|(file, rank)| rank - file);
            if first_that_differs(side) > 0 {
                picture.turned ^= true;
            }
        } else if file + rank == 7 {
            let side = [king, knight, bishop]
                .map(|square| picture.place(square))
                .map(|(file, rank)| file + rank - 7);
            if first_that_differs(side) > 0 {
                picture.turned ^= true;
                picture.flips ^= 63;
            }
        }
        picture.bare = picture.place(bare);
        picture.king = picture.place(king);
        picture.bishop = picture.place(bishop);
        picture.knight = picture.place(knight);
        picture
    }

    #[inline]
    fn place(&self, square: Square) -> (i32, i32) {
        let square = (u32::from(square) ^ self.flips) as i32;
        let (file, rank) = (square & 7, square >> 3);
        if self.turned {
            (rank, file)
        } else {
            (file, rank)
        }
    }

    /// Squares of `free` next to the bare king on its right, the side of the wrong corner.
    #[inline]
    pub fn free_to_the_right(&self, bare: Square, free: Bitboard) -> i32 {
        self.beside(bare, free, !self.turned, false)
    }

    /// Squares of `free` next to the bare king on its left, the side of the right corner.
    #[inline]
    pub fn free_to_the_left(&self, bare: Square, free: Bitboard) -> i32 {
        self.beside(bare, free, !self.turned, true)
    }

    /// Squares of `free` next to the bare king on the rank above it, away from its edge.
    #[inline]
    pub fn free_above(&self, bare: Square, free: Bitboard) -> i32 {
        self.beside(bare, free, self.turned, false)
    }

    /// Squares of `free` on the next line of the board, a file or a rank, that the picture shows on
    /// the right or above, or else on the left or below.
    #[inline]
    fn beside(&self, bare: Square, free: Bitboard, file: bool, before: bool) -> i32 {
        let near = (attacks::king_attacks(bare) & free).0;
        let square = u32::from(bare);
        let (at, flipped) = match file {
            true => (square & 7, self.flips & 7 != 0),
            false => (square >> 3, self.flips & 56 != 0),
        };
        let next = match flipped == before {
            true => at + 1,
            false => at.wrapping_sub(1),
        };
        if next > 7 {
            return 0;
        }
        let line = match file {
            true => 0x0101_0101_0101_0101 << next,
            false => 0xff << (8 * next),
        };
        (near & line).count_ones() as i32
    }

    /// The file on which the picture shows the square farthest to the right, of some that are not
    /// none.
    #[inline]
    pub fn rightmost(&self, mut squares: u64) -> i32 {
        let (lowest, highest, flipped) = if self.turned {
            let (last, first) = (squares.leading_zeros(), squares.trailing_zeros());
            (first / 8, 7 - last / 8, self.flips & 56 != 0)
        } else {
            for shift in [32, 16, 8] {
                squares |= squares >> shift;
            }
            let files = squares as u8;
            let (last, first) = (files.leading_zeros(), files.trailing_zeros());
            (first, 7 - last, self.flips & 7 != 0)
        };
        (if flipped { 7 - lowest } else { highest }) as i32
    }

    /// File and rank added, of the square for which that is greatest, of some that are not none: how
    /// far it is from the right corner, a1.
    #[inline]
    pub fn farthest(&self, squares: u64) -> i32 {
        let corner = usize::from(self.flips & 7 != 0) + 2 * usize::from(self.flips & 56 != 0);
        let areas = &FARTHER[corner];
        // Of two halves the one that holds a square, and so on.
        let mut most = 0;
        for half in [8, 4, 2, 1] {
            if squares & areas[most + half] != 0 {
                most += half;
            }
        }
        most as i32
    }

    /// King steps from our king to the wrong corner, less those of the bare king.
    #[inline]
    pub fn king_from_wrong_corner(&self) -> i32 {
        (7 - self.king.0).max(self.king.1) - (7 - self.bare.0)
    }

    /// King steps from our king to the square two ranks above the bare king and so many files to
    /// its right, or as near to that as the board has one.
    #[inline]
    pub fn king_to_post(&self, right: i32) -> i32 {
        let (file, rank) = ((self.bare.0 + right).clamp(0, 7), self.bare.1 + 2);
        (self.king.0 - file).abs().max((self.king.1 - rank).abs())
    }
}

/// The first number that is not 0.
#[inline]
fn first_that_differs(sides: [i32; 3]) -> i32 {
    sides.into_iter().find(|&side| side != 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(squares: [Square; 4]) -> FromCorner {
        let [bare, king, bishop, knight] = squares;
        FromCorner::new(bare, king, bishop, knight)
    }

    #[test]
    fn the_right_corner_lies_to_the_left_and_the_nearest_edge_below() {
        // A light bishop: the right corners are a8 and h1. The bare king is nearest to the edge h.
        let seen = picture([Square::H3, Square::F4, Square::C8, Square::E6]);
        assert_eq!(seen.bare, (2, 0));
        assert_eq!(seen.king, (3, 2));
        assert_eq!(seen.bishop, (7, 5));
        assert_eq!(seen.knight, (5, 3));
        // h4 is on the way to the wrong corner; g2, g3 and g4 lead off the edge.
        let free = Bitboard::from_square(Square::H4);
        assert_eq!(seen.free_to_the_right(Square::H3, free), 1);
        assert_eq!(seen.free_above(Square::H3, free), 0);
        let free = Bitboard::from_square(Square::G2)
            .with(Square::G4)
            .with(Square::A1);
        assert_eq!(seen.free_to_the_right(Square::H3, free), 1);
        assert_eq!(seen.free_above(Square::H3, free), 2);
        // Beyond the wrong corner there is nothing.
        let seen = picture([Square::H8, Square::F6, Square::C8, Square::E6]);
        assert_eq!(seen.bare, (7, 0));
        assert_eq!(seen.free_to_the_right(Square::H8, Bitboard::FULL), 0);
        assert_eq!(seen.free_above(Square::H8, Bitboard::FULL), 2);
        assert_eq!(seen.free_to_the_left(Square::H8, Bitboard::FULL), 2);
    }

    #[test]
    fn posts_and_ends_are_those_of_the_picture() {
        // As above: h1 is the right corner, shown as a1; h8 the wrong one, shown as h1.
        let seen = picture([Square::H3, Square::F4, Square::C8, Square::E6]);
        let free = Bitboard::from_square(Square::H2).with(Square::G2);
        assert_eq!(seen.free_to_the_left(Square::H3, free), 2);
        let set = |squares: &[Square]| {
            let one = |set: Bitboard, &square: &Square| set.with(square);
            squares.iter().fold(Bitboard::EMPTY, one).0
        };
        assert_eq!(seen.rightmost(set(&[Square::H3])), 2);
        assert_eq!(seen.rightmost(set(&[Square::H1, Square::F6])), 5);
        // The king on f4 is four steps from h8, the bare king on h3 five.
        assert_eq!(seen.king_from_wrong_corner(), -1);
        // Two ranks above h3 is f3, and to its left f2.
        assert_eq!(seen.king_to_post(0), 1);
        assert_eq!(seen.king_to_post(-1), 2);
        // Nearest to the edge a8-h8, with the right corner a8 on the left.
        let seen = picture([Square::D8, Square::D6, Square::C8, Square::E6]);
        assert_eq!((seen.bare, seen.king), ((3, 0), (3, 2)));
        assert_eq!(seen.rightmost(set(&[Square::A1, Square::F6])), 5);
        assert_eq!(seen.rightmost(set(&[Square::A1])), 0);
        assert_eq!(seen.farthest(set(&[Square::A8, Square::D7, Square::B6])), 4);
        assert_eq!(seen.king_to_post(0), 0);
    }

    #[test]
    fn the_bare_king_is_always_in_the_triangle() {
        for bare in 0..64 {
            for king in 0..64 {
                let seen = picture([Square::new(bare), Square::new(king), Square::C3, Square::E6]);
                let (file, rank) = seen.bare;
                assert!(rank <= file && file + rank <= 7);
                let (file, rank) = seen.bishop;
                assert_eq!((file + rank) % 2, 0);
            }
        }
    }
}
