//! Every method on every endgame, held against exact truth: a table of our own.

use crate::{Chart, Column, Experiment, Method, Row, Standing, Training};

/// A row: a method, and in brackets what it learned from.
macro_rules! row {
    ($material:literal, $method:literal, $who:expr) => {
        Row {
            name: concat!($material, ", ", $method),
            paper: &[],
            ours: &[&Standing {
                material: $material,
                method: $who,
            }],
            best: &[],
        }
    };
}

/// Searches without anything learned.
macro_rules! searches {
    ($material:literal, minimax) => {
        row!(
            $material,
            "minimax (search)",
            Method::Player("minimax:depth=4,history=off")
        )
    };
    ($material:literal, mcts) => {
        row!(
            $material,
            "MCTS (search)",
            Method::Player("mcts:preset=best,simulations=1000")
        )
    };
}

/// Learners of tables.
macro_rules! table {
    ($material:literal, $method:literal, $recipe:literal, $games:literal) => {
        row!(
            $material,
            $method,
            Method::Trained(
                Training::new($recipe, $material, $games).quick($games / 10),
                ""
            )
        )
    };
}

/// A small network, taught, at the leaves of alpha-beta.
macro_rules! small {
    ($material:literal) => {
        row!(
            $material,
            "small net in alpha-beta (taught)",
            Method::Trained(
                Training::new("tiny-net", $material, 4_000)
                    .quick(1_000)
                    .for_engines()
                    .smoke_material("KQK")
                    .in_smoke(&[("batch", "64")]),
                ",depth=4,history=off"
            )
        )
    };
}

/// A network of distances that stands in `nets`.
macro_rules! offered {
    ($material:literal, $method:literal, $file:literal, $recipe:literal, $episodes:literal, $settings:expr) => {
        row!(
            $material,
            $method,
            Method::Network(
                $file,
                Training::new($recipe, $material, $episodes)
                    .with($settings)
                    .smoke_material("KQK")
                    .in_smoke(&[("width", "8"), ("batch", "64"), ("device", "cpu")])
            )
        )
    };
}

/// Document Y's deep Q-learning with legal moves only, small enough for a processor.
macro_rules! deep_q {
    ($material:literal) => {
        row!(
            $material,
            "DQN (play)",
            Method::Trained(
                Training::new("ypma-dqn", $material, 5_000)
                    .with(&[("masking", "true"), ("channels", "8"), ("hidden", "64")])
                    .quick(500)
                    .in_smoke(&[("masking", "true"), ("channels", "2"), ("hidden", "4")]),
                ""
            )
        )
    };
}

/// The smallest worlds, for a smoke run.
const FEW_STEPS: &[(&str, &str)] = &[
    ("steps", "32"),
    ("fragment", "8"),
    ("epochs", "1"),
    ("minibatch", "16"),
    ("width", "8"),
];
const FEW_GAMES: &[(&str, &str)] = &[
    ("games", "2"),
    ("group", "2"),
    ("plies", "2"),
    ("simulations", "4"),
    ("width", "8"),
    ("batch", "4"),
];

macro_rules! ppo {
    ($material:literal) => {
        row!(
            $material,
            "PPO (play)",
            Method::Trained(
                Training::new("ppo", $material, 200)
                    .quick(20)
                    .in_smoke(FEW_STEPS),
                ""
            )
        )
    };
}

macro_rules! zero {
    ($material:literal, $method:literal, $search:literal) => {
        row!(
            $material,
            $method,
            Method::Trained(
                Training::new("alphazero", $material, 200)
                    .quick(20)
                    .in_smoke(FEW_GAMES),
                $search
            )
        )
    };
}

/// Master games hold few endgames: what a network of whole games makes of one.
macro_rules! imitation {
    ($material:literal) => {
        row!(
            $material,
            "imitation (games)",
            Method::OfGames("imitation.safetensors", "")
        )
    };
    ($material:literal, searching) => {
        row!(
            $material,
            "imitation, 8 simulations (games)",
            Method::OfGames(
                "imitation.safetensors",
                ",search=puct,simulations=8,history=off"
            )
        )
    };
}

