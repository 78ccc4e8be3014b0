//! A training from a file of games.

use std::path::{Path, PathBuf};

use learn::{Plan, Recipe, Task, games::GameFile};

use crate::{
    Bench, Budget, PaperError, own_games::own_games, store::fingerprint, training::carry_out,
};

/// A recipe of crate `learn` that learns the whole game from a file of games, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GamesTraining {
    recipe: &'static str,
    episodes: u64,
    quick: u64,
    changes: &'static [(&'static str, &'static str)],
    /// What is changed to show that it can be done, and for how many episodes; those of a quick run if it does not say.
    smoke: &'static [(&'static str, &'static str)],
    smoke_episodes: Option<u64>,
}

/// What came of it.
pub(crate) struct GamesTrained {
    /// The folder of the run.
    pub run: PathBuf,
    /// The file of games.
    pub games: PathBuf,
}

/// Why there is nothing to learn from.
pub(crate) const NO_GAMES: &str = "it learns from games: name a file of them with --games \
                                   ('lucena games import' makes one)";

/// A small file needs more held-out games to have every kind of move among them.
const IN_SMOKE: &[(&str, &str)] = &[("held_out", "20"), ("judged", "50")];

impl GamesTraining {
    /// So many episodes, or `quick` ones in a quick run and no more in a smoke run, with the recipe's
    /// own settings.
    pub const fn new(recipe: &'static str, episodes: u64, quick: u64) -> GamesTraining {
        GamesTraining {
            recipe,
            episodes,
            quick,
            changes: &[],
            smoke: &[],
            smoke_episodes: None,
        }
    }

    /// The same with other settings of the learner, by name.
    #[must_use]
    pub const fn with(self, changes: &'static [(&'static str, &'static str)]) -> GamesTraining {
        GamesTraining { changes, ..self }
    }

    /// The same with other settings and so many episodes in a smoke run.
    #[must_use]
    pub const fn in_smoke(
        self,
        smoke: &'static [(&'static str, &'static str)],
        episodes: u64,
    ) -> GamesTraining {
        GamesTraining {
            smoke,
            smoke_episodes: Some(episodes),
            ..self
        }
    }

    pub(crate) fn episodes(&self, budget: Budget) -> u64 {
        match budget {
            Budget::Smoke => self.smoke_episodes.unwrap_or(self.quick),
            Budget::Quick => self.quick,
            Budget::Full => self.episodes,
        }
    }

    fn changes(&self, budget: Budget) -> Vec<(String, String)> {
        let (more, of_training) = match budget {
            Budget::Smoke => (IN_SMOKE, self.smoke),
            _ => (&[][..], &[][..]),
        };
        let all = self.changes.iter().chain(of_training).chain(more);
        all.map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// All that the result depends on besides the seed and the games.
    pub fn settings(&self, budget: Budget) -> String {
        let settings = settings_text(self.recipe, &self.changes(budget), &["data"]);
        let games = match budget {
            Budget::Smoke => "random games",
            _ => "a file of games",
        };
        let episodes = self.episodes(budget);
        format!(
            "{} trained for {episodes} episodes on {games} ({settings})",
            self.recipe
        )
    }

    /// Trains, or goes on with a training that was interrupted, or takes what the same training made
    /// before; `None` where there are no games.
    pub(crate) fn train(&self, bench: &Bench<'_>) -> Result<Option<GamesTrained>, PaperError> {
        let Some(games) = games_for(bench)? else {
            return Ok(None);
        };
        let mut changes = self.changes(bench.budget);
        changes.push(("data".to_owned(), games.to_string_lossy().into_owned()));
        let episodes = self.episodes(bench.budget);
        let mut plan = Plan::new(self.recipe, Task::Chess, episodes, bench.seed, &changes)?;
        plan.keep_checkpoints = 1;
        let key = from_games(&self.settings(bench.budget), bench.seed, &games)?;
        let name = format!("{}-{key}", self.recipe);
        let run = bench.trainings.join(name);
        let done = learn::info(&run).ok().and_then(|run| run.progressed);
        if done.is_none_or(|done| done.episodes < episodes) {
            carry_out(&plan, &run, None, None, bench, "episodes of training")?;
        }
        Ok(Some(GamesTrained { run, games }))
    }
}

/// The games that networks learn from: in a smoke run some of our own; `None` if none were named.
pub(crate) fn games_for(bench: &Bench<'_>) -> Result<Option<PathBuf>, PaperError> {
    match bench.budget {
        Budget::Smoke => own_games(bench, &bench.trainings).map(Some),
        _ => Ok(bench.games.clone()),
    }
}

/// A short name of a training under these settings, with this seed, from these games.
pub(crate) fn from_games(settings: &str, seed: u64, games: &Path) -> Result<String, PaperError> {
    let file = GameFile::open(games).map_err(|e| PaperError::Setting(e.to_string()))?;
    let (origin, summary) = (file.origin(), file.summary());
    Ok(fingerprint(&format!(
        "{settings} seed {seed} {origin:?} {summary:?}"
    )))
}

/// All settings of a recipe with these changes, on one line, but for those on which nothing depends.
pub(crate) fn settings_text(
    recipe: &str,
    changes: &[(String, String)],
    without: &[&str],
) -> String {
    let settings = Recipe::find(recipe).and_then(|recipe| recipe.settings(changes));
    settings.map_or_else(
        |error| error.to_string(),
        |mut table| {
            without.iter().for_each(|&name| drop(table.remove(name)));
            table.to_string().trim().replace('\n', ", ")
        },
    )
}
