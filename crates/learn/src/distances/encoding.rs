//! Positions as rows of a table of weights: what a network sees.

use rules::{Color, FewMen, FewMenIndex, FewMenRules, KingPairs, Piece, Square, Symmetry};
use serde::{Deserialize, Serialize};

/// What a network is told of a position.
///
/// The men's squares alone would be enough in principle. But what matters in an endgame is mostly
/// how the men stand to each other, and with the squares alone the first layer has to find that out
/// for every pair of squares anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inputs {
    /// Every man's square.
    Squares,
    /// Every man's square, and the way between every two men in files and ranks.
    #[default]
    Ways,
    /// Every man's square for each square of the black king, and the ways between white's men.
    King,
}

/// The numbers of the inputs that a position switches on.
///
/// Positions are first turned so that the black king stands in the triangle a1–d1–d4. Men of one
/// kind share their inputs, so that it does not matter which of them is called the first. Inputs
/// that no position switches on have no number.
#[derive(Clone, Debug)]
pub struct Encoding {
    inputs: Inputs,
    /// The kinds of the men: black king, white king, white's others.
    kinds: Vec<usize>,
    /// How many different kinds there are.
    different: usize,
    /// Where the inputs of a kind, or of a pair of kinds, start.
    starts: Vec<usize>,
    /// Black king and white king, folded.
    kings: KingPairs,
    /// The number of an input, or [`NONE`].
    numbers: Vec<u16>,
    count: usize,
}

/// Squares of a man.
const SQUARES: usize = 64;
/// Squares of the black king in the triangle.
const CORNERS: usize = 10;
/// An input that no position switches on.
const NONE: u16 = u16::MAX;
/// The most men.
const MOST: usize = 5;

impl Encoding {
    /// For the positions of an endgame with black to move.
    pub fn new(inputs: Inputs, rules: &FewMenRules, index: &FewMenIndex) -> Encoding {
        let mut known: Vec<Piece> = Vec::new();
        let mut kinds = vec![0, 1];
        for other in rules.others().into_iter().flatten() {
            if !known.contains(&other) {
                known.push(other);
            }
            kinds.push(1 + known.len()); // men of one kind follow each other
        }
        let different = 2 + known.len();
        // Room for every input, then numbers for those that occur.
        let room = SQUARES * CORNERS;
        let tables = different + different * different;
        let mut encoding = Encoding {
            inputs,
            kinds,
            different,
            starts: (0..tables).map(|table| table * room).collect(),
            kings: KingPairs::new(rules.board(), &Symmetry::ALL),
            numbers: vec![NONE; tables * room],
            count: 0,
        };
        let mut occurring = Vec::new();
        for number in 0..index.states() {
            let men = index.position(number, Color::Black);
            let Some(men) = men.filter(|&men| !encoding.lacks(men) && rules.is_possible(men))
            else {
                continue;
            };
            occurring.clear();
            encoding.each(men, |input| occurring.push(input));
            occurring.iter().for_each(|&i| encoding.numbers[i] = 0);
        }
        for number in &mut encoding.numbers {
            if *number != NONE {
                *number = encoding.count as u16;
                encoding.count += 1;
            }
        }
        encoding
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.count
    }

    /// How many of them a position switches on.
    pub fn active(&self) -> usize {
        let men = self.kinds.len();
        let pairs = |men: usize| men * (men - 1) / 2;
        match self.inputs {
            Inputs::Squares => men,
            Inputs::Ways => men + pairs(men),
            Inputs::King => men - 1 + pairs(men - 1),
        }
    }

    /// Adds the inputs of a position to a list; `false`, and nothing added, when a man is missing.
    pub fn encode(&self, men: FewMen, inputs: &mut Vec<u16>) -> bool {
        if self.lacks(men) {
            return false;
        }
        self.each(men, |input| inputs.push(self.numbers[input]));
        true
    }

    /// Has a man been taken?
    fn lacks(&self, men: FewMen) -> bool {
        men.others[..self.kinds.len() - 2].contains(&None)
    }

    fn each(&self, men: FewMen, mut give: impl FnMut(usize)) {
        let squares = self.turned(men);
        let squares = &squares[..self.kinds.len()];
        for (&kind, &square) in self.kinds.iter().zip(squares) {
            let square = usize::from(square);
            match self.inputs {
                Inputs::King if kind == 0 => {}
                Inputs::King => give(self.starts[kind] + corner(squares[0]) * SQUARES + square),
                _ => give(self.starts[kind] + square),
            }
        }
        let first = match self.inputs {
            Inputs::Squares => squares.len(),
            Inputs::Ways => 0,
            Inputs::King => 1,
        };
        for i in first..squares.len() {
            for j in i + 1..squares.len() {
                let (mut from, mut to) = (squares[i], squares[j]);
                if self.kinds[i] == self.kinds[j] && from > to {
                    (from, to) = (to, from);
                }
                // Files and ranks from one to the other: −7 to 7 each.
                let way = 15 * (7 + (to >> 3) - (from >> 3)) + 7 + (to & 7) - (from & 7);
                let pair = (1 + self.kinds[i]) * self.different + self.kinds[j];
                give(self.starts[pair] + usize::from(way));
            }
        }
    }

