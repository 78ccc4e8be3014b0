//! Policies and critics of several learners, as tables on top of each other.
//!
//! A small network keeps no GPU busy: starting an operation takes longer than the operation. Many of
//! them at once, as products of stacked matrices, take hardly longer than one. So weights, means and
//! squares of all networks are one vector each, gradients have places in a fourth, and a step of Adam
//! is seven operations for all learners together, whatever their rates and however many steps each has
//! behind it.
//!
//! A bias is a row of its table, for an input that is always one. Sides are rounded up so that every
//! matrix begins where a GPU likes it; what is rounded up is zero, has no gradient and stays zero.

use tch::{Device, Kind, Tensor};

use super::{Buffer, Layout};
use crate::net::plain::{
    Activation,
    adam::{AdamStep, EPSILON, MEAN, SQUARE},
};

/// A part of the vectors as tables: `[many, rows, columns]`.
struct Tables {
    weights: Tensor,
    turned: Tensor,
    gradient: Tensor,
}

/// The learners' networks on a device.
pub(crate) struct Stack {
    activation: Activation,
    weights: Tensor,
    means: Tensor,
    /// Means of squares, in units that make a new square count 1.
    squares: Tensor,
    gradient: Tensor,
    size: Tensor,
    /// The parts of `size` of the hidden and the last layers, a row for each network or learner.
    sizes: [Tensor; 2],
    first: Tables,
    second: Tables,
    last: Tables,
    critic: Tables,
    // What the layers say, with a column of ones; of both networks of each learner in turn.
    said: [Said; 2],
    scores: Tensor,
    to_scores: Tensor,
    /// Gradients of what a hidden layer says; of the policies' and of the critics'.
    to_hidden: Tensor,
    to_each: [Tensor; 2],
    schedule: Vec<[[Tensor; 2]; 2]>,
}

/// What a hidden layer says.
struct Said {
    /// With the column of ones, …
    whole: Tensor,
    turned: Tensor,
    /// … without it, …
    neurons: Tensor,
    /// … and with it of the policies and of the critics.
    each: [Tensor; 2],
}

/// Both layers of a minibatch: `whole[n]` is network `n`, policy and critic of each learner in turn.
impl Said {
    fn new(layout: Layout, minibatch: i64, device: Device) -> Said {
        let (networks, width) = (2 * layout.runs as i64, layout.width as i64);
        let padded = layout.padded() as i64;
        let whole = Tensor::zeros([networks, minibatch, padded], (Kind::Float, device));
        let _ = whole.narrow(2, width, 1).fill_(1.0);
        Said {
            turned: whole.transpose(1, 2),
            neurons: whole.narrow(2, 0, width),
            each: halves(&whole),
            whole,
        }
    }
}

/// What belongs to the policies and what to the critics.
fn halves(of: &Tensor) -> [Tensor; 2] {
    let [networks, m, n] = of.size3().map(|(a, b, c)| [a, b, c]).expect("three sides");
    let pairs = of.view([networks / 2, 2, m, n]);
    [0, 1].map(|which| pairs.select(1, which))
}

impl Stack {
    /// Stacks learners' networks, for minibatches of so many decisions. `tables` are those of
    /// [`Layout::gather`]; `steps` are Adam's to come, one after the other, of each learner.
    pub fn new(
        layout: Layout,
        activation: Activation,
        minibatch: usize,
        tables: Buffer,
        steps: &[Vec<AdamStep>],
        device: Device,
    ) -> Stack {
        let state = tables.send::<f32>(&[3, layout.numbers() as i64]);
        let [weights, means, mut squares] = [0, 1, 2].map(|i| state.get(i));
        let _ = squares.g_mul_scalar_(1.0 / NEW_SQUARE);
        let (gradient, size) = (weights.zeros_like(), weights.zeros_like());
        let [runs, width] = [layout.runs, layout.width].map(|n| n as i64);
        let [inputs, padded, rows] =
            [layout.inputs, layout.padded(), layout.rows].map(|n| n as i64);
        let hidden = layout.hidden() as i64;
        let parts = |of: &Tensor| {
            let hidden_part = of.narrow(0, 0, 2 * runs * hidden).view([2 * runs, hidden]);
            let last = of.narrow(0, 2 * runs * hidden, runs * rows * padded);
            [hidden_part, last.view([runs, rows * padded])]
        };
        let table = |part: usize, begin: i64, rows: i64, columns: i64| {
            let of = |of: &Tensor| {
                let part = &parts(of)[part];
                let table = part.narrow(1, begin, rows * columns);
                table.unflatten(1, [rows, columns])
            };
            (of(&weights), of(&gradient))
        };
        // Gradients come back through the weights without their biases.
        let tables = |(weights, gradient): (Tensor, Tensor), back: Tensor| Tables {
            turned: back,
            weights,
            gradient,
        };
        let first = table(0, 0, inputs, width);
        let second = table(0, inputs * width, padded, width);
        let last = table(1, 0, rows, padded);
        let critic = table(1, (rows - 1) * padded, 1, padded);
        let nothing = first.0.shallow_clone();
        let second_back = second.0.narrow(1, 0, width).transpose(1, 2);
        let last_back = last.0.narrow(2, 0, width);
        let critic_back = critic.0.narrow(2, 0, width);
        let kind = (Kind::Float, device);
        let m = minibatch as i64;
        let to_hidden = Tensor::zeros([2 * runs, m, width], kind);
        Stack {
            sizes: parts(&size),
            first: tables(first, nothing),
            second: tables(second, second_back),
            last: tables(last, last_back),
            critic: tables(critic, critic_back),
            said: [0, 1].map(|_| Said::new(layout, m, device)),
            scores: Tensor::zeros([runs, m, rows], kind),
            to_scores: Tensor::zeros([runs, m, rows], kind),
            to_each: halves(&to_hidden),
            to_hidden,
            schedule: schedule(steps, device),
            activation,
            weights,
            means,
            squares,
            gradient,
            size,
        }
    }

