//! The small network of whole games in training.

use std::sync::{Arc, OnceLock};

use play::Evaluator;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, Game, Move, Position};

use super::{
    dense_network::{DenseEvaluator, DenseNetwork, MOVES, extents},
    lesson::{Lesson, packed},
    network::{Judge, Losses, ZeroNetwork},
    pair::{self, random_pair},
};
use crate::{
    LearnError,
    chess::{MoveKind, Seen},
    imitation::MOST_MOVES,
    net::plain::{Lists, actor_critic::ActorCritic},
    runs::record::{Reader, Writer},
};

/// A policy and a critic of whole games in training.
pub(super) struct DenseTrainer {
    networks: ActorCritic,
    /// The network as it is now, once someone has asked for it.
    network: OnceLock<Arc<DenseNetwork>>,
}

/// Kinds of moves that a word of a lesson holds.
const KINDS_A_WORD: usize = 4;

impl DenseTrainer {
    /// Networks with random weights.
    pub fn new(width: usize, seed: u64) -> DenseTrainer {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        DenseTrainer {
            networks: random_pair(extents(), width, &mut random),
            network: OnceLock::new(),
        }
    }

    /// The network as it is now.
    fn network(&self) -> Arc<DenseNetwork> {
        let network = self.network.get_or_init(|| {
            let (policy, value) = (&self.networks.policy.mlp, &self.networks.value.mlp);
            let network = DenseNetwork::new(policy.clone(), value.clone());
            Arc::new(network.expect("tables of its own sizes"))
        });
        network.clone()
    }
}

/// What is seen of a lesson's position, and the rows of its moves; `None` when no position could look
/// so.
fn seen(lesson: &Lesson) -> Option<(Seen, impl Iterator<Item = Option<[u16; 3]>>)> {
    let (sets, kinds) = lesson.sight.split_at_checked(Seen::WORDS)?;
    if kinds.len() != lesson.moves.len().div_ceil(KINDS_A_WORD) {
        return None;
    }
    let rows = lesson.moves.iter().enumerate().map(|(i, &number)| {
        let kind = kinds[i / KINDS_A_WORD] >> (16 * (i % KINDS_A_WORD));
        MoveKind(kind as u16).rows(number)
    });
    Some((Seen::from_words(sets)?, rows))
}

impl Judge for Arc<DenseNetwork> {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        Box::new(DenseEvaluator::new(self.clone()))
    }

    fn note(&self, game: &Game, shares: &[(Move, f32)]) -> Lesson {
        let position = game.position();
        let moves: Vec<Move> = shares.iter().map(|&(m, _)| m).collect();
        let mut rows = Lists::default();
        MOVES.rows(position, &moves, false, &mut rows);
        let rows = rows.rows(0).as_chunks::<3>().0.iter();
        let told: Vec<(u16, MoveKind)> = rows.map(|&rows| MoveKind::of_rows(rows)).collect();
        let mut sight = Seen::with_attacks(position, game.repetitions() > 1)
            .words()
            .to_vec();
        sight.extend(told.chunks(KINDS_A_WORD).map(|kinds| {
            let kinds = kinds.iter().rev();
            kinds.fold(0, |word, (_, kind)| word << 16 | u64::from(kind.0))
        }));
        Lesson {
            sight: sight.into(),
            moves: told.iter().map(|&(number, _)| number).collect(),
            shares: packed(shares.iter().map(|&(_, share)| share)),
            ending: [0.0; 3],
            surprise: 0.0,
        }
    }

    fn knows(&self, lesson: &Lesson) -> bool {
        seen(lesson).is_some_and(|(_, mut rows)| rows.all(|rows| rows.is_some()))
    }

    fn suits(&self, position: &Position) -> bool {
        position.board() == Board::STANDARD
    }

    fn lesson_size(&self) -> (usize, usize) {
        let words = Seen::WORDS + MOST_MOVES.div_ceil(KINDS_A_WORD);
        (MOST_MOVES, words)
    }
}

impl ZeroNetwork for DenseTrainer {
    fn judge(&self) -> Box<dyn Judge> {
        Box::new(self.network())
    }

    fn judge_by(&mut self, file: &[u8]) -> Result<(), LearnError> {
        let network = DenseNetwork::from_file(file)?;
        let (policy, value) = (&self.networks.policy.mlp, &self.networks.value.mlp);
        if network.policy.shape() != policy.shape() || network.value.shape() != value.shape() {
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
            // What was noted down here was a position, and what came from elsewhere was looked at.
            let (sets, moves) = seen(lesson).expect("a position");
            sets.list(&mut inputs);
            inputs.end();
            for row in moves.flat_map(|rows| rows.expect("a move")) {
                rows.push(row.into(), 0.0);
            }
            rows.end();
        }
        self.network = OnceLock::new();
        let each = extents().rows_a_move;
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

#[cfg(test)]
mod tests {
    use rules::Rules;

    use super::*;

    /// A lesson tells the policy one move of each of two positions: it learns them.
    #[test]
    fn it_learns_what_it_is_told() {
        let fens = [
            "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "8/1P1k4/8/8/8/8/6K1/8 w - - 0 90",
        ];
        let mut trainer = DenseTrainer::new(32, 1);
        let lessons = fens.map(|fen| {
            let game = Game::new(Position::from_fen(fen).unwrap(), Rules::default());
            let moves = game.position().legal_moves();
            let told = moves.len() - 1;
            let shares = moves.iter().enumerate();
            let shares: Vec<_> = shares
                .map(|(i, &m)| (m, f32::from(u8::from(i == told))))
                .collect();
            let mut lesson = trainer.judge().note(&game, &shares);
            lesson.ending = [0.0, 0.0, 1.0];
            assert!(lesson.is_sound() && trainer.judge().knows(&lesson));
            lesson
        });
        let batch: Vec<&Lesson> = lessons.iter().cycle().take(16).collect();
        let first = trainer.learn(&batch, 0.01);
        let mut last = first;
        for _ in 0..60 {
            last = trainer.learn(&batch, 0.01);
        }
        assert!(last.policy < 0.05 && first.policy > 2.0, "{last:?}");
        assert!(last.value < 0.05 && first.value > 1.0, "{last:?}");
        assert_eq!(last.agreed, 1.0);

        let mut out = Writer::default();
        trainer.save(&mut out);
        let (bytes, mut other) = (out.into_bytes(), DenseTrainer::new(32, 2));
        other.load(&mut Reader::new(&bytes)).unwrap();
        assert_eq!(other.to_file(), trainer.to_file());
        other.judge_by(&trainer.to_file()).unwrap();
        assert!(
            DenseTrainer::new(16, 1)
                .judge_by(&trainer.to_file())
                .is_err()
        );
    }

    #[test]
    fn what_could_not_have_been_noted_is_refused() {
        let trainer = DenseTrainer::new(8, 1);
        let game = Game::new(Position::start(), Rules::default());
        let moves = game.position().legal_moves();
        let shares: Vec<_> = moves.iter().map(|&m| (m, 0.05)).collect();
        let lesson = trainer.judge().note(&game, &shares);
        assert!(trainer.judge().knows(&lesson));
        let mut short = lesson.clone();
        short.sight = lesson.sight[1..].into();
        let mut wrong_kind = lesson.clone();
        wrong_kind.sight[Seen::WORDS] = u64::MAX;
        let mut wrong_move = lesson;
        wrong_move.moves[0] = u16::MAX;
        for lesson in [short, wrong_kind, wrong_move] {
            assert!(!trainer.judge().knows(&lesson));
        }
    }
}
