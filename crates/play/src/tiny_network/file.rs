//! The file of a small network.
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

use super::{Activation, Blueprint, Form, NetworkError, TinyNetwork, Weights};
use crate::{
    features::Feature,
    packing::{pack, unpack},
};

const MAGIC: &[u8; 4] = b"LTN1";

impl TinyNetwork {
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
    use super::*;
    use crate::tiny_network::tests::network;

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
}
