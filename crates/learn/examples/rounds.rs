//! How a network's answers come to agree with each other, and with the truth that it never sees.
//!
//!     cargo run --release -p lucena-learn --example rounds -- \
//!         --endgame KRK --board 8 --episodes 20000 [--seed 1] [--certify 1000] [name=value …]
//!
//! Every so many games (`--certify`) it prints the seconds spent learning, how often the network
//! was asked, the positions in its memory, how many of its answers disagreed with looking ahead the
//! last time, the share of examples that it has wrong of late, and its certificate: the share of
//! won positions from which it mates against every defence within fifty moves, the mean number of
//! moves more than the shortest mate, and the longest mate it needs. At the end: where the time went.
#![allow(clippy::unwrap_used)] // an example ends with its first error

mod judge;

use std::time::{Duration, Instant};

use judge::Judge;
use learn::{
    Episode, Learner, Recipe, Skill,
    distances::td_net::{TdNetLearner, TdNetSettings},
};
use rules::Board;

/// Nobody stops these learners.
static UNSTOPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

fn main() {
    let mut args = std::env::args().skip(1);
    let (mut endgame, mut board, mut episodes, mut seed) = ("KRK".to_owned(), 8, 20_000u64, 1);
    let (mut certify, mut changes) = (1_000, Vec::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--endgame" => endgame = args.next().unwrap(),
            "--board" => board = args.next().unwrap().parse().unwrap(),
            "--episodes" => episodes = args.next().unwrap().parse().unwrap(),
            "--seed" => seed = args.next().unwrap().parse().unwrap(),
            "--certify" => certify = args.next().unwrap().parse().unwrap(),
            _ => {
                let (name, value) = arg.split_once('=').unwrap();
                changes.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    let board = Board::new(board).unwrap();
    let settings = Recipe::find("td-net").unwrap().settings(&changes).unwrap();
    let settings: TdNetSettings = settings.try_into().unwrap();
    let material = endgame.parse().unwrap();
    let mut learner = TdNetLearner::new(settings, material, board, episodes, seed).unwrap();
    let judge = Judge::new(&endgame, board);
    println!("  games  seconds  rounds   memory  disagree   wrong  certified   excess  longest");
    let (mut played, mut time, mut finished) = (0, Duration::ZERO, false);
    while played < episodes && !finished {
        let start = Instant::now();
        for _ in 0..certify.min(episodes - played) {
            match learner.episode(&UNSTOPPED).unwrap() {
                Episode::Finished => finished = true,
                _ => played += 1,
            }
        }
        time += start.elapsed();
        let (rounds, memory, disagreeing, wrong) = learner.state();
        let finding = judge.certify(|men| learner.choose(men).map(|chosen| chosen.m));
        println!(
            "{played:7} {:8.1} {rounds:7} {memory:8} {:9} {wrong:7.4} {:9.4} % {:8.4} {:8}",
            time.as_secs_f64(),
            disagreeing as i64, // -1 before the first time
            100.0 * finding.mated as f64 / finding.won as f64,
            finding.excess as f64 / finding.mated.max(1) as f64,
            finding.worst,
        );
    }
    if finished {
        println!("finished: all answers agree");
    }
    for (part, time, times) in learner.costs().parts() {
        let seconds = time.as_secs_f64();
        println!(
            "{part:>14}: {seconds:8.2} s, {times} times, {:.3} ms each",
            1e3 * seconds / *times as f64
        );
    }
}
