//! A position with a bare king, as features see it.

use rules::{Bitboard, Color, FewMen, FewMenRules, Square};

use super::corner::FromCorner;
use crate::{
    distance::king_steps,
    leaf_value::BareKing,
    mop_up::{self, step},
};

/// A position as features see it.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub(super) king: Square,
    pub(super) bare: Square,
    /// The first piece: queen, rook, or the bishop nearer to the bare king.
    pub(super) first: Square,
    /// The second: the knight, or the farther bishop. The first again where there is none.
    pub(super) second: Square,
    pub(super) queens: Bitboard,
    pub(super) rooks: Bitboard,
    pub(super) bishops: Bitboard,
    pub(super) pieces: Bitboard,
    /// What the strong side attacks; the bare king does not block a ray that it flees along.
    pub(super) attacked: Bitboard,
    /// The squares that the bare king can reach in three steps if nobody else moves, and in five.
    pub(super) in_three: u64,
    pub(super) in_five: u64,
    /// Bishop and knight: the position as seen from the right corner.
    pub(super) from_corner: FromCorner,
}

/// What features must be told besides where the men stand. Finding it out takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Needs {
    /// What the pieces attack.
    pub attacks: bool,
    /// How far the bare king gets.
    pub reach: bool,
    /// How it looks from the right corner.
    pub from_corner: bool,
}

/// Two men who alone decide the value of many a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pair {
    /// Our king and the bare one.
    Kings,
    /// The first piece and the bare king.
    FirstAndBare,
    /// The first piece and our king.
    FirstAndKing,
}

impl Pair {
    pub const ALL: [Pair; 3] = [Pair::Kings, Pair::FirstAndBare, Pair::FirstAndKing];
}

/// The men that pairs are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trio {
    king: Square,
    bare: Square,
    first: Square,
}

impl Trio {
    #[inline]
    pub fn new(king: Square, bare: Square, first: Square) -> Trio {
        Trio { king, bare, first }
    }

    /// `None` when no piece is left.
    #[inline]
    pub fn of(men: &BareKing) -> Option<Trio> {
        Some(Trio {
            king: men.king,
            bare: men.bare,
            first: first_and_second(men)?.0,
        })
    }

    /// Where the two of a pair stand.
    #[inline]
    pub fn squares(&self, pair: Pair) -> (Square, Square) {
        match pair {
            Pair::Kings => (self.king, self.bare),
            Pair::FirstAndBare => (self.first, self.bare),
            Pair::FirstAndKing => (self.first, self.king),
        }
    }
}

/// The first piece and the second, which [`View`] explains.
#[inline]
fn first_and_second(men: &BareKing) -> Option<(Square, Square)> {
    let leading = men.queens | men.rooks | men.bishops;
    let pieces = leading | men.knights;
    let first = leading.first().or(men.knights.first())?;
    let second = pieces.without(first).last().unwrap_or(first);
    if men.bishops.contains(second) {
        let nearness = |bishop| {
            (
                king_steps(bishop, men.bare),
                offset(bishop, men.bare),
                offset(bishop, men.king),
            )
        };
        if nearness(second) < nearness(first) {
            return Some((second, first));
        }
    }
    Some((first, second))
}

impl View {
    /// Enough of a position for the features of a pair; `None` where two men cannot stand.
    pub(crate) fn of_pair(pair: Pair, one: Square, other: Square) -> Option<View> {
        let nearest = if pair == Pair::Kings { 2 } else { 1 };
        if king_steps(one, other) < nearest {
            return None;
        }
        // Who is not of the pair is never asked for.
        let (king, bare, first) = match pair {
            Pair::Kings => (one, other, one),
            Pair::FirstAndBare => (one, other, one),
            Pair::FirstAndKing => (other, other, one),
        };
        Some(View {
            king,
            bare,
            first,
            second: first,
            queens: Bitboard::EMPTY,
            rooks: Bitboard::EMPTY,
            bishops: Bitboard::EMPTY,
            pieces: Bitboard::EMPTY,
            attacked: Bitboard::EMPTY,
            in_three: 0,
            in_five: 0,
            from_corner: FromCorner::default(),
        })
    }

