//! A residual tower over the squares of the board, for policies and values: by burn, on the processor.

use burn::{
    module::{Module, Param},
    tensor::{
        Device, Int, Tensor, TensorData,
        activation::{gelu, relu, sigmoid, softmax},
        module::{batch_norm, batch_norm_train, conv2d},
        ops::ConvOptions,
    },
};

use super::{Tensors, TowerShape};
use crate::LearnError;

/// A tower. What it is made of is told by its [`TowerShape`]; its tables bear the same names.
#[derive(Module, Debug)]
pub(super) struct Tower {
    first: Kernel,
    first_norm: Norm,
    squares: Option<Param<Tensor<2>>>,
    blocks: Vec<Block>,
    last_norm: Option<LayerNorm>,
    pair: Dense,
    promote: Dense,
    pool: Dense,
    ending: Dense,
    moves: Param<Tensor<2>>,
}

/// What a tower says of positions.
pub(super) struct TowerAnswers {
    /// Scores of all moves by number.
    pub moves: Tensor<2>,
    /// Scores of loss, draw and win.
    pub endings: Tensor<2>,
}

/// Means and variances of a batch, layer by layer.
pub(super) type Met = Vec<[Tensor<1>; 2]>;

const EPSILON: f64 = 1e-5;
/// How much of the means and variances of a batch goes into those that are kept.
pub(super) const FOLLOW: f64 = 0.02;
const SQUARES: usize = 64;

/// A convolution over squares with a border of zeros.
#[derive(Module, Debug)]
pub(super) struct Kernel {
    weight: Param<Tensor<4>>,
}

/// A layer on all numbers it is given.
#[derive(Module, Debug)]
pub(super) struct Dense {
    /// A row for each number it gives.
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

/// A batch normalisation.
#[derive(Module, Debug)]
pub(super) struct Norm {
    gamma: Param<Tensor<1>>,
    beta: Param<Tensor<1>>,
    mean: Param<Tensor<1>>,
    variance: Param<Tensor<1>>,
}

#[derive(Module, Debug)]
struct LayerNorm {
    gamma: Param<Tensor<1>>,
    beta: Param<Tensor<1>>,
}

#[derive(Module, Debug)]
#[allow(clippy::large_enum_variant)] // there are a dozen of them
enum Block {
    Convolutions(Convolutions),
    Attention(Attention),
}

#[derive(Module, Debug)]
struct Convolutions {
    first: Kernel,
    first_norm: Norm,
    second: Kernel,
    second_norm: Norm,
    /// These two find a scale for each number; in plain blocks nothing is scaled.
    squeeze: Option<Dense>,
    scale: Option<Dense>,
}

#[derive(Module, Debug)]
struct Attention {
    look_norm: LayerNorm,
    look: Dense,
    gather: Dense,
    distances: Param<Tensor<2>>,
    widen_norm: LayerNorm,
    widen: Dense,
    narrow: Dense,
}

impl Kernel {
    /// One that sees `side` × `side` squares.
    pub fn new(outputs: usize, inputs: usize, side: usize, device: &Device) -> Kernel {
        Kernel {
            weight: zeros([outputs, inputs, side, side], device),
        }
    }

    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let weight = self.weight.val();
        let border = weight.dims()[2] / 2;
        let options = ConvOptions::new([1, 1], [border, border], [1, 1], 1);
        conv2d(x, weight, None, options)
    }
}

impl Dense {
    pub fn new(outputs: usize, inputs: usize, device: &Device) -> Dense {
        Dense {
            weight: zeros([outputs, inputs], device),
            bias: zeros([outputs], device),
        }
    }

    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.val().transpose()) + self.bias.val().unsqueeze()
    }

    /// On every square of every board.
    fn squares(&self, x: Tensor<3>) -> Tensor<3> {
        let [boards, squares, width] = x.dims();
        let [outputs] = self.bias.val().dims();
        self.forward(x.reshape([boards * squares, width]))
            .reshape([boards, squares, outputs])
    }
}

impl Norm {
    pub fn new(width: usize, device: &Device) -> Norm {
        Norm {
            gamma: zeros([width], device),
            beta: zeros([width], device),
            // They follow the batches, not the gradients.
            mean: zeros([width], device).set_require_grad(false),
            variance: zeros([width], device).set_require_grad(false),
        }
    }

