//! Small networks that guess the distance to mate, counted in bytes: what the two recipes of
//! document S share.
//!
//! A [`Student`] is a network in training and the network it has become so far, played by
//! [`TinyNetwork`]. By itself it looks as far as the positions it was trained on: white moves where
//! the guess is smallest, after black's best answer if the network wants white to move. With a
//! search (`run:FOLDER,depth=4`, `run:FOLDER,game=1`) it is the evaluation at the leaves.

use std::sync::{Arc, Mutex, MutexGuard};

use play::{
    TinyNetwork,
    features::View,
    tiny_network::{Blueprint, MAX_HIDDEN},
};
use rules::{BoardEnding, Color, FewMen, FewMove};

use crate::{
    Endgame, LearnError,
    net::{DenseTrainer, Examples, Schedule},
    runs::record::{Reader, Writer},
};

/// The share of the training after which weights are rounded as they will be stored.
const ROUNDED_FROM: f64 = 0.3;
/// A position that is not won, to a greedy player.
const LOST: f32 = 1e6;

/// A network in training.
pub struct Student {
    blueprint: Blueprint,
    /// The framework's tensors may not be shared between threads.
    trainer: Mutex<DenseTrainer>,
    network: Mutex<Option<Arc<TinyNetwork>>>,
}

impl Student {
    /// A network with random weights that answers about `mean` at first.
    ///
    /// # Errors
    /// When the blueprint makes no sense.
    pub fn new(blueprint: Blueprint, mean: f32, seed: u64) -> Result<Student, LearnError> {
        let refuse = |name: &str, value: String, why: &str| {
            Err(LearnError::BadSetting {
                name: name.into(),
                value,
                why: why.into(),
            })
        };
        if !(1..=MAX_HIDDEN).contains(&blueprint.hidden) {
            return refuse("hidden", blueprint.hidden.to_string(), "1 to 64");
        }
        if !(2..=8).contains(&blueprint.bits) {
            return refuse("bits", blueprint.bits.to_string(), "2 to 8");
        }
        Ok(Student {
            trainer: Mutex::new(DenseTrainer::new(&blueprint, mean, seed)),
            blueprint,
            network: Mutex::new(None),
        })
    }

    /// The same network, weights of more than `cut` times the usual size being cut off.
    #[must_use]
    pub fn cutting(mut self, cut: f32) -> Student {
        let trainer = self.trainer.into_inner().unwrap_or_else(|e| e.into_inner());
        self.trainer = Mutex::new(trainer.cutting(cut));
        self
    }

    fn lock(&self) -> MutexGuard<'_, DenseTrainer> {
        self.trainer.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Bytes of the weights as they are stored.
    pub fn bytes(&self) -> u64 {
        self.blueprint.weight_bytes() as u64
    }

    /// Adds an example's inputs.
    pub fn tell(&self, view: &View, examples: &mut Examples) {
        let rows = self.blueprint.rows();
        let start = examples.inputs.len();
        examples.inputs.resize(start + rows, 0.0);
        let mut active = Vec::with_capacity(self.blueprint.inputs.len());
        self.blueprint.active(view, &mut active);
        for (row, factor) in active {
            examples.inputs[start + row] = factor;
        }
    }

    /// Learns from examples at a point `course` of the training, 0 to 1; returns the mean squared
    /// error before.
    pub fn learn(&mut self, examples: &Examples, course: f64, rate: f64, ranking: f32) -> f32 {
        let rate = Schedule::falling(rate).at(0, course);
        *self.network.get_mut().unwrap_or_else(|e| e.into_inner()) = None;
        let rounded = course >= ROUNDED_FROM;
        self.lock().learn(examples, rate, rounded, ranking)
    }

    /// The answers of the framework and of the plain loops to some positions, both with the weights
    /// as they are stored.
    pub fn both_answers(&self, endgame: &Endgame, positions: &[FewMen]) -> Vec<(f32, f32)> {
        let network = self.network();
        let mut examples = Examples::default();
        let mut plain = Vec::new();
        for &men in positions {
            if let Some(view) = View::of_few_men(&endgame.rules, men) {
                self.tell(&view, &mut examples);
                plain.push(network.moves(&view));
            }
        }
        let framework = self.lock().answers(&examples.inputs);
        framework.into_iter().zip(plain).collect()
    }

    /// The network as it is now.
    pub fn network(&self) -> Arc<TinyNetwork> {
        let mut network = self.network.lock().unwrap_or_else(|e| e.into_inner());
        let made = network.get_or_insert_with(|| {
            let weights = self.lock().weights();
            let network = TinyNetwork::new(self.blueprint.clone(), weights);
            // The trainer was made from the same blueprint, and rounds to its bits.
            Arc::new(network.expect("weights fit their blueprint"))
        });
        made.clone()
    }

    /// Writes weights and the state of the optimiser.
    pub fn save(&self, out: &mut Writer) {
        self.lock().save(out);
    }

    /// Reads what [`Student::save`] wrote.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        *self.network.get_mut().unwrap_or_else(|e| e.into_inner()) = None;
        self.lock().load(from)
    }

    /// The move that the network's guess alone prefers.
    pub fn choose(&self, endgame: &Endgame, men: FewMen) -> Option<FewMove> {
        let network = self.network();
        let rules = &endgame.rules;
        let after = |m: FewMove| worth(&network, endgame, rules.after(men, m));
        let targets = rules.targets(men);
        let moves = targets.iter().map(|m| (after(m), m));
        let by_worth = |a: &(f32, FewMove), b: &(f32, FewMove)| a.0.total_cmp(&b.0);
        // The first of equal moves, for either side.
        match men.turn {
            Color::White => moves.min_by(by_worth),
            Color::Black => moves.min_by(|a, b| by_worth(b, a)),
        }
        .map(|(_, m)| m)
    }
}

/// White's moves to mate as the network sees it, behind one more move if it wants the other side to
/// be on turn.
fn worth(network: &TinyNetwork, endgame: &Endgame, men: FewMen) -> f32 {
    let rules = &endgame.rules;
    let targets = rules.targets(men);
    match rules.ending(men, &targets) {
        Some(BoardEnding::Checkmate) if men.turn == Color::Black => return -1.0,
        Some(_) => return LOST,
        None => {}
    }
    let wanted = if network.blueprint().bare_to_move {
        Color::Black
    } else {
        Color::White
    };
    if men.turn == wanted {
        let view = View::of_few_men(rules, men);
        return view.map_or(LOST, |view| network.moves(&view));
    }
    let answers = targets.iter().map(|m| {
        let next = rules.after(men, m);
        if men.turn == Color::Black && next.others[..rules.others_count()].contains(&None) {
            return LOST;
        }
        match rules.ending(next, &rules.targets(next)) {
            Some(BoardEnding::Checkmate) if men.turn == Color::White => return -1.0,
            Some(_) => return LOST,
            None => {}
        }
        View::of_few_men(rules, next).map_or(LOST, |view| network.moves(&view))
    });
    match men.turn {
        Color::White => answers.fold(LOST, f32::min),
        Color::Black => answers.fold(-1.0, f32::max),
    }
}
