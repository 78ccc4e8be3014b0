//! The recipe `alphazero`: from nothing but the rules.

use play::{Exploration, Gumbel, Noise, PuctSettings, Registry, Selection};

use super::{
    chess_learner::ChessZero,
    chess_trainer::ChessTrainer,
    dense_trainer::DenseTrainer,
    endgame_learner::EndgameZero,
    endgame_trainer::EndgameTrainer,
    learner::{AlphaZero, Pace},
    replay::Window,
    terms::{Start, Terms},
};
use crate::{
    Course, Endgame, Episodes, Folding, LearnError, Learner, LearnerMaker, LearnerSettings, Learns,
    Recipe, Task,
    net::Schedule,
    runs::settings::{Setting, settings, within},
};

/// What `blocks` says where whole games are learned by two hidden layers instead of a tower.
const DENSE: &str = "dense";

settings! {
    /// The settings of the learner.
    pub struct AlphaZeroSettings {
        /// Games that are played at once …
        games: usize = 256, 1.0..=16384.0;
        /// … in groups that ask the network together.
        group: usize = 32, 1.0..=4096.0;
        /// Plies of each game in an iteration.
        plies: usize = 16, 1.0..=1000.0;
        /// Simulations for a move.
        simulations: u32 = 32, 1.0..=100000.0;
        /// Simulations for a move from which nothing is learned.
        quick: u32 = 8, 1.0..=100000.0;
        /// The share of moves that are searched for in full and learned from.
        full_share: f64 = 1.0, 0.001..=1.0;
        /// Moves that the search considers at the root, by Gumbel's lot.
        considered: u32 = 8, 1.0..=218.0;
        /// c_visit and …
        visit: f64 = 50.0, 0.0..=1e6;
        /// … c_scale of σ(q) = (c_visit + max N) · c_scale · q.
        scale: f64 = 1.0, 0.0..=1e3;
        /// The weight of exploration if it searches by upper confidence, as AlphaZero did, with noise where it learns; 0:
        /// by Gumbel's halving.
        c: f64 = 0.0, 0.0..=100.0;
        /// With upper confidence: plies of a game whose moves are drawn by their visits; later the most visited is played.
        drawn: usize = 30, 0.0..=10_000.0;
        /// Are mates and draws that the search has proven used as such?
        solver: bool = true;
        /// What a win is worth that comes a ply later; the rest of it counts as a draw. 0: 0.97 in an
        /// endgame, where every position is won sooner or later, and 1 in whole games.
        discount: f64 = 0.0, 0.0..=1.0;
        /// How much of what is learned of the ending is what the search expected, not what came.
        expected: f64 = 0.5, 0.0..=1.0;
        /// How much of what came of a move is how the game ended; the rest is what the search expected a few plies later.
        lambda: f64 = 1.0, 0.0..=1.0;
        /// The share of games that begin with a position out of an earlier game, one in which the search
        /// surprised the network.
        restarts: f64 = 0.5, 0.0..=1.0;
        /// In whole games: the share of the other games that begin with men scattered by lot, so that they are
        /// decided sooner and more often.
        scattered: f64 = 0.0, 0.0..=1.0;
        /// How much more the positions count at which the search surprised the network.
        surprise: f64 = 0.5, 0.0..=1.0;
        /// What both sides must expect, from 0 to 1, for a game to be given up; 0: none is.
        resign: f64 = 0.0, 0.0..=1.0;
        /// The share of games that are played out all the same, to see how often the sides are wrong.
        resign_checked: f64 = 0.1, 0.0..=1.0;
        /// Moves of each side until a game is drawn. 0: 50 in an endgame, 200 in whole games.
        max_moves: u32 = 0, 0.0..=1000.0;
        /// Lessons in a step.
        batch: usize = 256, 1.0..=65536.0;
        /// How often a lesson is learned, on average.
        passes: f64 = 8.0, 0.001..=100.0;
        /// The learning rate at the beginning; it falls to nothing.
        rate: f64 = 1e-3, 0.0..=1.0;
        /// Lessons that are kept at least …
        window_least: usize = 20_000, 1.0..=1e8;
        /// … at most …
        window_most: usize = 300_000, 1.0..=1e8;
        /// … and between them this share of all there have been.
        window_share: f64 = 0.3, 0.0..=1.0;
        /// Neurons of a hidden layer; of a tower, numbers for each square. 0: 192 in an endgame, 64 in a tower, 256 if dense.
        width: usize = 0, 0.0..=4096.0;
        /// In whole games: the tower's blocks, as `imitation`'s; or dense: two hidden layers, far quicker without a GPU.
        blocks: String = "ccccccc".into();
        /// Is what was played in an iteration learned from while the next one is played, by the network as it was? A
        /// GPU then learns while the processors play.
        beside: bool = false;
        /// A run of the same kind whose weights it begins with; none begins with chance.
        from: String = String::new();
        /// In whole games: where a tower is trained, as for `imitation`; it answers there, too.
        device: String = "cpu".into();
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
        if self.discount != 0.0 {
            within("discount", self.discount, 0.5, 1.0)?;
        }
        let (least, most) = (self.window_least as f64, self.window_most as f64);
        within("window_most", most, least, 1e8)
    }

    fn selection(&self) -> Selection {
        if self.c > 0.0 {
            return Selection::Puct(Exploration {
                init: self.c as f32,
                noise: Some(Noise::ALPHA_ZERO),
                ..Exploration::ALPHA_ZERO
            });
        }
        Selection::Gumbel(Gumbel {
            considered: self.considered,
            visit: self.visit as f32,
            scale: self.scale as f32,
            noise: true,
        })
    }

    fn terms(&self, start: Start) -> Terms {
        let (discount, max_moves) = match start {
            Start::Endgame(_) => (0.97, 50),
            Start::Chess { .. } => (1.0, 200),
        };
        Terms {
            start,
            search: PuctSettings {
                simulations: self.simulations,
                selection: self.selection(),
                solver: self.solver,
                history: true,
                reuse: false,
            },
            drawn: self.drawn,
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
            lambda: self.lambda,
            resign: self.resign,
            resign_checked: self.resign_checked,
        }
    }

    /// The width, or what suits the task.
    fn width_or(&self, usual: usize) -> usize {
        match self.width {
            0 => usual,
            own => own,
        }
    }

    fn of_chess(&self, course: Course) -> Result<Box<dyn Learner>, LearnError> {
        let start = Start::Chess {
            scattered: self.scattered,
        };
        let (terms, pace) = (self.terms(start), self.pace());
        if self.blocks == DENSE {
            let network = DenseTrainer::new(self.width_or(256), course.seed);
            let zero = AlphaZero::new(network, terms, pace, course);
            return Ok(Box::new(ChessZero(zero.beginning_with(&self.from))));
        }
        let width = self.width_or(64);
        let network = ChessTrainer::new(&self.blocks, width, course.seed, &self.device)?;
        let zero = AlphaZero::new(network, terms, pace, course);
        Ok(Box::new(ChessZero(zero.beginning_with(&self.from))))
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
            beside: self.beside,
        }
    }
}

impl LearnerSettings for AlphaZeroSettings {
    const SETTINGS: &[Setting] = AlphaZeroSettings::EXPLAINED;

    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        self.check()?;
        let (material, board) = match course.task {
            Task::Endgame(material, board) => (material, board),
            Task::Chess => return self.of_chess(course),
        };
        let endgame = Endgame::new(material, board, Folding::Full)?;
        let network = EndgameTrainer::new(material, board, self.width_or(192), course.seed)?;
        let terms = self.terms(Start::Endgame(Box::new(endgame.clone())));
        Ok(Box::new(EndgameZero {
            zero: AlphaZero::new(network, terms, self.pace(), course).beginning_with(&self.from),
            endgame,
        }))
    }
}
