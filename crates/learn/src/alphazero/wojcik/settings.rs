//! The recipe `wojcik-alphazero`.

use play::Registry;

use super::learner::WojcikZero;
use crate::{
    Course, Episodes, LearnError, Learner, LearnerMaker, LearnerSettings, Learns, Recipe, Task,
    runs::settings::{Setting, settings},
};

settings! {
    /// The settings of the learner.
    pub struct WojcikZeroSettings {
        /// A file of games to begin with; `lucena games import` makes one.
        data: String = String::new();
        /// The share of these games that is held out, in percent.
        held_out: f64 = 2.0, 0.0..=100.0;
        /// How many held-out positions are judged at every point of the curve.
        judged: usize = 1000, 0.0..=1e7;
        /// How many positions of these games are learned from.
        positions: usize = 120_000, 1.0..=1e9;
        /// How often each of them is learned before self-play; each time is an episode.
        epochs: u64 = 6, 0.0..=10_000.0;
        /// Numbers for each square; the document does not say how many.
        filters: usize = 32, 1.0..=1024.0;
        /// Residual blocks.
        blocks: usize = 7, 1.0..=64.0;
        /// Positions in a batch.
        batch: usize = 256, 1.0..=65_536.0;
        /// The learning rate at the beginning; it falls to nothing over all epochs.
        rate: f64 = 2e-3, 0.0..=1.0;
        /// Games against itself in an episode of self-play.
        games: usize = 16, 1.0..=16_384.0;
        /// Simulations for a move.
        simulations: u32 = 800, 1.0..=100_000.0;
        /// Moves of each side until a game is drawn.
        max_moves: u32 = 200, 1.0..=1000.0;
        /// Positions of self-play after which a new network learns.
        harvest: usize = 17_000, 1.0..=1e8;
        /// Positions of self-play that are kept.
        window: usize = 51_000, 1.0..=1e8;
        /// How often each new position is learned, on average.
        passes: f64 = 4.0, 0.001..=100.0;
        /// How much of what is learned of the result is what the search expected, not what came.
        expected: f64 = 0.0, 0.0..=1.0;
        /// The share of positions of the first games among those learned after self-play.
        rehearsed: f64 = 0.5, 0.0..=0.99;
        /// The learning rate after self-play at the beginning; it falls to nothing.
        later_rate: f64 = 5e-4, 0.0..=1.0;
        /// Games of the duel of a new network against the best one.
        duel: u32 = 20, 2.0..=10_000.0;
        /// The share of them that the new one must win to replace it. 0: it does without a duel.
        gate: f64 = 0.55, 0.0..=1.0;
        /// New networks after which there is nothing left to do; 0: as many as the episodes allow.
        generations: u64 = 0, 0.0..=1e9;
    }
}

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "wojcik-alphazero",
    summary: "AlphaZero as in Wójcik and Wiśniewska (2021): the moves of games first, then games against \
              itself; a new network replaces the best when it wins 55 % of a duel; episodes are epochs, then rounds of games",
    taught: false,
    whole_game: true,
    episodes: Episodes::Iterations,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<WojcikZeroSettings>(),
};

impl LearnerSettings for WojcikZeroSettings {
    const SETTINGS: &[Setting] = WojcikZeroSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        self.check(course)?;
        Ok(Box::new(WojcikZero::new(self, course)?))
    }
}

impl WojcikZeroSettings {
    fn check(&self, course: Course) -> Result<(), LearnError> {
        let refuse = |name: &str, value: String, why: &str| {
            Err(LearnError::BadSetting {
                name: name.into(),
                value,
                why: why.into(),
            })
        };
        if course.task != Task::Chess {
            let why = "this recipe learns the whole game: leave the endgame out";
            return refuse("endgame", course.task.to_string(), why);
        }
        if self.data.is_empty() && self.studies() {
            let why = "name a file of games, such as data=engines.games ('lucena games import' makes one), \
                       or leave games out with epochs=0 and rehearsed=0";
            return refuse("data", "''".into(), why);
        }
        if !self.duel.is_multiple_of(2) {
            let why = "an even number: both networks have white equally often";
            return refuse("duel", self.duel.to_string(), why);
        }
        Ok(())
    }

    /// Does it learn from games of others at all?
    pub(super) fn studies(&self) -> bool {
        self.epochs > 0 || self.rehearsed > 0.0
    }
}
