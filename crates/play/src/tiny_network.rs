//! A network small enough to be counted in bytes: it guesses how many moves of the strong side are
//! left until it mates a bare king.
//!
//! It has one hidden layer. An input is a [`Feature`], given in one of three forms: as a number that
//! multiplies a row of weights, as the same number spread from −1 to 1, or as the choice of a row. The
//! rows are added up, each sum goes through the activation, and a last row makes one number of them.
//! When a network is loaded, all forms become the same thing, a row for every value of every input, so that evaluating it is a few
//! additions of rows.
//!
//! # The file
//!
//! All numbers have their lower bytes first.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `LTN1` |
//! | 1 + n | the endgame, such as `KRK`: its length and its letters |
//! | 1 | 0: it knows positions with the strong side to move, 1: with the bare king to move |
//! | 1 | activation: 0 cuts off what is negative, 1 is the hyperbolic tangent |
//! | 1 | hidden neurons, 1 to 64 |
//! | 1 | bits to a weight, 2 to 8 |
//! | 1 + 2n | inputs: how many; of each the number of its feature, and 0 for a number, 1 for a choice or 2 for a spread number |
//! | 12 | step of the rows, step of the last row, constant of the answer: floating-point numbers |
//! | rest | whole numbers of so many bits, two's complement, lowest bits first, without gaps: row after row, the row that is always added, the last row |
//!
//! The last two lines are the *weights as they are stored*, which [`TinyNetwork::weight_bytes`]
//! counts; what stands before them says what they are weights of.

use crate::{
    features::{Feature, Needs, View},
    packing::{pack, unpack},
};

/// The most neurons of the hidden layer.
pub const MAX_HIDDEN: usize = 64;
const MAGIC: &[u8; 4] = b"LTN1";
/// Rows are padded to a multiple of this, so that additions come in whole registers.
const LANES: usize = 8;

/// What a hidden neuron makes of its sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// Cuts off what is negative.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
}

/// How an input is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its value multiplies a row.
    Number,
    /// Its value chooses a row.
    Choice,
    /// Its value multiplies a row, the smallest being −1 and the greatest 1: with few bits to a
    /// weight, inputs should be of about one size and lie around zero.
    Spread,
}

/// What the weights of a network are weights of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blueprint {
    /// The endgame.
    pub material: String,
    /// Does it know positions with the bare king to move, rather than the strong side?
    pub bare_to_move: bool,
    /// What a hidden neuron does.
    pub activation: Activation,
    /// Neurons of the hidden layer.
    pub hidden: usize,
    /// Bits to a weight.
    pub bits: u32,
    /// The inputs.
    pub inputs: Vec<(Feature, Form)>,
}

impl Blueprint {
    /// Rows of weights, without the one that is always added.
    pub fn rows(&self) -> usize {
        self.inputs
            .iter()
            .map(|&(feature, form)| rows_of(feature, form))
            .sum()
    }

    /// Weights: the rows, the one that is always added, and the last.
    pub fn weights(&self) -> usize {
        (self.rows() + 2) * self.hidden
    }

    /// Bytes that the weights take as they are stored, with the sizes of their steps.
    pub fn weight_bytes(&self) -> usize {
        12 + (self.weights() * self.bits as usize).div_ceil(8)
    }

    /// The row and the factor of every input, in the order of the inputs.
    pub fn active(&self, view: &View, out: &mut Vec<(usize, f32)>) {
        let mut start = 0;
        for &(feature, form) in &self.inputs {
            let value = feature.value(view);
            out.push(match form {
                Form::Number => (start, value as f32),
                Form::Choice => (start + value, 1.0),
                Form::Spread => (start, spread(feature, value)),
            });
            start += rows_of(feature, form);
        }
    }
}

fn rows_of(feature: Feature, form: Form) -> usize {
    match form {
        Form::Number | Form::Spread => 1,
        Form::Choice => feature.values(),
    }
}

/// A value between −1 and 1.
fn spread(feature: Feature, value: usize) -> f32 {
    let greatest = feature.values().saturating_sub(1).max(1);
    2.0 * value as f32 / greatest as f32 - 1.0
}

