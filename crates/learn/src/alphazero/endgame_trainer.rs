//! The network of an endgame in training.

use std::sync::{Arc, OnceLock};

use play::Evaluator;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, FewMove, Game, Material, Move, Position, Square};

use super::{
    endgame_network::{ENDINGS, EndgameEvaluator, EndgameNetwork, ending},
    lesson::{Lesson, packed},
    network::{Losses, ZeroNetwork},
};
use crate::{
    Endgame, Folding, LearnError,
    endgames::sight::{EndgameSight, from_bytes, to_bytes},
    net::plain::{
        Activation, Lists, Mlp, MlpShape,
        actor_critic::ActorCritic,
        chances::{likeliest, to_chances},
        mlp_trainer::Part,
    },
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

/// The length of the weights of an answer at the beginning: every move as likely as the next, nearly.
const LAST: f32 = 0.01;

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
        let extents = sight.extents();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let shape = |outputs| MlpShape {
            inputs: extents.inputs,
            width,
            outputs,
            activation: Activation::Relu,
        };
        let policy = Mlp::random(shape(extents.rows), LAST, &mut random);
        let value = Mlp::random(shape(ENDINGS), LAST, &mut random);
        Ok(EndgameTrainer {
            material,
            board,
            sight,
            networks: ActorCritic::new(policy, value),
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

impl ZeroNetwork for EndgameTrainer {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        Box::new(EndgameEvaluator::new(self.network()))
    }

    fn note(&self, game: &Game, shares: &[(Move, f32)]) -> Lesson {
        let network = self.network();
        // The learner's own games have the endgame's own men.
        let view = network.view(game.position()).expect("men of the endgame");
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
        let rules = &self.network().endgame.rules;
        let men = from_bytes(&sight.to_le_bytes()[..6]);
        let last = 64 * (1 + rules.others_count()) as u16;
        men.is_some_and(|men| rules.is_possible(men)) && lesson.moves.iter().all(|&m| m < last)
    }

    fn suits(&self, position: &Position) -> bool {
        self.network().view(position).is_some()
    }

    fn lesson_size(&self) -> (usize, usize) {
        // Eight moves of a king, at most 27 of each other man.
        (8 + 27 * self.network().endgame.rules.others_count(), 1)
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
        let scale = 1.0 / batch.len() as f32;
        let each = self.sight.extents().rows_a_move;
        let samples: Vec<u32> = (0..batch.len() as u32).collect();
        let parts = self.networks.step(
            &inputs,
            &samples,
            rate,
            |policy, samples, part| {
                policy_part(policy, batch, (&inputs, &rows), each, samples, scale, part)
            },
            |value, samples, part| value_part(value, batch, &inputs, samples, scale, part),
        );
        self.network = OnceLock::new();
        let mut losses = Losses::default();
        for part in &parts {
            losses.add(part, f64::from(scale));
        }
        losses
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

/// Shows the policy some lessons and works out the gradients of its surprise at the search's moves;
/// what it tells are sums.
fn policy_part(
    policy: &Mlp,
    batch: &[&Lesson],
    (inputs, rows): (&Lists, &Lists),
    each: usize,
    samples: &[u32],
    scale: f32,
    part: &mut Part,
) -> Losses {
    let places = || samples.iter().map(|&sample| sample as usize);
    policy.hidden(inputs, places(), &mut part.hidden);
    part.answers.clear();
    let mut losses = Losses::default();
    let mut logs = Vec::new();
    for (place, sample) in places().enumerate() {
        let second = policy.second_of(&part.hidden, place);
        let rows = rows.rows(sample);
        logs.clear();
        logs.extend(rows.chunks_exact(each).map(|rows| {
            let answers = rows.iter().map(|&row| policy.answer(second, row));
            answers.sum::<f32>()
        }));
        to_chances(&mut logs);
        let lesson = batch[sample];
        for ((&log, share), rows) in logs
            .iter()
            .zip(lesson.shares())
            .zip(rows.chunks_exact(each))
        {
            losses.policy -= f64::from(share * log);
            losses.entropy -= f64::from(log.exp() * log);
            for &row in rows {
                part.answers.push(row.into(), scale * (log.exp() - share));
            }
        }
        part.answers.end();
        let shares: Vec<f32> = lesson.shares().collect();
        losses.agreed += f64::from(u8::from(likeliest(&logs) == likeliest(&shares)));
    }
    policy.back(&part.answers, &mut part.hidden);
    losses
}

/// The same for the critic, which is to say how the games ended.
fn value_part(
    value: &Mlp,
    batch: &[&Lesson],
    inputs: &Lists,
    samples: &[u32],
    scale: f32,
    part: &mut Part,
) -> Losses {
    let places = || samples.iter().map(|&sample| sample as usize);
    value.hidden(inputs, places(), &mut part.hidden);
    part.answers.clear();
    let mut losses = Losses::default();
    for (place, sample) in places().enumerate() {
        let logs = ending(value, value.second_of(&part.hidden, place));
        let target = batch[sample].ending;
        for (row, (log, share)) in logs.into_iter().zip(target).enumerate() {
            losses.value -= f64::from(share * log);
            part.answers.push(row, scale * (log.exp() - share));
        }
        part.answers.end();
        let expected = |[loss, _, win]: [f32; 3]| win - loss;
        let error = expected(logs.map(f32::exp)) - expected(target);
        losses.calibration += f64::from(error * error);
    }
    value.back(&part.answers, &mut part.hidden);
    losses
}
