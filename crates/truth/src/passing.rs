//! En passant, which no table holds: the right to take lasts one move.
//!
//! A position in which a pawn may be taken in passing differs from the same placement without the
//! right only by that capture. So the passes over the words (see [`crate::attack`]) take the
//! placement's own value and correct it for the few double steps that allow a capture.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rules::{Bitboard, Color, Role, Square, attacks};

use crate::{
    conversion::{Conversions, Found, NEVER},
    layout::Squares,
    view::Change,
};

/// The double steps that allow an en passant capture, by word and pawn.
///
/// Ordered, because certificates walk through them.
#[derive(Default)]
pub(crate) struct Passing {
    pub steps: BTreeMap<(usize, usize), Step>,
}

/// One double step that allows a capture.
pub(crate) struct Step {
    pub to: Square,
    found: Found,
    /// Black has no move but the capture: without it he would be stalemated.
    stale: u64,
    /// Black king squares where the reply is a given policy's, not the best one.
    pub asked: u64,
    /// Those among `asked` where that reply is known to end in mate.
    pub settled: u64,
}

impl Passing {
    /// White's man moves to `to`; `lost` are the positions black has lost there without taking.
    /// Returns those he has lost before `ply` even if he may take in passing.
    #[inline]
    pub fn white_push(&self, word: usize, man: usize, to: Square, lost: u64, ply: u8) -> u64 {
        match self.step(word, man, to) {
            None => lost,
            Some(step) => {
                let mut refuted = 0;
                for king in step.found.replies {
                    if step.found.black[usize::from(king)] >= ply {
                        refuted |= 1 << u32::from(king);
                    }
                }
                let lost = (lost | step.stale & step.found.replies.0) & !refuted;
                lost & !step.asked | step.asked & step.settled
            }
        }
    }

    /// Black's man moves to `to`; `escape` are the positions white has not won there. Returns
    /// those she has not won before `ply` by taking in passing either.
    #[inline]
    pub fn black_push(&self, word: usize, man: usize, to: Square, escape: u64, ply: u8) -> u64 {
        match self.step(word, man, to) {
            None => escape,
            Some(step) => {
                let mut left = escape;
                for king in Bitboard(escape) {
                    if step.found.white[usize::from(king)] < ply {
                        left &= !(1 << u32::from(king));
                    }
                }
                left & !step.asked | step.asked & !step.settled
            }
        }
    }

    #[inline]
    fn step(&self, word: usize, man: usize, to: Square) -> Option<&Step> {
        if self.steps.is_empty() {
            return None;
        }
        self.steps.get(&(word, man)).filter(|step| step.to == to)
    }
}

impl Conversions<'_> {
    /// Finds the double steps that allow an en passant capture. `stalemates` tells the black king
    /// squares of a word from which black, to move, has no move and is not in check.
    pub fn passing(&self, stalemates: impl Fn(usize, &Squares, Bitboard) -> u64 + Sync) -> Passing {
        let layout = self.layout;
        let pawns = |color: Color| {
            layout
                .pieces(color)
                .filter(|&i| layout.slots[i].piece.role == Role::Pawn)
        };
        if pawns(Color::White).next().is_none() || pawns(Color::Black).next().is_none() {
            return Passing::default();
        }
        let steps: Vec<((usize, usize), Step)> = (0..layout.words)
            .into_par_iter()
            .flat_map_iter(|word| {
                let squares = layout.squares(word);
                let occupied = layout.occupied(&squares);
                let pushes: Vec<(usize, Color)> = Color::ALL
                    .into_iter()
                    .flat_map(|color| pawns(color).map(move |man| (man, color)))
                    .collect();
                let stalemates = &stalemates;
                pushes.into_iter().filter_map(move |(man, color)| {
                    let step = self.step(word, &squares, occupied?, man, color, stalemates)?;
                    Some(((word, man), step))
                })
            })
            .collect();
        Passing {
            steps: steps.into_iter().collect(),
        }
    }

    /// The double step of one pawn, when the other side may take it in passing.
    fn step(
        &self,
        word: usize,
        squares: &Squares,
        occupied: Bitboard,
        man: usize,
        color: Color,
        stalemates: &impl Fn(usize, &Squares, Bitboard) -> u64,
    ) -> Option<Step> {
        let layout = self.layout;
        let from = squares[man];
        if u32::from(from.rank()) != color.fold_wb(1, 6) {
            return None;
        }
        let middle = from.offset(color.fold_wb(8, -8))?;
        let to = middle.offset(color.fold_wb(8, -8))?;
        if occupied.contains(middle) || occupied.contains(to) {
            return None;
        }
        let view = self.view(Change {
            taken: Some(man),
            promoted: None,
        });
        let mut found = Found::nothing();
        let mut takers = 0;
        for taker in layout.pieces(!color) {
            let slot = &layout.slots[taker];
            if slot.piece.role == Role::Pawn
                && attacks::pawn_attacks(!color, squares[taker]).contains(middle)
            {
                takers += 1;
                let mut after = *squares;
                after[taker] = middle;
                // The taken pawn has left the board.
                for king in view.legal_white(layout.board, &after) {
                    if color == Color::White {
                        let ply = view.white(&after, king).map_or(NEVER, |plies| plies + 1);
                        found.black_reply(king, ply);
                    }
                }
                if color == Color::Black {
                    for king in layout.board.squares() {
                        if let Some(plies) = view.black(&after, king) {
                            found.white_try(king, plies + 1);
                        }
                    }
                }
            }
        }
        if takers == 0 {
            return None;
        }
        let slot = &layout.slots[man];
        let index = |square: Square| slot.index[usize::from(square)] as usize * slot.stride;
        let mut moved = *squares;
        moved[man] = to;
        let after = layout.occupied(&moved)?;
        let stale = stalemates(word - index(from) + index(to), &moved, after);
        Some(Step {
            to,
            found,
            stale,
            asked: 0,
            settled: 0,
        })
    }
}
