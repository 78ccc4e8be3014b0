//! One side's attack: from where can white force mate, and in how many plies?
//!
//! A signature is solved as two such attacks, white's and (with the colours exchanged) black's.
//! That halves the thinking: there is one winner, one loser, and every position is either won at
//! some ply or not.
//!
//! The sets are words over black's king (see [`Layout`]), and one ply is one pass over all words:
//!
//! - `escape`: white to move, legal, not yet known to be won. Black is safe as long as one of his
//!   moves leads here.
//! - `lost`: black to move, known to be lost. White wins as soon as one of her moves leads here.
//! - `open`: black to move, legal, perhaps to be lost at a later ply.
//!
//! Black's king moves are shifts of the `escape` word itself. A slider that passes over the king's
//! square is blocked for that one bit, so its contribution is masked by the squares in between.
//! Both passes only read the other side's set, so they run in parallel over chunks without locks
//! and give the same result on any number of threads.
//!
//! Captures and promotions lead to signatures that are solved already. They are looked up once, at
//! the start, and filed under the ply at which they take effect.

use rayon::prelude::*;
use rules::{Bitboard, Color, Role, Square, Symmetry, attacks};

use crate::{
    conversion::Conversions,
    layout::{Layout, Squares},
    passing::Passing,
    verdict::Verdict,
};

/// Stands for every ply too late for a byte; it marks positions like draws.
pub(crate) const LATE: u8 = Verdict::DRAW_BYTE;

/// Words per parallel task: enough to keep overhead away, few enough to balance.
const CHUNK: usize = 1024;

/// The solved attack: for each word and black king square, plies to white's mate or a draw byte.
pub(crate) struct Attack {
    /// White to move.
    pub white: Vec<u8>,
    /// Black to move.
    pub black: Vec<u8>,
}

/// An attack before its first ply.
pub(crate) struct Prepared<'a> {
    pub layout: &'a Layout,
    pub escape: Vec<u64>,
    pub open: Vec<u64>,
    pub mates: Vec<u64>,
    /// `wins[n]`: words and squares where a conversion mates in `n` plies.
    pub wins: Vec<Vec<(u32, u64)>>,
    /// `releases[n]`: words and squares where every conversion is known to lose by ply `n`.
    pub releases: Vec<Vec<(u32, u64)>>,
    pub passing: Passing,
}

/// The squares a king can reach from any square of the set.
#[inline]
fn king_spread(set: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let beside = (set << 1) & NOT_A | (set >> 1) & NOT_H;
    let row = set | beside;
    beside | row << 8 | row >> 8
}

/// Calls `visit` for every quiet move of one man that is not a white king, with the word it leads
/// to and the black king squares that do not stand in its way.
#[inline]
fn quiet_moves(
    layout: &Layout,
    word: usize,
    squares: &Squares,
    occupied: Bitboard,
    man: usize,
    mut visit: impl FnMut(usize, Square, u64),
) {
    let slot = &layout.slots[man];
    let from = squares[man];
    let here = slot.index[usize::from(from)] as usize * slot.stride;
    let target = |to: Square| word - here + slot.index[usize::from(to)] as usize * slot.stride;
    match slot.piece.role {
        Role::Pawn => {
            let (step, home) = slot.piece.color.fold_wb((8i32, 1u32), (-8, 6));
            let Some(one) = from.offset(step).filter(|&q| !occupied.contains(q)) else {
                return;
            };
            if slot.index[usize::from(one)] == u32::MAX {
                return; // the last rank: a promotion, not a quiet move
            }
            visit(target(one), one, !0);
            if u32::from(from.rank()) == home
                && let Some(two) = one.offset(step).filter(|&q| !occupied.contains(q))
            {
                visit(target(two), two, !(1u64 << u32::from(one)));
            }
        }
        Role::Knight => {
            for to in attacks::knight_attacks(from) & layout.board.squares() & !occupied {
                visit(target(to), to, !0);
            }
        }
        _ => {
            let reach = attacks::attacks(from, slot.piece, occupied);
            for to in reach & layout.board.squares() & !occupied {
                visit(target(to), to, !attacks::between(from, to).0);
            }
        }
    }
}

/// Calls `visit` for every quiet move of white's king, with the word it leads to and the symmetry
/// that turns the bits of that word back into ours.
#[inline]
fn white_king_moves(
    layout: &Layout,
    word: usize,
    squares: &Squares,
    occupied: Bitboard,
    mut visit: impl FnMut(usize, Symmetry),
) {
    let slot = &layout.slots[layout.king];
    let from = squares[layout.king];
    let here = slot.index[usize::from(from)] as usize * slot.stride;
    for to in attacks::king_attacks(from) & layout.board.squares() & !occupied {
        match slot.index[usize::from(to)] {
            u32::MAX => {
                let mut moved = *squares;
                moved[layout.king] = to;
                let (target, symmetry) = layout.locate(&moved);
                visit(target, symmetry.inverse());
            }
            index => visit(
                word - here + index as usize * slot.stride,
                Symmetry::IDENTITY,
            ),
        }
    }
}

