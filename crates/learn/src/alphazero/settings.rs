//! The recipe `alphazero`: from nothing but the rules.

use play::{Gumbel, PuctSettings, Registry, Selection};
use serde::{Deserialize, Serialize};

use super::{
    chess_learner::ChessZero,
    chess_trainer::ChessTrainer,
    endgame_learner::EndgameZero,
    endgame_trainer::EndgameTrainer,
    learner::{AlphaZero, Pace},
    replay::Window,
    terms::{Start, Terms},
};
use crate::{
    Course, Endgame, Episodes, Folding, LearnError, Learner, LearnerMaker, LearnerSettings, Learns,
    Recipe, Task, net::Schedule, runs::settings::within,
};

/// The settings of the learner.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AlphaZeroSettings {
    /// Games that are played at once …
    pub games: usize,
    /// … in groups that ask the network together.
    pub group: usize,
    /// Plies of each game in an iteration.
    pub plies: usize,
    /// Simulations for a move.
    pub simulations: u32,
    /// Simulations for a move from which nothing is learned.
    pub quick: u32,
    /// The share of moves that are searched for in full and learned from.
    pub full_share: f64,
    /// Moves that the search considers at the root, by Gumbel's lot.
    pub considered: u32,
    /// c_visit and …
    pub visit: f64,
    /// … c_scale of σ(q) = (c_visit + max N) · c_scale · q.
    pub scale: f64,
    /// Are mates and draws that the search has proven used as such?
    pub solver: bool,
    /// What a win is worth that comes a ply later; the rest of it counts as a draw. 0: 0.97 in an
    /// endgame, where every position is won sooner or later, and 1 in whole games.
    pub discount: f64,
    /// How much of what is learned of the ending is what the search expected, not what came.
    pub expected: f64,
    /// The share of games that begin with a position out of an earlier game, one in which the search
    /// surprised the network.
    pub restarts: f64,
    /// How much more the positions count at which the search surprised the network.
    pub surprise: f64,
    /// Moves of each side until a game is drawn. 0: 50 in an endgame, 200 in whole games.
    pub max_moves: u32,
    /// Lessons in a step.
    pub batch: usize,
    /// How often a lesson is learned, on average.
    pub passes: f64,
    /// The learning rate at the beginning; it falls to nothing.
    pub rate: f64,
    /// Lessons that are kept at least …
    pub window_least: usize,
    /// … at most …
    pub window_most: usize,
    /// … and between them this share of all there have been.
    pub window_share: f64,
    /// Neurons of a hidden layer; in whole games, numbers for each square.
    pub width: usize,
    /// In whole games: the tower's blocks from below, a letter each: `c` convolutions, `a` attention.
    pub blocks: String,
    /// In whole games: where it is trained, as for `imitation`.
    pub device: String,
}

impl Default for AlphaZeroSettings {
    fn default() -> Self {
        AlphaZeroSettings {
            games: 256,
            group: 32,
            plies: 16,
            simulations: 32,
            quick: 8,
            full_share: 1.0,
            considered: 8,
            visit: 50.0,
            scale: 1.0,
            solver: true,
            discount: 0.0,
            expected: 0.5,
            restarts: 0.5,
            surprise: 0.5,
            max_moves: 0,
            batch: 256,
            passes: 8.0,
            rate: 1e-3,
            window_least: 20_000,
            window_most: 300_000,
            window_share: 0.3,
            width: 128,
            blocks: "ccccccc".into(),
            device: "cpu".into(),
        }
    }
}

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "alphazero",
    summary: "AlphaZero: a network that plays against itself by searching and learns what the searches \
              find, from nothing but the rules; episodes are iterations",
    taught: false,
    whole_game: true,
    episodes: Episodes::Iterations,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<AlphaZeroSettings>(),
};

impl AlphaZeroSettings {
    fn check(&self) -> Result<(), LearnError> {
        let whole =
            |name: &str, value: usize, low: f64, high: f64| within(name, value as f64, low, high);
        whole("games", self.games, 1.0, 16_384.0)?;
        whole("group", self.group, 1.0, 4096.0)?;
        whole("plies", self.plies, 1.0, 1000.0)?;
        whole("simulations", self.simulations as usize, 1.0, 100_000.0)?;
        whole("quick", self.quick as usize, 1.0, 100_000.0)?;
        within("full_share", self.full_share, 0.001, 1.0)?;
        whole("considered", self.considered as usize, 1.0, 218.0)?;
        within("visit", self.visit, 0.0, 1e6)?;
        within("scale", self.scale, 0.0, 1e3)?;
        if self.discount != 0.0 {
            within("discount", self.discount, 0.5, 1.0)?;
        }
        within("expected", self.expected, 0.0, 1.0)?;
        within("restarts", self.restarts, 0.0, 1.0)?;
        within("surprise", self.surprise, 0.0, 1.0)?;
        whole("max_moves", self.max_moves as usize, 0.0, 1000.0)?;
        whole("batch", self.batch, 1.0, 65_536.0)?;
        within("passes", self.passes, 0.001, 100.0)?;
        within("rate", self.rate, 0.0, 1.0)?;
        whole("window_least", self.window_least, 1.0, 1e8)?;
        whole(
            "window_most",
            self.window_most,
            self.window_least as f64,
            1e8,
        )?;
        within("window_share", self.window_share, 0.0, 1.0)?;
        whole("width", self.width, 1.0, 4096.0)
    }

    fn terms(&self, start: Start) -> Terms {
        let (discount, max_moves) = match start {
            Start::Endgame(_) => (0.97, 50),
            Start::Chess => (1.0, 200),
        };
        Terms {
            start,
            search: PuctSettings {
                simulations: self.simulations,
                selection: Selection::Gumbel(Gumbel {
                    considered: self.considered,
                    visit: self.visit as f32,
                    scale: self.scale as f32,
                    noise: true,
                }),
                solver: self.solver,
                history: true,
                reuse: false,
            },
            quick: self.quick,
            full_share: self.full_share,
            max_moves: match self.max_moves {
                0 => max_moves,
                own => own,
            },
            restarts: self.restarts,
            surprise: self.surprise,
            discount: match self.discount {
                0.0 => discount,
                own => own,
            },
            expected_share: self.expected,
        }
    }

    fn pace(&self) -> Pace {
        Pace {
            games: self.games,
            group: self.group,
            plies: self.plies,
            batch: self.batch,
            passes: self.passes,
            schedule: Schedule::falling(self.rate),
            window: Window {
                least: self.window_least,
                most: self.window_most,
                share: self.window_share,
            },
        }
    }
}

impl LearnerSettings for AlphaZeroSettings {
    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        self.check()?;
        let (material, board) = match course.task {
            Task::Endgame(material, board) => (material, board),
            Task::Chess => {
                let network =
                    ChessTrainer::new(&self.blocks, self.width, course.seed, &self.device)?;
                let terms = self.terms(Start::Chess);
                let zero = AlphaZero::new(network, terms, self.pace(), course);
                return Ok(Box::new(ChessZero(zero)));
            }
        };
        let endgame = Endgame::new(material, board, Folding::Full)?;
        let network = EndgameTrainer::new(material, board, self.width, course.seed)?;
        let terms = self.terms(Start::Endgame(Box::new(endgame.clone())));
        Ok(Box::new(EndgameZero {
            zero: AlphaZero::new(network, terms, self.pace(), course),
            endgame,
        }))
    }
}
