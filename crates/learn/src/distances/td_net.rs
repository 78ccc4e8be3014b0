//! A network that learns the distance to mate from its own games.
//!
//! The learner plays against itself. Every position with black to move that a move of white's led
//! to, or could have led to, goes into its *memory*. At intervals it asks a frozen copy of its
//! network about all of them, and looks one move of each side ahead over all legal moves: black is
//! mated in as many moves as the reply that lasts longest allows, and one more. What comes out is
//! what the network studies next, in batches drawn from the memory, some of them drawn from what it
//! had wrong the last time. Nobody tells it who wins: the rules tell it mates, stalemates and lost
//! men, and everything else it has to conclude from its own answers (temporal differences).
//!
//! At first every answer is "never", so that mate in one becomes known in the first round, mate in
//! two in the second, and so on outwards. A network that was wrong somewhere passes its error on;
//! but the next copy is asked again, and answers that agree with each other everywhere agree with
//! the truth, because mates are fixed and every move counts one: there is exactly one such set of
//! answers. So the learner can tell when it has finished: when games bring nothing new, and when
//! every answer of the network in the memory is what looking ahead at its other answers says.

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Instant,
};

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Board, BoardEnding, Color, FewMen, FewMove, Material};

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    Costs, Course, Endgame, EndgameLearner, Episode, Episodes, Errata, Extent, LearnError, Learner,
    LearnerMaker, LearnerSettings, Learns, Metrics, Preference, Recipe, Skill,
    distances::backup,
    distances::distance_network::{DistanceNetwork, DistanceShape, Frame, Reading},
    distances::memory::Memory,
    distances::study::Study,
    endgames::as_endgame_learner,
    learner::go_on,
    learner::{below, load_random, save_random},
    net::{ClassTraining, Schedule, class_trainer},
    runs::metrics::{EPSILON, POSITIONS_MET},
    runs::record::{Reader, Writer},
    runs::settings::Setting,
};

pub use crate::distances::td_net_settings::{TdNetSettings, Trust};

/// Batches over which the rate rises at the start.
const WARM_UP: u64 = 200;
/// Batches from one look at the network for its average to the next.
const AVERAGE_EVERY: u64 = 10;

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "td-net",
    summary: "a network that learns the distance to mate from its own games: it corrects its answers by looking \
              one move ahead, and stops when all of them agree",
    taught: false,
    whole_game: false,
    episodes: Episodes::Games,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<TdNetSettings>(),
};

impl LearnerSettings for TdNetSettings {
    const SETTINGS: &[Setting] = TdNetSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        let (material, board) = course.task.endgame()?;
        Ok(Box::new(TdNetLearner::new(
            self,
            material,
            board,
            course.episodes,
            course.seed,
        )?))
    }
}

/// The learner.
pub struct TdNetLearner {
    frame: Arc<Frame>,
    settings: TdNetSettings,
    games: u64,
    random: ChaCha8Rng,
    played: u64,
    /// White's moves so far.
    moves: u64,
    /// The game at which the last new position was met.
    last_new: u64,
    memory: Memory,
    /// The lock is for moves asked for from several threads.
    trainer: Mutex<Box<dyn ClassTraining>>,
    study: Study,
    /// What the network is to answer, for the first positions of the memory.
    targets: Vec<u8>,
    /// How often the network has been asked.
    rounds: u64,
    /// Batches of all rounds, and of this one.
    batches: u64,
    since: u64,
    /// How many answers disagreed with looking ahead, the last time.
    disagreeing: u64,
    finished: bool,
    costs: Costs,
    /// The network as it is now, once someone has asked for a move.
    network: OnceLock<DistanceNetwork>,
}

