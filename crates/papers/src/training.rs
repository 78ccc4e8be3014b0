use std::{
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use std::sync::Arc;

use learn::{
    Control, EndgameLearner, LearnError, Learner, Metrics, Plan, Policy, Recipe, Stopped, Task,
    Which,
};
use rules::{Board, Material};
use toml::Table;
use truth::Tablebase;

use crate::{Bench, Budget, PaperError, stopwatch::Stopwatch, store::fingerprint};

/// A recipe of crate `learn`, an endgame, and a number of games to learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Training {
    recipe: &'static str,
    material: &'static str,
    board: usize,
    games: u64,
    changes: &'static [(&'static str, &'static str)],
    smoke_changes: &'static [(&'static str, &'static str)],
    /// Other men in a smoke run.
    smoke_material: Option<&'static str>,
    engine_follows: bool,
    /// Games in a quick run, where the full number takes hours.
    quick: Option<u64>,
    /// What it starts from, for learners with a setting `from`.
    before: Option<&'static Training>,
    /// Which of several trainings that differ by chance alone.
    repetition: u64,
}

/// What came of a training.
pub struct Trained {
    /// The learner as it was at the end.
    pub learner: Arc<dyn EndgameLearner>,
    /// What it learned, as a policy.
    pub policy: Policy,
    /// Games played: fewer than asked for when there was nothing left to learn.
    pub games: u64,
    /// The curve of the training, a hundredth of its games at a time.
    pub metrics: Metrics,
}

impl Training {
    /// So many games on the full board with the recipe's own settings.
    pub const fn new(recipe: &'static str, material: &'static str, games: u64) -> Training {
        Training {
            recipe,
            material,
            board: 8,
            games,
            changes: &[],
            smoke_changes: &[],
            smoke_material: None,
            engine_follows: false,
            quick: None,
            before: None,
            repetition: 0,
        }
    }

    /// The same on a board of this size.
    #[must_use]
    pub const fn board(self, board: usize) -> Training {
        Training { board, ..self }
    }

    /// The same with other settings of the learner, by name.
    #[must_use]
    pub const fn with(self, changes: &'static [(&'static str, &'static str)]) -> Training {
        Training { changes, ..self }
    }

    /// The same with other settings in a smoke run, in place of the others.
    #[must_use]
    pub const fn in_smoke(self, changes: &'static [(&'static str, &'static str)]) -> Training {
        Training {
            smoke_changes: changes,
            ..self
        }
    }

    /// The same with other men in a smoke run, where the full endgame takes long.
    #[must_use]
    pub const fn smoke_material(self, material: &'static str) -> Training {
        Training {
            smoke_material: Some(material),
            ..self
        }
    }

    /// The same for games against a foreign engine, which knows the full board only.
    #[must_use]
    pub const fn for_engines(self) -> Training {
        Training {
            engine_follows: true,
            ..self
        }
    }

    /// The same with fewer games in a quick run.
    #[must_use]
    pub const fn quick(self, games: u64) -> Training {
        Training {
            quick: Some(games),
            ..self
        }
    }

    /// The same, starting from what another training has learned.
    #[must_use]
    pub const fn after(self, before: &'static Training) -> Training {
        Training {
            before: Some(before),
            ..self
        }
    }

    /// The same once more, with other chances.
    #[must_use]
    pub const fn repeated(self, repetition: u64) -> Training {
        Training { repetition, ..self }
    }

    /// Games to play. A smoke run only shows that it can be done, …
    pub fn games(&self, budget: Budget) -> u64 {
        match budget {
            Budget::Smoke => self.games.min(50),
            Budget::Quick => self.quick.unwrap_or(self.games),
            Budget::Full => self.games,
        }
    }

    /// … and does it on the smallest board.
    fn board_size(&self, budget: Budget) -> usize {
        match budget {
            Budget::Smoke if !self.engine_follows => 4,
            _ => self.board,
        }
    }

