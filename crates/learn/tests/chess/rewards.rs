//! What is rewarded: ends, moves of an opening book, moves that shorten a win.

use std::sync::Arc;

use learn::chess::{Environment, Resources, Setup, Step};
use rules::{Book, Position};
use truth::{Tablebase, Verdict};

use crate::data;

fn step(environment: &mut Environment, uci: &str) -> Step {
    let m = environment.game().position().parse_uci(uci).expect(uci);
    let action = environment.action(m);
    environment.step(action as i64).expect(uci)
}

#[test]
fn moves_of_a_book_are_rewarded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.bin");
    let start = Position::start();
    let e4 = start.parse_uci("e2e4").unwrap();
    let after = start.after(e4);
    let c5 = after.parse_uci("c7c5").unwrap();
    std::fs::write(&path, Book::write([(&start, e4, 9), (&after, c5, 1)])).unwrap();
    let settings = [
        ("rewards", "end=1000,book=10,move=-1"),
        ("book", path.to_str().unwrap()),
    ];
    let setup = Setup::read(settings, Resources::default()).unwrap();
    assert!(!setup.sees_exact_answers());
    let mut environment = Environment::new(setup, 1).unwrap();
    let rewards: Vec<(f32, f32)> = ["e2e4", "c7c5", "g1f3"]
        .map(|uci| step(&mut environment, uci))
        .map(|step| (step.reward, step.other_reward))
        .into();
    assert_eq!(rewards, [(9.0, 0.0), (9.0, 0.0), (-1.0, 0.0)]);
}

#[test]
fn a_real_book_knows_the_openings() {
    let Some(path) = data("polyglot/gnuchess-book.bin") else {
        return;
    };
    let book = Book::open(&path).unwrap();
    assert_eq!(book.len(), 180_358);
    let start = Position::start();
    let moves: Vec<String> = book.moves(&start).map(|(m, _)| start.uci(m)).collect();
    for uci in ["e2e4", "d2d4", "c2c4", "g1f3"] {
        assert!(moves.iter().any(|m| m == uci), "{uci} in {moves:?}");
    }
    // It goes on for some moves.
    let mut now = start;
    let mut plies = 0;
    while let Some((m, _)) = book
        .moves(&now)
        .max_by_key(|&(m, weight)| (weight, u32::from(m.to())))
    {
        now.play(m);
        plies += 1;
    }
    assert!(plies > 8, "{plies} plies to {now}");
}

/// From a won position the shortest moves are rewarded, every other is not, and coming back is not.
#[test]
fn shorter_wins_are_rewarded_by_our_tables() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Arc::new(Tablebase::new(folder.path()));
    let resources = Resources {
        registry: None,
        tables: Some(&tables),
    };
    let settings = [
        ("start", "endgame:KRK,won=on"),
        ("rewards", "end=1000,tablebase=10"),
    ];
    let setup = Setup::read(settings, resources).unwrap();
    assert!(setup.sees_exact_answers());
    let mut environment = Environment::new(setup, 5).unwrap();
    for game in 0..20 {
        environment.reset().unwrap();
        let start = environment.game().position().clone();
        let plies = match tables.probe(&start).unwrap() {
            Some(Verdict::Win { plies }) => plies,
            other => panic!("{start} is {other:?}"),
        };
        // Perfect play is rewarded at every move of white's, and at none of black's.
        let mut total = 0.0;
        for (ply, m) in tables.line(&start).unwrap().into_iter().enumerate() {
            let step = environment.step(environment.action(m) as i64).unwrap();
            let end = if step.terminated { 1000.0 } else { 0.0 };
            let expected = if ply % 2 == 0 { 10.0 + end } else { 0.0 };
            assert_eq!(step.reward, expected, "game {game} from {start}, ply {ply}");
            total += step.reward;
        }
        assert_eq!(total, 1000.0 + 10.0 * f32::from(plies.div_ceil(2)));
    }
    // A rook that goes away and comes back has shortened nothing.
    environment
        .reset_to(Position::from_fen("8/8/8/3k4/8/8/1R6/K7 w - -").unwrap())
        .unwrap();
    let rewards: Vec<f32> = ["b2h2", "d5d4", "h2b2", "d4d5", "b2h2", "d5d4", "h2b2"]
        .map(|uci| step(&mut environment, uci).reward)
        .into();
    assert!(
        rewards[2..].iter().all(|&reward| reward == 0.0),
        "{rewards:?}"
    );
}

/// Document P's tables: the number is that to the next capture or pawn move.
#[test]
fn shorter_wins_are_rewarded_by_syzygy_tables() {
    let Some(folder) = data("syzygy") else {
        return;
    };
    let settings = [
        ("start", "fen:8/8/8/k7/8/8/7P/K7 w - -"),
        ("rewards", "end=1000,tablebase=10"),
        ("syzygy", folder.to_str().unwrap()),
    ];
    let setup = Setup::read(settings, Resources::default()).unwrap();
    assert!(setup.sees_exact_answers());
    let mut environment = Environment::new(setup, 1).unwrap();
    // The pawn runs: its move begins the count anew and keeps the win. The king's moves do not help.
    assert_eq!(step(&mut environment, "h2h4").reward, 10.0);
    assert_eq!(step(&mut environment, "a5b5").reward, 0.0);
    assert_eq!(step(&mut environment, "a1a2").reward, 0.0);
    // A mate by the rook is the end of the count.
    environment
        .reset_to(Position::from_fen("k7/8/1K6/8/8/8/8/7R w - -").unwrap())
        .unwrap();
    assert_eq!(step(&mut environment, "h1h8").reward, 1010.0);
    // A rook that goes away and comes back has shortened nothing.
    environment
        .reset_to(Position::from_fen("8/8/8/3k4/8/8/1R6/K7 w - -").unwrap())
        .unwrap();
    let rewards: Vec<f32> = ["b2h2", "d5d4", "h2b2", "d4d5", "b2h2", "d5d4", "h2b2"]
        .map(|uci| step(&mut environment, uci).reward)
        .into();
    assert!(
        rewards[2..].iter().all(|&reward| reward == 0.0),
        "{rewards:?}"
    );
}
