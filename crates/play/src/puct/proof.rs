//! What has been proven of a position.

/// What has been proven of a position, for the side to move: nothing, a draw, or mate in so many
/// plies. A byte, as in the exact tables: an odd number of plies wins, an even one loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proof(u8);

impl Proof {
    pub const NONE: Proof = Proof(0);
    pub const DRAW: Proof = Proof(255);
    /// The side to move is mated.
    pub const MATED: Proof = Proof(1);

    /// The longest mate there is room for; a longer one stays unproven.
    const MOST_PLIES: u32 = 253;

    fn mate(plies: u32) -> Proof {
        match plies {
            0..=Proof::MOST_PLIES => Proof(plies as u8 + 1),
            _ => Proof::NONE,
        }
    }

    pub fn is_known(self) -> bool {
        self != Proof::NONE
    }

    /// The plies to mate.
    pub fn plies(self) -> Option<u32> {
        match self {
            Proof::NONE | Proof::DRAW => None,
            Proof(code) => Some(u32::from(code) - 1),
        }
    }

    pub fn is_win(self) -> bool {
        self.plies().is_some_and(|plies| plies % 2 == 1)
    }

    pub fn is_loss(self) -> bool {
        self.plies().is_some_and(|plies| plies % 2 == 0)
    }

    /// What the position is worth, if it is proven.
    pub fn value(self) -> Option<f32> {
        match self {
            Proof::NONE => None,
            Proof::DRAW => Some(0.0),
            _ if self.is_win() => Some(1.0),
            _ => Some(-1.0),
        }
    }

    /// What follows for a position from what is known of the positions behind all its moves.
    pub fn of_moves(behind: impl Iterator<Item = Proof>) -> Proof {
        let (mut win, mut loss) = (None, 0);
        let (mut all, mut draw) = (true, false);
        for proof in behind {
            match proof.plies() {
                Some(plies) if plies % 2 == 0 => {
                    win = Some(win.map_or(plies, |least: u32| least.min(plies)));
                }
                Some(plies) => loss = loss.max(plies),
                None if proof == Proof::DRAW => draw = true,
                None => all = false,
            }
        }
        match win {
            Some(plies) => Proof::mate(plies + 1),
            None if !all => Proof::NONE,
            None if draw => Proof::DRAW,
            None => Proof::mate(loss + 1),
        }
    }

    /// The same for the side that could move there: what a move to this position is.
    pub fn before(self) -> Proof {
        Proof::of_moves(std::iter::once(self))
    }

    /// Mate in so many moves of the winner; negative when the side to move is mated.
    pub fn mate_in(self) -> Option<i32> {
        let plies = self.plies()? as i32;
        Some(match plies % 2 {
            1 => (plies + 1) / 2,
            _ => -(plies / 2),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_mate_is_played_and_the_longest_suffered() {
        let of = |proofs: &[Proof]| Proof::of_moves(proofs.iter().copied());
        let mate = Proof::mate;
        assert_eq!(of(&[mate(4), mate(2), Proof::NONE]), mate(3));
        assert_eq!(of(&[mate(1), mate(5), mate(3)]), mate(6));
        assert_eq!(of(&[mate(1), Proof::DRAW]), Proof::DRAW);
        assert_eq!(of(&[mate(1), Proof::DRAW, Proof::NONE]), Proof::NONE);
        assert_eq!(of(&[mate(253), mate(1)]), Proof::NONE, "no room for it");
        assert_eq!(Proof::MATED.before().mate_in(), Some(1));
        assert_eq!(mate(6).mate_in(), Some(-3));
        assert_eq!((mate(3).value(), mate(4).value()), (Some(1.0), Some(-1.0)));
    }
}