    /// With a batch's own means and variances, which are added to `met`, or else with those kept.
    pub fn forward(&self, x: Tensor<4>, met: &mut Option<Met>) -> Tensor<4> {
        let (gamma, beta) = (self.gamma.val(), self.beta.val());
        let Some(met) = met else {
            return batch_norm(
                x,
                gamma,
                beta,
                self.mean.val(),
                self.variance.val(),
                EPSILON,
            );
        };
        let [boards, _, ranks, files] = x.dims();
        let count = (boards * ranks * files) as f64;
        let normed = batch_norm_train(x, gamma, beta, EPSILON);
        met.push([
            normed.mean.inner(),
            normed.variance.inner() * (count / (count - 1.0).max(1.0)),
        ]);
        normed.output
    }

    /// Brings the means and variances kept nearer to those of a batch: the next of `met`.
    pub fn follow(&mut self, met: &mut impl Iterator<Item = [Tensor<1>; 2]>) {
        // As many were met as there are layers, in the order of the forward pass.
        if let Some([mean, variance]) = met.next() {
            self.mean = approached(self.mean.clone(), mean);
            self.variance = approached(self.variance.clone(), variance);
        }
    }
}

impl LayerNorm {
    fn new(width: usize, device: &Device) -> LayerNorm {
        LayerNorm {
            gamma: zeros([width], device),
            beta: zeros([width], device),
        }
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let centred = x.clone() - x.mean_dim(2);
        let variance = (centred.clone() * centred.clone()).mean_dim(2);
        centred / (variance + EPSILON).sqrt() * self.gamma.val().unsqueeze()
            + self.beta.val().unsqueeze()
    }
}

impl Convolutions {
    fn forward(&self, x: Tensor<4>, met: &mut Option<Met>) -> Tensor<4> {
        let y = relu(self.first_norm.forward(self.first.forward(x.clone()), met));
        let y = self.second_norm.forward(self.second.forward(y), met);
        let (Some(squeeze), Some(scale)) = (&self.squeeze, &self.scale) else {
            return relu(x + y);
        };
        let [boards, width, ranks, files] = y.dims();
        let pooled = y
            .clone()
            .reshape([boards, width, ranks * files])
            .mean_dim(2);
        let middle = relu(squeeze.forward(pooled.reshape([boards, width])));
        let scale = sigmoid(scale.forward(middle));
        relu(x + y * scale.reshape([boards, width, 1, 1]))
    }
}

impl Attention {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let [boards, squares, width] = x.dims();
        let [heads, _] = self.distances.val().dims();
        let head = width / heads;
        let looked = self.look.squares(self.look_norm.forward(x.clone()));
        let part = |i: usize| {
            let part = looked
                .clone()
                .slice([0..boards, 0..squares, i * width..(i + 1) * width]);
            part.reshape([boards, squares, heads, head]).swap_dims(1, 2)
        };
        let distances = distances(&x.device());
        let bias = self.distances.val().select(1, distances);
        let bias = bias.reshape([1, heads, squares, squares]);
        let scores = part(0).matmul(part(1).transpose()) / (head as f64).sqrt() + bias;
        let gathered = softmax(scores, 3).matmul(part(2)).swap_dims(1, 2);
        let x = x + self
            .gather
            .squares(gathered.reshape([boards, squares, width]));
        let y = self.widen.squares(self.widen_norm.forward(x.clone()));
        x + self.narrow.squares(gelu(y))
    }
}

/// For each pair of squares, which of the 225 ways lead from the one to the other.
fn distances(device: &Device) -> Tensor<1, Int> {
    let way = |from: i32, to: i32| (to / 8 - from / 8 + 7) * 15 + to % 8 - from % 8 + 7;
    let ways: Vec<i32> = (0..64)
        .flat_map(|from| (0..64).map(move |to| way(from, to)))
        .collect();
    Tensor::from_data(TensorData::new(ways, [SQUARES * SQUARES]), device)
}

