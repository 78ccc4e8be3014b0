//! The learner of masters' moves.

use std::{
    path::Path,
    sync::{Arc, Mutex, OnceLock, atomic::AtomicBool},
};

use play::{Evaluators, Nature, Prepared, Registry, Settings, SpecError};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::{
    ImitationEvaluator, ImitationNetwork, Judging, Library, SIGHTS, dense_network,
    dense_trainer::DenseTrainer,
};
use crate::{
    Course, Episode, Episodes, LearnError, Learner, LearnerMaker, LearnerSettings, Learns, Metrics,
    Recipe, Task,
    games::Split,
    learner::{below, go_on},
    net::{
        Schedule, TowerBatch, TowerLosses, TowerRates, TowerShape, TowerTraining, tower_trainer,
    },
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
    whole_games::{players_without_search, share_won, without_search},
};

settings! {
    /// The settings of the learner.
    pub struct ImitationSettings {
        /// A file of games; `lucena games import` makes one.
        data: String = String::new();
        /// The share of the games that is held out, in percent.
        held_out: f64 = 2.0, 0.0..=100.0;
        /// How many held-out positions are judged at every point of the curve.
        judged: usize = 512, 0.0..=1e7;
        /// The tower's blocks from below, a letter each: `r` plain convolutions, `c` with scales, `a` attention; or `dense`: two hidden layers, for a processor.
        blocks: String = "cccccacccccca".into();
        /// Numbers for each square; of a dense network, neurons of a hidden layer.
        width: usize = 64, 1.0..=4096.0;
        /// Numbers between the two layers that scale a block of convolutions.
        squeeze: usize = 16, 1.0..=4096.0;
        /// Heads of attention.
        heads: usize = 4, 1.0..=64.0;
        /// Numbers between the two layers after attention.
        hidden: usize = 256, 1.0..=16_384.0;
        /// Numbers by which the two squares of a move are matched.
        keys: usize = 64, 1.0..=4096.0;
        /// Positions in a batch.
        batch: usize = 4096, 1.0..=65_536.0;
        /// The highest learning rate.
        rate: f64 = 3e-3, 0.0..=1.0;
        /// Batches over which the rate rises.
        warm_up: u64 = 500, 0.0..=1e9;
        /// Matrices shrink by this times the rate.
        decay: f64 = 0.03, 0.0..=10.0;
        /// What knowing the ending is worth beside knowing the move.
        ending: f64 = 0.1, 0.0..=100.0;
        /// Of a tower: the share of the averaged weights that a batch leaves as it is.
        average: f64 = 0.999, 0.0..=1.0;
        /// Where it is trained: `cpu`; or `cuda` (a GPU) and `libtorch` (the processor) in a program
        /// built with libtorch.
        device: String = "cpu".into();
    }
}

impl ImitationSettings {
    /// The first setting that is another than usual and that only a tower knows.
    fn of_a_tower(&self) -> Option<(&'static str, String)> {
        let usual = ImitationSettings::default();
        [
            ("squeeze", self.squeeze, usual.squeeze),
            ("heads", self.heads, usual.heads),
            ("hidden", self.hidden, usual.hidden),
            ("keys", self.keys, usual.keys),
        ]
        .into_iter()
        .find(|(_, own, usual)| own != usual)
        .map(|(name, own, _)| (name, own.to_string()))
        .or_else(|| (self.average != usual.average).then(|| ("average", self.average.to_string())))
    }
}

/// Legal moves there is room for in training; few positions have more.
const ROOM: usize = 80;
/// How fast what is told of the batches fades.
const FADE: f64 = 0.95;

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "imitation",
    summary: "a network that learns the moves of masters from a file of games; episodes are batches",
    taught: false,
    whole_game: true,
    episodes: Episodes::Batches,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<ImitationSettings>(),
};

impl LearnerSettings for ImitationSettings {
    const SETTINGS: &[Setting] = ImitationSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        Ok(Box::new(Imitation::new(self, course)?))
    }
}

/// What kind of network learns.
enum Form {
    Tower(TowerShape),
    /// Two hidden layers of so many neurons.
    Dense(usize),
}

/// How the setting `blocks` names it.
const DENSE: &str = "dense";