pub static SCOREBOARD: Experiment = Experiment {
    id: "scoreboard",
    cite: "Lucena, a table of our own",
    title: "Every method on every endgame",
    setting: "Methods of all five documents and ours, on the full board. In brackets what a method learned from: \
              play alone, exact tables (taught), master games, or nothing (search). Episodes are games for tables and \
              deep Q-learning, batches for networks that are taught, and iterations for PPO (4,000 decisions each) and \
              AlphaZero (4,096 moves each). Best moves are counted over all won positions, where the player is a policy, \
              and otherwise over its games. Games are from random won positions against perfect play. Certified is the \
              exact share of won positions from which mate is forced within fifty moves against every defence; excess, \
              in moves, is over those.",
    rows_are: "endgame, method",
    columns: &[
        Column::times("episodes"),
        Column::times("seconds"),
        Column::bytes("bytes"),
        Column::percent("best moves"),
        Column::percent("games won"),
        Column::percent("certified"),
        Column::moves("excess"),
    ],
    rows: &[
        searches!("KQK", minimax),
        searches!("KQK", mcts),
        table!("KQK", "Q (play)", "ypma-q", 1_000_000),
        table!("KQK", "Q(λ) (play)", "deolalikar-q-lambda", 100_000),
        table!("KQK", "two-bounds (play)", "two-bounds", 100_000),
        small!("KQK"),
        offered!(
            "KQK",
            "distance-net (taught)",
            "kqk.safetensors",
            "distance-net",
            6_000,
            &[("width", "64"), ("layers", "2"), ("batch", "2048")]
        ),
        row!(
            "KQK",
            "td-net (play)",
            Method::Trained(
                Training::new("td-net", "KQK", 15_000)
                    .with(&[("longest", "12")])
                    .quick(500)
                    .in_smoke(&[("width", "8"), ("batch", "64"), ("longest", "12")]),
                ""
            )
        ),
        deep_q!("KQK"),
        ppo!("KQK"),
        zero!("KQK", "AlphaZero policy (play)", ""),
        zero!(
            "KQK",
            "AlphaZero, 8 simulations (play)",
            ",search=puct,simulations=8,history=off"
        ),
        imitation!("KQK"),
        imitation!("KQK", searching),
        searches!("KRK", minimax),
        searches!("KRK", mcts),
        table!("KRK", "Q (play)", "ypma-q", 1_000_000),
        table!("KRK", "Q(λ) (play)", "deolalikar-q-lambda", 100_000),
        table!("KRK", "two-bounds (play)", "two-bounds", 100_000),
        small!("KRK"),
        offered!(
            "KRK",
            "distance-net (taught)",
            "krk.safetensors",
            "distance-net",
            6_000,
            &[("width", "64"), ("layers", "2"), ("batch", "2048")]
        ),
        row!(
            "KRK",
            "td-net (play)",
            Method::Trained(
                Training::new("td-net", "KRK", 20_000)
                    .with(&[("longest", "18")])
                    .quick(500)
                    .in_smoke(&[("width", "8"), ("batch", "64"), ("longest", "18")]),
                ""
            )
        ),
        deep_q!("KRK"),
        ppo!("KRK"),
        zero!("KRK", "AlphaZero policy (play)", ""),
        zero!(
            "KRK",
            "AlphaZero, 8 simulations (play)",
            ",search=puct,simulations=8,history=off"
        ),
        imitation!("KRK"),
        searches!("KBBK", minimax),
        searches!("KBBK", mcts),
        table!("KBBK", "Q (play)", "ypma-q", 1_000_000),
        table!("KBBK", "Q(λ) (play)", "deolalikar-q-lambda", 1_000_000),
        table!("KBBK", "two-bounds (play)", "two-bounds", 1_000_000),
        small!("KBBK"),
        offered!(
            "KBBK",
            "distance-net (taught)",
            "kbbk.safetensors",
            "distance-net",
            22_000,
            &[
                ("width", "192"),
                ("bits", "4"),
                ("batch", "8192"),
                ("drill", "0.2"),
                ("rate", "0.003"),
                ("longest", "19")
            ]
        ),
        offered!(
            "KBBK",
            "td-net (play)",
            "kbbk-play.safetensors",
            "td-net",
            900_000,
            &[
                ("layers", "3"),
                ("batch", "8192"),
                ("rate", "0.002"),
                ("width", "256"),
                ("refresh", "150"),
                ("patience", "6"),
                ("fitted", "0.002"),
                ("settle", "0.3"),
                ("longest", "21"),
                ("trust", "memory"),
                ("epsilon", "1"),
                ("every", "50"),
                ("move_limit", "4"),
                ("quiet", "40000"),
                ("bits", "8"),
                ("averaged", "0")
            ]
        ),
        deep_q!("KBBK"),
        ppo!("KBBK"),
        zero!("KBBK", "AlphaZero policy (play)", ""),
        zero!(
            "KBBK",
            "AlphaZero, 8 simulations (play)",
            ",search=puct,simulations=8,history=off"
        ),
        imitation!("KBBK"),
        searches!("KBNK", minimax),
        searches!("KBNK", mcts),
        table!("KBNK", "Q (play)", "ypma-q", 1_000_000),
        table!("KBNK", "Q(λ) (play)", "deolalikar-q-lambda", 1_000_000),
        table!("KBNK", "two-bounds (play)", "two-bounds", 10_000_000),
        small!("KBNK"),
        offered!(
            "KBNK",
            "distance-net (taught)",
            "kbnk.safetensors",
            "distance-net",
            24_000,
            &[
                ("width", "256"),
                ("bits", "6"),
                ("batch", "8192"),
                ("drill", "0.2"),
                ("rate", "0.003"),
                ("longest", "33")
            ]
        ),
        deep_q!("KBNK"),
        ppo!("KBNK"),
        zero!("KBNK", "AlphaZero policy (play)", ""),
        zero!(
            "KBNK",
            "AlphaZero, 8 simulations (play)",
            ",search=puct,simulations=8,history=off"
        ),
        imitation!("KBNK"),
    ],
    paper_count: None,
    deviations: &[
        "One training each, with what some minutes of one core allow; more of the same brings several methods further \
         (docs/learners.md, docs/ppo.md, docs/alphazero.md). Networks in `nets` were made on a GPU, so their seconds and \
         batches are not comparable and stand in docs/learners.md.",
        "td-net of KBNK (100 % certified, docs/learners.md) takes 3.7 MB and is not kept with the project. That of KBBK met \
         its positions by random games of four moves and learned by value iteration over them.",
        "A player whose move depends on chance or on the history of the game is no policy, so there is nothing to certify: \
         MCTS draws lots, and the imitation network sees the last eight positions. With `history=off` its search is a policy, but \
         one that knows no symmetry and takes long to ask: it is certified with the queen only.",
        "Seconds are those of the clock on a machine that had other work to do.",
    ],
    findings: &[
        "Best moves, games won and forced mates are three different things. With the rook, minimax at four plies plays 65 % best moves \
         and forces mate from everywhere; a network of 189 bytes at the leaves of the same search plays 88 % and forces it from 29 %. \
         It is not how many moves are wrong that counts, but whether the wrong ones close a circle.",
        "Games against perfect play hide it: PPO wins 99.2 % of them with the rook and forces mate from 15 % of all won positions, AlphaZero's \
         policy 99.9 % and 53 %. Perfect play defends as long as it can against a perfect opponent; it does not look for the one line that \
         this opponent gets wrong. A certificate does.",
        "Eight simulations a move lift AlphaZero's policy with the rook from 53 to 99.9 %: search breaks circles.",
        "What learns exact values (two-bounds, td-net, distance-net) is at the upper right; what learns estimates is spread over the \
         picture.",
    ],
    charts: &[Chart::Numbers { x: 3, y: 5 }],
};
