//! The learner of document W's AlphaZero.

use std::{
    path::Path,
    sync::{Arc, Mutex, OnceLock, atomic::AtomicBool},
};

use play::{Evaluators, Nature, Prepared, Registry, Settings, SpecError, derived_seed};
use rayon::prelude::*;
use rules::Color;

use super::{
    RECIPE, WojcikEvaluator, WojcikNetwork, WojcikZeroSettings,
    self_play::{Played, Terms, duel, play},
    studies::{Studies, chance},
};
use crate::{
    Course, Episode, LearnError, Learner, Metrics,
    alphazero::{
        lesson::Lesson,
        replay::{Replay, Window},
    },
    games::Split,
    learner::go_on,
    net::{ResidualBatch, ResidualLosses, ResidualShape, ResidualTrainer, Schedule},
    runs::record::{Reader, Writer},
    whole_games::{players_without_search, share_won, without_search},
};

/// Document W's AlphaZero.
pub(super) struct WojcikZero {
    settings: WojcikZeroSettings,
    course: Course,
    shape: ResidualShape,
    split: Split,
    /// Epochs and rounds of games done.
    done: u64,
    /// Games against itself so far.
    games: u64,
    /// Positions of self-play that no network has learned from yet.
    fresh: u64,
    /// Networks that have learned from self-play, and how many of them replaced the best.
    generations: u64,
    crowned: u64,
    /// The framework's tensors may not be shared between threads.
    trainer: Mutex<ResidualTrainer>,
    /// The network in training as it is now, once someone has asked for it.
    newest: OnceLock<Arc<WojcikNetwork>>,
    /// The one that plays against itself; before self-play there is none but the newest.
    best: Option<Arc<WojcikNetwork>>,
    replay: Replay,
    /// The games of others; read when they are needed, for a player needs none.
    studies: OnceLock<Arc<Studies>>,
    /// What the last episodes told, in the order of [`SCALARS`]; NaN where there was nothing yet.
    told: [f64; SCALARS.len()],
}

/// What episodes tell.
const SCALARS: [&str; 15] = [
    "studies/policy_loss",
    "studies/value_loss",
    "studies/right",
    "self_play/games",
    "self_play/positions",
    "self_play/plies",
    "self_play/decided",
    "self_play/evaluations",
    "train/policy_loss",
    "train/value_loss",
    "train/agreement",
    "train/generation",
    "duel/won",
    "duel/lost",
    "duel/replaced",
];
/// Where the parts of it begin.
const STUDIES: usize = 0;
const SELF_PLAY: usize = 3;
const TRAIN: usize = 8;
const DUEL: usize = 12;

/// Batches over which a learning rate rises.
const WARM_UP: u64 = 100;
/// Told apart, so that games against itself, duels and draws of lessons share no chance.
const SELF_PLAY_CHANCE: u64 = 0x7365_6c66;
const DUEL_CHANCE: u64 = 0x6475_656c;
const LESSON_CHANCE: u64 = 0x6c65_7373;

