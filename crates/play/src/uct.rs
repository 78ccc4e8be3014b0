//! The tree that Monte Carlo tree search grows.
//!
//! Two ways to value a leaf share it. A *sampled* leaf is played out, the result is averaged along
//! the line (the thesis' UCT). An *evaluated* leaf gets a static evaluation, and a position's value
//! is the best of its moves' values: a minimax search that UCT leads to where it matters.
//! Either way, what has been proven stays proven: a mate found somewhere in the tree is never
//! averaged away.

use rules::Color;

use crate::{
    Dice, LeafValue,
    memory::{OutOfMemory, reserve},
    rollout::{Rollout, play_out},
    search::{GRAIN, MATE, MATE_BOUND},
    tree::Tree,
};

/// No position has more moves than this.
const MOST_MOVES: usize = 256;

/// How the search goes about it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Method {
    /// Weight of exploration.
    pub c: f64,
    pub leaf: Leaf,
    /// Keep proven wins, losses and draws?
    pub solver: bool,
    pub evaluation: &'static LeafValue,
}

/// How a leaf is valued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    Sampled { rollout: Rollout, plies: u32 },
    Evaluated,
}

#[derive(Clone)]
pub(crate) struct Node<T: Tree> {
    pub position: T::Node,
    /// The move that led here; meaningless at the root.
    pub mv: Option<T::Move>,
    /// Where its children stand, once it has been expanded.
    children: Option<(u32, u32)>,
    pub visits: u32,
    /// Sampled scores of the side that moved here, added up.
    total: f64,
    /// The value for the side to move, as the alpha-beta search counts; exact where `proven`.
    pub value: i32,
    /// Is the value that of a finished game, however both sides play?
    pub proven: bool,
}

impl<T: Tree> Node<T> {
    /// Where its children stand among the nodes.
    pub fn children(&self) -> std::ops::Range<usize> {
        self.children
            .map_or(0..0, |(from, to)| from as usize..to as usize)
    }
}

pub(crate) struct Uct<'a, T: Tree> {
    tree: &'a T,
    method: Method,
    pub nodes: Vec<Node<T>>,
    /// Keys of the positions the game has been through: coming back to one counts as a draw.
    past: &'a [u64],
    /// The side whose progress is measured, if any.
    strong: Option<Color>,
    /// The static value of the root; exploration compares values with it.
    base: i32,
    dice: Dice,
}

