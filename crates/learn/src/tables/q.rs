//! Q-learning of two agents at once: Algorithm 4 of document Y (Ypma 2024).
//!
//! White learns to mate and black to resist, each with a table of its own, in the same games. After
//! every move the mover looks one reply ahead on a copy of the game, taking the reply the other
//! table thinks best, and moves its value towards the reward plus the discounted value of its own
//! best move there. The game itself goes on with the other agent's ε-greedy move.
//!
//! Where the thesis is silent, this is what happens here: ε falls linearly over the whole run; the
//! first of several best moves is taken; a game starts from a random position with white to move;
//! each position has its own entry (`symmetry = "none"`). Against a named opponent white learns
//! alone, and the opponent's reply is the one that the game goes on with.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, Outcome, Targets};

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    ActionValues, Course, Endgame, EndgameLearner, Episode, Episodes, Extent, Folding, LearnError,
    Learner, LearnerMaker, LearnerSettings, Learns, Metrics, Opponent, Past, Preference, Recipe,
    Skill,
    endgames::as_endgame_learner,
    endgames::opponent::DEFENDER,
    endgames::past::result,
    learner::{below, go_on, load_random, save_random},
    runs::metrics::{EPSILON, POSITIONS_MET},
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
};

settings! {
    /// The settings of the learner; the defaults are the thesis' (its Tables 6.7 and 6.8).
    pub struct QSettings {
        /// The learning rate.
        alpha: f64 = 0.01, 0.0..=1.0;
        /// The discount factor.
        gamma: f64 = 0.99, 0.0..=1.0;
        /// The chance of a random move at the beginning.
        epsilon_start: f64 = 0.9, 0.0..=1.0;
        /// The chance of a random move at the end.
        epsilon_end: f64 = 0.05, 0.0..=1.0;
        /// The reward for winning; the mated side gets its negative.
        win: f64 = 50.0, -1e6..=1e6;
        /// White's reward for a draw; black gets its negative.
        draw: f64 = -50.0, -1e6..=1e6;
        /// White's reward for a move; black gets its negative.
        step: f64 = -1.0, -1e6..=1e6;
        /// The first value of every move of white's.
        initial_white: f64 = 0.0, -1e6..=1e6;
        /// The first value of every move of black's.
        initial_black: f64 = 50.0, -1e6..=1e6;
        /// Whom white trains against: `self`, or the name of a player.
        opponent: String = "self".into();
        /// Which positions share an entry: none, flips, full.
        symmetry: Folding = Folding::None;
        /// Moves of each side until the game is drawn.
        max_moves: u32 = 50, 1.0..=1e4;
        /// Is the third occurrence of a position a draw?
        repetition: bool = true;
    }
}

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "ypma-q",
    summary: "Q-learning as in Ypma's thesis (2024, Algorithm 4): white and black each learn a table of what \
              their moves are worth, by playing each other",
    taught: false,
    whole_game: false,
    episodes: Episodes::Games,
    learns: Learns::Tables,
    best_for: None,
    maker: LearnerMaker::of::<QSettings>(),
};

impl LearnerSettings for QSettings {
    const SETTINGS: &[Setting] = QSettings::EXPLAINED;

    fn learner(
        self,
        course: Course,
        registry: Option<&Registry>,
    ) -> Result<Box<dyn Learner>, LearnError> {
        let (material, board) = course.task.endgame()?;
        let opponent = match self.opponent.as_str() {
            "self" => None,
            other => Some(Opponent::parse(other, registry, course.seed)?),
        };
        Ok(Box::new(QLearner::new(
            self,
            material,
            board,
            opponent,
            course.episodes,
            course.seed,
        )?))
    }
}

/// The learner.
#[derive(Debug)]
pub struct QLearner {
    settings: QSettings,
    endgame: Endgame,
    white: ActionValues,
    black: ActionValues,
    /// `None` when black learns, too.
    opponent: Option<Opponent>,
    random: ChaCha8Rng,
    episodes: u64,
    played: u64,
    past: Past,
}

/// A position of the game with what is needed to move on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub men: FewMen,
    pub targets: Targets,
    pub number: usize,
    pub moves: usize,
}

impl Node {
    #[inline]
    pub fn new(endgame: &Endgame, men: FewMen) -> Node {
        Node::announced(endgame, men, |_| {})
    }

    /// The node of a position, whose number is told as soon as it is known.
    #[inline]
    pub fn announced(endgame: &Endgame, men: FewMen, announce: impl FnOnce(usize)) -> Node {
        let (men, _, number) = endgame.index.canonical_and_index(men);
        announce(number);
        let targets = endgame.rules.targets(men);
        Node {
            men,
            targets,
            number,
            moves: targets.len(),
        }
    }

    /// The node after a move, looked up in `table` next.
    #[inline]
    pub fn after(&self, endgame: &Endgame, action: usize, table: &ActionValues) -> Node {
        let men = endgame.rules.after(self.men, self.targets.nth(action));
        Node::announced(endgame, men, |number| table.announce(number))
    }
}

impl QLearner {
    /// A learner that knows nothing, for a run of `episodes` games.
    ///
    /// # Errors
    /// When the endgame does not fit the compact form.
    pub fn new(
        settings: QSettings,
        material: rules::Material,
        board: rules::Board,
        opponent: Option<Opponent>,
        episodes: u64,
        seed: u64,
    ) -> Result<QLearner, LearnError> {
        let endgame = Endgame::new(material, board, settings.symmetry)?;
        let states = endgame.index.states();
        Ok(QLearner {
            white: ActionValues::new(states, settings.initial_white as f32),
            black: ActionValues::new(states, settings.initial_black as f32),
            past: Past::new(settings.max_moves, settings.repetition),
            random: ChaCha8Rng::seed_from_u64(seed),
            settings,
            endgame,
            opponent,
            episodes,
            played: 0,
        })
    }

