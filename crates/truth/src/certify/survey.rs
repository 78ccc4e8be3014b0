//! Asking a policy for its move in every position that matters.

use std::path::Path;

use rayon::prelude::*;
use rules::{Bitboard, Color, Move, Position, Role, Square, Symmetry};

use super::{CertifyError, Decision, Policy, Stage, Undecided, journal::Journal};
use crate::layout::Layout;

/// Words surveyed between two looks at the clock, the journal and Ctrl-C.
const BATCH: usize = 256;

/// A move in sixteen bits: from, to, promotion, and whether the policy has never seen the position.
/// Zero stands for no move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PackedMove(pub u16);

const UNVISITED: u16 = 1 << 15;

impl PackedMove {
    pub fn new(decision: Decision) -> PackedMove {
        let m = decision.mv;
        let from = m.from().map_or(0, u16::from);
        let promotion = m.promotion().map_or(0, |role| role as u16);
        let unvisited = if decision.unvisited { UNVISITED } else { 0 };
        PackedMove(from | u16::from(m.to()) << 6 | promotion << 12 | unvisited)
    }

    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    pub fn from(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    pub fn promotion(self) -> Option<Role> {
        Role::ALL
            .into_iter()
            .find(|&role| role as u16 == self.0 >> 12 & 7)
    }

    pub fn is_unvisited(self) -> bool {
        self.0 & UNVISITED != 0
    }

    /// The same move among the legal ones of a position.
    pub fn in_position(self, position: &Position) -> Option<Move> {
        position.legal_moves().into_iter().find(|m| {
            m.from() == Some(self.from())
                && m.to() == self.to()
                && m.promotion() == self.promotion()
        })
    }
}

/// A policy's moves: one for each word and black king square that was asked for.
pub(crate) struct Survey {
    pub moves: Vec<PackedMove>,
}

/// Asks `policy` for a move wherever `wanted` says so: black king squares by word.
pub(crate) fn survey(
    layout: &Layout,
    turn: Color,
    wanted: &[Bitboard],
    policy: Policy<'_>,
    journal: Option<&Path>,
    progress: &(dyn Fn(Stage) -> bool + Sync),
) -> Result<Survey, CertifyError> {
    let count = |words: &[Bitboard]| words.iter().map(|kings| kings.count() as u64).sum::<u64>();
    let total = count(wanted);
    let mut journal = journal.map(Journal::open).transpose()?;
    let mut moves: Vec<PackedMove> = match &mut journal {
        Some(journal) => journal.take_moves(),
        None => Vec::new(),
    };
    // A batch is the unit of the journal, so what it held ends with a whole batch.
    moves.truncate(layout.words * 64);
    let mut start = moves.len() / 64;
    let mut asked = count(&wanted[..start]);
    while start < layout.words {
        let end = (start + BATCH).min(layout.words);
        let batch: Vec<[PackedMove; 64]> = (start..end)
            .into_par_iter()
            .map_init(policy, |choose, word| {
                let mut chosen = [PackedMove::default(); 64];
                let kings = wanted[word];
                if kings.any() {
                    let squares = layout.squares(word);
                    for king in kings {
                        let position = layout.position(&squares, king, turn, Symmetry::IDENTITY);
                        chosen[usize::from(king)] = ask(choose, &position)?;
                    }
                }
                Ok(chosen)
            })
            .collect::<Result<_, CertifyError>>()?;
        let batch: Vec<PackedMove> = batch.into_iter().flatten().collect();
        if let Some(journal) = &mut journal {
            journal.append(&batch)?;
        }
        moves.extend(batch);
        asked += count(&wanted[start..end]);
        start = end;
        if !progress(Stage::Asking {
            material: layout.material,
            asked,
            total,
        }) {
            return Err(CertifyError::Stopped);
        }
    }
    Ok(Survey { moves })
}

/// Asks for one move and checks that it is legal.
pub(crate) fn ask(
    choose: &mut super::Chooser<'_>,
    position: &Position,
) -> Result<PackedMove, CertifyError> {
    let decision = choose(position).map_err(|undecided| match undecided {
        Undecided::Stopped => CertifyError::Stopped,
        Undecided::Because(why) => CertifyError::Player {
            fen: position.fen(),
            why,
        },
    })?;
    if !position.is_legal(decision.mv) {
        return Err(CertifyError::Illegal {
            fen: position.fen(),
            uci: position.uci(decision.mv),
        });
    }
    Ok(PackedMove::new(decision))
}
