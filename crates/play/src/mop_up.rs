//! How near is a bare king to being mated? A measure of progress that a search can climb.
//!
//! A sum of plain features, weighted by the men there are. The one that matters most is the *room*:
//! the squares the bare king can still reach, walking over squares that nobody attacks. It is the
//! box that a rook draws, the triangle that two bishops draw and the net of bishop and knight, on a
//! board of any size, without a word about rooks, bishops or nets.

use rules::{Bitboard, Role, attacks};

use crate::{
    distance::{king_steps, manhattan},
    evaluation::{BareKing, to_centre},
    tree::worth,
};

/// What a unit of each feature is worth, in hundredths of a pawn.
#[derive(Clone, Copy, Debug)]
struct Weights {
    /// Squares the bare king can reach.
    room: i32,
    /// King steps between the kings.
    kings: i32,
    /// Manhattan distance of the kings.
    kings_manhattan: i32,
    /// King steps from the bare king to the edge.
    edge: i32,
    /// Manhattan distance of the bare king to the nearest corner.
    corner: i32,
    /// King steps from the bishops to the bare king, added up.
    bishops: i32,
    /// Men that nobody protects next to the bare king.
    loose: i32,
    /// King steps from our king to the edge.
    own_edge: i32,
    /// Men that nobody protects two steps from the bare king.
    nearly_loose: i32,
    /// The bare king has no free square: stalemate, if it were to move.
    no_square: i32,
    /// The bare king has one free square.
    one_square: i32,
}

const NOTHING: Weights = Weights {
    room: 0,
    kings: 0,
    kings_manhattan: 0,
    edge: 0,
    corner: 0,
    bishops: 0,
    loose: 0,
    own_edge: 0,
    nearly_loose: 0,
    no_square: 0,
    one_square: 0,
};

/// Rooks and queens.
const HEAVY: Weights = Weights {
    room: -4,
    kings: -3,
    kings_manhattan: -1,
    edge: -5,
    corner: -3,
    ..NOTHING
};

/// Two bishops.
const BISHOPS: Weights = Weights {
    room: -3,
    kings: -4,
    edge: -5,
    corner: -4,
    bishops: 1,
    loose: -58,
    own_edge: 4,
    nearly_loose: 1,
    no_square: -20,
    one_square: -6,
    ..NOTHING
};

/// Every feature stays far below this, so that progress is always positive.
const BASE: i32 = 2_000;

/// The progress of the strong side, greater than 0; men that both hang count as lost.
#[inline]
pub(crate) fn progress(men: &BareKing) -> i32 {
    let weights = if (men.queens | men.rooks).any() {
        &HEAVY
    } else {
        &BISHOPS
    };
    let inside = men.board.squares();
    let pieces = men.queens | men.rooks | men.bishops | men.knights;
    let attacked = attacked(men, pieces);
    let free = inside & !attacked & !Bitboard::from_square(men.king);
    let near = attacks::king_attacks(men.bare);
    let loose = pieces & !attacked;
    let hanging = (loose & near).count() as i32;
    let mut value = BASE + material(men);
    if hanging > 1 {
        return 1;
    }
    let mut add = |weight: i32, feature: i32| value += weight * feature;
    add(weights.loose, hanging);
    add(weights.room, room(men, free));
    add(weights.kings, king_steps(men.king, men.bare) as i32);
    add(
        weights.kings_manhattan,
        manhattan(men.king, men.bare) as i32,
    );
    add(weights.edge, men.board.distance_to_edge(men.bare) as i32);
    add(weights.corner, to_corner(men));
    if men.rooks.is_empty() && men.queens.is_empty() {
        let steps = |set: Bitboard| {
            set.into_iter()
                .map(|square| king_steps(square, men.bare) as i32)
                .sum::<i32>()
        };
        add(weights.bishops, steps(men.bishops));
        add(
            weights.own_edge,
            men.board.distance_to_edge(men.king) as i32,
        );
        let two_away = loose
            .into_iter()
            .filter(|&square| king_steps(square, men.bare) == 2)
            .count();
        add(weights.nearly_loose, two_away as i32);
        match (near & free).count() {
            0 => add(weights.no_square, 1),
            1 => add(weights.one_square, 1),
            _ => {}
        }
    }
    value.max(1)
}

/// More men are progress, too: a promoted piece must not be given back.
fn material(men: &BareKing) -> i32 {
    let count = |role, set: Bitboard| worth(role) * set.count() as i32;
    count(Role::Queen, men.queens)
        + count(Role::Rook, men.rooks)
        + count(Role::Bishop, men.bishops)
        + count(Role::Knight, men.knights)
}

/// The squares the strong side attacks; the bare king does not block a ray it flees along.
#[inline]
fn attacked(men: &BareKing, pieces: Bitboard) -> Bitboard {
    let occupied = pieces.with(men.king);
    let mut set = attacks::king_attacks(men.king);
    for square in men.queens {
        set |= attacks::queen_attacks(square, occupied);
    }
    for square in men.rooks {
        set |= attacks::rook_attacks(square, occupied);
    }
    for square in men.bishops {
        set |= attacks::bishop_attacks(square, occupied);
    }
    for square in men.knights {
        set |= attacks::knight_attacks(square);
    }
    set
}

/// How many squares the bare king can reach over free ones, its own included.
#[inline]
fn room(men: &BareKing, free: Bitboard) -> i32 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let free = free.with(men.bare).0;
    let mut reached = 1u64 << u32::from(men.bare);
    loop {
        let row = reached | (reached << 1) & NOT_A | (reached >> 1) & NOT_H;
        let next = (row | row << 8 | row >> 8) & free;
        if next == reached {
            return reached.count_ones() as i32;
        }
        reached = next;
    }
}

#[inline]
fn to_corner(men: &BareKing) -> i32 {
    let last = men.board.size() as i32 - 1;
    // Along each axis, to the corner plus to the centre is the same for every square.
    2 * (last / 2) - to_centre(men.board, men.bare)
}