    /// The men and the board.
    ///
    /// # Errors
    /// When they make no sense.
    pub fn endgame(&self, budget: Budget) -> Result<(Material, Board), PaperError> {
        let wrong = |why: String| PaperError::Setting(why);
        let material = self.men(budget).parse();
        let material = material.map_err(|e| wrong(format!("{e}")))?;
        let board = Board::new(self.board_size(budget)).map_err(|e| wrong(e.to_string()))?;
        Ok((material, board))
    }

    fn men(&self, budget: Budget) -> &'static str {
        let other = self.smoke_material.filter(|_| budget == Budget::Smoke);
        other.unwrap_or(self.material)
    }

    fn changes(&self, budget: Budget) -> Vec<(String, String)> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        match budget {
            Budget::Smoke if !self.smoke_changes.is_empty() => self.smoke_changes,
            _ => self.changes,
        }
        .iter()
        .map(owned)
        .collect()
    }

    /// All that the result depends on besides the seed.
    pub fn settings(&self, budget: Budget) -> String {
        let settings = Recipe::find(self.recipe).and_then(|r| r.settings(&self.changes(budget)));
        let settings = settings.map_or_else(
            |error| error.to_string(),
            |mut table| {
                without_device(&mut table);
                table.to_string().trim().replace('\n', ", ")
            },
        );
        let before = self.before.map_or_else(String::new, |before| {
            format!(", after {}", before.settings(budget))
        });
        let repetition = match self.repetition {
            0 => String::new(),
            n => format!(", repetition {n}"),
        };
        format!(
            "{} trained on {} games of {} on {n}×{n} ({settings}){before}{repetition}",
            self.recipe,
            self.games(budget),
            self.men(budget),
            n = self.board_size(budget),
        )
    }

    /// Trains, or goes on with a training that was interrupted, or takes what the same training made
    /// before: rows of a table that ask about one training share it.
    ///
    /// # Errors
    /// When the recipe or a setting does not exist, an opponent fails, or the run was stopped.
    pub fn train(&self, bench: &Bench<'_>) -> Result<Trained, PaperError> {
        let folder = self.run(bench)?;
        let learned = learn::load(&folder, Which::Newest)?;
        let learner = Arc::<dyn Learner>::from(learned.learner).into_endgame_learner();
        let learner = learner.ok_or(LearnError::NeedsEndgame)?;
        let progressed = learn::info(&folder)?.progressed.unwrap_or_default();
        Ok(Trained {
            policy: Policy::new(learner.clone(), learned.fingerprint),
            learner,
            games: progressed.episodes,
            metrics: progressed.metrics,
        })
    }

    /// Trains as [`Training::train`] does and returns the mean squared error over the training
    /// positions, in moves; `None` where the recipe has no such thing.
    ///
    /// # Errors
    /// As [`Training::train`].
    pub fn error(&self, bench: &Bench<'_>) -> Result<Option<f64>, PaperError> {
        let folder = self.run(bench)?;
        let mut learner = learn::load(&folder, Which::Newest)?.learner;
        let Some(learner) = learner.endgame_learner_mut() else {
            return Ok(None);
        };
        if Recipe::find(self.recipe)?.taught {
            let (material, board) = self.endgame(bench.budget)?;
            learner.teach(bench.truth(material, board)?);
        }
        Ok(learner.training_error())
    }

    /// Carries the training out as a run, in a folder named after all that its result depends on.
    pub(crate) fn run(&self, bench: &Bench<'_>) -> Result<PathBuf, PaperError> {
        let mut changes = self.changes(bench.budget);
        if let Some(before) = self.before {
            let folder = before.run(bench)?.to_string_lossy().into_owned();
            changes.push(("from".to_owned(), folder));
        }
        let (material, board) = self.endgame(bench.budget)?;
        let games = self.games(bench.budget);
        let mut plan = Plan::new(
            self.recipe,
            Task::Endgame(material, board),
            games,
            bench.seed + 1000 * self.repetition,
            &changes,
        )?;
        plan.keep_checkpoints = 1;
        if bench.budget == Budget::Smoke {
            // Over in a moment: writing more often would take longer than the games.
            plan.checkpoint_every = games;
            plan.report_every = games.div_ceil(10);
        }
        let key = format!("{} seed {}", self.settings(bench.budget), bench.seed);
        let men = self.men(bench.budget);
        let name = format!("{}-{men}-{}", self.recipe, fingerprint(&key));
        let folder = bench.trainings.join(name);
        let teacher = match Recipe::find(self.recipe)?.taught {
            true => Some(bench.truth(material, board)?),
            false => None,
        };
        carry_out(&plan, &folder, teacher, None, bench, "games of training")?;
        Ok(folder)
    }
}

