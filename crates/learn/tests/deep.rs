//! Networks that learn from play, judged by exact truth that they never see.
#![allow(clippy::unwrap_used)]

#[path = "../examples/judge/mod.rs"]
mod judge;

use judge::Judge;
use learn::{
    Control, Course, DqnSettings, EndgameLearner, Episode, LearnError, Learner, Opponent, Plan,
    Skill, Task,
    deep_q::dqn::DqnLearner,
    distances::td_net::{TdNetLearner, TdNetSettings, Trust},
    runs::record::{Reader, Writer},
    train,
};
use rules::Board;

/// Nobody stops these learners.
static UNSTOPPED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

fn saved(learner: &dyn Learner) -> Vec<u8> {
    let mut out = Writer::default();
    learner.save(&mut out);
    out.into_bytes()
}

fn td_net(endgame: &str, board: usize, games: u64, seed: u64) -> TdNetLearner {
    td_net_that_trusts(Trust::Network, endgame, board, games, seed)
}

fn td_net_that_trusts(
    trust: Trust,
    endgame: &str,
    board: usize,
    games: u64,
    seed: u64,
) -> TdNetLearner {
    let settings = TdNetSettings {
        trust,
        width: 32,
        layers: 1,
        batch: 256,
        refresh: 20,
        longest: 12,
        quiet: 200,
        ..TdNetSettings::default()
    };
    let board = Board::new(board).unwrap();
    TdNetLearner::new(settings, endgame.parse().unwrap(), board, games, seed).unwrap()
}

fn play(learner: &mut dyn Learner, games: u64) -> bool {
    (0..games).any(|_| learner.episode(&UNSTOPPED).unwrap() == Episode::Finished)
}

#[test]
fn a_network_finishes_at_exact_play_from_its_own_games() {
    let network = [("KQK", 1, Trust::Network), ("KRK", 2, Trust::Network)];
    let memory = [("KRK", 2, Trust::Memory)];
    for (endgame, seed, trust) in network.into_iter().chain(memory) {
        let mut learner = td_net_that_trusts(trust, endgame, 4, 5_000, seed);
        assert!(
            play(&mut learner, 5_000),
            "{endgame}: {:?}",
            learner.state()
        );
        let judge = Judge::new(endgame, Board::new(4).unwrap());
        let finding = judge.certify(|men| learner.choose(men).map(|p| p.m));
        assert_eq!(finding.mated, finding.won, "{endgame}: {finding:?}");
        assert_eq!(finding.excess, 0, "{endgame}: {finding:?}");
    }
}

#[test]
fn a_network_that_has_not_finished_is_not_perfect() {
    // Were the first test won by something else than learning, this one would fail.
    let mut learner = td_net("KRK", 4, 5_000, 2);
    assert!(!play(&mut learner, 30));
    let judge = Judge::new("KRK", Board::new(4).unwrap());
    let finding = judge.certify(|men| learner.choose(men).map(|p| p.m));
    assert!(finding.mated * 10 < finding.won * 9, "{finding:?}");
}

#[test]
fn looking_further_ahead_mends_some_of_what_is_wrong() {
    let mut learner = td_net("KRK", 4, 5_000, 2);
    play(&mut learner, 120);
    let judge = Judge::new("KRK", Board::new(4).unwrap());
    let network = learner.network();
    let own = judge.certify(|men| network.choose(men).map(|p| p.m));
    let ahead = judge.certify(|men| network.choose_ahead(men).map(|p| p.m));
    assert!(own.mated < own.won, "{own:?}: nothing to mend");
    assert!(own.mated < ahead.mated, "{own:?} {ahead:?}");
}

#[test]
fn a_saved_network_goes_on_as_if_nothing_had_happened() {
    let mut undisturbed = td_net("KRK", 4, 500, 3);
    play(&mut undisturbed, 70);
    let record = saved(&undisturbed);
    let mut other = td_net("KRK", 4, 500, 3);
    play(&mut other, 5);
    other.load(&mut Reader::new(&record)).unwrap();
    play(&mut undisturbed, 60);
    play(&mut other, 60);
    assert!(saved(&undisturbed) == saved(&other));
    for length in [0, 60, 200, record.len() / 2, record.len() - 1] {
        assert!(other.load(&mut Reader::new(&record[..length])).is_err());
    }
}

