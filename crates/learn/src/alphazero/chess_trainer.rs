//! The network of whole games in training: a tower, as in imitation.

use std::sync::{Arc, Mutex, OnceLock};

use play::Evaluator;
use rules::{Board, Game, Move, Position};

use super::{
    device_evaluator::DeviceEvaluator,
    lesson::{Lesson, packed},
    network::{Judge, Losses, ZeroNetwork},
};
use crate::{
    LearnError,
    games::PackedMove,
    imitation::{
        ImitationEvaluator, ImitationNetwork, MOST_MOVES, MOVES, SIGHTS, Scene, move_number,
    },
    net::{
        TowerBatch, TowerNetwork, TowerOnDevice, TowerRates, TowerShape, TowerTraining,
        tower_trainer,
    },
    runs::record::{Reader, Writer},
};

/// A tower in training.
pub(super) struct ChessTrainer {
    shape: TowerShape,
    /// The framework's tensors may not be shared between threads.
    trainer: Mutex<Box<dyn TowerTraining>>,
    /// The network as it is now, once someone has asked for it.
    network: OnceLock<Arc<ImitationNetwork>>,
    /// The same on the device, if it answers there.
    answers: OnceLock<Option<Answers>>,
}

/// What answers on a device goes to one thread at a time.
type Answers = Mutex<Box<dyn TowerOnDevice>>;

impl ChessTrainer {
    /// A tower with random weights.
    ///
    /// # Errors
    /// When its shape makes no sense, or there is no such device.
    pub fn new(
        blocks: &str,
        width: usize,
        seed: u64,
        device: &str,
    ) -> Result<ChessTrainer, LearnError> {
        let shape = TowerShape {
            inputs: SIGHTS,
            width,
            blocks: blocks.into(),
            squeeze: (width / 4).max(1),
            heads: if width.is_multiple_of(4) { 4 } else { 1 },
            hidden: 4 * width,
            keys: width,
        };
        let rates = TowerRates {
            decay: 0.01,
            ending: 1.0,
            average: 0.99,
        };
        Ok(ChessTrainer {
            trainer: Mutex::new(tower_trainer(&shape, rates, seed, device)?),
            shape,
            network: OnceLock::new(),
            answers: OnceLock::new(),
        })
    }

    /// The weights have changed.
    fn forget(&mut self) {
        self.network = OnceLock::new();
        self.answers = OnceLock::new();
    }

    /// The network as it is now, answering on the device.
    fn answers(&self) -> Option<Box<dyn TowerOnDevice>> {
        let answers = self.answers.get_or_init(|| {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            trainer.answers().map(Mutex::new)
        });
        let answers = answers.as_ref()?.lock().unwrap_or_else(|e| e.into_inner());
        Some(answers.again())
    }

    /// The tower of a network, if it has this one's form.
    fn own_tower<'n>(&self, network: &'n ImitationNetwork) -> Result<&'n TowerNetwork, LearnError> {
        let tower = network.tower().filter(|tower| *tower.shape() == self.shape);
        tower.ok_or(LearnError::Weights)
    }

    /// The network as it is now.
    pub fn network(&self) -> Arc<ImitationNetwork> {
        let network = self.network.get_or_init(|| {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            let network = ImitationNetwork::new(self.shape.clone(), &trainer.weights());
            Arc::new(network.expect("weights of this shape"))
        });
        network.clone()
    }
}

/// The tower as it was at some time.
enum ChessJudge {
    Here(Arc<ImitationNetwork>),
    OnDevice(Answers),
}

impl Judge for ChessJudge {
    fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            ChessJudge::Here(network) => Box::new(ImitationEvaluator::new(network.clone())),
            ChessJudge::OnDevice(answers) => {
                let answers = answers.lock().unwrap_or_else(|e| e.into_inner());
                Box::new(DeviceEvaluator::new(answers.again()))
            }
        }
    }

    fn note(&self, game: &Game, shares: &[(Move, f32)]) -> Lesson {
        let moments: Vec<_> = game.moments().take(Scene::MOMENTS).collect();
        let turn = game.position().turn();
        let number = |&(m, _): &(Move, f32)| {
            let m = PackedMove::new(m);
            move_number(turn.fold_wb(m, m.mirrored())) as u16
        };
        Lesson {
            sight: Scene::of(&moments).sight().into(),
            moves: shares.iter().map(number).collect(),
            shares: packed(shares.iter().map(|&(_, share)| share)),
            ending: [0.0; 3],
            surprise: 0.0,
        }
    }

    fn knows(&self, lesson: &Lesson) -> bool {
        let moves = lesson.moves.iter();
        lesson.sight.len() == SIGHTS && moves.copied().all(|m| usize::from(m) < MOVES)
    }

    fn suits(&self, position: &Position) -> bool {
        position.board() == Board::STANDARD
    }

    fn lesson_size(&self) -> (usize, usize) {
        (MOST_MOVES, SIGHTS)
    }
}

impl ZeroNetwork for ChessTrainer {
    fn judge(&self) -> Box<dyn Judge> {
        Box::new(match self.answers() {
            Some(answers) => ChessJudge::OnDevice(Mutex::new(answers)),
            None => ChessJudge::Here(self.network()),
        })
    }

    fn judge_by(&mut self, file: &[u8]) -> Result<(), LearnError> {
        let network = ImitationNetwork::from_file(file)?;
        self.own_tower(&network)?;
        self.network = OnceLock::from(Arc::new(network));
        self.answers = OnceLock::from(None);
        Ok(())
    }

    fn start_from(&mut self, file: &[u8]) -> Result<(), LearnError> {
        let network = ImitationNetwork::from_file(file)?;
        let weights = self.own_tower(&network)?.weights();
        self.forget();
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        trainer.start_from(&weights)
    }

    fn learn(&mut self, batch: &[&Lesson], rate: f64) -> Losses {
        let room = batch.iter().map(|lesson| lesson.moves.len()).max();
        let room = room.unwrap_or(1).max(1);
        let mut tower = TowerBatch {
            room,
            ..TowerBatch::default()
        };
        for lesson in batch {
            tower.sights.extend(&lesson.sight);
            tower.legal.extend(lesson.moves.iter().map(|&m| m as i16));
            tower.shares.extend(lesson.shares());
            let empty = room - lesson.moves.len();
            tower.legal.extend(std::iter::repeat_n(-1, empty));
            tower.shares.extend(std::iter::repeat_n(0.0, empty));
            let best = (0..lesson.shares.len())
                .rev()
                .max_by_key(|&i| lesson.shares[i]);
            tower.played.push(best.unwrap_or(0) as i16);
            tower.endings.push(-1);
            tower.results.extend(lesson.ending);
        }
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        let told = trainer.learn(&tower, rate);
        self.forget();
        Losses {
            policy: told.moves,
            value: told.endings,
            agreed: f64::from(told.right) / batch.len().max(1) as f64,
            ..Losses::default()
        }
    }

    fn bytes(&self) -> u64 {
        4 * self.shape.weights() as u64
    }

    fn to_file(&self) -> Vec<u8> {
        self.network().to_file()
    }

    fn save(&self, out: &mut Writer) {
        let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
        trainer.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.forget();
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        trainer.load(from)
    }
}
