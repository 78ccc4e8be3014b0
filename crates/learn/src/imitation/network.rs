//! A network that plays as masters play.

use rules::{Color, Game, Move};
use serde::{Deserialize, Serialize};

use super::{MOVES, SIGHTS, Scene, dense_network::DenseNetwork, move_number};
use crate::{
    LearnError,
    games::PackedMove,
    net::{Tensors, TowerNetwork, TowerShape},
};

/// A network that answers: how likely a master plays each legal move, and how the game will end.
#[derive(Clone, Debug)]
pub struct ImitationNetwork(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Tower(Box<TowerNetwork>),
    Dense(DenseNetwork),
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
        let tower = TowerNetwork::new(shape, weights)?;
        Ok(ImitationNetwork(Kind::Tower(Box::new(tower))))
    }

    /// A network of two hidden layers of so many neurons, of these weights.
    ///
    /// # Errors
    /// When they are not those of such a network.
    pub fn dense(width: usize, weights: &Tensors) -> Result<ImitationNetwork, LearnError> {
        let network = DenseNetwork::new(width, weights)?;
        Ok(ImitationNetwork(Kind::Dense(network)))
    }

    /// A network from a file.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<ImitationNetwork, LearnError> {
        if let Ok(network) = DenseNetwork::from_file(file) {
            return Ok(ImitationNetwork(Kind::Dense(network)));
        }
        let (about, weights) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        ImitationNetwork::new(about.imitation, &weights)
    }

    /// The network as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let tower = match &self.0 {
            Kind::Tower(tower) => tower,
            Kind::Dense(network) => return network.to_file(),
        };
        let about = About {
            imitation: tower.shape().clone(),
        };
        let about = serde_json::to_string(&about).expect("numbers and a text");
        tower.weights().to_file(&about)
    }

    /// The tower behind it, if it is one.
    pub fn tower(&self) -> Option<&TowerNetwork> {
        match &self.0 {
            Kind::Tower(tower) => Some(tower),
            Kind::Dense(_) => None,
        }
    }

    /// How many weights it has.
    pub fn weights(&self) -> usize {
        match &self.0 {
            Kind::Tower(tower) => tower.shape().weights(),
            Kind::Dense(network) => network.mlp.shape().weights(),
        }
    }

    /// For boards, each given as the sets of squares of [`Scene::sight`] and the numbers of legal moves, `room` for
    /// each, what is left over −1: the scores of these moves, and how likely loss, draw and win are. The answer
    /// about a board does not depend on the others.
    pub fn answers(&self, sights: &[u64], legal: &[i16], room: usize) -> (Vec<f32>, Vec<f32>) {
        let tower = match &self.0 {
            Kind::Tower(tower) => tower,
            Kind::Dense(network) => return network.answers(sights, legal, room),
        };
        let (all, endings) = tower.answers(sights);
        let boards = all.chunks_exact(MOVES).zip(legal.chunks_exact(room));
        let scores = boards.flat_map(|(scores, legal)| {
            let of =
                |&number: &i16| usize::try_from(number).map_or(f32::NEG_INFINITY, |n| scores[n]);
            legal.iter().map(of)
        });
        (scores.collect(), endings)
    }

    /// What it says of the position of a game on 8×8.
    pub fn judge(&self, game: &Game) -> Judgement {
        let moments: Vec<_> = game.moments().take(Scene::MOMENTS).collect();
        let position = game.position();
        let moves = position.legal_moves();
        let numbers = numbers(position.turn(), &moves);
        let sight = Scene::of(&moments).sight();
        let (scores, ending) = self.answers(&sight, &numbers, numbers.len().max(1));
        let shares = shares(&scores);
        let mut moves: Vec<_> = moves.into_iter().zip(shares).collect();
        // Equal ones stay in the order of the moves.
        moves.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Judgement {
            moves,
            ending: [ending[0], ending[1], ending[2]],
        }
    }
}

/// The numbers of moves of the side to move.
pub(super) fn numbers(turn: Color, moves: &[Move]) -> Vec<i16> {
    let number = |&m: &Move| {
        let m = PackedMove::new(m);
        move_number(turn.fold_wb(m, m.mirrored())) as i16
    };
    moves.iter().map(number).collect()
}

/// How likely each legal move is, by their scores.
pub(crate) fn shares(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut shares: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|it| *it /= sum);
    shares
}
