//! What a network sees of an endgame, and how it tells moves apart.

use rules::{Color, FewMen, FewMenRules, FewMove, Square, Targets};

use crate::net::plain::{Lists, extents::Extents};

/// What a network sees of the positions of an endgame.
///
/// The side to move has inputs of its own: every man's square, and the way between every two men in
/// files and ranks. A move is told by its man and the square it reaches, and also by the way from the
/// other king to that square, so that what is learned in one corner goes for the whole board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EndgameSight {
    /// Men besides the kings.
    others: usize,
}

const SQUARES: usize = 64;
/// Ways from one square to another: −7 to 7 files and ranks.
const WAYS: usize = 15 * 15;

fn way(from: Square, to: Square) -> usize {
    let (from, to) = (u32::from(from) as usize, u32::from(to) as usize);
    15 * (7 + to / 8 - from / 8) + 7 + to % 8 - from % 8
}

impl EndgameSight {
    pub fn new(rules: &FewMenRules) -> EndgameSight {
        EndgameSight {
            others: rules.others_count(),
        }
    }

    fn men(self) -> usize {
        2 + self.others
    }

    fn inputs_a_side(self) -> usize {
        self.men() * SQUARES + self.men() * (self.men() - 1) / 2 * WAYS
    }

    fn rows_a_side(self) -> usize {
        (1 + self.others) * (SQUARES + WAYS)
    }

    pub fn extents(self) -> Extents {
        Extents {
            inputs: 2 * self.inputs_a_side(),
            rows: 2 * self.rows_a_side(),
            rows_a_move: 2,
        }
    }

    /// Adds what the side to move sees as a list of inputs.
    pub fn show(self, men: FewMen, inputs: &mut Lists) {
        let side = men.turn.fold_wb(0, self.inputs_a_side());
        let kings = [Some(men.white_king), Some(men.black_king)];
        let others = men.others.into_iter().take(self.others);
        let mut squares = [None; 5];
        for (slot, square) in squares.iter_mut().zip(kings.into_iter().chain(others)) {
            *slot = square;
        }
        let squares = &squares[..self.men()];
        for (man, square) in squares.iter().enumerate() {
            if let Some(square) = square {
                inputs.push(side + man * SQUARES + u32::from(*square) as usize, 1.0);
            }
        }
        let mut pair = side + self.men() * SQUARES;
        for (i, from) in squares.iter().enumerate() {
            for to in &squares[i + 1..] {
                if let (Some(from), Some(to)) = (from, to) {
                    inputs.push(pair + way(*from, *to), 1.0);
                }
                pair += WAYS;
            }
        }
        inputs.end();
    }

    /// Adds a list of the rows of the legal moves.
    pub fn rows(self, men: FewMen, targets: &Targets, rows: &mut Lists) {
        for m in targets.iter() {
            self.add_rows(men, m, rows);
        }
        rows.end();
    }

    /// Adds the rows of a move to the list that is being made.
    pub fn add_rows(self, men: FewMen, m: FewMove, rows: &mut Lists) {
        let side = men.turn.fold_wb(0, self.rows_a_side());
        let ways = side + (1 + self.others) * SQUARES;
        let man = usize::from(m.man);
        rows.push(side + man * SQUARES + u32::from(m.to) as usize, 0.0);
        rows.push(ways + man * WAYS + way(men.king(!men.turn), m.to), 0.0);
    }
}

/// A position as bytes.
pub(crate) fn to_bytes(men: FewMen) -> [u8; 6] {
    let number = |square: Square| u32::from(square) as u8;
    let other = |i: usize| men.others[i].map_or(64, number);
    [
        number(men.white_king),
        number(men.black_king),
        other(0),
        other(1),
        other(2),
        men.turn.fold_wb(0, 1),
    ]
}

/// A position from bytes.
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<FewMen> {
    let &[white_king, black_king, a, b, c, turn] = bytes else {
        return None;
    };
    let square = |number: u8| Square::try_from(u32::from(number)).ok();
    Some(FewMen {
        white_king: square(white_king)?,
        black_king: square(black_king)?,
        others: [square(a), square(b), square(c)],
        turn: Color::from_white(turn == 0),
    })
}
