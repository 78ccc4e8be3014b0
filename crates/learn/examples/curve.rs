//! Certified share against training games, judged by a small exact solver.
//!
//!     cargo run --release -p lucena-learn --example curve -- KRK 8
mod judge;

use std::time::Instant;

use judge::Judge;
use learn::{Episode, Learner, bounds::*};
use rules::Board;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let board = Board::new(args[2].parse().unwrap()).unwrap();
    let judge = Judge::new(&args[1], board);
    eprintln!(
        "longest {:?}",
        judge.distance.iter().filter(|&&d| d != 255).max()
    );
    let mut settings = BoundsSettings::default();
    for arg in &args[3..] {
        match arg.as_str() {
            "uniform" => settings.starts = Starts::Uniform,
            "noreplay" => settings.replay = false,
            "nostop" => settings.stop_at_known = false,
            _ => panic!(),
        }
    }
    let mut learner = BoundsLearner::new(settings, args[1].parse().unwrap(), board, 1).unwrap();
    let (mut episodes, mut plies, mut seconds) = (0u64, 0u64, 0.0);
    let mut marks = vec![];
    for p in 3..9 {
        for m in [1, 2, 3, 5] {
            marks.push(m * 10u64.pow(p));
        }
    }
    for mark in marks {
        let start = Instant::now();
        let mut finished = false;
        while episodes < mark && !finished {
            match learner.episode().unwrap() {
                Episode::Played { plies: p, .. } => {
                    episodes += 1;
                    plies += u64::from(p);
                }
                Episode::Finished => finished = true,
            }
        }
        seconds += start.elapsed().as_secs_f64();
        let f = judge.certify(|men| learner.choose(men).map(|p| p.m));
        println!(
            "{episodes} episodes {plies} plies {seconds:.2} s: {:.4} % excess {:.4} worst {}",
            f.share(),
            f.mean_excess(),
            f.worst
        );
        if finished {
            break;
        }
    }
}
