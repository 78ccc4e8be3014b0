//! Verdicts against a search that knows nothing of tables, and properties of any exact table.

use proptest::prelude::*;
use rules::{Board, Color, Material, Position, RandomPositions};
use truth::{Solver, Tablebase, Verdict};

/// Mate in at most so many plies by plain search: the number of plies, or `None`.
fn mates_in(position: &Position, plies: u16) -> Option<u16> {
    if plies == 0 {
        return None;
    }
    position
        .legal_moves()
        .into_iter()
        .filter_map(|m| Some(mated_in(&position.after(m), plies - 1)? + 1))
        .min()
}

/// Mated in at most so many plies whatever is played.
fn mated_in(position: &Position, plies: u16) -> Option<u16> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return position.is_check().then_some(0);
    }
    if plies < 2 {
        return None;
    }
    let mut longest = 0;
    for m in moves {
        longest = longest.max(mates_in(&position.after(m), plies - 1)? + 1);
    }
    Some(longest)
}

fn tables(materials: &[&str], board: Board) -> (tempfile::TempDir, Tablebase) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tablebase = Tablebase::new(folder.path());
    for material in materials {
        let material: Material = material.parse().expect(material);
        tablebase
            .ensure(material, board, &|_| true)
            .expect("it can be solved");
    }
    (folder, tablebase)
}

#[test]
fn a_probe_equals_a_search_for_short_mates() {
    const DEPTH: u16 = 5;
    for (material, size, positions) in [
        ("KQK", 4, 400),
        ("KRK", 5, 400),
        ("KBNK", 4, 300),
        ("KQKR", 4, 200),
        ("KRKR", 5, 200),
        ("KPKP", 8, 300),
        ("KQPK", 8, 20),
        ("KRKP", 8, 150),
    ] {
        let board = Board::new(size).expect("a board");
        let (_folder, tablebase) = tables(&[material], board);
        let mut short = 0;
        for position in
            RandomPositions::new(material.parse().expect(material), board, None, 3).take(positions)
        {
            let verdict = tablebase
                .probe(&position)
                .expect("a good table")
                .expect("a table");
            let expected = match verdict {
                Verdict::Win { plies } if plies <= DEPTH => Some(plies),
                _ => None,
            };
            assert_eq!(mates_in(&position, DEPTH), expected, "{position}");
            if !position.legal_moves().is_empty() || position.is_check() {
                let expected = match verdict {
                    Verdict::Loss { plies } if plies < DEPTH => Some(plies),
                    _ => None,
                };
                assert_eq!(mated_in(&position, DEPTH - 1), expected, "{position}");
            }
            short += usize::from(verdict.plies().is_some_and(|plies| plies <= DEPTH));
        }
        eprintln!("{material} on {board}: {short} short mates among {positions} positions");
    }
}

#[test]
fn a_verdict_follows_from_those_of_the_moves() {
    let board = Board::STANDARD;
    let materials = ["KPKP", "KQKR", "KRKP", "KBNK", "KPPK"];
    let (_folder, tablebase) = tables(&materials, board);
    for material in materials {
        let material: Material = material.parse().expect(material);
        for position in RandomPositions::new(material, board, None, 5).take(3_000) {
            let verdict = tablebase
                .probe(&position)
                .expect("a good table")
                .expect("a table");
            let moves = tablebase.moves(&position).expect("good tables");
            let best = match moves.first() {
                Some(best) => best.verdict.expect("every table is there"),
                None if position.is_check() => Verdict::Loss { plies: 0 },
                None => Verdict::Draw,
            };
            assert_eq!(verdict, best, "{position}");
        }
    }
}

#[test]
fn perfect_play_takes_exactly_the_distance() {
    let (_folder, tablebase) = tables(&["KBNK", "KQKR"], Board::STANDARD);
    for material in ["KBNK", "KQKR", "KRKQ"] {
        let material: Material = material.parse().expect(material);
        for position in RandomPositions::new(material, Board::STANDARD, None, 9).take(200) {
            let verdict = tablebase
                .probe(&position)
                .expect("a good table")
                .expect("a table");
            let line = tablebase.line(&position).expect("good tables");
            assert_eq!(
                line.len() as u16,
                verdict.plies().unwrap_or(0),
                "{position}"
            );
            let end = line
                .into_iter()
                .fold(position, |position, m| position.after(m));
            assert_eq!(end.is_checkmate(), !verdict.is_draw());
        }
    }
}

#[test]
fn samples_have_the_distance_asked_for() {
    let solved = Solver::new(Board::STANDARD)
        .solve("KRK".parse().expect("a signature"), &|_| true)
        .expect("it can be solved");
    let verdict = Verdict::Win { plies: 31 };
    let all = solved.sample(Color::White, verdict, usize::MAX, 1);
    // Of mates in 16, 916 positions of the full board: every one is found, once.
    assert_eq!(all.len(), 916);
    assert_eq!(solved.sample(Color::White, verdict, 20, 1), all[..20]);
    let (_folder, tablebase) = tables(&["KRK"], Board::STANDARD);
    for position in &all {
        assert_eq!(
            tablebase.probe(position).expect("a good table"),
            Some(verdict)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn symmetry_and_colour_never_change_a_verdict(seed in any::<u64>(), size in 4usize..=8, which in 0usize..4) {
        let material: Material = ["KRKN", "KBNK", "KQKR", "KBBK"][which].parse().expect("a signature");
        let board = Board::new(size).expect("a board");
        let tablebase = shared(material, board);
        let position = RandomPositions::new(material, board, None, seed).next_position();
        let verdict = tablebase.probe(&position).expect("a good table");
        prop_assert!(verdict.is_some());
        for &symmetry in position.symmetries() {
            prop_assert_eq!(tablebase.probe(&position.transformed(symmetry)).expect("a good table"), verdict);
        }
        prop_assert_eq!(tablebase.probe(&position.mirrored()).expect("a good table"), verdict);
    }
}

/// One folder of tables for all cases of a property.
fn shared(material: Material, board: Board) -> &'static Tablebase {
    static SHARED: std::sync::OnceLock<(tempfile::TempDir, Tablebase)> = std::sync::OnceLock::new();
    let (_, tablebase) = SHARED.get_or_init(|| tables(&[], Board::STANDARD));
    tablebase
        .ensure(material, board, &|_| true)
        .expect("it can be solved");
    tablebase
}
