//! How many positions a second a tower answers and learns on a device, without any search around it.
//!
//! `cargo run --release -p lucena-learn --features libtorch --example tower_speed -- cuda ccccccc 64`

use std::{
    env, thread,
    time::{Duration, Instant},
};

use learn::{
    imitation::{MOVES, SIGHTS},
    net::{TowerBatch, TowerRates, TowerShape, tower_trainer},
};

/// How long each figure is measured.
const SPELL: Duration = Duration::from_secs(1);
/// Legal moves of a board.
const ROOM: usize = 40;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let argument =
        |place: usize, usual: &str| arguments.get(place).map_or(usual, |it| it).to_owned();
    let (device, blocks) = (argument(0, "cpu"), argument(1, "ccccccc"));
    let width: usize = argument(2, "64").parse().expect("numbers for each square");
    let shape = TowerShape {
        inputs: SIGHTS,
        width,
        blocks,
        squeeze: (width / 4).max(1),
        heads: 4,
        hidden: 4 * width,
        keys: width,
    };
    let rates = TowerRates {
        decay: 0.01,
        ending: 1.0,
        average: 0.99,
    };
    let mut trainer = tower_trainer(&shape, rates, 1, &device).expect("a tower");
    #[cfg(feature = "libtorch")]
    if argument(3, "") == "untuned" {
        tch::Cuda::cudnn_set_benchmark(false);
    }
    println!("{} weights on {device}", shape.weights());
    for threads in [1, 2, 4, 8] {
        for size in [32, 256, 512, 1024, 2048] {
            let Some(tower) = trainer.answers() else {
                continue;
            };
            let (sights, legal) = boards(size);
            let asked: Vec<(u64, f64)> = thread::scope(|scope| {
                let workers: Vec<_> = (0..threads)
                    .map(|_| {
                        let (mut tower, sights, legal) = (tower.again(), &sights, &legal);
                        scope.spawn(move || {
                            tower.answer(sights, legal, ROOM);
                            let (begun, mut asked) = (Instant::now(), 0);
                            while begun.elapsed() < SPELL {
                                tower.answer(sights, legal, ROOM);
                                asked += size as u64;
                            }
                            (asked, begun.elapsed().as_secs_f64())
                        })
                    })
                    .collect();
                let joined = workers.into_iter().map(|w| w.join().expect("no panic"));
                joined.collect()
            });
            let speed: f64 = asked.iter().map(|&(count, took)| count as f64 / took).sum();
            println!("answers: {threads} threads, batches of {size}: {speed:.0} positions/s");
        }
    }
    for size in [16, 256, 1024, 4096] {
        let (sights, legal) = boards(size);
        let batch = TowerBatch {
            sights,
            room: ROOM,
            shares: vec![1.0 / ROOM as f32; legal.len()],
            legal,
            played: vec![0; size],
            endings: vec![-1; size],
            results: vec![1.0 / 3.0; 3 * size],
        };
        trainer.learn(&batch, 1e-4);
        let (begun, mut learned) = (Instant::now(), 0);
        while begun.elapsed() < SPELL {
            trainer.learn(&batch, 1e-4);
            learned += size;
        }
        let speed = learned as f64 / begun.elapsed().as_secs_f64();
        println!("learns: batches of {size}: {speed:.0} positions/s");
    }
}

/// Boards that are all different, and moves.
fn boards(count: usize) -> (Vec<u64>, Vec<i16>) {
    let mix = |n: usize| (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let sights = (0..count * SIGHTS).map(|n| mix(n) & mix(n).rotate_left(29));
    let legal = (0..count * ROOM).map(|n| (mix(n) % MOVES as u64) as i16);
    (sights.collect(), legal.collect())
}
