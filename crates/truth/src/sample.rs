//! Drawing positions of a known distance to mate from a solved signature.

use std::collections::HashSet;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::{Bitboard, Color, Piece, Position, Square, Symmetry};

use crate::{Solved, Verdict, layout::Squares};

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
            let Some(occupied) = layout.occupied(&squares) else {
                continue;
            };
            let legal = turn.fold_wb(
                layout.legal_white(&squares, occupied),
                layout.legal_black(&squares, occupied),
            );
            for king in legal {
                if values[usize::from(king)] == wanted {
                    total += layout.weight(&squares);
                    found.push((total, word, king));
                }
            }
        }
        let symmetries = self.symmetries();
        let existing = (total / layout.multiplicity()) as usize;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut seen = HashSet::new();
        let mut sample = Vec::new();
        while sample.len() < count.min(existing) {
            let draw = random.random_range(0..total);
            let (_, word, king) = found[found.partition_point(|&(sum, ..)| sum <= draw)];
            let symmetry = symmetries[random.random_range(0..symmetries.len())];
            let position = self.position(&layout.squares(word), king, turn, symmetry);
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
                let legal = layout
                    .occupied(&squares)
                    .map_or(Bitboard::EMPTY, |occupied| {
                        turn.fold_wb(
                            layout.legal_white(&squares, occupied),
                            layout.legal_black(&squares, occupied),
                        )
                    });
                legal.into_iter().map(move |king| {
                    let position = self.position(&squares, king, turn, Symmetry::IDENTITY);
                    (
                        position,
                        Verdict::from_byte(bytes[word * 64 + usize::from(king)]),
                    )
                })
            })
    }

    fn symmetries(&self) -> &'static [Symmetry] {
        if self.layout.material.has_pawns() {
            &Symmetry::WITH_PAWNS
        } else {
            &Symmetry::ALL
        }
    }

    /// The position of a word and a black king square, seen through a symmetry.
    pub(crate) fn position(
        &self,
        squares: &Squares,
        king: Square,
        turn: Color,
        symmetry: Symmetry,
    ) -> Position {
        let layout = &self.layout;
        let men = layout
            .slots
            .iter()
            .map(|slot| slot.piece)
            .zip(squares.iter().copied());
        let pieces = men
            .chain(std::iter::once((Color::Black.king(), king)))
            .map(|(piece, square): (Piece, Square)| (layout.image(symmetry, square), piece));
        Position::from_pieces(layout.board, pieces, turn).expect("the table says it is legal")
    }
}