impl WojcikZero {
    /// A learner that knows nothing yet.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn new(settings: WojcikZeroSettings, course: Course) -> Result<WojcikZero, LearnError> {
        let held_out = settings.held_out.to_string();
        let split = held_out
            .parse::<Split>()
            .map_err(|error| LearnError::BadSetting {
                name: "held_out".into(),
                value: held_out,
                why: error.to_string(),
            })?;
        let shape = ResidualShape {
            filters: settings.filters,
            blocks: settings.blocks,
        };
        shape.check()?;
        Ok(WojcikZero {
            trainer: Mutex::new(ResidualTrainer::new(shape, course.seed)?),
            settings,
            course,
            shape,
            split,
            done: 0,
            games: 0,
            fresh: 0,
            generations: 0,
            crowned: 0,
            newest: OnceLock::new(),
            best: None,
            replay: Replay::default(),
            studies: OnceLock::new(),
            told: [f64::NAN; SCALARS.len()],
        })
    }

    /// The network in training as it is now.
    fn newest(&self) -> Arc<WojcikNetwork> {
        let network = self.newest.get_or_init(|| {
            let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
            let network = WojcikNetwork::new(self.shape, &trainer.weights());
            Arc::new(network.expect("weights of this shape"))
        });
        network.clone()
    }

    /// The best network.
    fn best(&self) -> Arc<WojcikNetwork> {
        self.best.clone().unwrap_or_else(|| self.newest())
    }

    /// The games of others.
    fn studies(&self) -> Result<Arc<Studies>, LearnError> {
        if let Some(studies) = self.studies.get() {
            return Ok(studies.clone());
        }
        let refuse = |why: String| LearnError::BadSetting {
            name: "data".into(),
            value: self.settings.data.clone(),
            why,
        };
        let (path, seed) = (Path::new(&self.settings.data), self.course.seed);
        let studies = Studies::open(path, self.split, self.settings.positions, seed)
            .map_err(|error| refuse(error.to_string()))?;
        if studies.len() < self.settings.batch {
            return Err(refuse(format!(
                "its finished games have {} positions to learn from, fewer than a batch",
                studies.len()
            )));
        }
        Ok(self.studies.get_or_init(|| Arc::new(studies)).clone())
    }

    fn terms(&self) -> Terms {
        Terms {
            simulations: self.settings.simulations,
            max_moves: self.settings.max_moves,
            expected: self.settings.expected as f32,
        }
    }

    /// Takes a step.
    fn learn(&mut self, lessons: &[Lesson], rate: f64) -> ResidualLosses {
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        self.newest = OnceLock::new();
        trainer.learn(&batch(lessons), rate)
    }

    /// Learns every position of the first games once.
    fn epoch(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        let studies = self.studies()?;
        let size = self.settings.batch;
        let order = studies.order(self.course.seed, self.done);
        let batches = (order.len() / size) as u64;
        let schedule = Schedule {
            rate: self.settings.rate,
            warm_up: WARM_UP,
            settle: 0.0,
        };
        let mut sum = ResidualLosses::default();
        for (picks, step) in order.chunks_exact(size).zip(self.done * batches..) {
            go_on(stop)?;
            let lessons: Vec<Lesson> = picks.iter().map(|&pick| studies.lesson(pick)).collect();
            let course = step as f64 / (self.settings.epochs * batches) as f64;
            add(&mut sum, self.learn(&lessons, schedule.at(step, course)));
        }
        let examples = batches * size as u64;
        self.tell(STUDIES, &means(sum, batches, examples));
        Ok(Episode::Studied {
            examples: examples as u32,
            right: Some(sum.right),
        })
    }

    /// Plays games against itself, and learns when there are enough of them.
    fn round(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        let best = self.best();
        self.best = Some(best.clone());
        let terms = self.terms();
        let seed = self.course.seed ^ SELF_PLAY_CHANCE;
        let (before, count) = (self.games, self.settings.games);
        // Whatever thread a game is played on, its chances follow from its number.
        let played: Result<Vec<Played>, LearnError> = (0..count)
            .into_par_iter()
            .with_max_len(1)
            .map(|game| derived_seed(seed, before + game as u64))
            .map(|seed| play(&best, terms, seed, stop))
            .collect();
        let played = played?;
        self.games += count as u64;
        let positions: usize = played.iter().map(|game| game.lessons.len()).sum();
        let plies: u64 = played.iter().map(|g| u64::from(g.finished.plies)).sum();
        let decided = played.iter().filter(|g| g.finished.winner.is_some());
        let share = decided.count() as f64 / count as f64;
        let evaluations: u64 = played.iter().map(|game| game.evaluations).sum();
        let window = Window {
            least: self.settings.window,
            most: self.settings.window,
            share: 0.0,
        };
        let lessons = played.into_iter().flat_map(|game| game.lessons);
        self.replay.add(lessons, window);
        self.fresh += positions as u64;
        let plies = plies as f64 / count as f64;
        let told = [count as f64, positions as f64, plies, share];
        self.tell(SELF_PLAY, &told);
        self.tell(SELF_PLAY + told.len(), &[evaluations as f64]);
        if self.fresh >= self.settings.harvest as u64 {
            self.improve(stop)?;
            self.challenge(stop)?;
        }
        Ok(Episode::Studied {
            examples: positions as u32,
            right: None,
        })
    }

    /// Learns from the last games.
    fn improve(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let WojcikZeroSettings {
            batch,
            passes,
            rehearsed,
            later_rate,
            ..
        } = self.settings;
        let studies = match rehearsed > 0.0 {
            true => Some(self.studies()?),
            false => None,
        };
        let old = (rehearsed * batch as f64).round() as usize;
        let old = old.min(batch - 1);
        let steps = (self.fresh as f64 * passes / (batch - old) as f64).ceil() as u64;
        let schedule = Schedule {
            rate: later_rate,
            warm_up: WARM_UP,
            settle: 0.0,
        };
        let mut random = chance(self.course.seed ^ LESSON_CHANCE, self.generations);
        let mut sum = ResidualLosses::default();
        for step in 0..steps {
            go_on(stop)?;
            let drawn = self.replay.draw(batch - old, &mut random);
            let mut lessons: Vec<Lesson> = drawn.into_iter().cloned().collect();
            if let Some(studies) = &studies {
                let old = (0..old).map(|_| studies.lesson(studies.pick(&mut random)));
                lessons.extend(old);
            }
            let rate = schedule.at(step, step as f64 / steps as f64);
            add(&mut sum, self.learn(&lessons, rate));
        }
        self.fresh = 0;
        self.generations += 1;
        self.tell(TRAIN, &means(sum, steps, steps * batch as u64));
        self.tell(DUEL - 1, &[self.generations as f64]);
        Ok(())
    }

    /// Lets the newest network play against the best, whose place it takes if it wins enough games.
    fn challenge(&mut self, stop: &AtomicBool) -> Result<(), LearnError> {
        let (best, newest) = (self.best(), self.newest());
        if self.settings.gate > 0.0 {
            let terms = self.terms();
            let seed = derived_seed(self.course.seed ^ DUEL_CHANCE, self.generations);
            let games = self.settings.duel as usize;
            let results: Result<Vec<Option<bool>>, LearnError> = (0..games)
                .into_par_iter()
                .with_max_len(1)
                .map(|game| {
                    let color = Color::from_white(game % 2 == 0);
                    let players = color.fold_wb([&newest, &best], [&best, &newest]);
                    let winner = duel(players, terms, derived_seed(seed, game as u64), stop)?;
                    Ok(winner.map(|winner| winner == color))
                })
                .collect();
            let results = results?;
            let share = |result: bool| {
                let those = results.iter().filter(|&&it| it == Some(result));
                those.count() as f64 / games as f64
            };
            self.tell(DUEL, &[share(true), share(false)]);
            if share(true) < self.settings.gate {
                return Ok(());
            }
        }
        self.best = Some(newest);
        self.crowned += 1;
        self.tell(DUEL + 2, &[self.crowned as f64]);
        Ok(())
    }

    fn tell(&mut self, first: usize, told: &[f64]) {
        self.told[first..first + told.len()].copy_from_slice(told);
    }
}

