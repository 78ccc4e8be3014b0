use std::fmt;

use shakmaty::Color;

/// How a game ended: who won, and why it is over.
///
/// ```
/// use rules::{Color, Outcome, Reason};
/// let outcome = Outcome::win(Color::White, Reason::Checkmate);
/// assert_eq!(outcome.to_string(), "white wins by checkmate");
/// assert_eq!(outcome.pgn(), "1-0");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The side that won; nobody after a draw.
    pub winner: Option<Color>,
    /// Why the game is over.
    pub reason: Reason,
}

/// Why a game is over.
///
/// The first eight follow from the moves and the [`Rules`](crate::Rules); [`Game`](crate::Game)
/// finds them. The others are what players do, and a match says so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// The side to move is in check and has no move.
    Checkmate,
    /// The side to move is not in check and has no move.
    Stalemate,
    /// Neither side can ever mate. A lost piece counts here: when the bare king takes the rook of
    /// KRK or the knight of KBNK, what is left cannot mate.
    InsufficientMaterial,
    /// Fifty moves by each side without a capture or a pawn move.
    FiftyMoves,
    /// Seventy-five moves by each side without a capture or a pawn move.
    SeventyFiveMoves,
    /// The position has occurred three times.
    Threefold,
    /// The position has occurred five times.
    Fivefold,
    /// The game has reached its greatest number of moves.
    MoveCap,
    /// The loser gave up.
    Resignation,
    /// The loser played a move that is not legal.
    IllegalMove,
    /// The loser, a program, ended or stopped making sense.
    Crash,
    /// The loser used up its time.
    TimeOut,
}

impl Outcome {
    /// A win.
    pub const fn win(winner: Color, reason: Reason) -> Outcome {
        Outcome {
            winner: Some(winner),
            reason,
        }
    }

    /// A draw.
    pub const fn draw(reason: Reason) -> Outcome {
        Outcome {
            winner: None,
            reason,
        }
    }

    /// Did nobody win?
    pub const fn is_draw(self) -> bool {
        self.winner.is_none()
    }

    /// The points of one side: 1, ½ or 0.
    pub fn score(self, color: Color) -> f64 {
        match self.winner {
            None => 0.5,
            Some(winner) if winner == color => 1.0,
            Some(_) => 0.0,
        }
    }

    /// The result as PGN writes it: `1-0`, `0-1` or `1/2-1/2`.
    pub fn pgn(self) -> &'static str {
        match self.winner {
            None => "1/2-1/2",
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            None => write!(f, "draw by {}", self.reason),
            Some(winner) => write!(
                f,
                "{} wins by {}",
                winner.fold_wb("white", "black"),
                self.reason
            ),
        }
    }
}

impl Reason {
    /// Every reason, in the order of this list's documentation.
    pub const ALL: [Reason; 12] = [
        Reason::Checkmate,
        Reason::Stalemate,
        Reason::InsufficientMaterial,
        Reason::FiftyMoves,
        Reason::SeventyFiveMoves,
        Reason::Threefold,
        Reason::Fivefold,
        Reason::MoveCap,
        Reason::Resignation,
        Reason::IllegalMove,
        Reason::Crash,
        Reason::TimeOut,
    ];

    /// A name for files and for JSON, which never changes.
    pub const fn id(self) -> &'static str {
        match self {
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::InsufficientMaterial => "insufficient_material",
            Reason::FiftyMoves => "fifty_moves",
            Reason::SeventyFiveMoves => "seventy_five_moves",
            Reason::Threefold => "threefold_repetition",
            Reason::Fivefold => "fivefold_repetition",
            Reason::MoveCap => "move_cap",
            Reason::Resignation => "resignation",
            Reason::IllegalMove => "illegal_move",
            Reason::Crash => "crash",
            Reason::TimeOut => "time_out",
        }
    }

    /// The reason with this [`Reason::id`].
    pub fn from_id(id: &str) -> Option<Reason> {
        Reason::ALL.into_iter().find(|reason| reason.id() == id)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::InsufficientMaterial => "insufficient material",
            Reason::FiftyMoves => "the fifty-move rule",
            Reason::SeventyFiveMoves => "the seventy-five-move rule",
            Reason::Threefold => "threefold repetition",
            Reason::Fivefold => "fivefold repetition",
            Reason::MoveCap => "the cap on moves",
            Reason::IllegalMove => "an illegal move",
            Reason::Crash => "a crash",
            Reason::TimeOut => "time-out",
            Reason::Checkmate | Reason::Stalemate | Reason::Resignation => self.id(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_exactly_one_reason() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_id(reason.id()), Some(reason));
        }
        assert_eq!(Reason::from_id("Checkmate"), None);
    }

    #[test]
    fn both_sides_share_one_point() {
        for outcome in [
            Outcome::win(Color::White, Reason::Checkmate),
            Outcome::win(Color::Black, Reason::TimeOut),
            Outcome::draw(Reason::Stalemate),
        ] {
            assert_eq!(
                outcome.score(Color::White) + outcome.score(Color::Black),
                1.0
            );
        }
        assert_eq!(
            Outcome::draw(Reason::FiftyMoves).to_string(),
            "draw by the fifty-move rule"
        );
    }
}
