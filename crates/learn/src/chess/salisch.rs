//! Document P's observations: a row of numbers for a fully connected network.
//!
//! - 64 squares, the top left one first with the mover at the bottom: 0 empty, the mover's pawn,
//!   knight, bishop, rook, queen and king 1 to 6, the other's 7 to 12. The document says the board
//!   is "turned" for black, but its claim that both sides see the same positions holds for a
//!   reflection only; it is reflected here.
//! - Version 1 then has the number of the move, the half-move clock, the castling rights of the
//!   mover and of the other (0 none, 1 king side, 2 queen side, 3 both), and 1 when the mover may
//!   claim a draw by repetition: 69 numbers.
//! - Version 2 has the two castling rights only: 66 numbers.

use rules::{CastlingSide, Moment, Role};

use super::{Number, View};

/// Numbers of version 1.
pub(crate) const LENGTH_1: usize = 69;
/// Numbers of version 2.
pub(crate) const LENGTH_2: usize = 66;

pub(crate) fn write_1<'a, T: Number>(
    view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
    out: &mut [T],
) {
    squares(view, out);
    let position = view.now().position;
    out[64] = T::whole(position.fullmoves().min(i32::MAX as u32) as i32);
    out[65] = T::whole(position.halfmoves().min(i32::MAX as u32) as i32);
    out[66] = castling(view, true);
    out[67] = castling(view, false);
    out[68] = T::whole(i32::from(view.repetition_claimable()));
}

pub(crate) fn write_2<'a, T: Number>(
    view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
    out: &mut [T],
) {
    squares(view, out);
    out[64] = castling(view, true);
    out[65] = castling(view, false);
}

#[inline]
fn squares<'a, T: Number>(
    view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
    out: &mut [T],
) {
    out[..64].fill(T::ZERO);
    for (own, first) in [(true, 1), (false, 7)] {
        for (role, number) in Role::ALL.into_iter().zip(first..) {
            for square in view.men(view.now(), own, role) {
                // The top rank comes first.
                out[usize::from(square) ^ 56] = T::whole(number);
            }
        }
    }
}

fn castling<'a, T: Number>(
    view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
    own: bool,
) -> T {
    let king = i32::from(view.castles(own, CastlingSide::KingSide));
    let queen = i32::from(view.castles(own, CastlingSide::QueenSide));
    T::whole(king + 2 * queen)
}