    /// Shows decisions, `[networks, minibatch, inputs]`: the scores of all rows by learner, and what the
    /// critics say, `[learners, minibatch, 1]`.
    pub fn forward(&mut self, inputs: &Tensor) -> (&Tensor, Tensor) {
        let [first, second] = &self.said;
        let sums = &self.to_hidden;
        let _ = inputs.bmm_out(sums, &self.first.weights);
        self.activate(sums, &first.neurons);
        let _ = first.whole.bmm_out(sums, &self.second.weights);
        self.activate(sums, &second.neurons);
        let [policies, critics] = &second.each;
        let _ = policies.bmm_out(&self.scores, &self.last.weights.transpose(1, 2));
        let expected = critics.bmm(&self.critic.weights.transpose(1, 2));
        (&self.scores, expected)
    }

    fn activate(&self, sums: &Tensor, out: &Tensor) {
        let _ = match self.activation {
            Activation::Tanh => sums.tanh_out(out),
            Activation::Relu => sums.clamp_min_out(out, 0.0),
        };
    }

    /// Turns gradients of what neurons say into those of their sums.
    fn back_through(&self, gradient: &Tensor, said: &Tensor) -> Tensor {
        match self.activation {
            Activation::Tanh => Tensor::tanh_backward(gradient, said),
            Activation::Relu => said.threshold_backward(gradient, 0.0),
        }
    }

    /// Where the gradients of all scores are put.
    pub fn gradient_of_scores(&mut self) -> &mut Tensor {
        &mut self.to_scores
    }

    /// Brings gradients back, of the scores and of what the critics said, after [`Stack::forward`] with
    /// the same inputs, and takes step `number` of those to come.
    pub fn step(&mut self, inputs: &Tensor, to_critics: &Tensor, number: usize) {
        let [first, second] = &self.said;
        let [policies, critics] = &second.each;
        // The product for the policies' tables leaves nothing in the critics' rows.
        let scores = &self.to_scores;
        let _ = scores
            .transpose(1, 2)
            .bmm_out(&self.last.gradient, policies);
        let turned = to_critics.transpose(1, 2);
        let _ = turned.bmm_out(&self.critic.gradient, critics);
        let [to_policies, to_critic_layer] = &self.to_each;
        let _ = scores.bmm_out(to_policies, &self.last.turned);
        let _ = to_critics.mul_out(to_critic_layer, &self.critic.turned);
        let sums = self.back_through(&self.to_hidden, &second.neurons);
        let _ = first.turned.bmm_out(&self.second.gradient, &sums);
        let _ = sums.bmm_out(&self.to_hidden, &self.second.turned);
        let sums = self.back_through(&self.to_hidden, &first.neurons);
        let _ = inputs.transpose(1, 2).bmm_out(&self.first.gradient, &sums);
        self.adam(number);
    }

    fn adam(&mut self, number: usize) {
        let _ = self.means.lerp_(&self.gradient, f64::from(1.0 - MEAN));
        let _ = self.squares.g_mul_scalar_(f64::from(SQUARE));
        let _ = self.squares.addcmul_(&self.gradient, &self.gradient);
        let _ = self.squares.sqrt_out(&self.size);
        for (size, [least, scale]) in self.sizes.iter().zip(&self.schedule[number]) {
            let _ = least.addcmul_out(size, size, scale);
        }
        let _ = self.weights.addcdiv_(&self.means, &self.size);
    }

    /// All tables, as they have become, for [`Layout::scatter`].
    pub fn fetch(&self) -> Buffer {
        let squares = &self.squares * NEW_SQUARE;
        let state = Tensor::cat(&[&self.weights, &self.means, &squares], 0);
        Buffer::fetch::<f32>(&state)
    }
}

/// What a new square counts in the mean of squares.
const NEW_SQUARE: f64 = (1.0 - SQUARE) as f64;

/// For each step to come, of the hidden layers (a row for each network) and of the last (a row for each
/// learner): the least size of a step's divisor and the scale of the root of squares, so that weights
/// lose means by `least + scale · root`.
fn schedule(steps: &[Vec<AdamStep>], device: Device) -> Vec<[[Tensor; 2]; 2]> {
    let runs = steps.len();
    let count = steps.first().map_or(0, Vec::len);
    // A rate of nothing moves weights by so little that it cannot be told from nothing.
    let rate = |step: &AdamStep| -f64::from(step.rate.max(1e-20));
    let least = |step: &AdamStep| f64::from(EPSILON) / rate(step);
    let scale = |step: &AdamStep| f64::from(step.scale) * NEW_SQUARE.sqrt() / rate(step);
    let table = |each: usize, of: &dyn Fn(&AdamStep) -> f64| {
        let numbers = (0..count).flat_map(|step| {
            let runs = steps.iter().map(move |steps| &steps[step]);
            runs.flat_map(|step| std::iter::repeat_n(of(step) as f32, each))
        });
        let numbers: Vec<f32> = numbers.collect();
        let table = Tensor::from_slice(&numbers).to_device(device);
        table
            .view([count as i64, (each * runs) as i64, 1])
            .unbind(0)
    };
    let mut tables = [2, 1].map(|each| {
        let (least, scale) = (table(each, &least), table(each, &scale));
        least.into_iter().zip(scale)
    });
    let mut next = || {
        let [hidden, last] = &mut tables;
        let ((a, b), (c, d)) = (hidden.next()?, last.next()?);
        Some([[a, b], [c, d]])
    };
    std::iter::from_fn(&mut next).collect()
}