/// Weights in whole steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The size of a step in the rows.
    pub row_step: f32,
    /// The size of a step in the last row.
    pub last_step: f32,
    /// The constant of the answer.
    pub constant: f32,
    /// Row after row, then the row that is always added.
    pub rows: Vec<i8>,
    /// The last row.
    pub last: Vec<i8>,
}

/// Why bytes are no network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a network of this program: {0}")]
pub struct NetworkError(pub &'static str);

/// A network, ready to answer.
#[derive(Clone, PartialEq, Debug)]
pub struct TinyNetwork {
    blueprint: Blueprint,
    weights: Weights,
    /// A row for every value of every input.
    table: Vec<f32>,
    /// Where each input's rows begin.
    inputs: Vec<(Feature, usize)>,
    /// The row that is always added, and the last one.
    always: Vec<f32>,
    last: Vec<f32>,
    stride: usize,
    needs: Needs,
}

impl TinyNetwork {
    /// The network of these weights.
    ///
    /// # Errors
    /// When they do not fit the blueprint.
    pub fn new(blueprint: Blueprint, weights: Weights) -> Result<TinyNetwork, NetworkError> {
        let hidden = blueprint.hidden;
        if !(1..=MAX_HIDDEN).contains(&hidden) {
            return Err(NetworkError("1 to 64 hidden neurons are possible"));
        }
        if !(2..=8).contains(&blueprint.bits) {
            return Err(NetworkError("2 to 8 bits a weight are possible"));
        }
        if blueprint.inputs.is_empty() || blueprint.inputs.len() > 64 {
            return Err(NetworkError("1 to 64 inputs are possible"));
        }
        if weights.rows.len() != (blueprint.rows() + 1) * hidden || weights.last.len() != hidden {
            return Err(NetworkError("another number of weights"));
        }
        let most = (1i16 << (blueprint.bits - 1)) - 1;
        if weights
            .rows
            .iter()
            .chain(&weights.last)
            .any(|&w| i16::from(w).abs() > most)
        {
            return Err(NetworkError("a weight has too many bits"));
        }
        let steps = [weights.row_step, weights.last_step, weights.constant];
        if steps
            .iter()
            .any(|step| !step.is_finite() || step.abs() > 1e6)
        {
            return Err(NetworkError("a step or the constant is no sensible number"));
        }
        let stride = hidden.next_multiple_of(LANES);
        let row = |i: usize| -> Vec<f32> {
            let row = weights.rows[i * hidden..][..hidden].iter();
            let mut row: Vec<f32> = row.map(|&w| f32::from(w) * weights.row_step).collect();
            row.resize(stride, 0.0);
            row
        };
        let (mut table, mut inputs, mut start) = (Vec::new(), Vec::new(), 0);
        for &(feature, form) in &blueprint.inputs {
            inputs.push((feature, table.len()));
            for value in 0..feature.values() {
                table.extend(match form {
                    Form::Number => row(start).iter().map(|w| w * value as f32).collect(),
                    Form::Choice => row(start + value),
                    Form::Spread => {
                        let factor = spread(feature, value);
                        row(start).iter().map(|w| w * factor).collect()
                    }
                });
            }
            start += rows_of(feature, form);
        }
        let mut last: Vec<f32> = weights
            .last
            .iter()
            .map(|&w| f32::from(w) * weights.last_step)
            .collect();
        last.resize(stride, 0.0);
        Ok(TinyNetwork {
            always: row(start),
            needs: Needs {
                attacks: inputs.iter().any(|(feature, _)| feature.needs_attacks()),
                from_corner: inputs.iter().any(|(feature, _)| feature.needs_corner()),
            },
            blueprint,
            weights,
            table,
            inputs,
            last,
            stride,
        })
    }

    /// What its weights are weights of.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// Bytes of the weights as they are stored.
    pub fn weight_bytes(&self) -> usize {
        self.blueprint.weight_bytes()
    }

    /// What a view must know.
    #[inline]
    pub(crate) fn needs(&self) -> Needs {
        self.needs
    }

    /// The strong side's moves to mate, as it guesses.
    #[inline]
    pub fn moves(&self, view: &View) -> f32 {
        match self.stride {
            8 => self.forward::<8>(view),
            16 => self.forward::<16>(view),
            24 => self.forward::<24>(view),
            _ => self.forward::<MAX_HIDDEN>(view),
        }
    }

    /// `WIDTH` is the padded number of neurons, or more.
    #[inline]
    fn forward<const WIDTH: usize>(&self, view: &View) -> f32 {
        let stride = if WIDTH == MAX_HIDDEN {
            self.stride
        } else {
            WIDTH
        };
        let mut sums = [0.0f32; WIDTH];
        sums[..stride].copy_from_slice(&self.always);
        for &(feature, start) in &self.inputs {
            let row = &self.table[start + feature.value(view) * stride..][..stride];
            for (sum, weight) in sums[..stride].iter_mut().zip(row) {
                *sum += weight;
            }
        }
        let sums = sums[..stride].iter();
        let products = sums.zip(&self.last);
        self.weights.constant
            + match self.blueprint.activation {
                Activation::Relu => products.map(|(sum, last)| sum.max(0.0) * last).sum::<f32>(),
                Activation::Tanh => products
                    .take(self.blueprint.hidden)
                    .map(|(sum, last)| sum.tanh() * last)
                    .sum(),
            }
    }

    /// The network as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Blueprint {
            material,
            bare_to_move,
            activation,
            hidden,
            bits,
            inputs,
        } = &self.blueprint;
        let mut bytes = MAGIC.to_vec();
        bytes.push(material.len() as u8);
        bytes.extend(material.as_bytes());
        bytes.push(u8::from(*bare_to_move));
        bytes.push(u8::from(*activation == Activation::Tanh));
        bytes.extend([*hidden as u8, *bits as u8, inputs.len() as u8]);
        for &(feature, form) in inputs {
            let form = match form {
                Form::Number => 0,
                Form::Choice => 1,
                Form::Spread => 2,
            };
            bytes.extend([feature as u8, form]);
        }
        for step in [
            self.weights.row_step,
            self.weights.last_step,
            self.weights.constant,
        ] {
            bytes.extend(step.to_le_bytes());
        }
        let weights = self.weights.rows.iter().chain(&self.weights.last);
        bytes.extend(pack(weights.map(|&weight| weight as u8), *bits));
        bytes
    }

    /// Reads what [`TinyNetwork::to_bytes`] wrote. A stranger's file is only ever data.
    ///
    /// # Errors
    /// When the bytes are no network.
    pub fn from_bytes(bytes: &[u8]) -> Result<TinyNetwork, NetworkError> {
        const SHORT: NetworkError = NetworkError("it is cut short");
        let mut rest = bytes;
        let mut take = |count: usize| -> Result<&[u8], NetworkError> {
            let (head, tail) = rest.split_at_checked(count).ok_or(SHORT)?;
            rest = tail;
            Ok(head)
        };
        if take(4)? != MAGIC {
            return Err(NetworkError("it does not begin with LTN1"));
        }
        let letters = take(1)?[0];
        let material = std::str::from_utf8(take(letters.into())?);
        let material = material
            .map_err(|_| NetworkError("the endgame is no text"))?
            .to_owned();
        let &[bare, activation, hidden, bits, count] = take(5)? else {
            return Err(SHORT);
        };
        if bare > 1 || activation > 1 {
            return Err(NetworkError("an unknown side or activation"));
        }
        let mut inputs = Vec::new();
        for pair in take(2 * usize::from(count))?.chunks_exact(2) {
            let feature =
                Feature::from_number(pair[0]).ok_or(NetworkError("an unknown feature"))?;
            let form = match pair[1] {
                0 => Form::Number,
                1 => Form::Choice,
                2 => Form::Spread,
                _ => return Err(NetworkError("an unknown form of input")),
            };
            inputs.push((feature, form));
        }
        let blueprint = Blueprint {
            material,
            bare_to_move: bare == 1,
            activation: if activation == 1 {
                Activation::Tanh
            } else {
                Activation::Relu
            },
            hidden: hidden.into(),
            bits: bits.into(),
            inputs,
        };
        if !(2..=8).contains(&bits) {
            return Err(NetworkError("2 to 8 bits a weight are possible"));
        }
        let mut steps = [0.0f32; 3];
        for (step, bytes) in steps.iter_mut().zip(take(12)?.chunks_exact(4)) {
            *step = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let packed = take(blueprint.weight_bytes() - 12)?;
        if !rest.is_empty() {
            return Err(NetworkError("there is something behind the weights"));
        }
        // Up against the sign bit and back: that fills in the sign.
        let signed = |code: u8| (code << (8 - bits)) as i8 >> (8 - bits);
        let mut weights: Vec<i8> = unpack(packed, bits.into())
            .take(blueprint.weights())
            .map(signed)
            .collect();
        let last = weights.split_off((blueprint.rows() + 1) * blueprint.hidden);
        let [row_step, last_step, constant] = steps;
        TinyNetwork::new(
            blueprint,
            Weights {
                row_step,
                last_step,
                constant,
                rows: weights,
                last,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use rules::{FewMenRules, Position};

    use super::*;

    fn network(bits: u32, activation: Activation) -> TinyNetwork {
        let blueprint = Blueprint {
            material: "KRK".into(),
            bare_to_move: true,
            activation,
            hidden: 3,
            bits,
            inputs: vec![
                (Feature::BareSquare, Form::Choice),
                (Feature::KingsApart, Form::Number),
                (Feature::FirstToBare, Form::Spread),
            ],
        };
        let most = (1 << (bits - 1)) - 1;
        let weight = |i: usize| (((i * 37 + 11) % (2 * most + 1)) as i32 - most as i32) as i8;
        let rows = (blueprint.rows() + 1) * 3;
        let weights = Weights {
            row_step: 0.25,
            last_step: 0.5,
            constant: 7.0,
            rows: (0..rows).map(weight).collect(),
            last: (100..103).map(weight).collect(),
        };
        TinyNetwork::new(blueprint, weights).unwrap()
    }

    #[test]
    fn a_network_comes_back_from_its_file() {
        for bits in 2..=8 {
            for activation in [Activation::Relu, Activation::Tanh] {
                let network = network(bits, activation);
                let bytes = network.to_bytes();
                assert_eq!(TinyNetwork::from_bytes(&bytes), Ok(network.clone()));
                // Everything behind the head is counted.
                let head = 4 + 1 + 3 + 5 + 2 * 3;
                assert_eq!(bytes.len() - head, network.weight_bytes(), "{bits} bits");
            }
        }
    }

    #[test]
    fn a_damaged_file_is_refused_and_never_panics() {
        let bytes = network(5, Activation::Relu).to_bytes();
        for length in 0..bytes.len() {
            assert!(
                TinyNetwork::from_bytes(&bytes[..length]).is_err(),
                "{length}"
            );
        }
        assert!(TinyNetwork::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        for at in 0..bytes.len() {
            for value in [0, 1, 7, 63, 255] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Ok(network) = TinyNetwork::from_bytes(&damaged) {
                    assert!(network.weight_bytes() < 1000);
                }
            }
        }
        let refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut damaged = bytes.clone();
            change(&mut damaged);
            TinyNetwork::from_bytes(&damaged).unwrap_err().to_string()
        };
        assert!(refused(&|bytes| bytes[0] = 0).contains("LTN1"));
        assert!(refused(&|bytes| bytes[13] = 31).contains("feature"));
        let infinite = f32::INFINITY.to_le_bytes();
        assert!(refused(&|bytes| bytes[19..23].copy_from_slice(&infinite)).contains("number"));
    }

    #[test]
    fn the_answer_is_the_sum_that_the_head_of_this_file_describes() {
        let position = Position::from_fen("7k/8/8/8/8/8/8/K6R b - - 0 1").unwrap();
        let rules = FewMenRules::new(position.material(), position.board()).unwrap();
        let view = View::of_few_men(&rules, rules.compact(&position).unwrap()).unwrap();
        for activation in [Activation::Relu, Activation::Tanh] {
            let network = network(6, activation);
            let Weights { rows, last, .. } = &network.weights;
            let mut answer = 7.0;
            for j in 0..3 {
                let weight = |row: usize| f32::from(rows[row * 3 + j]) * 0.25;
                // The corner is the first of ten squares, the kings have six squares between them;
                // the rook is as far from the bare king as it can be.
                let sum = weight(0) + 6.0 * weight(10) + weight(11) + weight(12);
                let neuron = match activation {
                    Activation::Relu => sum.max(0.0),
                    Activation::Tanh => sum.tanh(),
                };
                answer += neuron * f32::from(last[j]) * 0.5;
            }
            assert!((network.moves(&view) - answer).abs() < 1e-5);
        }
    }
}
