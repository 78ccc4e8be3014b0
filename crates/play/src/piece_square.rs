//! Material and piece-square tables: a plain evaluation for positions in which both sides have
//! pieces or pawns are on the board.
//!
//! The tables are formulas of rank, file and distance to the centre, not copied numbers.

use rules::{Bitboard, Color, Role, Square};

use crate::{
    leaf_value::to_centre,
    tree::{Men, worth},
};

/// White's advantage in hundredths of a pawn.
pub(crate) fn value(men: &Men) -> i32 {
    // 24 with all pieces on the board, 0 with kings and pawns only.
    let phase = phase(men).min(24);
    let mut value = 0;
    for (role, set) in [
        (Role::Pawn, men.pawns),
        (Role::Knight, men.knights),
        (Role::Bishop, men.bishops),
        (Role::Rook, men.rooks),
        (Role::Queen, men.queens),
        (Role::King, men.kings),
    ] {
        for (color, side) in [(Color::White, men.white), (Color::Black, men.black)] {
            let sum: i32 = (set & side)
                .into_iter()
                .map(|square| worth(role) + placement(men, role, color, square, phase))
                .sum();
            value += color.fold_wb(sum, -sum);
        }
    }
    value + drive_home(men, phase)
}

fn phase(men: &Men) -> i32 {
    let count = |set: Bitboard| set.count() as i32;
    count(men.knights | men.bishops) + 2 * count(men.rooks) + 4 * count(men.queens)
}

/// What a man's square adds.
fn placement(men: &Men, role: Role, color: Color, square: Square, phase: i32) -> i32 {
    let rank = u32::from(square) as i32 >> 3;
    let advance = color.fold_wb(rank, men.board.size() as i32 - 1 - rank);
    let outside = to_centre(men.board, square); // 0 to 6
    match role {
        Role::Pawn => {
            let file = u32::from(square) as i32 & 7;
            let central = i32::from((3..=4).contains(&file)) * 8 * advance.min(3) * phase / 24;
            let passed = i32::from(is_passed(men, color, square)) * advance * advance * 3;
            central + advance * advance + passed - 10
        }
        Role::Knight => 24 - 9 * outside,
        Role::Bishop => 12 - 4 * outside,
        Role::Rook => i32::from(advance == 6) * 20,
        Role::Queen => 4 - outside,
        // Hidden while there are pieces, central once they are gone.
        Role::King => {
            let hidden = -12 * advance + 5 * outside;
            let central = -10 * outside;
            (hidden * phase + central * (24 - phase)) / 24
        }
    }
}

/// Is no enemy pawn ahead of it on its own or a neighbouring file?
fn is_passed(men: &Men, color: Color, square: Square) -> bool {
    let (rank, file) = (u32::from(square) as i32 >> 3, u32::from(square) as i32 & 7);
    let enemies = men.pawns & color.fold_wb(men.black, men.white);
    !enemies.into_iter().any(|enemy| {
        let (r, f) = (u32::from(enemy) as i32 >> 3, u32::from(enemy) as i32 & 7);
        (f - file).abs() <= 1 && color.fold_wb(r > rank, r < rank)
    })
}

/// With much more material and little left on the board, the other king belongs at the edge and
/// ours next to it.
fn drive_home(men: &Men, phase: i32) -> i32 {
    if phase > 8 {
        return 0;
    }
    let count = |set: Bitboard| {
        let balance = |role, all: Bitboard| worth(role) * ((all & set).count() as i32);
        balance(Role::Knight, men.knights)
            + balance(Role::Bishop, men.bishops)
            + balance(Role::Rook, men.rooks)
            + balance(Role::Queen, men.queens)
    };
    let balance = count(men.white) - count(men.black);
    let (Some(white), Some(black)) = (
        (men.kings & men.white).first(),
        (men.kings & men.black).first(),
    ) else {
        return 0;
    };
    if balance.abs() < 150 {
        return 0;
    }
    let weak = if balance > 0 { black } else { white };
    let bonus =
        8 * to_centre(men.board, weak) + 4 * (14 - crate::distance::manhattan(white, black) as i32);
    balance.signum() * bonus
}
