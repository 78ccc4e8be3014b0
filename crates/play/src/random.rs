use rules::Game;

use crate::{Choice, Dice, Limits, Player, PlayerError};

/// Plays any legal move with equal chance.
#[derive(Clone, Debug)]
pub struct Random {
    dice: Dice,
}

impl Random {
    /// The player whose choices follow from `seed`.
    pub fn new(seed: u64) -> Random {
        Random {
            dice: Dice::new(seed),
        }
    }
}

impl Player for Random {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            return Err(PlayerError::no_move(game));
        }
        Ok(Choice::plain(moves[self.dice.below(moves.len())]))
    }
}
