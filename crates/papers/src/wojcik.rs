//! Document W: Wójcik and Wiśniewska 2021, its first half: seven networks that learn from games.

use crate::{Chart, Column, Experiment, GamesTraining, HeldOutMarks, MarksOf, NetworkGames, Row};

/// The document's sizes and epochs.
const THEIRS: GamesTraining = GamesTraining::new("wojcik-supervised", 1000, 100);

/// The same networks with answers turned for black, and all positions twice instead of some ten times: twice
/// the work.
const OURS: GamesTraining = GamesTraining::new("wojcik-supervised", 200, 20).with(&[
    ("turned", "true"),
    ("picker", "0"),
    ("pieces", "0"),
]);

macro_rules! row {
    ($name:literal, $paper:expr, $of:expr) => {
        Row {
            name: $name,
            paper: $paper,
            ours: &[&HeldOutMarks {
                training: THEIRS,
                of: $of,
            }],
            best: &[&HeldOutMarks {
                training: OURS,
                of: $of,
            }],
        }
    };
}

macro_rules! network {
    ($name:literal, $network:literal, $paper:literal) => {
        row!(
            $name,
            &[$paper, f64::NAN, f64::NAN, f64::NAN],
            MarksOf::Network($network)
        )
    };
}

macro_rules! games {
    ($name:literal, $against:literal, $games:literal) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&NetworkGames {
                training: THEIRS,
                against: $against,
                games: $games,
            }],
            best: &[&NetworkGames {
                training: OURS,
                against: $against,
                games: $games,
            }],
        }
    };
}

pub static W1: Experiment = Experiment {
    id: "W1",
    cite: "Wójcik and Wiśniewska 2021, Table 1 and Figure 1",
    title: "Seven networks that learn masters' moves",
    setting: "One network picks the square to move from, six the square to move to, one for each kind of \
              piece; 384→32→128→128→64 each. A million positions for the first, 150,000 to 200,000 for each of \
              the others, from games of highly rated players on Lichess; 10 epochs. Whole moves: the \
              legal one with the highest product.",
    rows_are: "network",
    columns: &[
        Column::percent("first choice right"),
        Column::percent("… in new positions"),
        Column::percent("first choice legal"),
        Column::percent("… in check"),
    ],
    rows: &[
        network!("picker", 0, 35.87),
        network!("king", 1, 60.19),
        network!("queen", 2, 40.6),
        network!("rook", 3, 42.48),
        network!("bishop", 4, 50.51),
        network!("knight", 5, 53.72),
        network!("pawn", 6, 49.46),
        row!("move", &[], MarksOf::Moves),
        row!("move, first 3", &[], MarksOf::FirstThree),
        row!("move, first 5", &[], MarksOf::FirstFive),
    ],
    paper_count: None,
    deviations: &[],
    findings: &[],
    charts: &[Chart::Bars { column: 0 }],
};

pub static W1_GAMES: Experiment = Experiment {
    id: "W1-games",
    cite: "after Wójcik and Wiśniewska 2021, section 2",
    title: "Games of the seven networks",
    setting: "Not in the paper, which says that the networks play unevenly and often leave their own pieces to \
              be captured: games without search, from the start after four random plies, each \
              beginning with both colours.",
    rows_are: "against",
    columns: &[
        Column::percent("won"),
        Column::percent("drawn"),
        Column::percent("score"),
    ],
    rows: &[
        games!("random", "random", 1000),
        games!("minimax, 1 ply", "minimax:depth=1", 200),
        games!("minimax, 2 plies", "minimax:depth=2", 200),
        games!(
            "Stockfish, level 0",
            "uci:stockfish,nodes=10000,option.Skill Level=0",
            200
        ),
        games!(
            "Stockfish, level 3",
            "uci:stockfish,nodes=10000,option.Skill Level=3",
            200
        ),
    ],
    paper_count: None,
    deviations: &[],
    findings: &[],
    charts: &[Chart::Bars { column: 2 }],
};
