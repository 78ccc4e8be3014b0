//! Simulations a second of the PUCT search, as one JSON object.
//!
//!     cargo run --release -p lucena-learn --example puct_speed -- [SECONDS]
//!
//! With a tower of seven blocks and 64 filters: one game from the start position, ten moves of a hundred simulations
//! each, without a kept subtree, as `python/checks/bench_puct.py` does with PyTorch; and sixteen such games
//! at once. Without a network, where only the search takes time: KRK, on one core and on all. Each by the clock and by
//! the time on the processor, all threads together, which does not count what others do on the machine.
#![allow(clippy::unwrap_used)] // an example ends with its first error

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use learn::{
    imitation::{ImitationEvaluator, ImitationNetwork, SIGHTS},
    net::{TowerRates, TowerShape, tower_trainer},
};
use play::{
    Assessments, Evaluator, Exploration, Puct, PuctSettings, Selection, Uniform, search_together,
};
use rules::{Board, Color, Game, Position, RandomPositions, Rules};
use serde_json::{Value, json};

fn network() -> ImitationNetwork {
    let shape = TowerShape {
        inputs: SIGHTS,
        width: 64,
        blocks: "ccccccc".into(),
        squeeze: 16,
        heads: 4,
        hidden: 256,
        keys: 64,
    };
    let rates = TowerRates {
        decay: 0.0,
        ending: 1.0,
        average: 0.0,
    };
    let weights = tower_trainer(&shape, rates, 1, "cpu").unwrap().weights();
    ImitationNetwork::new(shape, &weights).unwrap()
}

/// Plain PUCT, as the peer has it: a constant weight and untried moves worth nothing.
fn plain() -> PuctSettings {
    let Selection::Puct(exploration) = PuctSettings::WOJCIK.without_noise().selection else {
        unreachable!("document W's search is plain");
    };
    PuctSettings {
        simulations: 100,
        selection: Selection::Puct(Exploration {
            init: 1.5,
            ..exploration
        }),
        reuse: false,
        ..PuctSettings::WOJCIK
    }
}

/// Seconds this process has spent on the processor, as Linux tells them, in steps of a hundredth.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold anything; behind it, times are the 12th and 13th.
    let rest = text.rsplit(')').next().unwrap_or_default();
    let times = rest.split_ascii_whitespace().skip(11).take(2);
    times
        .filter_map(|time| time.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// How often a second something has happened since a moment.
fn rates(count: f64, begun: Instant, processor: f64) -> Value {
    json!({
        "clock": count / begun.elapsed().as_secs_f64(),
        "processor": count / (processor_seconds() - processor).max(0.01),
    })
}

/// Plays some games at once, ten moves each, for at least so long: simulations, and how many a second.
fn games(
    seconds: f64,
    settings: PuctSettings,
    starts: &[Position],
    evaluator: &mut dyn Evaluator,
    leaves: usize,
) -> (u32, Value) {
    let mut scratch = Assessments::default();
    let mut done = 0;
    let (begun, processor) = (Instant::now(), processor_seconds());
    for round in 0.. {
        let mut games: Vec<Game> = starts
            .iter()
            .map(|start| Game::new(start.clone(), Rules::default()))
            .collect();
        let mut trees: Vec<Puct> = (0..starts.len() as u64)
            .map(|number| Puct::new(settings, 1000 * round + number))
            .collect();
        for _ in 0..10 {
            for (tree, game) in trees.iter_mut().zip(&games) {
                tree.begin(game);
            }
            while trees.iter().any(|tree| !tree.is_finished()) {
                search_together(&mut trees, evaluator, leaves, &mut scratch).unwrap();
            }
            for (tree, game) in trees.iter_mut().zip(&mut games) {
                done += tree.simulations();
                if let Some(found) = tree.found() {
                    game.play(found.best).unwrap();
                }
            }
        }
        if begun.elapsed() >= Duration::from_secs_f64(seconds) {
            break;
        }
    }
    (done, rates(done.into(), begun, processor))
}

/// On as many threads as there are cores, each with games of its own.
fn on_all_cores(seconds: f64, settings: PuctSettings, starts: &[Position]) -> Value {
    let (begun, processor) = (Instant::now(), processor_seconds());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let done: u32 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores)
            .map(|_| scope.spawn(|| games(seconds, settings, starts, &mut Uniform, 16).0))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    rates(done.into(), begun, processor)
}

fn main() {
    let seconds: f64 = std::env::args()
        .nth(1)
        .map_or(2.0, |text| text.parse().unwrap());
    let network = Arc::new(network());
    let mut evaluator = ImitationEvaluator::new(network.clone());
    let start = [Position::start()];
    let sixteen = vec![Position::start(); 16];
    let best = PuctSettings {
        simulations: 100,
        reuse: false,
        ..PuctSettings::BEST
    };
    let krk = RandomPositions::new(
        "KRK".parse().unwrap(),
        Board::STANDARD,
        Some(Color::White),
        1,
    );
    let krk: Vec<Position> = krk.take(64).collect();
    let endgame = |simulations| PuctSettings {
        simulations,
        ..plain()
    };
    let tower = network.tower().expect("a tower");
    let tower = |boards: usize| -> Value {
        let sights = vec![0x0f0f_u64; boards * SIGHTS];
        let (begun, processor) = (Instant::now(), processor_seconds());
        let mut count = 0;
        while begun.elapsed() < Duration::from_secs_f64(seconds) {
            tower.answers(&sights);
            count += boards;
        }
        rates(count as f64, begun, processor)
    };
    let report = json!({
        "tower_one_game": games(seconds, plain(), &start, &mut evaluator, 1).1,
        "tower_one_game_8_leaves": games(seconds, plain(), &start, &mut evaluator, 8).1,
        "tower_one_game_best": games(seconds, best, &start, &mut evaluator, 16).1,
        "tower_16_games": games(seconds, plain(), &sixteen, &mut evaluator, 1).1,
        "tower_alone": { "1": tower(1), "64": tower(64) },
        "krk_uniform_one_core": games(seconds, endgame(100), &krk, &mut Uniform, 1).1,
        "krk_uniform_best_one_core": games(seconds, best, &krk, &mut Uniform, 16).1,
        "krk_uniform_800_one_core": games(seconds, endgame(800), &krk, &mut Uniform, 1).1,
        "krk_uniform_all_cores": on_all_cores(seconds, endgame(100), &krk),
        "start_uniform_one_core": games(seconds, plain(), &start, &mut Uniform, 1).1,
    });
    println!("{report:#}");
}
