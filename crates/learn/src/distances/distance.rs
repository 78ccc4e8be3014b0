//! A network that learns the distance to mate from exact tables.
//!
//! This recipe is the one that does *not* learn from play: the teacher is the solver, and the recipe
//! says so by name. What it answers is how much of an endgame fits into how few bytes, and a
//! certificate tells whether what fits is enough to mate from everywhere. An *episode* of the run is
//! one batch of examples; the result is a [`DistanceNetwork`].

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, OnceLock},
};

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Board, Color, FewMen, Material};
use truth::Oracle;

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    Course, Endgame, EndgameLearner, Episode, Episodes, Errata, Extent, Inputs, LearnError,
    Learner, LearnerMaker, LearnerSettings, Learns, Metrics, Preference, Recipe, Skill,
    distances::distance_network::{DistanceNetwork, DistanceShape, Frame, Reading},
    endgames::as_endgame_learner,
    learner::below,
    learner::go_on,
    net::{ClassTraining, Schedule, class_trainer},
    runs::metrics::POSITIONS_MET,
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
};

settings! {
    /// The settings of the learner.
    pub struct DistanceSettings {
        /// What the network is told: `squares`, `ways` or `king`.
        inputs: Inputs = Inputs::default();
        /// Numbers that are passed from layer to layer.
        width: usize = 128, 1.0..=4096.0;
        /// Layers between the first table and the last.
        layers: usize = 3, 0.0..=16.0;
        /// Bits to a stored weight, 2 to 8; 0 for exact weights of four bytes.
        bits: u32 = 4, 0.0..=8.0;
        /// Examples in a batch.
        batch: usize = 1024, 1.0..=1e6;
        /// The share of a batch that is drawn from examples which were wrong the last time.
        drill: f64 = 0.25, 0.0..=0.99;
        /// The learning rate at the start; it falls to zero along half a cosine.
        rate: f64 = 2e-3, 0.0..=1.0;
        /// The longest mate that has an answer of its own.
        longest: u8 = 34, 1.0..=200.0;
        /// Are the answers that are still wrong at the end kept beside the network?
        errata: bool = false;
        /// Where the network is trained: `cpu`; in a program built with libtorch also `cuda` (a GPU) or `libtorch`.
        device: String = "cpu".into();
    }
}

/// Batches over which the rate rises at the start.
const WARM_UP: u64 = 200;
/// The most wrong examples that are kept for the drill.
const MOST_WRONG: usize = 1 << 16;

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "distance-net",
    summary: "a network taught the distance to mate by exact tables; episodes are batches",
    taught: true,
    whole_game: false,
    episodes: Episodes::Batches,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<DistanceSettings>(),
};

impl LearnerSettings for DistanceSettings {
    const SETTINGS: &[Setting] = DistanceSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        let (material, board) = course.task.endgame()?;
        Ok(Box::new(DistanceLearner::new(
            self,
            material,
            board,
            course.episodes,
            course.seed,
        )?))
    }
}

/// The learner.
pub struct DistanceLearner {
    frame: Arc<Frame>,
    settings: DistanceSettings,
    batches: u64,
    seed: u64,
    done: u64,
    /// The framework's tensors may not be shared between threads.
    trainer: Mutex<Box<dyn ClassTraining>>,
    teacher: Option<Arc<dyn Oracle>>,
    examples: usize,
    /// The order of the examples in the present pass, and which pass that is.
    order: (u64, Vec<u32>),
    /// Examples that were wrong the last time, the oldest first.
    wrong: VecDeque<u32>,
    errata: Errata,
    /// The network as it is now, once someone has asked for a move.
    network: OnceLock<DistanceNetwork>,
}

impl DistanceLearner {
    /// A learner that knows nothing yet.
    ///
    /// # Errors
    /// When the endgame does not fit the compact form, or a setting makes no sense.
    pub fn new(
        settings: DistanceSettings,
        material: Material,
        board: Board,
        batches: u64,
        seed: u64,
    ) -> Result<DistanceLearner, LearnError> {
        let frame = Frame::new(DistanceShape {
            endgame: material.to_string(),
            board: board.size(),
            inputs: settings.inputs,
            width: settings.width,
            layers: settings.layers,
            bits: settings.bits,
            longest: settings.longest,
            reading: Reading::Median,
        })?;
        Ok(DistanceLearner {
            trainer: Mutex::new(class_trainer(frame.size(), seed, &settings.device, false)?),
            frame: Arc::new(frame),
            settings,
            batches,
            seed,
            done: 0,
            teacher: None,
            examples: 0,
            order: (u64::MAX, Vec::new()),
            wrong: VecDeque::new(),
            errata: Errata::default(),
            network: OnceLock::new(),
        })
    }

    /// The network as it is now.
    pub fn network(&self) -> &DistanceNetwork {
        self.network.get_or_init(|| {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            DistanceNetwork::new(self.frame.clone(), trainer.network(), self.errata.clone())
        })
    }

