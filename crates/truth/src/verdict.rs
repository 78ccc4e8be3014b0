use std::{cmp::Ordering, fmt};

use rules::Position;

/// The exact value of a position for the side to move, with its distance to mate.
///
/// Distances are in plies under perfect play: an odd number for a win, an even one for a loss.
/// Only mate counts: the fifty-move rule and repetitions are not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// The side to move mates in so many plies.
    Win {
        /// Plies to mate.
        plies: u16,
    },
    /// Neither side can force mate.
    Draw,
    /// The side to move is mated in so many plies; 0 when it is mated already.
    Loss {
        /// Plies to mate.
        plies: u16,
    },
}

impl Verdict {
    /// How a table stores a draw; every other byte is a number of plies.
    pub(crate) const DRAW_BYTE: u8 = u8::MAX;

    pub(crate) const fn from_byte(byte: u8) -> Verdict {
        match byte {
            Verdict::DRAW_BYTE => Verdict::Draw,
            plies if plies % 2 == 1 => Verdict::Win {
                plies: plies as u16,
            },
            plies => Verdict::Loss {
                plies: plies as u16,
            },
        }
    }

    pub(crate) const fn to_byte(self) -> u8 {
        match self {
            Verdict::Draw => Verdict::DRAW_BYTE,
            Verdict::Win { plies } | Verdict::Loss { plies } => plies as u8,
        }
    }

    /// Plies to mate; `None` for a draw.
    pub const fn plies(self) -> Option<u16> {
        match self {
            Verdict::Win { plies } | Verdict::Loss { plies } => Some(plies),
            Verdict::Draw => None,
        }
    }

    /// Moves of the winning side to mate; `None` for a draw.
    pub const fn moves(self) -> Option<u16> {
        match self.plies() {
            Some(plies) => Some(plies.div_ceil(2)),
            None => None,
        }
    }

    /// Plies to mate with the sign of the side to move: positive when it wins.
    pub const fn signed_plies(self) -> Option<i32> {
        match self {
            Verdict::Win { plies } => Some(plies as i32),
            Verdict::Loss { plies } => Some(-(plies as i32)),
            Verdict::Draw => None,
        }
    }

    /// Does the side to move win?
    pub const fn is_win(self) -> bool {
        matches!(self, Verdict::Win { .. })
    }

    /// Does the side to move lose?
    pub const fn is_loss(self) -> bool {
        matches!(self, Verdict::Loss { .. })
    }

    /// Neither?
    pub const fn is_draw(self) -> bool {
        matches!(self, Verdict::Draw)
    }

    /// The value of a move for the side that plays it, from the value of the position it leads to.
    #[must_use]
    pub const fn before(self) -> Verdict {
        match self {
            Verdict::Win { plies } => Verdict::Loss { plies: plies + 1 },
            Verdict::Draw => Verdict::Draw,
            Verdict::Loss { plies } => Verdict::Win { plies: plies + 1 },
        }
    }

    /// Better verdicts are greater: short wins, long wins, draws, long losses, short losses.
    fn goodness(self) -> i32 {
        match self {
            Verdict::Win { plies } => 100_000 - i32::from(plies),
            Verdict::Draw => 0,
            Verdict::Loss { plies } => i32::from(plies) - 100_000,
        }
    }
}

impl PartialOrd for Verdict {
    fn partial_cmp(&self, other: &Verdict) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Verdict {
    fn cmp(&self, other: &Verdict) -> Ordering {
        self.goodness().cmp(&other.goodness())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Loss { plies: 0 } => write!(f, "checkmate"),
            Verdict::Draw => write!(f, "draw"),
            Verdict::Win { plies } => {
                write!(
                    f,
                    "win, mate in {} ({plies} plies)",
                    counted(plies.div_ceil(2))
                )
            }
            Verdict::Loss { plies } => {
                write!(f, "loss, mated in {} ({plies} plies)", counted(plies / 2))
            }
        }
    }
}

fn counted(moves: u16) -> String {
    format!("{moves} move{}", if moves == 1 { "" } else { "s" })
}

/// Something that knows the exact value of positions.
pub trait Oracle: Send + Sync {
    /// The value for the side to move, or `None` when the position is not covered.
    fn probe(&self, position: &Position) -> Option<Verdict>;
}

impl<T: Oracle + ?Sized> Oracle for std::sync::Arc<T> {
    fn probe(&self, position: &Position) -> Option<Verdict> {
        (**self).probe(position)
    }
}

impl<T: Oracle + ?Sized> Oracle for &T {
    fn probe(&self, position: &Position) -> Option<Verdict> {
        (**self).probe(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_is_greater() {
        let worst_to_best = [
            Verdict::Loss { plies: 0 },
            Verdict::Loss { plies: 10 },
            Verdict::Draw,
            Verdict::Win { plies: 9 },
            Verdict::Win { plies: 1 },
        ];
        assert!(worst_to_best.is_sorted());
    }

    #[test]
    fn a_move_turns_the_verdict_around() {
        assert_eq!(
            Verdict::Loss { plies: 0 }.before(),
            Verdict::Win { plies: 1 }
        );
        assert_eq!(
            Verdict::Win { plies: 5 }.before(),
            Verdict::Loss { plies: 6 }
        );
        assert_eq!(Verdict::Win { plies: 5 }.moves(), Some(3));
        assert_eq!(Verdict::Loss { plies: 6 }.moves(), Some(3));
    }
}
