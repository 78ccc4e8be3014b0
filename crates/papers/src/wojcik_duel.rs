//! Document W's duels of networks.

use crate::{Chart, Column, Experiment, Making, NetworkDuel, Row, Stage};

/// As many games as the document's: they are decided soon enough.
macro_rules! own {
    ($network:ident, $against:ident) => {
        &[&NetworkDuel {
            network: Stage::$network,
            against: Stage::$against,
            games: 20,
            making: Making::Own,
        }]
    };
}

macro_rules! duel {
    ($name:literal, $paper:expr, $network:ident, $against:ident, $games:literal, $best:expr) => {
        Row {
            name: $name,
            paper: $paper,
            ours: &[&NetworkDuel {
                network: Stage::$network,
                against: Stage::$against,
                games: $games,
                making: Making::Document,
            }],
            best: $best,
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
            20,
            own!(Studied, New)
        ),
        duel!("M1 against M0, 60 games", &[], Studied, New, 60, &[]),
        duel!(
            "M2 against M1, 20 games",
            &[60.0, 30.0, 10.0, 75.0, 17_000.0, 86_400.0],
            SelfPlayed,
            Studied,
            20,
            own!(SelfPlayed, Studied)
        ),
        duel!(
            "M2 against M1, 100 games",
            &[],
            SelfPlayed,
            Studied,
            100,
            &[]
        ),
    ],
    paper_count: Some(20),
    deviations: &[
        "The document gives neither filters nor optimiser nor epochs: 32 filters, Adam and six epochs are \
         ours, and so is that half of what is learned after self-play are positions of the first games.",
        "The networks learn from 16,821 games between engines, of which 120,000 positions are drawn; the \
         document's own games are not known. Games are drawn after 200 moves of each side.",
        "Seconds are those of two shared cores; the document's 24 hours are of a machine it does not name.",
        "In the column best M1 is a tower of imitation after 720,000 positions of the same engine games, seen \
         once (the document's 120,000, six times over, are as many), and M2 the same after eight minutes of \
         alphazero, both on an H200. The machine was taken away before the experiment had M2 ready; it was trained \
         again by lucena train, from the file of M1 and with the settings named here, and played against here. \
         So how long M1 took is not known, and of M2's positions only about how many, from every second iteration.",
    ],
    findings: &[
        "M1 beats M0 as in the document (19 won and one drawn of 20, where the document has 17 and 3). \
         M2 does not beat M1: one generation of self-play leaves it where it was, 48.5 % of 100 games, \
         where the document has 75 % of 20.",
        "By our own recipes, alphazero beginning with a network that imitates engines, M2 wins 19 of 20 games \
         against M1: eight minutes of a GPU and six million positions instead of a day and 17,000.",
        "M1 knows much by heart: it finds 58 % of the moves it has learned from and 19 % of those of \
         games held out.",
        "18,082 positions of self-play with 800 simulations a move take 875 seconds on two cores, a \
         hundredth of the document's day.",
    ],
    charts: &[Chart::Bars { column: 3 }],
};
