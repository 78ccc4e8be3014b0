//! Training against a foreign engine, where Stockfish is installed.
#![allow(clippy::unwrap_used)]

#[path = "../../rules/tests/others/mod.rs"]
mod others;

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use learn::{Control, Plan, RunProgress, Stopped, Task, Which, resume, runs::checkpoint, train};
use play::Registry;
use rules::{Board, Position};

/// An oracle that knows nothing: no player of these tests asks one.
struct Nobody;

impl truth::Oracle for Nobody {
    fn probe(&self, _: &Position) -> Option<truth::Verdict> {
        None
    }
}

const ENGINE: &str = "uci:stockfish,nodes=200";

#[test]
fn training_against_stockfish_is_repeated_and_resumed_exactly() {
    let registry = Registry::new(Arc::new(Nobody));
    let here = registry.parse(ENGINE).is_ok();
    if !others::made("training against Stockfish", here, "no stockfish here") {
        return;
    }
    for recipe in ["ypma-q", "deolalikar-q-lambda"] {
        let changes = [
            ("opponent".to_owned(), ENGINE.to_owned()),
            ("max_moves".to_owned(), "20".to_owned()),
        ];
        let endgame = "KQK".parse().unwrap();
        let plan = Plan::new(
            recipe,
            Task::Endgame(endgame, Board::STANDARD),
            60,
            1,
            &changes,
        )
        .unwrap();
        let root = tempfile::tempdir().unwrap();
        let (whole, broken) = (root.path().join("whole"), root.path().join("broken"));
        let control = || Control {
            registry: Some(&registry),
            ..Control::default()
        };
        let summary = train(&plan, &whole, control()).unwrap();
        assert_eq!(summary.stopped, Stopped::Episodes);
        assert_eq!(summary.progressed.episodes, 60);

        let cancel = AtomicBool::new(false);
        let mut stop = |progress: &RunProgress| {
            cancel.store(progress.episodes > 0, Ordering::Relaxed);
        };
        let summary = train(
            &plan,
            &broken,
            Control {
                progress: Some(&mut stop),
                cancel: Some(&cancel),
                ..control()
            },
        )
        .unwrap();
        // On a fast machine it may be over before it is told to stop: then it was repeated.
        if summary.stopped == Stopped::Cancelled {
            assert!(summary.progressed.episodes < 60);
            resume(&broken, control()).unwrap();
        }
        // The engine looks at a fixed number of positions and forgets between games, so that the
        // same games are played again, from the beginning or from the middle.
        let last = |folder| fs::read(&checkpoint::all(folder)[0]).unwrap();
        assert!(last(&whole) == last(&broken), "{recipe}");
        let learner = learn::load(&whole, Which::Newest).unwrap().learner;
        let visited = learner.endgame_learner().unwrap().extent().visited;
        assert!(visited > 60, "{recipe}");
    }
}

#[test]
fn an_engine_that_is_not_there_is_named_before_a_folder_is_made() {
    let registry = Registry::new(Arc::new(Nobody));
    let changes = [("opponent".to_owned(), "uci:no-such-engine".to_owned())];
    let endgame = "KQK".parse().unwrap();
    let plan = Plan::new(
        "ypma-q",
        Task::Endgame(endgame, Board::STANDARD),
        1,
        1,
        &changes,
    )
    .unwrap();
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let control = Control {
        registry: Some(&registry),
        ..Control::default()
    };
    let error = train(&plan, &folder, control).unwrap_err().to_string();
    assert!(error.contains("no-such-engine"), "{error}");
    assert!(!folder.exists());
}
