//! Moves as numbers, for a network that scores them all.

use rules::Role;

use crate::games::PackedMove;

/// Numbers of moves: every pair of squares, and 72 for pawns that become less than a queen.
pub const MOVES: usize = 64 * 64 + 8 * 3 * 3;

/// The number of a move as the mover sees it: 64 times the square it comes from plus the one it goes
/// to; for a pawn that becomes a knight, bishop or rook, 4096 plus nine times its file, three times
/// the way it goes (left, straight on, right) and the piece.
pub fn move_number(m: PackedMove) -> usize {
    let (from, to) = (m.from() as usize, m.to() as usize);
    let piece = match m.promotion() {
        Some(Role::Knight) => 0,
        Some(Role::Bishop) => 1,
        Some(Role::Rook) => 2,
        _ => return 64 * from + to,
    };
    4096 + 9 * (from % 8) + 3 * (to % 8 + 1 - from % 8) + piece
}
