//! The learner: an episode of a run is an iteration, in which games are played and learned from.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::{Color, plain_file};

use super::{
    group::{Group, Harvest, load_finished, save_finished},
    network::{Judge, Losses, ZeroNetwork},
    replay::{Replay, Window},
    table::{Ending, Finished},
    terms::Terms,
};
use crate::{
    Course, Episode, LearnError,
    learner::{go_on, load_random, save_random},
    net::Schedule,
    runs::record::{Reader, Writer},
};

/// How much is played and how much is learned from it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pace {
    /// Games at a time …
    pub games: usize,
    /// … in groups of so many.
    pub group: usize,
    /// Plies of each game in an iteration.
    pub plies: usize,
    /// Lessons in a step.
    pub batch: usize,
    /// How often a lesson is learned, on average.
    pub passes: f64,
    /// The learning rate.
    pub schedule: Schedule,
    /// What is kept.
    pub window: Window,
    /// Is what was played last learned from while the next games are played?
    pub beside: bool,
}

/// The file of weights in the folder of a run.
pub(super) const WEIGHTS: &str = "weights.safetensors";

/// AlphaZero: a network that plays against itself by searching, and learns what the searches find.
pub(super) struct AlphaZero<N> {
    pub(super) terms: Arc<Terms>,
    pub(super) pace: Pace,
    course: Course,
    /// The run whose weights it begins with, if there is one.
    from: Option<PathBuf>,
    pub network: N,
    replay: Replay,
    /// Iterations done.
    done: u64,
    /// Lessons to learn that have not been learned yet: parts of a step.
    owed: f64,
    random: ChaCha8Rng,
    /// The games being played; made when they are needed, for a player needs none. Trees may not be
    /// shared between threads.
    pub(super) groups: Mutex<Vec<Group>>,
    /// What the games were when they were saved, until they are needed.
    pub(super) saved: Vec<u8>,
    /// The last games that ended.
    recent: VecDeque<Finished>,
    /// What the last iteration told, in the order of [`SCALARS`].
    told: Vec<f64>,
}

/// What came of the games of an iteration.
struct News {
    games: usize,
    lessons: usize,
    evaluations: u64,
    /// How full batches were.
    fill: f64,
    surprise: f64,
}

/// Plays the games of an iteration.
fn play(
    groups: &mut [Group],
    terms: &Terms,
    judge: &dyn Judge,
    plies: usize,
    stop: &AtomicBool,
) -> Result<Harvest, LearnError> {
    let harvests: Result<Vec<Harvest>, LearnError> = groups
        .par_iter_mut()
        .map(|group| group.play(terms, judge, plies, stop))
        .collect();
    let mut all = Harvest::default();
    harvests?.into_iter().for_each(|harvest| all.add(harvest));
    Ok(all)
}

/// What an iteration tells.
const SCALARS: [&str; 17] = [
    "self_play/games",
    "self_play/won",
    "self_play/lost",
    "self_play/plies",
    "self_play/lessons",
    "self_play/evaluations",
    "self_play/batch_fill",
    "self_play/surprise",
    "self_play/resigned",
    "self_play/resigned_wrongly",
    "train/policy_loss",
    "train/value_loss",
    "train/policy_entropy",
    "train/agreement",
    "train/value_error",
    "train/learning_rate",
    "train/window",
];
/// Games over which the means of games are taken.
const RECENT: usize = 400;

impl<N: ZeroNetwork> AlphaZero<N> {
    /// A learner that knows nothing but the rules.
    pub(super) fn new(network: N, terms: Terms, pace: Pace, course: Course) -> AlphaZero<N> {
        AlphaZero {
            terms: Arc::new(terms),
            pace,
            course,
            from: None,
            network,
            replay: Replay::default(),
            done: 0,
            owed: 0.0,
            random: ChaCha8Rng::seed_from_u64(course.seed),
            groups: Mutex::default(),
            saved: Vec::new(),
            recent: VecDeque::new(),
            told: Vec::new(),
        }
    }

