//! Alpha-beta itself: what a position is worth at a depth.

use std::{sync::atomic::Ordering, time::Instant};

use super::{GRAIN, INFINITE, MATE, Search};
use crate::{
    transposition::{Bound, Entry},
    tree::Tree,
};

/// From this depth on, moves are sorted by the positions they lead to.
const SORT_FROM_DEPTH: i32 = 3;

/// A position whose moves are being tried: where it stands in the search, and what is known so far.
pub(super) struct Trial<'n, T: Tree> {
    pub(super) node: &'n T::Node,
    pub(super) depth: i32,
    pub(super) ply: u32,
    pub(super) clock: u32,
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// The value of the best move so far, less than any value before the first.
    pub(super) best: i32,
    pub(super) best_move: u16,
}

/// What the table knows of a position at a depth.
enum Memory {
    /// A value that answers the question.
    Value(i32),
    /// The number of the move that was best, 0 for none.
    Hint(u16),
}

impl<T: Tree> Search<'_, T> {
    /// The value of a move beside others of which the best is known. It is asked first whether it is
    /// better at all, which takes less time than to say how good it is.
    #[inline]
    pub(super) fn beside(&mut self, trial: &Trial<'_, T>, m: T::Move) -> i32 {
        let &Trial {
            depth, alpha, beta, ..
        } = trial;
        if trial.best > -INFINITE && beta - alpha > 1 && depth > 2 {
            let value = self.child(trial, m, alpha, alpha + 1);
            if value <= alpha || value >= beta || self.stopped {
                return value;
            }
        }
        self.child(trial, m, alpha, beta)
    }

    /// The value of a move for the side that makes it, seen through a window.
    #[inline]
    fn child(&mut self, trial: &Trial<'_, T>, m: T::Move, alpha: i32, beta: i32) -> i32 {
        let &Trial {
            node,
            depth,
            ply,
            clock,
            ..
        } = trial;
        let next = self.tree.after(node, m);
        let clock = if self.options.history && self.tree.is_irreversible(node, m) {
            0
        } else {
            clock + 1
        };
        let age = self.options.ageing;
        if age == 0 {
            return -self.alpha_beta(&next, depth - 1, ply + 1, clock, -beta, -alpha);
        }
        // The window of values that age into the window asked for. Ageing keeps their order, because no
        // value lies between zero and what a ply costs: guesses of the moves to mate are far from zero, and
        // elsewhere a ply costs one.
        let alpha = if alpha < 0 { alpha - age } else { alpha + age };
        let beta = if beta > 0 { beta + age } else { beta - age };
        let value = -self.alpha_beta(
            &next,
            depth - 1,
            ply + 1,
            clock,
            -beta.min(INFINITE),
            -alpha.max(-INFINITE),
        );
        value - age * value.signum()
    }

    fn alpha_beta(
        &mut self,
        node: &T::Node,
        mut depth: i32,
        ply: u32,
        clock: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> i32 {
        self.nodes += 1;
        if self.is_out_of_budget() {
            return 0;
        }
        let tree = self.tree;
        if self.skips_moves && depth <= 1 {
            if self.asked != Some(tree.turn(node)) {
                return self.last_reply(node, beta);
            } else if depth <= 0 {
                return self.leaf(node);
            }
        }
        let history = self.options.history;
        let remembers = depth >= T::TABLE_FROM_DEPTH;
        let (mut key, mut hint) = (0, 0);
        let image;
        let mut node = node;
        if remembers && !history {
            // Without a history all images of a position are one. What is remembered has moves.
            if let Some(standard) = tree.standard_image(node) {
                image = standard;
                node = &image;
            }
            key = tree.key(node);
            match self.remembered(key, depth, alpha, beta) {
                Memory::Value(value) => return value,
                Memory::Hint(best) => hint = best,
            }
        }
        let mut moves = tree.moves(node);
        if T::is_empty(&moves) {
            return if tree.is_check(node) { -self.mate() } else { 0 };
        }
        if tree.is_dead(node) {
            return 0;
        }
        if history {
            key = tree.key(node);
            if self.clock_limit.is_some_and(|limit| clock >= limit) {
                return 0;
            }
            match self.occurrences(key, clock) {
                0 => {}
                // Once is no draw yet, and where all roads lead back, one must still be chosen:
                // what repeats keeps a quarter of its progress.
                1 if self.strong.is_some() => return self.evaluate(node) / 4,
                n if n + 1 >= self.options.repetition => return 0,
                _ => {}
            }
        }
        let turn = tree.turn(node);
        let stands = self.strong == Some(turn) && self.options.progress;
        if depth <= 0 {
            if self.asked.is_some_and(|asked| asked != turn) {
                depth = 1; // the evaluation is made for positions in which the other side is to move
            } else if self.strong.is_none() && self.options.quiescence {
                return self.quiescence(node, &moves, alpha, beta, 8);
            } else {
                self.leaves += 1;
                return self.evaluate(node);
            }
        }
        if remembers && history {
            match self.remembered(key, depth, alpha, beta) {
                Memory::Value(value) => return value,
                Memory::Hint(best) => hint = best,
            }
        }
        if stands && depth == 2 && !history {
            // The last position but one of a line comes up again and again, in this search and in
            // those of neighbouring positions: its exact value is worth more than a bound.
            (alpha, beta) = (-INFINITE, INFINITE);
        }
        let before = alpha;
        let mut trial = Trial {
            node,
            depth,
            ply,
            clock,
            alpha,
            beta,
            best: -INFINITE,
            best_move: 0,
        };
        if stands {
            let value = self.evaluate(node);
            if value >= beta {
                return value;
            }
            trial.best = value;
            trial.alpha = alpha.max(value);
        }
        if history {
            self.line.push(key);
        }
        // First the move that was best when the position was searched most deeply, then the others. Far
        // from the leaves it pays to look at each of them before.
        let hinted = T::each(&moves).find(|&m| T::number(m) == hint);
        let enough = hinted.is_some_and(|m| self.try_move(&mut trial, m));
        let ranks = self.strong.is_some() && depth >= SORT_FROM_DEPTH;
        if !enough && ranks {
            self.try_ranked(&mut trial, &moves, hinted);
        } else if !enough {
            tree.sort(node, &mut moves);
            for m in T::each(&moves) {
                if Some(m) != hinted && self.try_move(&mut trial, m) {
                    break;
                }
            }
        }
        if history {
            self.line.pop();
        }
        if self.stopped {
            return 0;
        }
        let Trial {
            best, best_move, ..
        } = trial;
        if remembers {
            let bound = if best >= beta {
                Bound::Lower
            } else if best > before {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.table.put(
                key,
                Entry {
                    value: best,
                    bound,
                    depth,
                    best: best_move,
                },
                self.options.keeps,
            );
        }
        best
    }

    /// Tries all moves but one, those first that look best.
    fn try_ranked(&mut self, trial: &mut Trial<'_, T>, moves: &T::Moves, but: Option<T::Move>) {
        let start = self.ranked.len();
        for m in T::each(moves).filter(|&m| Some(m) != but) {
            let rank = self.evaluate(&self.tree.after(trial.node, m));
            self.ranked.push((rank, m));
        }
        // Mostly one of the first moves is enough, so they are sorted only as far as they are tried.
        for i in start..self.ranked.len() {
            let next = (i..self.ranked.len()).min_by_key(|&j| self.ranked[j].0);
            self.ranked[i..=next.unwrap_or(i)].rotate_right(1);
            if self.try_move(trial, self.ranked[i].1) {
                break;
            }
        }
        self.ranked.truncate(start);
    }

    /// What the table knows of a position.
    #[inline]
    fn remembered(&self, key: u64, depth: i32, alpha: i32, beta: i32) -> Memory {
        let (mut deepest, mut hint) = (-1, 0);
        for entry in self.table.get(key) {
            if entry.depth > deepest && entry.best != 0 {
                (deepest, hint) = (entry.depth, entry.best);
            }
            if entry.depth != depth && !(self.options.keeps && entry.depth > depth) {
                continue;
            }
            match entry.bound {
                Bound::Exact => return Memory::Value(entry.value),
                Bound::Lower if entry.value >= beta => return Memory::Value(entry.value),
                Bound::Upper if entry.value <= alpha => return Memory::Value(entry.value),
                _ => {}
            }
        }
        Memory::Hint(hint)
    }

    /// The last ply before the leaves, where the bare king moves and nothing is to be looked up: the same
    /// as for any other position, without all that does not matter there.
    #[inline]
    fn last_reply(&mut self, node: &T::Node, beta: i32) -> i32 {
        let tree = self.tree;
        let moves = tree.moves(node);
        if T::is_empty(&moves) {
            return if tree.is_check(node) { -self.mate() } else { 0 };
        }
        if tree.is_dead(node) {
            return 0;
        }
        let mut best = -INFINITE;
        for m in T::each(&moves) {
            self.nodes += 1;
            if self.is_out_of_budget() {
                return 0;
            }
            let value = -self.leaf(&tree.after(node, m));
            best = best.max(value - self.options.ageing * value.signum());
            if best >= beta {
                break;
            }
        }
        best
    }

    /// The value of a position at the end of a line in which the strong side is to move, which has a move.
    #[inline]
    fn leaf(&mut self, node: &T::Node) -> i32 {
        if self.tree.is_dead(node) {
            return 0;
        }
        self.leaves += 1;
        self.evaluate(node)
    }

    /// Searches a move and keeps it if it is the best so far. Returns whether that is enough.
    #[inline]
    fn try_move(&mut self, trial: &mut Trial<'_, T>, m: T::Move) -> bool {
        let value = self.beside(trial, m);
        if self.stopped {
            return true;
        }
        if value > trial.best {
            trial.best = value;
            trial.best_move = T::number(m);
            trial.alpha = trial.alpha.max(value);
        }
        value >= trial.beta
    }

    /// Captures only, until the position is quiet.
    fn quiescence(
        &mut self,
        node: &T::Node,
        moves: &T::Moves,
        mut alpha: i32,
        beta: i32,
        left: u32,
    ) -> i32 {
        let tree = self.tree;
        let mut best = self.evaluate(node);
        if best >= beta || left == 0 {
            return best;
        }
        alpha = alpha.max(best);
        let mut captures: Vec<(i32, T::Move)> = T::each(moves)
            .map(|m| (tree.gain(node, m), m))
            .filter(|&(gain, _)| gain > 0)
            .collect();
        captures.sort_by_key(|&(gain, _)| -gain);
        for (_, m) in captures {
            self.nodes += 1;
            if self.is_out_of_budget() {
                return 0;
            }
            let next = tree.after(node, m);
            let replies = tree.moves(&next);
            let value = if T::is_empty(&replies) {
                if tree.is_check(&next) { self.mate() } else { 0 }
            } else if tree.is_dead(&next) {
                0
            } else {
                -self.quiescence(&next, &replies, -beta, -alpha, left - 1)
            };
            if value > best {
                best = value;
                alpha = alpha.max(value);
                if value >= beta {
                    break;
                }
            }
        }
        best
    }

    #[inline]
    pub(super) fn evaluate(&self, node: &T::Node) -> i32 {
        self.options.evaluation.in_search(self.tree, node)
    }

    /// Document Y counts mate as 100 more than a draw, a little more than any other position.
    #[inline]
    fn mate(&self) -> i32 {
        match self.options.evaluation.is_document_ys() && self.options.ageing == 0 {
            true => 100 * GRAIN,
            false => MATE,
        }
    }

    /// How often the position has occurred before, in the game and along the line.
    fn occurrences(&self, key: u64, clock: u32) -> usize {
        let past = self.line.iter().rev().take(clock as usize);
        past.skip(1).step_by(2).filter(|&&past| past == key).count()
    }

    #[inline]
    fn is_out_of_budget(&mut self) -> bool {
        if self.limits.nodes.is_some_and(|nodes| self.nodes > nodes) {
            self.stopped = true;
        }
        if self.nodes & 1023 == 0
            && (self.stop.load(Ordering::Relaxed)
                || self
                    .deadline
                    .is_some_and(|deadline| Instant::now() >= deadline))
        {
            self.stopped = true;
        }
        self.stopped
    }
}