impl TdNetLearner {
    /// A learner that knows nothing, for a run of `games`.
    ///
    /// # Errors
    /// When the endgame does not fit the compact form, or a setting makes no sense.
    pub fn new(
        settings: TdNetSettings,
        material: Material,
        board: Board,
        games: u64,
        seed: u64,
    ) -> Result<TdNetLearner, LearnError> {
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
        if settings.averaged > 0 && !frame.size().can_be_averaged() {
            return Err(LearnError::BadSetting {
                name: "averaged".into(),
                value: settings.averaged.to_string(),
                why: "0, with weights of few bits".into(),
            });
        }
        let averaging = settings.averaged > 0;
        let trainer = class_trainer(frame.size(), seed, &settings.device, averaging)?;
        Ok(TdNetLearner {
            trainer: Mutex::new(trainer),
            memory: Memory::new(&frame),
            frame: Arc::new(frame),
            settings,
            games,
            random: ChaCha8Rng::seed_from_u64(seed),
            played: 0,
            moves: 0,
            last_new: 0,
            study: Study::new(seed),
            targets: Vec::new(),
            rounds: 0,
            batches: 0,
            since: 0,
            disagreeing: u64::MAX,
            finished: false,
            costs: Costs::default(),
            network: OnceLock::new(),
        })
    }

    /// The network as it is now.
    pub fn network(&self) -> &DistanceNetwork {
        self.network.get_or_init(|| {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            DistanceNetwork::new(self.reader(), trainer.network(), Errata::default())
        })
    }

    /// How the network's answers are read: when it has finished, every class is right, and that is all
    /// there is to know; until then the middle of what it takes for likely is the better guess.
    fn reader(&self) -> Arc<Frame> {
        if !self.finished {
            return self.frame.clone();
        }
        let shape = DistanceShape {
            reading: Reading::Class,
            ..self.frame.shape.clone()
        };
        Frame::new(shape).map_or_else(|_| self.frame.clone(), Arc::new)
    }

    /// How often the network was asked, how many positions are in the memory, how many of its
    /// answers disagreed with looking ahead the last time, and the share of examples that it has
    /// wrong of late.
    pub fn state(&self) -> (u64, usize, u64, f64) {
        let share = self.study.wrong_share;
        (self.rounds, self.memory.len(), self.disagreeing, share)
    }

