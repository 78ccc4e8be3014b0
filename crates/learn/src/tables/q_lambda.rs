//! Q(λ) with eligibility traces: document D (Deolalikar).
//!
//! White learns against a defender who takes an immediate draw and otherwise moves at random. The
//! state is the position with white to move; black's answer is part of the transition. Every error
//! is passed back along the moves of the game, each a factor γλ less than the one after it.
//!
//! The paper's Algorithm 2 pops its histories while it walks them, so that after one step nothing is
//! left of them, and fades by λ alone. The trace here is the one it means: *replacing* traces (a
//! move met again counts once, from its last time). With `trace = "watkins"` the trace is cut at
//! every exploring move, because what follows it says nothing about the moves before; with
//! `"naive"` it is not, as in the paper; `"none"` is plain Q-learning.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen, Outcome};
use serde::{Deserialize, Serialize};

use play::Registry;
use std::sync::atomic::AtomicBool;

use crate::{
    ActionValues, Course, Endgame, EndgameLearner, Episode, Episodes, Extent, Folding, LearnError,
    Learner, LearnerMaker, LearnerSettings, Learns, Metrics, Opponent, Past, Preference, Recipe,
    Skill, Taken, Ties,
    endgames::as_endgame_learner,
    endgames::past::result,
    learner::{below, go_on, load_random, save_random},
    runs::metrics::{EPSILON, POSITIONS_MET},
    runs::record::{Reader, Writer},
    runs::settings::{Setting, settings},
    tables::grouping::{Grouping, MoveValues},
    tables::q::{Node, linear},
};

/// What becomes of the trace at an exploring move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trace {
    /// There is no trace at all.
    None,
    /// It goes on, as in the paper.
    Naive,
    /// It is cut, as Watkins has it.
    Watkins,
}

settings! {
    /// The settings of the learner; the defaults are the paper's where it gives them.
    pub struct QLambdaSettings {
        /// The learning rate (the paper gives none).
        alpha: f64 = 0.3, 0.0..=1.0;
        /// The discount factor.
        gamma: f64 = 0.9, 0.0..=1.0;
        /// How much of an error the move before gets (the paper gives none).
        lambda: f64 = 0.9, 0.0..=1.0;
        /// What becomes of the trace at an exploring move: it goes on (`naive`), is cut (`watkins`), or there is `none`.
        trace: Trace = Trace::Watkins;
        /// The chance of a random move at the beginning.
        epsilon_start: f64 = 0.7, 0.0..=1.0;
        /// The chance of a random move at the end.
        epsilon_end: f64 = 0.25, 0.0..=1.0;
        /// The reward for a win.
        win: f64 = 50.0, -1e6..=1e6;
        /// The reward for a draw.
        draw: f64 = -20.0, -1e6..=1e6;
        /// The first value of every move.
        initial: f64 = 0.0, -1e6..=1e6;
        /// Whom it trains against: the name of a player.
        opponent: String = "drawish".into();
        /// Which positions share an entry: none, flips (the paper), full.
        symmetry: Folding = Folding::Flips;
        /// Which moves share a value besides: none, or features, those that lead to positions of the same features.
        grouping: Grouping = Grouping::None;
        /// Which of several best moves is played in training: first or lot.
        ties: Ties = Ties::Lot;
        /// Moves of each side until the game is drawn; the paper has no limit.
        max_moves: u32 = 250, 1.0..=1e4;
    }
}

/// Traces fainter than this are dropped.
const FAINTEST: f64 = 1e-3;

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "deolalikar-q-lambda",
    summary: "Q-learning as in Deolalikar's paper: a table of what moves are worth, where the end of a game also \
              teaches the moves that led to it (eligibility traces); its opponent takes draws",
    taught: false,
    whole_game: false,
    episodes: Episodes::Games,
    learns: Learns::Tables,
    best_for: None,
    maker: LearnerMaker::of::<QLambdaSettings>(),
};

impl LearnerSettings for QLambdaSettings {
    const SETTINGS: &[Setting] = QLambdaSettings::EXPLAINED;

