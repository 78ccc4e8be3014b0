//! Proximal policy optimisation against AlphaZero on equal terms, which document P asks for.

use crate::{Chart, Column, Experiment, Method, Row, Standing, Training};

const PPO_SMOKE: &[(&str, &str)] = &[
    ("steps", "32"),
    ("fragment", "8"),
    ("epochs", "1"),
    ("minibatch", "16"),
    ("width", "8"),
];
const ZERO_SMOKE: &[(&str, &str)] = &[
    ("games", "2"),
    ("group", "2"),
    ("plies", "2"),
    ("simulations", "4"),
    ("width", "8"),
    ("batch", "4"),
];

/// So many iterations of each that both take as long on one core: see the seconds.
const fn ppo(material: &'static str) -> Training {
    Training::new("ppo", material, 560)
        .with(&[("width", "192")])
        .quick(56)
        .in_smoke(PPO_SMOKE)
}

const fn zero(material: &'static str) -> Training {
    Training::new("alphazero", material, 200)
        .quick(20)
        .in_smoke(ZERO_SMOKE)
}

macro_rules! row {
    ($material:literal, $name:literal, $training:expr, $search:literal) => {
        Row {
            name: concat!($material, ", ", $name),
            paper: &[],
            ours: &[&Standing {
                material: $material,
                method: Method::Trained($training, $search),
            }],
            best: &[],
        }
    };
}

macro_rules! searching {
    ($material:literal, $name:literal, $training:expr) => {
        row!(
            $material,
            $name,
            $training,
            ",search=puct,simulations=8,history=off"
        )
    };
}

pub static P_AGAINST_W: Experiment = Experiment {
    id: "P-against-W",
    cite: "Salisch 2023, outlook",
    title: "PPO against AlphaZero on equal terms",
    setting: "Document P wishes for a comparison with AlphaZero on the same hardware for the same time. Here on endgames, where the \
              truth is known: the same core, the same time, the same two networks of two hidden layers of 192 neurons over \
              the same inputs, from nothing but the rules, three trainings each. PPO plays its policy; AlphaZero's is shown without search \
              and with eight simulations a move.",
    rows_are: "endgame, training (method)",
    columns: &[
        Column::times("iterations"),
        Column::times("seconds"),
        Column::bytes("bytes"),
        Column::percent("best moves"),
        Column::percent("games won"),
        Column::percent("certified"),
        Column::moves("excess"),
    ],
    rows: &[
        row!("KRK", "training 1 (PPO)", ppo("KRK"), ""),
        row!("KRK", "training 2 (PPO)", ppo("KRK").repeated(1), ""),
        row!("KRK", "training 3 (PPO)", ppo("KRK").repeated(2), ""),
        row!("KRK", "training 1 (AlphaZero)", zero("KRK"), ""),
        row!("KRK", "training 2 (AlphaZero)", zero("KRK").repeated(1), ""),
        row!("KRK", "training 3 (AlphaZero)", zero("KRK").repeated(2), ""),
        searching!("KRK", "training 1 (AlphaZero with search)", zero("KRK")),
        searching!(
            "KRK",
            "training 2 (AlphaZero with search)",
            zero("KRK").repeated(1)
        ),
        searching!(
            "KRK",
            "training 3 (AlphaZero with search)",
            zero("KRK").repeated(2)
        ),
        row!("KBNK", "training 1 (PPO)", ppo("KBNK"), ""),
        row!("KBNK", "training 2 (PPO)", ppo("KBNK").repeated(1), ""),
        row!("KBNK", "training 3 (PPO)", ppo("KBNK").repeated(2), ""),
        row!("KBNK", "training 1 (AlphaZero)", zero("KBNK"), ""),
        row!(
            "KBNK",
            "training 2 (AlphaZero)",
            zero("KBNK").repeated(1),
            ""
        ),
        row!(
            "KBNK",
            "training 3 (AlphaZero)",
            zero("KBNK").repeated(2),
            ""
        ),
        searching!("KBNK", "training 1 (AlphaZero with search)", zero("KBNK")),
        searching!(
            "KBNK",
            "training 2 (AlphaZero with search)",
            zero("KBNK").repeated(1)
        ),
        searching!(
            "KBNK",
            "training 3 (AlphaZero with search)",
            zero("KBNK").repeated(2)
        ),
    ],
    paper_count: None,
    deviations: &[
        "Equal time is made by numbers of iterations, so that a training can be repeated to the bit; the seconds are those of the clock on a \
         machine that had other work to do.",
        "Whole games are in P-against-W-games.",
    ],
    findings: &[],
    charts: &[Chart::Numbers { x: 4, y: 5 }],
};
