use rules::{Game, Move};

use crate::{Choice, Dice, Limits, Player, PlayerError};

/// The defender of document D: takes an immediate draw when there is one, otherwise plays any
/// legal move.
#[derive(Clone, Debug)]
pub struct Drawish {
    dice: Dice,
}

impl Drawish {
    /// The player whose choices follow from `seed`.
    pub fn new(seed: u64) -> Drawish {
        Drawish {
            dice: Dice::new(seed),
        }
    }
}

impl Player for Drawish {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let mut moves = immediate_draws(game);
        if moves.is_empty() {
            moves = game.position().legal_moves().to_vec();
        }
        if moves.is_empty() {
            return Err(PlayerError::no_move(game));
        }
        Ok(Choice::plain(moves[self.dice.below(moves.len())]))
    }
}

/// The moves after which the game is drawn at once: the last dangerous piece taken, stalemate, and
/// the draws by the rules of the game.
pub(crate) fn immediate_draws(game: &Game) -> Vec<Move> {
    let mut trial = game.clone();
    let mut draws = Vec::new();
    for m in game.position().legal_moves() {
        if trial.play(m).is_ok() {
            if trial.outcome().is_some_and(|outcome| outcome.is_draw()) {
                draws.push(m);
            }
            trial.undo();
        }
    }
    draws
}