impl Tower {
    /// A tower whose tables are all zero, to be filled.
    fn empty(shape: &TowerShape, device: &Device) -> Tower {
        let w = shape.width;
        let block = |kind: char| match kind {
            'a' => Block::Attention(Attention {
                look_norm: LayerNorm::new(w, device),
                look: Dense::new(3 * w, w, device),
                gather: Dense::new(w, w, device),
                distances: zeros([shape.heads, 225], device),
                widen_norm: LayerNorm::new(w, device),
                widen: Dense::new(shape.hidden, w, device),
                narrow: Dense::new(w, shape.hidden, device),
            }),
            kind => Block::Convolutions(Convolutions {
                first: Kernel::new(w, w, 3, device),
                first_norm: Norm::new(w, device),
                second: Kernel::new(w, w, 3, device),
                second_norm: Norm::new(w, device),
                squeeze: (kind == 'c').then(|| Dense::new(shape.squeeze, w, device)),
                scale: (kind == 'c').then(|| Dense::new(w, shape.squeeze, device)),
            }),
        };
        Tower {
            first: Kernel::new(w, shape.inputs, 3, device),
            first_norm: Norm::new(w, device),
            squares: shape.attends().then(|| zeros([SQUARES, w], device)),
            blocks: shape.blocks.chars().map(block).collect(),
            last_norm: shape
                .blocks
                .ends_with('a')
                .then(|| LayerNorm::new(w, device)),
            pair: Dense::new(2 * shape.keys, w, device),
            promote: Dense::new(9, w, device),
            pool: Dense::new(w, w, device),
            ending: Dense::new(3, w, device),
            moves: zeros([SQUARES, SQUARES], device),
        }
    }

    /// A tower with these tables.
    ///
    /// # Errors
    /// When one is missing or of another size.
    pub(super) fn new(
        shape: &TowerShape,
        tables: &Tensors,
        device: &Device,
    ) -> Result<Tower, LearnError> {
        tables.into_module(Tower::empty(shape, device))
    }

    /// Judges boards given as `[boards, inputs, 8, 8]`. In training, the means and variances of the
    /// layers are those of the batch, and are added to `met`.
    pub(super) fn forward(&self, seen: Tensor<4>, met: &mut Option<Met>) -> TowerAnswers {
        let [boards, ..] = seen.dims();
        let mut x = relu(self.first_norm.forward(self.first.forward(seen), met));
        let [_, width, ..] = x.dims();
        let tokens = |x: Tensor<4>| x.reshape([boards, width, SQUARES]).swap_dims(1, 2);
        let board = |x: Tensor<3>| x.swap_dims(1, 2).reshape([boards, width, 8, 8]);
        if let Some(squares) = &self.squares {
            x = board(tokens(x) + squares.val().unsqueeze());
        }
        for block in &self.blocks {
            x = match block {
                Block::Convolutions(block) => block.forward(x, met),
                Block::Attention(block) => board(block.forward(tokens(x))),
            };
        }
        let mut x = tokens(x);
        if let Some(norm) = &self.last_norm {
            x = norm.forward(x);
        }
        let matched = self.pair.squares(x.clone());
        let keys = matched.dims()[2] / 2;
        let part = |i: usize| {
            matched
                .clone()
                .slice([0..boards, 0..SQUARES, i * keys..(i + 1) * keys])
        };
        let leave = part(0) * (keys as f64).powf(-0.5);
        let scores = leave.matmul(part(1).transpose()) + self.moves.val().unsqueeze();
        let pawns = x.clone().slice([0..boards, 48..56, 0..width]);
        let promote = self.promote.squares(pawns).reshape([boards, 72]);
        let moves = Tensor::cat(
            vec![scores.reshape([boards, SQUARES * SQUARES]), promote],
            1,
        );
        let pooled = x.mean_dim(1).reshape([boards, width]);
        TowerAnswers {
            moves,
            endings: self.ending.forward(relu(self.pool.forward(pooled))),
        }
    }

    /// The tower whose layers keep means and variances that have come nearer to those of a batch.
    pub(super) fn following(mut self, met: Met) -> Tower {
        let mut met = met.into_iter();
        self.first_norm.follow(&mut met);
        for block in &mut self.blocks {
            if let Block::Convolutions(block) = block {
                block.first_norm.follow(&mut met);
                block.second_norm.follow(&mut met);
            }
        }
        self
    }
}

fn approached(kept: Param<Tensor<1>>, met: Tensor<1>) -> Param<Tensor<1>> {
    kept.map(|kept| {
        let kept = kept.inner();
        Tensor::from_inner(kept.clone() + (met - kept) * FOLLOW).set_require_grad(false)
    })
}

fn zeros<const D: usize>(sides: [usize; D], device: &Device) -> Param<Tensor<D>> {
    Param::from_tensor(Tensor::zeros(sides, device))
}
