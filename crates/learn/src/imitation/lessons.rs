//! Positions of games as a network takes them.

use rayon::prelude::*;
use rules::{Color, Role, ShakmatyPosition as _};

use super::{SIGHTS, Scene, move_number};
use crate::{
    games::{Ending, PackedMove, PackedPosition, Positions},
    net::TowerBatch,
};

/// No position has more legal moves.
pub const MOST_MOVES: usize = 218;

/// These positions as a network takes them, made on all cores. Where there are more legal moves than
/// `room`, the one that was played is among those that are kept.
///
/// # Panics
/// When there is no such position, or room for no move.
pub fn lessons(positions: &Positions, picks: &[usize], room: usize) -> TowerBatch {
    assert!(room > 0);
    let rows: Vec<Row> = picks
        .par_iter()
        .with_min_len(16)
        .map(|&pick| Row::of(positions, pick, room))
        .collect();
    let mut batch = TowerBatch {
        room,
        ..TowerBatch::default()
    };
    for mut row in rows {
        batch.sights.extend(row.sight);
        row.legal.resize(room, -1);
        batch.legal.extend(row.legal);
        batch.played.push(row.played);
        batch.endings.push(row.ending);
    }
    batch
}

struct Row {
    sight: [u64; SIGHTS],
    legal: Vec<i16>,
    played: i16,
    ending: i8,
}

impl Row {
    fn of(positions: &Positions, pick: usize, room: usize) -> Row {
        let packed = positions.as_slice()[pick];
        let before = match positions.origin(pick) {
            (_, 0) => None,
            _ => Some(positions.as_slice()[pick - 1]),
        };
        let position = packed.position();
        let chess = position.chess();
        let black = chess.turn() == Color::Black;
        let turned = |m: PackedMove| if black { m.mirrored() } else { m };
        let scene = Scene {
            chess,
            last: turned(packed.last()),
            before_last: turned(packed.before_last()),
            captured: before.and_then(captured),
        };
        let number = |m: PackedMove| move_number(m) as i16;
        let own = number(packed.played());
        let moves = chess.legal_moves();
        let mut legal: Vec<i16> = moves
            .iter()
            .take(room)
            .map(|&m| number(turned(PackedMove::new(m))))
            .collect();
        // A game holds only legal moves: where this one is not found, there was no room for it.
        let played = legal.iter().position(|&n| n == own).unwrap_or(0);
        legal[played] = own;
        Row {
            sight: scene.sight(),
            legal,
            played: played as i16,
            ending: match packed.ending() {
                Some(Ending::Loss) => 0,
                Some(Ending::Draw) => 1,
                Some(Ending::Win) => 2,
                None => -1,
            },
        }
    }
}

/// What the move that was played in a position captured.
fn captured(before: PackedPosition) -> Option<Role> {
    let (from, to) = (before.played().from(), before.played().to());
    let passing = before.en_passant() == Some(to) && before.men(Role::Pawn).0.contains(from);
    match passing {
        true => Some(Role::Pawn),
        false => Role::ALL
            .into_iter()
            .find(|&role| before.men(role).1.contains(to)),
    }
}
