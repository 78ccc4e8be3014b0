//! Certificates against what is known without them.

#[allow(dead_code)] // each test file needs a part of it
mod support;

use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicUsize, Ordering},
};

use rules::{Board, Color, Material, Move, Position, Reason};
use truth::{
    Certificate, Certifier, Chooser, Choosers, Convert, Decision, Defence, Failure, FailureKind,
    Solver, Tablebase, Verdict,
};

fn certifier<'a>(
    material: &str,
    board: Board,
    policy: &'a (dyn Fn() -> Chooser<'a> + Sync),
) -> Certifier<'a> {
    Certifier {
        material: material.parse().expect(material),
        board,
        symmetric: true,
        convert: Convert::Player,
        policy: Choosers::Each(policy),
        journal: None,
        progress: &|_| true,
    }
}

/// The best move by the tables, the first of the list among equals.
fn best(tablebase: &Tablebase, position: &Position) -> Move {
    let value = |m: Move| {
        let after = tablebase
            .probe(&position.after(m))
            .expect("a good table")
            .expect("a table");
        after.before()
    };
    // `max_by_key` would take the last of equals.
    position
        .legal_moves()
        .into_iter()
        .rev()
        .max_by_key(|&m| value(m))
        .expect("a move")
}

fn tables(material: &str, board: Board) -> (tempfile::TempDir, Tablebase) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tablebase = Tablebase::new(folder.path());
    let material: Material = material.parse().expect(material);
    tablebase
        .ensure(material, board, &|_| true)
        .expect("it can be solved");
    (folder, tablebase)
}

/// How a policy is asked makes no difference: position by position on all threads, or many at once.
/// With pawns that can be taken in passing it is asked in a second round as well.
#[test]
fn many_positions_at_once_give_the_same_certificate() {
    for (material, size) in [("KRK", 8), ("KQKR", 5), ("KPK", 8)] {
        let board = Board::new(size).expect("a board");
        let last = |p: &Position| -> Decision {
            let moves = p.legal_moves();
            moves.last().copied().expect("a move").into()
        };
        let each = || -> Chooser<'_> { Box::new(|p| Ok(last(p))) };
        let largest = AtomicUsize::new(0);
        let many = |positions: &[Position]| {
            largest.fetch_max(positions.len(), Ordering::Relaxed);
            Ok(positions.iter().map(last).collect())
        };
        let mut solver = Solver::new(board);
        let mut what = certifier(material, board, &each);
        what.symmetric = false;
        let attack = what.attack(&mut solver).expect("a certificate");
        let defence = what.defence(&mut solver).expect("a certificate");
        what.policy = Choosers::Many(&many);
        let attack_of_many = what.attack(&mut solver).expect("a certificate");
        let defence_of_many = what.defence(&mut solver).expect("a certificate");
        let policy = |certificate: &Certificate| {
            let mut text = Vec::new();
            certificate.write_policy(&mut text).expect("it is written");
            text
        };
        assert!(attack.won_positions > 0);
        assert_eq!(format!("{attack:?}"), format!("{attack_of_many:?}"));
        assert_eq!(policy(&attack), policy(&attack_of_many));
        assert_eq!(format!("{defence:?}"), format!("{defence_of_many:?}"));
        assert!((1_000..=65_536).contains(&largest.into_inner()));
    }
}

#[test]
fn too_few_moves_for_many_positions_are_refused() {
    let each = || -> Chooser<'_> { Box::new(|_| Err("not asked".into())) };
    let many = |positions: &[Position]| {
        let moves = positions.iter().map(|p| p.legal_moves()[0].into());
        Ok(moves.skip(1).collect())
    };
    let mut what = certifier("KRK", Board::STANDARD, &each);
    what.policy = Choosers::Many(&many);
    let error = what.attack(&mut Solver::new(Board::STANDARD)).map(drop);
    let error = error.expect_err("one move is missing").to_string();
    assert!(error.contains("moves and gave"), "{error}");
}

