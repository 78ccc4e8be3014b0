use std::path::PathBuf;

use learn::{Plan, Recipe, Task};
use toml::Table;

use crate::{
    Bench, Budget, PaperError,
    store::fingerprint,
    training::{carry_out, without_device},
};

/// An agent of whole games: a recipe that learns by itself, in iterations, and keeps ten checkpoints if nothing else is
/// said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agent {
    recipe: &'static str,
    changes: &'static [(&'static str, &'static str)],
    /// Do an opening book and exact tables reward it?
    rewarded: bool,
    /// Which of several trainings that differ by chance alone.
    repetition: u64,
    /// Iterations of a full training.
    iterations: u64,
    /// Of which it keeps so many checkpoints.
    checkpoints: u64,
    /// What is changed to show that it can be done.
    smoke: &'static [(&'static str, &'static str)],
}

/// Enough to show that it can be done.
const SMOKE: &[(&str, &str)] = &[
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
            iterations: 1000,
            checkpoints: 10,
            smoke: SMOKE,
        }
    }

    /// The same, trained for so many iterations.
    #[must_use]
    pub const fn trained_for(self, iterations: u64) -> Agent {
        Agent { iterations, ..self }
    }

    /// The same with no checkpoint but the last, for tables of many short trainings.
    #[must_use]
    pub const fn checkpointed_at_the_end(self) -> Agent {
        Agent {
            checkpoints: 1,
            ..self
        }
    }

    /// The same with other settings in a smoke run, for recipes whose settings have other names than
    /// `ppo`'s.
    #[must_use]
    pub const fn in_smoke(self, smoke: &'static [(&'static str, &'static str)]) -> Agent {
        Agent { smoke, ..self }
    }

    /// Iterations of a training, and between checkpoints.
    fn iterations(&self, budget: Budget) -> (u64, u64) {
        match budget {
            Budget::Smoke => (2, 1),
            Budget::Quick => (20, 10),
            Budget::Full => (self.iterations, self.iterations / self.checkpoints),
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
        let (all, every) = self.iterations(budget);
        (1..=all / every).map(|n| n * every).collect()
    }

    /// All that the result depends on besides the seed.
    pub fn settings(&self, budget: Budget) -> String {
        let (all, _) = self.iterations(budget);
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
            changes.extend(self.smoke.iter().copied().map(owned));
        }
        let (all, every) = self.iterations(bench.budget);
        let seed = bench.seed + 1000 * self.repetition;
        let mut plan = Plan::new(self.recipe, Task::Chess, all, seed, &changes)?;
        plan.checkpoint_every = every;
        plan.keep_checkpoints = (all / every) as usize;
        let recipe = Recipe::find(self.recipe)?;
        let mut settings = recipe.settings(&changes)?;
        without_device(&mut settings);
        let settings = settings.to_string();
        let key = format!("{} {settings} {all} {seed}", self.recipe);
        let name = format!("{}-chess-{}", self.recipe, fingerprint(&key));
        let folder = bench.trainings.join(name);
        plan.settings = on_device(plan.settings, bench.device.as_deref())?;
        if let Ok(mut begun) = Plan::read(&folder) {
            // It may have been begun elsewhere.
            let settings = on_device(begun.settings.clone(), bench.device.as_deref())?;
            if settings != begun.settings {
                begun.settings = settings;
                begun.write(&folder)?;
            }
        }
        let done = learn::info(&folder).ok().and_then(|run| run.progressed);
        if done.is_some_and(|done| done.episodes >= all) {
            return Ok(Ok(folder));
        }
        carry_out(&plan, &folder, None, None, bench, "iterations of training")?;
        Ok(Ok(folder))
    }
}

/// Settings with another device, such as `cuda` or `cuda,shifts=1`, where a learner has the choice and
/// shares it with others.
fn on_device(mut settings: Table, device: Option<&str>) -> Result<Table, PaperError> {
    if !settings.contains_key("shifts") {
        return Ok(settings);
    }
    let text = device.unwrap_or("cpu");
    let (device, shifts) = text.split_once(",shifts=").unwrap_or((text, "2"));
    let shifts: u32 = shifts
        .parse()
        .map_err(|_| PaperError::Setting(format!("'{text}' is no device: shifts are a number")))?;
    settings.insert("device".into(), device.into());
    settings.insert("shifts".into(), i64::from(shifts).into());
    Ok(settings)
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
