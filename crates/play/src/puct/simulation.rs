//! One simulation: down the tree, and what it found up again.

use rules::{Move, Outcome};

use super::{
    Puct, PuctError, Selection,
    arena::{Node, ROOT, State},
    formulas::{by_improved_policy, upper_confidence},
    halving::Halving,
    proof::Proof,
};
use crate::{Chances, memory::OutOfMemory};

/// How a simulation ended.
enum Ended {
    /// At a leaf that waits for its judgement.
    Waiting,
    /// Where nobody needs to be asked; it has been backed up.
    Known,
    /// At a leaf that waits already; nothing has changed.
    Collision,
}

impl Puct {
    /// One more simulation, if there can be one now.
    pub(super) fn simulate(&mut self, history: usize) -> Result<bool, OutOfMemory> {
        let first = match &mut self.halving {
            None => None,
            Some(halving) => {
                if let Some(index) = halving.next() {
                    Some(index)
                } else if self.waiting.len() > 0 {
                    return Ok(false); // the next round depends on them
                } else {
                    self.next_round();
                    self.halving.as_mut().and_then(Halving::next)
                }
            }
        };
        let ended = self.descend(first, history);
        for _ in self.root_ply..self.game.plies() {
            self.game.undo();
        }
        match ended? {
            Ended::Waiting | Ended::Known => {
                self.begun += 1;
                self.depth = self.depth.max(self.path.len() as u32);
                Ok(true)
            }
            Ended::Collision => {
                if let Some(halving) = &mut self.halving {
                    halving.take_back();
                }
                Ok(false)
            }
        }
    }

    /// Goes down from the root, its first step given or not, to a leaf.
    fn descend(&mut self, mut first: Option<usize>, history: usize) -> Result<Ended, OutOfMemory> {
        self.path.clear();
        let mut at = ROOT;
        loop {
            let node = *self.arena.node(at);
            match node.state {
                State::Waiting => {
                    for &edge in &self.path {
                        self.arena.edge_mut(edge).pending -= 1;
                    }
                    return Ok(Ended::Collision);
                }
                State::Repeated => {
                    self.back_up(0.0, 1.0);
                    return Ok(Ended::Known);
                }
                State::Open | State::Over => {}
            }
            if at != ROOT
                && let Some(value) = node.proof.value()
            {
                self.back_up(value, if value == 0.0 { 1.0 } else { 0.0 });
                return Ok(Ended::Known);
            }
            let edges = self.arena.edges_of(at);
            let index = match (first.take(), &self.settings.selection) {
                (Some(index), _) => index,
                (None, Selection::Puct(exploration)) => upper_confidence(&node, edges, exploration),
                (None, Selection::Gumbel(gumbel)) => {
                    by_improved_policy(&node, edges, gumbel, &mut self.policy)
                }
            };
            let number = node.first + index as u32;
            let edge = self.arena.edge_mut(number);
            edge.pending += 1;
            let (mv, child) = (edge.mv, edge.child);
            self.path.push(number);
            self.game.play_legal(mv);
            if child != ROOT {
                at = child;
                continue;
            }
            match self.add_child(number, history) {
                Ok(Some(child)) => at = child,
                Ok(None) => return Ok(Ended::Waiting),
                Err(error) => {
                    for &edge in &self.path {
                        self.arena.edge_mut(edge).pending -= 1;
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Adds the node behind an edge, which the game has come to. Returns it if nobody needs to judge
    /// it.
    fn add_child(&mut self, edge: u32, history: usize) -> Result<Option<u32>, OutOfMemory> {
        let standing = self.game.standing();
        let (state, proof) = match standing.outcome {
            Some(Outcome {
                winner: Some(_), ..
            }) => (State::Over, Proof::MATED),
            Some(_) => (State::Over, Proof::DRAW),
            None if self.repeats() => (State::Repeated, Proof::NONE),
            None => (State::Waiting, Proof::NONE),
        };
        let child = self.arena.add(state, proof)?;
        self.arena.edge_mut(edge).child = child;
        if state == State::Waiting {
            self.waiting
                .push(child, &self.path, &self.game, &standing.moves, history);
            return Ok(None);
        }
        if self.settings.solver && proof.is_known() {
            self.prove(proof);
        }
        Ok(Some(child))
    }

    /// Has the position occurred on the way here, from the root on? Whoever could bring it back once
    /// could do so again.
    fn repeats(&self) -> bool {
        self.game.repetitions() > 1
            && self
                .game
                .plies_since_occurrence()
                .is_some_and(|ago| ago <= self.path.len())
    }

    /// Tells the present line what is proven of its end.
    fn prove(&mut self, mut proof: Proof) {
        for depth in (0..self.path.len()).rev() {
            self.arena.edge_mut(self.path[depth]).proof = proof;
            let parent = match depth.checked_sub(1) {
                Some(above) => self.arena.edge(self.path[above]).child,
                None => ROOT,
            };
            let edges = self.arena.edges_of(parent);
            let follows = Proof::of_moves(edges.iter().map(|edge| edge.proof));
            let node = self.arena.node_mut(parent);
            if follows == node.proof {
                return;
            }
            node.proof = follows;
            proof = follows;
        }
    }

    /// Backs a result up the present line: formula (3) of document W.
    fn back_up(&mut self, value: f32, draw: f32) {
        let mut value = value;
        let visit = |node: &mut Node| {
            node.visits += 1;
            node.draw += (draw - node.draw) / node.visits as f32;
        };
        for &edge in self.path.iter().rev() {
            value = -value;
            let edge = self.arena.edge_mut(edge);
            edge.visits += 1;
            edge.value += (value - edge.value) / edge.visits as f32;
            edge.pending -= 1;
            let child = edge.child;
            visit(self.arena.node_mut(child));
        }
        visit(self.arena.node_mut(ROOT));
    }

    /// Gives a leaf that waits its judgement.
    pub(super) fn tell(
        &mut self,
        leaf: usize,
        chances: Chances,
        priors: &[f32],
    ) -> Result<(), PuctError> {
        let moves = self.waiting.moves(leaf);
        let sum: f32 = priors.iter().sum();
        if priors.len() != moves.len() || !sum.is_finite() || !chances.value().is_finite() {
            return Err(PuctError::Answers);
        }
        let at = self.waiting.node(leaf);
        self.path.clear();
        self.path.extend(self.waiting.path(leaf));
        if at == ROOT && !self.only.is_empty() {
            let pairs = moves.iter().zip(priors);
            let kept = pairs.filter(|(m, _)| self.only.contains(m));
            let kept: Vec<(Move, f32)> = kept.map(|(&m, &prior)| (m, prior)).collect();
            let sum: f32 = kept.iter().map(|(_, prior)| prior).sum();
            let (sum, even) = match sum > 0.0 {
                true => (sum, 0.0),
                false => (1.0, 1.0 / kept.len() as f32),
            };
            let kept = kept.into_iter();
            self.arena
                .open(at, kept.map(|(m, prior)| (m, prior / sum + even)))?;
        } else {
            let pairs = moves.iter().copied().zip(priors.iter().copied());
            self.arena.open(at, pairs)?;
        }
        self.arena.node_mut(at).value = chances.value();
        self.back_up(chances.value(), chances.draw);
        if at == ROOT {
            self.begun -= 1;
            self.prepare_root();
        }
        Ok(())
    }
}
