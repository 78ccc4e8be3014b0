//! The solver against published figures. They stand here so that the test needs no other data.

use rules::{Board, Material};
use truth::{Solver, Statistics};

fn solve(material: &str, board: Board) -> Statistics {
    let material: Material = material.parse().expect(material);
    let solved = Solver::new(board)
        .solve(material, &|_| true)
        .expect("it can be solved");
    solved.statistics().clone()
}

#[test]
fn counts_over_the_full_board() {
    // (signature, white to move: positions, won), (black to move: positions, lost)
    for (material, white, black) in [
        ("KQK", (144_508, 144_508), (223_944, 200_896)),
        ("KRK", (175_168, 175_168), (223_944, 201_700)),
        ("KPK", (163_328, 124_960), (168_024, 97_604)),
        ("KBNK", (10_875_504, 10_822_184), (13_660_584, 11_188_168)),
        ("KQKR", (8_952_608, 8_863_768), (10_780_728, 7_062_680)),
        ("KRKN", (10_780_728, 5_210_920), (12_535_256, 1_364_800)),
    ] {
        let found = solve(material, Board::STANDARD);
        let (w, b) = (&found.white_to_move, &found.black_to_move);
        assert_eq!((w.positions(), w.won()), white, "{material}, white to move");
        assert_eq!(
            (b.positions(), b.lost()),
            black,
            "{material}, black to move"
        );
        assert_eq!(w.won() + w.drawn() + w.lost(), w.positions());
        assert_eq!(b.won() + b.drawn() + b.lost(), b.positions());
    }
}

#[test]
fn longest_mates_on_the_standard_board() {
    for (material, moves) in [
        ("KQK", 10),
        ("KRK", 16),
        ("KPK", 28),
        ("KBBK", 19),
        ("KBNK", 33),
        ("KQKR", 35),
        ("KRKN", 40),
        ("KRKP", 43), // won by the pawn
    ] {
        let found = solve(material, Board::STANDARD);
        let longest = found
            .white_to_move
            .longest_moves()
            .max(found.black_to_move.longest_moves());
        assert_eq!(longest, Some(moves), "{material}");
    }
}

/// OEIS A225551, A225552 and A225556. For odd sizes the last one speaks of a bishop on the colour
/// of the corners; the other bishop never mates faster than the best of these.
#[test]
fn longest_mates_on_small_boards() {
    for (material, moves) in [
        ("KQK", [4, 6, 7, 8, 10]),
        ("KRK", [7, 10, 12, 14, 16]),
        ("KBNK", [14, 13, 22, 21, 33]),
    ] {
        let found = Board::ALL.map(|board| solve(material, board).white_to_move.longest_moves());
        assert_eq!(found, moves.map(Some), "{material}");
    }
}

/// The classical counts "up to symmetry" identify positions that the full board has eight, or on a
/// diagonal four, times; they are the numbers of orbits.
#[test]
fn orbits_of_won_positions() {
    use rayon::prelude::*;
    use rules::Color;
    for (material, orbits) in [("KQK", 18_081), ("KRK", 21_959)] {
        let solved = Solver::new(Board::STANDARD)
            .solve(material.parse().expect(material), &|_| true)
            .expect("it can be solved");
        let fens: std::collections::HashSet<String> = solved
            .positions(Color::White)
            .filter(|(_, verdict)| verdict.is_win())
            .map(|(position, _)| position.canonical().0.fen())
            .collect();
        assert_eq!(fens.len(), orbits, "{material}");
    }
}
