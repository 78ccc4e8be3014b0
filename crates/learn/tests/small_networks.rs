//! The small networks of document S and ours.
#![allow(clippy::unwrap_used)]

use std::{path::Path, sync::Arc};

use learn::{
    Control, EndgameLearner, Learner, Plan, Policy, Searching, Task, Which, resume,
    runs::checkpoint,
    runs::record::{Reader, Writer},
    small::samadi::{SamadiLearner, SamadiSettings, Sight},
    small::tiny_net::{TinyNetLearner, TinyNetSettings},
    train,
};
use play::{Player as _, TinyNetwork};
use rules::{Board, Color, FewMen, FewMenRules, Game, Position, Rules};
use truth::{Tablebase, Verdict};

/// Nobody stops these learners.
static UNSTOPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

const BOARD: Board = Board::STANDARD;

fn tables(endgame: &str) -> Arc<Tablebase> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables");
    let tables = Tablebase::new(&folder);
    tables
        .ensure(endgame.parse().unwrap(), BOARD, &|_| true)
        .unwrap();
    Arc::new(tables)
}

fn samadi(endgame: &str, positions: usize) -> SamadiLearner {
    samadi_told(endgame, positions, Sight::Features)
}

fn samadi_told(endgame: &str, positions: usize, inputs: Sight) -> SamadiLearner {
    let settings = SamadiSettings {
        positions,
        inputs,
        ..SamadiSettings::default()
    };
    SamadiLearner::new(settings, endgame.parse().unwrap(), BOARD, 100, 1).unwrap()
}

fn tiny(endgame: &str, batches: u64) -> TinyNetLearner {
    tiny_with(TinyNetSettings::default(), endgame, batches)
}

fn tiny_with(settings: TinyNetSettings, endgame: &str, batches: u64) -> TinyNetLearner {
    let mut learner =
        TinyNetLearner::new(settings, endgame.parse().unwrap(), BOARD, batches, 1).unwrap();
    learner.teach(tables(endgame));
    learner
}

fn learn(learner: &mut dyn Learner, batches: u32) {
    for _ in 0..batches {
        learner.episode(&UNSTOPPED).unwrap();
    }
}

fn saved(learner: &dyn Learner) -> Vec<u8> {
    let mut out = Writer::default();
    learner.save(&mut out);
    out.into_bytes()
}

/// The search that labels the positions of document S never sees these tables; here they judge it.
#[test]
fn labels_by_search_are_right() {
    for (endgame, count) in [("KQK", 600), ("KRK", 300)] {
        let tables = tables(endgame);
        let rules = FewMenRules::new(endgame.parse().unwrap(), BOARD).unwrap();
        let mut learner = samadi(endgame, count);
        let examples = learner.examples(&UNSTOPPED).unwrap();
        assert_eq!(examples.len(), count);
        let mut lengths = [0; 22];
        for &(men, label) in examples {
            assert!(rules.is_possible(men) && men.turn == Color::Black);
            let position = rules.position(men).unwrap();
            let truth = match tables.probe(&position).unwrap().unwrap() {
                Verdict::Loss { plies } => plies / 2,
                _ => 21,
            };
            assert_eq!(u16::from(label), truth, "{position}");
            lengths[usize::from(label)] += 1;
        }
        // Easy ones, hard ones, and some that are not won at all.
        let different = lengths.iter().filter(|&&count| count > 0).count();
        assert!(different > 7, "{lengths:?}");
    }
}

#[test]
fn the_plain_loops_answer_as_the_framework_does() {
    let positions = |endgame: &str, turn| -> Vec<FewMen> {
        let material = endgame.parse().unwrap();
        let rules = FewMenRules::new(material, BOARD).unwrap();
        rules::RandomPositions::new(material, BOARD, Some(turn), 5)
            .take(500)
            .map(|position| rules.compact(&position).unwrap())
            .collect()
    };
    let mut pairs = Vec::new();
    for endgame in ["KQK", "KRK"] {
        let mut learner = samadi(endgame, 100);
        learn(&mut learner, 40);
        pairs.extend(learner.both_answers(&positions(endgame, Color::Black)));
        let mut learner = tiny(endgame, 40);
        learn(&mut learner, 40);
        pairs.extend(learner.both_answers(&positions(endgame, Color::White)));
    }
    for inputs in [Sight::Coordinates, Sight::Lines] {
        let mut learner = samadi_told("KBBK", 100, inputs);
        learn(&mut learner, 40);
        pairs.extend(learner.both_answers(&positions("KBBK", Color::Black)));
    }
    assert_eq!(pairs.len(), 3000);
    let least = pairs.iter().map(|pair| pair.0).fold(f32::MAX, f32::min);
    let most = pairs.iter().map(|pair| pair.0).fold(f32::MIN, f32::max);
    assert!(
        most - least > 1.0,
        "all answers are alike: {least} to {most}"
    );
    for (framework, plain) in pairs {
        // Of answers of about ten, the last bits are worth more than 1e-5 of a move.
        assert!((framework - plain).abs() <= 1e-5 * framework.abs().max(1.0));
    }
}

