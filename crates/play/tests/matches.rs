//! Matches: the same for the same seed, and unharmed by interruption.
#![allow(clippy::unwrap_used)] // a test that cannot go on should fail

mod tables;

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
};

use play::{Ending, GameRecord, Match, MatchError, MatchProgress, Openings, Running};
use rules::{Board, PgnReader, Rules};
use tables::{position, registry};

fn contest(games: u64) -> Match {
    let registry = registry(&["KQK"], Board::STANDARD);
    Match {
        seed: 42,
        ..Match::new(
            registry.parse("mcts:simulations=40").unwrap(),
            registry.parse("random").unwrap(),
            Openings::random("KQK".parse().unwrap(), Board::STANDARD),
            games,
        )
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let contest = contest(24);
    let run = |threads| {
        contest
            .run(Running {
                threads,
                ..Running::default()
            })
            .unwrap()
    };
    let alone = run(1);
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(4));
    let other = Match {
        seed: 43,
        ..contest
    }
    .run(Running::default())
    .unwrap();
    assert_ne!(alone.records, other.records);
}

#[test]
fn a_match_resumes_where_it_was_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let contest = contest(20);
    let whole = folder.path().join("whole.jsonl");
    let expected = contest
        .run_with_journal(Running::default(), &whole, false)
        .unwrap();
    let text = fs::read(&whole).unwrap();
    for keep in [
        0,
        1,
        30,
        text.len() / 3,
        text.len() / 2,
        text.len() - 1,
        text.len(),
    ] {
        let path = folder.path().join(format!("cut-{keep}.jsonl"));
        fs::write(&path, &text[..keep]).unwrap();
        let resumed = contest
            .run_with_journal(Running::default(), &path, true)
            .unwrap();
        assert_eq!(resumed, expected, "cut at {keep}");
        assert_eq!(fs::read(&path).unwrap(), text, "cut at {keep}");
    }
    // A last line of zeros, as a crash of the machine can leave it.
    let path = folder.path().join("zeros.jsonl");
    let mut zeros = text[..text.len() / 2].to_vec();
    zeros.truncate(zeros.iter().rposition(|&b| b == b'\n').unwrap() + 1);
    zeros.extend([0; 100]);
    fs::write(&path, &zeros).unwrap();
    let resumed = contest.run_with_journal(Running::default(), &path, true);
    assert_eq!(resumed.unwrap(), expected);
    // A longer match goes on from a shorter one.
    let longer = Match {
        games: 25,
        ..contest.clone()
    };
    let result = longer
        .run_with_journal(Running::default(), &whole, true)
        .unwrap();
    assert_eq!(result.records[..20], expected.records);
    assert_eq!(result, longer.run(Running::default()).unwrap());
}

#[test]
fn a_match_that_was_stopped_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let contest = contest(20);
    let stop = AtomicBool::new(false);
    let after_five = |progress: &MatchProgress<'_>| {
        if progress.finished == 5 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let running = Running {
        threads: 2,
        progress: Some(&after_five),
        stop: Some(&stop),
        oracle: None,
    };
    let part = contest.run_with_journal(running, &path, false).unwrap();
    assert!(!part.complete && (5..20).contains(&part.records.len()));
    let resumed = contest
        .run_with_journal(Running::default(), &path, true)
        .unwrap();
    assert_eq!(resumed, contest.run(Running::default()).unwrap());
}

#[test]
fn the_journal_of_another_match_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let contest = contest(3);
    contest
        .run_with_journal(Running::default(), &path, false)
        .unwrap();
    let again = contest.run_with_journal(Running::default(), &path, false);
    assert!(
        again
            .expect_err("there already")
            .to_string()
            .contains("is there already")
    );
    for other in [
        Match {
            seed: 1,
            ..contest.clone()
        },
        Match {
            rules: Rules::none(),
            ..contest.clone()
        },
        Match {
            paired: true,
            ..contest.clone()
        },
        Match {
            openings: Openings::List(vec![position("8/8/8/3k4/8/8/1K6/Q7 w")]),
            ..contest.clone()
        },
    ] {
        let error = other.run_with_journal(Running::default(), &path, true);
        assert!(
            error
                .expect_err("other settings")
                .to_string()
                .contains("another match")
        );
    }
    let text = fs::read_to_string(&path).unwrap();
    let second = text.lines().nth(1).unwrap();
    fs::write(&path, text.replace(second, "{}")).unwrap();
    let error = contest.run_with_journal(Running::default(), &path, true);
    assert!(error.expect_err("damaged").to_string().contains("line 2"));
}

#[test]
fn records_become_pgn_and_come_back() {
    let contest = contest(6);
    let result = contest.run(Running::default()).unwrap();
    let mut text = String::new();
    for record in &result.records {
        let line = serde_json::to_string(record).unwrap();
        assert_eq!(&serde_json::from_str::<GameRecord>(&line).unwrap(), record);
        text += &format!("{}\n", record.pgn("a test", contest.rules).unwrap());
    }
    let games: Vec<_> = PgnReader::new(text.as_bytes(), contest.rules)
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(games.len(), result.records.len());
    for (pgn, record) in games.iter().zip(&result.records) {
        assert_eq!(pgn.game.plies(), record.plies as usize);
        assert_eq!(pgn.tags.get("White"), Some(record.white.as_str()));
        assert!(
            pgn.comments
                .values()
                .any(|c| c.contains(&record.outcome().to_string()))
        );
    }
}

#[test]
fn pairs_share_an_opening_and_exchange_colours() {
    let registry = registry(&["KQK"], Board::STANDARD);
    let contest = Match {
        paired: true,
        ..Match::new(
            registry.parse("minimax:depth=4").unwrap(),
            registry.parse("random").unwrap(),
            Openings::random("KQK".parse().unwrap(), Board::STANDARD),
            20,
        )
    };
    let result = contest.run(Running::default()).unwrap();
    for pair in result.records.chunks(2) {
        assert_eq!(pair[0].start, pair[1].start);
        assert_eq!(pair[0].white, pair[1].black);
    }
    let statistics = result.statistics;
    assert_eq!(statistics.pentanomial().iter().sum::<u64>(), 10);
    assert!(statistics.count(Ending::Win) >= 10);
    assert!(statistics.elo().unwrap().difference > 100.0);
}

#[test]
fn a_player_that_cannot_play_ends_the_match() {
    let registry = registry(&[], Board::STANDARD);
    let contest = Match::new(
        registry.parse("perfect").unwrap(),
        registry.parse("random").unwrap(),
        Openings::List(vec![rules::Position::start()]),
        3,
    );
    match contest.run(Running::default()) {
        Err(MatchError::Player { index: 0, source }) => {
            assert!(source.to_string().contains("no exact table"), "{source}");
        }
        other => panic!("{other:?}"),
    }
    let empty = Match {
        openings: Openings::List(Vec::new()),
        ..contest
    };
    assert!(matches!(
        empty.run(Running::default()),
        Err(MatchError::NoOpening { .. })
    ));
}
