use std::{path::PathBuf, thread, time::Duration};

use learn::{Control, LearnError, Plan, Recipe, Stopped, Task};

use crate::{Bench, Budget, PaperError, store::fingerprint};

/// An agent of whole games: a recipe that learns by itself, in iterations, and keeps ten checkpoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agent {
    recipe: &'static str,
    changes: &'static [(&'static str, &'static str)],
    /// Do an opening book and exact tables reward it?
    rewarded: bool,
    /// Which of several trainings that differ by chance alone.
    repetition: u64,
}

/// Iterations of a training, and between checkpoints.
const fn iterations(budget: Budget) -> (u64, u64) {
    match budget {
        Budget::Smoke => (2, 1),
        Budget::Quick => (20, 10),
        Budget::Full => (1000, 100),
    }
}

/// Enough to show that it can be done.
const SMOKE: [(&str, &str); 5] = [
    ("steps", "32"),
    ("fragment", "8"),
    ("epochs", "1"),
    ("minibatch", "16"),
    ("width", "8"),
];

impl Agent {
    /// A recipe with its own settings.
    pub const fn new(recipe: &'static str) -> Agent {
        Agent {
            recipe,
            changes: &[],
            rewarded: false,
            repetition: 0,
        }
    }

    /// The same with other settings, by name.
    #[must_use]
    pub const fn with(self, changes: &'static [(&'static str, &'static str)]) -> Agent {
        Agent { changes, ..self }
    }

    /// The same with rewards from an opening book and from Syzygy's tables. They are looked for in the
    /// folder that `LUCENA_DATA` names.
    #[must_use]
    pub const fn rewarded(self) -> Agent {
        Agent {
            rewarded: true,
            ..self
        }
    }

    /// The same once more, with other chances.
    #[must_use]
    pub const fn repeated(self, repetition: u64) -> Agent {
        Agent { repetition, ..self }
    }

    /// The iterations after which there is a checkpoint.
    pub fn checkpoints(&self, budget: Budget) -> Vec<u64> {
        let (all, every) = iterations(budget);
        (1..=all / every).map(|n| n * every).collect()
    }

    /// All that the result depends on besides the seed.
    pub fn settings(&self, budget: Budget) -> String {
        let (all, _) = iterations(budget);
        let changes = self.changes.iter();
        let changes: Vec<String> = changes
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let size = match budget {
            Budget::Smoke => ", the smallest networks",
            _ => "",
        };
        let rewards = match self.rewarded && budget != Budget::Smoke {
            true => ", rewards from a book and tables",
            false => "",
        };
        let repetition = match self.repetition {
            0 => String::new(),
            n => format!(", repetition {n}"),
        };
        format!(
            "{} trained for {all} iterations ({}{rewards}{size}{repetition})",
            self.recipe,
            changes.join(", "),
        )
    }

    /// Trains it, or goes on with a training that was interrupted; the folder of the run, or why it
    /// cannot be made here.
    ///
    /// # Errors
    /// When a setting does not exist, or the run was stopped.
    pub fn train(&self, bench: &Bench<'_>) -> Result<Result<PathBuf, String>, PaperError> {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let mut changes: Vec<_> = self.changes.iter().copied().map(owned).collect();
        if self.rewarded {
            match files(bench.budget) {
                Ok(files) => changes.extend(files),
                Err(why) => return Ok(Err(why)),
            }
        }
        if bench.budget == Budget::Smoke {
            changes.extend(SMOKE.map(owned));
        }
        let (all, every) = iterations(bench.budget);
        let seed = bench.seed + 1000 * self.repetition;
        let mut plan = Plan::new(self.recipe, Task::Chess, all, seed, &changes)?;
        plan.checkpoint_every = every;
        plan.keep_checkpoints = (all / every) as usize;
        let recipe = Recipe::find(self.recipe)?;
        let settings = recipe.settings(&changes)?.to_string();
        let key = format!("{} {settings} {all} {seed}", self.recipe);
        let name = format!("{}-chess-{}", self.recipe, fingerprint(&key));
        let folder = bench.trainings.join(name);
        loop {
            bench.go_on()?;
            let mut progress = |progress: &learn::Progress| {
                bench.tell(progress.episodes, progress.of, "iterations of training");
            };
            let control = Control {
                registry: Some(bench.registry()),
                progress: Some(&mut progress),
                cancel: Some(bench.stop),
                ..Control::default()
            };
            let summary = match folder.join("run.toml").exists() {
                true => learn::resume(&folder, control),
                false => learn::train(&plan, &folder, control),
            };
            match summary {
                Ok(summary) if summary.stopped == Stopped::Cancelled => {
                    return Err(PaperError::Stopped);
                }
                Ok(_) => return Ok(Ok(folder)),
                // Another program measures other rows with the same training.
                Err(LearnError::Busy(_) | LearnError::RunExists(_)) => {
                    bench.tell(0, 0, "waiting for the same training in another program");
                    thread::sleep(Duration::from_millis(500));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The settings that name book and tables, or why there are none.
fn files(budget: Budget) -> Result<[(String, String); 2], String> {
    let setting = |name: &str, value: String| (name.to_owned(), value);
    if budget == Budget::Smoke {
        return Ok(["book", "syzygy"].map(|name| setting(name, "none".into())));
    }
    let Some(data) = std::env::var_os("LUCENA_DATA").map(PathBuf::from) else {
        return Err("needs an opening book and Syzygy tables: LUCENA_DATA names the folder".into());
    };
    let found = |place: &str| {
        let path = data.join(place);
        match path.exists() {
            true => Ok(path.to_string_lossy().into_owned()),
            false => Err(format!("there is no {place} in the folder of LUCENA_DATA")),
        }
    };
    Ok([
        setting("book", found("polyglot/gnuchess-book.bin")?),
        setting("syzygy", found("syzygy")?),
    ])
}