    /// The men that pairs are made of.
    #[inline]
    pub(crate) fn trio(&self) -> Trio {
        let View {
            king, bare, first, ..
        } = *self;
        Trio { king, bare, first }
    }

    /// `None` when no piece is left, or the position has none to mate with.
    #[inline]
    pub(crate) fn of(men: &BareKing) -> Option<View> {
        let all = Needs {
            attacks: true,
            reach: true,
            from_corner: true,
        };
        View::with(men, all)
    }

    /// The same for features that need no more than this.
    #[inline]
    pub(crate) fn with(men: &BareKing, needs: Needs) -> Option<View> {
        let pieces = men.queens | men.rooks | men.bishops | men.knights;
        let attacked = if needs.attacks {
            mop_up::attacked(men, pieces)
        } else {
            Bitboard::EMPTY
        };
        let (first, second) = first_and_second(men)?;
        let mut view = View {
            king: men.king,
            bare: men.bare,
            first,
            second,
            queens: men.queens,
            rooks: men.rooks,
            bishops: men.bishops,
            pieces,
            attacked,
            in_three: 0,
            in_five: 0,
            from_corner: match needs.from_corner {
                true => FromCorner::new(men.bare, men.king, first, second),
                false => FromCorner::default(),
            },
        };
        if needs.reach {
            view.in_three = view.reach(1 << u32::from(men.bare), 3);
            view.in_five = view.reach(view.in_three, 2);
        }
        Some(view)
    }

    /// The view of a position of `rules`, white being the strong side; `None` when no piece is left.
    pub fn of_few_men(rules: &FewMenRules, men: FewMen) -> Option<View> {
        View::of(&BareKing::of_few_men(rules, Color::White, men)?)
    }

    /// The squares that the bare king may walk over, its own included.
    #[inline]
    pub(super) fn free(&self) -> u64 {
        (!self.attacked & !Bitboard::from_square(self.king))
            .with(self.bare)
            .0
    }

    /// The squares that the bare king can reach from some others in so many steps if nobody else moves.
    #[inline]
    pub(super) fn reach(&self, mut reached: u64, steps: usize) -> u64 {
        let free = self.free();
        for _ in 0..steps {
            reached = step(reached) & free;
        }
        reached
    }

    /// Behind and aside, seen from the edge that the bare king is nearest to.
    #[inline]
    pub(super) fn behind_edge(&self, square: Square) -> (i32, i32) {
        let (bare, square) = (u32::from(self.bare) as i32, u32::from(square) as i32);
        let along = |shift: i32| {
            let (b, s) = (bare >> shift & 7, square >> shift & 7);
            let inwards = if b < 4 { s - b } else { b - s };
            (b.min(7 - b), inwards)
        };
        let ((file_edge, file), (rank_edge, rank)) = (along(0), along(3));
        match file_edge.cmp(&rank_edge) {
            std::cmp::Ordering::Less => (file, rank.abs()),
            std::cmp::Ordering::Greater => (rank, file.abs()),
            // Two edges are equally near: the one that shows the man farther behind.
            std::cmp::Ordering::Equal => (file.max(rank), file.min(rank).abs()),
        }
    }
}

/// Differences of files and ranks, up to symmetry: 36 classes.
#[inline]
fn offset(a: Square, b: Square) -> i32 {
    let (a, b) = (u32::from(a) as i32, u32::from(b) as i32);
    let (files, ranks) = (((a & 7) - (b & 7)).abs(), ((a >> 3) - (b >> 3)).abs());
    let (low, high) = (files.min(ranks), files.max(ranks));
    high * (high + 1) / 2 + low
}
