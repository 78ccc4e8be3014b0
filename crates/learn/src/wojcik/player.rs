//! The player of the seven networks.

use std::sync::Arc;

use play::{Choice, Info, Limits, Nature, Player, PlayerError};
use rules::{Board, Game};

use super::SevenNetworks;

/// Plays the legal move with the highest product, without search.
#[derive(Clone)]
pub struct WojcikPlayer {
    name: String,
    networks: Arc<SevenNetworks>,
}

impl WojcikPlayer {
    /// The player of some networks; `name` is what its errors call it.
    pub fn new(name: impl Into<String>, networks: Arc<SevenNetworks>) -> WojcikPlayer {
        WojcikPlayer {
            name: name.into(),
            networks,
        }
    }
}

impl Player for WojcikPlayer {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let position = game.position();
        if position.board() != Board::STANDARD {
            return Err(PlayerError::Unsupported {
                player: self.name.clone(),
                fen: position.fen(),
                why: "it has learned chess on 8×8".to_owned(),
            });
        }
        let scored = self.networks.score(position);
        let &(mv, _) = scored
            .moves
            .first()
            .ok_or_else(|| PlayerError::no_move(game))?;
        Ok(Choice {
            mv,
            info: Info::default(),
        })
    }

    fn nature(&self) -> Nature {
        Nature::Position
    }
}
