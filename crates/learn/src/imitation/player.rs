//! The player of a network that imitates.

use std::sync::Arc;

use play::{Chances, Choice, Info, Limits, Nature, Opinion, Player, PlayerError, Score};
use rules::{Board, Game};

use super::ImitationNetwork;

/// Plays the move that the network finds most likely, without search.
#[derive(Clone)]
pub struct ImitationPlayer {
    name: String,
    network: Arc<ImitationNetwork>,
}

impl ImitationPlayer {
    /// The player of a network; `name` is what its errors call it.
    pub fn new(name: impl Into<String>, network: Arc<ImitationNetwork>) -> ImitationPlayer {
        ImitationPlayer {
            name: name.into(),
            network,
        }
    }
}

impl Player for ImitationPlayer {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let position = game.position();
        if position.board() != Board::STANDARD {
            return Err(PlayerError::Unsupported {
                player: self.name.clone(),
                fen: position.fen(),
                why: "it has learned chess on 8×8".to_owned(),
            });
        }
        let judgement = self.network.judge(game);
        let &(mv, _) = judgement
            .moves
            .first()
            .ok_or_else(|| PlayerError::no_move(game))?;
        let [loss, draw, win] = judgement.ending;
        let chances = Chances { win, draw, loss };
        let info = Info {
            score: Some(Score::Centipawns(chances.centipawns())),
            wdl: Some(chances.wdl()),
            opinions: judgement
                .moves
                .iter()
                .map(|&(m, share)| Opinion::new(m, Some(share), None))
                .collect(),
            ..Info::default()
        };
        Ok(Choice { mv, info })
    }

    fn nature(&self) -> Nature {
        Nature::History
    }
}
