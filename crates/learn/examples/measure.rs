//! What a recipe learns, against games played and time spent.
//!
//!     cargo run --release -p lucena-learn --example measure -- \
//!         two-bounds --endgame KRK --board 8 --episodes 30000 [--seed 1] [--no-judge] [name=value …]
//!
//! At 1, 2, 5 × 10ⁿ games it prints the time spent learning, the share of won positions from which
//! the policy mates against every defence within fifty moves (judged by a small exact solver that
//! the learner never sees), by how many moves on average it is slower than the shortest mate, and
//! the share of 1,000 games it wins against the usual defenders: within fifty moves and with
//! repetitions drawn, the first of equal moves played; in the last column without such limits and
//! with equal moves drawn by lot, as in document D.
#![allow(clippy::unwrap_used)] // an example ends with its first error

mod judge;

use std::time::{Duration, Instant};

use judge::Judge;
use learn::{
    ContestRules, Defender, Episode, Learner, Opponent, Recipe, Task, Ties, contest, recipe,
};
use rules::Board;

fn main() {
    let mut args = std::env::args().skip(1);
    let recipe = Recipe::find(&args.next().unwrap_or_default()).unwrap();
    let (mut endgame, mut board, mut episodes, mut seed) = ("KRK".to_owned(), 8, 30_000u64, 1);
    let (mut judged, mut changes) = (true, Vec::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--endgame" => endgame = args.next().unwrap(),
            "--board" => board = args.next().unwrap().parse().unwrap(),
            "--episodes" => episodes = args.next().unwrap().parse().unwrap(),
            "--seed" => seed = args.next().unwrap().parse().unwrap(),
            "--no-judge" => judged = false,
            _ => {
                let (name, value) = arg.split_once('=').unwrap();
                changes.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    let board = Board::new(board).unwrap();
    let task = Task {
        material: endgame.parse().unwrap(),
        board,
        episodes,
        seed,
    };
    let settings = recipe.settings(&changes).unwrap();
    let mut learner = recipe::learner(recipe.learner, &settings, task, None).unwrap();
    let judge = judged.then(|| Judge::new(&endgame, board));

    println!(
        "   episodes       plies  seconds  certified   excess  worst  random   self  centre  drawish"
    );
    let (mut played, mut plies, mut time) = (0, 0, Duration::ZERO);
    let marks = (3..10).flat_map(|power| [1, 2, 3, 5].map(|digit| digit * 10u64.pow(power)));
    let marks = marks.take_while(|&mark| mark < episodes).chain([episodes]);
    let mut finished = false;
    for mark in marks.collect::<Vec<_>>() {
        let start = Instant::now();
        while played < mark && !finished {
            match learner.episode().unwrap() {
                Episode::Played { plies: more, .. } => {
                    played += 1;
                    plies += u64::from(more);
                }
                Episode::Finished => finished = true,
            }
        }
        time += start.elapsed();
        print!("{played:11} {plies:11} {:8.2}", time.as_secs_f64());
        report(learner.as_ref(), judge.as_ref());
        if finished {
            println!("finished: there is nothing left to learn");
            break;
        }
    }
    let (extent, seconds) = (learner.extent(), time.as_secs_f64());
    println!(
        "{:.0} episodes/s, {:.0} plies/s, {:.1} plies a game; {} positions visited {:.1} times, {} bytes",
        played as f64 / seconds,
        plies as f64 / seconds,
        plies as f64 / played as f64,
        extent.visited,
        extent.visits as f64 / extent.visited as f64,
        extent.bytes
    );
}

fn report(learner: &dyn Learner, judge: Option<&Judge>) {
    match judge.map(|judge| judge.certify(|men| learner.choose(men).map(|chosen| chosen.m))) {
        Some(finding) => print!(
            " {:8.4} % {:8.4} {:6}",
            100.0 * finding.mated as f64 / finding.won as f64,
            finding.excess as f64 / finding.mated.max(1) as f64,
            finding.worst
        ),
        None => print!(" {:>10} {:>8} {:>6}", "-", "-", "-"),
    }
    let rules = ContestRules {
        games: 1_000,
        max_moves: 50,
        repetition: true,
        ties: Ties::First,
        seed: 7,
    };
    let wins = |defender, rules| contest(learner, defender, rules).unwrap().win_rate();
    let unlimited = ContestRules {
        max_moves: 1_000,
        repetition: false,
        ties: Ties::Lot,
        ..rules
    };
    println!(
        "  {:6.3} {:6.3}  {:6.3}   {:6.3}",
        wins(Defender::Opponent(Opponent::Random), rules),
        wins(Defender::Learner(learner), rules),
        wins(Defender::Opponent(Opponent::Heuristic), rules),
        wins(Defender::Opponent(Opponent::Drawish), unlimited),
    );
}
