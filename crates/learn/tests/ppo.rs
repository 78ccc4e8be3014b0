//! Proximal policy optimisation: that it learns, and what it leaves behind.
#![allow(clippy::unwrap_used)]

use std::{path::Path, sync::atomic::AtomicBool};

use learn::{Control, Plan, Task, Which, ppo::PpoNetwork, resume, train};
use rules::Board;

fn plan(task: Task, iterations: u64, changes: &[(&str, &str)]) -> Plan {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let changes: Vec<_> = changes.iter().map(owned).collect();
    Plan::new("ppo", task, iterations, 3, &changes).unwrap()
}

fn kqk() -> Task {
    Task::Endgame("KQK".parse().unwrap(), Board::new(5).unwrap())
}

const SMALL: [(&str, &str); 4] = [
    ("steps", "1024"),
    ("fragment", "32"),
    ("minibatch", "128"),
    ("width", "64"),
];

/// The share of games that a run wins against a random mover.
fn wins(run: &Path) -> f64 {
    let learner = learn::load(run, Which::Newest).unwrap().learner;
    let never = AtomicBool::new(false);
    learner.evaluate("random", 200, 1, None, &never).unwrap()
}

#[test]
fn it_learns_to_mate_with_a_queen() {
    let root = tempfile::tempdir().unwrap();
    let (short, long) = (root.path().join("short"), root.path().join("long"));
    train(&plan(kqk(), 1, &SMALL), &short, Control::default()).unwrap();
    train(&plan(kqk(), 40, &SMALL), &long, Control::default()).unwrap();
    let (before, after) = (wins(&short), wins(&long));
    assert!(before < 0.5 && after > 0.8, "{before} {after}");
}

#[test]
fn whole_games_are_learned_from_and_their_network_is_its_file() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("chess");
    train(&plan(Task::Chess, 2, &SMALL), &run, Control::default()).unwrap();
    let file = std::fs::read(run.join("weights.safetensors")).unwrap();
    let network = PpoNetwork::from_file(&file).unwrap();
    assert!(network.to_file() == file);
    for length in [0, 7, 100, file.len() / 2, file.len() - 1] {
        assert!(PpoNetwork::from_file(&file[..length]).is_err());
    }
    // A run that is done stays as it is.
    resume(&run, Control::default()).unwrap();
    assert!(std::fs::read(run.join("weights.safetensors")).unwrap() == file);
}

#[test]
fn a_checkpoint_is_found_by_its_number() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("kqk");
    let mut plan = plan(kqk(), 4, &SMALL);
    plan.checkpoint_every = 1;
    plan.keep_checkpoints = 3;
    train(&plan, &run, Control::default()).unwrap();
    let print = |which| learn::load(&run, which).map(|learned| learned.fingerprint);
    assert_eq!(
        print(Which::After(4)).unwrap(),
        print(Which::Newest).unwrap()
    );
    assert_ne!(
        print(Which::After(3)).unwrap(),
        print(Which::Newest).unwrap()
    );
    let error = print(Which::After(1)).unwrap_err().to_string();
    assert!(error.contains("no usable checkpoint"), "{error}");
}
