//! What is searched, how, and by what it is judged: the file `tuning.toml`.

use std::{
    cmp::Ordering,
    fmt,
    path::{Path, PathBuf},
};

use play::{Registry, derived_seed};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::plain_file;
use serde::{Deserialize, Serialize};

use super::{Score, Settings, Space, TuningError, written};
use crate::{LearnError, Plan, Recipe, Task, Versions, runs::durable};

/// The most settings of a grid, and the most that are tried at random.
pub const TRIALS: u32 = 1_000;
/// The most members of a population.
pub const MEMBERS: u32 = 256;
/// The most trainings of one setting.
pub const SEEDS: u32 = 32;
/// The most scores of a search, which its journal holds.
const SCORES: u64 = 10_000;

/// A search for settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The recipe whose settings are searched.
    pub recipe: String,
    /// The men, such as `KRK`; none for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endgame: Option<String>,
    /// The size of the board.
    pub board: usize,
    /// The settings and their values, as [`Axis::parse`](super::Axis::parse) reads them.
    pub set: Vec<String>,
    /// Trainings of one setting, each with another seed.
    pub seeds: u32,
    /// Episodes of a training.
    pub episodes: u64,
    /// Everything random follows from it.
    pub seed: u64,
    /// What a training is judged by, as [`Score::parse`] reads it.
    pub score: String,
    /// Is the lowest score the best?
    pub lowest: bool,
    /// Games of a score against a player.
    pub games: u32,
    /// How it is searched.
    pub method: Method,
    /// The programs that made it.
    pub versions: Versions,
}

/// How settings are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Method {
    /// All that are listed.
    Grid,
    /// Some, drawn at random.
    Random {
        /// How many.
        trials: u32,
    },
    /// A population whose worst are replaced by mutated copies of its best.
    Population {
        /// How many are trained beside each other.
        members: u32,
        /// Episodes between replacements.
        generation: u64,
    },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Grid => "grid",
            Method::Random { .. } => "random",
            Method::Population { .. } => "population",
        })
    }
}

impl Search {
    /// The program as it is now.
    pub fn this_version() -> Versions {
        Versions {
            lucena: env!("CARGO_PKG_VERSION").to_owned(),
            format: 1,
        }
    }

    /// Says what can be said against it before the first training.
    ///
    /// # Errors
    /// When the recipe, a setting, a value or the score makes no sense, nothing is searched, or it is too much.
    pub fn check(&self, registry: Option<&Registry>) -> Result<(), TuningError> {
        let wrong = |why: String| Err(TuningError::Search(why));
        self.task()?;
        let score = Score::parse(&self.score, registry)?;
        if score == Score::Certificate && self.endgame.is_none() {
            return wrong("certificates are of endgames: name one, or another score".into());
        }
        if self.seeds == 0 || self.seeds > SEEDS {
            return wrong(format!("seeds: 1 to {SEEDS}"));
        }
        if self.games == 0 || self.episodes == 0 {
            return wrong("a search needs games and episodes".into());
        }
        let trials = self.trials()?;
        let scores = trials.len() as u64 * u64::from(self.seeds);
        let scores = scores.saturating_mul(self.generations().len() as u64);
        if scores > SCORES {
            return wrong(format!(
                "this asks for {scores} scores, and {SCORES} is the most: fewer trials, seeds or generations"
            ));
        }
        for settings in &trials {
            let refused = |why| TuningError::Refused {
                settings: written(settings),
                why: Box::new(why),
            };
            let plan = self.plan(settings, 0, 0).map_err(refused)?;
            plan.learner(registry).map_err(refused)?;
        }
        Ok(())
    }

    /// The settings that it tries, or that the members of its population begin with.
    ///
    /// # Errors
    /// When a setting makes no sense, nothing is searched, or it is too much.
    pub fn trials(&self) -> Result<Vec<Settings>, TuningError> {
        let wrong = |why: String| Err(TuningError::Search(why));
        let space = self.space()?;
        if space.varied().next().is_none() {
            return wrong(
                "nothing is searched: give a setting several values, such as --set rate=1e-4,1e-3 or --set \
                 rate=1e-4..1e-2,log"
                    .into(),
            );
        }
        let mut random = ChaCha8Rng::seed_from_u64(derived_seed(self.seed, 0));
        match self.method {
            Method::Grid => space.grid(TRIALS.into()),
            Method::Random { trials } => match space.count() {
                _ if trials == 0 || trials > TRIALS => wrong(format!("trials: 1 to {TRIALS}")),
                Some(count) if count < trials.into() => wrong(format!(
                    "there are only {count} settings, and {trials} are to be tried: ask for fewer, or for a grid"
                )),
                _ => Ok(space.draw(trials as usize, &mut random)),
            },
            Method::Population {
                members,
                generation,
            } => {
                if !(2..=MEMBERS).contains(&members) {
                    return wrong(format!("members: 2 to {MEMBERS}"));
                }
                if generation == 0 || generation >= self.episodes {
                    return wrong(format!(
                        "a generation of {generation} episodes: a training of {} must have more than one of them",
                        self.episodes
                    ));
                }
                Ok(space.draw(members as usize, &mut random))
            }
        }
    }

