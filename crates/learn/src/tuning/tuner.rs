//! A search carried out in a folder, training by training, that survives being killed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use play::derived_seed;

use super::{
    Copied, Entry, Journal, Method, Report, Score, Search, Settings, Space, Tools, TuningError,
    TuningProgress, clock::Clock, population, search::FILE, written,
};
use crate::{
    Control, LearnError, RunProgress, Stopped, Which, load,
    runs::{checkpoint, durable, run::lock},
};

/// Carries a search out in a folder that holds nothing yet.
///
/// # Errors
/// When the search makes no sense, the folder holds something, a training fails, the file system refuses, or
/// it is stopped.
pub fn tune(search: &Search, folder: &Path, tools: Tools<'_>) -> Result<Report, TuningError> {
    search.check(tools.registry)?;
    check_that_it_is_empty(folder)?;
    let trials = search.trials()?;
    if let Method::Population { .. } = search.method {
        tools.say("trying whether these settings can change in the middle of a training");
        population::check_that_settings_can_change(search, &trials[0], &tools)?;
    }
    fs::create_dir_all(folder).map_err(LearnError::file(folder))?;
    let _alone = lock(folder)?;
    check_that_it_is_empty(folder)?; // another program may have been quicker
    search.write(folder)?;
    Tuner::new(search.clone(), trials, folder, tools)?.run()
}

/// Goes on with a search. It ends with the report of an undisturbed one, bit for bit.
///
/// # Errors
/// As [`tune`], and when the folder holds no search.
pub fn resume(folder: &Path, tools: Tools<'_>) -> Result<Report, TuningError> {
    let search = Search::read(folder)?;
    let trials = search.trials()?;
    let _alone = lock(folder)?;
    durable::clean(folder);
    Tuner::new(search, trials, folder, tools)?.run()
}

/// Refuses a folder that holds anything but what a search leaves that was killed at its very beginning.
fn check_that_it_is_empty(folder: &Path) -> Result<(), TuningError> {
    if folder.join(FILE).exists() {
        return Err(TuningError::Exists(folder.to_owned()));
    }
    durable::clean(folder);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(LearnError::file(folder))?,
    };
    for entry in entries {
        let name = entry.map_err(LearnError::file(folder))?.file_name();
        if name != "lock" {
            return Err(TuningError::NotEmpty {
                folder: folder.to_owned(),
                found: name.to_string_lossy().into_owned(),
            });
        }
    }
    Ok(())
}

struct Tuner<'a> {
    search: Search,
    space: Space,
    score: Score,
    folder: PathBuf,
    tools: Tools<'a>,
    /// What every trial or member is trained with now.
    settings: Vec<Settings>,
    generations: Vec<u64>,
    journal: Mutex<Journal>,
    clock: Clock,
}

/// A training until it is judged next.
#[derive(Clone, Copy)]
struct Job {
    trial: usize,
    seed: u32,
    from: u64,
    until: u64,
}

