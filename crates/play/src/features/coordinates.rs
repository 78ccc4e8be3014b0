//! Where the men stand, as files and ranks of the one image that stands for all.
//!
//! The board is turned so that the bare king comes to stand in the triangle a1–d1–d4; where that leaves a choice, because
//! it stands on the long diagonal, the other men decide. So the numbers are the same for all images of a position.

use std::cmp::Ordering;

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
    let flipped = |square: Square| {
        let (file, rank) = file_and_rank(square);
        let file = if bare.0 > 3 { 7 - file } else { file };
        let rank = if bare.1 > 3 { 7 - rank } else { rank };
        (file, rank)
    };
    let mut men = [view.bare, view.king, view.first, view.second].map(flipped);
    let mut turned = men.map(|(file, rank)| (rank, file));
    // Two bishops have no order of their own.
    if view.bishops.count() == 2 {
        men[2..].sort_unstable();
        turned[2..].sort_unstable();
    }
    let chosen = match men[0].0.cmp(&men[0].1) {
        Ordering::Greater => men,
        Ordering::Less => turned,
        Ordering::Equal => men.max(turned),
    };
    chosen[man as usize]
}

fn file_and_rank(square: Square) -> (i32, i32) {
    let square = u32::from(square) as i32;
    (square & 7, square >> 3)
}
