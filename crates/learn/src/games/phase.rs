//! Opening, middlegame, endgame.

use std::fmt;

use rules::Role;

use super::PackedPosition;

/// How far a game has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// The first twenty plies, as long as it is no endgame.
    Opening,
    /// What is neither.
    Middlegame,
    /// Six pieces or fewer besides kings and pawns, both sides together.
    Endgame,
}

impl Phase {
    /// In order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The phase of a position so many plies into its game.
    pub fn of(position: &PackedPosition, ply: usize) -> Phase {
        let pieces = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        let count = |role| {
            let (mine, theirs) = position.men(role);
            (mine | theirs).count()
        };
        if pieces.into_iter().map(count).sum::<usize>() <= 6 {
            Phase::Endgame
        } else if ply < 20 {
            Phase::Opening
        } else {
            Phase::Middlegame
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        })
    }
}
