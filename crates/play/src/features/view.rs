//! A position with a bare king, as features see it.

use rules::{Bitboard, FewMen, FewMenRules, Role, Square};

use super::corner::FromCorner;
use crate::{
    distance::king_steps,
    evaluation::BareKing,
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
    /// Bishop and knight: the position as seen from the right corner.
    pub(super) from_corner: FromCorner,
}

/// What features must be told besides where the men stand. Finding it out takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Needs {
    /// What the pieces attack.
    pub attacks: bool,
    /// How it looks from the right corner.
    pub from_corner: bool,
}

impl View {
    /// `None` when no piece is left, or the position has none to mate with.
    #[inline]
    pub(crate) fn of(men: &BareKing) -> Option<View> {
        let all = Needs {
            attacks: true,
            from_corner: true,
        };
        View::with(men, all)
    }

    /// The same for features that need no more than this.
    #[inline]
    pub(crate) fn with(men: &BareKing, needs: Needs) -> Option<View> {
        let heavy = men.queens | men.rooks;
        let pieces = heavy | men.bishops | men.knights;
        let attacked = if needs.attacks {
            mop_up::attacked(men, pieces)
        } else {
            Bitboard::EMPTY
        };
        let mut first = (heavy | men.bishops).first().or(men.knights.first())?;
        let mut second = pieces.without(first).last().unwrap_or(first);
        if men.bishops.contains(second) {
            let nearness = |bishop| {
                (
                    king_steps(bishop, men.bare),
                    offset(bishop, men.bare),
                    offset(bishop, men.king),
                )
            };
            if nearness(second) < nearness(first) {
                (first, second) = (second, first);
            }
        }
        Some(View {
            king: men.king,
            bare: men.bare,
            first,
            second,
            queens: men.queens,
            rooks: men.rooks,
            bishops: men.bishops,
            pieces,
            attacked,
            from_corner: match needs.from_corner {
                true => FromCorner::new(men.bare, men.king, first, second),
                false => FromCorner::default(),
            },
        })
    }

    /// The view of a position of `rules`, white being the strong side; `None` when no piece is left.
    pub fn of_few_men(rules: &FewMenRules, men: FewMen) -> Option<View> {
        let mut sets = [Bitboard::EMPTY; 4];
        for (square, piece) in men.others.iter().zip(rules.others()) {
            if let (Some(square), Some(piece)) = (square, piece) {
                let set = match piece.role {
                    Role::Queen => 0,
                    Role::Rook => 1,
                    Role::Bishop => 2,
                    _ => 3,
                };
                sets[set].add(*square);
            }
        }
        let [queens, rooks, bishops, knights] = sets;
        View::of(&BareKing {
            board: rules.board(),
            strong: rules::Color::White,
            king: men.white_king,
            bare: men.black_king,
            queens,
            rooks,
            bishops,
            knights,
            pawns: Bitboard::EMPTY,
        })
    }

    /// The squares that the bare king may walk over, its own included.
    #[inline]
    pub(super) fn free(&self) -> u64 {
        (!self.attacked & !Bitboard::from_square(self.king))
            .with(self.bare)
            .0
    }

    /// The squares that the bare king can reach in so many steps if nobody else moves.
    #[inline]
    pub(super) fn reach(&self, steps: usize) -> u64 {
        let (free, mut reached) = (self.free(), 1 << u32::from(self.bare));
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
