//! Muon and Adam over one vector of weights; as [`muon`](crate::net::muon).

use tch::{Kind, Tensor};

use super::TorchTower;
use crate::net::{
    muon::{AHEAD, EPSILON, FADE, FADE_SQUARES, ORTHOGONAL, REPETITIONS, SIZE},
    tower_trainer::{TowerRates, follow},
};

/// Weights, their averages and what the optimiser knows of their gradients.
pub(super) struct Optimiser {
    rates: TowerRates,
    pub steps: u64,
    pub weights: Tensor,
    pub averaged: Tensor,
    pub mean: Tensor,
    pub squares: Tensor,
    /// One where weights decay.
    decays: Tensor,
    /// Matrices of one size: where they begin, how many, rows, columns.
    groups: Vec<[i64; 4]>,
}

impl Optimiser {
    pub fn new(tower: &TorchTower, weights: Tensor, rates: TowerRates) -> Optimiser {
        let (mut decays, mut groups, mut at) = (Vec::new(), Vec::<[i64; 4]>::new(), 0);
        for table in &tower.tables {
            let count = table.count() as i64;
            decays.push(Tensor::full(
                [count],
                f64::from(u8::from(table.matrix)),
                (Kind::Float, tower.device),
            ));
            if table.matrix && table.name.starts_with("blocks.") {
                let rows = table.sides[0] as i64;
                let columns = count / rows;
                match groups.last_mut() {
                    Some([begin, many, r, c])
                        if [*r, *c, *begin + *many * count] == [rows, columns, at] =>
                    {
                        *many += 1;
                    }
                    _ => groups.push([at, 1, rows, columns]),
                }
            }
            at += count;
        }
        Optimiser {
            rates,
            steps: 0,
            averaged: weights.copy(),
            mean: weights.zeros_like(),
            squares: weights.zeros_like(),
            decays: Tensor::cat(&decays, 0) * rates.decay,
            groups,
            weights,
        }
    }

    /// One step against gradients.
    pub fn step(&mut self, gradient: &Tensor, rate: f64) {
        self.steps += 1;
        tch::no_grad(|| {
            let size = gradient.norm();
            let gradient = gradient * (size + 1e-6).reciprocal().clamp_max(1.0);
            let begun = |fade: f64| 1.0 - fade.powf(self.steps as f64);
            let _ = self.mean.lerp_(&gradient, 1.0 - FADE);
            let _ = self.squares.lerp_(&gradient.square(), 1.0 - FADE_SQUARES);
            let size = (&self.squares / begun(FADE_SQUARES)).sqrt_() + EPSILON;
            let mut step = &self.mean / begun(FADE) / size;
            for &[begin, count, rows, columns] in &self.groups {
                let part = |of: &Tensor| {
                    let part = of.narrow(0, begin, count * rows * columns);
                    part.view([count, rows, columns])
                };
                let ahead = part(&self.mean) * AHEAD + part(&gradient) * (1.0 - AHEAD);
                let size = SIZE * (rows.max(columns) as f64).sqrt();
                part(&step).copy_(&(orthogonal(&ahead) * size));
            }
            let _ = step.addcmul_(&self.weights, &self.decays);
            let _ = self.weights.g_add_(&(step * -rate));
            let part = follow(self.rates.average, self.steps);
            let _ = self.averaged.lerp_(&self.weights, part);
        });
    }
}

/// Matrices with all singular values near one.
fn orthogonal(matrices: &Tensor) -> Tensor {
    let tall = matrices.size()[1] > matrices.size()[2];
    let x = match tall {
        true => matrices.transpose(1, 2),
        false => matrices.shallow_clone(),
    };
    let x = x.to_kind(match x.device().is_cuda() {
        true => Kind::BFloat16,
        false => Kind::Float,
    });
    let squares = x
        .square()
        .sum_dim_intlist(Some([1, 2].as_slice()), true, None::<Kind>);
    let mut x = x / (squares.sqrt() + 1e-7);
    let [a, b, c] = ORTHOGONAL;
    for _ in 0..REPETITIONS {
        let square = x.matmul(&x.transpose(1, 2));
        let mixed = &square * b + square.matmul(&square) * c;
        x = &x * a + mixed.matmul(&x);
    }
    let x = x.to_kind(Kind::Float);
    if tall { x.transpose(1, 2) } else { x }
}