    /// The men's squares with the black king in the triangle.
    fn turned(&self, men: FewMen) -> [u8; MOST] {
        let [first, second] = self.kings.symmetries(men.black_king, men.white_king);
        let one = self.image(men, first);
        if first == second {
            return one;
        }
        one.min(self.image(men, second))
    }

    fn image(&self, men: FewMen, symmetry: Symmetry) -> [u8; MOST] {
        let image = |square: Square| u32::from(self.kings.image(symmetry, square)) as u8;
        let mut squares = [0; MOST];
        squares[0] = image(men.black_king);
        squares[1] = image(men.white_king);
        let count = self.kinds.len();
        for (slot, other) in squares[2..count].iter_mut().zip(men.others) {
            *slot = other.map_or(0, image);
        }
        // Men of one kind in the order of their squares; they stand next to each other.
        for i in [2, 3, 2] {
            if i + 1 < count && self.kinds[i] == self.kinds[i + 1] && squares[i] > squares[i + 1] {
                squares.swap(i, i + 1);
            }
        }
        squares
    }
}

/// The number of a square in the triangle.
fn corner(square: u8) -> usize {
    let (file, rank) = (usize::from(square & 7), usize::from(square >> 3));
    // a1 b1 c1 d1, b2 c2 d2, c3 d3, d4
    [0, 3, 5, 6][rank] + file
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Board, Material, Position};

    fn encoding(inputs: Inputs, material: &str, board: Board) -> (Encoding, FewMenRules) {
        let material: Material = material.parse().expect("a signature");
        let rules = FewMenRules::new(material, board).expect("few men");
        let index = FewMenIndex::symmetric(&rules);
        (Encoding::new(inputs, &rules, &index), rules)
    }

    fn encode(encoding: &Encoding, rules: &FewMenRules, fen: &str) -> Vec<u16> {
        let position = Position::from_fen(fen).expect("a position");
        let mut inputs = Vec::new();
        let men = rules.compact(&position).expect("compact");
        assert!(encoding.encode(men, &mut inputs));
        assert_eq!(inputs.len(), encoding.active());
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn what_a_hand_made_position_switches_on() {
        let (encoding, _) = encoding(Inputs::Ways, "KRK", Board::STANDARD);
        let men = FewMen {
            black_king: rules::Square::D5,
            white_king: rules::Square::A1,
            others: [Some(rules::Square::B1), None, None],
            turn: Color::Black,
        };
        // Turned upside down: black king d4 (27), white king a8 (56), rook b8 (57).
        // The black king is on the diagonal then, and of both images the white king's lower square
        // counts: black king d4, white king h1 (7), rook h2 (15).
        assert_eq!(encoding.turned(men)[..3], [27, 7, 15]);
        let mut raw = Vec::new();
        encoding.each(men, |input| raw.push(input));
        let room = SQUARES * CORNERS;
        let way = |files: usize, ranks: usize| 15 * (7 + ranks) + 7 + files;
        let pair = |one: usize, other: usize| (3 + 3 * one + other) * room;
        assert_eq!(
            raw,
            [
                27,
                room + 7,
                2 * room + 15,
                pair(0, 1) + way(4, 0) - 15 * 3,
                pair(0, 2) + way(4, 0) - 15 * 2,
                pair(1, 2) + way(0, 1),
            ]
        );
    }

    #[test]
    fn all_images_of_a_position_are_one() {
        for inputs in [Inputs::Squares, Inputs::Ways, Inputs::King] {
            let (encoding, rules) = encoding(inputs, "KBBK", Board::STANDARD);
            let one = encode(&encoding, &rules, "8/8/8/3k4/8/1B6/8/KB6 b - - 0 1");
            let mirrored = encode(&encoding, &rules, "8/8/8/4k3/8/6B1/8/6BK b - - 0 1");
            let turned = encode(&encoding, &rules, "KB6/8/1B6/8/3k4/8/8/8 b - - 0 1");
            assert_eq!(one, mirrored);
            assert_eq!(one, turned);
        }
    }

    #[test]
    fn different_positions_have_different_inputs() {
        for inputs in [Inputs::Squares, Inputs::Ways, Inputs::King] {
            let board = Board::new(4).expect("4×4");
            let (encoding, rules) = encoding(inputs, "KBBK", board);
            let index = FewMenIndex::symmetric(&rules);
            let mut seen = std::collections::HashSet::new();
            let mut count = 0;
            for number in 0..index.states() {
                let men = index.position(number, Color::Black);
                let Some(men) = men.filter(|&men| rules.is_possible(men)) else {
                    continue;
                };
                let mut switched = Vec::new();
                if encoding.encode(men, &mut switched) {
                    assert!(switched.iter().all(|&i| usize::from(i) < encoding.inputs()));
                    switched.sort_unstable();
                    count += 1;
                    seen.insert(switched);
                }
            }
            assert!(count > 1000);
            assert_eq!(seen.len(), count, "{inputs:?}");
        }
    }

    #[test]
    fn a_missing_man_has_no_inputs() {
        let (encoding, rules) = encoding(Inputs::Ways, "KBBK", Board::STANDARD);
        let position = Position::from_fen("8/8/8/3k4/8/8/8/KB6 b - - 0 1").expect("a position");
        let men = rules.compact(&position).expect("compact");
        let mut inputs = Vec::new();
        assert!(!encoding.encode(men, &mut inputs));
        assert!(inputs.is_empty());
    }
}
