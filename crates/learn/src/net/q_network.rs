//! Values of actions from pictures: a convolution, a layer that sees the whole board, and a last one, as
//! plain numbers.

use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// Squares of a picture.
const SQUARES: usize = 64;
/// The side of a picture.
const SIDE: usize = 8;
/// Squares that a square of the next picture is made from: itself and its neighbours.
const AROUND: usize = 9;

/// The size of a network of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QShape {
    /// Planes of a position.
    pub planes: usize,
    /// Pictures that the first hidden layer makes.
    pub channels: usize,
    /// Neurons of the second.
    pub hidden: usize,
    /// Values.
    pub actions: usize,
}

impl QShape {
    /// The sizes of the tables: convolution, second layer, last layer, each followed by what is added
    /// in any case.
    pub fn sizes(&self) -> [usize; 6] {
        let Self {
            planes,
            channels,
            hidden,
            actions,
        } = *self;
        [
            planes * channels * AROUND,
            channels,
            channels * SQUARES * hidden,
            hidden,
            hidden * actions,
            actions,
        ]
    }

    /// How many weights there are.
    pub fn weights(&self) -> usize {
        self.sizes().iter().sum()
    }
}

/// A network of values that only answers.
///
/// Tables are in the framework's order: the convolution's is `[to][from][rank][file]`, the second
/// layer's `[channel][square][neuron]`, the last one's `[neuron][action]`.
#[derive(Clone, PartialEq, Debug)]
pub struct QNetwork {
    /// Its size.
    pub shape: QShape,
    /// Convolution, second layer, last layer; each with what is added in any case.
    pub tables: [Vec<f32>; 6],
    /// The convolution with the numbers that are used together side by side: `[from][rank][file][to]`.
    arranged: Vec<f32>,
}

/// Room for the numbers on their way through a network.
#[derive(Clone, Debug, Default)]
pub struct QScratch {
    first: Vec<f32>,
    second: Vec<f32>,
    /// The values of the actions.
    pub values: Vec<f32>,
}

impl QNetwork {
    /// A network from its tables.
    ///
    /// # Panics
    /// When their sizes are not those of the shape.
    pub fn new(shape: QShape, tables: [Vec<f32>; 6]) -> QNetwork {
        let QShape {
            planes, channels, ..
        } = shape;
        let sizes = shape.sizes();
        let found: [usize; 6] = std::array::from_fn(|i| tables[i].len());
        assert_eq!(found, sizes, "the tables fit the shape");
        let mut arranged = vec![0.0; sizes[0]];
        for to in 0..channels {
            for from in 0..planes {
                for place in 0..AROUND {
                    let weight = tables[0][(to * planes + from) * AROUND + place];
                    arranged[(from * AROUND + place) * channels + to] = weight;
                }
            }
        }
        QNetwork {
            shape,
            tables,
            arranged,
        }
    }

    /// Writes the weights.
    pub fn save(&self, out: &mut Writer) {
        for table in &self.tables {
            out.weights(table);
        }
    }

    /// Reads what [`QNetwork::save`] wrote.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(shape: QShape, from: &mut Reader<'_>) -> Result<QNetwork, LearnError> {
        let mut tables: [Vec<f32>; 6] = Default::default();
        for (table, size) in tables.iter_mut().zip(shape.sizes()) {
            *table = from.weights(size)?;
        }
        Ok(QNetwork::new(shape, tables))
    }

    /// The network with another one's weights, as far as they fit: `planes` says which plane of the
    /// other one each plane here stands for, `actions` the same of actions where there is one.
    ///
    /// # Panics
    /// When the other one's hidden layers have another size, or it has fewer planes or actions than
    /// named.
    #[must_use]
    pub fn taking_over(
        &self,
        other: &QNetwork,
        planes: &[usize],
        actions: &[Option<usize>],
    ) -> QNetwork {
        let channels = self.shape.channels;
        assert_eq!(channels, other.shape.channels, "as many channels");
        assert_eq!(self.shape.hidden, other.shape.hidden, "as many neurons");
        let mut tables = self.tables.clone();
        for to in 0..channels {
            for (plane, &theirs) in planes.iter().enumerate() {
                let here = (to * self.shape.planes + plane) * AROUND;
                let there = (to * other.shape.planes + theirs) * AROUND;
                tables[0][here..here + AROUND]
                    .copy_from_slice(&other.tables[0][there..there + AROUND]);
            }
        }
        tables[1..4].clone_from_slice(&other.tables[1..4]);
        for (action, theirs) in actions.iter().enumerate() {
            let Some(theirs) = *theirs else { continue };
            for from in 0..self.shape.hidden {
                tables[4][from * self.shape.actions + action] =
                    other.tables[4][from * other.shape.actions + theirs];
            }
            tables[5][action] = other.tables[5][theirs];
        }
        QNetwork::new(self.shape, tables)
    }

    /// The values of the actions in a position whose planes are one at these places, into the
    /// scratch.
    pub fn values(&self, ones: impl Iterator<Item = usize>, scratch: &mut QScratch) {
        let QShape {
            channels,
            hidden,
            actions,
            ..
        } = self.shape;
        let QScratch {
            first,
            second,
            values,
        } = scratch;
        let [_, bias_1, between, bias_2, last, bias_3] = &self.tables;
        // A plane has a single one: only what is around it is touched.
        fill(first, bias_1);
        for one in ones {
            let (plane, square) = (one / SQUARES, one % SQUARES);
            for (place, to) in around(square) {
                // The square sees its neighbour the other way round.
                let weights = &self.arranged[(plane * AROUND + AROUND - 1 - place) * channels..];
                add(&mut first[to * channels..][..channels], weights, 1.0);
            }
        }
        second.clear();
        second.extend(bias_2);
        for (square, pictures) in first.chunks_exact(channels).enumerate() {
            for (channel, &value) in pictures.iter().enumerate() {
                if value > 0.0 {
                    let row = (channel * SQUARES + square) * hidden;
                    add(second, &between[row..], value);
                }
            }
        }
        values.clear();
        values.extend(bias_3);
        for (neuron, &value) in second.iter().enumerate() {
            if value > 0.0 {
                add(values, &last[neuron * actions..], value);
            }
        }
    }
}

fn fill(numbers: &mut Vec<f32>, bias: &[f32]) {
    numbers.clear();
    for _ in 0..SQUARES {
        numbers.extend(bias);
    }
}

#[inline]
fn add(out: &mut [f32], weights: &[f32], value: f32) {
    for (sum, &weight) in out.iter_mut().zip(weights) {
        *sum += value * weight;
    }
}

/// The places around a square, itself among them, and the squares there.
fn around(square: usize) -> impl Iterator<Item = (usize, usize)> {
    let (rank, file) = (square / SIDE, square % SIDE);
    (0..AROUND).filter_map(move |place| {
        let (r, f) = (rank + place / 3, file + place % 3);
        let inside = (1..=SIDE).contains(&r) && (1..=SIDE).contains(&f);
        inside.then(|| (place, (r - 1) * SIDE + f - 1))
    })
}
