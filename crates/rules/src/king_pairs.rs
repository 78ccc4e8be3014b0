//! Folding the images of a position onto one, by its kings.

use shakmaty::Square;

use crate::{Board, Symmetry};

/// For every two squares of kings, which symmetries of a group bring them to their standard image: of
/// all their images the one with the lowest first square, and then with the lowest second.
///
/// The kings decide alone, but for pairs that a reflection leaves where they are. So a position is
/// folded by one look at a table, and a second image in a few cases.
#[derive(Clone, Debug)]
pub struct KingPairs {
    /// By first and second king.
    symmetries: Box<[[Symmetry; 2]; 64 * 64]>,
    images: Box<[[Square; 64]; 8]>,
}

impl KingPairs {
    /// The pairs of a board under a group of symmetries.
    pub fn new(board: Board, group: &[Symmetry]) -> KingPairs {
        let images = Box::new(Symmetry::images(board));
        let mut symmetries = Box::new([[Symmetry::IDENTITY; 2]; 64 * 64]);
        for first in board.squares() {
            for second in board.squares() {
                let image = |s: &Symmetry| {
                    let image = &images[s.index()];
                    (image[usize::from(first)], image[usize::from(second)])
                };
                let standard = group.iter().map(image).min();
                let mut leading = group.iter().filter(|s| Some(image(s)) == standard);
                let one = *leading.next().unwrap_or(&Symmetry::IDENTITY);
                let other = *leading.next().unwrap_or(&one);
                symmetries[place(first, second)] = [one, other];
            }
        }
        KingPairs { symmetries, images }
    }

    /// The symmetries that lead to the standard image of two kings: twice the same, or two when a
    /// reflection leaves both kings where they are.
    #[inline]
    pub fn symmetries(&self, first: Square, second: Square) -> [Symmetry; 2] {
        self.symmetries[place(first, second)]
    }

    /// Where a symmetry sends a square, by table.
    #[inline]
    pub fn image(&self, symmetry: Symmetry, square: Square) -> Square {
        self.images[symmetry.index()][usize::from(square)]
    }
}

#[inline]
fn place(first: Square, second: Square) -> usize {
    64 * usize::from(first) + usize::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_images_of_two_kings_fold_onto_one() {
        for board in Board::ALL {
            for group in [&Symmetry::ALL[..], &Symmetry::FLIPS, &Symmetry::ALL[..1]] {
                let pairs = KingPairs::new(board, group);
                let fold = |first, second| {
                    let images = pairs.symmetries(first, second).map(|symmetry| {
                        let image = |square| pairs.image(symmetry, square);
                        assert_eq!(image(first), symmetry.square(board, first));
                        (image(first), image(second))
                    });
                    assert_eq!(images[0], images[1]);
                    images[0]
                };
                for first in board.squares() {
                    for second in board.squares() {
                        for symmetry in group {
                            let image = |square| symmetry.square(board, square);
                            assert_eq!(fold(image(first), image(second)), fold(first, second));
                        }
                        assert!(fold(first, second) <= (first, second));
                    }
                }
            }
        }
    }

    #[test]
    fn kings_on_the_diagonal_have_two_ways() {
        let pairs = KingPairs::new(Board::STANDARD, &Symmetry::ALL);
        let [one, other] = pairs.symmetries(Square::C3, Square::F6);
        assert_ne!(one, other);
        let [one, other] = pairs.symmetries(Square::C3, Square::F5);
        assert_eq!(one, other);
    }
}
