//! Moves as numbers, for a network that scores them all.

use rules::{Role, Square};

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

/// The squares of the move of a number, as the mover sees it, and what a pawn becomes where that is less than a queen.
pub(super) fn parts(number: usize) -> (Square, Square, Option<Role>) {
    let square = |number: usize| Square::new(number as u32 & 63);
    let Some(rest) = number.checked_sub(64 * 64) else {
        return (square(number / 64), square(number), None);
    };
    let (file, way) = (rest / 9, rest / 3 % 3);
    let role = [Role::Knight, Role::Bishop, Role::Rook][rest % 3];
    // A way that leaves the board is no move; any square will do.
    let to = (55 + file + way).min(63);
    (square(48 + file), square(to), Some(role))
}

#[cfg(test)]
mod tests {
    use rules::Move;

    use super::*;

    #[test]
    fn a_number_tells_its_move() {
        for number in 0..MOVES {
            let (from, to, promotion) = parts(number);
            let m = Move::Normal {
                role: Role::Pawn,
                from,
                capture: None,
                to,
                promotion,
            };
            // Beyond the edge of the board a pawn becomes nothing.
            let possible = number.checked_sub(64 * 64).is_none_or(|rest| {
                let (file, way) = (rest / 9, rest / 3 % 3);
                (1..=8).contains(&(file + way))
            });
            assert!(
                !possible || move_number(PackedMove::new(m)) == number,
                "{number}: {m:?}"
            );
        }
    }
}
