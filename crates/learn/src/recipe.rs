//! Named ways to train.

use play::Registry;
use rules::{Board, Material};
use serde::Serialize;
use toml::Table;

use crate::{
    DqnSettings, LearnError, Learner, Opponent,
    deep_q::dqn::DqnLearner,
    distances::distance::{DistanceLearner, DistanceSettings},
    distances::td_net::{TdNetLearner, TdNetSettings},
    runs::settings,
    small::samadi::{SamadiLearner, SamadiSettings},
    small::tiny_net::{TinyNetLearner, TinyNetSettings},
    tables::bounds::{BoundsLearner, BoundsSettings},
    tables::q::{QLearner, QSettings},
    tables::q_lambda::{QLambdaLearner, QLambdaSettings},
};

/// A learner with its settings, under a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Recipe {
    /// The name.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The learner: `q`, `q-lambda`, `bounds`, `distance`, `td-net`, `dqn`, `samadi` or `tiny`.
    pub learner: &'static str,
    /// Is it taught by exact tables, instead of learning from play?
    pub taught: bool,
    /// What its episodes are.
    pub episodes: Episodes,
    /// What it learns: tables or weights.
    pub learns: &'static str,
    /// What it is the recommended recipe for, if it is.
    pub best_for: Option<&'static str>,
}

/// What a learner is given at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Episodes {
    /// It plays a game.
    Games,
    /// It studies a batch of examples.
    Batches,
}

impl std::fmt::Display for Episodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Episodes::Games => "games",
            Episodes::Batches => "batches",
        })
    }
}

/// Every recipe.
pub const RECIPES: [Recipe; 8] = [
    Recipe {
        name: "two-bounds",
        summary: "self-play between two optimists, full-width backups of a lower and an upper \
                  bound on the distance to mate; stops when it knows every position",
        learner: "bounds",
        taught: false,
        episodes: Episodes::Games,
        learns: "tables",
        best_for: Some("tabular"),
    },
    Recipe {
        name: "ypma-q",
        summary: "document Y: Q-learning of a white and a black agent at once (Algorithm 4)",
        learner: "q",
        taught: false,
        episodes: Episodes::Games,
        learns: "tables",
        best_for: None,
    },
    Recipe {
        name: "deolalikar-q-lambda",
        summary: "document D: Q(λ) with eligibility traces against a defender who takes draws",
        learner: "q-lambda",
        taught: false,
        episodes: Episodes::Games,
        learns: "tables",
        best_for: None,
    },
    Recipe {
        name: "distance-net",
        summary: "a network taught the distance to mate by exact tables; episodes are batches",
        learner: "distance",
        taught: true,
        episodes: Episodes::Batches,
        learns: "weights",
        best_for: None,
    },
    Recipe {
        name: "td-net",
        summary: "a network taught by its own games: self-play, full-width backups of its own \
                  answers; stops when all of them agree",
        learner: "td-net",
        taught: false,
        episodes: Episodes::Games,
        learns: "weights",
        best_for: None,
    },
    Recipe {
        name: "samadi-net",
        summary: "document S: five hidden neurons over its features, positions from games played \
                  backwards, labels by search; episodes are batches",
        learner: "samadi",
        taught: false,
        episodes: Episodes::Batches,
        learns: "weights",
        best_for: None,
    },
    Recipe {
        name: "ypma-dqn",
        summary: "document Y: deep Q-learning against a random defender (Algorithm 5); what the \
                  thesis wished for is a setting each",
        learner: "dqn",
        taught: false,
        episodes: Episodes::Games,
        learns: "weights",
        best_for: None,
    },
    Recipe {
        name: "tiny-net",
        summary: "a network of at most 200 bytes for a search, taught by exact tables; episodes are \
                  batches",
        learner: "tiny",
        taught: true,
        episodes: Episodes::Batches,
        learns: "weights",
        best_for: Some("200 bytes"),
    },
];

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
        fn table<T>(of: &str, changes: &[(String, String)]) -> Result<Table, LearnError>
        where
            T: Default + Serialize + serde::de::DeserializeOwned,
        {
            Ok(settings::to_table(&settings::change(
                of,
                &T::default(),
                changes,
            )?))
        }
        match self.learner {
            "q" => table::<QSettings>(self.name, changes),
            "q-lambda" => table::<QLambdaSettings>(self.name, changes),
            "distance" => table::<DistanceSettings>(self.name, changes),
            "td-net" => table::<TdNetSettings>(self.name, changes),
            "dqn" => table::<DqnSettings>(self.name, changes),
            "samadi" => table::<SamadiSettings>(self.name, changes),
            "tiny" => table::<TinyNetSettings>(self.name, changes),
            _ => table::<BoundsSettings>(self.name, changes),
        }
    }
}

/// What a learner is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// The men.
    pub material: Material,
    /// The board.
    pub board: Board,
    /// The length of the run in games.
    pub episodes: u64,
    /// Everything random follows from it.
    pub seed: u64,
}

/// Makes a learner that knows nothing.
///
/// Opponents other than the built-in ones are looked up in `registry`.
///
/// # Errors
/// When the settings or the endgame do not fit the learner.
pub fn learner(
    name: &str,
    table: &Table,
    task: Task,
    registry: Option<&Registry>,
) -> Result<Box<dyn Learner>, LearnError> {
    let Task {
        material,
        board,
        episodes,
        seed,
    } = task;
    let table = table.clone();
    Ok(match name {
        "q" => {
            let settings: QSettings = settings::from_table(name, table)?;
            let opponent = match settings.opponent.as_str() {
                "self" => None,
                other => Some(Opponent::parse(other, registry, seed)?),
            };
            Box::new(QLearner::new(
                settings, material, board, opponent, episodes, seed,
            )?)
        }
        "q-lambda" => {
            let settings: QLambdaSettings = settings::from_table(name, table)?;
            let opponent = Opponent::parse(&settings.opponent, registry, seed)?;
            Box::new(QLambdaLearner::new(
                settings, material, board, opponent, episodes, seed,
            )?)
        }
        "bounds" => {
            let settings: BoundsSettings = settings::from_table(name, table)?;
            Box::new(BoundsLearner::new(settings, material, board, seed)?)
        }
        "distance" => {
            let settings: DistanceSettings = settings::from_table(name, table)?;
            Box::new(DistanceLearner::new(
                settings, material, board, episodes, seed,
            )?)
        }
        "td-net" => {
            let settings: TdNetSettings = settings::from_table(name, table)?;
            Box::new(TdNetLearner::new(
                settings, material, board, episodes, seed,
            )?)
        }
        "dqn" => {
            let settings: DqnSettings = settings::from_table(name, table)?;
            let opponent = match settings.opponent.as_str() {
                "self" => None,
                other => Some(Opponent::parse(other, registry, seed)?),
            };
            Box::new(DqnLearner::new(settings, task, opponent)?)
        }
        "samadi" => {
            let settings: SamadiSettings = settings::from_table(name, table)?;
            Box::new(SamadiLearner::new(
                settings, material, board, episodes, seed,
            )?)
        }
        "tiny" => {
            let settings: TinyNetSettings = settings::from_table(name, table)?;
            Box::new(TinyNetLearner::new(
                settings, material, board, episodes, seed,
            )?)
        }
        _ => {
            return Err(LearnError::BadSetting {
                name: "learner".into(),
                value: name.into(),
                why: "the learners are q, q-lambda, bounds, distance, td-net, dqn, samadi, tiny"
                    .into(),
            });
        }
    })
}