/// Lessons as the trainer takes them.
fn batch(lessons: &[Lesson]) -> ResidualBatch {
    let room = lessons.iter().map(|lesson| lesson.moves.len()).max();
    let room = room.unwrap_or(1).max(1);
    let mut batch = ResidualBatch {
        room,
        ..ResidualBatch::default()
    };
    for lesson in lessons {
        batch.sights.extend(&lesson.sight);
        batch
            .moves
            .extend(lesson.moves.iter().map(|&m| i32::from(m)));
        batch.shares.extend(lesson.shares());
        let empty = room - lesson.moves.len();
        batch.moves.extend(std::iter::repeat_n(0, empty));
        batch.shares.extend(std::iter::repeat_n(0.0, empty));
        batch.results.push(lesson.ending[2] - lesson.ending[0]);
    }
    batch
}

fn add(sum: &mut ResidualLosses, other: ResidualLosses) {
    sum.moves += other.moves;
    sum.result += other.result;
    sum.right += other.right;
}

/// Both losses over batches, and the share of right ones.
fn means(sum: ResidualLosses, batches: u64, examples: u64) -> [f64; 3] {
    let batches = batches.max(1) as f64;
    let right = f64::from(sum.right) / examples.max(1) as f64;
    [sum.moves / batches, sum.result / batches, right]
}

