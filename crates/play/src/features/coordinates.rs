//! Where the men stand, as files and ranks of the one image that stands for all.
//!
//! The board is turned so that the bare king comes to stand in the triangle a1–d1–d4; where that leaves a choice, because
//! it stands on the long diagonal, the other men decide. So the numbers are the same for all images of a position.

use rules::Square;

use super::View;

/// A man.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Man {
    Bare,
    King,
    First,
    Second,
}

/// File and rank of a man.
pub(super) fn of(view: &View, man: Man) -> (i32, i32) {
    let bare = file_and_rank(view.bare);
    let flip = |(file, rank): (i32, i32)| {
        let file = if bare.0 > 3 { 7 - file } else { file };
        let rank = if bare.1 > 3 { 7 - rank } else { rank };
        (file, rank)
    };
    let men = [view.bare, view.king, view.first, view.second].map(|man| flip(file_and_rank(man)));
    // The first man off the diagonal is below it.
    let off = men.into_iter().find(|(file, rank)| file != rank);
    let (file, rank) = men[man as usize];
    match off {
        Some((f, r)) if f < r => (rank, file),
        _ => (file, rank),
    }
}

fn file_and_rank(square: Square) -> (i32, i32) {
    let square = u32::from(square) as i32;
    (square & 7, square >> 3)
}
