//! Where the nodes and edges of a tree lie.

use rules::Move;

use super::proof::Proof;
use crate::memory::{OutOfMemory, reserve};

/// A position of the tree, in 20 bytes. The position itself is not kept: whoever comes here has
/// played the moves that lead here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Its first edge; the others follow.
    pub first: u32,
    pub visits: u32,
    /// What the evaluator said, for the side to move.
    pub value: f32,
    /// The mean chance of a draw over all visits.
    pub draw: f32,
    pub count: u16,
    pub proof: Proof,
    pub state: State,
}

/// How far a node has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// It waits for its judgement.
    Waiting,
    /// It has been judged and has edges.
    Open,
    /// The game is over there.
    Over,
    /// A position of the same line has come back: worth a draw, but not proven to be one, because
    /// the line may begin later one day.
    Repeated,
}

/// A move of a node, in 24 bytes: everything that selection looks at lies in one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub mv: Move,
    /// What is proven of the position behind it.
    pub proof: Proof,
    /// Simulations that went this way and wait for a judgement.
    pub pending: u8,
    pub prior: f32,
    pub visits: u32,
    /// The mean value of the visits, for the side that makes the move: Q.
    pub value: f32,
    /// The node behind it, if there is one: no edge leads to the root.
    pub child: u32,
}

pub(super) const ROOT: u32 = 0;

/// The nodes and edges of a tree. A child stands behind its parent, and edges are in the order of
/// their nodes.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Where a node goes when others are thrown away.
    moved: Vec<u32>,
}

impl Arena {
    /// Forgets everything but its memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// Adds a node.
    pub fn add(&mut self, state: State, proof: Proof) -> Result<u32, OutOfMemory> {
        reserve(&mut self.nodes, 1)?;
        self.nodes.push(Node {
            first: 0,
            visits: 0,
            value: 0.0,
            draw: 0.0,
            count: 0,
            proof,
            state,
        });
        Ok(self.nodes.len() as u32 - 1)
    }

    /// Gives a node its edges.
    pub fn open(
        &mut self,
        node: u32,
        moves: impl ExactSizeIterator<Item = (Move, f32)>,
    ) -> Result<(), OutOfMemory> {
        reserve(&mut self.edges, moves.len())?;
        let of = &mut self.nodes[node as usize];
        of.first = self.edges.len() as u32;
        of.count = moves.len() as u16;
        of.state = State::Open;
        self.edges.extend(moves.map(|(mv, prior)| Edge {
            mv,
            proof: Proof::NONE,
            pending: 0,
            prior,
            visits: 0,
            value: 0.0,
            child: ROOT,
        }));
        Ok(())
    }

    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    pub fn edge(&self, edge: u32) -> &Edge {
        &self.edges[edge as usize]
    }

    pub fn edge_mut(&mut self, edge: u32) -> &mut Edge {
        &mut self.edges[edge as usize]
    }

    /// The edges of a node.
    pub fn edges_of(&self, node: u32) -> &[Edge] {
        let node = self.node(node);
        &self.edges[node.first as usize..][..usize::from(node.count)]
    }

    pub fn edges_of_mut(&mut self, node: u32) -> &mut [Edge] {
        let node = self.nodes[node as usize];
        &mut self.edges[node.first as usize..][..usize::from(node.count)]
    }

    /// Throws away everything but what lies behind `new_root`, which becomes the root, without taking
    /// any memory but a number a node. What was a repetition must be looked at again.
    pub fn keep(&mut self, new_root: u32) -> Result<(), OutOfMemory> {
        self.moved.clear();
        reserve(&mut self.moved, self.nodes.len())?;
        self.moved.resize(self.nodes.len(), ROOT);
        let (mut nodes, mut edges) = (0, 0);
        for old in new_root as usize..self.nodes.len() {
            if old != new_root as usize && self.moved[old] == ROOT {
                continue;
            }
            let mut node = self.nodes[old];
            let first = node.first as usize;
            node.first = edges as u32;
            for edge in first..first + usize::from(node.count) {
                let mut kept = self.edges[edge];
                if kept.child != ROOT {
                    // Those between here and there are given numbers first: mark it for now.
                    match self.nodes[kept.child as usize].state {
                        State::Repeated => kept.child = ROOT,
                        _ => self.moved[kept.child as usize] = 1,
                    }
                }
                self.edges[edges] = kept;
                edges += 1;
            }
            self.moved[old] = nodes as u32;
            self.nodes[nodes] = node;
            nodes += 1;
        }
        self.nodes.truncate(nodes);
        self.edges.truncate(edges);
        for edge in &mut self.edges {
            if edge.child != ROOT {
                edge.child = self.moved[edge.child as usize];
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_20_bytes_and_an_edge_24() {
        assert_eq!((size_of::<Node>(), size_of::<Edge>()), (20, 24));
    }
}
