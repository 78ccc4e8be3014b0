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
    use super::*;

    /// However long a matrix lies, its step has rows (columns, if it stands) of nearly one length that are nearly
    /// at right angles to each other.
    #[test]
    fn a_step_is_as_long_in_every_direction() {
        for (rows, columns) in [(16, 48), (48, 16)] {
            let mixed = |i: usize| ((i * 2_654_435_761) % 1009) as f32 / 1009.0 - 0.5;
            let mean: Vec<f32> = (0..rows * columns).map(mixed).collect();
            let step = orthogonal_step(&mean, &mean, columns);
            let lying = match rows > columns {
                true => transposed(&step, columns),
                false => step,
            };
            let lines: Vec<&[f32]> = lying.chunks_exact(48).collect();
            let unit = SIZE as f32 * 48_f32.sqrt();
            for (i, a) in lines.iter().enumerate() {
                for (j, b) in lines.iter().enumerate() {
                    let product: f32 = a.iter().zip(*b).map(|(a, b)| a * b).sum();
                    let product = product / (unit * unit);
                    match i == j {
                        true => assert!((0.4..1.5).contains(&product), "{product}"),
                        false => assert!(product.abs() < 0.3, "{product}"),
                    }
                }
            }
        }
    }
}
