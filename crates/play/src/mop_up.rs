//! How near is a bare king to being mated? A measure of progress that a search can climb.
//!
//! A sum of plain features, weighted by the men there are. The one that matters most is the *room*:
//! the squares the bare king can still reach, walking over squares that nobody attacks. It is the
//! box that a rook draws, the triangle that two bishops draw and the net of bishop and knight, on a
//! board of any size, without a word about rooks, bishops or nets.

use rules::{Bitboard, Board, Role, Square, attacks};

use crate::{
    bishop_and_knight,
    distance::{king_steps, manhattan},
    leaf_value::{BareKing, to_centre},
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
    /// King steps from our king to the edge.
    own_edge: i32,
    /// Men that nobody protects two steps from the bare king.
    nearly_loose: i32,
    /// The bare king has no free square: stalemate, if it were to move.
    no_square: i32,
    /// The bare king has one free square.
    one_square: i32,
    /// Manhattan distance of the bare king to the corner it is driven to: one that the bishop
    /// commands.
    right_corner: i32,
    /// How much farther from that corner our king is than the bare one, −4 to 2: it must not stand
    /// in the way.
    behind: i32,
    /// Free squares next to the bare king.
    freedom: i32,
    /// Squares the bare king can reach in two steps.
    room_in_two: i32,
    /// Squares the bare king can reach in three steps.
    room_in_three: i32,
    /// King steps between the kings beyond two.
    kings_beyond_two: i32,
    /// King steps between the kings beyond three.
    kings_beyond_three: i32,
    /// King steps from the knight to the bare king.
    knight: i32,
    /// The same beyond two.
    knight_beyond_two: i32,
    /// King steps from the knight to our king.
    knight_to_king: i32,
    /// The same beyond two.
    knight_to_king_beyond_two: i32,
    /// King steps between bishop and knight.
    apart: i32,
    /// King steps from the bare king to the edge, squared.
    edge_squared: i32,
}

const NOTHING: Weights = Weights {
    room: 0,
    kings: 0,
    kings_manhattan: 0,
    edge: 0,
    corner: 0,
    bishops: 0,
    own_edge: 0,
    nearly_loose: 0,
    no_square: 0,
    one_square: 0,
    right_corner: 0,
    behind: 0,
    freedom: 0,
    room_in_two: 0,
    room_in_three: 0,
    kings_beyond_two: 0,
    kings_beyond_three: 0,
    knight: 0,
    knight_beyond_two: 0,
    knight_to_king: 0,
    knight_to_king_beyond_two: 0,
    apart: 0,
    edge_squared: 0,
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
    own_edge: 4,
    nearly_loose: 1,
    no_square: -20,
    one_square: -6,
    ..NOTHING
};

/// Bishop and knight.
const BISHOP_AND_KNIGHT: Weights = Weights {
    kings: -7,
    edge: -6,
    right_corner: -14,
    freedom: -6,
    knight: -1,
    bishops: 1,
    own_edge: 6,
    nearly_loose: 1,
    knight_to_king: -8,
    apart: -3,
    no_square: 5,
    one_square: 2,
    kings_beyond_two: -19,
    kings_beyond_three: -5,
    knight_beyond_two: 1,
    knight_to_king_beyond_two: -10,
    edge_squared: 7,
    room_in_two: 1,
    room_in_three: -1,
    behind: 10,
    ..NOTHING
};

/// Every feature stays far below this, so that progress is always positive.
const BASE: i32 = 2_000;

/// The progress of the strong side, greater than 0. A man that hangs is no progress at all: it may
/// not be possible to save it.
#[inline]
pub(crate) fn progress(men: &BareKing) -> i32 {
    let weights = if (men.queens | men.rooks).any() {
        &HEAVY
    } else if men.knights.any() && men.bishops.any() {
        &BISHOP_AND_KNIGHT
    } else {
        &BISHOPS
    };
    let inside = men.board.squares();
    let pieces = men.queens | men.rooks | men.bishops | men.knights;
    let attacked = attacked(men, pieces);
    let free = inside & !attacked & !Bitboard::from_square(men.king);
    let near = attacks::king_attacks(men.bare);
    let loose = pieces & !attacked;
    if (loose & near).any() {
        return 1;
    }
    let mut value = BASE + material(men);
    if let Some((bishop, knight)) = bishop_and_knight(men) {
        return value - bishop_and_knight::distance(men.bare, men.king, bishop, knight);
    }
    let mut add = |weight: i32, feature: i32| value += weight * feature;
    add(weights.room, room(men, free));
    add(weights.kings, king_steps(men.king, men.bare) as i32);
    add(
        weights.kings_manhattan,
        manhattan(men.king, men.bare) as i32,
    );
    add(weights.edge, men.board.distance_to_edge(men.bare) as i32);
    add(weights.corner, to_corner(men.board, men.bare));
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
    if let (Some(knight), Some(bishop)) = (men.knights.first(), men.bishops.first()) {
        value += net(men, weights, free, knight, bishop);
    }
    value.max(1)
}

