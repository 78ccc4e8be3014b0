//! A network that judges the positions of an endgame for a search.
//!
//! A policy and a critic, each an [`Mlp`] over the men's squares and the ways between them. Symmetric
//! positions are one to it: every position is turned to its standard image first.

use std::sync::Arc;

use play::{Assessments, Evaluator, EvaluatorError, Evaluators, Leaf};
use rules::{Board, FewMen, FewMove, Material, Move, Position, Square, Symmetry};
use serde::{Deserialize, Serialize};

use super::pair::{Questions, fit};
use crate::{
    Endgame, Folding, LearnError, Preference, Skill,
    endgames::EndgameSight,
    net::{
        Tensors,
        plain::{
            Lists, Mlp, MlpShape,
            chances::{chances, likeliest},
            mlp::Hidden,
        },
    },
};

/// What a network knows of an endgame: how likely each move is to be the best, and how the game will
/// end.
#[derive(Clone, Debug)]
pub struct EndgameNetwork {
    pub(super) endgame: Endgame,
    pub(super) sight: EndgameSight,
    /// Scores moves.
    pub(super) policy: Mlp,
    /// Scores loss, draw and win for the side to move.
    pub(super) value: Mlp,
}

/// What a file says about itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    alphazero: String,
    board: usize,
    policy: MlpShape,
    value: MlpShape,
}

impl EndgameNetwork {
    /// A network of these weights.
    ///
    /// # Errors
    /// When the endgame has pawns or too many men, or the tables are not of its sizes.
    pub(super) fn new(
        material: Material,
        board: Board,
        policy: Mlp,
        value: Mlp,
    ) -> Result<EndgameNetwork, LearnError> {
        let endgame = Endgame::new(material, board, Folding::Full)?;
        let sight = EndgameSight::new(&endgame.rules);
        let fits = fit(&policy, &value, sight.extents());
        let network = EndgameNetwork {
            endgame,
            sight,
            policy,
            value,
        };
        fits.then_some(network).ok_or(LearnError::Weights)
    }

    /// A network from a file.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<EndgameNetwork, LearnError> {
        let (about, tensors) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        EndgameNetwork::new(
            about.alphazero.parse().map_err(|_| LearnError::Weights)?,
            Board::new(about.board).map_err(|_| LearnError::Weights)?,
            Mlp::from_tensors(about.policy, &tensors, "policy")?,
            Mlp::from_tensors(about.value, &tensors, "value")?,
        )
    }

    /// The network as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let about = About {
            alphazero: self.endgame.rules.material().to_string(),
            board: self.endgame.rules.board().size(),
            policy: self.policy.shape(),
            value: self.value.shape(),
        };
        let about = serde_json::to_string(&about).expect("numbers and texts");
        let mut tensors = Tensors::default();
        self.policy.add_to(&mut tensors, "policy");
        self.value.add_to(&mut tensors, "value");
        tensors.to_file(&about)
    }

    /// A position as the network sees it; `None` for other men or another board.
    pub(super) fn view(&self, position: &Position) -> Option<View> {
        let rules = &self.endgame.rules;
        let (men, reversed) = match rules.compact(position) {
            Some(men) => (men, false),
            None => (rules.compact(&position.mirrored())?, true),
        };
        let (men, symmetry) = self.endgame.index.canonical(men);
        Some(View {
            men,
            symmetry,
            reversed,
            board: rules.board(),
        })
    }
}

/// A position turned to its standard image, and the way there.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub men: FewMen,
    symmetry: Symmetry,
    /// Do the men of the network's white stand as black on the board?
    reversed: bool,
    board: Board,
}

impl View {
    fn square(&self, square: Square) -> Square {
        let square = match self.reversed {
            true => square.flip_vertical_on(self.board),
            false => square,
        };
        self.symmetry.square(self.board, square)
    }

    /// A legal move of the position in its standard image.
    pub fn few_move(&self, m: Move) -> FewMove {
        // Without pawns nobody castles, so every move leaves a square.
        let from = self.square(m.from().unwrap_or(m.to()));
        let others = self.men.others.iter();
        let man = match from == self.men.king(self.men.turn) {
            true => 0,
            false => 1 + others.take_while(|&&other| other != Some(from)).count() as u8,
        };
        FewMove {
            man,
            to: self.square(m.to()),
        }
    }
}

/// A square seen from the other side of a board that need not be 8×8.
trait FlipOn {
    fn flip_vertical_on(self, board: Board) -> Square;
}

impl FlipOn for Square {
    fn flip_vertical_on(self, board: Board) -> Square {
        let last = board.size() as u32 - 1;
        Square::new(u32::from(self.file()) + 8 * (last - u32::from(self.rank())))
    }
}

/// Judges positions for a search, many at a time.
#[derive(Clone)]
pub struct EndgameEvaluator {
    network: Arc<EndgameNetwork>,
    questions: Questions,
}

impl EndgameEvaluator {
    /// The evaluator of a network.
    pub fn new(network: Arc<EndgameNetwork>) -> EndgameEvaluator {
        EndgameEvaluator {
            network,
            questions: Questions::default(),
        }
    }
}

impl EndgameEvaluator {
    /// Evaluators that share a network.
    pub fn many(network: Arc<EndgameNetwork>) -> Evaluators {
        Arc::new(move || Box::new(EndgameEvaluator::new(network.clone())))
    }
}

impl Evaluator for EndgameEvaluator {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        let network = &*self.network;
        self.questions.clear();
        let Questions { inputs, rows, .. } = &mut self.questions;
        for leaf in batch {
            let position = leaf.moments[0].position;
            let view = network.view(position).ok_or_else(|| {
                let rules = &network.endgame.rules;
                EvaluatorError(format!(
                    "it has learned {} on {}, not {}",
                    rules.material(),
                    rules.board(),
                    position.fen()
                ))
            })?;
            network.sight.show(view.men, inputs);
            for &m in leaf.moves {
                let m = view.few_move(m);
                network.sight.add_rows(view.men, m, rows);
            }
            rows.end();
        }
        let each = network.sight.extents().rows_a_move;
        let (policy, value) = (&network.policy, &network.value);
        self.questions.answer(policy, value, each, assessments);
        Ok(())
    }
}

impl Skill for EndgameNetwork {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let targets = self.endgame.rules.targets(men);
        if targets.is_empty() {
            return None;
        }
        let (mut inputs, mut rows) = (Lists::default(), Lists::default());
        self.sight.show(men, &mut inputs);
        self.sight.rows(men, &targets, &mut rows);
        let mut hidden = Hidden::default();
        self.policy.hidden(&inputs, 0..1, &mut hidden);
        let second = self.policy.second_of(&hidden, 0);
        let each = self.sight.extents().rows_a_move;
        let chances = chances(&self.policy, second, rows.rows(0), each);
        Some(Preference {
            m: targets.nth(likeliest(&chances)),
            visited: true,
        })
    }
}
