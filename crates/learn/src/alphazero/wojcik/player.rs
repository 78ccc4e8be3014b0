//! The player of document W's network without search.

use std::sync::Arc;

use play::{
    Assessments, Choice, Evaluator as _, Info, Leaf, Limits, Nature, Opinion, Player, PlayerError,
    Score,
};
use rules::Game;

use super::{WojcikEvaluator, WojcikNetwork};

/// Plays the move that the network finds likeliest, without search.
pub struct WojcikZeroPlayer {
    name: String,
    evaluator: WojcikEvaluator,
    scratch: Assessments,
}

impl WojcikZeroPlayer {
    /// The player of a network; `name` is what its errors call it.
    pub fn new(name: impl Into<String>, network: Arc<WojcikNetwork>) -> WojcikZeroPlayer {
        WojcikZeroPlayer {
            name: name.into(),
            evaluator: WojcikEvaluator::new(network),
            scratch: Assessments::default(),
        }
    }
}

impl Player for WojcikZeroPlayer {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let moments: Vec<_> = game.moments().take(1).collect();
        let leaf = Leaf {
            moments: &moments,
            moves: &moves,
        };
        let judged = self.evaluator.evaluate(&[leaf], &mut self.scratch);
        judged.map_err(|error| PlayerError::Unsupported {
            player: self.name.clone(),
            fen: game.position().fen(),
            why: error.0,
        })?;
        let Some((chances, priors)) = self.scratch.get(0) else {
            return Err(PlayerError::no_move(game));
        };
        // Of equal ones the first: a queen before lesser promotions is what the rules list first.
        let best = (0..moves.len())
            .rev()
            .max_by(|&a, &b| priors[a].total_cmp(&priors[b]));
        let info = Info {
            score: Some(Score::Centipawns(chances.centipawns())),
            wdl: Some(chances.wdl()),
            opinions: moves
                .iter()
                .zip(priors)
                .map(|(&m, &share)| Opinion::new(m, Some(share), None))
                .collect(),
            ..Info::default()
        };
        Ok(Choice {
            mv: moves[best.unwrap_or(0)],
            info,
        })
    }

    fn nature(&self) -> Nature {
        Nature::Position
    }
}
