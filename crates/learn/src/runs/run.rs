//! Runs: a plan carried out in a folder, game by game, that survives being killed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use play::Registry;
use truth::Oracle;

use crate::{
    ContestRules, Defender, Episode, LearnError, Learner, Opponent, Plan, Recipe, Ties,
    endgames::contest,
    recipe,
    runs::checkpoint::{self, Progressed},
    runs::durable,
    runs::metrics::Point,
    runs::tensorboard::{self, Scalar},
};

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// What a run may use and whom it talks to.
#[derive(Default)]
pub struct Control<'a> {
    /// Players by name, for opponents other than the built-in ones.
    pub registry: Option<&'a Registry>,
    /// Exact answers, for recipes that are taught by them.
    pub teacher: Option<Arc<dyn Oracle>>,
    /// Told a few times a second how far it is.
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
    /// Told what the user should know, such as a damaged checkpoint.
    pub notice: Option<&'a mut dyn FnMut(&str)>,
    /// Stops the run when set; it can be resumed.
    pub cancel: Option<&'a AtomicBool>,
}

/// How far a run is.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// Games played.
    pub episodes: u64,
    /// Games to play.
    pub of: u64,
    /// Games a second since the run was started or resumed.
    pub episodes_per_second: f64,
    /// The share of training games won since the last point of the curve.
    pub win_rate: f64,
    /// The chance of a random move, if there is one.
    pub epsilon: Option<f64>,
    /// Different positions in which white has moved.
    pub visited: u64,
    /// Time left at this speed.
    pub left: Duration,
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// All games are played.
    Episodes,
    /// The learner has nothing left to learn.
    Finished,
    /// The rule for stopping early was satisfied.
    Early,
    /// It was cancelled and can be resumed.
    Cancelled,
}

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// Why it ended.
    pub stopped: Stopped,
    /// Counters and curve.
    pub progressed: Progressed,
    /// Time since it was started or resumed.
    pub elapsed: Duration,
    /// Bytes of memory for the tables.
    pub bytes: u64,
}

/// Carries a plan out in a folder that holds no run yet.
///
/// # Errors
/// When the folder holds a run, the plan makes no sense, or the file system refuses.
pub fn train(plan: &Plan, folder: &Path, control: Control<'_>) -> Result<Summary, LearnError> {
    if folder.join("run.toml").exists() {
        return Err(LearnError::RunExists(folder.to_owned()));
    }
    // The learner first: a plan that makes no sense should leave no folder behind.
    let learner = recipe::learner(
        &plan.learner,
        &plan.settings,
        plan.task()?,
        control.registry,
    )?;
    let checkpoints = folder.join("checkpoints");
    fs::create_dir_all(&checkpoints).map_err(LearnError::file(checkpoints))?;
    let _alone = lock(folder)?;
    plan.write(folder)?;
    Runner::new(plan, folder, control, learner, Progressed::default()).run()
}

/// Goes on with a run from its last sound checkpoint.
///
/// It ends bit for bit where an undisturbed run ends.
///
/// # Errors
/// When the folder holds no run or the file system refuses.
pub fn resume(folder: &Path, mut control: Control<'_>) -> Result<Summary, LearnError> {
    let plan = Plan::read(folder)?;
    let checkpoints = folder.join("checkpoints");
    fs::create_dir_all(&checkpoints).map_err(LearnError::file(&checkpoints))?;
    let _alone = lock(folder)?;
    durable::clean(folder);
    durable::clean(&checkpoints);
    let fresh = || {
        recipe::learner(
            &plan.learner,
            &plan.settings,
            plan.task()?,
            control.registry,
        )
    };
    let mut notices = Vec::new();
    let mut loaded = None;
    for path in checkpoint::all(folder) {
        let mut learner = fresh()?;
        match checkpoint::load(&path, learner.as_mut()) {
            Ok(progressed) => {
                loaded = Some((learner, progressed));
                break;
            }
            Err(error) => notices.push(format!(
                "checkpoint {} is damaged ({error}); going back to the one before it",
                path.display()
            )),
        }
    }
    if loaded.is_none() {
        notices.push("no sound checkpoint: starting from the beginning".to_owned());
    }
    let (learner, progressed) = match loaded {
        Some(loaded) => loaded,
        None => (fresh()?, Progressed::default()),
    };
    if let Some(notice) = &mut control.notice {
        notices.iter().for_each(|text| notice(text));
    }
    Runner::new(&plan, folder, control, learner, progressed).run()
}

