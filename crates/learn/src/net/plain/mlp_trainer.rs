//! A network in training.

use rayon::prelude::*;

use super::{
    adam::{AdamStep, Moments},
    matrix::add_scaled,
    mlp::{Hidden, Lists, Mlp},
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// A network, and what Adam remembers of its gradients.
pub(crate) struct MlpTrainer {
    pub mlp: Mlp,
    first: Rows,
    first_bias: Moments,
    second: Moments,
    second_bias: Moments,
    last: Rows,
    last_bias: Moments,
}

/// A part of a minibatch on its way through a network: the unit that a thread works on, the same for
/// every number of threads.
#[derive(Default)]
pub(crate) struct Part {
    pub hidden: Hidden,
    /// The answers that were asked for, and their gradients.
    pub answers: Lists,
}

impl MlpTrainer {
    pub fn new(mlp: Mlp) -> MlpTrainer {
        let width = mlp.shape().width;
        MlpTrainer {
            first: Rows::new(mlp.shape().inputs, width),
            first_bias: Moments::new(width),
            second: Moments::new(width * width),
            second_bias: Moments::new(width),
            last: Rows::new(mlp.shape().outputs, width),
            last_bias: Moments::new(mlp.shape().outputs),
            mlp,
        }
    }

    /// Takes a step along the gradients of the parts of a minibatch; `inputs` and `samples` are what
    /// they were shown, part after part.
    pub fn step(&mut self, inputs: &Lists, samples: &[u32], parts: &[Part], step: AdamStep) {
        let mlp = &mut self.mlp;
        let width = mlp.shape().width;
        let sum = |of: fn(&Hidden) -> &Vec<f32>| {
            let mut sum = of(&parts[0].hidden).clone();
            for part in &parts[1..] {
                add_scaled(&mut sum, 1.0, of(&part.hidden));
            }
            sum
        };
        let bias = sum(|hidden| &hidden.first_bias_gradient);
        step.apply(&mut mlp.first_bias, self.first_bias.all(), &bias);
        let bias = sum(|hidden| &hidden.second_bias_gradient);
        step.apply(&mut mlp.second_bias, self.second_bias.all(), &bias);
        let mut bias = vec![0.0; mlp.shape().outputs];
        for part in parts {
            for sample in 0..part.answers.len() {
                let gradients = part.answers.values(sample);
                for (&row, gradient) in part.answers.rows(sample).iter().zip(gradients) {
                    bias[usize::from(row)] += gradient;
                }
            }
        }
        step.apply(&mut mlp.last_bias, self.last_bias.all(), &bias);

        const BLOCK: usize = 1 << 13;
        let moments = self.second.parts(BLOCK);
        mlp.second
            .par_chunks_mut(BLOCK)
            .zip(moments)
            .enumerate()
            .for_each(|(block, (weights, moments))| {
                let of = |part: &'_ Part| {
                    let all = &part.hidden.second_gradient;
                    all[block * BLOCK..][..weights.len()].to_vec()
                };
                let mut gradient = of(&parts[0]);
                for part in &parts[1..] {
                    add_scaled(&mut gradient, 1.0, &of(part));
                }
                step.apply(weights, moments, &gradient);
            });

        // The gradient of a row of the last table is what the second layer said, as often as the
        // answer was asked for; that of a row of the first is what came back to the first layer.
        let asked = parts.iter().enumerate().flat_map(|(number, part)| {
            (0..part.answers.len()).flat_map(move |sample| {
                let rows = part.answers.rows(sample).iter();
                let gradients = part.answers.values(sample).iter();
                rows.zip(gradients)
                    .filter(|(_, gradient)| **gradient != 0.0)
                    .map(move |(&row, &gradient)| (row, (number, sample), gradient))
            })
        });
        let second =
            |(part, sample): (usize, usize)| &parts[part].hidden.second[sample * width..][..width];
        let mut places = parts
            .iter()
            .enumerate()
            .flat_map(|(number, part)| (0..part.answers.len()).map(move |sample| (number, sample)));
        let shown = samples.iter().flat_map(|&sample| {
            let place = places.next().unwrap_or_default();
            let rows = inputs.rows(sample as usize).iter();
            let values = inputs.values(sample as usize).iter();
            rows.zip(values)
                .map(move |(&row, &value)| (row, place, value))
        });
        let to_first = |(part, sample): (usize, usize)| {
            &parts[part].hidden.to_first[sample * width..][..width]
        };
        // Sorting what touches the rows is one thread's work for each table.
        rayon::join(
            || self.last.step(&mut mlp.last, asked, &second, step),
            || self.first.step(&mut mlp.first, shown, &to_first, step),
        );
    }

    /// Takes a share of every weight away, but of no bias.
    pub fn decay(&mut self, share: f64) {
        let kept = (1.0 - share) as f32;
        let mlp = &mut self.mlp;
        for table in [&mut mlp.first, &mut mlp.second, &mut mlp.last] {
            table.iter_mut().for_each(|weight| *weight *= kept);
        }
    }

    pub fn save(&self, out: &mut Writer) {
        self.mlp.save(out);
        self.first.moments.save(out);
        self.first_bias.save(out);
        self.second.save(out);
        self.second_bias.save(out);
        self.last.moments.save(out);
        self.last_bias.save(out);
    }

    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.mlp.load(from)?;
        self.first.load(from)?;
        self.first_bias.load(from)?;
        self.second.load(from)?;
        self.second_bias.load(from)?;
        self.last.load(from)?;
        self.last_bias.load(from)
    }
}

