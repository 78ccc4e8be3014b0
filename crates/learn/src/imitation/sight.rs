//! What the network sees of a position.

use rules::{Bitboard, Chess, Color, Moment, Move, Role, ShakmatyPosition as _, attacks};

use crate::games::{PLANES, PackedMove, PackedPosition};

/// Sets of squares that the network sees.
pub const SIGHTS: usize = 40;

/// A position and what led to it.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The position.
    pub chess: &'a Chess,
    /// The opponent's last move, as white sees the board.
    pub last: PackedMove,
    /// The mover's own move before that.
    pub before_last: PackedMove,
    /// What the last move captured.
    pub captured: Option<Role>,
}

impl<'a> Scene<'a> {
    /// How many positions of a game it takes to know what led to the last.
    pub const MOMENTS: usize = 2;

    /// What is seen of a position on 8×8, given with those before it, the latest first; at least one.
    pub fn of(moments: &[Moment<'a>]) -> Scene<'a> {
        let last = |ago: usize| moments.get(ago).and_then(|moment| moment.last);
        let packed = |m: Option<Move>| m.map_or(PackedMove::NONE, PackedMove::new);
        Scene {
            chess: moments[0].position.chess(),
            last: packed(last(0)),
            before_last: packed(last(1)),
            captured: last(0).and_then(captured),
        }
    }

    /// Forty sets of squares from the mover's side, in which everything follows from the rules. The
    /// 21 of [`PackedPosition::planes`]; the square of the last move when it captured a pawn, knight,
    /// bishop, rook, queen (21 to 25); the whole board when black is to move (26) and always (27);
    /// the squares that the mover's pawns, knights, bishops, rooks, queens and king attack (28 to 33)
    /// and the opponent's (34 to 39).
    pub fn sight(&self) -> [u64; SIGHTS] {
        let packed = PackedPosition::new(
            self.chess,
            self.before_last,
            self.last,
            PackedMove::NONE,
            None,
        );
        let mut sight = [0; SIGHTS];
        sight[..PLANES].copy_from_slice(&packed.planes());
        // A king is never captured.
        if let Some(role) = self.captured {
            sight[PLANES + role as usize - 1] = sight[18];
        }
        let turn = self.chess.turn();
        if turn == Color::Black {
            sight[26] = u64::MAX;
        }
        sight[27] = u64::MAX;
        let board = self.chess.board();
        let occupied = board.occupied();
        for (first, color) in [(28, turn), (34, !turn)] {
            for (role, place) in Role::ALL.into_iter().zip(first..) {
                let men = board.by_color(color) & board.by_role(role);
                let attacked = men.into_iter().fold(Bitboard::EMPTY, |all, square| {
                    all | attacks::attacks(square, role.of(color), occupied)
                });
                sight[place] = turn.fold_wb(attacked.0, attacked.0.swap_bytes());
            }
        }
        sight
    }
}

/// What a move captures.
fn captured(m: Move) -> Option<Role> {
    match m {
        Move::EnPassant { .. } => Some(Role::Pawn),
        _ => m.capture(),
    }
}
