//! Foreign engines: what they do wrong is survived, and nothing is left behind.
#![allow(clippy::unwrap_used)] // a test that cannot go on should fail
#![cfg(unix)]

#[path = "../../rules/tests/others/mod.rs"]
mod others;
mod tables;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use play::{Limits, Match, Openings, Player, PlayerError, Running, UciEngine};
use rules::{Board, Game, Position, Reason, Rules};
use tables::{position, registry};

/// A fake engine: a shell script that reads commands line by line. `$n` counts the starts, so that
/// an engine can behave at its second start.
fn fake(folder: &Path, name: &str, on_go: &str) -> PathBuf {
    script(
        folder,
        name,
        &format!(
            r#"
while read -r line; do
  case "$line" in
    uci) echo "id name fake"; echo "option name Hash type spin default 1"; echo uciok ;;
    isready) echo readyok ;;
    go*) {on_go} ;;
    quit) exit 0 ;;
  esac
done"#
        ),
    )
}

fn script(folder: &Path, name: &str, body: &str) -> PathBuf {
    let path = folder.join(name);
    let log = folder.join(format!("{name}.starts"));
    let text = format!(
        "#!/bin/sh\necho $$ >> '{0}'\nn=$(wc -l < '{0}')\n{body}\n",
        log.display()
    );
    // Written elsewhere and moved: a file that is open for writing cannot be started.
    let draft = folder.join(format!("{name}.draft"));
    fs::write(&draft, text).unwrap();
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(draft, &path).unwrap();
    path
}

fn starts(path: &Path) -> Vec<u32> {
    let log = fs::read_to_string(format!("{}.starts", path.display())).unwrap_or_default();
    log.lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect()
}

fn engine(path: &Path) -> UciEngine {
    UciEngine::new(path.to_str().unwrap(), Limits::NONE).with_patience(Duration::from_millis(400))
}

