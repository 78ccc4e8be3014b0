//! Networks as files: safetensors, with as few bits to a weight as the network was trained for.
//!
//! A table of weights is one tensor of bytes. Each weight is a whole number of steps; the number,
//! plus the largest there can be, takes `bits` bits, the lowest first, without gaps. The sizes of
//! the steps are the tensor `steps`. Exact weights (`bits` = 0) are tensors of 32-bit numbers.

use std::collections::HashMap;

use safetensors::{
    SafeTensors,
    tensor::{Dtype, TensorView, serialize},
};

use super::{Layer, Network, Shape, Table, bias_bits};
use crate::LearnError;

/// The key of our text among the file's metadata. One key alone, because their order is not fixed.
const ABOUT: &str = "lucena";
/// The tensor of answers that the network gets wrong, if they are kept.
const ERRATA: &str = "errata";

impl Network {
    /// The network as a file that says `about` itself, with `errata` beside the weights.
    pub fn to_safetensors(&self, about: &str, errata: &[u8]) -> Vec<u8> {
        let packed: Vec<(String, Dtype, Vec<u8>)> = self
            .tables()
            .map(|(name, table)| {
                let bits = self.bits_of(&name);
                match bits {
                    0 => (name, Dtype::F32, floats(&table.values)),
                    _ => (name, Dtype::U8, pack(table, bits)),
                }
            })
            .collect();
        let steps: Vec<f32> = self.tables().map(|(_, table)| table.step).collect();
        let steps = ("steps".to_owned(), Dtype::F32, floats(&steps));
        let errata = (ERRATA.to_owned(), Dtype::U8, errata.to_vec());
        let tensors: Vec<_> = packed
            .iter()
            .chain([&steps])
            .chain((!errata.2.is_empty()).then_some(&errata))
            .map(|(name, dtype, bytes)| {
                let length = bytes.len() / if *dtype == Dtype::F32 { 4 } else { 1 };
                let view = TensorView::new(*dtype, vec![length], bytes);
                (
                    name.as_str(),
                    view.expect("as many bytes as the shape says"),
                )
            })
            .collect();
        let about = HashMap::from([(ABOUT.to_owned(), about.to_owned())]);
        serialize(tensors, Some(about)).expect("a file in memory")
    }

    /// What a file says about itself.
    ///
    /// # Errors
    /// When it is not a file of ours.
    pub fn about(file: &[u8]) -> Result<String, LearnError> {
        let (_, metadata) = SafeTensors::read_metadata(file).map_err(|_| LearnError::Weights)?;
        let about = metadata.metadata().as_ref().and_then(|map| map.get(ABOUT));
        about.cloned().ok_or(LearnError::Weights)
    }

    /// The errata in a file; most have none.
    ///
    /// # Errors
    /// When it is not a file of ours.
    pub fn errata(file: &[u8]) -> Result<Vec<u8>, LearnError> {
        let file = SafeTensors::deserialize(file).map_err(|_| LearnError::Weights)?;
        let errata = file.tensor(ERRATA).ok();
        Ok(errata.map_or(Vec::new(), |tensor| tensor.data().to_vec()))
    }

    /// Reads a network of a known size.
    ///
    /// # Errors
    /// When the file is damaged or of another size.
    pub fn from_safetensors(file: &[u8], shape: Shape) -> Result<Network, LearnError> {
        let file = SafeTensors::deserialize(file).map_err(|_| LearnError::Weights)?;
        let bytes = |name: &str, dtype: Dtype| {
            let tensor = file.tensor(name).map_err(|_| LearnError::Weights)?;
            (tensor.dtype() == dtype)
                .then_some(tensor.data())
                .ok_or(LearnError::Weights)
        };
        let mut steps = read_floats(bytes("steps", Dtype::F32)?).into_iter();
        let mut table = |name: &str, count: usize, bits: u32| {
            let step = steps.next().filter(|step| step.is_finite());
            let step = step.ok_or(LearnError::Weights)?;
            let values = match bits {
                0 => read_floats(bytes(name, Dtype::F32)?),
                _ => unpack(bytes(name, Dtype::U8)?, count, bits, step)?,
            };
            let sound = values.len() == count && values.iter().all(|value| value.is_finite());
            sound
                .then_some(Table { values, step })
                .ok_or(LearnError::Weights)
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

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn read_floats(bytes: &[u8]) -> Vec<f32> {
    let (chunks, _) = bytes.as_chunks();
    chunks
        .iter()
        .map(|&chunk| f32::from_le_bytes(chunk))
        .collect()
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

fn unpack(bytes: &[u8], count: usize, bits: u32, step: f32) -> Result<Vec<f32>, LearnError> {
    if bytes.len() != (count * bits as usize).div_ceil(8) {
        return Err(LearnError::Weights);
    }
    let value = |code: u8| (i32::from(code) - most(bits)) as f32 * step;
    Ok(play::packing::unpack(bytes, bits)
        .take(count)
        .map(value)
        .collect())
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
    fn a_file_holds_the_network_and_no_more_bytes_than_it_says() {
        for bits in [0, 3, 4, 5, 8] {
            let network = network(bits);
            let file = network.to_safetensors("a text", &[]);
            assert_eq!(Network::about(&file).unwrap(), "a text");
            assert!(Network::errata(&file).unwrap().is_empty());
            let corrected = network.to_safetensors("a text", &[7, 1]);
            assert_eq!(Network::errata(&corrected).unwrap(), [7, 1]);
            let again = Network::from_safetensors(&file, network.shape).unwrap();
            assert_eq!(again, network, "{bits} bits");
            assert_eq!(file, again.to_safetensors("a text", &[]));
        }
    }

    #[test]
    fn a_damaged_file_is_refused_and_never_a_panic() {
        let network = network(4);
        let file = network.to_safetensors("a text", &[]);
        for length in 0..file.len() {
            assert!(Network::from_safetensors(&file[..length], network.shape).is_err());
        }
        let wider = Shape {
            width: 4,
            ..network.shape
        };
        assert!(Network::from_safetensors(&file, wider).is_err());
        assert!(Network::about(b"nonsense").is_err());
    }
}
