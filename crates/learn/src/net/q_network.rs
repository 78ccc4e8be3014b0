//! Values of actions from pictures: two convolutions and a last layer, as plain numbers.

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
    /// Pictures that each hidden layer makes.
    pub channels: usize,
    /// Values.
    pub actions: usize,
}

impl QShape {
    /// The sizes of the tables: first convolution, second convolution, last layer, each followed by
    /// what is added in any case.
    pub fn sizes(&self) -> [usize; 6] {
        let Self {
            planes,
            channels,
            actions,
        } = *self;
        [
            planes * channels * AROUND,
            channels,
            channels * channels * AROUND,
            channels,
            channels * SQUARES * actions,
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
/// Tables are in the framework's order: a convolution's is `[to][from][rank][file]`, the last one's
/// `[channel][square][action]`.
#[derive(Clone, PartialEq, Debug)]
pub struct QNetwork {
    /// Its size.
    pub shape: QShape,
    /// First convolution, second convolution, last layer; each with what is added in any case.
    pub tables: [Vec<f32>; 6],
    /// Both convolutions with the numbers that are used together side by side:
    /// `[from][rank][file][to]` and `[rank][file][from][to]`.
    arranged: [Vec<f32>; 2],
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
        let mut arranged = [vec![0.0; sizes[0]], vec![0.0; sizes[2]]];
        for to in 0..channels {
            for place in 0..AROUND {
                for from in 0..planes {
                    let weight = tables[0][(to * planes + from) * AROUND + place];
                    arranged[0][(from * AROUND + place) * channels + to] = weight;
                }
                for from in 0..channels {
                    let weight = tables[2][(to * channels + from) * AROUND + place];
                    arranged[1][(place * channels + from) * channels + to] = weight;
                }
            }
        }
        QNetwork {
            shape,
            tables,
            arranged,
        }
    }

    /// The network with another one's weights, as far as they fit: `planes` says which plane of the
    /// other one each plane here stands for, `actions` the same of actions where there is one.
    ///
    /// # Panics
    /// When the other one has another number of channels, or fewer planes or actions than named.
    #[must_use]
    pub fn taking_over(
        &self,
        other: &QNetwork,
        planes: &[usize],
        actions: &[Option<usize>],
    ) -> QNetwork {
        let channels = self.shape.channels;
        assert_eq!(channels, other.shape.channels, "as many channels");
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
            for from in 0..channels * SQUARES {
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
            channels, actions, ..
        } = self.shape;
        let QScratch {
            first,
            second,
            values,
        } = scratch;
        let [_, bias_1, _, bias_2, last, bias_3] = &self.tables;
        // A plane has a single one: only what is around it is touched.
        fill(first, bias_1);
        for one in ones {
            let (plane, square) = (one / SQUARES, one % SQUARES);
            for (place, to) in around(square) {
                // The square sees its neighbour the other way round.
                let weights = &self.arranged[0][(plane * AROUND + AROUND - 1 - place) * channels..];
                add(&mut first[to * channels..][..channels], weights, 1.0);
            }
        }
        first.iter_mut().for_each(|x| *x = x.max(0.0));
        fill(second, bias_2);
        for square in 0..SQUARES {
            let out = &mut second[square * channels..][..channels];
            for (place, from) in around(square) {
                let given = &first[from * channels..][..channels];
                for (channel, &value) in given.iter().enumerate() {
                    if value != 0.0 {
                        let row = (place * channels + channel) * channels;
                        add(out, &self.arranged[1][row..], value);
                    }
                }
            }
        }
        values.clear();
        values.extend(bias_3);
        for square in 0..SQUARES {
            for channel in 0..channels {
                let value = second[square * channels + channel];
                if value > 0.0 {
                    let row = (channel * SQUARES + square) * actions;
                    add(values, &last[row..], value);
                }
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