fn assert_gone(path: &Path) {
    for id in starts(path) {
        let gone = Instant::now() + Duration::from_secs(5);
        // A zombie would still have its folder here.
        while Path::new(&format!("/proc/{id}")).exists() {
            assert!(Instant::now() < gone, "process {id} is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn start() -> Game {
    Game::new(Position::start(), Rules::default())
}

#[test]
fn a_good_engine_plays() {
    let folder = tempfile::tempdir().unwrap();
    let path = fake(
        folder.path(),
        "good",
        r#"echo "info depth 3 score cp 17 nodes 99 pv e2e4 e7e5"; echo "bestmove e2e4 ponder e7e5""#,
    );
    let mut player = engine(&path).with_option("hash", "16");
    let choice = player.choose(&start(), &Limits::NONE).unwrap();
    assert_eq!(Position::start().uci(choice.mv), "e2e4");
    assert_eq!(choice.info.depth, Some(3));
    assert_eq!(choice.info.nodes, Some(99));
    assert_eq!(choice.info.score, Some(play::Score::Centipawns(17)));
    drop(player);
    assert_gone(&path);
}

#[test]
fn trouble_is_survived_once_and_then_loses_the_game() {
    let folder = tempfile::tempdir().unwrap();
    for (name, on_go, reason) in [
        ("silent", ":", Reason::TimeOut),
        ("hang", "exec sleep 60", Reason::TimeOut),
        ("illegal", "echo 'bestmove e2e5'", Reason::IllegalMove),
        ("null", "echo 'bestmove 0000'", Reason::IllegalMove),
        ("nothing", "echo 'bestmove'", Reason::IllegalMove),
        ("crash", "exit 3", Reason::Crash),
        ("killed", "kill -9 $$", Reason::Crash),
        (
            "garbage",
            r"printf 'best\377move\n\0\0 e2e4\n'",
            Reason::TimeOut,
        ),
        (
            "babble",
            "while :; do echo 'info string hello'; done",
            Reason::TimeOut,
        ),
    ] {
        let path = fake(folder.path(), name, on_go);
        let mut player = engine(&path);
        player.new_game();
        let clock = Instant::now();
        match player.choose(&start(), &Limits::NONE) {
            Err(PlayerError::Forfeit { reason: found, .. }) => assert_eq!(found, reason, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
        assert!(clock.elapsed() < Duration::from_secs(8), "{name}");
        assert_eq!(starts(&path).len(), 2, "{name} is started again once");
        drop(player);
        assert_gone(&path);
    }
}

#[test]
fn an_engine_that_recovers_plays_on() {
    let folder = tempfile::tempdir().unwrap();
    for (name, first) in [
        ("mute", ":"),
        ("fragile", "exit 1"),
        ("cheat", "echo 'bestmove a1a8'"),
    ] {
        let on_go = format!("if [ \"$n\" = 1 ]; then {first}; else echo 'bestmove d2d4'; fi");
        let path = fake(folder.path(), name, &on_go);
        let choice = engine(&path).choose(&start(), &Limits::NONE).unwrap();
        assert_eq!(Position::start().uci(choice.mv), "d2d4", "{name}");
    }
}

#[test]
fn an_engine_that_dies_after_its_move_is_started_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = fake(folder.path(), "mortal", "echo 'bestmove e2e4'; exit 0");
    let mut player = engine(&path);
    let choice = player.choose(&start(), &Limits::NONE).unwrap();
    let mut game = start();
    game.play(choice.mv).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    // The new process answers with a move that is not legal any more, and dies again.
    let error = player.choose(&game, &Limits::NONE).expect_err("a forfeit");
    assert!(matches!(error, PlayerError::Forfeit { .. }), "{error}");
    drop(player);
    assert_gone(&path);
}

#[test]
fn a_handshake_that_fails_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let deaf = script(folder.path(), "deaf", "exec sleep 60");
    let error = engine(&deaf)
        .choose(&start(), &Limits::NONE)
        .expect_err("no uciok");
    assert!(error.to_string().contains("uciok"), "{error}");
    assert_gone(&deaf);
    let good = fake(folder.path(), "plain", "echo 'bestmove e2e4'");
    let error = engine(&good)
        .with_option("Threads", "2")
        .choose(&start(), &Limits::NONE)
        .expect_err("no such option");
    assert!(
        error
            .to_string()
            .contains("no option 'Threads'; it has Hash"),
        "{error}"
    );
    let missing = folder.path().join("missing");
    let error = engine(&missing)
        .choose(&start(), &Limits::NONE)
        .expect_err("no program");
    assert!(error.to_string().contains("cannot be started"), "{error}");
}

#[test]
fn a_match_records_the_forfeit() {
    let folder = tempfile::tempdir().unwrap();
    let path = fake(folder.path(), "crasher", "exit 1");
    let registry = registry(&[], Board::STANDARD);
    let contest = Match::new(
        registry.parse("random").unwrap(),
        registry
            .parse(&format!("uci:{},timeout=400", path.display()))
            .unwrap(),
        Openings::List(vec![position("8/8/8/3k4/8/8/1K6/R7 w")]),
        3,
    );
    let result = contest.run(Running::default()).unwrap();
    for record in &result.records {
        assert_eq!(
            (record.winner, record.reason),
            (Some(rules::Color::White), Reason::Crash)
        );
        assert!(record.remark.is_some());
        let pgn = record.pgn("forfeits", contest.rules).unwrap().to_string();
        assert!(
            pgn.contains("abandoned") && pgn.contains("white wins by a crash"),
            "{pgn}"
        );
    }
    assert_gone(&path);
}

#[test]
fn stockfish_mates_where_it_is_installed() {
    let registry = registry(&["KQK"], Board::STANDARD);
    let stockfish = registry.parse("uci:stockfish,nodes=5000,option.Threads=1");
    if !others::made("mates of Stockfish", stockfish.is_ok(), "no stockfish here") {
        return;
    }
    let stockfish = stockfish.unwrap();
    let contest = Match::new(
        stockfish,
        registry.parse("perfect").unwrap(),
        Openings::random("KQK".parse().unwrap(), Board::STANDARD),
        4,
    );
    let run = |threads| {
        contest
            .run(Running {
                threads,
                ..Running::default()
            })
            .unwrap()
    };
    let result = run(1);
    assert_eq!(result.statistics.count(play::Ending::Win), 4);
    assert_eq!(result, run(2));
}
