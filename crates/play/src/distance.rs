//! Distances between squares.

use rules::Square;

/// Files plus ranks between two squares.
#[inline]
pub fn manhattan(a: Square, b: Square) -> u32 {
    let (files, ranks) = steps(a, b);
    files + ranks
}

/// King steps between two squares: the Chebyshev distance.
#[inline]
pub fn king_steps(a: Square, b: Square) -> u32 {
    let (files, ranks) = steps(a, b);
    files.max(ranks)
}

#[inline]
fn steps(a: Square, b: Square) -> (u32, u32) {
    let (a, b) = (u32::from(a), u32::from(b));
    ((a & 7).abs_diff(b & 7), (a >> 3).abs_diff(b >> 3))
}
