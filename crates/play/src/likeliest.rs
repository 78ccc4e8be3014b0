//! A network without search.

use rules::Game;

use crate::{
    Assessments, Choice, Evaluator, Info, Leaf, Limits, Nature, Opinion, Player, PlayerError, Score,
};

/// Plays the move that an evaluator finds likeliest, without search.
pub struct Likeliest {
    name: String,
    evaluator: Box<dyn Evaluator>,
    nature: Nature,
    // Kept to save allocating.
    assessments: Assessments,
}

impl Likeliest {
    /// The player of an evaluator; `name` is what its errors call it, and `nature` what its answers
    /// depend on.
    pub fn new(
        name: impl Into<String>,
        evaluator: Box<dyn Evaluator>,
        nature: Nature,
    ) -> Likeliest {
        Likeliest {
            name: name.into(),
            evaluator,
            nature,
            assessments: Assessments::default(),
        }
    }
}

impl Player for Likeliest {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let moments: Vec<_> = game.moments().take(self.evaluator.history()).collect();
        let leaf = Leaf {
            moments: &moments,
            moves: &moves,
        };
        let judged = self.evaluator.evaluate(&[leaf], &mut self.assessments);
        judged.map_err(|error| PlayerError::Unsupported {
            player: self.name.clone(),
            fen: game.position().fen(),
            why: error.0,
        })?;
        let Some((chances, priors)) = self.assessments.get(0) else {
            return Err(PlayerError::no_move(game));
        };
        let mut opinions: Vec<_> = moves
            .iter()
            .zip(priors)
            .map(|(&m, &share)| (share, Opinion::new(m, Some(share), None)))
            .collect();
        // Equal ones stay in the order of the moves: a queen before lesser promotions.
        opinions.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let opinions: Vec<Opinion> = opinions.into_iter().map(|(_, opinion)| opinion).collect();
        Ok(Choice {
            mv: opinions[0].mv,
            info: Info {
                score: Some(Score::Centipawns(chances.centipawns())),
                wdl: Some(chances.wdl()),
                opinions,
                ..Info::default()
            },
        })
    }

    fn nature(&self) -> Nature {
        self.nature
    }
}
