//! Alpha-beta search with iterative deepening and a transposition table.
//!
//! Three things are unusual, all for the sake of endgames.
//!
//! **Progress.** Against a bare king the evaluation measures progress, and the strong side may stop
//! at any of its turns and claim the progress made so far (it *stands pat*). The value of a position
//! is then the best progress that can be forced within the depth, less one for every ply it takes.
//! After each move and every answer that value has grown, because what was in reach is still in
//! reach, one move nearer. So a player that follows it can never go in circles, as long as from
//! every position some progress can be forced within the depth: the thesis' shuffling with the rook
//! cannot happen, without any memory of the game. Where no progress is in sight, the search looks
//! one move deeper than it was told to; the argument holds for that, too.
//!
//! **Pure values.** The value of a position at a depth depends on nothing else. Stored values are
//! used only at exactly their depth, so the contents of the table change the time and never the
//! move. With `history` the search knows the game as well: it counts repetitions and the fifty-move
//! clock, in the game and along each line, and its table lives for one move.
//!
//! **Ageing.** A value shrinks towards zero by one with every ply it travels, so that of two equal
//! ends the nearer one is preferred: the shorter mate, the slower loss.

mod alpha_beta;

use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use alpha_beta::Trial;
use rules::Color;

use crate::{LeafValue, Limits, transposition::Table, tree::Tree};

/// The value of having mated. Anything beyond [`MATE_BOUND`] is a mate in so many plies.
pub(crate) const MATE: i32 = 100_000_000;
/// No evaluation reaches this.
pub(crate) const MATE_BOUND: i32 = MATE - 2_000;
/// Evaluations are multiplied by this, so that ageing never makes up for a difference.
pub(crate) const GRAIN: i32 = 64;
/// What a ply costs where the evaluation is a guess of the moves to mate: a ply by that guess.
pub(crate) const AGE_OF_ESTIMATES: i32 = 16;
/// Beyond every value, and far enough from the end of the numbers to be negated and aged.
const INFINITE: i32 = 1_000_000_000;

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Options {
    pub evaluation: LeafValue,
    /// By how much values shrink with every ply; 0 where they do not.
    pub ageing: i32,
    /// Look at captures beyond the depth, where both sides have pieces?
    pub quiescence: bool,
    /// May the strong side claim the progress it has made?
    pub progress: bool,
    /// Is the game that led to the position known?
    pub history: bool,
    /// The occurrence of a position that counts as a draw: 2 or 3.
    pub repetition: usize,
    /// Is everything found used as far as it goes, values of a greater depth among it? The move then
    /// depends on what was looked at before, which a player against the clock does not mind.
    pub keeps: bool,
}

/// What the search found.
#[derive(Clone, Debug)]
pub(crate) struct Found<M> {
    /// Every best move that was told apart: one, unless ties were asked for.
    pub best: Vec<M>,
    pub value: i32,
    pub depth: i32,
    pub nodes: u64,
    /// Positions at the ends of lines, each valued by the evaluation.
    pub leaves: u64,
}

/// What the search is to look for.
pub(crate) struct Aim<'a, M> {
    /// Plies.
    pub depth: i32,
    /// Find every best move?
    pub all: bool,
    /// How many of the best moves are wanted.
    pub lines: usize,
    /// Is the move to be considered at all?
    pub allows: &'a dyn Fn(M) -> bool,
    /// Hears of every line at every depth.
    pub report: &'a mut dyn FnMut(Variation<M>),
}

/// A line that the search has found.
pub(crate) struct Variation<M> {
    /// 1 for the best, 2 for the next one, …
    pub number: usize,
    pub value: i32,
    pub depth: i32,
    pub nodes: u64,
    pub moves: Vec<M>,
}

pub(crate) struct Search<'a, T: Tree> {
    tree: &'a T,
    options: Options,
    table: &'a mut Table,
    /// Keys of the game's positions before the root, and of the line being looked at.
    line: Vec<u64>,
    /// Moves that are being tried, by rank: those of the whole line, one position after the other.
    ranked: Vec<(i32, T::Move)>,
    nodes: u64,
    leaves: u64,
    limits: Limits,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    stopped: bool,
    /// The side whose progress is measured.
    strong: Option<Color>,
    /// The side that is to move where lines end; without progress, either.
    asked: Option<Color>,
    /// May moves be left ungenerated where a line ends? The strong side always has one there.
    skips_moves: bool,
    /// When no deeper look should be begun.
    enough: Option<Instant>,
    /// Plies after which the fifty-move rule draws.
    clock_limit: Option<u32>,
}