    /// The settings and their values.
    ///
    /// # Errors
    /// When one makes no sense.
    pub fn space(&self) -> Result<Space, TuningError> {
        Space::parse(&self.set, Recipe::find(&self.recipe)?)
    }

    /// The plan of a training: its settings, which trial or member it belongs to, and which of its seeds it
    /// has, both from 0.
    ///
    /// # Errors
    /// When the settings do not fit.
    pub fn plan(&self, settings: &Settings, trial: usize, seed: u32) -> Result<Plan, LearnError> {
        let task = self.task()?;
        let number = match self.method {
            // Trials with the same seeds differ by their settings alone; members begin at different places.
            Method::Grid | Method::Random { .. } => u64::from(seed),
            Method::Population { .. } => trial as u64 * u64::from(self.seeds) + u64::from(seed),
        };
        let first = self.seed.wrapping_add(number);
        let mut plan = Plan::new(&self.recipe, task, self.episodes, first, settings)?;
        plan.keep_checkpoints = 1;
        plan.searched_by = Some(self.score.clone());
        Ok(plan)
    }

    /// What is learned.
    ///
    /// # Errors
    /// When the endgame makes no sense, or the recipe needs one.
    pub fn task(&self) -> Result<Task, LearnError> {
        let bad =
            |name: &str, value: &dyn fmt::Display, why: &dyn fmt::Display| LearnError::BadSetting {
                name: name.into(),
                value: value.to_string(),
                why: why.to_string(),
            };
        let recipe = Recipe::find(&self.recipe)?;
        let Some(endgame) = &self.endgame else {
            return match recipe.whole_game {
                true => Ok(Task::Chess),
                false => Err(LearnError::NeedsEndgame),
            };
        };
        let material = endgame
            .parse()
            .map_err(|why| bad("endgame", endgame, &why))?;
        let board = rules::Board::new(self.board).map_err(|why| bad("board", &self.board, &why))?;
        Ok(Task::Endgame(material, board))
    }

    /// After how many episodes trainings are judged, the last time at their end.
    pub fn generations(&self) -> Vec<u64> {
        let every = match self.method {
            Method::Population { generation, .. } => generation.max(1),
            _ => self.episodes,
        };
        let count = self.episodes.div_ceil(every.max(1)).min(SCORES + 1);
        (1..=count)
            .map(|number| (number * every).min(self.episodes))
            .collect()
    }

    /// The folder of a training, below that of the search.
    pub fn run(&self, trial: usize, seed: u32) -> PathBuf {
        PathBuf::from(format!(
            "{}-{:03}-seed-{}",
            self.unit(),
            trial + 1,
            seed + 1
        ))
    }

    /// What the rows of its report are.
    pub fn unit(&self) -> &'static str {
        match self.method {
            Method::Population { .. } => "member",
            _ => "trial",
        }
    }

    /// Orders two scores, the better one first; what is no number is the worst.
    pub fn better(&self, a: Option<f64>, b: Option<f64>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if self.lowest => a.total_cmp(&b),
            (Some(a), Some(b)) => b.total_cmp(&a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    /// Reads `tuning.toml` from the folder of a search.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn read(folder: &Path) -> Result<Search, TuningError> {
        let none = |why: String| TuningError::NoSearch {
            folder: folder.to_owned(),
            why,
        };
        let text = plain_file::read_to_string(&folder.join(FILE), plain_file::TEXT);
        toml::from_str(&text.map_err(|error| none(error.to_string()))?)
            .map_err(|error| none(error.to_string()))
    }

    /// Writes `tuning.toml`.
    ///
    /// # Errors
    /// When the file system refuses.
    pub(super) fn write(&self, folder: &Path) -> Result<(), LearnError> {
        let text = toml::to_string(self).expect("a search fits into TOML");
        durable::write(&folder.join(FILE), text.as_bytes())
    }
}

/// The file of a search.
pub(super) const FILE: &str = "tuning.toml";
