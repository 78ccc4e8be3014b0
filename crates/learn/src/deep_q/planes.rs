//! Positions as pictures: document Y's n×8×8 planes, one for each man.

use rules::{Board, FewMen, FewMenRules, Square, Symmetry};

/// Squares of a plane, on small boards, too: those are the lower-left corner of the full one.
pub const SQUARES: usize = 64;

/// The planes in their order: white's king, the other men, black's king.
///
/// A plane is zero but for a one where its man stands, row by row from a1; the plane of a man that
/// has been taken is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planes {
    others: usize,
}

impl Planes {
    /// The planes of an endgame.
    pub fn new(rules: &FewMenRules) -> Planes {
        Planes {
            others: rules.others_count(),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.others + 2
    }

    /// For each plane, the one that comes nearest to it in another endgame.
    pub fn counterparts(&self, other: &Planes) -> Vec<usize> {
        let others = (1..=self.others).map(|plane| plane.min(other.others));
        let kings = (0, other.others + 1);
        [kings.0]
            .into_iter()
            .chain(others)
            .chain([kings.1])
            .collect()
    }

    /// The places of the ones among all numbers: plane × 64 + square.
    pub fn ones(&self, men: FewMen) -> impl Iterator<Item = usize> {
        let others = men.others.into_iter().take(self.others);
        let squares = [Some(men.white_king)].into_iter().chain(others);
        let squares = squares.chain([Some(men.black_king)]).enumerate();
        squares.filter_map(|(plane, square)| Some(plane * SQUARES + usize::from(square?)))
    }

    /// Adds all numbers of a position to a list.
    pub fn encode(&self, men: FewMen, numbers: &mut Vec<f32>) {
        let first = numbers.len();
        numbers.resize(first + self.count() * SQUARES, 0.0);
        self.ones(men).for_each(|one| numbers[first + one] = 1.0);
    }
}

/// A position turned or mirrored.
pub fn image(board: Board, men: FewMen, symmetry: Symmetry) -> FewMen {
    let turned = |square: Square| symmetry.square(board, square);
    FewMen {
        white_king: turned(men.white_king),
        black_king: turned(men.black_king),
        others: men.others.map(|square| square.map(turned)),
        turn: men.turn,
    }
}

#[cfg(test)]
mod tests {
    use rules::{Color, Position};

    use super::*;

    fn rules(material: &str) -> FewMenRules {
        let material = material.parse().expect("a signature");
        FewMenRules::new(material, Board::STANDARD).expect("few men")
    }

    fn men(rules: &FewMenRules, fen: &str) -> FewMen {
        let position = Position::from_fen(fen).expect("a position");
        rules.compact(&position).expect("compact")
    }

    #[test]
    fn every_man_has_a_plane() {
        let krk = rules("KRK");
        let planes = Planes::new(&krk);
        assert_eq!(planes.count(), 3);
        let mut numbers = vec![7.0];
        planes.encode(men(&krk, "8/8/8/3k4/8/8/7R/K7 w - - 0 1"), &mut numbers);
        assert_eq!(numbers.len(), 1 + 3 * 64);
        let ones: Vec<usize> = (1..numbers.len()).filter(|&i| numbers[i] == 1.0).collect();
        // a1 is 0, h2 is 15, d5 is 35.
        assert_eq!(ones, [1, 1 + 64 + 15, 1 + 128 + 35]);
        assert_eq!(numbers[1..].iter().sum::<f32>(), 3.0);
    }

    #[test]
    fn a_taken_man_leaves_its_plane_empty() {
        let kbbk = rules("KBBK");
        let planes = Planes::new(&kbbk);
        let whole = men(&kbbk, "8/8/8/3k4/8/8/5B1B/K7 w - - 0 1");
        let taken = men(&kbbk, "8/8/8/3k4/8/8/7B/K7 w - - 0 1");
        assert_eq!((planes.count(), planes.ones(whole).count()), (4, 4));
        assert_eq!(
            planes.ones(taken).collect::<Vec<_>>(),
            [0, 64 + 15, 192 + 35]
        );
    }

    #[test]
    fn eight_images_and_back() {
        let krk = rules("KRK");
        let one = men(&krk, "8/8/8/3k4/8/8/7R/K7 w - - 0 1");
        let mut images = Vec::new();
        for symmetry in Symmetry::ALL {
            let turned = image(Board::STANDARD, one, symmetry);
            assert_eq!(turned.turn, Color::White);
            assert_eq!(image(Board::STANDARD, turned, symmetry.inverse()), one);
            assert!(!images.contains(&turned));
            images.push(turned);
        }
        // The king in each corner, twice.
        let corner = |square| images.iter().filter(|men| men.white_king == square).count();
        assert_eq!(corner(Square::A8), 2);
    }
}