fn perfect_certificates(material: &str, board: Board) -> (Certificate, Defence) {
    let (folder, tablebase) = tables(material, board);
    let policy = || -> Chooser<'_> { Box::new(|p| Ok(best(&tablebase, p).into())) };
    let mut solver = Solver::with_folder(board, folder.path());
    let what = certifier(material, board, &policy);
    (
        what.attack(&mut solver).expect("a certificate"),
        what.defence(&mut solver).expect("a certificate"),
    )
}

fn assert_perfect(material: &str, board: Board) {
    let (attack, defence) = perfect_certificates(material, board);
    // Where nothing is won, nothing is said of a share.
    let all = |of: u64| (of > 0).then_some(1.0);
    let won = all(attack.won_positions);
    assert_eq!(attack.share, won, "{material} on {board}: {attack:#?}");
    assert_eq!(attack.forced_mates, attack.won_positions);
    assert_eq!(attack.is_empty(), won.is_none());
    assert_eq!(attack.optimal_share, won, "{material} on {board}");
    assert_eq!(attack.optimal_move_share, won, "{material} on {board}");
    assert!(attack.mean_excess_moves.is_none_or(|excess| excess == 0.0));
    // Even the shortest mate can take more than fifty moves: KRKB on 7×7 takes up to 52.
    let too_long = |failure: &Failure| failure.kind == FailureKind::TooLong;
    assert!(
        attack.failures.iter().all(too_long),
        "{material} on {board}"
    );
    assert_eq!(
        attack.failures.is_empty(),
        attack.longest_moves.is_none_or(|moves| moves <= 50),
        "{material} on {board}"
    );
    let statistics = Solver::new(board)
        .solve(material.parse().expect(material), &|_| true)
        .expect("it can be solved")
        .statistics()
        .clone();
    assert_eq!(
        attack.won_positions,
        statistics.white_to_move.won(),
        "{material} on {board}"
    );
    assert_eq!(
        defence.kept_share,
        all(defence.held_positions),
        "{material} on {board}: {defence:#?}"
    );
    assert_eq!(
        defence.optimal_share,
        all(defence.lost_positions),
        "{material} on {board}"
    );
    let black = &statistics.black_to_move;
    assert_eq!(
        defence.held_positions,
        black.drawn() + black.won(),
        "{material} on {board}"
    );
}

#[test]
fn perfect_play_is_certified_as_perfect() {
    // All signatures on all boards with LUCENA_EXHAUSTIVE; otherwise all of three men, and those of
    // four men on the smallest board.
    for material in (3..=4).flat_map(Material::all) {
        for board in Board::ALL {
            let small = board.size() <= if material.men() == 3 { 8 } else { 4 };
            let possible = board.is_standard() || !material.has_pawns();
            if possible && (small || support::exhaustive()) {
                assert_perfect(&material.to_string(), board);
            }
        }
    }
}

/// Pawns of both sides: promotions into tables and captures en passant.
#[test]
fn perfect_play_with_pawns_is_certified_as_perfect() {
    let (folder, tablebase) = tables("KPKP", Board::STANDARD);
    let policy = || -> Chooser<'_> { Box::new(|p| Ok(best(&tablebase, p).into())) };
    let mut solver = Solver::with_folder(Board::STANDARD, folder.path());
    let mut what = certifier("KPKP", Board::STANDARD, &policy);
    what.convert = Convert::Truth;
    let attack = what.attack(&mut solver).expect("a certificate");
    assert_eq!(attack.won_positions, 3_213_028);
    assert_eq!(attack.forced_mates, 3_213_028);
    assert_eq!(attack.optimal_share, Some(1.0));
}

