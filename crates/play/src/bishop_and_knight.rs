//! Progress with bishop and knight on the 8×8 board: nine tables of weights, added up.
//!
//! Mating with bishop and knight is too long and too crooked for a few round numbers: the bare king
//! must be driven out of the wrong corner and along the edge into the right one, and lets go at the
//! smallest slip. So the weights were trained, but neither from games nor from exact tables: they
//! were changed until from every position the search can force progress, which is what makes a
//! player that follows them mate (see [`search`](crate::search)). `examples/bishop_and_knight.rs`
//! makes the file again, and says how.

use rules::{Bitboard, Square};

use crate::{
    distance::king_steps,
    evaluation::BareKing,
    mop_up::{near_room, room},
};

/// Entries of each table, in the order of the file.
const SIZES: [usize; 9] = [
    CLASSES * 64, // the bare king's square and our king's
    CLASSES * 64, // … and the knight's
    CLASSES * 64, // … and the bishop's
    64 * 8,       // from our king to the knight, and the distance of the kings
    64,           // from our king to the bishop
    9,            // free squares next to the bare king
    26,           // squares it can reach in three steps
    64 * 8,       // from the knight to the bishop, and the knight's distance to the bare king
    50,           // the squares it can reach at all
];

/// Squares of the bare king that symmetry cannot bring onto one another.
const CLASSES: usize = 20;

/// Two bytes for each entry, the lower first.
const WEIGHTS: &[u8; 2 * ENTRIES] = include_bytes!("bishop_and_knight.weights");

const ENTRIES: usize = {
    let (mut sum, mut i) = (0, 0);
    while i < SIZES.len() {
        sum += SIZES[i];
        i += 1;
    }
    sum
};

/// By square, for squares in the triangle below the diagonals a1–h8 and a8–h1.
const CLASS: [u8; 64] = {
    let mut classes = [u8::MAX; 64];
    let (mut square, mut next) = (0, 0);
    while square < 64 {
        let (file, rank) = (square & 7, square >> 3);
        if file + rank <= 7 && rank <= file {
            classes[square] = next;
            next += 1;
        }
        square += 1;
    }
    classes
};

/// The progress of bishop and knight, more or less than 0. Nothing may hang.
#[inline]
pub(crate) fn progress(men: &BareKing, bishop: Square, knight: Square, free: Bitboard) -> i32 {
    let [bare, king, bishop_image, knight_image] = normal([men.bare, men.king, bishop, knight]);
    let class = 64 * usize::from(CLASS[bare]);
    let freedom = (rules::attacks::king_attacks(men.bare) & free).count();
    let (_, three) = near_room(men, free);
    let indices = [
        class + king,
        class + knight_image,
        class + bishop_image,
        8 * offset(king, knight_image) + king_steps(men.king, men.bare) as usize,
        offset(king, bishop_image),
        freedom,
        three.min(25) as usize,
        8 * offset(knight_image, bishop_image) + king_steps(knight, men.bare) as usize,
        room(men, free).min(49) as usize,
    ];
    let (mut sum, mut start) = (0, 0);
    for (index, size) in indices.into_iter().zip(SIZES) {
        let at = 2 * (start + index);
        sum += i32::from(i16::from_le_bytes([WEIGHTS[at], WEIGHTS[at + 1]]));
        start += size;
    }
    sum
}

/// The image in which the bishop runs on dark squares and the bare king stands in the triangle
/// below both diagonals; of two such images the one with the lower squares.
#[inline]
fn normal(squares: [Square; 4]) -> [usize; 4] {
    let mirrored = if squares[2].is_light() { 7 } else { 0 };
    let mut image = squares.map(|square| usize::from(square) ^ mirrored);
    let transposed = |square: usize| square >> 3 | (square & 7) << 3;
    let sum = (image[0] & 7) + (image[0] >> 3);
    if sum > 7 {
        image = image.map(|square| 63 - square);
    }
    if image[0] >> 3 > image[0] & 7 {
        image = image.map(transposed);
    }
    // On a diagonal, a reflection leaves the bare king where it is.
    if sum == 7 {
        image = image.min(image.map(|square| 63 - transposed(square)));
        if image[0] >> 3 > image[0] & 7 {
            image = image.map(transposed);
        }
    }
    if image[0] >> 3 == image[0] & 7 {
        image = image.min(image.map(transposed));
    }
    image
}

/// The files and ranks between two squares, the greater number first.
#[inline]
fn offset(a: usize, b: usize) -> usize {
    let (files, ranks) = ((a & 7).abs_diff(b & 7), (a >> 3).abs_diff(b >> 3));
    8 * files.max(ranks) + files.min(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Board, Color, RandomPositions, Role, Symmetry};

    #[test]
    fn all_images_of_a_position_have_one_normal_form() {
        let positions = RandomPositions::new(
            "KBNK".parse().unwrap(),
            Board::STANDARD,
            Some(Color::White),
            1,
        );
        for position in positions.take(2000) {
            let men = position.men();
            let one = |role: Role| men.by_role(role).first().unwrap();
            let squares = [
                position.king(Color::Black),
                position.king(Color::White),
                one(Role::Bishop),
                one(Role::Knight),
            ];
            let form = normal(squares);
            assert!(CLASS[form[0]] < CLASSES as u8);
            for symmetry in Symmetry::ALL {
                let image = squares.map(|square| symmetry.square(Board::STANDARD, square));
                assert_eq!(normal(image), form, "{position}");
            }
        }
    }
}