    fn learner(
        self,
        course: Course,
        registry: Option<&Registry>,
    ) -> Result<Box<dyn Learner>, LearnError> {
        let (material, board) = course.task.endgame()?;
        let opponent = Opponent::parse(&self.opponent, registry, course.seed)?;
        Ok(Box::new(QLambdaLearner::new(
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
pub struct QLambdaLearner {
    settings: QLambdaSettings,
    endgame: Endgame,
    values: MoveValues,
    opponent: Opponent,
    random: ChaCha8Rng,
    episodes: u64,
    played: u64,
    past: Past,
    eligibility_trace: EligibilityTrace,
}

/// The moves of a game that still answer for what happens, the latest last.
#[derive(Clone, Debug)]
struct EligibilityTrace {
    moves: Vec<Option<Taken>>,
    /// How eligible the move `age` moves back is: (γλ)^age.
    fading: Vec<f32>,
}

impl EligibilityTrace {
    fn new(fade: f64) -> EligibilityTrace {
        let fading = std::iter::successors(Some(1.0), |e| Some(e * fade));
        EligibilityTrace {
            moves: Vec::new(),
            fading: fading
                .take_while(|&e| e >= FAINTEST)
                .take(1000)
                .map(|e| e as f32)
                .collect(),
        }
    }

    fn clear(&mut self) {
        self.moves.clear();
    }

    /// Makes a move fully eligible.
    #[inline]
    fn add(&mut self, taken: Taken) {
        // The older trace of a move met again is replaced.
        let from = self.moves.len().saturating_sub(self.fading.len());
        if let Some(older) = self.moves[from..]
            .iter_mut()
            .find(|older| **older == Some(taken))
        {
            *older = None;
        }
        self.moves.push(Some(taken));
    }

    /// Passes an error, times the learning rate, back along the trace.
    #[inline]
    fn learn(&self, values: &mut ActionValues, error: f32) {
        for (taken, &eligible) in self.moves.iter().rev().zip(&self.fading) {
            if let Some(taken) = *taken {
                values.set(taken, values.value(taken) + error * eligible);
            }
        }
    }
}

impl QLambdaLearner {
    /// A learner that knows nothing, for a run of `episodes` games.
    ///
    /// # Errors
    /// When the endgame does not fit the compact form, or has no features to group its positions by.
    pub fn new(
        settings: QLambdaSettings,
        material: rules::Material,
        board: rules::Board,
        opponent: Opponent,
        episodes: u64,
        seed: u64,
    ) -> Result<QLambdaLearner, LearnError> {
        let endgame = Endgame::new(material, board, settings.symmetry)?;
        let fade = match settings.trace {
            Trace::None => 0.0,
            Trace::Naive | Trace::Watkins => settings.gamma * settings.lambda,
        };
        Ok(QLambdaLearner {
            values: MoveValues::new(&endgame, settings.grouping, settings.initial as f32)?,
            past: Past::new(settings.max_moves, false),
            eligibility_trace: EligibilityTrace::new(fade),
            random: ChaCha8Rng::seed_from_u64(seed),
            settings,
            endgame,
            opponent,
            episodes,
            played: 0,
        })
    }

    fn reward(&self, outcome: Outcome) -> f32 {
        match result(outcome) {
            1 => self.settings.win as f32,
            _ => self.settings.draw as f32,
        }
    }

    fn outcome(&self, node: &Node) -> Option<Outcome> {
        self.past
            .outcome(&self.endgame.rules, node.men, &node.targets)
    }

    fn play(&mut self, stop: &AtomicBool) -> Result<Outcome, LearnError> {
        let explore = (self.epsilon() * f64::from(u32::MAX)) as u32;
        let (alpha, gamma) = (self.settings.alpha as f32, self.settings.gamma as f32);
        let watkins = self.settings.trace == Trace::Watkins;
        let (start, _) = self.endgame.random_start(&mut self.random);
        let mut node = Node::new(&self.endgame, start);
        self.past.restart(node.number as u64);
        self.opponent.new_game();
        self.eligibility_trace.clear();
        loop {
            go_on(stop)?;
            let (greedy, most) = self.values.best(&self.endgame, &node);
            let action = if self.random.next_u32() < explore {
                below(&mut self.random, node.moves)
            } else if self.settings.ties == Ties::Lot {
                self.values
                    .best_by_lot(&self.endgame, &node, &mut self.random)
            } else {
                greedy
            };
            let taken = self.values.take(&self.endgame, &node, action);
            if watkins && self.values.table.value(taken) < most {
                self.eligibility_trace.clear();
            }
            self.eligibility_trace.add(taken);
            let black = Node::new(
                &self.endgame,
                self.endgame.rules.after(node.men, node.targets.nth(action)),
            );
            self.past.push(black.number as u64);
            let mut outcome = self.outcome(&black);
            let mut target = 0.0;
            if outcome.is_none() {
                let rules = &self.endgame.rules;
                let m = self.opponent.choose(
                    rules,
                    black.men,
                    &black.targets,
                    &mut self.random,
                    stop,
                )?;
                let men = rules.after(black.men, m);
                node = Node::announced(&self.endgame, men, |number| self.values.announce(number));
                self.past.push(node.number as u64);
                outcome = self.outcome(&node);
                target = gamma * self.values.best(&self.endgame, &node).1;
            }
            if let Some(outcome) = outcome {
                target = self.reward(outcome);
            }
            let error = target - self.values.table.value(taken);
            self.eligibility_trace
                .learn(&mut self.values.table, alpha * error);
            if let Some(outcome) = outcome {
                return Ok(outcome);
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

impl Learner for QLambdaLearner {
    as_endgame_learner!();

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        let outcome = self.play(stop)?;
        self.played += 1;
        Ok(Episode::Played {
            plies: self.past.plies() as u32,
            won: outcome.winner == Some(Color::White),
        })
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        vec![
            (EPSILON, self.epsilon()),
            (POSITIONS_MET, self.extent().visited as f64),
        ]
    }

    fn bytes(&self) -> u64 {
        self.values.table.size()
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.played);
        save_random(&self.random, out);
        self.values.table.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.played = from.u64()?;
        self.random = load_random(from)?;
        self.values.table.load(from)
    }
}

impl Skill for QLambdaLearner {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let node = Node::new(&self.endgame, men);
        // Black's positions have numbers of the same table, but no values in it.
        let met = men.turn == Color::White && self.values.has_met(&self.endgame, &node);
        let action = if met {
            self.values.best(&self.endgame, &node).0
        } else {
            0
        };
        (node.moves > 0).then(|| Preference {
            m: node.targets.nth(action),
            visited: met,
        })
    }

    fn choose_by_lot(&self, men: FewMen, random: &mut ChaCha8Rng) -> Option<Preference> {
        let preference = self.choose(men).filter(|preference| preference.visited);
        let node = Node::new(&self.endgame, men);
        let action = match preference {
            Some(_) => self.values.best_by_lot(&self.endgame, &node, random),
            None => below(random, node.moves),
        };
        (node.moves > 0).then(|| Preference {
            m: node.targets.nth(action),
            visited: preference.is_some(),
        })
    }
}

impl EndgameLearner for QLambdaLearner {
    fn extent(&self) -> Extent {
        Extent {
            visited: self.values.table.visited(),
            visits: self.values.table.visits(),
        }
    }
}
