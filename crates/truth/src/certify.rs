//! Certification: what a fixed policy is worth against *every* opponent.
//!
//! A policy names one move for each position. Fix it for one side and let the other side play
//! anything: the game becomes a graph with one chooser, and retrograde analysis settles every
//! position of it exactly. For an attack: from which won positions does this policy force mate,
//! and in how many moves at worst? For a defence: which drawn positions stay drawn, and how long
//! does it hold the lost ones?
//!
//! A certificate is far stricter than a win rate. One reachable cycle spoils every position that
//! leads to it, however rarely an opponent would find it.
//!
//! Only positions are judged, not histories: a policy that needs the past or a die cannot be
//! certified. Distances know no fifty-move rule; the share of positions that are mated within
//! fifty moves is counted separately, with a clock that starts at zero and is never reset.

mod journal;
mod judge;
mod refutation;
mod report;
mod survey;

use std::{collections::HashMap, io, path::PathBuf, sync::Arc};

use rayon::prelude::*;
use rules::{Bitboard, Board, Color, Material, Move, Position, Symmetry};

pub use report::{Certificate, Defence, Failure, FailureKind, Refutation};

use crate::{
    conversion::{Conversions, oriented_successors},
    layout::Layout,
    solved::Solved,
    solver::{SolveError, Solver},
    view::{Change, Tables, View},
};

/// What a policy plays in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The move.
    pub mv: Move,
    /// Has the policy never met the position, and merely picked something?
    pub unvisited: bool,
}

/// Why a policy names no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Undecided {
    /// Somebody asked it to stop before it had chosen.
    Stopped,
    /// It cannot, and says why.
    Because(String),
}

impl From<&str> for Undecided {
    fn from(why: &str) -> Undecided {
        Undecided::Because(why.to_owned())
    }
}

/// Names a policy's move in a position, or says why it cannot.
pub type Chooser<'a> = Box<dyn FnMut(&Position) -> Result<Decision, Undecided> + 'a>;

/// Names a policy's moves in many positions at once, in their order.
pub type ManyChooser<'a> = dyn Fn(&[Position]) -> Result<Vec<Decision>, CertifyError> + Sync + 'a;

/// How a policy is asked.
#[derive(Clone, Copy)]
pub enum Choosers<'a> {
    /// Position by position, by a chooser of each thread's own.
    Each(&'a (dyn Fn() -> Chooser<'a> + Sync)),
    /// Many positions at once, in the thread that certifies: how a network likes it, or a program in
    /// another language.
    Many(&'a ManyChooser<'a>),
}

/// What counts when a capture or promotion leads to another signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convert {
    /// The policy plays on there and is judged by that.
    Player,
    /// The exact value there, as if it played perfectly from then on.
    Truth,
}

/// Where a certification stands.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// The policy is asked for its moves.
    Asking {
        /// The signature.
        material: Material,
        /// Positions done.
        asked: u64,
        /// All positions.
        total: u64,
    },
    /// The graph is being solved.
    Judging {
        /// The signature.
        material: Material,
        /// Plies done.
        ply: u16,
    },
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The exact values could not be had.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The policy gave no move.
    #[error("the player has no move in {fen}: {why}")]
    Player {
        /// The position.
        fen: String,
        /// What it said.
        why: String,
    },
    /// The policy gave a move that is not legal.
    #[error("the player's move {uci} is not legal in {fen}")]
    Illegal {
        /// The position.
        fen: String,
        /// The move.
        uci: String,
    },
    /// The policy was asked about many positions and gave another number of moves.
    #[error("the player was asked for {expected} moves and gave {found}")]
    Moves {
        /// How many positions it was asked about.
        expected: usize,
        /// How many moves it gave.
        found: usize,
    },
    /// A bare king cannot win.
    #[error("{0}: white has nothing but a king and wins no position; name the stronger side first")]
    NothingToWin(Material),
    /// The moves asked for so far could not be saved or read.
    #[error("the journal of moves: {0}")]
    Journal(#[from] io::Error),
    /// The caller asked to stop.
    #[error("stopped before the certificate was complete")]
    Stopped,
}

/// What is to be certified.
pub struct Certifier<'a> {
    /// The signature; white, the first side named, is the one to mate.
    pub material: Material,
    /// The board.
    pub board: Board,
    /// Does the policy play images of a position alike, so that one of them is enough?
    pub symmetric: bool,
    /// What counts after a conversion.
    pub convert: Convert,
    /// The policy.
    pub policy: Choosers<'a>,
    /// A folder in which the policy's moves are kept while they are asked for, so that an
    /// interrupted certification goes on where it stopped.
    pub journal: Option<PathBuf>,
    /// Told where it stands; answers whether to go on.
    pub progress: &'a (dyn Fn(Stage) -> bool + Sync),
}

