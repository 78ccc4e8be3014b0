//! Monte Carlo tree search led by a network: AlphaZero's PUCT and Gumbel AlphaZero.
//!
//! A [`Puct`] is the tree of one game, and a state machine. [`Puct::leaves`] plays simulations until
//! it needs judgements, [`Puct::apply`] takes them and backs them up; between the two the tree
//! waits, and whoever holds it may collect the leaves of hundreds of other trees. [`search_together`]
//! does that. The tree knows networks only as [`Evaluator`](crate::Evaluator), and threads not at all.
//!
//! A node takes 20 bytes and an edge 24, so that a position of chess with its thirty moves takes about
//! 740. Positions are not kept: a simulation plays from the root, which costs less than the memory
//! would. Nor are transpositions: a node is a *line*, so that draws by repetition and by the clock,
//! and every mate proven in spite of them, are exact where they stand; with the few hundred
//! simulations that a network pays for, few lines meet anyway.

mod arena;
mod formulas;
mod found;
mod halving;
mod noise;
mod player;
mod proof;
mod root;
mod settings;
mod simulation;
mod spec;
#[cfg(test)]
mod tests;
mod together;
mod waiting;

use rules::{Game, Move, Position, Rules};

use self::{
    arena::{Arena, ROOT, State},
    halving::Halving,
    proof::Proof,
    waiting::Waiting,
};
use crate::{Assessments, Dice, EvaluatorError, memory::OutOfMemory};

pub use self::{
    found::{Found, RootMove},
    player::{Evaluators, PuctPlayer},
    settings::{Exploration, FirstPlay, Gumbel, Noise, PuctSettings, Selection},
    spec::PuctSpec,
    together::search_together,
};

/// The tree of one game.
///
/// ```
/// use play::{Assessments, Puct, PuctSettings, Uniform, search_together};
/// use rules::{Game, Position, Rules};
///
/// let game = Game::new(Position::from_fen("k7/8/1K6/8/8/8/8/7R w")?, Rules::default());
/// let mut tree = Puct::new(PuctSettings::WOJCIK.without_noise(), 1);
/// tree.begin(&game);
/// let mut scratch = Assessments::default();
/// while !tree.is_finished() {
///     search_together(&mut [&mut tree], &mut Uniform, 4, &mut scratch)?;
/// }
/// let found = tree.found().expect("there are moves");
/// assert_eq!(game.position().uci(found.best), "h1h8");
/// assert_eq!(found.moves.iter().map(|m| m.visits).sum::<u32>(), 800);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Puct {
    settings: PuctSettings,
    dice: Dice,
    /// The game up to the root. A simulation plays on in it and takes its moves back.
    game: Game,
    /// The plies of the game at the root.
    root_ply: usize,
    /// The root moves to consider; none stands for all.
    only: Vec<Move>,
    arena: Arena,
    waiting: Waiting,
    /// The edges of the present simulation.
    path: Vec<u32>,
    /// Which root moves are tried, with Gumbel's selection and when the root has been judged.
    halving: Option<Halving>,
    /// Simulations that have begun, since the root became one or that were found in the tree.
    begun: u32,
    /// Of them, those that were found in the tree.
    inherited: u32,
    /// The longest line.
    depth: u32,
    /// Numbers of the selection.
    policy: Vec<f32>,
}

/// Why a search cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PuctError {
    /// The evaluator has failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The tree does not fit into memory.
    #[error("the tree is too large: {0}")]
    OutOfMemory(#[from] OutOfMemory),
    /// The evaluator's answers do not fit the questions, or are no numbers.
    #[error("the evaluator's answers make no sense")]
    Answers,
}

/// More simulations than this do not wait at a time: a byte of an edge counts them.
const MOST_WAITING: usize = 255;
/// Simulations of one call that need no judgement, at most: whoever looks at a clock between two calls
/// should not wait for long.
const MOST_KNOWN: usize = 256;

impl Puct {
    /// A tree without a game; its chances follow from `seed`.
    pub fn new(settings: PuctSettings, seed: u64) -> Puct {
        Puct {
            settings,
            dice: Dice::new(seed),
            game: Game::new(Position::start(), Rules::default()),
            root_ply: 0,
            only: Vec::new(),
            arena: Arena::default(),
            waiting: Waiting::default(),
            path: Vec::new(),
            halving: None,
            begun: 0,
            inherited: 0,
            depth: 0,
            policy: Vec::new(),
        }
    }

    /// How it goes about it.
    pub fn settings(&self) -> &PuctSettings {
        &self.settings
    }

    /// Changes the number of simulations, from the next [`Puct::begin`] or [`Puct::follow`] on.
    pub fn set_simulations(&mut self, simulations: u32) {
        self.settings.simulations = simulations;
    }

    /// Begins a search of a game's position.
    pub fn begin(&mut self, game: &Game) {
        self.begin_among(game, &[]);
    }

    /// Begins a search that considers some of the moves only; none stands for all.
    pub fn begin_among(&mut self, game: &Game, only: &[Move]) {
        if self.settings.history {
            self.game.clone_from(game);
        } else {
            self.game = Game::new(game.position().with_clocks_reset(), Rules::default());
        }
        self.only.clear();
        self.only.extend(only);
        self.start();
    }

    /// A new tree for the game as it stands.
    fn start(&mut self) {
        self.arena.clear();
        self.waiting.clear();
        self.halving = None;
        self.root_ply = self.game.plies();
        (self.begun, self.inherited, self.depth) = (0, 0, 0);
    }