impl Learner for WojcikZero {
    fn prepare(&mut self) -> Result<(), LearnError> {
        match self.settings.studies() {
            true => self.studies().map(drop),
            false => Ok(()),
        }
    }

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        go_on(stop)?;
        let wanted = self.settings.generations;
        if wanted > 0 && self.generations >= wanted {
            return Ok(Episode::Finished);
        }
        let episode = match self.done < self.settings.epochs {
            true => self.epoch(stop)?,
            false => self.round(stop)?,
        };
        self.done += 1;
        Ok(episode)
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        let told = SCALARS.into_iter().zip(self.told);
        told.filter(|(_, value)| !value.is_nan()).collect()
    }

    fn examine(&self) -> Vec<(&'static str, f64)> {
        // Whoever trains has read the games.
        let Some(studies) = self.studies.get().filter(|_| self.settings.judged > 0) else {
            return Vec::new();
        };
        let right = studies.held_out_right(&self.best(), self.settings.judged);
        right.into_iter().map(|it| ("held_out/right", it)).collect()
    }

    fn players(self: Arc<Self>, name: &str, how: &Settings) -> Result<Prepared, SpecError> {
        let evaluators = WojcikEvaluator::many(self.best());
        players_without_search(name, how, evaluators, Nature::Position)
    }

    fn evaluators(self: Arc<Self>) -> Option<Evaluators> {
        Some(WojcikEvaluator::many(self.best()))
    }

    fn evaluate(
        &self,
        opponent: &str,
        games: u32,
        seed: u64,
        registry: Option<&Registry>,
        stop: &AtomicBool,
    ) -> Result<f64, LearnError> {
        let evaluators = WojcikEvaluator::many(self.best());
        let player = || without_search(RECIPE.name, evaluators(), Nature::Position);
        share_won(&player, opponent, games, seed, registry, stop)
    }

    fn bytes(&self) -> u64 {
        4 * self.shape.weights() as u64
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("weights.safetensors", self.best().to_file())]
    }

    fn save(&self, out: &mut Writer) {
        for count in [
            self.done,
            self.games,
            self.fresh,
            self.generations,
            self.crowned,
        ] {
            out.u64(count);
        }
        let trainer = self.trainer.lock().unwrap_or_else(|e| e.into_inner());
        trainer.save(out);
        let best = self.best.as_ref();
        out.bytes(&best.map_or_else(Vec::new, |best| best.to_file()));
        self.replay.save(out);
        self.told.iter().for_each(|&told| out.f64(told));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.games = from.u64()?;
        self.fresh = from.u64()?;
        self.generations = from.u64()?;
        self.crowned = from.u64()?;
        let trainer = self.trainer.get_mut().unwrap_or_else(|e| e.into_inner());
        trainer.load(from)?;
        self.newest = OnceLock::new();
        let best = from.bytes()?;
        self.best = match best.is_empty() {
            true => None,
            false => Some(Arc::new(WojcikNetwork::from_file(best)?)),
        };
        if self
            .best
            .as_ref()
            .is_some_and(|best| best.shape() != self.shape)
        {
            return Err(LearnError::Record);
        }
        self.replay.load(from)?;
        for told in &mut self.told {
            *told = from.f64()?;
        }
        Ok(())
    }
}