fn dqn(changes: DqnSettings, games: u64) -> Result<DqnLearner, LearnError> {
    let course = Course {
        task: Task::Endgame("KRK".parse().unwrap(), Board::new(4).unwrap()),
        episodes: games,
        seed: 4,
    };
    let opponent = (changes.opponent != "self").then_some(Opponent::Random);
    DqnLearner::new(changes, course, opponent)
}

fn small() -> DqnSettings {
    DqnSettings {
        channels: 8,
        batch: 16,
        warm_up: 200,
        update_every: 1,
        target_every: 100,
        ..DqnSettings::default()
    }
}

#[test]
fn deep_q_learning_learns_which_moves_are_legal() {
    let mut learner = dqn(small(), 300).unwrap();
    play(&mut learner, 30);
    let (good, all) = learner.legal_thoughts().unwrap();
    let first = good as f64 / all as f64;
    play(&mut learner, 200);
    let (good_then, all_then) = learner.legal_thoughts().unwrap();
    play(&mut learner, 70);
    let (good, all) = learner.legal_thoughts().unwrap();
    let last = (good - good_then) as f64 / (all - all_then) as f64;
    assert!(last > first + 0.2, "{first} {last}");
    assert_eq!(learner.training_starts().len(), 300);
}

#[test]
fn with_masking_every_thought_is_legal() {
    let settings = DqnSettings {
        masking: true,
        ..small()
    };
    let mut learner = dqn(settings, 50).unwrap();
    play(&mut learner, 20);
    assert_eq!(learner.legal_thoughts(), None);
}

#[test]
fn training_stops_when_held_out_starts_show_no_progress() {
    let settings = DqnSettings {
        validate_every: 5,
        validation_games: 5,
        patience: 2,
        rate: 0.0, // nothing is learned, so nothing gets better
        ..small()
    };
    let mut learner = dqn(settings, 1000).unwrap();
    assert!(
        play(&mut learner, 16),
        "it should have stopped after 15 games"
    );
    assert_eq!(learner.training_starts().len(), 15);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |recipe: &str, name: &str, value: &str| {
        let task = Task::Endgame("KRK".parse().unwrap(), Board::new(4).unwrap());
        let changes = [(name.to_owned(), value.to_owned())];
        let plan = Plan::new(recipe, task, 1, 1, &changes);
        let learner = plan.and_then(|plan| plan.learner(None));
        let error = learner.err().expect("refused").to_string();
        let says = format!("{name} = {value}");
        assert!(error.starts_with(&says), "{recipe}: {error}");
    };
    for (name, value) in [
        ("batch", "0"),
        ("ensemble", "0"),
        ("gamma", "1.5"),
        ("update_every", "0"),
    ] {
        refused("ypma-dqn", name, value);
    }
    let settings = DqnSettings {
        from: "no/such/run".into(),
        ..small()
    };
    let mut learner = dqn(settings, 1).unwrap();
    assert!(matches!(
        learner.episode(&UNSTOPPED),
        Err(LearnError::NoRun { .. })
    ));
    for (name, value) in [
        ("batch", "0"),
        ("drill", "1"),
        ("width", "0"),
        ("longest", "0"),
        ("device", "abacus"),
    ] {
        refused("td-net", name, value);
    }
}

#[test]
fn a_run_of_another_endgame_can_be_started_from() {
    let folder = tempfile::tempdir().unwrap();
    let board = Board::new(4).unwrap();
    let change = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let changes = [
        change("channels", "8"),
        change("warm_up", "50"),
        change("batch", "8"),
    ];
    let plan = Plan::new(
        "ypma-dqn",
        Task::Endgame("KQK".parse().unwrap(), board),
        40,
        1,
        &changes,
    )
    .unwrap();
    let before = folder.path().join("kqk");
    train(&plan, &before, Control::default()).unwrap();
    // Learning is off, so that what was taken over can be told from what was not.
    let settings = |from: &str| DqnSettings {
        from: from.into(),
        rate: 0.0,
        ..small()
    };
    let mut fresh = dqn(settings(""), 1).unwrap();
    let mut after = dqn(settings(&before.display().to_string()), 1).unwrap();
    play(&mut fresh, 1);
    play(&mut after, 1);
    assert!(saved(&fresh) != saved(&after));
}
