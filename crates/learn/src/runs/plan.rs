//! What a run is to do: the file `run.toml`, complete enough to repeat the run.

use std::path::Path;

use play::Registry;
use rules::plain_file;
use rules::{Board, Material};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::durable;
use crate::{Course, LearnError, Learner, Recipe, Task};

/// The settings of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The recipe it was made from.
    pub recipe: String,
    /// Runs of format 1 also named the learner, which follows from the recipe.
    #[serde(default, rename = "learner", skip_serializing)]
    _learner: Option<String>,
    /// The men, such as `KRK`; none for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endgame: Option<String>,
    /// The size of the board.
    pub board: usize,
    /// Games to play.
    pub episodes: u64,
    /// Everything random follows from it.
    pub seed: u64,
    /// Games between points of the curve.
    pub report_every: u64,
    /// Games between checkpoints.
    pub checkpoint_every: u64,
    /// Checkpoints to keep besides the best.
    pub keep_checkpoints: usize,
    /// Games between evaluations; rounded up to a point of the curve.
    pub evaluate_every: u64,
    /// Whom to play in evaluations: names of players, or `self` for the learner's own black side.
    pub evaluate_against: Vec<String>,
    /// Games in an evaluation, against each opponent.
    pub evaluation_games: u32,
    /// Stop early when the mean share of wins in the evaluations reaches this …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at: Option<f64>,
    /// … so many times in a row.
    pub stop_after: u64,
    /// What judged the search for settings that the run is part of, if it is part of one: a player, a
    /// scalar, or `certificate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched_by: Option<String>,
    /// When it was made longer, if it was; what falls from the beginning to the end of a run, such as a
    /// learning rate, falls anew towards the new end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<Extension>,
    /// The learner's settings.
    pub settings: Table,
    /// The programs that made the run.
    pub versions: Versions,
}

/// A run made longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Extension {
    /// Games that were played by then.
    pub after: u64,
    /// Games that it was to play until then.
    pub of: u64,
}

/// The programs that made a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Versions {
    /// Of Lucena.
    pub lucena: String,
    /// Of the run's folder.
    pub format: u32,
}

impl Plan {
    /// A run of a recipe, with changed settings of its learner.
    ///
    /// There are a hundred points on the curve, ten checkpoints, and no evaluations until
    /// [`Plan::evaluate_against`] names opponents.
    ///
    /// # Errors
    /// When a name is unknown or a value does not fit.
    pub fn new(
        recipe: &str,
        task: Task,
        episodes: u64,
        seed: u64,
        changes: &[(String, String)],
    ) -> Result<Plan, LearnError> {
        let recipe = Recipe::find(recipe)?;
        Ok(Plan {
            recipe: recipe.name.to_owned(),
            _learner: None,
            endgame: task
                .endgame()
                .ok()
                .map(|(material, _)| material.to_string()),
            board: task.endgame().map_or(8, |(_, board)| board.size()),
            episodes,
            seed,
            report_every: episodes.div_ceil(100).max(1),
            checkpoint_every: episodes.div_ceil(10).max(1),
            keep_checkpoints: 3,
            evaluate_every: episodes.div_ceil(10).max(1),
            evaluate_against: Vec::new(),
            evaluation_games: 200,
            stop_at: None,
            stop_after: 1,
            searched_by: None,
            extended: Vec::new(),
            settings: recipe.settings(changes)?,
            versions: Versions {
                lucena: env!("CARGO_PKG_VERSION").to_owned(),
                format: 1,
            },
        })
    }

    /// What is to be learned.
    ///
    /// # Errors
    /// When the endgame or the board makes no sense.
    pub fn task(&self) -> Result<Task, LearnError> {
        let bad = |name: &str, value: String, why: String| LearnError::BadSetting {
            name: name.into(),
            value,
            why,
        };
        let Some(endgame) = &self.endgame else {
            return Ok(Task::Chess);
        };
        let material = endgame.parse::<Material>();
        let board = Board::new(self.board);
        Ok(Task::Endgame(
            material.map_err(|error| bad("endgame", endgame.clone(), error.to_string()))?,
            board.map_err(|error| bad("board", self.board.to_string(), error.to_string()))?,
        ))
    }

    /// What is to be learned, and for how long.
    ///
    /// # Errors
    /// As [`Plan::task`].
    pub fn course(&self) -> Result<Course, LearnError> {
        Ok(Course {
            task: self.task()?,
            episodes: self.episodes,
            seed: self.seed,
        })
    }

    /// What is to be learned in a word: the men, or `chess`.
    pub fn game(&self) -> &str {
        self.endgame.as_deref().unwrap_or("chess")
    }

    /// The recipe.
    ///
    /// # Errors
    /// When this program has none of that name.
    pub fn recipe(&self) -> Result<&'static Recipe, LearnError> {
        Recipe::find(&self.recipe)
    }

    /// The learner, knowing nothing.
    ///
    /// # Errors
    /// When the recipe is unknown, or a setting does not fit.
    pub fn learner(&self, registry: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        self.recipe()?
            .learner(&self.settings, self.course()?, registry)
    }

    /// The plan of a text that [`Plan::text`] wrote.
    ///
    /// # Errors
    /// When it is no plan.
    pub fn from_text(text: &str) -> Result<Plan, LearnError> {
        toml::from_str(text).map_err(|error| LearnError::BadSetting {
            name: "plan".into(),
            value: String::new(),
            why: error.to_string(),
        })
    }

    /// The plan as the text of `run.toml`.
    pub fn text(&self) -> String {
        toml::to_string(self).expect("a plan fits into TOML")
    }

    /// Reads `run.toml` from a run's folder.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn read(folder: &Path) -> Result<Plan, LearnError> {
        let no_run = |why: String| LearnError::NoRun {
            folder: folder.to_owned(),
            why,
        };
        let text = plain_file::read_to_string(&folder.join("run.toml"), plain_file::TEXT);
        toml::from_str(&text.map_err(|error| no_run(error.to_string()))?)
            .map_err(|error| no_run(error.to_string()))
    }

    /// Writes `run.toml` into a run's folder.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, folder: &Path) -> Result<(), LearnError> {
        durable::write(&folder.join("run.toml"), self.text().as_bytes())
    }
}