    fn trainer(&mut self) -> &mut dyn ClassTraining {
        &mut **self.trainer.get_mut().unwrap_or_else(|e| e.into_inner())
    }

    /// Every position with black to move that can occur, and what the teacher says of it.
    fn ask_teacher(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let teacher = self.teacher.as_ref().ok_or(LearnError::NoTeacher)?;
        let Endgame { rules, index } = &self.frame.endgame;
        let mut inputs = Vec::new();
        let mut classes = Vec::new();
        for number in 0..index.states() {
            go_on(stop)?;
            let men = index.position(number, Color::Black);
            let Some(men) = men.filter(|&men| rules.is_possible(men)) else {
                continue;
            };
            let Ok(position) = rules.position(men) else {
                continue;
            };
            if !self.frame.encoding.encode(men, &mut inputs) {
                continue; // a man has been taken
            }
            classes.push(self.frame.ask(teacher.as_ref(), &position)?);
        }
        self.examples = classes.len();
        self.wrong.retain(|&i| (i as usize) < classes.len()); // a record may say anything
        self.trainer().study(&inputs, &classes);
        Ok(())
    }

    /// The examples of the next batch: every pass in another order, and between them some that
    /// were wrong the last time.
    fn batch(&mut self) -> Vec<u32> {
        let size = self.settings.batch.min(self.examples);
        let drilled = (size as f64 * self.settings.drill) as usize;
        let fresh = size - drilled;
        let in_pass = (self.examples / fresh).max(1) as u64;
        let (pass, at) = (self.done / in_pass, (self.done % in_pass) as usize);
        if self.order.0 != pass {
            let mut random = ChaCha8Rng::seed_from_u64(self.seed ^ 0x6c75_6365_6e61);
            random.set_stream(pass);
            let mut order: Vec<u32> = (0..self.examples as u32).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, below(&mut random, i + 1));
            }
            self.order = (pass, order);
        }
        let order = &self.order.1;
        let mut batch = order[at * fresh..][..fresh].to_vec();
        let again = self.wrong.len().min(drilled);
        batch.extend(self.wrong.drain(..again));
        // Batches are of one size, whatever there is to drill: a GPU tunes itself to a size.
        let next = (at + 1) * fresh;
        batch.extend((next..next + drilled - again).map(|i| order[i % order.len()]));
        batch
    }

    /// Writes down what is still wrong.
    fn correct(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let teacher = self.teacher.clone().ok_or(LearnError::NoTeacher)?;
        self.network();
        if let Some(network) = self.network.get_mut() {
            network.correct(teacher.as_ref(), stop)?;
            self.errata = network.errata().clone();
        }
        Ok(())
    }

    fn rate(&self) -> f64 {
        let schedule = Schedule {
            rate: self.settings.rate,
            warm_up: WARM_UP,
            settle: 0.0,
        };
        let course = self.done as f64 / self.batches.max(1) as f64;
        schedule.at(self.done, course)
    }
}

impl Learner for DistanceLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        if self.examples == 0 {
            self.ask_teacher(stop)?;
        }
        let batch = self.batch();
        let rate = self.rate();
        let wrong = self.trainer().learn(&batch, rate);
        let right = batch.len() - wrong.len();
        self.wrong.extend(wrong);
        let surplus = self.wrong.len().saturating_sub(MOST_WRONG);
        self.wrong.drain(..surplus);
        self.done += 1;
        self.network = OnceLock::new();
        if self.settings.errata && self.done == self.batches {
            self.correct(stop)?;
        }
        Ok(Episode::Studied {
            examples: batch.len() as u32,
            right: Some(right as u32),
        })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        vec![(POSITIONS_MET, self.extent().visited as f64)]
    }

    fn bytes(&self) -> u64 {
        (self.frame.size().bytes() + self.errata.to_bytes().len()) as u64
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("weights.safetensors", self.network().to_file())]
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.done);
        out.u32s(self.wrong.iter().copied());
        out.bytes(&self.errata.to_bytes());
        let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
        trainer.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.wrong = from.u32s()?.collect();
        self.errata = Errata::from_bytes(from.bytes()?)?;
        self.trainer().load(from)?;
        self.network = OnceLock::new();
        Ok(())
    }
}

impl Skill for DistanceLearner {
    fn endgame(&self) -> &Endgame {
        &self.frame.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        self.network().choose(men)
    }

    fn distances(&self) -> Option<&DistanceNetwork> {
        Some(self.network())
    }
}

impl EndgameLearner for DistanceLearner {
    fn teach(&mut self, teacher: Arc<dyn Oracle>) {
        self.teacher = Some(teacher);
    }

    fn extent(&self) -> Extent {
        Extent {
            visited: self.examples as u64,
            visits: self.done * self.settings.batch as u64,
        }
    }
}
