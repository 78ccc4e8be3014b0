//! Chances of moves: scores, their logarithms, and drawing by lot.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;

use super::mlp::Mlp;

/// The logarithms of the chances of moves, given the second layer.
pub(crate) fn chances(mlp: &Mlp, second: &[f32], rows: &[u16], rows_a_move: usize) -> Vec<f32> {
    let scores = rows
        .chunks_exact(rows_a_move)
        .map(|rows| rows.iter().map(|&row| mlp.answer(second, row)).sum::<f32>());
    let mut scores: Vec<f32> = scores.collect();
    to_chances(&mut scores);
    scores
}

/// Turns scores into logarithms of chances.
pub(crate) fn to_chances(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    let whole = most + sum.ln();
    scores.iter_mut().for_each(|score| *score -= whole);
}

/// Draws a place by its chance.
pub(crate) fn draw(chances: &[f32], random: &mut ChaCha8Rng) -> usize {
    let mut left = (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0;
    for (place, &chance) in chances.iter().enumerate() {
        left -= f64::from(chance.exp());
        if left < 0.0 {
            return place;
        }
    }
    // Rounding may leave a trifle: it falls to the likeliest.
    let places = 0..chances.len();
    places
        .max_by(|&a, &b| chances[a].total_cmp(&chances[b]))
        .unwrap_or(0)
}

/// The place of the greatest number, the first of several.
pub(crate) fn likeliest(chances: &[f32]) -> usize {
    let mut best = 0;
    for (place, chance) in chances.iter().enumerate() {
        if *chance > chances[best] {
            best = place;
        }
    }
    best
}
