//! Leaves that wait for their judgement.

use rules::{Game, Moment, Move, Position};

/// The leaves of a tree that wait for their judgement, with everything an evaluator is shown. All of
/// them lie in a few vectors, whose memory is kept from round to round.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    leaves: Vec<WaitingLeaf>,
    /// The edges from the root to each leaf.
    paths: Vec<u32>,
    moves: Vec<Move>,
    moments: Vec<KeptMoment>,
}

/// Where a leaf's parts end.
#[derive(Clone, Copy, Debug)]
struct WaitingLeaf {
    node: u32,
    path: usize,
    moves: usize,
    moments: usize,
}

/// A [`Moment`] of its own.
#[derive(Clone, Debug)]
struct KeptMoment {
    position: Position,
    repetitions: u32,
    last: Option<Move>,
}

impl Waiting {
    pub fn clear(&mut self) {
        self.leaves.clear();
        self.paths.clear();
        self.moves.clear();
        self.moments.clear();
    }

    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Adds the leaf that a game has come to, of which an evaluator sees `history` positions.
    pub fn push(&mut self, node: u32, path: &[u32], game: &Game, moves: &[Move], history: usize) {
        self.paths.extend(path);
        self.moves.extend(moves);
        let moments = game.moments().take(history.max(1));
        self.moments.extend(moments.map(|moment| KeptMoment {
            position: moment.position.clone(),
            repetitions: moment.repetitions,
            last: moment.last,
        }));
        self.leaves.push(WaitingLeaf {
            node,
            path: self.paths.len(),
            moves: self.moves.len(),
            moments: self.moments.len(),
        });
    }

    fn before(&self, leaf: usize) -> WaitingLeaf {
        let none = WaitingLeaf {
            node: 0,
            path: 0,
            moves: 0,
            moments: 0,
        };
        leaf.checked_sub(1).map_or(none, |leaf| self.leaves[leaf])
    }

    pub fn node(&self, leaf: usize) -> u32 {
        self.leaves[leaf].node
    }

    pub fn path(&self, leaf: usize) -> &[u32] {
        &self.paths[self.before(leaf).path..self.leaves[leaf].path]
    }

    pub fn moves(&self, leaf: usize) -> &[Move] {
        &self.moves[self.before(leaf).moves..self.leaves[leaf].moves]
    }

    /// The positions that an evaluator sees, the latest first.
    pub fn moments(&self, leaf: usize) -> impl Iterator<Item = Moment<'_>> {
        let range = self.before(leaf).moments..self.leaves[leaf].moments;
        self.moments[range].iter().map(|kept| Moment {
            position: &kept.position,
            repetitions: kept.repetitions,
            last: kept.last,
        })
    }
}
