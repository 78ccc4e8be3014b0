//! What a training loop of deep Q-learning costs, as one JSON object.
//!
//!     cargo run --release -p lucena-learn --example deep_speed -- [SECONDS]
//!
//! Batches a second by batch size (forward, backward, Adam) for the network of `ypma-dqn` on KRK,
//! each measured for so many seconds of the clock; then where the time of a run of 300 games goes.
#![allow(clippy::unwrap_used)] // an example ends with its first error

use std::time::{Duration, Instant};

use learn::{
    DqnSettings, Learner, Opponent, Task,
    dqn::DqnLearner,
    net::{QBatch, QShape, QTrainer},
};
use rules::Board;

const SHAPE: QShape = QShape {
    planes: 3,
    channels: 16,
    hidden: 128,
    actions: 36,
};

fn main() {
    let seconds = std::env::args().nth(1).map_or(2.0, |s| s.parse().unwrap());
    let mut steps = serde_json::Map::new();
    for size in [16, 32, 64, 128, 256] {
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
        let mut trainer = QTrainer::new(SHAPE, 1, 0.0);
        (0..5).for_each(|_| drop(trainer.learn(&batch, 1e-3)));
        let (start, mut count) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_secs_f64(seconds) {
            trainer.learn(&batch, 1e-3);
            count += 1;
        }
        let speed = f64::from(count) / start.elapsed().as_secs_f64();
        steps.insert(size.to_string(), speed.into());
    }
    let task = Task {
        material: "KRK".parse().unwrap(),
        board: Board::STANDARD,
        episodes: 300,
        seed: 1,
    };
    let mut learner =
        DqnLearner::new(DqnSettings::default(), task, Some(Opponent::Random)).unwrap();
    let start = Instant::now();
    for _ in 0..300 {
        learner.episode().unwrap();
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
        "run": { "games": 300, "white_moves": learner.extent().visits, "seconds": total, "parts": parts },
    });
    println!("{report}");
}
