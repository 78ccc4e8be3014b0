//! Orthogonal steps, as Muon takes them (Jordan et al. 2024), on plain numbers.

use super::product::{Matrix, add_product};
use crate::net::muon::{AHEAD, ORTHOGONAL, REPETITIONS, SIZE};

/// The step of a matrix with rows of `columns` numbers: as long in every direction, and as large on the mean as
/// Adam's usually are. `mean` is the fading mean of its gradients.
pub(super) fn orthogonal_step(mean: &[f32], gradient: &[f32], columns: usize) -> Vec<f32> {
    let ahead = mean.iter().zip(gradient);
    let ahead: Vec<f32> = ahead
        .map(|(mean, now)| AHEAD as f32 * mean + (1.0 - AHEAD) as f32 * now)
        .collect();
    let rows = ahead.len() / columns;
    let size = SIZE * (rows.max(columns) as f64).sqrt();
    let mut step = match rows > columns {
        true => transposed(&orthogonal(transposed(&ahead, columns), rows), rows),
        false => orthogonal(ahead, columns),
    };
    step.iter_mut().for_each(|x| *x *= size as f32);
    step
}

/// A matrix that lies with all singular values near one.
fn orthogonal(mut x: Vec<f32>, columns: usize) -> Vec<f32> {
    let rows = x.len() / columns;
    let size = x.iter().map(|x| x * x).sum::<f32>().sqrt() + 1e-7;
    x.iter_mut().for_each(|x| *x /= size);
    let [a, b, c] = ORTHOGONAL.map(|factor| factor as f32);
    for _ in 0..REPETITIONS {
        let mut square = vec![0.0; rows * rows];
        let m = Matrix::new(&x, columns);
        add_product(m, m.transposed(), &mut square);
        let mut mixed = vec![0.0; rows * rows];
        let of_square = Matrix::new(&square, rows);
        add_product(of_square, of_square, &mut mixed);
        for (mixed, square) in mixed.iter_mut().zip(&square) {
            *mixed = b * square + c * *mixed;
        }
        let mut next: Vec<f32> = x.iter().map(|x| a * x).collect();
        add_product(Matrix::new(&mixed, rows), m, &mut next);
        x = next;
    }
    x
}

fn transposed(x: &[f32], columns: usize) -> Vec<f32> {
    let rows = x.len() / columns;
    let at = |column: usize| (0..rows).map(move |row| x[row * columns + column]);
    (0..columns).flat_map(at).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Whatever direction goes in, as much comes out.
    #[test]
    fn a_step_is_as_long_in_every_direction() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut numbers = |count: usize| -> Vec<f32> {
            (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
        };
        for (rows, columns) in [(16, 48), (48, 16)] {
            let mean = numbers(rows * columns);
            let step = orthogonal_step(&mean, &mean, columns);
            let lying = match rows > columns {
                true => transposed(&step, columns),
                false => step,
            };
            let unit = SIZE as f32 * 48_f32.sqrt();
            let length = |x: &[f32]| x.iter().map(|x| x * x).sum::<f32>().sqrt();
            for _ in 0..50 {
                let direction = numbers(16);
                let mut out = vec![0.0; 48];
                for (part, line) in direction.iter().zip(lying.chunks_exact(48)) {
                    out.iter_mut()
                        .zip(line)
                        .for_each(|(out, x)| *out += part * x);
                }
                let stretched = length(&out) / length(&direction) / unit;
                assert!((0.6..1.3).contains(&stretched), "{stretched}");
            }
        }
    }
}
