//! Muon (Jordan et al. 2024) for the matrices of a tower's blocks and Adam with decoupled decay for
//! everything else, with a state that is the same bytes in every process.

use burn::{
    module::{Module, ModuleMapper, ModuleVisitor, Param},
    tensor::{Gradients, Tensor, TensorData},
};

use super::tensors::{self, numbers};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// How fast means of gradients fade …
pub(super) const FADE: f64 = 0.9;
/// … how far ahead of them matrices step …
pub(crate) const AHEAD: f64 = 0.95;
/// … and how fast means of squares fade.
pub(super) const FADE_SQUARES: f64 = 0.99;
pub(super) const EPSILON: f64 = 1e-8;
/// The mean size of a matrix's step, as large as Adam's usually are.
pub(crate) const SIZE: f64 = 0.2;
/// The polynomial whose repetition brings singular values near one.
pub(crate) const ORTHOGONAL: [f64; 3] = [3.4445, -4.775, 2.0315];
pub(crate) const REPETITIONS: usize = 5;

/// The optimiser of a tower.
#[derive(Debug)]
pub(super) struct Muon {
    decay: f64,
    steps: u64,
    /// For each table that is trained, in the order of the module's fields: fading means of
    /// gradients and squares.
    means: Vec<[Tensor<1>; 2]>,
}

impl Muon {
    /// An optimiser that has seen nothing.
    pub fn new(decay: f64) -> Muon {
        Muon {
            decay,
            steps: 0,
            means: Vec::new(),
        }
    }

    /// The module after a step against the gradients of a loss.
    pub fn step<M: Module>(&mut self, module: M, gradients: Gradients, rate: f64) -> M {
        self.steps += 1;
        let mut length = Length {
            gradients: &gradients,
            squares: 0.0,
        };
        module.visit(&mut length);
        let length = length.squares.sqrt();
        module.map(&mut Step {
            muon: self,
            gradients,
            // A batch that asks for much is not followed further than one that asks for little.
            shrink: 1.0 / (length + 1e-6).max(1.0),
            rate,
            at: 0,
            path: Vec::new(),
        })
    }

    /// An optimiser that has taken so many steps; modules hold its means of gradients and of squares.
    #[cfg(feature = "libtorch")]
    pub fn resumed(steps: u64, means: &impl Module, squares: &impl Module) -> Muon {
        let (means, squares) = (tensors::flat(means), tensors::flat(squares));
        Muon {
            decay: 0.0,
            steps,
            means: means.into_iter().zip(squares).map(<[_; 2]>::from).collect(),
        }
    }

    /// Means of gradients and of squares as modules like this one.
    #[cfg(feature = "libtorch")]
    pub fn means<M: Module>(&self, like: &M) -> [M; 2] {
        let zeros = |of: &Tensor<1>| [of.zeros_like(), of.zeros_like()];
        let means = match self.means.is_empty() {
            true => tensors::flat(like).iter().map(zeros).collect(),
            false => self.means.clone(),
        };
        [0, 1].map(|which| {
            let tables = means.iter().map(|means| means[which].clone());
            tensors::unflat(like.clone(), tables)
        })
    }

    /// Writes the state.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        out.u64(self.means.len() as u64);
        for mean in self.means.iter().flatten() {
            out.weights(&numbers(mean.clone()));
        }
    }

    /// Reads the state of the optimiser of a module like this one.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>, module: &impl Module) -> Result<(), LearnError> {
        self.steps = from.u64()?;
        let tables = from.u64()?;
        let trained = tensors::trained(module);
        // Before the first step there are none.
        if tables != 0 && tables != trained.len() as u64 {
            return Err(LearnError::Record);
        }
        self.means.clear();
        for (count, device) in trained.into_iter().take(tables as usize) {
            let mut mean = || -> Result<Tensor<1>, LearnError> {
                let values = TensorData::new(from.weights(count)?, [count]);
                Ok(Tensor::from_data(values, &device))
            };
            let means = [mean()?, mean()?];
            self.means.push(means);
        }
        Ok(())
    }
}

/// Finds out how long all gradients are together.
struct Length<'a> {
    gradients: &'a Gradients,
    squares: f64,
}