    /// The same, beginning with the weights of a run.
    #[must_use]
    pub(super) fn beginning_with(mut self, run: &str) -> AlphaZero<N> {
        self.from = (!run.is_empty()).then(|| PathBuf::from(run));
        self
    }

    /// Takes the weights over that it begins with.
    pub(super) fn prepare(&mut self) -> Result<(), LearnError> {
        let Some(run) = self.from.as_ref().filter(|_| self.done == 0) else {
            return Ok(());
        };
        let path = run.join(WEIGHTS);
        let file = plain_file::read(&path, plain_file::TEXT).map_err(LearnError::file(&path))?;
        let refuse = |error: LearnError| LearnError::BadSetting {
            name: "from".into(),
            value: run.display().to_string(),
            why: error.to_string(),
        };
        self.network.start_from(&file).map_err(refuse)
    }

    /// Makes the games, or goes on with those that were saved.
    pub(super) fn tables(&mut self) -> Result<(), LearnError> {
        let playing = self.groups.get_mut().unwrap_or_else(|e| e.into_inner());
        if !playing.is_empty() {
            return Ok(());
        }
        let mut groups: Vec<Group> = (0..self.parts()).map(|part| self.group(part, 0)).collect();
        if !self.saved.is_empty() {
            let mut from = Reader::new(&self.saved);
            for group in &mut groups {
                group.load(&self.terms, &mut from)?;
            }
            if !from.is_empty() {
                return Err(LearnError::Record);
            }
        }
        self.groups = Mutex::new(groups);
        Ok(())
    }

    /// How many groups there are.
    pub(super) fn parts(&self) -> usize {
        self.pace.games.div_ceil(self.pace.group)
    }

    /// A group whose games begin; in another life they are others.
    pub(super) fn group(&self, part: usize, life: u32) -> Group {
        let first = part * self.pace.group;
        let tables = self.pace.group.min(self.pace.games - first);
        let first = first as u64 | u64::from(life) << 32;
        Group::new(&self.terms, tables, self.course.seed, first)
    }

    /// Takes what was played, of which there is something to learn.
    fn take(&mut self, harvest: Harvest) -> News {
        let Harvest {
            lessons,
            finished,
            evaluations,
            batches,
        } = harvest;
        for game in &finished {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(*game);
        }
        let Pace { passes, batch, .. } = self.pace;
        self.owed += lessons.len() as f64 * passes / batch as f64;
        let surprise: f64 = lessons.iter().map(|l| f64::from(l.surprise)).sum();
        let news = News {
            games: finished.len(),
            lessons: lessons.len(),
            evaluations,
            fill: evaluations as f64 / (batches.max(1) as f64 * self.pace.group as f64),
            surprise: surprise / lessons.len().max(1) as f64,
        };
        self.replay.add(lessons, self.pace.window);
        news
    }

    /// Learns as much as the lessons that were taken call for.
    fn learn(&mut self, stop: &AtomicBool) -> Result<(Losses, f64), LearnError> {
        let batch = self.pace.batch;
        let course = self.done as f64 / self.course.episodes.max(1) as f64;
        let rate = self.pace.schedule.at(self.done, course);
        let mut losses = Losses::default();
        // Before there is enough to draw from, the same few lessons would be learned by heart.
        if self.replay.len() < self.pace.window.least.min(4 * batch) {
            self.owed = 0.0;
            return Ok((losses, rate));
        }
        let steps = self.owed as u64;
        self.owed -= steps as f64;
        for _ in 0..steps {
            go_on(stop)?;
            let drawn = self.replay.draw(batch, &mut self.random);
            losses.add(&self.network.learn(&drawn, rate), 1.0 / steps as f64);
        }
        Ok((losses, rate))
    }