/// Writes `ply` into the bytes of a word at the given squares.
#[inline]
pub(crate) fn mark(bytes: &mut [u8], mut set: u64, ply: u8) {
    while set != 0 {
        bytes[set.trailing_zeros() as usize] = ply;
        set &= set - 1;
    }
}

impl<'a> Prepared<'a> {
    /// Sets up the attack: legal positions, conversions, mates and stalemates.
    pub fn new(layout: &'a Layout, conversions: &Conversions<'_>) -> Prepared<'a> {
        let escape: Vec<u64> = (0..layout.words)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|word| {
                let squares = layout.squares(word);
                layout
                    .occupied(&squares)
                    .map_or(0, |o| layout.legal_white(&squares, o).0)
            })
            .collect();

        struct Part {
            open: Vec<u64>,
            mates: Vec<u64>,
            wins: Vec<Vec<(u32, u64)>>,
            releases: Vec<Vec<(u32, u64)>>,
        }
        let parts: Vec<Part> = (0..layout.words.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut part = Part {
                    open: Vec::with_capacity(CHUNK),
                    mates: Vec::with_capacity(CHUNK),
                    wins: vec![Vec::new(); 256],
                    releases: vec![Vec::new(); 256],
                };
                for word in chunk * CHUNK..((chunk + 1) * CHUNK).min(layout.words) {
                    let squares = layout.squares(word);
                    let Some(occupied) = layout.occupied(&squares) else {
                        part.open.push(0);
                        part.mates.push(0);
                        continue;
                    };
                    let found = conversions.of(&squares, occupied);
                    found.wins(Bitboard(escape[word]), |ply, set| {
                        part.wins[usize::from(ply)].push((word as u32, set));
                    });
                    let legal = layout.legal_black(&squares, occupied);
                    found.releases(legal, |ply, set| {
                        part.releases[usize::from(ply)].push((word as u32, set));
                    });
                    // Legal positions stand in `escape` as long as nothing is won: black can move
                    // wherever he can escape to now.
                    let converts = found.replies & legal;
                    let stuck = legal.0
                        & !converts.0
                        & !black_escapes(layout, word, &squares, occupied, &escape, |_, _, w| w);
                    let check = layout.attacked_by_white(&squares, occupied).0;
                    part.mates.push(stuck & check);
                    part.open.push(legal.0 & !converts.0 & !stuck);
                }
                part
            })
            .collect();

        let mut prepared = Prepared {
            layout,
            escape,
            open: Vec::with_capacity(layout.words),
            mates: Vec::with_capacity(layout.words),
            wins: vec![Vec::new(); 256],
            releases: vec![Vec::new(); 256],
            passing: Passing::default(),
        };
        for part in parts {
            prepared.open.extend(part.open);
            prepared.mates.extend(part.mates);
            for (all, some) in prepared.wins.iter_mut().zip(part.wins) {
                all.extend(some);
            }
            for (all, some) in prepared.releases.iter_mut().zip(part.releases) {
                all.extend(some);
            }
        }
        prepared.passing = conversions.passing(|word, squares, occupied| {
            let legal = layout.legal_black(squares, occupied);
            let check = layout.attacked_by_white(squares, occupied);
            let moves = conversions.of(squares, occupied).replies.0
                | black_escapes(
                    layout,
                    word,
                    squares,
                    occupied,
                    &prepared.escape,
                    |_, _, w| w,
                );
            legal.0 & !check.0 & !moves
        });
        prepared
    }

    /// Plays the attack out, ply by ply. `progress` is told each ply and how many positions it
    /// decided; when it answers `false` the work is given up.
    ///
    /// Returns `None` when given up, and an error when a mate takes more plies than a byte holds.
    pub fn solve(
        mut self,
        progress: &(dyn Fn(u16, u64) -> bool + Sync),
    ) -> Result<Option<Attack>, TooLong> {
        let layout = self.layout;
        let mut lost = std::mem::take(&mut self.mates);
        let mut attack = Attack {
            white: vec![Verdict::DRAW_BYTE; layout.words * 64],
            black: vec![Verdict::DRAW_BYTE; layout.words * 64],
        };
        let mut fresh: u64 = lost
            .par_iter()
            .zip(attack.black.par_chunks_mut(64))
            .map(|(&set, bytes)| {
                mark(bytes, set, 0);
                u64::from(set.count_ones())
            })
            .sum();
        let last_conversion = (0..256)
            .rev()
            .find(|&n| !self.wins[n].is_empty() || !self.releases[n].is_empty());
        let mut ply = 0u16;
        // Two plies without news and no conversion to come: nothing can change any more.
        let mut quiet = 0;
        while quiet < 2 || last_conversion.is_some_and(|last| usize::from(ply) <= last) {
            if !progress(ply, fresh) {
                return Ok(None);
            }
            ply += 1;
            let byte = u8::try_from(ply).map_err(|_| TooLong)?;
            if byte == Verdict::DRAW_BYTE {
                return Err(TooLong);
            }
            fresh = if ply % 2 == 1 {
                self.white_ply(&lost, &mut attack.white, byte)
            } else {
                self.black_ply(&mut lost, &mut attack.black, byte)
            };
            quiet = if fresh == 0 { quiet + 1 } else { 0 };
        }
        Ok(Some(attack))
    }

    /// Finds the positions with white to move that are won in `ply` plies.
    ///
    /// A ply that no byte holds is passed as [`LATE`]; conversions have all taken effect by then.
    pub fn white_ply(&mut self, lost: &[u64], bytes: &mut [u8], ply: u8) -> u64 {
        let layout = self.layout;
        let passing = &self.passing;
        let mut fresh = 0;
        for &(word, set) in &self.wins[usize::from(ply)] {
            let word = word as usize;
            let new = self.escape[word] & set;
            self.escape[word] &= !new;
            mark(&mut bytes[word * 64..][..64], new, ply);
            fresh += u64::from(new.count_ones());
        }
        let pieces: Vec<usize> = layout.pieces(Color::White).collect();
        fresh
            + self
                .escape
                .par_chunks_mut(CHUNK)
                .zip(bytes.par_chunks_mut(CHUNK * 64))
                .enumerate()
                .map(|(chunk, (escape, bytes))| {
                    let mut fresh = 0;
                    for (i, escape) in escape.iter_mut().enumerate() {
                        if *escape == 0 {
                            continue;
                        }
                        let word = chunk * CHUNK + i;
                        let squares = layout.squares(word);
                        let Some(occupied) = layout.occupied(&squares) else {
                            continue;
                        };
                        let mut won = 0;
                        white_king_moves(layout, word, &squares, occupied, |target, back| {
                            won |= back.bitboard(layout.board, Bitboard(lost[target])).0;
                        });
                        for &man in &pieces {
                            quiet_moves(
                                layout,
                                word,
                                &squares,
                                occupied,
                                man,
                                |target, to, free| {
                                    let set = passing.white_push(word, man, to, lost[target], ply);
                                    won |= set & free;
                                },
                            );
                        }
                        let new = won & *escape;
                        if new != 0 {
                            *escape &= !new;
                            mark(&mut bytes[i * 64..][..64], new, ply);
                            fresh += u64::from(new.count_ones());
                        }
                    }
                    fresh
                })
                .sum::<u64>()
    }

    /// Finds the positions with black to move that are lost in `ply` plies.
    pub fn black_ply(&mut self, lost: &mut [u64], bytes: &mut [u8], ply: u8) -> u64 {
        let layout = self.layout;
        let (escape, passing) = (&self.escape, &self.passing);
        // Taken, so that a ply that is passed twice (a late one) opens nothing again.
        for (word, set) in std::mem::take(&mut self.releases[usize::from(ply)]) {
            self.open[word as usize] |= set;
        }
        self.open
            .par_chunks_mut(CHUNK)
            .zip(lost.par_chunks_mut(CHUNK))
            .zip(bytes.par_chunks_mut(CHUNK * 64))
            .enumerate()
            .map(|(chunk, ((open, lost), bytes))| {
                let mut fresh = 0;
                for (i, (open, lost)) in open.iter_mut().zip(lost).enumerate() {
                    if *open == 0 {
                        continue;
                    }
                    let word = chunk * CHUNK + i;
                    let new = if *open & !king_spread(escape[word]) == 0 {
                        0 // every king has a step left: the usual case, and cheap to see
                    } else {
                        let squares = layout.squares(word);
                        let Some(occupied) = layout.occupied(&squares) else {
                            continue;
                        };
                        *open
                            & !black_escapes(
                                layout,
                                word,
                                &squares,
                                occupied,
                                escape,
                                |man, to, set| passing.black_push(word, man, to, set, ply),
                            )
                    };
                    if new != 0 {
                        *open &= !new;
                        *lost |= new;
                        mark(&mut bytes[i * 64..][..64], new, ply);
                        fresh += u64::from(new.count_ones());
                    }
                }
                fresh
            })
            .sum()
    }
}

/// The black king squares from which a quiet move leads to a position in `escape`. `passing` may
/// take away squares from a pawn's move that allows white to take it en passant.
#[inline]
pub(crate) fn black_escapes(
    layout: &Layout,
    word: usize,
    squares: &Squares,
    occupied: Bitboard,
    escape: &[u64],
    passing: impl Fn(usize, Square, u64) -> u64,
) -> u64 {
    let mut safe = king_spread(escape[word]);
    for man in layout.pieces(Color::Black) {
        quiet_moves(layout, word, squares, occupied, man, |target, to, free| {
            safe |= passing(man, to, escape[target]) & free;
        });
    }
    safe
}

/// A mate that takes more plies than a table can store.
#[derive(Debug, thiserror::Error)]
#[error("a mate takes more than 254 plies, more than a table can store")]
pub struct TooLong;
