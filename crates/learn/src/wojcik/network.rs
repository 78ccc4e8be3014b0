//! A network that points at a square.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{
    INPUTS, Sight,
    product::{Matrix, add_product},
};
use crate::{
    LearnError,
    net::Tensors,
    runs::record::{Reader, Writer},
};

/// Answers of a network: the squares, from A8 to H1.
pub const SQUARES: usize = 64;
/// Numbers from layer to layer.
pub const WIDTHS: [usize; 5] = [INPUTS, 32, 128, 128, SQUARES];
/// Men on the board in the mean, for the size of the first weights.
const MEN: f32 = 24.0;

/// Four layers of weights: 384 numbers in, 32, 128 and 128 in between, each cut off below zero, and 64
/// scores out, which a softmax makes probabilities.
#[derive(Clone, PartialEq, Debug)]
pub struct SquareNetwork {
    /// For each layer a row of weights for every number that comes in, and a row of constants.
    pub(super) layers: [Vec<f32>; 4],
}

/// The numbers of many positions on their way through a network: what comes out of each layer.
pub(super) type Numbers = [Vec<f32>; 4];

impl SquareNetwork {
    /// A network with random weights.
    pub fn new(seed: u64) -> SquareNetwork {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut layer = |layer: usize| {
            let (inputs, outputs) = (WIDTHS[layer], WIDTHS[layer + 1]);
            // He's uniform weights; few of the first layer's numbers are not zero.
            let added = if layer == 0 { MEN } else { inputs as f32 };
            let scale = (6.0 / added).sqrt();
            let mut draw = || (random.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0) * scale;
            let mut weights: Vec<f32> = (0..inputs * outputs).map(|_| draw()).collect();
            weights.resize((inputs + 1) * outputs, 0.0);
            weights
        };
        SquareNetwork {
            layers: std::array::from_fn(&mut layer),
        }
    }

    /// How many weights a network has.
    pub const fn weights() -> usize {
        let (mut count, mut layer) = (0, 0);
        while layer < 4 {
            count += (WIDTHS[layer] + 1) * WIDTHS[layer + 1];
            layer += 1;
        }
        count
    }

    /// The weights and the constants of a layer.
    pub(super) fn layer(&self, layer: usize) -> (&[f32], &[f32]) {
        self.layers[layer].split_at(WIDTHS[layer] * WIDTHS[layer + 1])
    }

    /// What comes out of each layer; of the last one scores.
    pub(super) fn forward(&self, sights: &[Sight]) -> Numbers {
        let mut numbers = [const { Vec::new() }; 4];
        for layer in 0..4 {
            let (weights, constants) = self.layer(layer);
            let mut out = constants.repeat(sights.len());
            if layer == 0 {
                first_layer(weights, sights, &mut out);
            } else {
                let given = Matrix::new(&numbers[layer - 1], WIDTHS[layer]);
                add_product(given, Matrix::new(weights, WIDTHS[layer + 1]), &mut out);
            }
            if layer < 3 {
                out.iter_mut().for_each(|x| *x = x.max(0.0));
            }
            numbers[layer] = out;
        }
        numbers
    }

    /// How likely each square is, position after position, where those compete whose bits are set.
    pub fn answers(&self, sights: &[Sight], competing: &[u64]) -> Vec<f32> {
        let [.., mut scores] = self.forward(sights);
        for (scores, &competing) in scores.chunks_exact_mut(SQUARES).zip(competing) {
            softmax(scores, competing);
        }
        scores
    }

    /// Adds its tables to those of a file.
    pub(super) fn add_to(&self, name: &str, tensors: &mut Tensors) {
        for layer in 0..4 {
            let (weights, constants) = self.layer(layer);
            let (inputs, outputs) = (WIDTHS[layer], WIDTHS[layer + 1]);
            let table = |part: &str| format!("{name}.{layer}.{part}");
            tensors.add(table("weight"), vec![inputs, outputs], weights.to_vec());
            tensors.add(table("bias"), vec![outputs], constants.to_vec());
        }
    }

    /// Its tables out of a file.
    ///
    /// # Errors
    /// When one is missing, of another size, or holds something that is no number.
    pub(super) fn read_from(name: &str, tensors: &Tensors) -> Result<SquareNetwork, LearnError> {
        let mut layers: [Vec<f32>; 4] = [const { Vec::new() }; 4];
        for (layer, table) in layers.iter_mut().enumerate() {
            for part in ["weight", "bias"] {
                let numbers = tensors.numbers(&format!("{name}.{layer}.{part}"));
                table.extend(numbers.ok_or(LearnError::Weights)?);
            }
            let finite = table.iter().all(|weight| weight.is_finite());
            if table.len() != (WIDTHS[layer] + 1) * WIDTHS[layer + 1] || !finite {
                return Err(LearnError::Weights);
            }
        }
        Ok(SquareNetwork { layers })
    }

    /// Writes its weights.
    pub(super) fn save(&self, out: &mut Writer) {
        self.layers.iter().for_each(|layer| out.weights(layer));
    }

    /// Reads what [`SquareNetwork::save`] wrote.
    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        for layer in &mut self.layers {
            *layer = from.weights(layer.len())?;
        }
        Ok(())
    }
}

/// Adds the rows of what is on the board.
fn first_layer(weights: &[f32], sights: &[Sight], out: &mut [f32]) {
    let width = WIDTHS[1];
    for (sight, out) in sights.iter().zip(out.chunks_exact_mut(width)) {
        for &place in sight.own() {
            let row = &weights[usize::from(place) * width..][..width];
            out.iter_mut().zip(row).for_each(|(x, weight)| *x += weight);
        }
        for &place in sight.others() {
            let row = &weights[usize::from(place) * width..][..width];
            out.iter_mut().zip(row).for_each(|(x, weight)| *x -= weight);
        }
    }
}

/// Scores as probabilities, among those that compete; the others, and all where none does, are impossible.
pub(super) fn softmax(scores: &mut [f32], competing: u64) {
    for (place, score) in scores.iter_mut().enumerate() {
        if competing >> place & 1 == 0 {
            *score = f32::NEG_INFINITY;
        }
    }
    // Not less than some finite number, so that nothing is compared with infinity.
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    scores.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f32 = scores.iter().sum();
    if sum > 0.0 {
        scores.iter_mut().for_each(|x| *x /= sum);
    }
}
