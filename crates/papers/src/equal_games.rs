//! Proximal policy optimisation against AlphaZero on equal terms, in whole games.

use crate::{Agent, AgentStanding, Chart, Column, Experiment, Playing, Row};

const ZERO_SMOKE: &[(&str, &str)] = &[
    ("games", "2"),
    ("group", "2"),
    ("plies", "2"),
    ("simulations", "4"),
    ("width", "8"),
    ("batch", "4"),
];

/// So many iterations of each that both take a quarter of an hour on one core: see the seconds.
const PPO: Agent = Agent::new("ppo").trained_for(2100);
/// As the ablation of docs/alphazero.md found best where a training is short.
const ZERO: Agent = Agent::new("alphazero")
    .with(&[
        ("blocks", "dense"),
        ("group", "64"),
        ("full_share", "0.5"),
        ("batch", "512"),
        ("max_moves", "100"),
        ("resign", "0.95"),
        ("passes", "2"),
        ("restarts", "0.3"),
        ("scale", "0.4"),
    ])
    .in_smoke(ZERO_SMOKE)
    .trained_for(1200);

const fn alone(agent: Agent) -> Playing {
    Playing { agent, how: "" }
}

const fn searching(agent: Agent) -> Playing {
    Playing {
        agent,
        how: ",search=puct,simulations=64",
    }
}

macro_rules! row {
    ($name:literal, $own:expr, $rival:expr) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&AgentStanding {
                own: $own,
                rival: $rival,
            }],
            best: &[],
        }
    };
}

pub static P_AGAINST_W_GAMES: Experiment = Experiment {
    id: "P-against-W-games",
    cite: "Salisch 2023, outlook",
    title: "PPO against AlphaZero on equal terms, in whole games",
    setting: "As P-against-W, but whole games: the same core, the same quarter of an hour, the same two networks of two hidden layers of \
              256 neurons over the same inputs, from nothing but the rules, three trainings each. PPO plays its policy; AlphaZero's is shown \
              without search and with 64 simulations a move. Points of games, a draw counting as half a win. Each meets the other method's \
              training of the same number.",
    rows_are: "training (method)",
    columns: &[
        Column::times("iterations"),
        Column::times("processor seconds"),
        Column::positions("moves learned from"),
        Column::times("evaluations in play"),
        Column::percent("against random"),
        Column::percent("against the other"),
        Column::percent("Stockfish, level 0, 1 ply"),
        Column::percent("Stockfish, level 3, 4 plies"),
    ],
    rows: &[
        row!("training 1 (PPO)", alone(PPO), alone(ZERO)),
        row!(
            "training 2 (PPO)",
            alone(PPO.repeated(1)),
            alone(ZERO.repeated(1))
        ),
        row!(
            "training 3 (PPO)",
            alone(PPO.repeated(2)),
            alone(ZERO.repeated(2))
        ),
        row!("training 1 (AlphaZero)", alone(ZERO), alone(PPO)),
        row!(
            "training 2 (AlphaZero)",
            alone(ZERO.repeated(1)),
            alone(PPO.repeated(1))
        ),
        row!(
            "training 3 (AlphaZero)",
            alone(ZERO.repeated(2)),
            alone(PPO.repeated(2))
        ),
        row!(
            "training 1 (AlphaZero with search)",
            searching(ZERO),
            alone(PPO)
        ),
        row!(
            "training 2 (AlphaZero with search)",
            searching(ZERO.repeated(1)),
            alone(PPO.repeated(1))
        ),
        row!(
            "training 3 (AlphaZero with search)",
            searching(ZERO.repeated(2)),
            alone(PPO.repeated(2))
        ),
    ],
    paper_count: None,
    deviations: &[
        "Equal time is made by numbers of iterations, so that a training can be repeated to the bit. The seconds are those \
         that the processor worked for a training, on one thread (`--threads 1`), so that other work on the machine does not count.",
        "Evaluations in play are reckoned from those of every tenth iteration. PPO asks its network once a move.",
        "PPO is rewarded a little for material, plays a quarter of its games against a random mover and begins a tenth of them with \
         endgames; AlphaZero has nothing of the kind. Both are our recipes with their own settings.",
    ],
    findings: &[
        "After a quarter of an hour on one core the two policies are as good as each other: of the points of the games between them PPO's takes \
         48, 56 and 57.5 %, both beat the random mover in all but a few games, and neither has a chance against Stockfish's lowest level (1.5 to 6 %).",
        "What AlphaZero has learned besides is to search: with 64 simulations a move it takes 86 to 92 % of the points against PPO, all \
         games against the random mover, and 18 to 21 % against Stockfish's lowest level.",
        "PPO learned from 8.4 million moves, AlphaZero from 4.9 million and asked its network 102 million times for them. On this core the \
         iterations that were meant to take 900 s took PPO 918 to 956 s and AlphaZero 990 to 1,014, 7.6 % more.",
    ],
    charts: &[Chart::Numbers { x: 4, y: 6 }],
};
