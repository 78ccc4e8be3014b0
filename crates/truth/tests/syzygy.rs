//! Our verdicts against Syzygy's, and the classical data set of KRK.

mod support;

use rayon::prelude::*;
use rules::{Board, Color, Material, Piece, Position, RandomPositions, Role, Square};
use truth::{Solver, Syzygy, Tablebase, Verdict};

/// Positions of each signature of four men, without `LUCENA_EXHAUSTIVE`.
const SAMPLE: usize = 20_000;

/// With a fresh clock and at most four men the fifty-move rule spoils no win, so Syzygy's verdict
/// is ours.
fn agree(syzygy: &Syzygy, position: &Position, ours: Verdict) {
    let expected = match ours {
        Verdict::Win { .. } => "win",
        Verdict::Draw => "draw",
        Verdict::Loss { .. } => "loss",
    };
    assert_eq!(syzygy.category(position), Some(expected), "{position}");
}

#[test]
fn verdicts_agree_with_syzygy() {
    let Some(folder) = support::data("Syzygy's verdicts", "syzygy") else {
        return;
    };
    let syzygy = Syzygy::open(&folder).expect("Syzygy's tables open");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tablebase = Tablebase::new(folder.path());
    let mut solver = Solver::with_folder(Board::STANDARD, folder.path());
    for material in (3..=4).flat_map(Material::all) {
        let solved = solver.solve(material, &|_| true).expect("it can be solved");
        if material.men() == 3 || support::exhaustive() {
            for turn in Color::ALL {
                solved
                    .positions(turn)
                    .for_each(|(position, ours)| agree(&syzygy, &position, ours));
            }
        } else {
            let positions: Vec<Position> = RandomPositions::new(material, Board::STANDARD, None, 2)
                .take(SAMPLE)
                .collect();
            positions.par_iter().for_each(|position| {
                let ours = tablebase
                    .probe(position)
                    .expect("a good table")
                    .expect("a table");
                agree(&syzygy, position, ours);
            });
        }
    }
}

#[test]
fn every_row_of_krkopt_agrees() {
    let Some(path) = support::data("krkopt, row by row", "uci/krkopt.data") else {
        return;
    };
    const WORDS: [&str; 17] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tablebase = Tablebase::new(folder.path());
    tablebase
        .ensure(
            "KRK".parse().expect("a signature"),
            Board::STANDARD,
            &|_| true,
        )
        .expect("KRK");
    let text = std::fs::read_to_string(path).expect("the data set is text");
    let mut by_depth = [0; 18];
    for row in text.lines() {
        let fields: Vec<&str> = row.split(',').collect();
        let square = |i: usize| -> Square {
            format!("{}{}", fields[i], fields[i + 1])
                .parse()
                .expect("a square")
        };
        let pieces = [
            (
                square(0),
                Piece {
                    color: Color::White,
                    role: Role::King,
                },
            ),
            (
                square(2),
                Piece {
                    color: Color::White,
                    role: Role::Rook,
                },
            ),
            (
                square(4),
                Piece {
                    color: Color::Black,
                    role: Role::King,
                },
            ),
        ];
        let position = Position::from_pieces(Board::STANDARD, pieces, Color::Black).expect(row);
        let verdict = tablebase
            .probe(&position)
            .expect("a good table")
            .expect("a table");
        let depth = WORDS.iter().position(|&word| word == fields[6]);
        assert_eq!(verdict.moves().map(usize::from), depth, "{row}");
        by_depth[depth.map_or(17, |d| d)] += 1;
    }
    assert_eq!(
        by_depth,
        [
            27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166,
            390, 2796
        ]
    );
}
