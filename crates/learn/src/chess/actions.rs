use std::{fmt, str::FromStr};

use rules::{CastlingSide, Color, Move, Position, Role, Square};

use super::{
    ChessError,
    move_planes::{Order, WAYS},
    view::seen_square,
};

/// How moves are numbered: always from the side of the mover, so that black's pawns go up, too.
///
/// | text | numbers | whose |
/// |---|---|---|
/// | `alphazero` | 4,672 | AlphaZero: the square left (a1 first, rank by rank) × 73 + the way gone |
/// | `alphazero+claim` | 4,673 | the same, and the last number claims a draw: document P, version 1 |
/// | `wojcik` | 4,096 | document W: the square left × 64 + the square reached, A8 = 0 |
/// | `pettingzoo` | 4,672 | PettingZoo's `chess_v6`: AlphaZero's ways in another order |
///
/// For black the board is reflected, within the board on small ones. That goes for `wojcik` as well,
/// whose planes are reflected: a8 is number 0 for white and a1 for black. With `wojcik` the
/// four promotions of a pawn share a number, which plays the queen; all others name exactly one move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Actions {
    /// AlphaZero's 4,672.
    AlphaZero,
    /// AlphaZero's and a draw claimed.
    AlphaZeroClaim,
    /// Document W's 4,096.
    Wojcik,
    /// PettingZoo's 4,672.
    PettingZoo,
}

/// What a number stands for in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// A move is played.
    Play(Move),
    /// A draw is claimed.
    ClaimDraw,
}

const NAMES: [(&str, Actions); 4] = [
    ("alphazero", Actions::AlphaZero),
    ("alphazero+claim", Actions::AlphaZeroClaim),
    ("wojcik", Actions::Wojcik),
    ("pettingzoo", Actions::PettingZoo),
];

/// AlphaZero's numbers.
const ALPHA_ZERO: usize = 64 * WAYS;

impl Actions {
    /// How many numbers there are.
    pub const fn count(self) -> usize {
        match self {
            Actions::AlphaZero | Actions::PettingZoo => ALPHA_ZERO,
            Actions::AlphaZeroClaim => ALPHA_ZERO + 1,
            Actions::Wojcik => 64 * 64,
        }
    }

    /// The number that claims a draw, if one does.
    pub const fn claim(self) -> Option<usize> {
        match self {
            Actions::AlphaZeroClaim => Some(ALPHA_ZERO),
            _ => None,
        }
    }

    /// The number of a legal move.
    #[inline]
    pub fn number(self, position: &Position, m: Move) -> usize {
        let (board, turn) = (position.board(), position.turn());
        let from = seen_square(board, turn, origin(m));
        let to = seen_square(board, turn, destination(m, turn));
        match self {
            Actions::AlphaZero | Actions::AlphaZeroClaim => {
                Order::AlphaZero.number(from, to, m.promotion())
            }
            Actions::PettingZoo => Order::PettingZoo.number(from, to, m.promotion()),
            Actions::Wojcik => (usize::from(from) ^ 56) * 64 + (usize::from(to) ^ 56),
        }
    }

    /// What a number stands for, given the legal moves of the position; `None` when it is no legal
    /// move. Whether a draw may be claimed is not looked at.
    pub fn act(self, position: &Position, moves: &[Move], number: usize) -> Option<Act> {
        if self.claim() == Some(number) {
            return Some(Act::ClaimDraw);
        }
        if number >= self.count() {
            return None;
        }
        let from = match self {
            Actions::AlphaZero | Actions::AlphaZeroClaim => Order::AlphaZero.from(number),
            Actions::PettingZoo => Order::PettingZoo.from(number),
            Actions::Wojcik => Square::new((number as u32 / 64) ^ 56),
        };
        // A square outside a small board has no image on it.
        if !position.board().contains(from) {
            return None;
        }
        let from = seen_square(position.board(), position.turn(), from);
        moves
            .iter()
            .copied()
            .filter(|&m| origin(m) == from && self.number(position, m) == number)
            .find(|m| self != Actions::Wojcik || matches!(m.promotion(), None | Some(Role::Queen)))
            .map(Act::Play)
    }

    /// Writes 1 for every number that stands for something legal and 0 for all others. The length
    /// of `mask` must be [`Actions::count`].
    pub fn mask(self, position: &Position, moves: &[Move], may_claim: bool, mask: &mut [i8]) {
        assert_eq!(mask.len(), self.count(), "the length of a mask of {self}");
        mask.fill(0);
        for &m in moves {
            mask[self.number(position, m)] = 1;
        }
        if may_claim && let Some(number) = self.claim() {
            mask[number] = 1;
        }
    }
}

#[inline]
fn origin(m: Move) -> Square {
    m.from().expect("chess has no moves without an origin")
}

/// Where the piece ends up: for castling, the king, not the rook it is written with.
#[inline]
fn destination(m: Move, turn: Color) -> Square {
    match m {
        Move::Castle { king, rook } => {
            let side = if king < rook {
                CastlingSide::KingSide
            } else {
                CastlingSide::QueenSide
            };
            side.king_to(turn)
        }
        _ => m.to(),
    }
}

impl FromStr for Actions {
    type Err = ChessError;

    fn from_str(text: &str) -> Result<Actions, ChessError> {
        NAMES
            .into_iter()
            .find(|(name, _)| *name == text)
            .map(|(_, actions)| actions)
            .ok_or_else(|| ChessError::unknown("actions", text, &NAMES.map(|(name, _)| name)))
    }
}

impl fmt::Display for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.into_iter().find(|(_, actions)| actions == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}
