//! Asking a policy for its move in every position that matters.

use std::path::Path;

use rayon::prelude::*;
use rules::{Bitboard, Color, Move, Position, Role, Square, Symmetry};

use super::{CertifyError, Choosers, Decision, Stage, Undecided, journal::Journal};
use crate::layout::Layout;

/// Words surveyed between two looks at the clock, the journal and Ctrl-C.
const BATCH: usize = 256;
/// The same for a policy that is asked about many positions at once: up to 65,536 of them.
const LARGE_BATCH: usize = 1024;

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
    policy: Choosers<'_>,
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
    let size = match policy {
        Choosers::Each(_) => BATCH,
        Choosers::Many(_) => LARGE_BATCH,
    };
    while start < layout.words {
        let end = (start + size).min(layout.words);
        let (places, positions): (Vec<usize>, Vec<Position>) = (start..end)
            .into_par_iter()
            .flat_map_iter(|word| {
                let squares = layout.squares(word);
                wanted[word].into_iter().map(move |king| {
                    let position = layout.position(&squares, king, turn, Symmetry::IDENTITY);
                    ((word - start) * 64 + usize::from(king), position)
                })
            })
            .unzip();
        let mut batch = vec![PackedMove::default(); (end - start) * 64];
        for (place, m) in places.into_iter().zip(ask(policy, &positions)?) {
            batch[place] = m;
        }
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

/// Asks for a move in each position and checks that it is legal.
pub(crate) fn ask(
    policy: Choosers<'_>,
    positions: &[Position],
) -> Result<Vec<PackedMove>, CertifyError> {
    let checked = |position: &Position, decision: Decision| match position.is_legal(decision.mv) {
        true => Ok(PackedMove::new(decision)),
        false => Err(CertifyError::Illegal {
            fen: position.fen(),
            uci: position.uci(decision.mv),
        }),
    };
    match policy {
        Choosers::Each(make) => positions
            .par_iter()
            .map_init(make, |choose, position| {
                let decision = choose(position).map_err(|undecided| match undecided {
                    Undecided::Stopped => CertifyError::Stopped,
                    Undecided::Because(why) => CertifyError::Player {
                        fen: position.fen(),
                        why,
                    },
                })?;
                checked(position, decision)
            })
            .collect(),
        Choosers::Many(choose) => {
            let decisions = if positions.is_empty() {
                Vec::new()
            } else {
                choose(positions)?
            };
            if decisions.len() != positions.len() {
                return Err(CertifyError::Moves {
                    expected: positions.len(),
                    found: decisions.len(),
                });
            }
            positions
                .par_iter()
                .zip(decisions)
                .map(|(position, decision)| checked(position, decision))
                .collect()
        }
    }
}
