//! Certified share against episodes for the learner of two bounds.
mod judge;

use std::time::Instant;

use judge::Judge;
use learn::{Endgame, Folding, bounds::*};
use rules::Board;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let board = Board::new(args[2].parse().unwrap()).unwrap();
    let judge = Judge::new(&args[1], board);
    eprintln!("longest {:?}", judge.distance.iter().filter(|&&d| d != 255).max());
    let mut settings = BoundsSettings::default();
    for arg in &args[3..] {
        match arg.as_str() {
            "uniform" => settings.starts = Starts::Uniform,
            "noreplay" => settings.replay = false,
            "nostop" => settings.stop_at_known = false,
            _ => panic!(),
        }
    }
    let endgame = Endgame::new(args[1].parse().unwrap(), board, Folding::Full).unwrap();
    let mut learner = BoundsLearner::new(endgame, settings, 1);
    let (mut episodes, mut plies, mut seconds) = (0u64, 0u64, 0.0);
    let mut marks = vec![];
    for p in 3..9 { for m in [1, 2, 3, 5] { marks.push(m * 10u64.pow(p)); } }
    for mark in marks {
        let start = Instant::now();
        let mut finished = false;
        while episodes < mark {
            match learner.episode() {
                Episode::Played { plies: p, .. } => { episodes += 1; plies += u64::from(p); }
                Episode::Finished => { finished = true; break; }
            }
        }
        seconds += start.elapsed().as_secs_f64();
        let f = judge.certify(|men| learner.greedy(men));
        println!("{episodes} episodes {plies} plies {} backups {seconds:.2} s: {:.4} % excess {:.4} worst {}", learner.backups, f.share(), f.mean_excess(), f.worst);
        if finished { break; }
    }
}
