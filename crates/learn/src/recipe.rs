//! Named ways to train.

use play::Registry;
use serde::{Serialize, de::DeserializeOwned};
use toml::Table;

use crate::{
    Course, LearnError, Learner, alphazero, deep_q, distances, imitation, ppo,
    runs::settings::{Setting, change, check, from_table, to_table},
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
    alphazero::wojcik::RECIPE,
];

/// Settings that a learner can be made of.
///
/// They are a plain struct of numbers, texts and switches; its fields are the names that
/// `--set NAME=VALUE` knows.
pub trait LearnerSettings: Default + Serialize + DeserializeOwned {
    /// What each means and what it may be.
    const SETTINGS: &[Setting] = &[];

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
    explained: &'static [Setting],
    #[allow(clippy::type_complexity)] // written out, they say what they are
    settings: fn(&str, &[(String, String)]) -> Result<Table, LearnError>,
    #[allow(clippy::type_complexity)]
    learner: fn(&str, Table, Course, Option<&Registry>) -> Result<Box<dyn Learner>, LearnError>,
}

impl LearnerMaker {
    /// That of a learner's settings.
    pub const fn of<S: LearnerSettings>() -> LearnerMaker {
        LearnerMaker {
            explained: S::SETTINGS,
            settings: |recipe, changes| {
                let changed = change(recipe, &S::default(), S::SETTINGS, changes)?;
                Ok(to_table(&changed))
            },
            learner: |recipe, table, course, registry| {
                check(S::SETTINGS, &table)?;
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

    /// What its settings mean and what they may be.
    pub fn explained(&self) -> &'static [Setting] {
        self.maker.explained
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

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Value;

    #[test]
    fn every_setting_is_explained_in_a_line_and_no_other() {
        for recipe in RECIPES {
            let settings = recipe.settings(&[]).expect("defaults are settings");
            let explained: Vec<&str> = recipe.explained().iter().map(|s| s.name).collect();
            let mut names: Vec<&str> = settings.keys().map(String::as_str).collect();
            names.sort_by_key(|name| explained.iter().position(|known| known == name));
            assert_eq!(names, explained, "{}", recipe.name);
            for setting in recipe.explained() {
                let meaning = setting.meaning();
                assert!(
                    (10..=150).contains(&meaning.chars().count()) && !meaning.contains('\n'),
                    "{}: {} means '{meaning}'",
                    recipe.name,
                    setting.name
                );
                let number = matches!(settings[setting.name], Value::Integer(_) | Value::Float(_));
                assert_eq!(setting.range.is_some(), number, "{}", setting.name);
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_the_range() {
        for recipe in RECIPES {
            for setting in recipe.explained() {
                let Some(range) = setting.range else { continue };
                let below = (range.least - 1.0).to_string();
                let above = (range.most * 2.0 + 1.0).to_string();
                for text in ["nan", "inf", "-inf", "many", &below, &above] {
                    let change = [(setting.name.to_owned(), text.to_owned())];
                    let error = recipe.settings(&change).expect_err(text).to_string();
                    assert!(
                        error.starts_with(&format!("{} = ", setting.name))
                            && error.ends_with(&range.to_string()),
                        "{}: {error}",
                        recipe.name
                    );
                }
                for bound in [range.least, range.most] {
                    let change = [(setting.name.to_owned(), bound.to_string())];
                    assert!(recipe.settings(&change).is_ok(), "{change:?}");
                }
            }
        }
    }

    #[test]
    fn settings_edited_by_hand_are_checked_as_well() {
        let recipe = Recipe::find("ypma-q").expect("it is there");
        let mut settings = recipe.settings(&[]).expect("defaults are settings");
        settings.insert("gamma".to_owned(), Value::Float(7.0));
        let task = crate::Task::Endgame("KRK".parse().expect("men"), rules::Board::STANDARD);
        let course = Course {
            task,
            episodes: 1,
            seed: 1,
        };
        let error = recipe
            .learner(&settings, course, None)
            .err()
            .expect("refused");
        assert_eq!(error.to_string(), "gamma = 7.0: it may be 0 to 1");
    }
}