impl ModuleVisitor for Length<'_> {
    fn visit_float<const D: usize>(&mut self, table: &Param<Tensor<D>>) {
        if let Some(gradient) = table.val().grad(self.gradients) {
            let squares: f32 = (gradient.clone() * gradient).sum().into_scalar();
            self.squares += f64::from(squares);
        }
    }
}

/// One step, table by table.
struct Step<'a> {
    muon: &'a mut Muon,
    gradients: Gradients,
    shrink: f64,
    rate: f64,
    /// The next table.
    at: usize,
    path: Vec<String>,
}

impl ModuleMapper for Step<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, table: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if !table.is_require_grad() {
            return table;
        }
        let weights = table.val();
        let shape = weights.dims();
        let count: usize = shape.iter().product();
        let flat = weights.clone().inner().reshape([count]);
        let zeros = || Tensor::zeros([count], &flat.device());
        let gradient = weights.grad_remove(&mut self.gradients);
        let gradient = gradient.map_or_else(zeros, |gradient| gradient.reshape([count]));
        let gradient = gradient * self.shrink;
        if self.muon.means.len() == self.at {
            self.muon.means.push([zeros(), zeros()]);
        }
        let [mean, squares] = self.muon.means[self.at].clone();
        let squared = gradient.clone() * gradient.clone();
        let mean = mean * FADE + gradient.clone() * (1.0 - FADE);
        let squares = squares * FADE_SQUARES + squared * (1.0 - FADE_SQUARES);
        self.muon.means[self.at] = [mean.clone(), squares.clone()];
        self.at += 1;
        let matrix = self.path.last().is_some_and(|name| name == "weight");
        let inside = self.path.first().is_some_and(|name| name == "blocks");
        let step = if matrix && inside {
            let (rows, columns) = (shape[0], count / shape[0]);
            let ahead = mean * AHEAD + gradient * (1.0 - AHEAD);
            let size = SIZE * (rows.max(columns) as f64).sqrt();
            orthogonal(ahead.reshape([rows, columns])).reshape([count]) * size
        } else {
            // Both means begin at zero, and are too small by as much at first.
            let begun = |fade: f64| 1.0 - fade.powf(self.muon.steps as f64);
            let size = (squares / begun(FADE_SQUARES)).sqrt() + EPSILON;
            mean / begun(FADE) / size
        };
        let decay = if matrix { self.muon.decay } else { 0.0 };
        let new = flat.clone() - (step + flat * decay) * self.rate;
        table.map(|_| Tensor::from_inner(new.reshape(shape)).require_grad())
    }
}

/// A matrix with all singular values near one.
fn orthogonal(matrix: Tensor<2>) -> Tensor<2> {
    let [rows, columns] = matrix.dims();
    let tall = rows > columns;
    let mut x = if tall { matrix.transpose() } else { matrix };
    let size: f32 = (x.clone() * x.clone()).sum().sqrt().into_scalar();
    x = x / (size + 1e-7);
    let [a, b, c] = ORTHOGONAL;
    for _ in 0..REPETITIONS {
        let square = x.clone().matmul(x.clone().transpose());
        let mixed = square.clone() * b + square.clone().matmul(square) * c;
        x = x.clone() * a + mixed.matmul(x);
    }
    if tall { x.transpose() } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::TensorData;

    use crate::net::device;

    #[test]
    fn an_orthogonal_step_is_as_long_in_every_direction() {
        // Singular values 3, 1 and .1; a matrix and the same lying down.
        let values = [
            3.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1_f32,
        ];
        let matrix =
            Tensor::<2>::from_data(TensorData::new(values.to_vec(), [3, 4]), &device::cpu());
        for found in [
            orthogonal(matrix.clone()),
            orthogonal(matrix.transpose()).transpose(),
        ] {
            let found = numbers(found);
            for (row, column) in [(0, 0), (1, 1), (2, 3)] {
                let value = found[4 * row + column];
                assert!((0.6..1.3).contains(&value), "{found:?}");
            }
            assert!(found.iter().filter(|value| value.abs() > 1e-3).count() == 3);
        }
    }
}
