//! Adam (Kingma and Ba 2015) for any module, with a state that is the same bytes in every process.
//!
//! The framework's own keeps its state under identities that are drawn by lot and in an order that
//! changes from run to run: two equal runs would leave different checkpoints. This one goes by the
//! order of the module's fields.

use burn::{
    module::{Module, ModuleMapper, Param},
    tensor::{Gradients, Tensor, TensorData},
};

use super::tensors::{numbers, trained};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

pub(super) const FADE: f64 = 0.9;
pub(super) const FADE_SQUARES: f64 = 0.999;
pub(super) const EPSILON: f64 = 1e-5;

/// The optimiser of a module.
#[derive(Clone, Debug)]
pub(super) struct Adam {
    weight_decay: f64,
    steps: u64,
    /// For each table that is trained, in the order of the module's fields: fading means of
    /// gradients and squares, where the table is.
    means: Vec<[Tensor<1>; 2]>,
}

impl Adam {
    /// An optimiser that has seen nothing.
    pub fn new(weight_decay: f64) -> Adam {
        Adam {
            weight_decay,
            steps: 0,
            means: Vec::new(),
        }
    }

    /// The module after a step against the gradients of a loss.
    pub fn step<M: Module>(&mut self, module: M, gradients: Gradients, rate: f64) -> M {
        self.steps += 1;
        module.map(&mut Step {
            adam: self,
            gradients,
            rate,
            at: 0,
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
        let trained = trained(module);
        self.steps = from.u64()?;
        let tables = from.u64()?;
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

/// One step, table by table.
struct Step<'a> {
    adam: &'a mut Adam,
    gradients: Gradients,
    rate: f64,
    /// The next table.
    at: usize,
}

impl ModuleMapper for Step<'_> {
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
        let mut gradient = gradient.map_or_else(zeros, |gradient| gradient.reshape([count]));
        if self.adam.weight_decay > 0.0 {
            gradient = gradient + flat.clone() * self.adam.weight_decay;
        }
        if self.adam.means.len() == self.at {
            self.adam.means.push([zeros(), zeros()]);
        }
        let [mean, squares] = self.adam.means[self.at].clone();
        let squared = gradient.clone() * gradient.clone();
        let mean = mean * FADE + gradient * (1.0 - FADE);
        let squares = squares * FADE_SQUARES + squared * (1.0 - FADE_SQUARES);
        self.adam.means[self.at] = [mean.clone(), squares.clone()];
        self.at += 1;
        // Both means begin at zero, and are too small by as much at first.
        let begun = |fade: f64| 1.0 - fade.powf(self.adam.steps as f64);
        let size = (squares / begun(FADE_SQUARES)).sqrt() + EPSILON;
        let new = flat - mean / size * (self.rate / begun(FADE));
        table.map(|_| Tensor::from_inner(new.reshape(shape)).require_grad())
    }
}
