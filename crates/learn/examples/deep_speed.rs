//! What training networks costs, as one JSON object.
//!
//!     cargo run --release -p lucena-learn --example deep_speed -- [SECONDS]
//!
//! Batches a second by batch size (forward, backward, Adam) for the network of `ypma-dqn` on KRK and for that
//! of `distance-net` on KBNK, each measured for so many seconds of the clock; then where the time of a run of 300
//! games of `ypma-dqn` goes. `python/checks/bench_networks.py` does the same with PyTorch.
#![allow(clippy::unwrap_used)] // an example ends with its first error

use std::time::{Duration, Instant};

use learn::{
    Course, DqnSettings, EndgameLearner, Learner, Opponent, Task,
    deep_q::dqn::DqnLearner,
    net::{QBatch, QShape, QTrainer, Shape, class_trainer},
};
use rules::Board;

/// Nobody stops these learners.
static UNSTOPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

const SHAPE: QShape = QShape {
    planes: 3,
    channels: 16,
    hidden: 128,
    actions: 36,
};

/// What `ways` makes of KBNK.
const DISTANCES: Shape = Shape {
    inputs: 1208,
    active: 10,
    width: 256,
    layers: 3,
    classes: 35,
    bits: 0,
};

/// Calls a second.
fn speed(seconds: f64, mut step: impl FnMut()) -> serde_json::Value {
    (0..5).for_each(|_| step());
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        step();
        count += 1;
    }
    (f64::from(count) / start.elapsed().as_secs_f64()).into()
}

/// A batch of deep Q-learning.
fn moves(size: usize) -> QBatch {
    let mut batch = QBatch::default();
    for i in 0..size {
        let first = batch.planes.len();
        batch.planes.resize(first + 3 * 64, 0.0);
        for plane in 0..3 {
            batch.planes[first + 64 * plane + (i * 13 + plane * 29) % 64] = 1.0;
        }
        batch.actions.push(i % 36);
        batch.targets.push(-1.0);
        batch.weights.push(1.0);
    }
    batch
}

fn main() {
    let seconds = std::env::args().nth(1).map_or(2.0, |s| s.parse().unwrap());
    let mut steps = serde_json::Map::new();
    for size in [16, 32, 64, 128, 256] {
        let batch = moves(size);
        let mut trainer = QTrainer::new(SHAPE, 1, 0.0);
        let measured = speed(seconds, || drop(trainer.learn(&batch, 1e-3)));
        steps.insert(size.to_string(), measured);
    }
    let mut distance_steps = serde_json::Map::new();
    for size in [256, 1024, 4096] {
        let mut trainer = class_trainer(DISTANCES, 1, "cpu", false).unwrap();
        let (inputs, active) = (DISTANCES.inputs, DISTANCES.active);
        let inputs: Vec<u16> = (0..size * active)
            .map(|i| (i * 7919 % inputs) as u16)
            .collect();
        let classes: Vec<u8> = (0..size).map(|i| (i % DISTANCES.classes) as u8).collect();
        trainer.study(&inputs, &classes);
        let batch: Vec<u32> = (0..size as u32).collect();
        let measured = speed(seconds, || drop(trainer.learn(&batch, 1e-3)));
        distance_steps.insert(size.to_string(), measured);
    }
    let course = Course {
        task: Task::Endgame("KRK".parse().unwrap(), Board::STANDARD),
        episodes: 300,
        seed: 1,
    };
    let mut learner =
        DqnLearner::new(DqnSettings::default(), course, Some(Opponent::Random)).unwrap();
    let start = Instant::now();
    for _ in 0..300 {
        learner.episode(&UNSTOPPED).unwrap();
    }
    let total = start.elapsed().as_secs_f64();
    let mut parts = serde_json::Map::new();
    let mut learning = 0.0;
    for (part, time, _) in learner.costs().parts() {
        learning += time.as_secs_f64();
        parts.insert((*part).to_owned(), time.as_secs_f64().into());
    }
    parts.insert("moves".into(), (total - learning).into());
    let report = serde_json::json!({
        "steps_per_second": steps,
        "distance_steps_per_second": distance_steps,
        "run": { "games": 300, "white_moves": learner.extent().visits, "seconds": total, "parts": parts },
    });
    println!("{report}");
}