    /// Where the time has gone since it was made or loaded.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    fn trainer(&mut self) -> &mut dyn ClassTraining {
        &mut **self.trainer.get_mut().unwrap_or_else(|e| e.into_inner())
    }

    /// Plays a game against itself and remembers what it meets; returns its plies and whether white
    /// won.
    fn play(&mut self) -> (u32, bool) {
        let frame = self.frame.clone();
        let Endgame { rules, .. } = &frame.endgame;
        let (mut white, mut moves) = frame.endgame.random_start(&mut self.random);
        let mut plies = 0;
        for _ in 0..self.settings.move_limit {
            let m = self.attack(&frame, white, &moves);
            self.moves += 1;
            let black = rules.after(white, m);
            plies += 1;
            let replies = rules.targets(black);
            match rules.ending(black, &replies) {
                Some(BoardEnding::Checkmate) => return (plies, true),
                Some(_) => return (plies, false),
                None => {}
            }
            white = rules.after(black, self.defend(&frame, black, &replies));
            plies += 1;
            moves = rules.targets(white);
            if rules.ending(white, &moves).is_some() {
                return (plies, false);
            }
        }
        (plies, false)
    }

    /// White's move: where the answer is smallest, one of several by lot; now and then any. All that
    /// could be reached is remembered.
    fn attack(&mut self, frame: &Frame, white: FewMen, moves: &rules::Targets) -> FewMove {
        let mut best = (u32::MAX, moves.nth(0));
        let salt = self.random.next_u32();
        for m in moves.iter() {
            let black = frame.endgame.rules.after(white, m);
            let (black, _, number) = frame.endgame.index.canonical_and_index(black);
            if self.memory.meet(frame, black, number) {
                self.last_new = self.played;
            }
            let key = u32::from(self.memory.answer(number)) << 24 | noise(number, salt);
            if key < best.0 {
                best = (key, m);
            }
        }
        if self.explores() {
            return moves.nth(below(&mut self.random, moves.len()));
        }
        best.1
    }

    /// Black's move: the one after which white's best answer takes longest; now and then any.
    fn defend(&mut self, frame: &Frame, black: FewMen, replies: &rules::Targets) -> FewMove {
        if self.explores() {
            return replies.nth(below(&mut self.random, replies.len()));
        }
        let salt = self.random.next_u32();
        let rules = &frame.endgame.rules;
        let slowest = replies.iter().max_by_key(|&m| {
            let white = rules.after(black, m);
            let taken = rules.is_insufficient_material(white);
            let answer = |n: usize| self.memory.answer(n);
            let best = backup::attack(&frame.endgame, white, answer).map(|(answer, _)| answer);
            let best = best.filter(|_| !taken).unwrap_or(u8::MAX);
            u32::from(best) << 24 | noise(usize::from(m.to), salt)
        });
        slowest.unwrap_or_else(|| replies.nth(0))
    }

    fn explores(&mut self) -> bool {
        f64::from(self.random.next_u32()) < self.settings.epsilon * f64::from(u32::MAX)
    }

    /// Is it time to ask the network again?
    fn due(&self) -> bool {
        let settings = &self.settings;
        let fitted = self.study.wrong_share <= settings.fitted;
        self.rounds == 0
            || self.since >= settings.refresh && fitted
            || self.since >= settings.refresh.saturating_mul(settings.patience.max(1))
    }

    /// Asks the network about everything in the memory, and looks ahead.
    fn refresh(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let frame = self.frame.clone();
        // A network that has learned nothing is not asked: at first nothing is won but mates.
        if self.rounds > 0 {
            let start = Instant::now();
            let met = self.memory.len();
            let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
            let said = trainer.classes(self.memory.inputs(&frame, met));
            let said = match said {
                Some(said) => said,
                None => self.memory.ask(&frame, &trainer.network(), stop)?,
            };
            self.costs.add("asking", start.elapsed());
            self.look_ahead(&frame, &said, stop)?;
            // Plain loops will play, and they have the last word.
            if self.disagreeing == 0 {
                let network = self.trainer().network();
                let said = self.memory.ask(&frame, &network, stop)?;
                self.look_ahead(&frame, &said, stop)?;
            }
            let complete = self.played - self.last_new >= self.settings.quiet;
            self.finished = self.disagreeing == 0 && complete;
        } else {
            self.targets = self.memory.look_ahead(&frame, stop)?;
        }
        self.rounds += 1;
        self.since = 0;
        self.study.begin(self.targets.len());
        self.lay_out();
        Ok(())
    }

    /// Looks ahead from what the network said of every position, or from what was kept of the last
    /// time.
    fn look_ahead(
        &mut self,
        frame: &Frame,
        said: &[u8],
        stop: &AtomicBool,
    ) -> Result<(), LearnError> {
        match self.settings.trust {
            Trust::Network => self.memory.believe(said),
            Trust::Memory => self.memory.believe(&self.targets),
        }
        let memory = &self.memory;
        let work = || memory.look_ahead(frame, stop);
        self.targets = self.costs.time("looking ahead", work)?;
        let pairs = said.iter().zip(&self.targets);
        self.disagreeing = pairs.filter(|(said, target)| said != target).count() as u64;
        Ok(())
    }

    /// Gives the trainer its examples.
    fn lay_out(&mut self) {
        let count = self.targets.len();
        let (memory, frame) = (&mut self.memory, &self.frame);
        let inputs = self.costs.time("encoding", || memory.inputs(frame, count));
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        trainer.study(inputs, &self.targets);
    }

    /// Brings the average up to date, every few batches.
    fn keep_average(&mut self) {
        let averaged = self.settings.averaged > 0;
        if !averaged || !self.batches.is_multiple_of(AVERAGE_EVERY) {
            return;
        }
        let part = AVERAGE_EVERY as f32 / self.settings.averaged as f32;
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        let work = || trainer.approach(part.min(1.0));
        self.costs.time("averaging", work);
    }

    fn rate(&self) -> f64 {
        let schedule = Schedule {
            rate: self.settings.rate,
            warm_up: WARM_UP,
            settle: self.settings.settle,
        };
        schedule.at(self.batches, self.played as f64 / self.games.max(1) as f64)
    }
}