/// The features that only bishop and knight need.
#[inline]
fn net(men: &BareKing, weights: &Weights, free: Bitboard, knight: Square, bishop: Square) -> i32 {
    let mut value = 0;
    let mut add = |weight: i32, feature: i32| value += weight * feature;
    let (corner, behind) = right_corner(men, bishop);
    add(weights.right_corner, corner);
    add(weights.behind, behind);
    add(
        weights.freedom,
        (attacks::king_attacks(men.bare) & free).count() as i32,
    );
    let (two, three) = near_room(men, free);
    add(weights.room_in_two, two);
    add(weights.room_in_three, three);
    let kings = king_steps(men.king, men.bare) as i32;
    add(weights.kings_beyond_two, kings - 2);
    add(weights.kings_beyond_three, (kings - 3).max(0));
    let to_bare = king_steps(knight, men.bare) as i32;
    add(weights.knight, to_bare);
    add(weights.knight_beyond_two, (to_bare - 2).max(0));
    let to_king = king_steps(knight, men.king) as i32;
    add(weights.knight_to_king, to_king);
    add(weights.knight_to_king_beyond_two, (to_king - 2).max(0));
    add(weights.apart, king_steps(knight, bishop) as i32);
    let edge = men.board.distance_to_edge(men.bare) as i32;
    add(weights.edge_squared, edge * edge);
    value
}

/// Of the corners that the bishop commands, the one to drive to: the distance of the bare king,
/// and how far our king is behind it.
#[inline]
fn right_corner(men: &BareKing, bishop: Square) -> (i32, i32) {
    let last = men.board.size() as u32 - 1;
    let mut best = (i32::MAX, 0, 0);
    for (file, rank) in [(0, 0), (last, last), (last, 0), (0, last)] {
        let corner = Square::new(file + 8 * rank);
        if corner.is_light() != bishop.is_light() {
            continue;
        }
        let distance = manhattan(men.bare, corner) as i32;
        let behind = (manhattan(men.king, corner) as i32 - distance).clamp(-4, 2);
        let rank = 2 * distance - behind;
        if rank < best.0 {
            best = (rank, distance, behind);
        }
    }
    (best.1, best.2)
}

/// The two of KBNK on the 8×8 board, for which there are trained weights.
#[inline]
fn bishop_and_knight(men: &BareKing) -> Option<(Square, Square)> {
    if (men.queens | men.rooks).any() || !men.board.is_standard() {
        return None;
    }
    Some((men.bishops.single_square()?, men.knights.single_square()?))
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
pub(crate) fn attacked(men: &BareKing, pieces: Bitboard) -> Bitboard {
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

/// How many squares the bare king can reach in two steps and in three, its own included.
#[inline]
fn near_room(men: &BareKing, free: Bitboard) -> (i32, i32) {
    let free = free.with(men.bare).0;
    let two = step(step(1u64 << u32::from(men.bare)) & free) & free;
    let three = step(two) & free;
    (two.count_ones() as i32, three.count_ones() as i32)
}

/// A set of squares and all their neighbours.
#[inline]
pub(crate) fn step(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let row = set | (set << 1) & NOT_A | (set >> 1) & NOT_H;
    row | row << 8 | row >> 8
}

/// How many squares the bare king can reach over free ones, its own included.
#[inline]
fn room(men: &BareKing, free: Bitboard) -> i32 {
    let free = free.with(men.bare).0;
    let mut reached = 1u64 << u32::from(men.bare);
    loop {
        let next = step(reached) & free;
        if next == reached {
            return reached.count_ones() as i32;
        }
        reached = next;
    }
}

/// Files and ranks from a square to the nearest corner.
#[inline]
pub(crate) fn to_corner(board: Board, square: Square) -> i32 {
    let last = board.size() as i32 - 1;
    // Along each axis, to the corner plus to the centre is the same for every square.
    2 * (last / 2) - to_centre(board, square)
}
