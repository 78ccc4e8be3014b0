//! Document Y: Ypma 2024, what it says of minimax without figures.

use crate::{Chart, Column, Contest, Experiment, Row, Show, Unit, ypma::STOCKFISH};

const fn minimax(player: &'static str, material: &'static str) -> Contest {
    Contest::new(player, STOCKFISH, material)
        .games(50, 100)
        .shows(&[
            Show::Wins,
            Show::PliesToMate,
            Show::Repeated,
            Show::Threefold,
        ])
}

macro_rules! row {
    ($name:literal, $material:literal, $player:expr, $best:expr) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&minimax($player, $material)],
            best: &[&minimax($best, $material)],
        }
    };
}

/// Formula 6.1 at a depth, as in Tables 6.3 and 6.4.
macro_rules! formula {
    ($name:literal, $material:literal, $depth:literal) => {
        row!(
            $name,
            $material,
            concat!(
                "minimax:depth=",
                $depth,
                ",beta1=2,beta2=5,repetition=3,ties=drawn"
            ),
            concat!("minimax:depth=", $depth)
        )
    };
}

macro_rules! table_5_2 {
    ($name:literal, $depth:literal) => {
        row!(
            $name,
            "KRK",
            concat!(
                "minimax:depth=",
                $depth,
                ",eval=ypma-edge,repetition=3,ties=drawn"
            ),
            concat!("minimax:depth=", $depth)
        )
    };
}

pub static Y_MINIMAX: Experiment = Experiment {
    id: "Y-minimax",
    cite: "Ypma 2024, Section 6.1.3, Figure 6.1 and Table 5.2",
    title: "Minimax on KBNK, its shuffling, and the evaluation of Table 5.2",
    setting: "The thesis says that minimax does not work on KBNK, and that at depth 2 of KRK the rook goes \
              to and fro until the third repetition of a position is near. Its Table 5.2 is an example of an \
              evaluation. No figures.",
    rows_are: "endgame, evaluation, depth",
    columns: &[
        Column::percent("wins"),
        Column {
            name: "plies to mate",
            unit: Unit::Plies,
        },
        Column::percent("a position came back"),
        Column::percent("drawn by repetition"),
    ],
    rows: &[
        formula!("KBNK, formula 6.1, 1", "KBNK", 1),
        formula!("KBNK, formula 6.1, 2", "KBNK", 2),
        formula!("KBNK, formula 6.1, 3", "KBNK", 3),
        formula!("KBNK, formula 6.1, 4", "KBNK", 4),
        formula!("KRK, formula 6.1, 2", "KRK", 2),
        row!(
            "KRK, formula 6.1, 2, the first of equal moves",
            "KRK",
            "minimax:depth=2,beta1=2,beta2=5,repetition=3",
            "minimax:depth=2,beta1=2,beta2=5,shortest=on,quiescence=on"
        ),
        table_5_2!("KRK, Table 5.2, 1", 1),
        table_5_2!("KRK, Table 5.2, 2", 2),
        table_5_2!("KRK, Table 5.2, 3", 3),
        table_5_2!("KRK, Table 5.2, 4", 4),
    ],
    paper_count: None,
    deviations: &[
        "Players, opponents and rules are those of Tables 6.3 and 6.4. Best searches to the same depth with our own \
         evaluation, which for bishop and knight is made for that endgame.",
        "Figure 6.1 shows a board without a FEN. Ours are the first positions that came back in these games; numbers mark \
         where white's moves went until the position stood there again.",
        "Table 5.2 is taken as it is written: mate 50, a draw −50, the bare king in a corner 10, close to the edge d, far \
         from it −d, d being its distance to the edge. We read \"close\" as d ≤ 1. On the edge d is 0, so that a \
         king beside the edge is worth more than one on it; and where white's own king stands does not count.",
    ],
    findings: &[
        "With bishop and knight formula 6.1 wins none of 100 games at one ply and 2 to 5 at two to four, as the thesis says: it knows nothing of \
         the right corner. An evaluation that does wins 57 at one or two plies and 90 at three or four.",
        "At depth 2 of KRK every game is won, and in about a quarter of them a position comes back first: the king in the corner, the other \
         king as near as it may stand, and the rook to and fro, as in the thesis' Figure 6.1. What is near enough to see is mated; \
         what is not looks alike wherever the rook goes.",
        "Table 5.2 mates where mate is near and hardly otherwise (4 to 15 games of 100): without a word about white's own king the \
         rook shuffles, and a position comes back in nine games of ten from two plies on.",
    ],
    charts: &[Chart::Bars { column: 0 }, Chart::Bars { column: 2 }],
};
