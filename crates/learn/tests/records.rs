//! Records of networks in training, as runs of earlier versions left them, are read and written as
//! they were: to the last byte, so that a run goes on from them as if nothing had happened.

use learn::{
    net::{ClassTraining, DenseTrainer, QBatch, QShape, QTrainer, Shape, class_trainer},
    runs::record::{Reader, Writer},
};
use play::{
    features::Feature,
    tiny_network::{Activation, Blueprint, Form},
};

/// Made by version 0.1.0 of November 2026, three batches after the start.
const DISTANCES: &[u8] = include_bytes!("data/trainer.record");
const ACTION_VALUES: &[u8] = include_bytes!("data/q_trainer.record");
const SMALL: &[u8] = include_bytes!("data/dense_trainer.record");

fn distances() -> Box<dyn ClassTraining> {
    let shape = Shape {
        inputs: 7,
        active: 2,
        width: 4,
        layers: 2,
        classes: 3,
        bits: 4,
    };
    let mut trainer = class_trainer(shape, 3, "cpu", false).expect("a trainer");
    trainer.study(&[0, 1, 2, 3, 4, 5, 6, 0], &[0, 1, 2, 1]);
    trainer
}

fn action_values() -> QTrainer {
    let shape = QShape {
        planes: 2,
        channels: 2,
        hidden: 3,
        actions: 4,
    };
    QTrainer::new(shape, 3, 0.01)
}

fn q_batch() -> QBatch {
    let mut batch = QBatch::default();
    for i in 0..4 {
        let first = batch.planes.len();
        batch.planes.resize(first + 2 * 64, 0.0);
        batch.planes[first + 9 * i] = 1.0;
        batch.planes[first + 64 + 5 * i] = 1.0;
        batch.actions.push(i);
        batch.targets.push(i as f32 - 1.5);
        batch.weights.push(1.0);
    }
    batch
}

fn small() -> DenseTrainer {
    let features = Feature::of_document_s("KRK").expect("features of KRK");
    let blueprint = Blueprint {
        material: "KRK".into(),
        bare_to_move: true,
        activation: Activation::Tanh,
        hidden: 3,
        bits: 4,
        inputs: features.iter().map(|&f| (f, Form::Number)).collect(),
    };
    DenseTrainer::new(&blueprint, 8.0, 3)
}

#[test]
fn distances_are_read_and_written_as_they_were() {
    let mut trainer = distances();
    trainer.load(&mut Reader::new(DISTANCES)).unwrap();
    let mut out = Writer::default();
    trainer.save(&mut out);
    assert!(out.into_bytes() == DISTANCES);
    // It goes on: the fourth step is taken from what the optimiser remembers.
    let before = trainer.network();
    trainer.learn(&[0, 1, 2, 3], 0.0);
    assert_eq!(trainer.network(), before);
    trainer.learn(&[0, 1, 2, 3], 0.1);
    assert_ne!(trainer.network(), before);
}

#[test]
fn action_values_are_read_and_written_as_they_were() {
    let mut trainer = action_values();
    trainer.load(&mut Reader::new(ACTION_VALUES)).unwrap();
    let mut out = Writer::default();
    trainer.save(&mut out);
    assert!(out.into_bytes() == ACTION_VALUES);
    let before = trainer.network();
    trainer.learn(&q_batch(), 0.1);
    assert_ne!(trainer.network(), before);
}

#[test]
fn small_networks_are_read_and_written_as_they_were() {
    let mut trainer = small();
    trainer.load(&mut Reader::new(SMALL)).unwrap();
    let mut out = Writer::default();
    trainer.save(&mut out);
    assert!(out.into_bytes() == SMALL);
    assert_ne!(trainer.weights(), small().weights());
}
