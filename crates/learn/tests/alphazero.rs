//! AlphaZero: that it learns, that it is the same on any number of threads, and what it leaves behind.
#![allow(clippy::unwrap_used)]

use std::{path::Path, sync::atomic::AtomicBool};

use learn::{Control, Plan, Task, Which, alphazero::EndgameNetwork, resume, train};
use rules::Board;

const SMALL: [(&str, &str); 6] = [
    ("games", "48"),
    ("group", "16"),
    ("simulations", "16"),
    ("width", "32"),
    ("batch", "128"),
    ("max_moves", "20"),
];

fn plan(iterations: u64) -> Plan {
    let task = Task::Endgame("KQK".parse().unwrap(), Board::new(5).unwrap());
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let changes: Vec<_> = SMALL.map(owned).into();
    Plan::new("alphazero", task, iterations, 3, &changes).unwrap()
}

/// The share of games that a run wins against a random mover, by its policy alone.
fn wins(run: &Path) -> f64 {
    let learner = learn::load(run, Which::Newest).unwrap().learner;
    let never = AtomicBool::new(false);
    learner.evaluate("random", 200, 1, None, &never).unwrap()
}

#[test]
fn it_learns_to_mate_with_a_queen() {
    let root = tempfile::tempdir().unwrap();
    let (short, long) = (root.path().join("short"), root.path().join("long"));
    train(&plan(1), &short, Control::default()).unwrap();
    train(&plan(40), &long, Control::default()).unwrap();
    let (before, after) = (wins(&short), wins(&long));
    assert!(before < 0.5 && after > 0.9, "{before} {after}");
    // A run that is done stays as it is.
    let file = std::fs::read(long.join("weights.safetensors")).unwrap();
    resume(&long, Control::default()).unwrap();
    assert!(std::fs::read(long.join("weights.safetensors")).unwrap() == file);
    let network = EndgameNetwork::from_file(&file).unwrap();
    assert!(network.to_file() == file);
    for length in [0, 7, 100, file.len() / 2, file.len() - 1] {
        assert!(EndgameNetwork::from_file(&file[..length]).is_err());
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    // By Gumbel's search and by upper confidence, and where what was played is learned from while the next games are
    // played.
    for (c, beside) in [(0.0, false), (1.25, false), (0.0, true)] {
        let weights = |threads: usize| {
            let run = root.path().join(format!("{c}-{beside}-{threads}"));
            let mut plan = plan(6);
            plan.settings.insert("c".into(), c.into());
            plan.settings.insert("beside".into(), beside.into());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap()
                .install(|| train(&plan, &run, Control::default()))
                .unwrap();
            ["weights.safetensors", "metrics.csv"]
                .map(|file| std::fs::read(run.join(file)).unwrap())
        };
        let one = weights(1);
        assert!(
            one == weights(2) && one == weights(3),
            "c={c} beside={beside}"
        );
    }
}

/// Games are given up only where the settings say so; those that are played out say how often both sides were wrong.
#[test]
fn games_are_given_up_and_checked() {
    let root = tempfile::tempdir().unwrap();
    let last = |resign: &str| {
        let run = root.path().join(resign);
        let mut plan = plan(30);
        for (name, value) in [("resign", resign), ("resign_checked", "0.3")] {
            plan.settings
                .insert(name.into(), value.parse::<f64>().unwrap().into());
        }
        train(&plan, &run, Control::default()).unwrap();
        let progressed = learn::info(&run).unwrap().progressed.unwrap();
        ["resigned", "resigned_wrongly"].map(|name| {
            let name = format!("self_play/{name}");
            progressed.metrics.last(&name).unwrap()
        })
    };
    assert_eq!(last("0"), [0.0, 0.0]);
    let [resigned, wrongly] = last("0.7");
    assert!((0.1..0.9).contains(&resigned), "{resigned}");
    assert!((0.0..0.5).contains(&wrongly), "{wrongly}");
}

/// A run that begins with the weights of another plays as that one did; another kind of network is refused.
#[test]
fn a_run_begins_with_the_weights_of_another() {
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (root.path().join("first"), root.path().join("second"));
    train(&plan(3), &first, Control::default()).unwrap();
    let from = |width: &str| {
        let mut plan = plan(0);
        let first = first.to_str().unwrap();
        plan.settings.insert("from".into(), first.into());
        let width: i64 = width.parse().unwrap();
        plan.settings.insert("width".into(), width.into());
        plan
    };
    train(&from("32"), &second, Control::default()).unwrap();
    let weights = |run: &Path| std::fs::read(run.join("weights.safetensors")).unwrap();
    assert!(weights(&first) == weights(&second));
    let refused = train(&from("16"), &root.path().join("third"), Control::default());
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("from"), "{error}");
    assert!(!root.path().join("third").exists());
}
