//! The mean of a network over its last steps.
//!
//! A network in training jumps about the best weights with every batch. Their mean over the last
//! batches stands nearer (Polyak and Juditsky 1992), and what is asked of it does not depend on the
//! batch that came last. The mean stays on the device where the network is trained.

use burn::{
    module::{Module, ModuleMapper, ModuleVisitor, Param},
    tensor::Tensor,
};

use super::Shape;

impl Shape {
    /// Can networks of this size be averaged? Weights in steps cannot: a mean lies between them.
    pub fn can_be_averaged(&self) -> bool {
        self.bits == 0
    }
}

/// The mean after every weight has moved a part of the way to a module's of the same form.
pub(super) fn approach<M: Module>(mean: M, module: &M, part: f32) -> M {
    let mut rows = Rows(Vec::new());
    module.visit(&mut rows);
    rows.0.reverse(); // they are taken from the end
    mean.map(&mut Approach { rows: rows.0, part })
}

/// The tables of a module, each as one row, without differentiation.
struct Rows(Vec<Tensor<1>>);

impl ModuleVisitor for Rows {
    fn visit_float<const D: usize>(&mut self, table: &Param<Tensor<D>>) {
        let weights = table.val().inner();
        let count = weights.dims().iter().product::<usize>();
        self.0.push(weights.reshape([count]));
    }
}

struct Approach {
    /// What is approached, the first table last.
    rows: Vec<Tensor<1>>,
    part: f32,
}

impl ModuleMapper for Approach {
    fn map_float<const D: usize>(&mut self, mean: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let theirs = self.rows.pop().expect("modules of one form");
        mean.map(|mean| {
            let theirs = theirs.reshape(mean.dims());
            mean.clone() + (theirs - mean) * self.part
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        net::{ClassTraining as _, Network, trainer::Trainer},
        runs::record::{Reader, Writer},
    };

    const SHAPE: Shape = Shape {
        inputs: 5,
        active: 2,
        width: 3,
        layers: 2,
        classes: 4,
        bits: 0,
    };

    fn trainer() -> Trainer {
        let mut trainer = Trainer::new(SHAPE, 1).averaging();
        trainer.study(&[0, 1, 2, 3, 4, 0, 1, 3], &[0, 1, 2, 3]);
        trainer
    }

    fn weights(network: &Network) -> Vec<f32> {
        let tables = network.tables();
        tables.flat_map(|(_, table)| table.values.clone()).collect()
    }

    #[test]
    fn the_mean_moves_a_part_of_the_way_and_no_bit_further() {
        let mut trainer = trainer();
        let before = weights(&trainer.network());
        trainer.learn(&[0, 1, 2, 3], 0.1);
        assert_eq!(
            weights(&trainer.network()),
            before,
            "it does not move by itself"
        );
        let mut plain = Trainer::new(SHAPE, 1);
        plain.study(&[0, 1, 2, 3, 4, 0, 1, 3], &[0, 1, 2, 3]);
        plain.learn(&[0, 1, 2, 3], 0.1);
        let now = weights(&plain.network());
        assert!(before != now && before.len() == 15 + 2 * 12 + 16);
        trainer.approach(0.3);
        let expected = before
            .iter()
            .zip(&now)
            .map(|(was, is)| was + 0.3f32 * (is - was));
        assert_eq!(weights(&trainer.network()), expected.collect::<Vec<f32>>());
    }

    #[test]
    fn the_mean_is_part_of_a_saved_trainer() {
        let mut one = trainer();
        one.learn(&[0, 1, 2, 3], 0.1);
        one.approach(0.5);
        let mut out = Writer::default();
        one.save(&mut out);
        let record = out.into_bytes();
        let mut other = trainer();
        other.load(&mut Reader::new(&record)).unwrap();
        assert_eq!(one.network(), other.network());
        for trainer in [&mut one, &mut other] {
            trainer.learn(&[3, 2, 1], 0.1);
            trainer.approach(0.5);
        }
        assert_eq!(one.network(), other.network());
        for length in [record.len() - 1, record.len() - 30] {
            assert!(other.load(&mut Reader::new(&record[..length])).is_err());
        }
    }
}