/// The policy file holds each won position once up to symmetry.
#[test]
fn a_position_counts_once_in_the_policy_file() {
    for (material, size) in [("KQK", 8), ("KRK", 5), ("KBBK", 4), ("KPK", 8)] {
        let board = Board::new(size).expect("a board");
        let (folder, tablebase) = tables(material, board);
        let policy = || -> Chooser<'_> { Box::new(|p| Ok(best(&tablebase, p).into())) };
        let mut solver = Solver::with_folder(board, folder.path());
        let certificate = certifier(material, board, &policy)
            .attack(&mut solver)
            .expect("one");
        let mut csv = Vec::new();
        certificate
            .write_policy(&mut csv)
            .expect("memory can be written");
        let csv = String::from_utf8(csv).expect("it is text");
        let mut orbits = HashSet::new();
        let mut full = HashSet::new();
        for line in csv.lines() {
            let (fen, uci) = line.split_once(',').expect("two fields");
            let position = Position::from_fen(fen).expect(fen);
            assert!(position.parse_uci(uci).is_some(), "{line}");
            assert!(
                orbits.insert(position.canonical().0.fen()),
                "{fen} stands there twice"
            );
            for &symmetry in position.symmetries() {
                full.insert(position.transformed(symmetry).fen());
            }
        }
        assert_eq!(full.len() as u64, certificate.won_positions, "{material}");
    }
}

/// A position without its clocks.
fn key(position: &Position) -> String {
    position.fen().split(' ').take(2).collect()
}

/// A policy with one blunder loses exactly the positions that lead to it. What leads to it is found
/// by an independent search forwards from every position, over positions and nothing else.
#[test]
fn a_planted_blunder_costs_exactly_what_leads_to_it() {
    for (material, size, planted) in [
        ("KRK", 4, 7),
        ("KQK", 4, 3),
        ("KRK", 5, 40),
        ("KQK", 5, 100),
    ] {
        let board = Board::new(size).expect("a board");
        let (folder, tablebase) = tables(material, board);
        let probe = |p: &Position| tablebase.probe(p).expect("a good table").expect("a table");
        // The first positions in which a move throws the win away at once.
        let solved = Solver::new(board)
            .solve(material.parse().expect(material), &|_| true)
            .expect("it can be solved");
        use rayon::prelude::*;
        let positions: Vec<(Position, Verdict)> = solved.positions(Color::White).collect();
        let blunder_in = |p: &Position| {
            p.legal_moves()
                .into_iter()
                .find(|&m| probe(&p.after(m)).is_draw())
        };
        let blunders: HashMap<String, Move> = positions
            .iter()
            .filter(|(_, verdict)| verdict.is_win())
            .filter_map(|(p, _)| Some((key(p), blunder_in(p)?)))
            .take(planted)
            .collect();
        let choose = |p: &Position| {
            blunders
                .get(&key(p))
                .copied()
                .unwrap_or_else(|| best(&tablebase, p))
        };
        let policy = || -> Chooser<'_> { Box::new(|p| Ok(choose(p).into())) };
        let mut solver = Solver::with_folder(board, folder.path());
        let mut what = certifier(material, board, &policy);
        // The blunders stand on single positions, not on their images.
        what.symmetric = false;
        let certificate = what.attack(&mut solver).expect("a certificate");

        // Forwards, by depth-first search with the positions on the path: a win must be reached on
        // every path. Perfect moves never repeat, so a plain recursion ends.
        fn wins(
            p: &Position,
            choose: &dyn Fn(&Position) -> Move,
            known: &mut HashMap<String, bool>,
        ) -> bool {
            if let Some(&known) = known.get(&key(p)) {
                return known;
            }
            known.insert(key(p), false); // a position that comes back is not a win
            let after = p.after(choose(p));
            let won = after.is_checkmate()
                || !after.is_stalemate()
                    && !after.is_insufficient_material()
                    && after.legal_moves().into_iter().all(|m| {
                        let next = after.after(m);
                        !next.is_insufficient_material() && wins(&next, choose, known)
                    });
            known.insert(key(p), won);
            won
        }
        let mut known = HashMap::new();
        let (mut won, mut forced) = (0, 0);
        let mut seen = HashSet::new();
        for (p, verdict) in &positions {
            for &symmetry in p.symmetries() {
                let image = p.transformed(symmetry);
                if verdict.is_win() && seen.insert(image.fen()) {
                    won += 1;
                    forced += u64::from(wins(&image, &choose, &mut known));
                }
            }
        }
        assert_eq!(certificate.won_positions, won);
        assert_eq!(certificate.forced_mates, forced, "{material} on {board}");
        assert!(forced < won, "the blunders must cost something");
        let failed: u64 = certificate.failures.iter().map(|f| f.positions).sum();
        assert_eq!(failed, won - forced);
        for failure in &certificate.failures {
            assert_ne!(
                failure.kind,
                FailureKind::Cycle,
                "a blunder ends the game or the win"
            );
            for example in &failure.examples {
                replay(&example.fen, &example.uci, failure.kind);
            }
        }
    }
}

