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

#[cfg(not(feature = "libtorch"))]
#[test]
fn a_device_that_this_program_does_not_know_is_refused_before_there_is_a_folder() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let error = train(
        &plan(kqk(), 1, &[("device", "cuda")]),
        &run,
        Control::default(),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("--features libtorch"), "{error}");
    assert!(!run.exists());
}

#[cfg(feature = "libtorch")]
mod together {
    use std::{
        path::PathBuf,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use learn::{Control, Plan, RunProgress, Stopped, Summary, Task, resume, train};

    const TOGETHER: [(&str, &str); 8] = [
        ("steps", "64"),
        ("fragment", "16"),
        ("epochs", "2"),
        ("minibatch", "16"),
        ("width", "16"),
        ("book", "none"),
        ("syzygy", "none"),
        ("device", "libtorch"),
    ];

    /// A training of document P's that keeps all its checkpoints.
    fn training(version: &str, iterations: u64, shifts: &str) -> Plan {
        let changes = TOGETHER
            .into_iter()
            .chain([("version", version), ("shifts", shifts)]);
        let changes = changes.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let changes: Vec<_> = changes.collect();
        let mut plan = Plan::new("salisch-ppo", Task::Chess, iterations, 1, &changes).unwrap();
        plan.checkpoint_every = 1;
        plan.keep_checkpoints = iterations as usize;
        plan
    }

    /// Goes on with trainings at the same time; the first is stopped after so many iterations.
    fn go_on(runs: &[(Plan, PathBuf)], stop_first_after: u64) -> Vec<Summary> {
        thread::scope(|scope| {
            let threads: Vec<_> = runs
                .iter()
                .enumerate()
                .map(|(number, (plan, folder))| {
                    scope.spawn(move || {
                        let cancel = AtomicBool::new(false);
                        let mut watch = |progress: &RunProgress| {
                            let far = number == 0 && progress.episodes >= stop_first_after;
                            cancel.fetch_or(far, Ordering::Relaxed);
                        };
                        let control = Control {
                            progress: Some(&mut watch),
                            cancel: Some(&cancel),
                            ..Control::default()
                        };
                        match folder.join("run.toml").exists() {
                            true => resume(folder, control).unwrap(),
                            false => train(plan, folder, control).unwrap(),
                        }
                    })
                })
                .collect();
            let ended = threads.into_iter().map(|thread| thread.join().unwrap());
            ended.collect()
        })
    }

    #[test]
    fn trainings_at_the_same_time_end_stop_and_go_on() {
        for shifts in ["1", "2"] {
            let root = tempfile::tempdir().unwrap();
            let runs = [("9", 500), ("1", 3), ("4", 6)].map(|(version, iterations)| {
                let plan = training(version, iterations, shifts);
                (plan, root.path().join(version))
            });
            // The first is told to stop as soon as it says something, others end long before or after.
            let ended = go_on(&runs, 1);
            let stopped: Vec<_> = ended.iter().map(|summary| summary.stopped).collect();
            assert_eq!(
                stopped,
                [Stopped::Cancelled, Stopped::Episodes, Stopped::Episodes]
            );
            let done = ended[0].progressed.episodes;
            assert!((1..500).contains(&done), "{done}");
            // What is left of it goes on here and ends on the processor alone.
            let mut plan = Plan::read(&runs[0].1).unwrap();
            plan.episodes = done + 4;
            plan.write(&runs[0].1).unwrap();
            let until = Control {
                until: Some(done + 2),
                ..Control::default()
            };
            let paused = resume(&runs[0].1, until).unwrap();
            assert_eq!(paused.stopped, Stopped::Paused);
            plan.settings.insert("device".into(), "cpu".into());
            plan.write(&runs[0].1).unwrap();
            let ended = resume(&runs[0].1, Control::default()).unwrap();
            assert_eq!(ended.progressed.episodes, done + 4);
        }
    }
}