    fn table(&self, color: Color) -> &ActionValues {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    fn table_mut(&mut self, color: Color) -> &mut ActionValues {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }

    fn reward(&self, color: Color, outcome: Outcome) -> f32 {
        let white = match result(outcome) {
            1 => self.settings.win,
            0 => self.settings.draw,
            _ => -self.settings.win,
        };
        color.fold_wb(white, -white) as f32
    }

    fn outcome(&self, node: &Node) -> Option<Outcome> {
        self.past
            .outcome(&self.endgame.rules, node.men, &node.targets)
    }

    /// Plays a game; the numbers in brackets are the lines of Algorithm 4.
    fn play(&mut self, stop: &AtomicBool) -> Result<Outcome, LearnError> {
        let explore = (self.epsilon() * f64::from(u32::MAX)) as u32;
        let (alpha, gamma) = (self.settings.alpha as f32, self.settings.gamma as f32);
        let (start, _) = self.endgame.random_start(&mut self.random); // [2]
        let mut node = Node::new(&self.endgame, start);
        self.past.restart(node.number as u64);
        if let Some(opponent) = &mut self.opponent {
            opponent.new_game();
        }
        // The position one reply ahead is often the one the game goes on with.
        let mut ahead: Option<(usize, Node)> = None;
        loop {
            go_on(stop)?;
            let us = node.men.turn;
            let met = self.table_mut(us).meet(node.number, node.moves);
            let action = if self.random.next_u32() < explore {
                below(&mut self.random, node.moves)
            } else {
                self.table(us).best(node.number).0
            }; // [7, 21]
            let taken = met.action(action);
            self.table(us).announce_values(met); // they come while the replies are found
            let next = match ahead.take() {
                Some((reply, node)) if reply == action => node,
                _ => node.after(&self.endgame, action, self.table(!us)),
            };
            self.past.push(next.number as u64);
            if let Some(outcome) = self.outcome(&next) {
                let reward = self.reward(us, outcome);
                self.table_mut(us).set(taken, reward); // [9, 23]
                return Ok(outcome);
            }
            let reply = match &mut self.opponent {
                None => self.table(!us).best(next.number).0, // [12, 26]
                Some(opponent) => {
                    let rules = &self.endgame.rules;
                    let m =
                        opponent.choose(rules, next.men, &next.targets, &mut self.random, stop)?;
                    next.targets
                        .iter()
                        .position(|reply| reply == m)
                        .unwrap_or(0)
                }
            };
            if self.opponent.is_none() {
                self.table(!us).announce_best(next.number);
            }
            let after = next.after(&self.endgame, reply, self.table(us));
            self.past.push(after.number as u64);
            let ending = self.outcome(&after);
            let future = match ending {
                Some(outcome) => self.reward(us, outcome),   // [14, 28]
                None => self.table(us).best(after.number).1, // [17, 31]
            };
            let step = us.fold_wb(self.settings.step, -self.settings.step) as f32;
            let old = self.table(us).value(taken);
            let new = old + alpha * (step + gamma * future - old); // [15, 18, 29, 32]
            self.table_mut(us).set(taken, new);
            if self.opponent.is_none() {
                self.past.pop();
                node = next;
                ahead = Some((reply, after));
            } else if let Some(outcome) = ending {
                return Ok(outcome);
            } else {
                node = after;
            }
        }
    }

    fn epsilon(&self) -> f64 {
        let settings = &self.settings;
        linear(
            settings.epsilon_start,
            settings.epsilon_end,
            self.played,
            self.episodes,
        )
    }
}

/// The value at game `played` of `episodes` on the way from `start` to `end`.
pub(crate) fn linear(start: f64, end: f64, played: u64, episodes: u64) -> f64 {
    let share = played as f64 / episodes.max(1) as f64;
    start + (end - start) * share.min(1.0)
}

impl Learner for QLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        let outcome = self.play(stop)?;
        self.played += 1; // [34]
        Ok(Episode::Played {
            plies: self.past.plies() as u32,
            won: outcome.winner == Some(!DEFENDER),
        })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        vec![
            (EPSILON, self.epsilon()),
            (POSITIONS_MET, self.extent().visited as f64),
        ]
    }

    fn bytes(&self) -> u64 {
        self.white.size() + self.black.size()
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.played);
        save_random(&self.random, out);
        self.white.save(out);
        self.black.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.played = from.u64()?;
        self.random = load_random(from)?;
        self.white.load(from)?;
        self.black.load(from)
    }
}

impl Skill for QLearner {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let node = Node::new(&self.endgame, men);
        let table = self.table(men.turn);
        (node.moves > 0).then(|| Preference {
            m: node.targets.nth(table.best(node.number).0),
            visited: table.has_met(node.number),
        })
    }

    fn choose_by_lot(&self, men: FewMen, random: &mut ChaCha8Rng) -> Option<Preference> {
        let node = Node::new(&self.endgame, men);
        let table = self.table(men.turn);
        (node.moves > 0).then(|| Preference {
            m: node
                .targets
                .nth(table.best_by_lot(node.number, node.moves, random)),
            visited: table.has_met(node.number),
        })
    }
}

impl EndgameLearner for QLearner {
    fn extent(&self) -> Extent {
        Extent {
            visited: self.white.visited(),
            visits: self.white.visits(),
        }
    }
}
