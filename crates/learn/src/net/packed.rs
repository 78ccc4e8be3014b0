//! Networks as files: safetensors, with as few bits to a weight as the network was trained for.
//!
//! A table of weights is one tensor of bytes. Each weight is a whole number of steps; the number,
//! plus the largest there can be, takes `bits` bits, the lowest first, without gaps. The sizes of
//! the steps are the tensor `steps`. Exact weights (`bits` = 0) are tensors of 32-bit numbers.

use super::{Layer, Network, Shape, Table, Tensors, bias_bits};
use crate::LearnError;

/// The tensor of the sizes of steps.
const STEPS: &str = "steps";

impl Network {
    /// The network as it is stored.
    pub fn tensors(&self) -> Tensors {
        let mut tensors = Tensors::default();
        for (name, table) in self.tables() {
            match self.bits_of(&name) {
                0 => tensors.add(name, vec![table.values.len()], table.values.clone()),
                bits => tensors.add_bytes(name, pack(table, bits)),
            }
        }
        let steps: Vec<f32> = self.tables().map(|(_, table)| table.step).collect();
        tensors.add(STEPS, vec![steps.len()], steps);
        tensors
    }

    /// Reads a network of a known size.
    ///
    /// # Errors
    /// When the tensors are damaged or of another size.
    pub fn from_tensors(tensors: &Tensors, shape: Shape) -> Result<Network, LearnError> {
        let steps = tensors.numbers(STEPS).ok_or(LearnError::Weights)?;
        let mut steps = steps.iter().copied();
        let mut table = |name: &str, count: usize, bits: u32| -> Result<Table, LearnError> {
            let step = steps.next().filter(|step| step.is_finite());
            let step = step.ok_or(LearnError::Weights)?;
            let values = match bits {
                0 => tensors.numbers(name).map(<[f32]>::to_vec),
                _ => tensors
                    .bytes(name)
                    .and_then(|bytes| unpack(bytes, count, bits, step)),
            };
            let sound = |values: &Vec<f32>| {
                values.len() == count && values.iter().all(|value| value.is_finite())
            };
            let values = values.filter(sound).ok_or(LearnError::Weights)?;
            Ok(Table { values, step })
        };
        let rows = table("rows", shape.inputs * shape.width, shape.bits)?;
        let mut layers = (0..=shape.layers)
            .map(|i| {
                let gives = if i < shape.layers {
                    shape.width
                } else {
                    shape.classes
                };
                Ok(Layer {
                    weights: table(&format!("layer{i}.weight"), shape.width * gives, shape.bits)?,
                    bias: table(&format!("layer{i}.bias"), gives, bias_bits(shape.bits))?,
                })
            })
            .collect::<Result<Vec<Layer>, LearnError>>()?;
        Ok(Network {
            shape,
            rows,
            last: layers.pop().ok_or(LearnError::Weights)?,
            layers,
        })
    }

    fn bits_of(&self, name: &str) -> u32 {
        match name.ends_with("bias") {
            true => bias_bits(self.shape.bits),
            false => self.shape.bits,
        }
    }
}

/// The largest number of steps to either side.
fn most(bits: u32) -> i32 {
    (1 << (bits - 1)) - 1
}

fn pack(table: &Table, bits: u32) -> Vec<u8> {
    let most = most(bits);
    let codes = table.values.iter().map(|value| {
        let steps = (value / table.step).round() as i32;
        (steps.clamp(-most, most) + most) as u8
    });
    play::packing::pack(codes, bits)
}

/// The weights, if there are as many bytes as they take.
fn unpack(bytes: &[u8], count: usize, bits: u32, step: f32) -> Option<Vec<f32>> {
    let whole = bytes.len() == (count * bits as usize).div_ceil(8);
    let value = |code: u8| (i32::from(code) - most(bits)) as f32 * step;
    let values = play::packing::unpack(bytes, bits).take(count).map(value);
    whole.then(|| values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(bits: u32) -> Network {
        let shape = Shape {
            inputs: 5,
            active: 2,
            width: 3,
            layers: 1,
            classes: 4,
            bits,
        };
        let table = |count: usize, bits: u32, from: i32| {
            let step = if bits == 0 { 0.0 } else { 0.25 };
            let whole = |i: usize| (i as i32 * 5 + from) % (most(bits.max(3)) + 1) - 1;
            let values = (0..count).map(|i| whole(i) as f32 * 0.25).collect();
            Table { values, step }
        };
        let layer = |gives: usize| Layer {
            weights: table(3 * gives, bits, 1),
            bias: table(gives, bias_bits(bits), 2),
        };
        Network {
            shape,
            rows: table(15, bits, 0),
            layers: vec![layer(3)],
            last: layer(4),
        }
    }

    #[test]
    fn a_file_holds_the_network() {
        for bits in [0, 3, 4, 5, 8] {
            let network = network(bits);
            let file = network.tensors().to_file("a text");
            let (about, tensors) = Tensors::from_file(&file).unwrap();
            assert_eq!(about, "a text");
            let again = Network::from_tensors(&tensors, network.shape).unwrap();
            assert_eq!(again, network, "{bits} bits");
            assert_eq!(file, again.tensors().to_file("a text"));
        }
    }

    #[test]
    fn a_file_of_another_size_is_refused() {
        let network = network(4);
        let tensors = network.tensors();
        let wider = Shape {
            width: 4,
            ..network.shape
        };
        assert!(Network::from_tensors(&tensors, wider).is_err());
        assert!(Network::from_tensors(&Tensors::default(), network.shape).is_err());
    }
}
