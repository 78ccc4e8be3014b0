//! The seven networks together.

use rules::{Chess, Color, Move, Position, Role, ShakmatyPosition as _, Square};
use serde::{Deserialize, Serialize};

use super::{Code, SQUARES, Sight, SquareNetwork};
use crate::{
    LearnError,
    games::{PackedMove, PackedPosition},
    net::Tensors,
};

/// The names of the networks, in the order of the document: the one that picks the square to move
/// from, and those that point at the square to move to.
pub const NETWORKS: [&str; 7] = [
    "picker", "king", "queen", "rook", "bishop", "knight", "pawn",
];

/// The place of the network for a kind of piece.
pub const fn network_of(role: Role) -> usize {
    match role {
        Role::King => 1,
        Role::Queen => 2,
        Role::Rook => 3,
        Role::Bishop => 4,
        Role::Knight => 5,
        Role::Pawn => 6,
    }
}

/// Seven networks that play.
#[derive(Clone, PartialEq, Debug)]
pub struct SevenNetworks {
    networks: [SquareNetwork; 7],
    code: Code,
}

/// What the networks say of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Scored {
    /// The legal moves with their scores, the highest first. A pawn that promotes becomes a queen
    /// first: all promotions on a square have the same score.
    pub moves: Vec<(Move, f32)>,
    /// How likely each square is to be moved from, by its number on the board.
    pub from: [f32; 64],
}

/// What a file says about itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// Are the answers for black counted from H1?
    wojcik_turned: bool,
    /// Are inputs and answers for black counted from A1? Older files do not say: no.
    #[serde(default)]
    wojcik_mirrored: bool,
    /// Do only squares of legal moves compete? Older files do not say: no.
    #[serde(default)]
    wojcik_legal: bool,
}

impl SevenNetworks {
    /// These networks, in the order of [`NETWORKS`], and what their answers mean.
    pub fn new(networks: [SquareNetwork; 7], code: Code) -> SevenNetworks {
        SevenNetworks { networks, code }
    }

    /// One of them.
    pub fn network(&self, network: usize) -> &SquareNetwork {
        &self.networks[network]
    }

    /// What their answers mean.
    pub(super) fn code(&self) -> Code {
        self.code
    }

    /// The number of a square among the answers; the square as the mover sees it.
    pub(super) fn answer(&self, square: Square, turn: Color) -> usize {
        self.code.answer(square, turn)
    }

    /// Networks from a file.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<SevenNetworks, LearnError> {
        let (about, tensors) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        let mut networks = Vec::new();
        for name in NETWORKS {
            networks.push(SquareNetwork::read_from(name, &tensors)?);
        }
        let networks = networks.try_into().map_err(|_| LearnError::Weights)?;
        let code = Code {
            turned: about.wojcik_turned,
            mirrored: about.wojcik_mirrored,
            legal: about.wojcik_legal,
        };
        Ok(SevenNetworks::new(networks, code))
    }

    /// The networks as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let mut tensors = Tensors::default();
        for (name, network) in NETWORKS.into_iter().zip(&self.networks) {
            network.add_to(name, &mut tensors);
        }
        let about = About {
            wojcik_turned: self.code.turned,
            wojcik_mirrored: self.code.mirrored,
            wojcik_legal: self.code.legal,
        };
        tensors.to_file(&serde_json::to_string(&about).expect("three switches"))
    }

    /// What they say of a position on 8×8.
    pub fn score(&self, position: &Position) -> Scored {
        let chess = position.chess();
        let none = PackedMove::NONE;
        let packed = PackedPosition::new(chess, none, none, none, None);
        let sight = [Sight::of(&packed, self.code)];
        let answers: [Vec<f32>; 7] = std::array::from_fn(|network| {
            let competing = self.code.competing(network, position);
            self.networks[network].answers(&sight, &[competing])
        });
        let product = Product {
            networks: self,
            answers: answers.each_ref().map(Vec::as_slice),
            chess,
        };
        let legal = position.legal_moves();
        let mut moves: Vec<_> = legal.iter().map(|&m| (m, product.of(m))).collect();
        moves.sort_by(|(a, x), (b, y)| {
            let queen = |m: &Move| m.promotion() == Some(Role::Queen);
            y.total_cmp(x).then(queen(b).cmp(&queen(a)))
        });
        Scored {
            moves,
            from: std::array::from_fn(|square| product.from(Square::new(square as u32))),
        }
    }
}

/// What all networks answered for a position, and which squares they mean.
pub(super) struct Product<'a> {
    pub networks: &'a SevenNetworks,
    /// Of each network, 64.
    pub answers: [&'a [f32]; 7],
    pub chess: &'a Chess,
}

impl Product<'_> {
    /// The answer of a network for a square of the board.
    fn answer(&self, network: usize, square: Square) -> f32 {
        let turn = self.chess.turn();
        let seen = turn.fold_wb(square, square.flip_vertical());
        self.answers[network][self.networks.answer(seen, turn)]
    }

    /// How likely a square is moved from.
    pub fn from(&self, square: Square) -> f32 {
        self.answer(0, square)
    }

    /// The score of a move.
    pub fn of(&self, m: Move) -> f32 {
        let packed = PackedMove::new(m);
        let network = network_of(m.role());
        self.from(packed.from()) * self.answer(network, packed.to())
    }

    /// The pair of squares with the highest product, whether or not it is a move: from a square where
    /// a man of the mover stands to any.
    pub fn first_thought(&self) -> (Square, Square) {
        let board = self.chess.board();
        let mut best = (f32::MIN, (Square::A1, Square::A1));
        for from in board.by_color(self.chess.turn()) {
            let Some(role) = board.role_at(from) else {
                continue;
            };
            let picked = self.from(from);
            for to in 0..SQUARES as u32 {
                let to = Square::new(to);
                let product = picked * self.answer(network_of(role), to);
                if product > best.0 {
                    best = (product, (from, to));
                }
            }
        }
        best.1
    }
}