/// The learner.
pub struct Imitation {
    settings: ImitationSettings,
    course: Course,
    form: Form,
    split: Split,
    done: u64,
    /// What the last batches were like; fading means.
    told: TowerLosses,
    right: f64,
    /// The framework's tensors may not be shared between threads.
    trainer: Mutex<Box<dyn TowerTraining>>,
    /// The games; read when they are needed, for a player needs none.
    library: OnceLock<Arc<Library>>,
    /// The order of the positions in the present pass, and which pass that is.
    order: (u64, Vec<u32>),
    /// A batch that was made ahead, and its number.
    ahead: Option<(u64, TowerBatch)>,
    /// The network as it is now, once someone has asked for it.
    network: OnceLock<Arc<ImitationNetwork>>,
}

impl Form {
    fn of(settings: &ImitationSettings) -> Form {
        if settings.blocks == DENSE {
            return Form::Dense(settings.width);
        }
        Form::Tower(TowerShape {
            inputs: SIGHTS,
            width: settings.width,
            blocks: settings.blocks.clone(),
            squeeze: settings.squeeze,
            heads: settings.heads,
            hidden: settings.hidden,
            keys: settings.keys,
        })
    }

    fn weights(&self) -> usize {
        match self {
            Form::Tower(shape) => shape.weights(),
            Form::Dense(width) => dense_network::shape(*width).weights(),
        }
    }
}

impl Imitation {
    /// A learner that knows nothing yet.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn new(settings: ImitationSettings, course: Course) -> Result<Imitation, LearnError> {
        let refuse = |name: &str, value: String, why: &str| LearnError::BadSetting {
            name: name.into(),
            value,
            why: why.into(),
        };
        if course.task != Task::Chess {
            let why = "this recipe learns the whole game: leave the endgame out";
            return Err(refuse("endgame", course.task.to_string(), why));
        }
        if settings.data.is_empty() {
            let why =
                "name a file of games, such as data=masters.games; 'lucena games import' makes one";
            return Err(refuse("data", "''".into(), why));
        }
        let held_out = settings.held_out.to_string();
        let split = held_out
            .parse::<Split>()
            .map_err(|error| refuse("held_out", held_out, &error.to_string()))?;
        let form = Form::of(&settings);
        if let (Form::Dense(_), Some((name, value))) = (&form, settings.of_a_tower()) {
            let why = "it is a tower's; with blocks=dense it would change nothing";
            return Err(refuse(name, value, why));
        }
        let rates = TowerRates {
            decay: settings.decay,
            ending: settings.ending,
            average: settings.average,
        };
        let trainer = match (&form, settings.device.as_str()) {
            (Form::Tower(shape), device) => tower_trainer(shape, rates, course.seed, device)?,
            (Form::Dense(width), "cpu") => Box::new(DenseTrainer::new(*width, rates, course.seed)),
            (Form::Dense(_), device) => {
                let why = "a dense network learns on the processor: device=cpu";
                return Err(refuse("device", device.into(), why));
            }
        };
        Ok(Imitation {
            settings,
            course,
            form,
            split,
            done: 0,
            told: TowerLosses::default(),
            right: 0.0,
            trainer: Mutex::new(trainer),
            library: OnceLock::new(),
            order: (u64::MAX, Vec::new()),
            ahead: None,
            network: OnceLock::new(),
        })
    }

    /// The games.
    fn library(&self) -> Result<Arc<Library>, LearnError> {
        if let Some(library) = self.library.get() {
            return Ok(library.clone());
        }
        let refuse = |why: String| LearnError::BadSetting {
            name: "data".into(),
            value: self.settings.data.clone(),
            why,
        };
        let library = Library::open(Path::new(&self.settings.data), self.split)
            .map_err(|error| refuse(error.to_string()))?;
        if library.training().len() < self.settings.batch {
            return Err(refuse(format!(
                "its games have {} positions to learn from, fewer than a batch",
                library.training().len()
            )));
        }
        Ok(self.library.get_or_init(|| Arc::new(library)).clone())
    }

    /// The network as it is now.
    ///
    /// # Panics
    /// Never: the weights are those of the shape.
    pub fn network(&self) -> Arc<ImitationNetwork> {
        let network = self.network.get_or_init(|| {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            let weights = trainer.weights();
            let network = match &self.form {
                Form::Tower(shape) => ImitationNetwork::new(shape.clone(), &weights),
                Form::Dense(width) => ImitationNetwork::dense(*width, &weights),
            };
            Arc::new(network.expect("weights of this form"))
        });
        network.clone()
    }

    /// The positions of a batch: every pass over the games in another order.
    fn picks(&mut self, number: u64, positions: usize) -> Vec<usize> {
        let size = self.settings.batch;
        let in_pass = (positions / size) as u64;
        let (pass, at) = (number / in_pass, (number % in_pass) as usize);
        if self.order.0 != pass {
            let mut random = ChaCha8Rng::seed_from_u64(self.course.seed ^ 0x6c75_6365_6e61);
            random.set_stream(pass);
            let mut order: Vec<u32> = (0..positions as u32).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, below(&mut random, i + 1));
            }
            self.order = (pass, order);
        }
        let picks = self.order.1[at * size..][..size].iter();
        picks.map(|&pick| pick as usize).collect()
    }
}

