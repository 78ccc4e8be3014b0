//! The network of an endgame in training.

use std::sync::{Arc, OnceLock};

use play::Evaluator;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, FewMove, Game, Material, Move, Position, Square};

use super::{
    endgame_network::{EndgameEvaluator, EndgameNetwork},
    lesson::{Lesson, packed},
    network::{Judge, Losses, ZeroNetwork},
    pair::{self, random_pair},
};
use crate::{
    Endgame, Folding, LearnError,
    endgames::sight::{EndgameSight, from_bytes, to_bytes},
    net::plain::{Lists, actor_critic::ActorCritic},
    runs::record::{Reader, Writer},
};

/// A policy and a critic of an endgame in training.
pub(super) struct EndgameTrainer {
    material: Material,
    board: Board,
    sight: EndgameSight,
    networks: ActorCritic,
    /// The network as it is now, once someone has asked for it.
    network: OnceLock<Arc<EndgameNetwork>>,
}

impl EndgameTrainer {
    /// Networks with random weights.
    ///
    /// # Errors
    /// When the endgame has pawns or too many men.
    pub fn new(
        material: Material,
        board: Board,
        width: usize,
        seed: u64,
    ) -> Result<EndgameTrainer, LearnError> {
        let endgame = Endgame::new(material, board, Folding::Full)?;
        let sight = EndgameSight::new(&endgame.rules);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Ok(EndgameTrainer {
            material,
            board,
            sight,
            networks: random_pair(sight.extents(), width, &mut random),
            network: OnceLock::new(),
        })
    }

    /// The network as it is now.
    pub fn network(&self) -> Arc<EndgameNetwork> {
        let network = self.network.get_or_init(|| {
            let (policy, value) = (&self.networks.policy.mlp, &self.networks.value.mlp);
            let network =
                EndgameNetwork::new(self.material, self.board, policy.clone(), value.clone());
            Arc::new(network.expect("tables of the endgame's own sizes"))
        });
        network.clone()
    }
}

/// A move of the standard image as a number.
fn number(m: FewMove) -> u16 {
    64 * u16::from(m.man) + u32::from(m.to) as u16
}

fn few_move(number: u16) -> FewMove {
    FewMove {
        man: (number / 64) as u8,
        to: Square::new(u32::from(number % 64)),
    }
}

impl Judge for Arc<EndgameNetwork> {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        Box::new(EndgameEvaluator::new(self.clone()))
    }

    fn note(&self, game: &Game, shares: &[(Move, f32)]) -> Lesson {
        // The learner's own games have the endgame's own men.
        let view = self.view(game.position()).expect("men of the endgame");
        let mut bytes = [0; 8];
        bytes[..6].copy_from_slice(&to_bytes(view.men));
        Lesson {
            sight: [u64::from_le_bytes(bytes)].into(),
            moves: shares
                .iter()
                .map(|&(m, _)| number(view.few_move(m)))
                .collect(),
            shares: packed(shares.iter().map(|&(_, share)| share)),
            ending: [0.0; 3],
            surprise: 0.0,
        }
    }

    fn knows(&self, lesson: &Lesson) -> bool {
        let [sight] = lesson.sight[..] else {
            return false;
        };
        let rules = &self.endgame.rules;
        let men = from_bytes(&sight.to_le_bytes()[..6]);
        let last = 64 * (1 + rules.others_count()) as u16;
        men.is_some_and(|men| rules.is_possible(men)) && lesson.moves.iter().all(|&m| m < last)
    }

    fn suits(&self, position: &Position) -> bool {
        self.view(position).is_some()
    }

    fn lesson_size(&self) -> (usize, usize) {
        // Eight moves of a king, at most 27 of each other man.
        (8 + 27 * self.endgame.rules.others_count(), 1)
    }
}

impl ZeroNetwork for EndgameTrainer {
    fn judge(&self) -> Box<dyn Judge> {
        Box::new(self.network())
    }

    fn judge_by(&mut self, file: &[u8]) -> Result<(), LearnError> {
        let network = EndgameNetwork::from_file(file)?;
        let rules = &network.endgame.rules;
        let (policy, value) = (&self.networks.policy.mlp, &self.networks.value.mlp);
        let fits = (rules.material(), rules.board()) == (self.material, self.board)
            && network.policy.shape() == policy.shape()
            && network.value.shape() == value.shape();
        if !fits {
            return Err(LearnError::Weights);
        }
        self.network = OnceLock::from(Arc::new(network));
        Ok(())
    }

    fn start_from(&mut self, file: &[u8]) -> Result<(), LearnError> {
        self.judge_by(file)?;
        let network = self.network();
        self.networks = ActorCritic::new(network.policy.clone(), network.value.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &[&Lesson], rate: f64) -> Losses {
        let (mut inputs, mut rows) = (Lists::default(), Lists::default());
        for lesson in batch {
            let bytes = lesson.sight[0].to_le_bytes();
            // What was noted down was a position.
            let men = from_bytes(&bytes[..6]).expect("a position");
            self.sight.show(men, &mut inputs);
            for &m in &lesson.moves {
                self.sight.add_rows(men, few_move(m), &mut rows);
            }
            rows.end();
        }
        self.network = OnceLock::new();
        let each = self.sight.extents().rows_a_move;
        pair::learn(&mut self.networks, batch, &inputs, &rows, each, rate)
    }

    fn bytes(&self) -> u64 {
        let (policy, value) = (&self.networks.policy.mlp, &self.networks.value.mlp);
        4 * (policy.shape().weights() + value.shape().weights()) as u64
    }

    fn to_file(&self) -> Vec<u8> {
        self.network().to_file()
    }

    fn save(&self, out: &mut Writer) {
        self.networks.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.network = OnceLock::new();
        self.networks.load(from)
    }
}
