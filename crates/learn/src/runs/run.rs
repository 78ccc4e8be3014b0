//! Runs: a plan carried out in a folder, game by game, that survives being killed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use play::Registry;
use truth::Oracle;

use super::{
    Plan,
    checkpoint::{self, Progressed},
    curve_files::CurveFiles,
    durable,
    grace::with_grace,
    metrics::{EVALUATION, PLIES, PLIES_PER_GAME, WIN_RATE},
};
use crate::{
    Episode, LearnError, Learner,
    elsewhere::{Elsewhere, Seal, divisible},
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
    pub progress: Option<&'a mut dyn FnMut(&RunProgress)>,
    /// Told what the user should know, such as a damaged checkpoint.
    pub notice: Option<&'a mut dyn FnMut(&str)>,
    /// Stops the run when set; it can be resumed.
    pub cancel: Option<&'a AtomicBool>,
    /// Pauses the run after so many episodes since its beginning; it can be resumed. The plan, and with
    /// it every schedule of the learner's, stays that of the whole run.
    pub until: Option<u64>,
    /// Where the games are played, if not here.
    pub elsewhere: Option<&'a mut dyn Elsewhere>,
}

/// How far a run is.
#[derive(Clone, PartialEq, Debug)]
pub struct RunProgress {
    /// Episodes played.
    pub episodes: u64,
    /// Episodes to play.
    pub of: u64,
    /// Episodes a second since the run was started or resumed.
    pub episodes_per_second: f64,
    /// The scalars of the next point of the curve, as they stand: names as in
    /// [`metrics`](super::metrics).
    pub scalars: Vec<(String, f64)>,
    /// Time left at this speed.
    pub left: Duration,
}

impl RunProgress {
    /// A scalar by name.
    pub fn scalar(&self, name: &str) -> Option<f64> {
        let known = self.scalars.iter().find(|(other, _)| other == name);
        known.map(|(_, value)| *value)
    }
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
    /// It has come as far as it was to go for now ([`Control::until`]), and can be resumed.
    Paused,
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
    let mut learner = plan.learner(control.registry)?;
    learner.prepare()?;
    let checkpoints = folder.join("checkpoints");
    fs::create_dir_all(&checkpoints).map_err(LearnError::file(checkpoints))?;
    let _alone = lock(folder)?;
    plan.write(folder)?;
    Runner::new(plan, folder, control, learner, Progressed::default())?.run()
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
    let fresh = || plan.learner(control.registry);
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
    let (mut learner, progressed) = match loaded {
        Some(loaded) => loaded,
        None => (fresh()?, Progressed::default()),
    };
    learner.prepare()?;
    if let Some(notice) = &mut control.notice {
        notices.iter().for_each(|text| notice(text));
    }
    Runner::new(&plan, folder, control, learner, progressed)?.run()
}

