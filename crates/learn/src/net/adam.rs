//! Adam (Kingma and Ba 2015), with a state that is the same bytes in every process.
//!
//! The framework's own keeps its state under identities that are drawn by lot and in an order that
//! changes from run to run: two equal runs would leave different checkpoints.

use burn::{
    module::Param,
    tensor::{Device, Gradients, Tensor, TensorData},
};

use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

const FADE: f64 = 0.9;
const FADE_SQUARES: f64 = 0.999;
const EPSILON: f64 = 1e-5;

/// The optimiser of some tables of weights.
#[derive(Clone, Debug)]
pub(super) struct Adam {
    device: Device,
    weight_decay: f64,
    steps: u64,
    /// For each table, in the order of their first step: fading means of gradients and squares.
    means: Vec<[Tensor<1>; 2]>,
}

/// One step, table by table.
pub(super) struct Step<'a> {
    adam: &'a mut Adam,
    gradients: Gradients,
    rate: f64,
    /// The next table.
    at: usize,
}

impl Adam {
    /// Where `device` is without differentiation.
    pub fn new(device: Device, weight_decay: f64) -> Adam {
        Adam {
            device,
            weight_decay,
            steps: 0,
            means: Vec::new(),
        }
    }

    /// Begins a step; the tables follow in an order that is always the same.
    pub fn step(&mut self, gradients: Gradients, rate: f64) -> Step<'_> {
        self.steps += 1;
        Step {
            adam: self,
            gradients,
            rate,
            at: 0,
        }
    }

    /// Writes the state.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        out.u64(self.means.len() as u64);
        for mean in self.means.iter().flatten() {
            save_numbers(&numbers(mean.clone()), out);
        }
    }

    /// Reads the state, for tables of these sizes.
    pub fn load(&mut self, from: &mut Reader<'_>, sizes: &[usize]) -> Result<(), LearnError> {
        self.steps = from.u64()?;
        let tables = from.u64()?;
        // Before the first step there are none.
        if tables != 0 && tables != sizes.len() as u64 {
            return Err(LearnError::Record);
        }
        self.means.clear();
        for &count in sizes.iter().take(tables as usize) {
            let mut mean = || -> Result<Tensor<1>, LearnError> {
                let values = load_numbers(from)?;
                if values.len() != count {
                    return Err(LearnError::Record);
                }
                Ok(Tensor::from_data(
                    TensorData::new(values, [count]),
                    &self.device,
                ))
            };
            let means = [mean()?, mean()?];
            self.means.push(means);
        }
        Ok(())
    }
}

impl Step<'_> {
    /// The next table after the step.
    pub fn table<const D: usize>(&mut self, table: &Param<Tensor<D>>) -> Param<Tensor<D>> {
        let weights = table.val();
        let shape = weights.dims();
        let count: usize = shape.iter().product();
        let flat = weights.clone().inner().reshape([count]);
        let zeros = || Tensor::zeros([count], &self.adam.device);
        let gradient = weights.grad(&self.gradients);
        let mut gradient = gradient.map_or_else(zeros, |gradient| gradient.reshape([count]));
        if self.adam.weight_decay > 0.0 {
            gradient = gradient + flat.clone() * self.adam.weight_decay;
        }
        if self.adam.means.len() == self.at {
            let means = [zeros(), zeros()];
            self.adam.means.push(means);
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
        Param::from_tensor(Tensor::from_inner(new.reshape(shape)))
    }
}

/// A tensor as plain numbers.
pub(super) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let data = tensor.into_data().convert::<f32>();
    data.try_to_vec().expect("weights are numbers")
}

/// Writes plain numbers.
pub(super) fn save_numbers(numbers: &[f32], out: &mut Writer) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    out.bytes(&bytes);
}

/// Reads plain numbers.
pub(super) fn load_numbers(from: &mut Reader<'_>) -> Result<Vec<f32>, LearnError> {
    let (chunks, rest) = from.bytes()?.as_chunks::<4>();
    let sound = rest.is_empty();
    let numbers = chunks.iter().map(|&chunk| f32::from_le_bytes(chunk));
    sound.then(|| numbers.collect()).ok_or(LearnError::Record)
}

/// Reads a table of weights, of the size of the one it takes the place of.
pub(super) fn load_table<const D: usize>(
    old: &Param<Tensor<D>>,
    from: &mut Reader<'_>,
    device: &Device,
) -> Result<Param<Tensor<D>>, LearnError> {
    let (values, shape) = (load_numbers(from)?, old.val().dims());
    if values.len() != shape.iter().product::<usize>() {
        return Err(LearnError::Record);
    }
    Ok(Param::from_data(TensorData::new(values, shape), device))
}