impl<'a> Tuner<'a> {
    fn new(
        search: Search,
        settings: Vec<Settings>,
        folder: &Path,
        tools: Tools<'a>,
    ) -> Result<Tuner<'a>, TuningError> {
        let journal = Journal::open(folder)?;
        let generations = search.generations();
        let done = journal.episodes(&generations);
        let trainings = settings.len() as u64 * u64::from(search.seeds);
        Ok(Tuner {
            score: Score::parse(&search.score, tools.registry)?,
            space: search.space()?,
            clock: Clock::new(done, trainings * search.episodes),
            folder: folder.to_owned(),
            journal: Mutex::new(journal),
            search,
            tools,
            settings,
            generations,
        })
    }

    fn run(mut self) -> Result<Report, TuningError> {
        let ends = self.generations.clone();
        let beginnings = [0].into_iter().chain(ends.iter().copied());
        for (from, &until) in beginnings.zip(&ends) {
            self.train_all(from, until)?;
            if until < self.search.episodes {
                self.breed(until)?;
            }
        }
        self.tell(None);
        let journal = self.journal.into_inner().unwrap_or_else(|e| e.into_inner());
        Report::new(&self.search, &journal)
    }

    fn journal(&self) -> std::sync::MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn run_folder(&self, trial: usize, seed: u32) -> PathBuf {
        self.folder.join(self.search.run(trial, seed))
    }

    /// Trains all that were not judged yet, several beside each other.
    fn train_all(&self, from: u64, until: u64) -> Result<(), TuningError> {
        let all = (0..self.settings.len()).flat_map(|trial| {
            (0..self.search.seeds).map(move |seed| Job {
                trial,
                seed,
                from,
                until,
            })
        });
        let jobs: Vec<Job> = {
            let journal = self.journal();
            all.filter(|job| journal.score(job.trial, job.seed, until).is_none())
                .collect()
        };
        let threads = match self.tools.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let work = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.train(*job) {
                    // What the others are training goes on to its next score; nothing new begins.
                    next.store(jobs.len(), Ordering::Relaxed);
                    let mut failed = failed.lock().unwrap_or_else(|e| e.into_inner());
                    failed.get_or_insert(error);
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..threads.clamp(1, jobs.len().max(1)) {
                scope.spawn(work);
            }
        });
        match failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Trains one until it is judged next, and judges it.
    fn train(&self, job: Job) -> Result<(), TuningError> {
        let Job {
            trial,
            seed,
            from,
            until,
        } = job;
        let name = self.search.run(trial, seed).display().to_string();
        let folder = self.folder.join(&name);
        let plan = self.search.plan(&self.settings[trial], trial, seed)?;
        let mut counted = from;
        let mut progress = |progress: &RunProgress| {
            let now = progress.episodes.clamp(counted, until);
            self.clock.add(now - counted);
            counted = now;
            self.tell(None);
        };
        let mut notice = |text: &str| self.tools.say(&format!("{name}: {text}"));
        let control = Control {
            registry: self.tools.registry,
            teacher: self.tools.teacher.clone(),
            progress: Some(&mut progress),
            notice: Some(&mut notice),
            cancel: Some(self.tools.stop()),
            until: Some(until),
            elsewhere: None,
        };
        let summary = match folder.join("run.toml").exists() {
            true => {
                self.check_run(&folder, &plan, from)?;
                crate::resume(&folder, control)
            }
            false if from > 0 => Err(LearnError::NoCheckpoint(folder.clone())),
            false => crate::train(&plan, &folder, control),
        };
        let in_run = |why| match why {
            LearnError::Stopped => TuningError::Learn(LearnError::Stopped),
            why => TuningError::Training {
                run: name.clone(),
                why: Box::new(why),
            },
        };
        if summary.map_err(in_run)?.stopped == Stopped::Cancelled {
            return Err(LearnError::Stopped.into());
        }
        let left = until - counted;
        self.clock.add(left);
        let score = self.judge(&folder, seed).map_err(|error| match error {
            TuningError::Learn(why) => in_run(why),
            other => other,
        })?;
        self.journal().push(Entry::Scored {
            trial,
            seed,
            episodes: until,
            score,
        })?;
        let after = match until < self.search.episodes {
            true => format!(" after {until} episodes"),
            false => String::new(),
        };
        let left = match self.clock.left() {
            Some(left) if self.clock.episodes() < self.clock.of => {
                format!("; left {} s", left.as_secs())
            }
            _ => String::new(),
        };
        self.tools.say(&format!(
            "{name} ({}){after}: {}{left}",
            written(&self.space.searched(&self.settings[trial])),
            self.score.written(score)
        ));
        self.tell(Some(until));
        Ok(())
    }

    /// A run that goes on must be the one that was begun here, and as far as it should be.
    fn check_run(&self, folder: &Path, plan: &crate::Plan, from: u64) -> Result<(), TuningError> {
        let info = crate::info(folder)?;
        let other = |why| {
            Err(TuningError::OtherRun {
                folder: folder.to_owned(),
                why,
            })
        };
        // A search may go on with a newer program.
        let mut expected = plan.clone();
        expected.versions = info.plan.versions.clone();
        if info.plan != expected {
            return other("its run.toml says something else than the search");
        }
        let progressed = info.progressed.as_ref();
        if progressed.is_none_or(|p| p.episodes < from && !p.finished) && from > 0 {
            return other("its checkpoint is missing, damaged or too old");
        }
        Ok(())
    }

    /// The score of a run as it is now; `None` where it is no number.
    fn judge(&self, folder: &Path, seed: u32) -> Result<Option<f64>, TuningError> {
        let score = match &self.score {
            Score::Opponent(player) => {
                // The same games for all that have the same seed.
                let seed = derived_seed(derived_seed(self.search.seed, 2), seed.into());
                let learned = load(folder, Which::Newest)?;
                let (registry, stop) = (self.tools.registry, self.tools.stop());
                let games = self.search.games;
                learned
                    .learner
                    .evaluate(player, games, seed, registry, stop)?
            }
            Score::Certificate => {
                let failed = |error| TuningError::Certificate {
                    folder: folder.to_owned(),
                    error,
                };
                let Some(certify) = self.tools.certify else {
                    return Err(failed("there is no one to prove it".into()));
                };
                certify(folder).map_err(|error| {
                    match self.tools.stop().load(Ordering::Relaxed) {
                        true => LearnError::Stopped.into(),
                        false => failed(error),
                    }
                })?
            }
            Score::Scalar(name) => {
                let newest = checkpoint::all(folder).into_iter().next();
                let newest = newest.ok_or_else(|| LearnError::NoCheckpoint(folder.to_owned()))?;
                let metrics = checkpoint::peek(&newest)?.metrics;
                match metrics.series(name).last() {
                    Some(&(_, value)) => value,
                    None => {
                        return Err(TuningError::NoScalar {
                            name: name.clone(),
                            known: metrics.names().to_vec(),
                        });
                    }
                }
            }
        };
        Ok(Some(score).filter(|score| score.is_finite()))
    }

    /// Replaces the worst. The decision is written down before it is carried out: whatever interrupts it, it is
    /// carried out again from the beginning, and those who are copied have not moved meanwhile.
    fn breed(&mut self, after: u64) -> Result<(), TuningError> {
        let selected = self.journal().selected(after).map(<[Copied]>::to_vec);
        let copies = match selected {
            Some(copies) => copies,
            None => {
                let copies = self.select(after);
                self.journal().push(Entry::Selected {
                    episodes: after,
                    copies: copies.clone(),
                })?;
                copies
            }
        };
        let replaced = self.journal().replaced(after);
        for Copied { to, from, settings } in copies {
            if !replaced {
                for seed in 0..self.search.seeds {
                    let plan = self.search.plan(&settings, to, seed)?;
                    let (from, to) = (self.run_folder(from, seed), self.run_folder(to, seed));
                    population::copy(&from, &to, &plan)?;
                }
                let (of, with) = (self.search.unit(), written(&self.space.searched(&settings)));
                let (to, from) = (to + 1, from + 1);
                self.tools.say(&format!(
                    "after {after} episodes {of} {to} goes on as a copy of {of} {from} with {with}"
                ));
            }
            self.settings[to] = settings;
        }
        if !replaced {
            self.journal().push(Entry::Replaced { episodes: after })?;
        }
        Ok(())
    }

    fn select(&self, after: u64) -> Vec<Copied> {
        let means = self.means(after);
        let members: Vec<_> = self.settings.iter().cloned().zip(means).collect();
        let fits = |from: usize, settings: &Settings| {
            (0..self.search.seeds).all(|seed| {
                let plan = self.search.plan(settings, from, seed);
                plan.is_ok_and(|plan| {
                    population::fits(&self.run_folder(from, seed), &plan, &self.tools)
                })
            })
        };
        population::select(&self.search, &self.space, after, &members, fits)
    }

    /// The mean scores of all after so many episodes.
    fn means(&self, after: u64) -> Vec<Option<f64>> {
        let journal = self.journal();
        let mean = |trial| super::report::mean(&self.search, &journal, trial, after);
        (0..self.settings.len()).map(mean).collect()
    }

    /// Tells how far it is; when something was judged, also how good the best is now.
    fn tell(&self, judged: Option<u64>) {
        let Some(progress) = self.tools.progress else {
            return;
        };
        let best = judged.and_then(|after| {
            let means = self.means(after).into_iter().flatten().map(Some);
            let best = means.min_by(|a, b| self.search.better(*a, *b))?;
            Some(self.score.written(best))
        });
        progress(&TuningProgress {
            episodes: self.clock.episodes(),
            of: self.clock.of,
            best,
            left: self.clock.left(),
        });
    }
}
