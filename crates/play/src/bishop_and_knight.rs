//! The distance to mate with bishop and knight on the 8×8 board, guessed by a small network.
//!
//! Mating with bishop and knight is too long and too crooked for a few round numbers: the bare king
//! must be driven out of the wrong corner and along the edge into the right one, and lets go at the
//! smallest slip. So this evaluation was learned. A table learned the endgame by self-play (the
//! recipe `two-bounds` of the crate `learn`, which sees no exact answers), and this network, far
//! smaller than the table, learned from it to guess white's moves to mate. It is wrong by about a
//! move; the search makes up for that. `crates/learn/examples/bishop_and_knight.rs` makes the file
//! of weights again.
//!
//! One hidden layer: each of six inputs chooses a row of weights, the rows are added up, what is
//! negative becomes zero, and a last row makes one number of it.

use rules::Square;

/// Neurons of the hidden layer.
pub const HIDDEN: usize = 16;

/// Rows of weights, by input.
const ROWS: [usize; INPUTS] = [
    CLASSES * 64, // the bare king's square and our king's
    CLASSES * 64, // … and the knight's
    CLASSES * 32, // … and the bishop's, which sees half of the board
    225,          // from our king to the knight
    225,          // from our king to the bishop
    225,          // from the knight to the bishop
];

/// Active inputs of every position.
pub const INPUTS: usize = 6;

/// Squares of the bare king that symmetry cannot bring onto one another.
const CLASSES: usize = 20;

/// All rows together.
pub const ALL_ROWS: usize = {
    let (mut sum, mut i) = (0, 0);
    while i < INPUTS {
        sum += ROWS[i];
        i += 1;
    }
    sum
};

/// Weights of the hidden layer are stored in units of 1 / `SCALE`, those of the last row too.
pub const SCALE: f32 = 32.0;

/// The guess is counted in units of 1 / `FRACTION` of a move.
pub const FRACTION: i32 = 16;

/// Bytes of the file: the rows, the last row, its constant (two bytes, the lower first).
pub const BYTES: usize = ALL_ROWS * HIDDEN + HIDDEN + 2;

static WEIGHTS: &[u8; BYTES] = include_bytes!("bishop_and_knight.weights");

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

/// White's moves to mate, white to move, in units of 1 / [`FRACTION`].
#[inline]
pub(crate) fn distance(bare: Square, king: Square, bishop: Square, knight: Square) -> i32 {
    let mut sums = [0i16; HIDDEN];
    for row in inputs(bare, king, bishop, knight) {
        let row = &WEIGHTS[row * HIDDEN..][..HIDDEN];
        for (sum, &weight) in sums.iter_mut().zip(row) {
            *sum += i16::from(weight as i8);
        }
    }
    let last = &WEIGHTS[ALL_ROWS * HIDDEN..];
    let mut out = i32::from(i16::from_le_bytes([last[HIDDEN], last[HIDDEN + 1]]));
    for (&sum, &weight) in sums.iter().zip(last) {
        out += i32::from(sum.max(0)) * i32::from(weight as i8);
    }
    out * FRACTION / (SCALE * SCALE) as i32
}

/// The rows that a position chooses.
#[inline]
pub fn inputs(bare: Square, king: Square, bishop: Square, knight: Square) -> [usize; INPUTS] {
    let [bare, king, bishop, knight] = normal([bare, king, bishop, knight]);
    let class = usize::from(CLASS[bare]);
    let mut rows = [
        class * 64 + king,
        class * 64 + knight,
        class * 32 + bishop / 2,
        offset(king, knight),
        offset(king, bishop),
        offset(knight, bishop),
    ];
    let mut start = 0;
    for (row, size) in rows.iter_mut().zip(ROWS) {
        *row += start;
        start += size;
    }
    rows
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

/// The files and ranks from one square to another.
#[inline]
fn offset(from: usize, to: usize) -> usize {
    let files = 7 + (to & 7) - (from & 7);
    let ranks = 7 + (to >> 3) - (from >> 3);
    15 * ranks + files
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
