//! What a recipe learns, against games played and time spent.
//!
//!     cargo run --release -p lucena-learn --example measure -- \
//!         two-bounds --endgame KRK --board 8 --episodes 30000 [--seed 1] [--no-judge] [--speed] \
//!         [--against uci:stockfish,nodes=10000] [name=value …]
//!
//! At 1, 2, 5 × 10ⁿ games it prints the time spent learning, the share of won positions from which
//! the policy mates against every defence within fifty moves (judged by a small exact solver that
//! the learner never sees), by how many moves on average it is slower than the shortest mate, and
//! the share of 1,000 games it wins against the usual defenders: within fifty moves and with
//! repetitions drawn, the first of equal moves played; in the last column without such limits and
//! with equal moves drawn by lot, as in document D. With `--speed` it only learns, and counts the
//! time on the processor.
#![allow(clippy::unwrap_used)] // an example ends with its first error

mod judge;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use judge::Judge;
use learn::{
    ContestRules, Course, Defender, EndgameLearner, Episode, Learner, Opponent, Recipe, Task, Ties,
    endgames::contest,
};
use play::Registry;
use rules::Board;

/// Nobody stops these learners.
static UNSTOPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

fn main() {
    let mut args = std::env::args().skip(1);
    let recipe = Recipe::find(&args.next().unwrap_or_default()).unwrap();
    let (mut endgame, mut board, mut episodes, mut seed) = ("KRK".to_owned(), 8, 30_000u64, 1);
    let (mut judged, mut speed, mut against, mut changes) = (true, false, None, Vec::new());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--endgame" => endgame = args.next().unwrap(),
            "--board" => board = args.next().unwrap().parse().unwrap(),
            "--episodes" => episodes = args.next().unwrap().parse().unwrap(),
            "--seed" => seed = args.next().unwrap().parse().unwrap(),
            "--no-judge" => judged = false,
            "--speed" => speed = true,
            "--against" => against = args.next(),
            _ => {
                let (name, value) = arg.split_once('=').unwrap();
                changes.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    let board = Board::new(board).unwrap();
    let course = Course {
        task: Task::Endgame(endgame.parse().unwrap(), board),
        episodes,
        seed,
    };
    let settings = recipe.settings(&changes).unwrap();
    let mut learner = recipe.learner(&settings, course, None).unwrap();
    let judge = (judged && !speed).then(|| Judge::new(&endgame, board));

    println!(
        "   episodes       plies  seconds  certified   excess  worst  random   self  centre  drawish"
    );
    let prepared = processor_seconds();
    let (mut played, mut plies, mut time) = (0, 0, Duration::ZERO);
    let marks = (3..10).flat_map(|power| [1, 2, 3, 5].map(|digit| digit * 10u64.pow(power)));
    let marks = marks.take_while(|&mark| mark < episodes).chain([episodes]);
    let mut finished = false;
    for mark in marks.collect::<Vec<_>>() {
        let start = Instant::now();
        while played < mark && !finished {
            match learner.episode(&UNSTOPPED).unwrap() {
                Episode::Played { plies: more, .. } => {
                    played += 1;
                    plies += u64::from(more);
                }
                Episode::Studied { .. } => {}
                Episode::Finished => finished = true,
            }
        }
        time += start.elapsed();
        if speed {
            continue;
        }
        print!("{played:11} {plies:11} {:8.2}", time.as_secs_f64());
        report(learner.as_ref(), judge.as_ref());
        if finished {
            println!("finished: there is nothing left to learn");
            break;
        }
    }
    let extent = endgame_learner(learner.as_ref()).extent();
    // On a machine that others use, only the time on the processor can be compared.
    let seconds = if speed {
        processor_seconds() - prepared
    } else {
        time.as_secs_f64()
    };
    println!(
        "{:.0} episodes/s, {:.0} plies/s, {:.1} plies a game; {} positions visited {:.1} times, {} bytes",
        played as f64 / seconds,
        plies as f64 / seconds,
        plies as f64 / played as f64,
        extent.visited,
        extent.visits as f64 / extent.visited as f64,
        learner.bytes()
    );
    if let Some(name) = against {
        let registry = Registry::new(Arc::new(Nobody));
        let mut defender =
            Defender::Opponent(Opponent::parse(&name, Some(&registry), seed).unwrap());
        let result = contest(
            endgame_learner(learner.as_ref()),
            &mut defender,
            FIFTY_MOVES,
            &UNSTOPPED,
        )
        .unwrap();
        println!(
            "{} of {} games won against {name}",
            result.wins, result.games
        );
    }
}

/// Seconds this process has spent on the processor, as Linux tells them.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|number| number.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

/// An oracle that knows nothing.
struct Nobody;

impl truth::Oracle for Nobody {
    fn probe(&self, _: &rules::Position) -> Option<truth::Verdict> {
        None
    }
}

/// The contest rules of document Y's tests.
const FIFTY_MOVES: ContestRules = ContestRules {
    games: 1_000,
    max_moves: 50,
    repetition: true,
    ties: Ties::First,
    seed: 7,
};

/// This example measures learners of endgames.
fn endgame_learner(learner: &dyn Learner) -> &dyn EndgameLearner {
    learner.endgame_learner().expect("a learner of an endgame")
}

fn report(learner: &dyn Learner, judge: Option<&Judge>) {
    let learner = endgame_learner(learner);
    match judge.map(|judge| judge.certify(|men| learner.choose(men).map(|chosen| chosen.m))) {
        Some(finding) => print!(
            " {:8.4} % {:8.4} {:6}",
            100.0 * finding.mated as f64 / finding.won as f64,
            finding.excess as f64 / finding.mated.max(1) as f64,
            finding.worst
        ),
        None => print!(" {:>10} {:>8} {:>6}", "-", "-", "-"),
    }
    let wins = |mut defender, rules| {
        contest(learner, &mut defender, rules, &UNSTOPPED)
            .unwrap()
            .win_rate()
    };
    let unlimited = ContestRules {
        max_moves: 1_000,
        repetition: false,
        ties: Ties::Lot,
        ..FIFTY_MOVES
    };
    println!(
        "  {:6.3} {:6.3}  {:6.3}   {:6.3}",
        wins(Defender::Opponent(Opponent::Random), FIFTY_MOVES),
        wins(Defender::Skill(learner), FIFTY_MOVES),
        wins(
            Defender::Opponent(Opponent::Heuristic { ties: Ties::Lot }),
            FIFTY_MOVES
        ),
        wins(Defender::Opponent(Opponent::Drawish), unlimited),
    );
}
