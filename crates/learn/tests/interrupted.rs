//! Runs that are stopped while a player thinks: in a training game, and while they are looked at.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use learn::{Control, Plan, Stopped, Task, info, resume, runs::checkpoint, train};
use play::{Choice, Kind, Limits, Player, PlayerError, Prepared, Registry};
use rules::{Board, Game, Position};
use truth::{Oracle, Verdict};

/// Plays the first legal move, so many times; then it falls asleep over one, and somebody presses
/// Ctrl-C.
struct Sleeper {
    left: Arc<AtomicU64>,
    ctrl_c: Arc<AtomicBool>,
}

impl Player for Sleeper {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let moves = game.position().legal_moves();
        Ok(Choice::plain(*moves.first().unwrap()))
    }

    fn choose_unless(
        &mut self,
        stop: &AtomicBool,
        game: &Game,
        limits: &Limits,
    ) -> Result<Choice, PlayerError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.ctrl_c.store(true, Ordering::Relaxed);
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            return Err(PlayerError::Stopped);
        }
        self.choose(game, limits)
    }
}

struct Nothing;

impl Oracle for Nothing {
    fn probe(&self, _: &Position) -> Option<Verdict> {
        None
    }
}

/// Carries `plan` out undisturbed, and again with a player that falls asleep over its move of this
/// number; returns how many games the second run had kept, after it has come to the same end.
fn disturbed(plan: &Plan, sleeps_at: u64) -> u64 {
    let root = tempfile::tempdir().unwrap();
    let (whole, broken) = (root.path().join("whole"), root.path().join("broken"));
    let (left, ctrl_c) = (
        Arc::new(AtomicU64::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let mut registry = Registry::new(Arc::new(Nothing));
    let of_sleeper = (left.clone(), ctrl_c.clone());
    registry.register(Kind {
        name: "sleeper",
        summary: "falls asleep",
        subject: None,
        keys: &[],
        prepare: Box::new(move |_| {
            let (left, ctrl_c) = of_sleeper.clone();
            let sleeper = move || Sleeper {
                left: left.clone(),
                ctrl_c: ctrl_c.clone(),
            };
            Ok(Prepared::new(move |_| Box::new(sleeper())))
        }),
    });
    let control = || Control {
        registry: Some(&registry),
        cancel: Some(&ctrl_c),
        ..Control::default()
    };
    train(plan, &whole, control()).unwrap();
    left.store(sleeps_at, Ordering::Relaxed);
    let stopped = train(plan, &broken, control()).unwrap().stopped;
    assert_eq!(stopped, Stopped::Cancelled);
    let kept = info(&broken).unwrap().progressed.map_or(0, |p| p.episodes);
    ctrl_c.store(false, Ordering::Relaxed);
    let stopped = resume(&broken, control()).unwrap().stopped;
    assert_eq!(stopped, Stopped::Episodes);
    let end = |run: &Path| {
        let newest = checkpoint::all(run).remove(0);
        [newest, run.join("metrics.csv")].map(|file| fs::read(file).unwrap())
    };
    assert!(end(&whole) == end(&broken), "another end");
    kept
}

fn plan(recipe: &str, changes: &[(String, String)]) -> Plan {
    let task = Task::Endgame("KQK".parse().unwrap(), Board::new(4).unwrap());
    Plan::new(recipe, task, 1000, 3, changes).unwrap()
}

#[test]
fn an_evaluation_that_is_cut_short_is_made_when_the_run_goes_on() {
    let mut evaluated = plan("ypma-q", &[]);
    evaluated.evaluate_against = vec!["random".into(), "sleeper".into()];
    evaluated.evaluation_games = 5;
    // The first is due after a tenth of the games, and all of them are kept.
    assert_eq!(disturbed(&evaluated, 3), 100);
    // So it is at the very end.
    evaluated.evaluate_every = 10_000;
    assert_eq!(disturbed(&evaluated, 3), 1000);
}

#[test]
fn a_training_game_that_is_cut_short_is_played_again() {
    for recipe in ["ypma-q", "deolalikar-q-lambda", "ypma-dqn"] {
        let against = [("opponent".to_owned(), "sleeper".to_owned())];
        let kept = disturbed(&plan(recipe, &against), 1500);
        // Back to the last checkpoint, of which there is one every hundred games.
        assert!(kept.is_multiple_of(100) && kept < 1000, "{recipe}: {kept}");
    }
}
