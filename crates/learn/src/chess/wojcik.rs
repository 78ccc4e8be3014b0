//! Document W's observations.
//!
//! Its AlphaZero half sees 16 planes of 8×8: the mover's pawns, knights, bishops, rooks, queens and
//! king, the other's, and four planes full of ones where the mover may castle short, long, the
//! other short, long. A8 comes first, as in its numbering of moves, and the board is reflected for
//! black. The order of the pieces is not stated.
//!
//! Its supervised half sees 384 numbers: for each kind of piece 64 squares, 1 for the mover's and
//! −1 for the other's. A8 comes first for white; for black the squares are read in reverse, H1
//! first, so that the board is turned and not reflected.

use rules::{CastlingSide, Color, Moment, Role};

use super::{Number, View};

/// Planes of the AlphaZero half.
pub(crate) const PLANES: usize = 16;
/// Numbers of the supervised half.
pub(crate) const SQUARES: usize = 384;

pub(crate) fn write_planes<'a, T: Number>(
    view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
    out: &mut [T],
) {
    let (men, castling) = out.split_at_mut(12 * 64);
    men.fill(T::ZERO);
    for (own, first) in [(true, 0), (false, 6)] {
        for (role, plane) in Role::ALL.into_iter().zip(first..) {
            for square in view.men(view.now(), own, role) {
                men[plane * 64 + (usize::from(square) ^ 56)] = T::ONE;
            }
        }
    }
    let sides = [CastlingSide::KingSide, CastlingSide::QueenSide];
    let rights = [true, false]
        .into_iter()
        .flat_map(|own| sides.map(|side| view.castles(own, side)));
    for (plane, right) in castling.chunks_exact_mut(64).zip(rights) {
        plane.fill(if right { T::ONE } else { T::ZERO });
    }
}

pub(crate) fn write_squares<'a, T: Number>(
    view: &View<'a, impl Iterator<Item = Moment<'a>> + Clone>,
    out: &mut [T],
) {
    out.fill(T::ZERO);
    let men = view.now().position.men();
    // H1 has the number 7 and must come first: files are exchanged, ranks stay.
    let order = match view.viewer() {
        Color::White => 56,
        Color::Black => 7,
    };
    for (color, value) in [(view.viewer(), 1), (!view.viewer(), -1)] {
        for (index, role) in Role::ALL.into_iter().enumerate() {
            for square in men.by_color(color) & men.by_role(role) {
                out[index * 64 + (usize::from(square) ^ order)] = T::whole(value);
            }
        }
    }
}