#[test]
fn training_lowers_the_error_and_goes_on_where_it_stopped() {
    fn check<L: EndgameLearner>(mut make: impl FnMut() -> L) {
        let mut whole = make();
        learn(&mut whole, 60);
        let mut first = make();
        let before = first.training_error().unwrap();
        learn(&mut first, 30);
        let state = saved(&first);
        let mut second = make();
        second.load(&mut Reader::new(&state)).unwrap();
        learn(&mut second, 30);
        assert!(saved(&whole) == saved(&second));
        let after = second.training_error().unwrap();
        assert!(after < 0.7 * before, "{before} to {after}");
        let mut cut = make();
        assert!(
            cut.load(&mut Reader::new(&state[..state.len() / 2]))
                .is_err()
        );
    }
    check(|| samadi("KRK", 200));
    check(|| samadi_told("KRK", 200, Sight::Lines));
    check(|| tiny("KQK", 60));
    let played = TinyNetSettings {
        played: 0.5,
        ..TinyNetSettings::default()
    };
    check(|| tiny_with(played.clone(), "KQK", 60));
    // Own games are played before and after the break.
    let own = TinyNetSettings {
        own: 0.4,
        ..TinyNetSettings::default()
    };
    check(|| tiny_with(own.clone(), "KQK", 60));
}

#[test]
fn two_hundred_bytes_are_not_exceeded() {
    for endgame in ["KQK", "KRK", "KBBK", "KBNK"] {
        let learner = TinyNetLearner::new(
            TinyNetSettings::default(),
            endgame.parse().unwrap(),
            BOARD,
            1,
            1,
        );
        let bytes = learner.unwrap().bytes();
        assert!((150..=200).contains(&bytes), "{endgame}: {bytes}");
        if endgame != "KBNK" {
            assert!(samadi(endgame, 10).bytes() <= 200);
        }
    }
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let small = Board::new(5).unwrap();
    let krk = "KRK".parse().unwrap();
    let settings = TinyNetSettings::default;
    assert!(TinyNetLearner::new(settings(), krk, small, 1, 1).is_err());
    let kqkr = "KQKR".parse().unwrap();
    assert!(TinyNetLearner::new(settings(), kqkr, BOARD, 1, 1).is_err());
    let kbnk = "KBNK".parse().unwrap();
    assert!(SamadiLearner::new(SamadiSettings::default(), kbnk, BOARD, 1, 1).is_err());
    let wide = TinyNetSettings {
        hidden: 65,
        ..settings()
    };
    assert!(TinyNetLearner::new(wide, krk, BOARD, 1, 1).is_err());
    let mut untaught = TinyNetLearner::new(settings(), krk, BOARD, 1, 1).unwrap();
    assert!(untaught.episode(&UNSTOPPED).is_err(), "nobody teaches it");
}

#[test]
fn a_run_leaves_a_network_that_plays_and_ends_the_same_when_interrupted() {
    let root = tempfile::tempdir().unwrap();
    let plan = Plan::new(
        "tiny-net",
        Task::Endgame("KQK".parse().unwrap(), BOARD),
        2_000,
        1,
        &[],
    )
    .unwrap();
    let control = |stop| Control {
        teacher: Some(tables("KQK")),
        cancel: stop,
        ..Control::default()
    };
    let whole = root.path().join("whole");
    train(&plan, &whole, control(None)).unwrap();
    // Cancelled when it first tells how far it is, between two checkpoints.
    let parts = root.path().join("parts");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut middle = |_: &learn::RunProgress| {
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    let stopped = train(
        &plan,
        &parts,
        Control {
            progress: Some(&mut middle),
            ..control(Some(&stop))
        },
    );
    assert_eq!(stopped.unwrap().stopped, learn::Stopped::Cancelled);
    resume(&parts, control(None)).unwrap();
    let newest = |folder| std::fs::read(&checkpoint::all(folder)[0]).unwrap();
    assert!(newest(&whole) == newest(&parts));

    let file = std::fs::read(whole.join("network.ltn")).unwrap();
    let network = Arc::new(TinyNetwork::from_bytes(&file).unwrap());
    let policy = Policy::load(&whole, Which::Newest).unwrap();
    assert_eq!(policy.skill().network().as_deref(), Some(&*network));
    let mate_in_one = Position::from_fen("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1").unwrap();
    let chosen = policy.choose(&mate_in_one).unwrap();
    assert!(mate_in_one.after(chosen.m).is_checkmate());
    for searching in [
        Searching::Depth {
            plies: 4,
            history: false,
        },
        Searching::Game(std::time::Duration::from_millis(20)),
    ] {
        let mut player = searching.player(network.clone());
        let game = Game::new(mate_in_one.clone(), Rules::default());
        let choice = player.choose(&game, &play::Limits::NONE).unwrap();
        assert!(mate_in_one.after(choice.mv).is_checkmate(), "{searching:?}");
        let other = Position::from_fen("7k/8/6K1/8/8/8/8/1R6 w - - 0 1").unwrap();
        let refused = player.choose(&Game::new(other, Rules::default()), &play::Limits::NONE);
        assert!(refused.unwrap_err().to_string().contains("KQK"));
    }
}
