//! Attention between the squares of one board.

use super::{
    SQUARES, Tables,
    convolution::{Convolution, Map},
};
use crate::{LearnError, net::TowerShape};

/// Attention between squares, and two layers on each.
#[derive(Clone, Debug)]
pub(super) struct Attention {
    look_norm: LayerNorm,
    look: Convolution,
    gather: Convolution,
    /// For each head, what is added for each of the 225 ways from a square to another.
    distances: Vec<f32>,
    widen_norm: LayerNorm,
    widen: Convolution,
    narrow: Convolution,
    width: usize,
    heads: usize,
    hidden: usize,
}

/// Numbers of a square brought to mean 0 and variance 1, then scaled and moved.
#[derive(Clone, Debug)]
pub(super) struct LayerNorm {
    gamma: Vec<f32>,
    beta: Vec<f32>,
}

impl LayerNorm {
    pub fn new(tables: &Tables<'_>, name: &str, width: usize) -> Result<LayerNorm, LearnError> {
        let part = |part: &str| tables.get(&format!("{name}.{part}"), width);
        Ok(LayerNorm {
            gamma: part("gamma")?.to_vec(),
            beta: part("beta")?.to_vec(),
        })
    }

    pub fn apply(&self, map: &mut Map) {
        let width = self.gamma.len();
        for square in 0..SQUARES {
            let numbers = &mut map.square_mut(square)[..width];
            let mean = numbers.iter().sum::<f32>() / width as f32;
            numbers.iter_mut().for_each(|x| *x -= mean);
            let variance = numbers.iter().map(|x| x * x).sum::<f32>() / width as f32;
            let scale = 1.0 / (variance + super::EPSILON).sqrt();
            let parts = self.gamma.iter().zip(&self.beta);
            for (x, (gamma, beta)) in numbers.iter_mut().zip(parts) {
                *x = *x * scale * gamma + beta;
            }
        }
    }
}

impl Attention {
    /// The attention whose tables' names begin with `block`.
    pub fn new(
        tables: &Tables<'_>,
        block: &str,
        shape: &TowerShape,
    ) -> Result<Attention, LearnError> {
        let (width, hidden) = (shape.width, shape.hidden);
        let name = |part: &str| format!("{block}{part}");
        Ok(Attention {
            look_norm: LayerNorm::new(tables, &name("look_norm"), width)?,
            look: tables.on_squares(&name("look"), width, 3 * width)?,
            gather: tables.on_squares(&name("gather"), width, width)?,
            distances: tables.get(&name("distances"), shape.heads * 225)?.to_vec(),
            widen_norm: LayerNorm::new(tables, &name("widen_norm"), width)?,
            widen: tables.on_squares(&name("widen"), width, hidden)?,
            narrow: tables.on_squares(&name("narrow"), hidden, width)?,
            width,
            heads: shape.heads,
            hidden,
        })
    }

    /// Works it out in place.
    pub fn apply(&self, now: &mut Map) {
        let mut normed = now.clone();
        self.look_norm.apply(&mut normed);
        let mut looked = Map::new(3 * self.width);
        self.look.apply(&normed, &mut looked, false);
        let mut gathered = Map::new(self.width);
        for head in 0..self.heads {
            self.look_with(head, &looked, &mut gathered);
        }
        let mut added = Map::new(self.width);
        self.gather.apply(&gathered, &mut added, false);
        add(now, &added);
        normed.clone_from(now);
        self.widen_norm.apply(&mut normed);
        let mut wide = Map::new(self.hidden);
        self.widen.apply(&normed, &mut wide, false);
        for square in 0..SQUARES {
            let numbers = wide.square_mut(square).iter_mut();
            numbers.for_each(|x| *x = gelu(*x));
        }
        self.narrow.apply(&wide, &mut added, false);
        add(now, &added);
    }

    /// What every square gathers from all squares with one head.
    fn look_with(&self, head: usize, looked: &Map, gathered: &mut Map) {
        let each = self.width / self.heads;
        let part = |square: usize, which: usize| {
            &looked.square(square)[which * self.width + head * each..][..each]
        };
        let ways = &self.distances[head * 225..][..225];
        let scale = 1.0 / (each as f32).sqrt();
        for from in 0..SQUARES {
            let asked = part(from, 0);
            let mut shares = [0.0; SQUARES];
            for (to, share) in shares.iter_mut().enumerate() {
                let products = asked.iter().zip(part(to, 1)).map(|(a, b)| a * b);
                let way = (to / 8 + 7 - from / 8) * 15 + to % 8 + 7 - from % 8;
                *share = products.sum::<f32>() * scale + ways[way];
            }
            let most = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            shares.iter_mut().for_each(|x| *x = (*x - most).exp());
            let sum: f32 = shares.iter().sum();
            let out = &mut gathered.square_mut(from)[head * each..][..each];
            out.fill(0.0);
            for (to, share) in shares.iter().enumerate() {
                let share = share / sum;
                let numbers = out.iter_mut().zip(part(to, 2));
                numbers.for_each(|(out, x)| *out += share * x);
            }
        }
    }
}

fn add(to: &mut Map, added: &Map) {
    for square in 0..SQUARES {
        let numbers = to.square_mut(square).iter_mut().zip(added.square(square));
        numbers.for_each(|(x, added)| *x += added);
    }
}

/// x times the chance that a normal number is below x.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function, within 1.5e-7: formula 7.1.26 of Abramowitz and Stegun.
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_72) * t
        + 0.254_829_6)
        * t;
    (1.0 - series * (-x * x).exp()).copysign(x)
}