/// What there is of every weight in training.
#[cfg(feature = "libtorch")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Aspect {
    /// The weight itself.
    Weight,
    /// What Adam remembers of its gradients, …
    Mean,
    /// … and of their squares.
    Square,
}

/// For a place where whole tables are trained, not rows: libtorch's.
#[cfg(feature = "libtorch")]
impl MlpTrainer {
    /// The tables from the first to the last, each followed by its biases.
    pub fn tables_mut(&mut self, aspect: Aspect) -> [&mut [f32]; 6] {
        let mlp = &mut self.mlp;
        fn of<'a>(
            aspect: Aspect,
            weights: &'a mut [f32],
            moments: &'a mut Moments,
        ) -> &'a mut [f32] {
            match aspect {
                Aspect::Weight => weights,
                Aspect::Mean => &mut moments.means,
                Aspect::Square => &mut moments.squares,
            }
        }
        [
            of(aspect, &mut mlp.first, &mut self.first.moments),
            of(aspect, &mut mlp.first_bias, &mut self.first_bias),
            of(aspect, &mut mlp.second, &mut self.second),
            of(aspect, &mut mlp.second_bias, &mut self.second_bias),
            of(aspect, &mut mlp.last, &mut self.last.moments),
            of(aspect, &mut mlp.last_bias, &mut self.last_bias),
        ]
    }

    /// Which rows of the last table have had a gradient: Adam moves them in every step.
    pub fn awake(&self) -> &[bool] {
        &self.last.awake
    }

    /// Notes that rows of the last table may have had one, and all of the first.
    pub fn wake(&mut self, rows: &[u16]) {
        self.first.awake.fill(true);
        for &row in rows {
            self.last.awake[usize::from(row)] = true;
        }
    }
}

/// A table of which a minibatch touches some rows.
struct Rows {
    width: usize,
    moments: Moments,
    /// Rows that have had a gradient. To all others Adam does nothing, so they are left alone.
    awake: Vec<bool>,
    // For sorting what touches a row; kept to save allocating.
    starts: Vec<u32>,
    sorted: Vec<(u32, u32, f32)>,
}

/// Rows that a thread takes at a time.
const BLOCK: usize = 64;

impl Rows {
    fn new(rows: usize, width: usize) -> Rows {
        Rows {
            width,
            moments: Moments::new(rows * width),
            awake: vec![false; rows],
            starts: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// A step whose gradient of a row is the sum of what touches it: a vector, by its place, times a
    /// factor, in the order in which they come.
    fn step<'v>(
        &mut self,
        weights: &mut [f32],
        touched: impl Iterator<Item = (u16, (usize, usize), f32)>,
        vector: &(impl Fn((usize, usize)) -> &'v [f32] + Sync),
        step: AdamStep,
    ) {
        let (rows, width) = (self.awake.len(), self.width);
        let unsorted: Vec<_> = touched.collect();
        // A counting sort keeps the order within a row.
        self.starts.clear();
        self.starts.resize(rows + 1, 0);
        for &(row, _, _) in &unsorted {
            self.starts[usize::from(row) + 1] += 1;
            self.awake[usize::from(row)] = true;
        }
        for row in 0..rows {
            self.starts[row + 1] += self.starts[row];
        }
        self.sorted.clear();
        self.sorted.resize(unsorted.len(), (0, 0, 0.0));
        let mut next = self.starts.clone();
        for (row, (part, sample), factor) in unsorted {
            let place = &mut next[usize::from(row)];
            self.sorted[*place as usize] = (part as u32, sample as u32, factor);
            *place += 1;
        }
        let (starts, sorted, awake) = (&self.starts, &self.sorted, &self.awake);
        let moments = self.moments.parts(BLOCK * width);
        weights
            .par_chunks_mut(BLOCK * width)
            .zip(moments)
            .enumerate()
            .for_each(|(block, (weights, mut moments))| {
                let mut gradient = vec![0.0; width];
                for (i, weights) in weights.chunks_exact_mut(width).enumerate() {
                    let row = block * BLOCK + i;
                    if !awake[row] {
                        continue;
                    }
                    gradient.fill(0.0);
                    for &(part, sample, factor) in
                        &sorted[starts[row] as usize..starts[row + 1] as usize]
                    {
                        let vector = vector((part as usize, sample as usize));
                        add_scaled(&mut gradient, factor, vector);
                    }
                    let moments = moments.part(i * width..(i + 1) * width);
                    step.apply(weights, moments, &gradient);
                }
            });
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.moments.load(from)?;
        for (row, awake) in self.awake.iter_mut().enumerate() {
            *awake = !self
                .moments
                .are_zero(row * self.width..(row + 1) * self.width);
        }
        Ok(())
    }
}