/// Plays a refutation and checks that it ends as it says.
fn replay(fen: &str, line: &[String], kind: FailureKind) {
    let mut game = rules::Game::new(Position::from_fen(fen).expect(fen), rules::Rules::none());
    for uci in line {
        let m = game
            .position()
            .parse_uci(uci)
            .unwrap_or_else(|| panic!("{uci} in {fen}"));
        game.play(m).expect("a legal move");
    }
    match kind {
        FailureKind::Stalemate => {
            assert_eq!(
                game.outcome().map(|o| o.reason),
                Some(Reason::Stalemate),
                "{fen} {line:?}"
            );
        }
        FailureKind::PieceLost => {
            let before = Position::from_fen(fen).expect(fen).men_count();
            assert!(game.position().men_count() < before, "{fen} {line:?}");
        }
        _ => {}
    }
}

/// A king that shuffles between two squares mates nobody: every position fails, most by cycling.
#[test]
fn a_policy_without_a_plan_is_caught_in_cycles() {
    let board = Board::new(5).expect("a board");
    let policy = || -> Chooser<'_> {
        Box::new(|p: &Position| {
            let moves = p.legal_moves();
            let mate = moves.iter().copied().find(|&m| p.after(m).is_checkmate());
            Ok(mate.unwrap_or(moves[0]).into())
        })
    };
    let mut solver = Solver::new(board);
    let mut what = certifier("KRK", board, &policy);
    what.symmetric = false;
    let certificate = what.attack(&mut solver).expect("a certificate");
    assert!(
        certificate.share.is_some_and(|share| share < 0.5),
        "{certificate:#?}"
    );
    let cycle = certificate
        .failures
        .iter()
        .find(|f| f.kind == FailureKind::Cycle)
        .expect("cycles");
    for example in &cycle.examples {
        assert!(
            example.end.contains("come back") || example.end.contains("gone"),
            "{example:?}"
        );
        replay(&example.fen, &example.uci, FailureKind::Cycle);
    }
    let sum: f64 = certificate.failures.iter().map(|f| f.share).sum::<f64>();
    assert!((sum + certificate.within_fifty_share.expect("a share") - 1.0).abs() < 1e-12);
}