    pub(super) fn iteration(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        go_on(stop)?;
        self.tables()?;
        let groups = self.groups.get_mut().unwrap_or_else(|e| e.into_inner());
        let mut groups = std::mem::take(groups);
        let (terms, judge, plies) = (self.terms.clone(), self.network.judge(), self.pace.plies);
        let mut games = || play(&mut groups, &terms, &*judge, plies, stop);
        let episode = match self.pace.beside {
            true => {
                let (harvest, learned) = rayon::join(games, || self.learn(stop));
                harvest.and_then(|harvest| Ok(self.conclude(harvest, learned?)))
            }
            false => games().and_then(|harvest| self.improve(harvest, stop)),
        };
        self.groups = Mutex::new(groups);
        episode
    }

    /// Learns what an iteration calls for whose games were played elsewhere.
    pub(super) fn improve(
        &mut self,
        harvest: Harvest,
        stop: &AtomicBool,
    ) -> Result<Episode, LearnError> {
        if self.pace.beside {
            let learned = self.learn(stop)?;
            return Ok(self.conclude(harvest, learned));
        }
        let news = self.take(harvest);
        let learned = self.learn(stop)?;
        Ok(self.tell(news, learned))
    }

    /// Ends an iteration in which what had been played before was learned from.
    fn conclude(&mut self, harvest: Harvest, learned: (Losses, f64)) -> Episode {
        let news = self.take(harvest);
        self.tell(news, learned)
    }

    /// Ends an iteration.
    fn tell(&mut self, news: News, (losses, rate): (Losses, f64)) -> Episode {
        self.done += 1;
        let games = self.recent.len().max(1) as f64;
        let share = |winner: Option<Color>| {
            let games_won = self.recent.iter().filter(|game| game.winner == winner);
            games_won.count() as f64 / games
        };
        let ended = |how| self.recent.iter().filter(|game| game.how == how).count() as f64;
        let agreed = ended(Ending::AgreedRightly);
        let plies: u64 = self.recent.iter().map(|game| u64::from(game.plies)).sum();
        self.told = vec![
            news.games as f64,
            share(Some(Color::White)),
            share(Some(Color::Black)),
            plies as f64 / games,
            news.lessons as f64,
            news.evaluations as f64,
            news.fill,
            news.surprise,
            ended(Ending::Resigned) / games,
            // Of the games that were played out to find out.
            ended(Ending::AgreedWrongly) / (agreed + ended(Ending::AgreedWrongly)).max(1.0),
            losses.policy,
            losses.value,
            losses.entropy,
            losses.agreed,
            losses.calibration,
            rate,
            self.replay.len() as f64,
        ];
        Episode::Studied {
            examples: (self.pace.games * self.pace.plies) as u32,
            right: None,
        }
    }

    pub(super) fn told(&self) -> Vec<(&'static str, f64)> {
        SCALARS.into_iter().zip(self.told.iter().copied()).collect()
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.u64(self.done);
        out.f64(self.owed);
        self.network.save(out);
        self.replay.save(out);
        save_random(&self.random, out);
        let mut games = Writer::default();
        let groups = self.groups.lock().unwrap_or_else(|e| e.into_inner());
        groups.iter().for_each(|group| group.save(&mut games));
        match groups.is_empty() {
            true => out.bytes(&self.saved),
            false => out.bytes(&games.into_bytes()),
        }
        save_finished(self.recent.iter(), out);
        out.u64(self.told.len() as u64);
        self.told.iter().for_each(|&told| out.f64(told));
    }

    pub(super) fn read(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.done = from.u64()?;
        self.owed = from.f64()?;
        self.network.load(from)?;
        self.replay.load(from)?;
        self.random = load_random(from)?;
        self.groups = Mutex::default();
        self.saved = from.bytes()?.to_vec();
        self.recent = load_finished(from)?.into();
        if self.recent.len() > RECENT {
            return Err(LearnError::Record);
        }
        let told = from.u64()?;
        if told > SCALARS.len() as u64 {
            return Err(LearnError::Record);
        }
        self.told = (0..told).map(|_| from.f64()).collect::<Result<_, _>>()?;
        Ok(())
    }
}
