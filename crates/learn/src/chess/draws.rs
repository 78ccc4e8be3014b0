use std::{fmt, str::FromStr};

use rules::{Game, Move, Reason, Role, Rules};

use super::ChessError;

/// How games are drawn although they could go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Draws {
    /// `automatic`: by the third occurrence of a position and after fifty moves, at once. Document
    /// P's version 2.
    #[default]
    Automatic,
    /// `claimed`: then the side to move may claim a draw by an action. At the fifth occurrence and
    /// after seventy-five moves it is a draw without a claim. Document P's version 1. A claim needs
    /// the position on the board; announcing a move that would bring it about is not possible.
    Claimed,
    /// `claimable`: as soon as the side to move could claim a draw under FIDE's laws, even by
    /// announcing a move. As PettingZoo plays, and python-chess with `claim_draw`.
    Claimable,
    /// `never`, except by stalemate and where nobody can mate.
    Never,
}

const NAMES: [(&str, Draws); 4] = [
    ("automatic", Draws::Automatic),
    ("claimed", Draws::Claimed),
    ("claimable", Draws::Claimable),
    ("never", Draws::Never),
];

impl Draws {
    /// The rules that act by themselves.
    pub(crate) fn rules(self) -> Rules {
        match self {
            Draws::Automatic | Draws::Claimable => Rules::default(),
            Draws::Claimed => Rules::fide(),
            Draws::Never => Rules::none(),
        }
    }
}

/// Why the side to move may claim a draw of the position on the board.
pub(crate) fn claim(game: &Game) -> Option<Reason> {
    if game.repetitions() >= 3 {
        Some(Reason::Threefold)
    } else if game.position().halfmoves() >= 100 {
        Some(Reason::FiftyMoves)
    } else {
        None
    }
}

/// Why the side to move could claim a draw by announcing one of its moves.
pub(crate) fn claim_by_move(game: &mut Game, moves: &[Move]) -> Option<Reason> {
    let clock = game.position().halfmoves();
    let quiet = |m: &&Move| !m.is_capture() && m.role() != Role::Pawn;
    // Two earlier occurrences of a position that the other side was to move in.
    let repeated = game
        .moments()
        .take(1 + clock as usize)
        .skip(1)
        .step_by(2)
        .any(|moment| moment.repetitions >= 2);
    if !repeated && clock < 99 {
        return None;
    }
    for &m in moves.iter().filter(quiet) {
        game.play_legal(m);
        let repeats = game.repetitions() >= 3;
        let fifty = clock >= 99 && !game.position().legal_moves().is_empty();
        game.undo();
        if repeats {
            return Some(Reason::Threefold);
        }
        if fifty {
            return Some(Reason::FiftyMoves);
        }
    }
    None
}

impl FromStr for Draws {
    type Err = ChessError;

    fn from_str(text: &str) -> Result<Draws, ChessError> {
        NAMES
            .into_iter()
            .find(|(name, _)| *name == text)
            .map(|(_, draws)| draws)
            .ok_or_else(|| ChessError::unknown("kind of draws", text, &NAMES.map(|(name, _)| name)))
    }
}

impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.into_iter().find(|(_, draws)| draws == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}
