use learn::{Control, Episode, Learner, Plan, Policy, Recipe, Task, recipe};
use rules::{Board, Material};

use crate::{Bench, Budget, PaperError};

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
}

/// What came of a training.
pub struct Trained {
    /// What was learned.
    pub policy: Policy,
    /// Games played: fewer than asked for when there was nothing left to learn.
    pub games: u64,
}

/// Games between two looks at the clock and the stop flag.
const STRETCH: u64 = 200;

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
            |table| table.to_string().trim().replace('\n', ", "),
        );
        let before = self.before.map_or_else(String::new, |before| {
            format!(", after {}", before.settings(budget))
        });
        format!(
            "{} trained on {} games of {} on {n}×{n} ({settings}){before}",
            self.recipe,
            self.games(budget),
            self.men(budget),
            n = self.board_size(budget),
        )
    }

    /// Trains; `seen` is told after every game whether white won it.
    ///
    /// # Errors
    /// When the recipe or a setting does not exist, an opponent fails, or the run was stopped.
    pub fn train(
        &self,
        bench: &Bench<'_>,
        mut seen: impl FnMut(bool),
    ) -> Result<Trained, PaperError> {
        self.train_watched(bench, |won, _| seen(won))
    }

    /// The same; `seen` is shown the learner, too.
    ///
    /// # Errors
    /// As [`Training::train`].
    pub fn train_watched(
        &self,
        bench: &Bench<'_>,
        mut seen: impl FnMut(bool, &dyn Learner),
    ) -> Result<Trained, PaperError> {
        let mut changes = self.changes(bench.budget);
        let folder = self.before.map(|before| before.run(bench)).transpose()?;
        if let Some(folder) = &folder {
            let folder = folder.path().to_string_lossy().into_owned();
            changes.push(("from".to_owned(), folder));
        }
        let recipe = Recipe::find(self.recipe)?;
        let (material, board) = self.endgame(bench.budget)?;
        let of = self.games(bench.budget);
        let task = Task {
            material,
            board,
            episodes: of,
            seed: bench.seed,
        };
        let settings = recipe.settings(&changes)?;
        let mut learner: Box<dyn Learner> =
            recipe::learner(recipe.learner, &settings, task, Some(bench.registry()))?;
        if recipe.taught {
            learner.teach(bench.truth(material, board)?);
        }
        let mut games = 0;
        while games < of {
            if games % STRETCH == 0 {
                bench.go_on()?;
                bench.tell(games, of, "games of training");
            }
            match learner.episode()? {
                Episode::Played { won, .. } => seen(won, learner.as_ref()),
                Episode::Studied { .. } => {}
                Episode::Finished => break,
            }
            games += 1;
        }
        Ok(Trained {
            policy: Policy::new(learner),
            games,
        })
    }

    /// Trains into a folder that is gone when it is dropped.
    fn run(&self, bench: &Bench<'_>) -> Result<tempfile::TempDir, PaperError> {
        let folder = tempfile::tempdir();
        let folder = folder.map_err(|error| PaperError::Setting(error.to_string()))?;
        let (material, board) = self.endgame(bench.budget)?;
        let games = self.games(bench.budget);
        let plan = Plan::new(
            self.recipe,
            material,
            board,
            games,
            bench.seed,
            &self.changes(bench.budget),
        )?;
        let mut progress = |progress: &learn::Progress| {
            bench.tell(
                progress.episodes,
                progress.of,
                "games of the training before",
            );
        };
        let control = Control {
            registry: Some(bench.registry()),
            progress: Some(&mut progress),
            cancel: Some(bench.stop),
            ..Control::default()
        };
        learn::train(&plan, folder.path(), control)?;
        bench.go_on()?;
        Ok(folder)
    }
}