#[test]
fn an_interrupted_survey_goes_on_where_it_stopped() {
    let board = Board::new(6).expect("a board");
    let (folder, tablebase) = tables("KBNK", board);
    let asked = std::sync::atomic::AtomicU64::new(0);
    let policy = || -> Chooser<'_> {
        Box::new(|p: &Position| {
            asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(Decision {
                mv: best(&tablebase, p),
                unvisited: p.halfmoves() > 0,
            })
        })
    };
    let journal = tempfile::tempdir().expect("a temporary folder");
    let mut solver = Solver::with_folder(board, folder.path());
    let stop = |stage: truth::Stage| {
        !matches!(stage, truth::Stage::Asking { material, asked, .. }
            if material.men() == 4 && asked > 40_000)
    };
    let mut what = certifier("KBNK", board, &policy);
    what.journal = Some(journal.path().to_owned());
    what.progress = &stop;
    assert!(what.attack(&mut solver).is_err());
    let first = asked.swap(0, std::sync::atomic::Ordering::Relaxed);
    assert!(first > 40_000);
    // A crash in the middle of a write leaves half a batch; it must not be believed.
    let path = journal.path().join("KBNK.moves");
    let mut bytes = std::fs::read(&path).expect("there is a journal");
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&path, bytes).expect("it can be written");
    what.progress = &|_| true;
    let resumed = what.attack(&mut solver).expect("a certificate");
    let second = asked.swap(0, std::sync::atomic::Ordering::Relaxed);
    what.journal = None;
    let whole = what.attack(&mut solver).expect("a certificate");
    assert!(second < asked.load(std::sync::atomic::Ordering::Relaxed));
    assert_eq!(resumed.share, Some(1.0));
    assert_eq!(resumed.won_positions, whole.won_positions);
    assert_eq!(resumed.mean_excess_moves, whole.mean_excess_moves);
}

#[test]
fn an_illegal_move_is_an_error_not_a_certificate() {
    let board = Board::new(4).expect("a board");
    let other = Position::from_fen("k3/4/1K2/2Q1 w").expect("a position");
    let mv = other.legal_moves()[0];
    let policy = || -> Chooser<'_> { Box::new(move |_: &Position| Ok(mv.into())) };
    let error = certifier("KQK", board, &policy)
        .attack(&mut Solver::new(board))
        .expect_err("an error");
    assert!(error.to_string().contains("is not legal in"), "{error}");
}

#[test]
fn heat_maps_are_the_same_whether_or_not_symmetry_is_used() {
    let board = Board::new(4).expect("a board");
    // The same plan in all images of a position: the first move of the one that stands for all.
    let policy = || -> Chooser<'_> {
        Box::new(|position| {
            let (canonical, symmetry) = position.canonical();
            let mut moves: Vec<Move> = canonical.legal_moves().into_iter().collect();
            moves.sort_by_key(|&m| canonical.uci(m));
            let back = symmetry.inverse();
            let image = |square| back.square(board, square);
            let (from, to) = (moves[0].from().map(image), image(moves[0].to()));
            let mut legal = position.legal_moves().into_iter();
            let found = legal.find(|m| m.from() == from && m.to() == to);
            Ok(found.expect("images have images of moves").into())
        })
    };
    // Equal men share a map.
    for (material, men) in [("KRK", "kKR"), ("KRRK", "kKR"), ("KQKR", "kKQr")] {
        let mut maps = Vec::new();
        for symmetric in [true, false] {
            let what = Certifier {
                symmetric,
                convert: Convert::Truth,
                ..certifier(material, board, &policy)
            };
            let certificate = what.attack(&mut Solver::new(board)).expect("a certificate");
            assert!(
                certificate.share.is_some_and(|share| share < 1.0),
                "{material}"
            );
            let found: String = certificate
                .heat_maps()
                .iter()
                .map(|(p, _)| p.char())
                .collect();
            assert_eq!(found, men);
            assert_eq!(certificate.heat_map(), certificate.heat_maps()[0].1);
            maps.push(certificate.heat_maps());
        }
        for ((piece, small), (_, full)) in maps[0].iter().zip(&maps[1]) {
            assert_eq!(small.len(), full.len());
            for (a, b) in small.iter().zip(full) {
                let near = |x: f64, y: f64| (x - y).abs() < 1e-9;
                assert!(
                    a.0 == b.0 && near(a.1, b.1) && near(a.2, b.2),
                    "{material} {piece:?}: {a:?} {b:?}"
                );
            }
            assert!(small.iter().any(|&(_, failed, _)| failed > 0.0));
        }
    }
}
