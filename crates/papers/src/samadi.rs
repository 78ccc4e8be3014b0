//! Document S: Samadi et al. 2007, "Learning … endgame board evaluation", the games without a
//! network.

use crate::{Chart, Column, Contest, Experiment, Row, Show, Start, Unit};

/// A player against the longest resistance, from won positions.
const fn attack(player: &'static str, material: &'static str) -> Contest {
    Contest::new(player, "perfect", material)
        .start(Start::Won)
        .games(20, 1000)
        .shows(&[Show::Wins, Show::MovesToMate, Show::OptimalMoves])
}

/// About as long as Crafty's four seconds a game.
const STOCKFISH: &str = "uci:stockfish,nodes=100000";
/// What Stockfish gets as an opponent elsewhere.
const HURRIED: &str = "uci:stockfish,nodes=10000";
const MINIMAX: &str = "minimax:depth=6";

macro_rules! optimal {
    ($material:literal, $paper:literal) => {
        Row {
            name: concat!($material, ", perfect play"),
            paper: &[f64::NAN, $paper, f64::NAN],
            ours: &[&attack("perfect", $material)],
            best: &[],
        }
    };
}

macro_rules! engine {
    ($material:literal, $paper:literal) => {
        Row {
            name: concat!($material, ", engine"),
            paper: &[f64::NAN, $paper, f64::NAN],
            ours: &[&attack(STOCKFISH, $material)],
            best: &[&attack(MINIMAX, $material)],
        }
    };
}

/// A row of our own.
macro_rules! hurried {
    ($material:literal) => {
        Row {
            name: concat!($material, ", engine, 10,000 nodes"),
            paper: &[],
            ours: &[&attack(HURRIED, $material)],
            best: &[],
        }
    };
}

pub static S6: Experiment = Experiment {
    id: "S6",
    cite: "Samadi et al. 2007, Table 6",
    title: "Mating against the longest resistance",
    setting: "Mean moves to mate from 20 random positions against a defender that plays from \
              Nalimov's tables: by those tables, and by the engine Crafty with 4 seconds a game.",
    rows_are: "endgame, attacker",
    columns: &[
        Column {
            name: "wins",
            unit: Unit::Percent,
        },
        Column::moves("moves to mate"),
        Column::moves("optimal moves"),
    ],
    rows: &[
        optimal!("KQK", 6.9),
        engine!("KQK", 9.8),
        hurried!("KQK"),
        optimal!("KRK", 13.5),
        engine!("KRK", 28.7),
        hurried!("KRK"),
        optimal!("KBBK", 14.4),
        engine!("KBBK", 22.1),
        hurried!("KBBK"),
    ],
    paper_count: Some(20),
    deviations: &[
        "The engine is Stockfish with 100,000 nodes a move instead of Crafty, about four seconds a \
         game. We began with the 10,000 nodes of the other tables and raised them when Stockfish 15.1 \
         hardly won KRK with so few; those rows are kept as our own. The best recipe is our \
         own search, which knows no tables either.",
        "The paper's 20 positions are not known, and by its own perfect play they were harder than \
         the mean of all won positions. Compare the moves beyond the optimum.",
        "The rows of the paper's network come with the learners.",
    ],
    charts: &[Chart::Bars { column: 1 }],
};
