//! What networks of several sizes know of masters' moves, after several lengths of training: a table of our own.

use crate::{Chart, Column, Experiment, GamesTraining, HeldOutMatches, Row};

/// A network of two hidden layers, trained by so many batches of 1,024 positions.
macro_rules! dense {
    ($width:literal, $batches:literal, $seen:literal) => {
        Row {
            name: concat!($width, " neurons, ", $seen),
            paper: &[],
            ours: &[&HeldOutMatches {
                training: GamesTraining::new("imitation", $batches, $batches / 100)
                    .with(&[
                        ("blocks", "dense"),
                        ("width", $width),
                        ("batch", "1024"),
                        ("rate", "0.002"),
                        ("judged", "20000"),
                    ])
                    .in_smoke(&[("width", "8"), ("batch", "32")], 4),
            }],
            best: &[],
        }
    };
}

pub static IMITATION: Experiment = Experiment {
    id: "imitation",
    cite: "Lucena, a table of our own",
    title: "Masters' moves by size of the network and length of its training",
    setting: "Networks of two hidden layers, over men, attacked squares and what moves have in common, that learn which move \
              a master played; on the processor. Two of a hundred games are held out, by their moves; new positions are \
              those of them that occur in no training game.",
    rows_are: "network, trained on",
    columns: &[
        Column::times("weights"),
        Column::positions("positions learned from"),
        Column::times("seconds"),
        Column::percent("first choice right"),
        Column::percent("… in new positions"),
        Column::percent("first three"),
        Column::percent("first three, new positions"),
        Column::percent("error of the expected score"),
    ],
    rows: &[
        dense!("16", 1_000, "1 million"),
        dense!("16", 8_000, "8 million"),
        dense!("16", 65_000, "67 million"),
        dense!("64", 1_000, "1 million"),
        dense!("64", 8_000, "8 million"),
        dense!("64", 65_000, "67 million"),
        dense!("280", 1_000, "1 million"),
        dense!("280", 8_000, "8 million"),
        dense!("280", 65_000, "67 million"),
    ],
    paper_count: None,
    deviations: &[
        "One training each. The rate falls along half a cosine to the end of each, so that a short training is one that ended, \
         not one that was cut off.",
        "Seconds are those of the clock, with one thread that learns and one that gets batches ready beside it, on two \
         cores that other programs used, too.",
    ],
    findings: &[
        "The bar was 43 % of all held-out positions with what two cores do in an hour. The largest network comes to 42.1 % in less than four \
         minutes of one core, and to 44.3 % in thirty-six that other work shared.",
        "Eight times as many positions bring four points of a hundred from 1 to 8 million and one or two from there to 67; four times as many \
         neurons bring two or three.",
        "Both bring more in positions that come back than in new ones: from 1 to 67 million positions the largest network gains 6.3 points over \
         all and 4.4 in new positions. The tower of as many weights that learned on a GPU (docs/imitation.md) knows 52.7 and 47.3 %.",
        "What they expect of the game is right to one per cent in all rows.",
    ],
    charts: &[
        Chart::Curve {
            x: 0,
            y: 3,
            log: false,
        },
        Chart::Curve {
            x: 1,
            y: 3,
            log: false,
        },
        Chart::Curve {
            x: 1,
            y: 4,
            log: false,
        },
    ],
};
