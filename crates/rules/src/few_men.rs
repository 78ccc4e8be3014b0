//! A compact form for positions of few men, for loops that play millions of games.
//!
//! [`Position`](crate::Position) serves every position of chess and pays for it: castling, pawns, clocks. A learner
//! that plays the same endgame for hours needs none of them. [`FewMen`] is six bytes that copy for
//! free; what never changes during the game — the board and the roles of the men — stands once in
//! [`FewMenRules`](crate::FewMenRules). The moves, mates and draws are the same: the tests hold every endgame here
//! against [`Position`](crate::Position).

use rand::Rng;
use shakmaty::{Bitboard, Color, Square};

/// Men besides the two kings that fit into [`FewMen`].
pub const MAX_OTHERS: usize = 3;

/// A position of at most five men without pawns.
///
/// It means nothing without the [`FewMenRules`](crate::FewMenRules) it belongs to, which know the roles of the men.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FewMen {
    /// Where white's king stands.
    pub white_king: Square,
    /// Where black's king stands.
    pub black_king: Square,
    /// Where the other men stand, in the order of [`FewMenRules::others`](crate::FewMenRules::others); `None` once taken.
    pub others: [Option<Square>; MAX_OTHERS],
    /// The side to move.
    pub turn: Color,
}

/// A move: which man goes where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FewMove {
    /// 0 is the king of the side to move, `1 + i` is man `i` of [`FewMen::others`].
    pub man: u8,
    /// Where it goes.
    pub to: Square,
}

/// The squares each man may go to: all legal moves of a position in four sets.
///
/// The order of the moves is fixed: king first, then the other men, squares from a1 to h8.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Targets {
    /// By man, numbered as in [`FewMove::man`].
    pub by_man: [Bitboard; 1 + MAX_OTHERS],
}

impl Targets {
    /// How many moves there are.
    #[inline]
    pub const fn len(&self) -> usize {
        let [a, b, c, d] = self.by_man;
        a.count() + b.count() + c.count() + d.count()
    }

    /// Is there no move?
    #[inline]
    pub const fn is_empty(&self) -> bool {
        let [a, b, c, d] = self.by_man;
        (a.0 | b.0 | c.0 | d.0) == 0
    }

    /// The move at place `n` of the fixed order.
    ///
    /// # Panics
    /// When there are not more than `n` moves.
    #[inline]
    pub fn nth(&self, mut n: usize) -> FewMove {
        for (man, set) in self.by_man.iter().enumerate() {
            let count = set.count();
            if n < count {
                return FewMove {
                    man: man as u8,
                    to: nth_square(*set, n),
                };
            }
            n -= count;
        }
        panic!("there is no such move");
    }

    /// A move drawn at random, or `None` when there is none.
    #[inline]
    pub fn random(&self, random: &mut (impl Rng + ?Sized)) -> Option<FewMove> {
        let count = self.len();
        // The upper half of a 32-bit product is uniform enough (bias below 2⁻²⁵) and needs no loop.
        (count > 0)
            .then(|| self.nth(((u64::from(random.next_u32()) * count as u64) >> 32) as usize))
    }

    /// All moves, in the fixed order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = FewMove> + use<> {
        let by_man = self.by_man;
        by_man.into_iter().enumerate().flat_map(|(man, set)| {
            set.into_iter()
                .map(move |to| FewMove { man: man as u8, to })
        })
    }

    /// Is `m` among the moves?
    pub fn contains(&self, m: FewMove) -> bool {
        self.by_man
            .get(usize::from(m.man))
            .is_some_and(|set| set.contains(m.to))
    }
}

impl FewMen {
    /// Where the king of `color` stands.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        match color {
            Color::White => self.white_king,
            Color::Black => self.black_king,
        }
    }

    /// Every occupied square.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        let mut set = bit(self.white_king) | bit(self.black_king);
        for square in self.others.into_iter().flatten() {
            set |= bit(square);
        }
        set
    }

    /// Where the man that `m` moves stands now; `None` when it has been taken.
    #[inline]
    pub fn from(&self, m: FewMove) -> Option<Square> {
        match m.man {
            0 => Some(self.king(self.turn)),
            man => *self.others.get(usize::from(man) - 1)?,
        }
    }
}

/// The square at place `n` of a set, counted from a1.
#[inline]
fn nth_square(set: Bitboard, n: usize) -> Square {
    let mut rest = set.0;
    for _ in 0..n {
        rest &= rest - 1;
    }
    Square::new(rest.trailing_zeros())
}

#[inline]
pub(crate) fn bit(square: Square) -> Bitboard {
    Bitboard::from_square(square)
}