/// Breaks ties differently in every move.
#[inline]
fn noise(number: usize, salt: u32) -> u32 {
    (number as u32 ^ salt).wrapping_mul(0x9E37_79B1) >> 8
}

impl TdNetLearner {
    /// The chance of a random move in the next game.
    fn epsilon(&self) -> f64 {
        self.settings.epsilon
    }
}

impl Learner for TdNetLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        if self.finished {
            return Ok(Episode::Finished);
        }
        let start = Instant::now();
        let (plies, won) = self.play();
        self.costs.add("games", start.elapsed());
        self.played += 1;
        let batches = match self.played.is_multiple_of(self.settings.every) {
            true => self.settings.batches,
            false => 0,
        };
        for _ in 0..batches {
            go_on(stop)?;
            if self.due() {
                self.refresh(stop)?;
                if self.finished {
                    break;
                }
            }
            let batch = self.study.batch(self.settings.batch, self.settings.drill);
            let rate = self.rate();
            let start = Instant::now();
            let wrong = self.trainer().learn(&batch.examples, rate);
            self.costs.add("learning", start.elapsed());
            self.study.corrected(&batch, wrong);
            self.batches += 1;
            self.since += 1;
            self.keep_average();
            self.network = OnceLock::new();
        }
        Ok(Episode::Played { plies, won })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        vec![
            (EPSILON, self.epsilon()),
            (POSITIONS_MET, self.extent().visited as f64),
        ]
    }

    fn bytes(&self) -> u64 {
        self.frame.size().bytes() as u64
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("weights.safetensors", self.network().to_file())]
    }

    fn save(&self, out: &mut Writer) {
        for number in [
            self.played,
            self.moves,
            self.last_new,
            self.rounds,
            self.batches,
            self.since,
            self.disagreeing,
            self.finished.into(),
        ] {
            out.u64(number);
        }
        save_random(&self.random, out);
        self.memory.save(out);
        self.study.save(out);
        out.bytes(&self.targets);
        let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
        trainer.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.played = from.u64()?;
        self.moves = from.u64()?;
        self.last_new = from.u64()?;
        self.rounds = from.u64()?;
        self.batches = from.u64()?;
        self.since = from.u64()?;
        self.disagreeing = from.u64()?;
        self.finished = from.u64()? != 0;
        self.random = load_random(from)?;
        self.memory.load(from)?;
        self.study.load(from)?;
        self.targets = from.bytes()?.to_vec();
        let never = self.frame.never();
        let sound = self.targets.len() == self.study.examples()
            && self.targets.len() <= self.memory.len()
            && self.targets.iter().all(|&class| class <= never);
        if !sound {
            return Err(LearnError::Record);
        }
        self.trainer().load(from)?;
        self.network = OnceLock::new();
        if !self.targets.is_empty() {
            self.lay_out();
        }
        Ok(())
    }
}

impl Skill for TdNetLearner {
    fn endgame(&self) -> &Endgame {
        &self.frame.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let chosen = self.network().choose(men)?;
        // What counts is whether the network has studied the position that it judged.
        let Endgame { rules, index } = &self.frame.endgame;
        let judged = match men.turn {
            Color::White => rules.after(men, chosen.m),
            Color::Black => men,
        };
        let visited = self.memory.has_met(index.canonical_and_index(judged).2);
        Some(Preference { visited, ..chosen })
    }

    fn distances(&self) -> Option<&DistanceNetwork> {
        Some(self.network())
    }
}

impl EndgameLearner for TdNetLearner {
    fn extent(&self) -> Extent {
        Extent {
            visited: self.memory.len() as u64,
            visits: self.moves,
        }
    }
}