/// Carries a plan out in a folder, or goes on with it, to its end or until so many episodes, and waits where
/// another program does. The seconds it took are noted beside the folder; those of waiting are not.
pub(crate) fn carry_out(
    plan: &Plan,
    folder: &Path,
    teacher: Option<Arc<Tablebase>>,
    until: Option<u64>,
    bench: &Bench<'_>,
    remark: &str,
) -> Result<(), PaperError> {
    loop {
        bench.go_on()?;
        let mut progress = |progress: &learn::RunProgress| {
            bench.tell(progress.episodes, progress.of, remark);
        };
        let control = Control {
            registry: Some(bench.registry()),
            teacher: teacher.clone().map(|tables| tables as _),
            progress: Some(&mut progress),
            cancel: Some(bench.stop),
            until,
            ..Control::default()
        };
        let stopwatch = Stopwatch::start();
        let summary = match folder.join("run.toml").exists() {
            true => learn::resume(folder, control),
            false => learn::train(plan, folder, control),
        };
        if summary.is_ok() {
            // With more threads other trainings may go on beside it.
            stopwatch.note(folder, bench.threads == 1)?;
        }
        match summary {
            Ok(summary) if summary.stopped == Stopped::Cancelled => {
                return Err(PaperError::Stopped);
            }
            Ok(_) => return Ok(()),
            // Another program measures other rows with the same training.
            Err(LearnError::Busy(_) | LearnError::RunExists(_)) => {
                bench.tell(0, 0, "waiting for the same training in another program");
                thread::sleep(Duration::from_millis(500));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Settings without where a learner learns, and in how many shifts: what it becomes is the same but for
/// rounding.
pub(crate) fn without_device(settings: &mut Table) {
    if settings.remove("shifts").is_some() {
        settings.remove("device");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use play::Registry;

    use super::*;

    const TRAINING: Training = Training::new("ypma-q", "KQK", 200_000).board(5);

    /// Trains in a folder; stops after so many games.
    fn train(folder: &std::path::Path, stop_after: u64) -> Result<Trained, PaperError> {
        let tables = Arc::new(Tablebase::new(folder));
        let stop = AtomicBool::new(false);
        let tell = |games: u64, _: u64, _: &str| {
            stop.fetch_or(games >= stop_after, Ordering::Relaxed);
        };
        TRAINING.train(&Bench {
            budget: Budget::Full,
            seed: 1,
            threads: 1,
            stop: &stop,
            trainings: folder.join("trainings"),
            games: None,
            device: None,
            registry: Arc::new(Registry::new(tables.clone())),
            tables,
            tell: &tell,
        })
    }

    #[test]
    fn a_training_is_made_once_and_goes_on_where_it_was_stopped() {
        let folder = tempfile::tempdir().unwrap();
        // The first word comes with the first games.
        assert!(matches!(train(folder.path(), 1), Err(PaperError::Stopped)));
        // What it took is noted beside it.
        let runs = || -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder.path().join("trainings")).unwrap();
            let paths = entries.map(|entry| entry.unwrap().path());
            paths.filter(|path| path.is_dir()).collect()
        };
        assert_eq!(runs().len(), 1);
        let run = learn::info(&runs()[0]).unwrap();
        let played = run.progressed.unwrap().episodes;
        assert!((1..200_000).contains(&played), "{played}");
        let resumed = train(folder.path(), u64::MAX).unwrap();
        let again = train(folder.path(), u64::MAX).unwrap();
        assert_eq!(runs().len(), 1);
        let other = tempfile::tempdir().unwrap();
        let undisturbed = train(other.path(), u64::MAX).unwrap();
        for trained in [resumed, again] {
            assert_eq!(trained.games, 200_000);
            assert_eq!(trained.metrics, undisturbed.metrics);
        }
    }
}
