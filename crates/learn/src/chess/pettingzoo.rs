//! The observation of PettingZoo's `chess_v6`, number by number, for those who have trained on it.
//!
//! 8×8 squares of 111 channels each, the top rank first with the viewer at the bottom: castling of
//! the viewer short and long, of the other short and long; viewer is black; a one on the square whose
//! number is half the half-move clock; all ones; then eight positions of 13 channels, the viewer's
//! six kinds of men, the other's, and whether the position had occurred before. Its quirks are kept:
//! the position that a game begins with is never shown, and a pawn that has just advanced two squares
//! is shown on its side's first rank.

use rules::{CastlingSide, Color, EnPassantMode, Moment, Role, ShakmatyPosition};

use super::{Number, View, view::seen_square};

/// Channels of a square.
pub(crate) const CHANNELS: usize = 111;

pub(crate) fn write<'a, T: Number>(
    view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
    out: &mut [T],
) {
    out.fill(T::ZERO);
    let mut fill = |channel: usize| {
        for square in out.chunks_exact_mut(CHANNELS) {
            square[channel] = T::ONE;
        }
    };
    let sides = [CastlingSide::KingSide, CastlingSide::QueenSide];
    for (who, own) in [true, false].into_iter().enumerate() {
        for (which, side) in sides.into_iter().enumerate() {
            if view.castles(own, side) {
                fill(2 * who + which);
            }
        }
    }
    if view.viewer() == Color::Black {
        fill(4);
    }
    fill(6);
    let moments = || view.moments().take(view.plies().min(8)).zip(0..);
    for (moment, index) in moments() {
        if moment.repetitions >= 2 {
            fill(7 + 13 * index + 12);
        }
    }
    let mut set = |square: usize, channel: usize, value: T| {
        out[(square ^ 56) * CHANNELS + channel] = value;
    };
    // The board it is counted on is white's for both sides, and the picture is then turned over.
    let clock = (view.now().position.halfmoves() / 2).min(63) as usize;
    set(view.viewer().fold_wb(clock, clock ^ 56), 5, T::ONE);
    for (moment, index) in moments() {
        let base = 7 + 13 * index;
        for (own, first) in [(true, 0), (false, 6)] {
            for (role, kind) in Role::ALL.into_iter().zip(first..) {
                for square in view.men(moment, own, role) {
                    set(square.into(), base + kind, T::ONE);
                }
            }
        }
        let chess = moment.position.chess();
        if let Some(passed) = chess.ep_square(EnPassantMode::Always) {
            let passed = usize::from(seen_square(view.board(), view.viewer(), passed));
            let (pawn, shown, kind) = if passed < 32 {
                (passed + 8, passed % 8, 0)
            } else {
                (passed - 8, 56 + passed % 8, 6)
            };
            set(pawn, base + kind, T::ZERO);
            set(shown, base + kind, T::ONE);
        }
    }
}