    /// Plays a move, which must be legal, and begins a search behind it. The subtree behind the move is
    /// kept where the settings allow it; says whether there was one.
    pub fn follow(&mut self, m: Move) -> bool {
        self.abandon_from(0);
        let kept = self.subtree(m).filter(|_| self.settings.reuse);
        self.game.play_legal(m);
        self.only.clear();
        if !self.settings.history {
            let position = self.game.position().with_clocks_reset();
            self.game.restart(position);
        }
        // Where there is no memory to keep the subtree, there is some to begin again.
        let kept = kept.filter(|&node| self.arena.keep(node).is_ok());
        self.start_with(kept.is_some());
        kept.is_some()
    }

    /// The judged node behind a root move.
    fn subtree(&self, m: Move) -> Option<u32> {
        if self.arena.nodes.is_empty() {
            return None;
        }
        let edge = self.arena.edges_of(ROOT).iter().find(|edge| edge.mv == m)?;
        (edge.child != ROOT && self.arena.node(edge.child).state == State::Open)
            .then_some(edge.child)
    }

    fn start_with(&mut self, kept: bool) {
        if !kept {
            return self.start();
        }
        self.root_ply = self.game.plies();
        let edges = self.arena.edges_of(ROOT).iter();
        self.inherited = edges.map(|edge| edge.visits).sum();
        self.begun = self.inherited;
        self.depth = self.depth.saturating_sub(1);
        self.prepare_root();
    }

    /// Gives up the leaves that wait, from one on, as if they had never been selected.
    fn abandon_from(&mut self, leaf: usize) {
        for leaf in leaf..self.waiting.len() {
            let path = self.waiting.path(leaf);
            for &edge in path {
                self.arena.edge_mut(edge).pending -= 1;
            }
            match path.last() {
                Some(&edge) => self.arena.edge_mut(edge).child = ROOT,
                None => self.arena.clear(),
            }
            if let Some(halving) = &mut self.halving {
                halving.take_back();
            }
            self.begun -= 1;
        }
        self.waiting.clear();
    }

    /// Selects up to `most` leaves that need a judgement, of an evaluator that looks at `history`
    /// positions, and returns how many there are. None may be needed although the search is not
    /// finished. Leaves that nobody has judged since the last call are given up.
    ///
    /// With Gumbel's selection the result of the search does not depend on `most`. With plain selection
    /// simulations that wait count as lost until they are judged, so that a large `most` spreads them
    /// wider than one after the other would be.
    ///
    /// # Errors
    /// When memory ends.
    pub fn leaves(&mut self, most: usize, history: usize) -> Result<usize, OutOfMemory> {
        self.abandon_from(0);
        if self.is_finished() {
            return Ok(0);
        }
        if self.arena.nodes.is_empty() {
            let standing = self.game.standing();
            let root = self.arena.add(State::Waiting, Proof::NONE)?;
            if standing.moves.is_empty() {
                self.arena.node_mut(root).state = State::Over;
                return Ok(0);
            }
            self.waiting
                .push(root, &[], &self.game, &standing.moves, history);
            self.begun += 1; // until it is judged, so that nothing else begins
            return Ok(1);
        }
        let most = most.clamp(1, MOST_WAITING);
        for _ in 0..most + MOST_KNOWN {
            if self.waiting.len() >= most
                || self.begun >= self.goal()
                || self.is_proven()
                || !self.simulate(history)?
            {
                break;
            }
        }
        Ok(self.waiting.len())
    }

    /// Simulations to come to, those found in the tree included.
    fn goal(&self) -> u32 {
        match self.settings.selection {
            Selection::Puct(_) => self.settings.simulations,
            // Halving counts its own.
            Selection::Gumbel(_) => self.settings.simulations.saturating_add(self.inherited),
        }
    }

    /// Takes the judgements of the leaves that wait: those of `answers` from `first` on, in the order
    /// of the leaves. Returns how many there were.
    ///
    /// # Errors
    /// When there are too few of them, or they make no sense; or when memory ends. Then the leaves
    /// that have not been told are given up.
    pub fn apply(&mut self, answers: &Assessments, first: usize) -> Result<usize, PuctError> {
        let count = self.waiting.len();
        for leaf in 0..count {
            let told = answers.get(first + leaf).ok_or(PuctError::Answers);
            let told = told.and_then(|(chances, priors)| self.tell(leaf, chances, priors));
            if let Err(error) = told {
                self.abandon_from(leaf);
                return Err(error);
            }
        }
        self.waiting.clear();
        Ok(count)
    }

    /// Has the game at the root no moves, or is its result proven?
    fn is_proven(&self) -> bool {
        let root = self.arena.nodes.first();
        root.is_some_and(|root| root.state == State::Over || root.proof.is_known())
    }

    /// Has the root been judged, so that something is found?
    pub fn is_judged(&self) -> bool {
        self.arena.nodes.first().is_some_and(|root| root.count > 0)
    }

    /// Plies of the longest line.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Is there nothing more to do?
    pub fn is_finished(&self) -> bool {
        if self.is_proven() {
            return true;
        }
        self.is_judged() && self.waiting.len() == 0 && self.begun >= self.goal()
    }

    /// Simulations of this search, without those that it began with.
    pub fn simulations(&self) -> u32 {
        (self.begun - self.inherited).saturating_sub(self.waiting.len() as u32)
    }

    /// Bytes that the tree takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.arena.nodes[..]) + size_of_val(&self.arena.edges[..])
    }
}

impl AsRef<Puct> for Puct {
    fn as_ref(&self) -> &Puct {
        self
    }
}

impl AsMut<Puct> for Puct {
    fn as_mut(&mut self) -> &mut Puct {
        self
    }
}
