//! A move in two bytes.

use pgn_reader::shakmaty::{CastlingSide, Rank};
use rules::{Chess, Move, Role, ShakmatyPosition as _, Square};

/// A move as from-square, to-square and promotion, in two bytes: bits 0 to 5 the square it comes
/// from, 6 to 11 the one it goes to, 12 to 14 the promotion (2 knight, 3 bishop, 4 rook, 5 queen).
/// Castling is the king's move, e1 to g1. Zero is no move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct PackedMove(pub(super) u16);

impl PackedMove {
    /// No move.
    pub const NONE: PackedMove = PackedMove(0);

    /// Packs a move of chess.
    #[inline]
    pub fn new(m: Move) -> PackedMove {
        match m {
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king.file() < rook.file());
                PackedMove::from_to(king, Square::from_coords(side.king_to_file(), king.rank()))
            }
            _ => {
                let from = m.from().unwrap_or(m.to());
                let promotion = m.promotion().map_or(0, |role| role as u16);
                PackedMove(PackedMove::from_to(from, m.to()).0 | (promotion << 12))
            }
        }
    }

    const fn from_to(from: Square, to: Square) -> PackedMove {
        PackedMove(from as u16 | ((to as u16) << 6))
    }

    /// The square it comes from.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0 & 63) as u32)
    }

    /// The square it goes to.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new(((self.0 >> 6) & 63) as u32)
    }

    /// What a pawn becomes.
    pub fn promotion(self) -> Option<Role> {
        Role::try_from((self.0 >> 12) & 7)
            .ok()
            .filter(|role| !matches!(role, Role::Pawn | Role::King))
    }

    /// Is it no move?
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The two bytes.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The same move on the board turned upside down: as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn mirrored(self) -> PackedMove {
        // Both ranks counted from the other end; zero stays zero.
        PackedMove(if self.0 == 0 { 0 } else { self.0 ^ 0o7070 })
    }

    /// The move in a position, when it can be one: there is a man of the side to move on the one
    /// square and none of its own, and no king, on the other. That it is legal is not checked.
    #[inline]
    pub fn unpack(self, chess: &Chess) -> Option<Move> {
        let (board, turn) = (chess.board(), chess.turn());
        let (from, to) = (self.from(), self.to());
        let role = board.role_at(from)?;
        let ours = board.by_color(turn);
        if !ours.contains(from) || ours.contains(to) {
            return None;
        }
        if role == Role::King && from.file().distance(to.file()) == 2 {
            let side = CastlingSide::from_king_side(to.file() > from.file());
            let rook = chess.castles().rook(turn, side)?;
            return (from.rank() == to.rank()).then_some(Move::Castle { king: from, rook });
        }
        let capture = board.role_at(to);
        let promotion = self.promotion();
        let promotes = role == Role::Pawn && to.rank() == turn.relative_rank(Rank::Eighth);
        if capture == Some(Role::King) || promotes != promotion.is_some() {
            return None;
        }
        if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
            return (chess.maybe_ep_square() == Some(to)).then_some(Move::EnPassant { from, to });
        }
        Some(Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        })
    }
}
