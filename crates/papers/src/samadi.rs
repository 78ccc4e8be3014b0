//! Document S: Samadi et al. 2007, "Learning … endgame board evaluation", the games without a
//! network.

use crate::{Chart, Column, Contest, Experiment, Row, Show, Start, Unit};

const fn moves(name: &'static str) -> Column {
    Column {
        name,
        unit: Unit::Moves,
    }
}

/// A player against the longest resistance, from won positions.
const fn attack(player: &'static str, material: &'static str) -> Contest {
    Contest::new(player, "perfect", material)
        .start(Start::Won)
        .games(20, 1000)
        .shows(&[Show::Wins, Show::MovesToMate, Show::OptimalMoves])
}

const STOCKFISH: &str = "uci:stockfish,nodes=10000";
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
        moves("moves to mate"),
        moves("optimal moves"),
    ],
    rows: &[
        optimal!("KQK", 6.9),
        engine!("KQK", 9.8),
        optimal!("KRK", 13.5),
        engine!("KRK", 28.7),
        optimal!("KBBK", 14.4),
        engine!("KBBK", 22.1),
    ],
    paper_count: Some(20),
    deviations: &[
        "The engine is Stockfish with 10,000 nodes a move instead of Crafty; the best recipe is our \
         own search, which knows no tables either.",
        "The paper's 20 positions are not known: by its own perfect play they are harder than the \
         mean of all won positions.",
        "The rows of the paper's network come with the learners.",
    ],
    charts: &[Chart::Bars { column: 1 }],
};
