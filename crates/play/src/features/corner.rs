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
        self.beside(bare, free, !self.turned)
    }

    /// Squares of `free` next to the bare king on the rank above it, away from its edge.
    #[inline]
    pub fn free_above(&self, bare: Square, free: Bitboard) -> i32 {
        self.beside(bare, free, self.turned)
    }

    /// Squares of `free` on the next line of the board, a file or a rank, that the picture shows on
    /// the right or above.
    #[inline]
    fn beside(&self, bare: Square, free: Bitboard, file: bool) -> i32 {
        let near = (attacks::king_attacks(bare) & free).0;
        let square = u32::from(bare);
        let (at, flipped) = match file {
            true => (square & 7, self.flips & 7 != 0),
            false => (square >> 3, self.flips & 56 != 0),
        };
        let next = if flipped { at.wrapping_sub(1) } else { at + 1 };
        if next > 7 {
            return 0;
        }
        let line = match file {
            true => 0x0101_0101_0101_0101 << next,
            false => 0xff << (8 * next),
        };
        (near & line).count_ones() as i32
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