/// The policy of one signature, asked and judged.
pub(crate) struct Outcome {
    pub layout: Layout,
    pub survey: survey::Survey,
    pub judged: judge::Judged,
}

impl Certifier<'_> {
    /// Certifies an attack: the policy plays white.
    ///
    /// # Errors
    /// When the policy fails to give a legal move, or the exact values cannot be had.
    pub fn attack(&self, solver: &mut Solver) -> Result<Certificate, CertifyError> {
        if self.material.white.is_bare() {
            return Err(CertifyError::NothingToWin(self.material));
        }
        let (outcome, truth) = self.outcome(solver, Color::White)?;
        Ok(Certificate::new(self, &outcome, &truth))
    }

    /// Certifies a defence: the policy plays black.
    ///
    /// # Errors
    /// As [`Certifier::attack`].
    pub fn defence(&self, solver: &mut Solver) -> Result<Defence, CertifyError> {
        let (outcome, truth) = self.outcome(solver, Color::Black)?;
        Ok(Defence::new(self, &outcome, &truth))
    }

    /// Asks and judges the signature, after those it can turn into.
    fn outcome(
        &self,
        solver: &mut Solver,
        side: Color,
    ) -> Result<(Outcome, Arc<Solved>), CertifyError> {
        let mut certified: Tables = HashMap::new();
        if self.convert == Convert::Player {
            for material in self.descendants() {
                let (outcome, _) = self.one(material, solver, side, &certified)?;
                certified.insert(material, Arc::new(outcome.judged.table));
            }
        }
        self.one(self.material, solver, side, &certified)
    }

    /// Everything the signature can turn into in which white can still win, smallest first.
    fn descendants(&self) -> Vec<Material> {
        let mut all = vec![self.material];
        let mut next = 0;
        while next < all.len() {
            for successor in oriented_successors(all[next]) {
                if !successor.white.is_bare() && !all.contains(&successor) {
                    all.push(successor);
                }
            }
            next += 1;
        }
        all.remove(0);
        // A capture takes a man away and a promotion a pawn: fewer of these come first.
        let pawns = |m: &Material| {
            use rules::Role::Pawn;
            m.white.count(Pawn) + m.black.count(Pawn)
        };
        all.sort_by_key(|m| (m.men(), pawns(m), m.to_string()));
        all
    }

    /// Asks and judges one signature.
    fn one(
        &self,
        material: Material,
        solver: &mut Solver,
        side: Color,
        certified: &Tables,
    ) -> Result<(Outcome, Arc<Solved>), CertifyError> {
        let layout = if self.symmetric {
            Layout::new(material, self.board)
        } else {
            Layout::full(material, self.board)
        };
        let truth = solver.solve(material, &|_| true)?;
        let values = View::new(
            &layout,
            Change::default(),
            &HashMap::from([(material.canonical(), truth.clone())]),
        );
        let kings = |word: usize| -> Bitboard {
            let squares = layout.squares(word);
            layout
                .legal(side, &squares)
                .into_iter()
                .filter(|&king| match (side, values.value(side, &squares, king)) {
                    // An attack is judged where it wins; nowhere else can it reach such a place.
                    (Color::White, plies) => plies.is_some_and(|plies| plies % 2 == 1),
                    // A defence is asked wherever it has a move; with a won position it may still
                    // go wrong, so that it is asked there, too.
                    (Color::Black, Some(0)) => false,
                    (Color::Black, _) => {
                        let position = layout.position(&squares, king, side, Symmetry::IDENTITY);
                        !position.legal_moves().is_empty()
                    }
                })
                .collect()
        };
        let wanted: Vec<Bitboard> = (0..layout.words).into_par_iter().map(kings).collect();
        let journal = self
            .journal
            .as_ref()
            .map(|folder| folder.join(format!("{material}.moves")));
        let survey = survey::survey(
            &layout,
            side,
            &wanted,
            self.policy,
            journal.as_deref(),
            self.progress,
        )?;
        let mut exact: Tables = HashMap::new();
        let mut tables: Tables = HashMap::new();
        for successor in oriented_successors(material) {
            if successor.white.is_bare() {
                continue;
            }
            let canonical = successor.canonical();
            let solved = solver.solve(canonical, &|_| true)?;
            match certified.get(&successor) {
                Some(table) => tables.insert(successor, table.clone()),
                None => tables.insert(canonical, solved.clone()),
            };
            exact.insert(canonical, solved);
        }
        let judged = judge::judge(
            &Conversions::new(&layout, &tables),
            &Conversions::new(&layout, &exact),
            side,
            &survey,
            self.policy,
            self.progress,
        )?;
        Ok((
            Outcome {
                layout,
                survey,
                judged,
            },
            truth,
        ))
    }
}