impl<'a, T: Tree> Uct<'a, T> {
    pub fn new(
        tree: &'a T,
        root: T::Node,
        method: Method,
        past: &'a [u64],
        dice: Dice,
    ) -> Uct<'a, T> {
        let men = tree.men(&root);
        let strong = match method.leaf {
            Leaf::Evaluated => method.evaluation.measures_progress(&men),
            Leaf::Sampled { .. } => None,
        };
        let base = method.evaluation.value(&men);
        let base = men.turn.fold_wb(base, -base);
        Uct {
            tree,
            method,
            nodes: vec![Node {
                position: root,
                mv: None,
                children: None,
                visits: 0,
                total: 0.0,
                value: 0,
                proven: false,
            }],
            past,
            strong,
            base,
            dice,
        }
    }

    /// Puts a tree grown earlier, of which `root` is a node now, in place of the bare root.
    pub fn adopt(&mut self, old: &[Node<T>], root: usize) -> Result<(), OutOfMemory> {
        self.nodes.clear();
        self.nodes.push(old[root].clone());
        self.nodes[0].proven = false;
        let mut next = 0;
        while next < self.nodes.len() {
            if let Some((from, to)) = self.nodes[next].children {
                let first = self.nodes.len() as u32;
                reserve(&mut self.nodes, (to - from) as usize)?;
                for child in from..to {
                    let mut child = old[child as usize].clone();
                    if let Some(value) = self.repeated(&child.position) {
                        child.children = None;
                        child.value = value;
                        child.proven = self.method.solver;
                    }
                    self.nodes.push(child);
                }
                self.nodes[next].children = Some((first, first + (to - from)));
            }
            next += 1;
        }
        // Values may have changed where the game has been since.
        for i in (0..self.nodes.len()).rev() {
            self.settle(i);
        }
        Ok(())
    }

    /// One simulation: walk down, add or value a leaf, and bring the news home.
    pub fn simulate(&mut self) -> Result<(), OutOfMemory> {
        let mut path = vec![0];
        let mut at = 0;
        let white_score = loop {
            if self.nodes[at].proven {
                break self.white_score(at);
            }
            let fresh = self.nodes[at].children.is_none();
            if fresh {
                self.expand(at)?;
                if self.nodes[at].proven || self.method.leaf == Leaf::Evaluated {
                    self.settle(at);
                    break self.white_score(at);
                }
            }
            at = self.select(at);
            path.push(at);
            if self.nodes[at].visits == 0
                && let Leaf::Sampled { rollout, plies } = self.method.leaf
            {
                if self.nodes[at].proven {
                    break self.white_score(at);
                }
                break play_out(
                    self.tree,
                    &self.nodes[at].position,
                    plies,
                    rollout,
                    self.method.evaluation,
                    &mut self.dice,
                );
            }
        };
        for &i in path.iter().rev() {
            let moved_here = !self.tree.turn(&self.nodes[i].position);
            let node = &mut self.nodes[i];
            node.visits += 1;
            node.total += moved_here.fold_wb(white_score, 1.0 - white_score);
            self.settle(i);
        }
        Ok(())
    }

    /// Adds all children of a node, in random order where leaves are sampled.
    fn expand(&mut self, at: usize) -> Result<(), OutOfMemory> {
        let tree = self.tree;
        let position = self.nodes[at].position.clone();
        let moves = tree.moves(&position);
        let first = self.nodes.len();
        reserve(&mut self.nodes, MOST_MOVES)?;
        for m in T::each(&moves) {
            let child = tree.after(&position, m);
            let (value, proven) = self.first_value(&child);
            self.nodes.push(Node {
                position: child,
                mv: Some(m),
                children: None,
                visits: 0,
                total: 0.0,
                value,
                proven: proven && self.method.solver,
            });
        }
        let last = self.nodes.len();
        if matches!(self.method.leaf, Leaf::Sampled { .. }) {
            for i in (first + 1..last).rev() {
                let j = first + self.dice.below(i - first + 1);
                self.nodes.swap(i, j);
            }
        }
        let node = &mut self.nodes[at];
        node.children = Some((first as u32, last as u32));
        if first == last {
            // Only a root can get here without having been seen to be over.
            let check = tree.is_check(&position);
            node.value = if check { -MATE } else { 0 };
            node.proven = true;
        }
        Ok(())
    }

    /// The value of a new node for its side to move, and whether the game is over there.
    fn first_value(&self, position: &T::Node) -> (i32, bool) {
        let tree = self.tree;
        if self.method.leaf != Leaf::Evaluated && !self.method.solver {
            return (0, false);
        }
        let moves = tree.moves(position);
        if T::is_empty(&moves) {
            return (if tree.is_check(position) { -MATE } else { 0 }, true);
        }
        if tree.is_dead(position) {
            return (0, true);
        }
        if let Some(value) = self.repeated(position) {
            return (value, true);
        }
        if self.method.leaf != Leaf::Evaluated {
            return (0, false);
        }
        let men = tree.men(position);
        match self.strong {
            // Progress is measured when the strong side is to move: look at every answer.
            Some(strong) if strong != men.turn => {
                let worst = T::each(&moves)
                    .map(|m| {
                        let next = tree.after(position, m);
                        if tree.is_dead(&next) {
                            0
                        } else {
                            self.method.evaluation.value(&tree.men(&next)) * GRAIN - 1
                        }
                    })
                    .min()
                    .unwrap_or(0);
                (-worst, false)
            }
            _ => (self.method.evaluation.value(&men) * GRAIN, false),
        }
    }

    /// The value of a position that the game has been through: a draw the third time, and before
    /// that a quarter of its worth, so that of several roads back the best is chosen.
    fn repeated(&self, position: &T::Node) -> Option<i32> {
        if self.past.is_empty() {
            return None;
        }
        let key = self.tree.key(position);
        match self.past.iter().filter(|&&past| past == key).count() {
            0 => None,
            1 if self.strong.is_some() => {
                let men = self.tree.men(position);
                Some(self.method.evaluation.value(&men) * GRAIN / 4)
            }
            _ => Some(0),
        }
    }

    /// Works a node's value out from its children's.
    fn settle(&mut self, at: usize) {
        let Some((from, to)) = self.nodes[at].children else {
            return;
        };
        if self.nodes[at].proven || from == to {
            return;
        }
        let children = &self.nodes[from as usize..to as usize];
        let aged = |value: i32| -value + value.signum();
        if self.method.leaf == Leaf::Evaluated {
            let mut best = i32::MIN;
            let mut best_proven = false;
            let mut all_proven = true;
            for child in children {
                let value = aged(child.value);
                if value > best || (value == best && child.proven) {
                    best = value;
                    best_proven = child.proven;
                }
                all_proven &= child.proven;
            }
            // The strong side may claim the progress it has made so far.
            let position = &self.nodes[at].position;
            if at > 0 && self.strong == Some(self.tree.turn(position)) && !all_proven {
                let stand = self.method.evaluation.value(&self.tree.men(position)) * GRAIN;
                if stand > best {
                    best = stand;
                    best_proven = false;
                }
            }
            let node = &mut self.nodes[at];
            node.value = best;
            // At the root a shorter mate may still turn up.
            node.proven = all_proven || (at > 0 && best_proven && best > MATE_BOUND);
        } else if self.method.solver {
            let lost = children
                .iter()
                .filter(|c| c.proven && c.value < -MATE_BOUND);
            if let Some(value) = lost.map(|c| aged(c.value)).max()
                && at > 0
            {
                let node = &mut self.nodes[at];
                (node.value, node.proven) = (value, true);
            } else if children.iter().all(|c| c.proven) {
                let value = children.iter().map(|c| aged(c.value)).max().unwrap_or(0);
                let node = &mut self.nodes[at];
                (node.value, node.proven) = (value, true);
            }
        }
    }

    /// The child to go to: by formula 3.1, among those that are not proven.
    fn select(&self, at: usize) -> usize {
        let (from, to) = self.nodes[at].children.expect("expanded before");
        let parent = &self.nodes[at];
        let log = f64::from(parent.visits.max(1)).ln();
        let mover = self.tree.turn(&parent.position);
        let mut best = from as usize;
        let mut best_score = f64::NEG_INFINITY;
        for i in from as usize..to as usize {
            let child = &self.nodes[i];
            if child.proven {
                continue;
            }
            let score = match self.method.leaf {
                Leaf::Sampled { .. } if child.visits == 0 => return i,
                Leaf::Sampled { .. } => {
                    let visits = f64::from(child.visits);
                    child.total / visits + self.method.c * (log / visits).sqrt()
                }
                Leaf::Evaluated => {
                    self.promise(child.value, mover)
                        + self.method.c * (log / f64::from(1 + child.visits)).sqrt()
                }
            };
            if score > best_score {
                best_score = score;
                best = i;
            }
        }
        best
    }

    /// A child's value as a number between 0 and 1 for the side that moves there, compared with
    /// the root.
    fn promise(&self, child_value: i32, mover: Color) -> f64 {
        let value = f64::from(-child_value) / f64::from(GRAIN);
        let base = f64::from(mover.fold_wb(self.base, -self.base));
        // A hundred hundredths of a pawn more than the root is a lot.
        let x = (value - base) / 50.0;
        0.5 + 0.5 * x / (1.0 + x.abs())
    }

    fn white_score(&self, at: usize) -> f64 {
        let node = &self.nodes[at];
        let turn = self.tree.turn(&node.position);
        let value = turn.fold_wb(node.value, -node.value);
        if self.method.leaf == Leaf::Evaluated && value.abs() < MATE_BOUND {
            return 0.5 + 0.5 * f64::from(value) / f64::from(MATE_BOUND);
        }
        match value.signum() {
            1 => 1.0,
            -1 => 0.0,
            _ => 0.5,
        }
    }

    /// The root's children.
    pub fn candidates(&self) -> &[Node<T>] {
        let (from, to) = self.nodes[0].children.unwrap_or((0, 0));
        &self.nodes[from as usize..to as usize]
    }

    /// Is there nothing left to find out?
    pub fn is_settled(&self) -> bool {
        self.nodes[0].proven
    }
}
