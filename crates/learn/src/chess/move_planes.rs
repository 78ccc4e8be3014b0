//! AlphaZero's numbering of moves: the square a piece leaves, times 73, plus the way it goes.
//!
//! 56 ways are those of a queen, eight directions by seven distances; eight are a knight's; nine are
//! a pawn's underpromotions, three directions by three pieces. A pawn that reaches the last rank by a
//! queen's way becomes a queen; castling is the king's step of two squares.

use rules::{Role, Square};

/// Ways to go.
pub(crate) const WAYS: usize = 73;

/// Squares a knight's or a queen's way leads to.
const WAYS_OF_PIECES: usize = 64;

/// In which order squares and ways are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Order {
    /// Squares rank by rank; a queen's ways by direction (north, then clockwise), each from near to
    /// far; a knight's clockwise from north by east.
    AlphaZero,
    /// PettingZoo's: squares file by file; a queen's ways from near to far, each through the
    /// directions from the west, south first; a knight's from the west, south first.
    PettingZoo,
}

const NONE: u8 = u8::MAX;

/// For each two squares the way from one to the other, or [`NONE`].
type Table = [[u8; 64]; 64];

static ALPHA_ZERO: Table = table(Order::AlphaZero);
static PETTING_ZOO: Table = table(Order::PettingZoo);

/// A step along the files and along the ranks.
type Step = (i32, i32);

const CLOCKWISE: [Step; 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

const KNIGHT_CLOCKWISE: [Step; 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

const FROM_WEST: [Step; 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];

const KNIGHT_FROM_WEST: [Step; 8] = [
    (-2, -1),
    (-2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
    (2, -1),
    (2, 1),
];

const fn table(order: Order) -> Table {
    let mut table = [[NONE; 64]; 64];
    let (steps, knight) = match order {
        Order::AlphaZero => (CLOCKWISE, KNIGHT_CLOCKWISE),
        Order::PettingZoo => (FROM_WEST, KNIGHT_FROM_WEST),
    };
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let mut distance = 1;
            while distance < 8 {
                let (file, rank) = steps[direction];
                let way = match order {
                    Order::AlphaZero => direction * 7 + distance - 1,
                    Order::PettingZoo => (distance - 1) * 8 + direction,
                };
                let step = (file * distance as i32, rank * distance as i32);
                if let Some(to) = reached(from, step) {
                    table[from][to] = way as u8;
                }
                distance += 1;
            }
            if let Some(to) = reached(from, knight[direction]) {
                table[from][to] = 56 + direction as u8;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

const fn reached(from: usize, step: Step) -> Option<usize> {
    let file = (from % 8) as i32 + step.0;
    let rank = (from / 8) as i32 + step.1;
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        Some((file + 8 * rank) as usize)
    } else {
        None
    }
}

impl Order {
    /// The number of a move of the side whose ranks count upwards.
    #[inline]
    pub(crate) fn number(self, from: Square, to: Square, promotion: Option<Role>) -> usize {
        let (square, table) = match self {
            Order::AlphaZero => (usize::from(from), &ALPHA_ZERO),
            Order::PettingZoo => (
                usize::from(from) % 8 * 8 + usize::from(from) / 8,
                &PETTING_ZOO,
            ),
        };
        let piece = match promotion {
            Some(Role::Knight) => Some(0),
            Some(Role::Bishop) => Some(1),
            Some(Role::Rook) => Some(2),
            _ => None,
        };
        let way = match piece {
            Some(piece) => {
                let direction = usize::from(to.file()) + 1 - usize::from(from.file());
                WAYS_OF_PIECES + 3 * direction + piece
            }
            None => usize::from(table[usize::from(from)][usize::from(to)]),
        };
        square * WAYS + way
    }

    /// The square that the move with this number leaves.
    #[inline]
    pub(crate) fn from(self, number: usize) -> Square {
        let square = number / WAYS;
        Square::new(match self {
            Order::AlphaZero => square,
            Order::PettingZoo => square % 8 * 8 + square / 8,
        } as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_ways_from_a_square_share_a_number() {
        for order in [Order::AlphaZero, Order::PettingZoo] {
            let mut seen = std::collections::HashSet::new();
            for from in Square::ALL {
                for to in Square::ALL {
                    let way = match order {
                        Order::AlphaZero => ALPHA_ZERO[usize::from(from)][usize::from(to)],
                        Order::PettingZoo => PETTING_ZOO[usize::from(from)][usize::from(to)],
                    };
                    if way == NONE {
                        continue;
                    }
                    let number = order.number(from, to, None);
                    assert!(seen.insert(number), "{order:?} {from}{to}");
                    assert_eq!(order.from(number), from);
                }
            }
            // 1,456 ways of a queen and 336 of a knight on an empty board.
            assert_eq!(seen.len(), 1_456 + 336);
        }
    }
}
