//! The mean of a network over its last steps.
//!
//! A network in training jumps about the best weights with every batch. Their mean over the last
//! batches stands nearer (Polyak and Juditsky 1992), and what is asked of it does not depend on the
//! batch that came last.

use super::{Network, Shape, Table};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

impl Network {
    /// Moves every weight a part of the way to another network's.
    ///
    /// # Panics
    /// When the other one is of another size.
    pub fn approach(&mut self, other: &Network, part: f32) {
        assert_eq!(self.shape, other.shape, "networks of one size");
        for (ours, (_, theirs)) in self.tables_mut().zip(other.tables()) {
            for (ours, theirs) in ours.values.iter_mut().zip(&theirs.values) {
                *ours += part * (theirs - *ours);
            }
        }
    }

    fn tables_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        let layers = self.layers.iter_mut().chain([&mut self.last]);
        let layers = layers.flat_map(|layer| [&mut layer.weights, &mut layer.bias]);
        std::iter::once(&mut self.rows).chain(layers)
    }

    /// Writes the weights.
    pub fn save(&self, out: &mut Writer) {
        for (_, table) in self.tables() {
            let bytes: Vec<u8> = table.values.iter().flat_map(|w| w.to_le_bytes()).collect();
            out.bytes(&bytes);
        }
    }

    /// Reads what [`Network::save`] wrote into a network of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        for table in self.tables_mut() {
            let (chunks, rest) = from.bytes()?.as_chunks::<4>();
            if chunks.len() != table.values.len() || !rest.is_empty() {
                return Err(LearnError::Record);
            }
            table.values = chunks.iter().map(|&c| f32::from_le_bytes(c)).collect();
        }
        Ok(())
    }
}

impl Shape {
    /// Can networks of this size be averaged? Weights in steps cannot: a mean lies between them.
    pub fn can_be_averaged(&self) -> bool {
        self.bits == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Trainer;

    fn networks() -> [Network; 2] {
        let shape = Shape {
            inputs: 5,
            active: 2,
            width: 3,
            layers: 2,
            classes: 4,
            bits: 0,
        };
        [1, 2].map(|seed| Trainer::new(shape, seed, "cpu").unwrap().network())
    }

    #[test]
    fn half_way_is_the_mean_and_all_the_way_the_other() {
        let [one, other] = networks();
        let mut between = one.clone();
        between.approach(&other, 0.5);
        let weights = |network: &Network| -> Vec<f32> {
            let tables = network.tables();
            tables.flat_map(|(_, table)| table.values.clone()).collect()
        };
        let (a, b, mean) = (weights(&one), weights(&other), weights(&between));
        assert!(a != b && a.len() == 15 + 2 * 12 + 16);
        for i in 0..a.len() {
            assert!((mean[i] - (a[i] + b[i]) / 2.0).abs() < 1e-6);
        }
    }

    #[test]
    fn saved_and_read_back() {
        let [one, mut other] = networks();
        let mut out = Writer::default();
        one.save(&mut out);
        let record = out.into_bytes();
        assert!(other.load(&mut Reader::new(&record[..20])).is_err());
        other.load(&mut Reader::new(&record)).unwrap();
        assert_eq!(one, other);
    }
}