/// Makes sure that no other program works on the run. However the program ends, the system lets go
/// of the lock.
fn lock(folder: &Path) -> Result<fs::File, LearnError> {
    let path = folder.join("lock");
    let file = fs::File::create(&path).map_err(LearnError::file(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(LearnError::Busy(folder.to_owned())),
        Err(fs::TryLockError::Error(error)) => Err(LearnError::File { path, error }),
    }
}

struct Runner<'p, 'c> {
    plan: &'p Plan,
    folder: PathBuf,
    control: Control<'c>,
    learner: Box<dyn Learner>,
    progressed: Progressed,
    events: Vec<Scalar>,
    started: Instant,
    begun_at: u64,
    /// When progress was told last.
    told: Instant,
}

impl<'p, 'c> Runner<'p, 'c> {
    fn new(
        plan: &'p Plan,
        folder: &Path,
        control: Control<'c>,
        mut learner: Box<dyn Learner>,
        mut progressed: Progressed,
    ) -> Runner<'p, 'c> {
        // The exact answers reach a recipe that says so by name, and no other.
        let taught = Recipe::find(&plan.recipe).is_ok_and(|recipe| recipe.taught);
        if let Some(teacher) = control.teacher.as_ref().filter(|_| taught) {
            learner.teach(teacher.clone());
        }
        progressed.metrics.opponents = plan.evaluate_against.clone();
        let events = fs::read(folder.join(EVENTS)).unwrap_or_default();
        let mut events = tensorboard::read(&events);
        events.retain(|scalar| scalar.step <= progressed.episodes);
        Runner {
            plan,
            folder: folder.to_owned(),
            control,
            learner,
            begun_at: progressed.episodes,
            progressed,
            events,
            started: Instant::now(),
            told: Instant::now(),
        }
    }

    fn run(mut self) -> Result<Summary, LearnError> {
        // A run killed between its last checkpoint and the tidying up has nothing else left to do.
        checkpoint::prune(&self.folder, self.plan.keep_checkpoints.max(1));
        self.write_curve()?;
        let stopped = loop {
            if let Some(stopped) = self.over() {
                break stopped;
            }
            if self.cancelled() {
                self.checkpoint()?;
                break Stopped::Cancelled;
            }
            self.games()?;
        };
        if checkpoint::all(&self.folder).is_empty() {
            self.checkpoint()?; // a run of no games is a player, too
        }
        if let Some(network) = self.learner.network() {
            durable::write(&self.folder.join("network.ltn"), &network.to_bytes())?;
        }
        self.tell();
        Ok(Summary {
            stopped,
            elapsed: self.started.elapsed(),
            bytes: self.learner.extent().bytes,
            progressed: self.progressed,
        })
    }

    fn over(&self) -> Option<Stopped> {
        let enough =
            self.plan.stop_at.is_some() && self.progressed.satisfied >= self.plan.stop_after.max(1);
        if self.progressed.finished {
            Some(Stopped::Finished)
        } else if enough {
            Some(Stopped::Early)
        } else {
            (self.progressed.episodes >= self.plan.episodes).then_some(Stopped::Episodes)
        }
    }

    fn cancelled(&self) -> bool {
        let cancel = self.control.cancel;
        cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Plays until there is something to write, or the run is cancelled.
    fn games(&mut self) -> Result<(), LearnError> {
        let next = |every: u64| (self.progressed.episodes / every.max(1) + 1) * every.max(1);
        let (report, save) = (
            next(self.plan.report_every),
            next(self.plan.checkpoint_every),
        );
        let goal = report.min(save).min(self.plan.episodes);
        while self.progressed.episodes < goal && !self.cancelled() {
            match self.learner.episode()? {
                Episode::Played { plies, won } => {
                    self.progressed.episodes += 1;
                    self.progressed.plies += u64::from(plies);
                    self.progressed.games_since += 1;
                    self.progressed.wins_since += u64::from(won);
                    self.progressed.plies_since += u64::from(plies);
                }
                Episode::Studied { examples, right } => {
                    self.progressed.episodes += 1;
                    self.progressed.plies += u64::from(examples);
                    if let Some(right) = right {
                        self.progressed.games_since += u64::from(examples);
                        self.progressed.wins_since += u64::from(right);
                    }
                }
                Episode::Finished => {
                    self.progressed.finished = true;
                    break;
                }
            }
            if self.told.elapsed() >= TELL_EVERY {
                self.told = Instant::now();
                self.tell();
            }
        }
        let now = self.progressed.episodes;
        let last = now >= self.plan.episodes || self.progressed.finished;
        if now == report || last {
            self.point(last)?;
        }
        if now == save || self.over().is_some() {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Adds a point to the curve, with an evaluation where one is due.
    fn point(&mut self, last: bool) -> Result<(), LearnError> {
        let now = self.progressed.episodes;
        let every = self.plan.evaluate_every.max(1);
        let before = self
            .progressed
            .metrics
            .points
            .last()
            .map_or(0, |point| point.episodes);
        let due = !self.plan.evaluate_against.is_empty() && (last || now / every > before / every);
        let evaluations = if due {
            self.evaluate()?.into_iter().map(Some).collect()
        } else {
            vec![None; self.plan.evaluate_against.len()]
        };
        let games = self.progressed.games_since.max(1) as f64;
        let (legal, greedy) = self.learner.legal_thoughts().unwrap_or((0, 0));
        let points = &self.progressed.metrics.points;
        let before = |count: fn(&Point) -> u64| points.iter().map(count).sum::<u64>();
        let point = Point {
            episodes: now,
            plies: self.progressed.plies,
            win_rate: self.progressed.wins_since as f64 / games,
            mean_plies: self.progressed.plies_since as f64 / games,
            epsilon: self.learner.epsilon(),
            visited: self.learner.extent().visited,
            greedy: greedy - before(|point| point.greedy),
            legal: legal - before(|point| point.legal),
            evaluations,
        };
        self.progressed.games_since = 0;
        self.progressed.wins_since = 0;
        self.progressed.plies_since = 0;
        let wall_time = SystemTime::now().duration_since(UNIX_EPOCH);
        let wall_time = wall_time.map_or(0.0, |time| time.as_secs_f64());
        for (tag, value) in self.progressed.metrics.scalars(&point) {
            self.events.push(Scalar {
                wall_time,
                step: now,
                tag,
                value: value as f32,
            });
        }
        self.progressed.metrics.points.push(point);
        if due {
            self.judge_evaluation()?;
        }
        self.write_curve()
    }

    /// The share of games won against each opponent.
    fn evaluate(&self) -> Result<Vec<f64>, LearnError> {
        let rules = ContestRules {
            games: self.plan.evaluation_games,
            max_moves: 50,
            repetition: true,
            ties: Ties::First,
            // Not the learner's random numbers: looking must not change what is looked at.
            seed: self.plan.seed ^ 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(self.progressed.episodes),
        };
        let learner = self.learner.as_ref();
        let opponents = self.plan.evaluate_against.iter();
        opponents
            .map(|name| {
                let mut defender = match name.as_str() {
                    "self" => Defender::Learner(learner),
                    _ => Defender::Opponent(Opponent::parse(
                        name,
                        self.control.registry,
                        rules.seed,
                    )?),
                };
                Ok(contest(learner, &mut defender, rules)?.win_rate())
            })
            .collect()
    }

    /// Keeps the best checkpoint and counts towards the rule for stopping early.
    fn judge_evaluation(&mut self) -> Result<(), LearnError> {
        let point = self.progressed.metrics.points.last();
        let wins: Vec<f64> = point.map_or(Vec::new(), |point| {
            point.evaluations.iter().flatten().copied().collect()
        });
        let score = wins.iter().sum::<f64>() / wins.len().max(1) as f64;
        let satisfied = self.plan.stop_at.is_some_and(|goal| score >= goal);
        self.progressed.satisfied = if satisfied {
            self.progressed.satisfied + 1
        } else {
            0
        };
        if self.progressed.best.is_none_or(|best| score > best) {
            self.progressed.best = Some(score);
            checkpoint::save(
                &self.folder.join("best"),
                &self.progressed,
                self.learner.as_ref(),
            )?;
        }
        Ok(())
    }

    fn write_curve(&self) -> Result<(), LearnError> {
        let csv = self.progressed.metrics.csv();
        durable::write(&self.folder.join("metrics.csv"), csv.as_bytes())?;
        durable::write(&self.folder.join(EVENTS), &tensorboard::write(&self.events))
    }

    fn checkpoint(&self) -> Result<(), LearnError> {
        let path = checkpoint::path(&self.folder, self.progressed.episodes);
        checkpoint::save(&path, &self.progressed, self.learner.as_ref())?;
        if let Some(weights) = self.learner.weights() {
            durable::write(&self.folder.join("weights.safetensors"), &weights)?;
        }
        checkpoint::prune(&self.folder, self.plan.keep_checkpoints.max(1));
        Ok(())
    }

    fn tell(&mut self) {
        let Some(progress) = &mut self.control.progress else {
            return;
        };
        let done = self.progressed.episodes;
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let speed = (done - self.begun_at) as f64 / seconds;
        let left = self.plan.episodes.saturating_sub(done) as f64 / speed.max(1e-9);
        let games = self.progressed.games_since;
        let since = (games > 0).then(|| self.progressed.wins_since as f64 / games as f64);
        let last = self.progressed.metrics.points.last();
        progress(&Progress {
            episodes: done,
            of: self.plan.episodes,
            episodes_per_second: speed,
            win_rate: since.or(last.map(|point| point.win_rate)).unwrap_or(0.0),
            epsilon: self.learner.epsilon(),
            visited: self.learner.extent().visited,
            left: Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX),
        });
    }
}

/// TensorBoard finds the curves by this name.
const EVENTS: &str = "events.out.tfevents.lucena";
