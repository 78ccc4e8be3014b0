//! Document W's duels of networks.

use crate::{Chart, Column, Experiment, NetworkDuel, Row, Stage};

macro_rules! duel {
    ($name:literal, $paper:expr, $network:ident, $against:ident, $games:literal) => {
        Row {
            name: $name,
            paper: $paper,
            ours: &[&NetworkDuel {
                network: Stage::$network,
                against: Stage::$against,
                games: $games,
            }],
            best: &[],
        }
    };
}

pub static W_DUEL: Experiment = Experiment {
    id: "W-duel",
    cite: "Wójcik and Wiśniewska 2021, section 3",
    title: "AlphaZero's networks against each other",
    setting: "A network of seven residual blocks sees 16 planes and scores 4,096 moves. M0 is a new one. M1 has learned from 120,000 \
              positions of games by engines. M2 is M1 after 17,000 positions of games against itself, which took about \
              24 hours. 800 simulations a move, noise at the root, the move visited most is played; 20 games each.",
    rows_are: "duel",
    columns: &[
        Column::percent("won"),
        Column::percent("drawn"),
        Column::percent("lost"),
        Column::percent("score"),
        Column::positions("positions learned from"),
        Column::times("seconds it took"),
    ],
    rows: &[
        duel!(
            "M1 against M0, 20 games",
            &[85.0, 15.0, 0.0, 92.5, 120_000.0, f64::NAN],
            Studied,
            New,
            20
        ),
        duel!("M1 against M0, 60 games", &[], Studied, New, 60),
        duel!(
            "M2 against M1, 20 games",
            &[60.0, 30.0, 10.0, 75.0, 17_000.0, 86_400.0],
            SelfPlayed,
            Studied,
            20
        ),
        duel!("M2 against M1, 100 games", &[], SelfPlayed, Studied, 100),
    ],
    paper_count: Some(20),
    deviations: &[],
    findings: &[],
    charts: &[Chart::Bars { column: 3 }],
};