/// Makes sure that no other program works on the run. However the program ends, the system lets go
/// of the lock.
pub(crate) fn lock(folder: &Path) -> Result<fs::File, LearnError> {
    let path = folder.join("lock");
    let file = fs::File::create(&path).map_err(LearnError::file(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(LearnError::Busy(folder.to_owned())),
        Err(fs::TryLockError::Error(error)) => Err(LearnError::File { path, error }),
    }
}

/// Gives a learner its teacher. The exact answers reach a recipe that says so by name, and no other.
pub(crate) fn teach(
    plan: &Plan,
    learner: &mut dyn Learner,
    teacher: Option<&Arc<dyn Oracle>>,
) -> Result<(), LearnError> {
    let taught = plan.recipe()?.taught;
    if let Some(teacher) = teacher.filter(|_| taught)
        && let Some(learner) = learner.endgame_learner_mut()
    {
        learner.teach(teacher.clone());
    }
    Ok(())
}

struct Runner<'p, 'c> {
    plan: &'p Plan,
    folder: PathBuf,
    control: Control<'c>,
    learner: Box<dyn Learner>,
    progressed: Progressed,
    curve: CurveFiles,
    started: Instant,
    begun_at: u64,
    /// When progress was told last.
    told: Instant,
    /// Are the games elsewhere?
    away: bool,
    /// Is it to stop because they are not played on?
    halted: bool,
}

impl<'p, 'c> Runner<'p, 'c> {
    fn new(
        plan: &'p Plan,
        folder: &Path,
        control: Control<'c>,
        mut learner: Box<dyn Learner>,
        progressed: Progressed,
    ) -> Result<Runner<'p, 'c>, LearnError> {
        teach(plan, learner.as_mut(), control.teacher.as_ref())?;
        if control.elsewhere.is_some() {
            divisible(plan, learner.as_mut())?;
        }
        Ok(Runner {
            plan,
            folder: folder.to_owned(),
            control,
            learner,
            begun_at: progressed.episodes,
            curve: CurveFiles::begin(folder, &progressed.metrics, progressed.episodes)?,
            progressed,
            started: Instant::now(),
            told: Instant::now(),
            away: false,
            halted: false,
        })
    }

    fn run(self) -> Result<Summary, LearnError> {
        with_grace(self.stop(), self.learner.grace(), |late| {
            self.run_until(late)
        })
    }

    /// The same with a flag that cuts an episode short.
    fn run_until(mut self, late: &AtomicBool) -> Result<Summary, LearnError> {
        // A run killed between its last checkpoint and the tidying up has nothing else left to do.
        self.prune();
        let stopped = loop {
            let over = match self.write_down(late) {
                // An evaluation changes nothing, so that the point is due again when the run goes on.
                Err(LearnError::Stopped) => None,
                written => written.map(|()| self.over())?,
            };
            if let Some(stopped) = over {
                break stopped;
            }
            if self.halted || self.stop().load(Ordering::Relaxed) {
                match self.checkpoint() {
                    // Games that do not come back any more leave the last checkpoint.
                    Err(LearnError::Stopped) => {}
                    done => done?,
                }
                break Stopped::Cancelled;
            }
            if self.progressed.episodes >= self.until() {
                self.checkpoint()?;
                break Stopped::Paused;
            }
            match self.games(late) {
                // Half an episode is nothing to go on from: the last checkpoint stands.
                Err(LearnError::Stopped) => {
                    return Ok(self.summary(Stopped::Cancelled));
                }
                other => other?,
            }
        };
        if checkpoint::all(&self.folder).is_empty() {
            self.checkpoint()?; // a run of no games is a player, too
        }
        for (name, bytes) in self.learner.files() {
            durable::write(&self.folder.join(name), &bytes)?;
        }
        self.tell();
        Ok(self.summary(stopped))
    }

    fn summary(self, stopped: Stopped) -> Summary {
        Summary {
            stopped,
            elapsed: self.started.elapsed(),
            bytes: self.learner.bytes(),
            progressed: self.progressed,
        }
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

    /// Where it is to pause.
    fn until(&self) -> u64 {
        self.control.until.unwrap_or(u64::MAX)
    }

    /// The flag that stops the run.
    fn stop(&self) -> &'c AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        self.control.cancel.unwrap_or(&NEVER)
    }

    /// Plays until there is something to write, or the run is cancelled.
    fn games(&mut self, late: &AtomicBool) -> Result<(), LearnError> {
        let next = |every: u64| (self.progressed.episodes / every.max(1) + 1) * every.max(1);
        let (report, save) = (
            next(self.plan.report_every),
            next(self.plan.checkpoint_every),
        );
        let goal = report.min(save).min(self.plan.episodes).min(self.until());
        let stop = self.stop();
        while self.progressed.episodes < goal && !stop.load(Ordering::Relaxed) {
            let Some(episode) = self.episode(late)? else {
                self.halted = true;
                break;
            };
            match episode {
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
        Ok(())
    }

    /// An episode, here or elsewhere; `None` when it is not played elsewhere any more.
    fn episode(&mut self, late: &AtomicBool) -> Result<Option<Episode>, LearnError> {
        let Some(elsewhere) = &mut self.control.elsewhere else {
            return self.learner.episode(late).map(Some);
        };
        let learner = divisible(self.plan, self.learner.as_mut())?;
        let (seal, iteration) = (Seal::of(self.plan), self.progressed.episodes);
        if !self.away {
            elsewhere.begin(iteration, seal.games(learner.games()?))?;
            self.away = true;
        }
        let Some(harvests) = elsewhere.harvests(iteration, seal.weights(learner))? else {
            return Ok(None);
        };
        seal.learn(learner, &harvests, late).map(Some)
    }

    /// Has the games come back, so that they can be saved.
    fn fetch_games(&mut self) -> Result<(), LearnError> {
        match &mut self.control.elsewhere {
            Some(elsewhere) if self.away => {
                let games = elsewhere.games(self.progressed.episodes)?;
                let learner = divisible(self.plan, self.learner.as_mut())?;
                Seal::of(self.plan).put(learner, &games)
            }
            _ => Ok(()),
        }
    }

    /// Writes down what is due after so many games: a point of the curve, a checkpoint.
    fn write_down(&mut self, late: &AtomicBool) -> Result<(), LearnError> {
        let now = self.progressed.episodes;
        let due = |every: u64| now > 0 && now.is_multiple_of(every.max(1));
        let last = self.progressed.finished || now > 0 && now >= self.plan.episodes;
        let points = self.progressed.metrics.points();
        if points.last().is_some_and(|point| point.episodes == now) {
            return Ok(()); // it was written down before
        }
        if due(self.plan.report_every) || last {
            self.point(last, late)?;
        }
        if due(self.plan.checkpoint_every) || self.over().is_some() {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Adds a point to the curve, with an evaluation where one is due.
    fn point(&mut self, last: bool, late: &AtomicBool) -> Result<(), LearnError> {
        let now = self.progressed.episodes;
        let every = self.plan.evaluate_every.max(1);
        let points = self.progressed.metrics.points();
        let before = points.last().map_or(0, |point| point.episodes);
        let due = !self.plan.evaluate_against.is_empty() && (last || now / every > before / every);
        let mut scalars = self.scalars();
        let examined = self.learner.examine();
        scalars.extend(
            examined
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
        let mut wins = Vec::new();
        if due {
            for opponent in &self.plan.evaluate_against {
                let share = self.evaluate(opponent, late)?;
                scalars.push((format!("{EVALUATION}{opponent}"), share));
                wins.push(share);
            }
        }
        self.progressed.games_since = 0;
        self.progressed.wins_since = 0;
        self.progressed.plies_since = 0;
        let new_names = self.progressed.metrics.push(now, &scalars);
        if due {
            self.judge_evaluation(wins.iter().sum::<f64>() / wins.len() as f64)?;
        }
        self.curve.append(&self.progressed.metrics, new_names)
    }

    /// What the curve will say if the next point is now.
    fn scalars(&self) -> Vec<(String, f64)> {
        let done = &self.progressed;
        let mut scalars = vec![(PLIES, done.plies as f64)];
        if done.games_since > 0 {
            let games = done.games_since as f64;
            scalars.push((WIN_RATE, done.wins_since as f64 / games));
            if done.plies_since > 0 {
                scalars.push((PLIES_PER_GAME, done.plies_since as f64 / games));
            }
        }
        scalars.extend(self.learner.scalars(&done.metrics));
        let owned = |(name, value): (&str, f64)| (name.to_owned(), value);
        scalars.into_iter().map(owned).collect()
    }

    /// The share of games won against an opponent.
    fn evaluate(&self, opponent: &str, late: &AtomicBool) -> Result<f64, LearnError> {
        // Not the learner's random numbers: looking must not change what is looked at.
        let seed = self.plan.seed ^ 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(self.progressed.episodes);
        let games = self.plan.evaluation_games;
        self.learner
            .evaluate(opponent, games, seed, self.control.registry, late)
    }

    /// Keeps the best checkpoint and counts towards the rule for stopping early.
    fn judge_evaluation(&mut self, score: f64) -> Result<(), LearnError> {
        let satisfied = self.plan.stop_at.is_some_and(|goal| score >= goal);
        self.progressed.satisfied = if satisfied {
            self.progressed.satisfied + 1
        } else {
            0
        };
        if self.progressed.best.is_none_or(|best| score > best) {
            self.progressed.best = Some(score);
            self.fetch_games()?;
            checkpoint::save(
                &self.folder.join("best"),
                &self.progressed,
                self.learner.as_ref(),
            )?;
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<(), LearnError> {
        self.fetch_games()?;
        let path = checkpoint::path(&self.folder, self.progressed.episodes);
        checkpoint::save(&path, &self.progressed, self.learner.as_ref())?;
        for (name, bytes) in self.learner.files() {
            durable::write(&self.folder.join(name), &bytes)?;
        }
        self.prune();
        Ok(())
    }

    fn prune(&self) {
        let keep = self.plan.keep_checkpoints.max(1);
        checkpoint::prune(&self.folder, keep, self.plan.checkpoint_every);
    }

    fn tell(&mut self) {
        if self.control.progress.is_none() {
            return;
        }
        let done = self.progressed.episodes;
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let speed = (done - self.begun_at) as f64 / seconds;
        let goal = self.plan.episodes.min(self.until());
        let left = goal.saturating_sub(done) as f64 / speed.max(1e-9);
        let mut scalars = self.scalars();
        // The games since the last point of the curve may be few: their share of wins would jump from
        // 0 to 100 %, and contradict the curve.
        if let Some(rate) = self.progressed.metrics.last(WIN_RATE) {
            scalars.retain(|(name, _)| name != WIN_RATE);
            scalars.push((WIN_RATE.to_owned(), rate));
        }
        let Some(progress) = &mut self.control.progress else {
            return;
        };
        progress(&RunProgress {
            episodes: done,
            of: self.plan.episodes,
            episodes_per_second: speed,
            scalars,
            left: Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX),
        });
    }
}
