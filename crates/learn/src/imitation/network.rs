//! A network that plays as masters play.

use rules::{Color, Game, Move};
use serde::{Deserialize, Serialize};

use super::{SIGHTS, Scene, move_number};
use crate::{
    LearnError,
    games::PackedMove,
    net::{Tensors, TowerNetwork, TowerShape},
};

/// A network that answers: how likely a master plays each legal move, and how the game will end.
#[derive(Clone, Debug)]
pub struct ImitationNetwork {
    tower: TowerNetwork,
}

/// What a network says of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The legal moves and how likely each is to be played, the most likely first.
    pub moves: Vec<(Move, f32)>,
    /// How likely the side to move loses, draws and wins.
    pub ending: [f32; 3],
}

/// What a file says about itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    imitation: TowerShape,
}

impl ImitationNetwork {
    /// A network of these weights.
    ///
    /// # Errors
    /// When they are not those of the shape, or it does not see what this program shows.
    pub fn new(shape: TowerShape, weights: &Tensors) -> Result<ImitationNetwork, LearnError> {
        if shape.inputs != SIGHTS {
            return Err(LearnError::Weights);
        }
        Ok(ImitationNetwork {
            tower: TowerNetwork::new(shape, weights)?,
        })
    }

    /// A network from a file.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<ImitationNetwork, LearnError> {
        let (about, weights) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        ImitationNetwork::new(about.imitation, &weights)
    }

    /// The network as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let about = About {
            imitation: self.tower.shape().clone(),
        };
        let about = serde_json::to_string(&about).expect("numbers and a text");
        self.tower.weights().to_file(&about)
    }

    /// The tower behind it.
    pub fn tower(&self) -> &TowerNetwork {
        &self.tower
    }

    /// What it says of the position of a game on 8×8.
    pub fn judge(&self, game: &Game) -> Judgement {
        let moments: Vec<_> = game.moments().take(Scene::MOMENTS).collect();
        let (scores, ending) = self.tower.answers(&Scene::of(&moments).sight());
        let position = game.position();
        let moves = position.legal_moves();
        let shares = shares(position.turn(), &moves, &scores);
        let mut moves: Vec<_> = moves.into_iter().zip(shares).collect();
        // Equal ones stay in the order of the moves.
        moves.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Judgement {
            moves,
            ending: [ending[0], ending[1], ending[2]],
        }
    }
}

/// How likely each legal move is, by the scores of all moves.
pub(super) fn shares(turn: Color, moves: &[Move], scores: &[f32]) -> Vec<f32> {
    let score = |&m: &Move| {
        let m = PackedMove::new(m);
        scores[move_number(turn.fold_wb(m, m.mirrored()))]
    };
    let mut shares: Vec<f32> = moves.iter().map(score).collect();
    let most = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    shares.iter_mut().for_each(|it| *it = (*it - most).exp());
    let sum: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|it| *it /= sum);
    shares
}
