//! Drawing positions of a known distance to mate from a solved signature.

use std::collections::HashSet;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::{Color, Position, Square, Symmetry};

use crate::{Solved, Verdict};

impl Solved {
    /// Different random positions of one verdict, uniform over the full board, the same for the
    /// same seed. Fewer than `count` come back when there are no more.
    pub fn sample(&self, turn: Color, verdict: Verdict, count: usize, seed: u64) -> Vec<Position> {
        let layout = &self.layout;
        let wanted = verdict.to_byte();
        let bytes = turn.fold_wb(&self.white, &self.black);
        // Running sums of weights, so that one draw finds a position by bisection.
        let mut found: Vec<(u64, usize, Square)> = Vec::new();
        let mut total = 0;
        for word in 0..layout.words {
            let values = &bytes[word * 64..][..64];
            if !values.contains(&wanted) {
                continue;
            }
            let squares = layout.squares(word);
            for king in layout.legal(turn, &squares) {
                if values[usize::from(king)] == wanted {
                    total += layout.weight(&squares);
                    found.push((total, word, king));
                }
            }
        }
        let symmetries = layout.symmetries;
        let existing = (total / layout.multiplicity()) as usize;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut seen = HashSet::new();
        let mut sample = Vec::new();
        while sample.len() < count.min(existing) {
            let draw = random.random_range(0..total);
            let (_, word, king) = found[found.partition_point(|&(sum, ..)| sum <= draw)];
            let symmetry = symmetries[random.random_range(0..symmetries.len())];
            let position = layout.position(&layout.squares(word), king, turn, symmetry);
            if seen.insert(position.fen()) {
                sample.push(position);
            }
        }
        sample
    }

    /// Every legal position with `turn` to move and its verdict, up to symmetry. A few occur twice:
    /// those whose white king stands on the diagonal, and those of equal men exchanged.
    pub fn positions(&self, turn: Color) -> impl ParallelIterator<Item = (Position, Verdict)> {
        let layout = &self.layout;
        let bytes = turn.fold_wb(&self.white, &self.black);
        (0..layout.words)
            .into_par_iter()
            .flat_map_iter(move |word| {
                let squares = layout.squares(word);
                let legal = layout.legal(turn, &squares);
                legal.into_iter().map(move |king| {
                    let position = layout.position(&squares, king, turn, Symmetry::IDENTITY);
                    (
                        position,
                        Verdict::from_byte(bytes[word * 64 + usize::from(king)]),
                    )
                })
            })
    }
}