impl Learner for Imitation {
    fn prepare(&mut self) -> Result<(), LearnError> {
        self.library().map(drop)
    }

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        go_on(stop)?;
        let library = self.library()?;
        let positions = library.training().len();
        let batch = match self.ahead.take() {
            Some((number, batch)) if number == self.done => batch,
            _ => library.batch(&self.picks(self.done, positions), ROOM),
        };
        let next = self.done + 1;
        let course = self.done as f64 / self.course.episodes.max(1) as f64;
        let schedule = Schedule {
            rate: self.settings.rate,
            warm_up: self.settings.warm_up,
            settle: 0.0,
        };
        let rate = schedule.at(self.done, course);
        let picks = (next < self.course.episodes).then(|| self.picks(next, positions));
        // The next batch is made while this one is learned from.
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        let (ahead, losses) = std::thread::scope(|scope| {
            let library = &library;
            let ahead = picks.map(|picks| scope.spawn(move || library.batch(&picks, ROOM)));
            let losses = trainer.learn(&batch, rate);
            (ahead.and_then(|ahead| ahead.join().ok()), losses)
        });
        self.ahead = ahead.map(|batch| (next, batch));
        self.done = next;
        self.network = OnceLock::new();
        let size = batch.played.len();
        let begun = if next == 1 { 0.0 } else { FADE };
        let mean = |mean: &mut f64, new: f64| *mean = *mean * begun + new * (1.0 - begun);
        mean(&mut self.told.moves, losses.moves);
        mean(&mut self.told.endings, losses.endings);
        mean(&mut self.right, f64::from(losses.right) / size as f64);
        Ok(Episode::Studied {
            examples: size as u32,
            right: Some(losses.right),
        })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        vec![
            ("training/loss_moves", self.told.moves),
            ("training/loss_endings", self.told.endings),
            ("training/right", self.right),
        ]
    }

    fn examine(&self) -> Vec<(&'static str, f64)> {
        // Whoever trains has read the games.
        let Some(library) = self.library.get() else {
            return Vec::new();
        };
        if self.settings.judged == 0 || library.held_out().is_empty() {
            return Vec::new();
        }
        let judged = self.settings.judged;
        let on_device = {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            trainer.answers()
        };
        let judging = match on_device {
            Some(mut tower) => Judging::on_device(tower.as_mut(), library, judged),
            None => Judging::of(&self.network(), library, judged, 0),
        };
        let matches = judging.matches;
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        vec![
            ("held_out/right", share(matches.right, matches.positions)),
            (
                "held_out/right_unseen",
                share(matches.unseen_right, matches.unseen),
            ),
        ]
    }

    fn players(self: Arc<Self>, name: &str, how: &Settings) -> Result<Prepared, SpecError> {
        let evaluators = ImitationEvaluator::many(self.network());
        players_without_search(name, how, evaluators, Nature::History)
    }

    fn evaluators(self: Arc<Self>) -> Option<Evaluators> {
        Some(ImitationEvaluator::many(self.network()))
    }

    fn evaluate(
        &self,
        opponent: &str,
        games: u32,
        seed: u64,
        registry: Option<&Registry>,
        stop: &AtomicBool,
    ) -> Result<f64, LearnError> {
        let evaluators = ImitationEvaluator::many(self.network());
        let player = || without_search("imitation", evaluators(), Nature::History);
        share_won(&player, opponent, games, seed, registry, stop)
    }

    fn bytes(&self) -> u64 {
        4 * self.form.weights() as u64
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("weights.safetensors", self.network().to_file())]
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.done);
        for told in [self.told.moves, self.told.endings, self.right] {
            out.f64(told);
        }
        let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
        trainer.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.told.moves = from.f64()?;
        self.told.endings = from.f64()?;
        self.right = from.f64()?;
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        trainer.load(from)?;
        self.ahead = None;
        self.network = OnceLock::new();
        Ok(())
    }
}