impl<'a, T: Tree> Search<'a, T> {
    /// A search of `tree`; `past` are the keys of the game's earlier positions and `clock_limit` the
    /// ply of the fifty-move rule, both unused without history.
    pub fn new(
        tree: &'a T,
        options: Options,
        table: &'a mut Table,
        past: Vec<u64>,
        clock_limit: Option<u32>,
        limits: Limits,
        stop: &'a AtomicBool,
    ) -> Search<'a, T> {
        Search {
            tree,
            table,
            line: past,
            ranked: Vec::new(),
            nodes: 0,
            leaves: 0,
            limits,
            deadline: limits.time.map(|time| Instant::now() + time),
            stop,
            stopped: false,
            strong: None,
            asked: None,
            skips_moves: false,
            enough: None,
            clock_limit: clock_limit.filter(|_| options.history),
            options,
        }
    }

    /// Begins no deeper look once `time` has passed.
    #[must_use]
    pub fn enough_after(mut self, time: Option<Duration>) -> Search<'a, T> {
        self.enough = time.map(|time| Instant::now() + time);
        self
    }

    /// Searches deeper and deeper until the aim or a limit is reached.
    ///
    /// Returns `None` when there is no legal move, or none that is to be considered.
    pub fn run(
        mut self,
        root: &T::Node,
        clock: u32,
        aim: Aim<'_, T::Move>,
    ) -> Option<Found<T::Move>> {
        let tree = self.tree;
        let Aim { depth, all, .. } = aim;
        let mut moves: Vec<T::Move> = T::each(&tree.moves(root))
            .filter(|&m| (aim.allows)(m))
            .collect();
        let first = *moves.first()?;
        let evaluation = &self.options.evaluation;
        if self.options.progress || matches!(evaluation, LeafValue::Network(_)) {
            self.strong = evaluation.measures_progress(&tree.men(root));
            self.asked = self.strong.map(|strong| evaluation.side_to_ask(strong));
            self.skips_moves = matches!(evaluation, LeafValue::Network(_))
                && !self.options.history
                && self.asked == self.strong;
        }
        let mut found = Found {
            best: vec![first],
            value: 0,
            depth: 0,
            nodes: 0,
            leaves: 0,
        };
        // Lines end where one side is to move, so every second depth would only repeat the one before.
        let ours = self.strong == Some(tree.turn(root));
        let step = if ours { 2 } else { 1 };
        self.line.push(tree.key(root));
        let mut current = if ours && self.asked != self.strong {
            1
        } else {
            step
        };
        let mut last = depth;
        while current < last + step {
            let result = self.root(root, clock, &moves, current, all);
            // A look that was cut short counts if it got beyond its first move, the best one before.
            if self.stopped && (result.1 == -INFINITE || found.depth > 0 && !self.options.keeps) {
                break;
            }
            found.best = result.0;
            found.value = result.1;
            found.depth = current;
            let mut next = Some((found.best[0], found.value));
            let mut others = moves.clone();
            let mut decided = true;
            for number in 1..=aim.lines.min(moves.len()) {
                let Some((first, value)) = next.take().filter(|_| !self.stopped) else {
                    break;
                };
                // A mate farther away than the depth comes from the table, and may not be the shortest.
                let plies = (MATE - value) / self.options.ageing.max(1);
                decided &= value > MATE_BOUND && plies <= current;
                (aim.report)(Variation {
                    number,
                    value,
                    depth: current,
                    nodes: self.nodes,
                    moves: self.line(root, first, current),
                });
                others.retain(|&m| m != first);
                if number < aim.lines && !others.is_empty() {
                    let (best, value) = self.root(root, clock, &others, current, false);
                    next = (!self.stopped).then(|| (best[0], value));
                }
            }
            let enough = self.enough.is_some_and(|enough| Instant::now() >= enough);
            if self.stopped
                || enough
                || decided
                || (found.value < -MATE_BOUND && !all && moves.len() == 1)
            {
                break;
            }
            // The best move of one depth is looked at first in the next.
            let best = found.best[0];
            moves.retain(|&m| m != best);
            moves.insert(0, best);
            current += step;
            // No progress in sight: look one move further. What is found there is in sight of the
            // usual depth after the next move, so this once is enough and starts no circle.
            let stuck = ours && self.options.progress && found.value < self.evaluate(root);
            if current >= last + step && last == depth && stuck {
                last += step;
            }
        }
        found.nodes = self.nodes;
        found.leaves = self.leaves;
        Some(found)
    }

    /// The expected line, as far as the table remembers it.
    fn line(&self, root: &T::Node, first: T::Move, depth: i32) -> Vec<T::Move> {
        let mut line = vec![first];
        let mut node = self.tree.after(root, first);
        while (line.len() as i32) < depth
            && let Some(m) = self.remembered_move(&node)
        {
            line.push(m);
            node = self.tree.after(&node, m);
        }
        line
    }

    /// The best move of a position, if the table remembers it: there it is a move of the image that stands
    /// for the position, and here one that leads to an image of the same position.
    fn remembered_move(&self, node: &T::Node) -> Option<T::Move> {
        let tree = self.tree;
        let standard = |node: &T::Node| match self.options.history {
            true => None,
            false => tree.standard_image(node),
        };
        let key = |node: &T::Node| tree.key(standard(node).as_ref().unwrap_or(node));
        let image = standard(node);
        let image = image.as_ref().unwrap_or(node);
        let best = self.table.get(tree.key(image));
        let best = best.max_by_key(|entry| entry.depth)?.best;
        let m = T::each(&tree.moves(image)).find(|&m| T::number(m) == best)?;
        let aim = key(&tree.after(image, m));
        T::each(&tree.moves(node)).find(|&m| key(&tree.after(node, m)) == aim)
    }

    fn root(
        &mut self,
        root: &T::Node,
        clock: u32,
        moves: &[T::Move],
        depth: i32,
        all: bool,
    ) -> (Vec<T::Move>, i32) {
        let mut best = vec![moves[0]];
        let mut value = -INFINITE;
        for &m in moves {
            // To see a tie, a move must be allowed to come out equal.
            let alpha = if all { value - 1 } else { value };
            let trial = Trial {
                node: root,
                depth,
                ply: 0,
                clock,
                alpha: alpha.max(-INFINITE),
                beta: INFINITE,
                best: value,
                best_move: 0,
            };
            let reply = self.beside(&trial, m);
            if self.stopped {
                // A deeper look that was cut short may still have found something better.
                break;
            }
            if reply > value {
                value = reply;
                best.clear();
                best.push(m);
            } else if all && reply == value {
                best.push(m);
            }
        }
        (best, value)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rules::{FewMen, Position};

    use super::*;
    use crate::{TinyNetwork, leaf_value::BareKing, tree::FewMenTree};

    /// Minimax as it is defined, without windows and without a table.
    fn plain(tree: &FewMenTree, options: &Options, node: &FewMen, depth: i32) -> i32 {
        let moves = tree.moves(node);
        if moves.is_empty() {
            return if tree.is_check(node) { -MATE } else { 0 };
        }
        if tree.is_dead(node) {
            return 0;
        }
        let depth = match depth {
            ..=0 if BareKing::of(&tree.men(node)).is_some_and(|men| men.strong == node.turn) => {
                return options.evaluation.in_search(tree, node);
            }
            ..=0 => 1,
            depth => depth,
        };
        let values = moves.iter().map(|m| {
            let value = -plain(tree, options, &tree.after(node, m), depth - 1);
            value - options.ageing * value.signum()
        });
        values.max().expect("there are moves")
    }

    #[test]
    fn alpha_beta_finds_the_values_of_plain_minimax() {
        let options = |network: &[u8]| Options {
            evaluation: LeafValue::Network(Arc::new(TinyNetwork::from_bytes(network).unwrap())),
            ageing: AGE_OF_ESTIMATES,
            quiescence: false,
            progress: false,
            history: false,
            repetition: 2,
            keeps: false,
        };
        let bishop_and_knight = options(include_bytes!("../../../nets/kbnk.ltn"));
        let rook = options(include_bytes!("../examples/krk.ltn"));
        let stop = AtomicBool::new(false);
        for (fen, options) in [
            ("8/8/8/8/8/2NK4/3B4/k7 w - - 0 1", &bishop_and_knight),
            ("7k/5K2/8/5B2/6N1/8/8/8 w - - 0 1", &bishop_and_knight),
            ("8/8/8/3k4/8/8/1B6/KN6 w - - 0 1", &bishop_and_knight),
            ("8/8/8/8/1k6/1B6/8/K5N1 b - - 0 1", &bishop_and_knight),
            ("8/8/8/3k4/8/8/1R6/K7 w - - 0 1", &rook),
            ("8/8/8/3K4/8/8/1r6/k7 b - - 0 1", &rook),
            ("8/8/8/3K4/8/8/6r1/k7 w - - 0 1", &rook),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let tree = FewMenTree::of(&position).unwrap();
            let root = tree.rules.compact(&position).unwrap();
            let mut table = Table::new(1).unwrap();
            let search = Search::new(
                &tree,
                options.clone(),
                &mut table,
                Vec::new(),
                None,
                Limits::default(),
                &stop,
            );
            let mut line = Vec::new();
            let found = search.run(
                &root,
                0,
                Aim {
                    depth: 4,
                    all: false,
                    lines: 1,
                    allows: &|_| true,
                    report: &mut |found| line = found.moves,
                },
            );
            let found = found.unwrap();
            // The line is one of best moves, as far as the table reaches: to two plies from the leaves.
            let drawn = found.value == 0;
            assert!(
                drawn || line.len() as i32 >= found.depth - 1,
                "{fen}: {line:?}"
            );
            let (mut node, mut value, mut depth) = (root, found.value, found.depth);
            for m in line {
                assert!(tree.moves(&node).contains(m), "{fen}");
                (node, depth) = (tree.after(&node, m), depth - 1);
                let next = -plain(&tree, options, &node, depth);
                assert_eq!(next - options.ageing * next.signum(), value, "{fen}");
                value = -next;
            }
            let value = plain(&tree, options, &root, found.depth);
            assert_eq!(found.value, value, "{fen}");
            let best = -plain(
                &tree,
                options,
                &tree.after(&root, found.best[0]),
                found.depth - 1,
            );
            assert_eq!(best - options.ageing * best.signum(), value, "{fen}");
        }
    }
}
