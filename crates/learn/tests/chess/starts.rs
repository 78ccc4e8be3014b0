//! Where games begin.

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use learn::chess::{Environment, Resources, Setup};
use play::Registry;
use rules::{Board, Color, Position};
use truth::{Oracle, Tablebase, Verdict};

use crate::setup;

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The positions of the first games, and the plies that led to them.
fn begins(start: &str, games: usize) -> HashSet<(String, usize)> {
    let mut environment = Environment::new(setup(&[("start", start)]), 3).unwrap();
    (0..games)
        .map(|_| {
            environment.reset().unwrap();
            let game = environment.game();
            (game.position().fen(), game.plies())
        })
        .collect()
}

#[test]
fn files_of_positions_are_drawn_from_and_mates_in_them_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let text = "k4/5/1K3/5/4R w - - dm 1;\n\n\
                8/8/8/8/8/2k5/8/K6R w - - 3 40\n\
                R6k/8/6K1/8/8/8/8/8 b - -\n";
    let path = file(&folder, "some.epd", text);
    let found = begins(&format!("positions:{}", path.display()), 50);
    let fens: HashSet<&str> = found.iter().map(|(fen, _)| fen.as_str()).collect();
    assert_eq!(fens.len(), 2, "{fens:?}");
    assert!(fens.iter().any(|fen| fen.ends_with("3 40")), "{fens:?}");
    let read = |text: &str| {
        let start = format!("positions:{}", file(&folder, "bad.epd", text).display());
        let refused = Setup::read([("start", start.as_str())], Resources::default());
        refused.unwrap_err().to_string()
    };
    assert!(read("").contains("no position in it that can be played"));
    let error = read("k4/5/1K3/5/4R w - -\nnonsense\n");
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn games_begin_in_the_middle_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[Event \"one\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n\
                [Event \"broken\"]\n\n1. e4 Ke3 *\n\n\
                [Event \"mate\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    let path = file(&folder, "some.pgn", text);
    let found = begins(&format!("games:{}", path.display()), 300);
    // Four positions each, before every move; the first is common to both, and so is no other.
    assert_eq!(found.len(), 7, "{found:?}");
    let plies: Vec<usize> = (0..4)
        .map(|n| found.iter().filter(|(_, plies)| *plies == n).count())
        .collect();
    assert_eq!(plies, [1, 2, 2, 2]);
    let bad = file(&folder, "bad.pgn", "[Event \"broken\"]\n\n1. e4 Ke3 *\n");
    let start = format!("games:{}", bad.display());
    let refused = Setup::read([("start", start.as_str())], Resources::default());
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("no game can be read; game 1"), "{error}");
    // The limit counts from where the game begins here.
    let limited = setup(&[
        ("start", &format!("games:{}", path.display())),
        ("limit", "1"),
    ]);
    let mut environment = Environment::new(limited, 1).unwrap();
    for _ in 0..20 {
        environment.reset().unwrap();
        let first = environment.legal_actions().next().unwrap();
        assert!(!environment.step(first as i64).unwrap().truncated);
    }
}

#[test]
fn endgames_begin_on_every_board_won_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Arc::new(Tablebase::new(folder.path()));
    let registry = Registry::new(tables.clone() as Arc<dyn Oracle>);
    let resources = Resources {
        registry: Some(&registry),
        tables: Some(&tables),
    };
    for board in Board::ALL {
        let start = format!("endgame:KRK,board={},won=on,turn=either", board.size());
        let settings = [("start", start.as_str()), ("opponent", "perfect")];
        let setup = Setup::read(settings, resources).unwrap();
        let mut environment = Environment::new(setup, 1).unwrap();
        for _ in 0..30 {
            environment.reset().unwrap();
            let position = environment.game().position();
            assert_eq!(position.board(), board);
            assert_eq!(environment.learner(), Some(Color::White));
            // The learner is to move: black, who was to move in half of them, has replied.
            let verdict = tables.probe(position);
            assert!(matches!(verdict, Some(Verdict::Win { .. })), "{position}");
        }
    }
    let drawn = (0..200).filter(|&seed| {
        let any = setup(&[("start", "endgame:KRK,turn=black")]);
        let environment = Environment::new(any, seed).unwrap();
        let position = environment.game().position();
        assert_eq!(position.turn(), Color::Black);
        tables.probe(position) == Some(Verdict::Draw)
    });
    assert!(drawn.count() > 5, "any legal position, drawn ones too");
}

#[test]
fn a_position_of_ones_own_can_be_begun_from() {
    let mut environment = Environment::new(setup(&[]), 1).unwrap();
    let position = Position::from_fen("k4/5/1K3/5/4R w").unwrap();
    environment.reset_to(position.clone()).unwrap();
    assert_eq!(environment.game().position(), &position);
    let before = environment.game().position().fen();
    let over = Position::from_fen("R6k/8/6K1/8/8/8/8/8 b - -").unwrap();
    let error = environment.reset_to(over).unwrap_err().to_string();
    assert!(error.contains("the game is over in R6k"), "{error}");
    assert_eq!(environment.game().position().fen(), before);
}
