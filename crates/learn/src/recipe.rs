//! Named ways to train.

use play::Registry;
use serde::{Serialize, de::DeserializeOwned};
use toml::Table;

use crate::{
    Course, LearnError, Learner, alphazero, deep_q, distances, imitation, ppo,
    runs::settings::{change, from_table, to_table},
    small, tables, wojcik,
};

/// A learner with its settings, under a name. It stands in the learner's own file; [`RECIPES`]
/// lists them all.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Recipe {
    /// The name.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Is it taught by exact tables, instead of learning from play?
    pub taught: bool,
    /// Does it learn the whole game, instead of an endgame?
    pub whole_game: bool,
    /// What its episodes are.
    pub episodes: Episodes,
    /// What it learns.
    pub learns: Learns,
    /// What it is the recommended recipe for, if it is.
    pub best_for: Option<&'static str>,
    /// Its settings, and what makes a learner of them.
    #[serde(skip)]
    pub maker: LearnerMaker,
}

/// What a learner is given at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Episodes {
    /// It plays a game.
    Games,
    /// It studies a batch of examples.
    Batches,
    /// It plays a number of moves in several games and learns from them.
    Iterations,
}

impl std::fmt::Display for Episodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Episodes::Games => "games",
            Episodes::Batches => "batches",
            Episodes::Iterations => "iterations",
        })
    }
}

/// What a learner fills with what it learns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Learns {
    /// A number or two for every position.
    Tables,
    /// The weights of a network.
    Weights,
}

impl std::fmt::Display for Learns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Learns::Tables => "tables",
            Learns::Weights => "weights",
        })
    }
}

/// Every recipe.
pub const RECIPES: &[Recipe] = &[
    tables::bounds::RECIPE,
    tables::q::RECIPE,
    tables::q_lambda::RECIPE,
    distances::distance::RECIPE,
    distances::td_net::RECIPE,
    small::samadi::RECIPE,
    deep_q::dqn::RECIPE,
    small::tiny_net::RECIPE,
    imitation::RECIPE,
    wojcik::RECIPE,
    ppo::salisch::RECIPE,
    ppo::own::RECIPE,
    alphazero::RECIPE,
];

/// Settings that a learner can be made of.
///
/// They are a plain struct of numbers, texts and switches; its fields are the names that
/// `--set NAME=VALUE` knows.
pub trait LearnerSettings: Default + Serialize + DeserializeOwned {
    /// A learner that knows nothing. Opponents other than the built-in ones are looked up in
    /// `registry`.
    ///
    /// # Errors
    /// When the settings or the task do not fit the learner.
    fn learner(
        self,
        course: Course,
        registry: Option<&Registry>,
    ) -> Result<Box<dyn Learner>, LearnError>;
}

/// How settings become a learner.
#[derive(Clone, Copy, Debug)]
pub struct LearnerMaker {
    #[allow(clippy::type_complexity)] // written out, they say what they are
    settings: fn(&str, &[(String, String)]) -> Result<Table, LearnError>,
    #[allow(clippy::type_complexity)]
    learner: fn(&str, Table, Course, Option<&Registry>) -> Result<Box<dyn Learner>, LearnError>,
}

impl LearnerMaker {
    /// That of a learner's settings.
    pub const fn of<S: LearnerSettings>() -> LearnerMaker {
        LearnerMaker {
            settings: |recipe, changes| Ok(to_table(&change(recipe, &S::default(), changes)?)),
            learner: |recipe, table, course, registry| {
                from_table::<S>(recipe, table)?.learner(course, registry)
            },
        }
    }
}

impl Recipe {
    /// The recipe of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(name: &str) -> Result<&'static Recipe, LearnError> {
        RECIPES
            .iter()
            .find(|recipe| recipe.name == name)
            .ok_or_else(|| LearnError::UnknownRecipe {
                name: name.to_owned(),
                known: RECIPES.iter().map(|recipe| recipe.name.into()).collect(),
            })
    }

    /// Its settings, with changes by name.
    ///
    /// # Errors
    /// When a name is unknown or a value does not fit.
    pub fn settings(&self, changes: &[(String, String)]) -> Result<Table, LearnError> {
        (self.maker.settings)(self.name, changes)
    }

    /// A learner with these settings that knows nothing.
    ///
    /// # Errors
    /// When the settings or the task do not fit.
    pub fn learner(
        &self,
        settings: &Table,
        course: Course,
        registry: Option<&Registry>,
    ) -> Result<Box<dyn Learner>, LearnError> {
        (self.maker.learner)(self.name, settings.clone(), course, registry)
    }
}
