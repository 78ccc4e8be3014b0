//! Document P: Salisch 2023, agents of whole games by proximal policy optimisation.

use crate::{Agent, AgentContest, AgentScores, Chart, Column, Experiment, Row};

const OURS: Agent = Agent::new("ppo");
const UNKNOWN: f64 = f64::NAN;

/// One of the ten agents.
macro_rules! version {
    ($version:literal) => {
        Agent::new("salisch-ppo").with(&[("version", $version)])
    };
}

pub static P_VERSIONS: Experiment = Experiment {
    id: "P-versions",
    cite: "Salisch 2023, Chapter 4",
    title: "Ten agents of whole games against a random mover",
    setting: "1,000 iterations of training each, a checkpoint every 100, evaluated over 1,000 games \
              against a random mover, 500 with each colour. The score is wins less losses.",
    rows_are: "agent",
    columns: &[
        Column::times("best score"),
        Column::times("at iteration"),
        Column::times("with white"),
        Column::times("with black"),
        Column::times("score at the end"),
        Column::times("best, moves drawn"),
        Column::times("seconds"),
        Column::times("plies a game"),
        Column::plain("KL, legal moves"),
        Column::plain("KL, all moves"),
    ],
    rows: &[
        Row {
            name: "version 1",
            paper: &[
                37.0, 1000.0, UNKNOWN, UNKNOWN, 37.0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
            ],
            ours: &[&AgentScores::new(version!("1"))],
            best: &[],
        },
        Row {
            name: "version 2",
            paper: &[],
            ours: &[&AgentScores::new(version!("2"))],
            best: &[],
        },
        Row {
            name: "version 3",
            paper: &[
                74.0, 900.0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
            ],
            ours: &[&AgentScores::new(version!("3").rewarded())],
            best: &[],
        },
        Row {
            name: "version 4",
            paper: &[],
            ours: &[&AgentScores::new(version!("4").rewarded())],
            best: &[],
        },
        Row {
            name: "version 5",
            paper: &[
                98.0, 900.0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
            ],
            ours: &[&AgentScores::new(version!("5").rewarded())],
            best: &[],
        },
        Row {
            name: "version 6",
            paper: &[],
            ours: &[&AgentScores::new(version!("6").rewarded())],
            best: &[],
        },
        Row {
            name: "version 7",
            paper: &[],
            ours: &[&AgentScores::new(version!("7").rewarded())],
            best: &[],
        },
        Row {
            name: "version 8",
            paper: &[],
            ours: &[&AgentScores::new(version!("8").rewarded())],
            best: &[],
        },
        Row {
            name: "version 9",
            paper: &[
                135.0, 800.0, 92.0, 43.0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
            ],
            ours: &[&AgentScores::new(version!("9").rewarded())],
            best: &[&AgentScores::new(OURS)],
        },
        Row {
            name: "version 10",
            paper: &[],
            ours: &[&AgentScores::new(version!("10").rewarded())],
            best: &[],
        },
        Row {
            name: "version 5, training 2",
            paper: &[],
            ours: &[&AgentScores::new(version!("5").rewarded().repeated(1))],
            best: &[],
        },
        Row {
            name: "version 5, training 3",
            paper: &[],
            ours: &[&AgentScores::new(version!("5").rewarded().repeated(2))],
            best: &[],
        },
        Row {
            name: "version 9, training 2",
            paper: &[],
            ours: &[&AgentScores::new(version!("9").rewarded().repeated(1))],
            best: &[&AgentScores::new(OURS.repeated(1))],
        },
        Row {
            name: "version 9, training 3",
            paper: &[],
            ours: &[&AgentScores::new(version!("9").rewarded().repeated(2))],
            best: &[&AgentScores::new(OURS.repeated(2))],
        },
        Row {
            name: "version 10, training 2",
            paper: &[],
            ours: &[&AgentScores::new(version!("10").rewarded().repeated(1))],
            best: &[],
        },
        Row {
            name: "version 10, training 3",
            paper: &[],
            ours: &[&AgentScores::new(version!("10").rewarded().repeated(2))],
            best: &[],
        },
    ],
    paper_count: Some(1000),
    deviations: &[
        "What the document does not state are RLlib's defaults: 4,000 decisions an iteration in fragments \
         of 200, minibatches of 128, 30 epochs, hyperbolic tangents, KL target 0.01, value clip 10.",
        "A decision is a move of the learner's own; whether the document's 4,000 count the opponent's, too, \
         cannot be told.",
        "Not stated is whether the evaluation plays the likeliest move, as the first columns do, or draws \
         it by its chance, as the last one does.",
        "The opening book is GNU Chess's, not M11.2; the tables have up to four men, not five.",
        "The document gives scores of its other versions in figures only.",
        "Each of the document's agents was trained once; 5, 9 and 10 are trained three times here.",
    ],
    findings: &[
        "All sixteen agents were trained with the document's settings and its 1,000 iterations, stacked on one H200: versions 4, 5, 7 and 9 in a first sitting \
         (720 s for sixteen together), the other twelve in a second (605 s for twelve).",
        "What agrees with the document: most agents end below +100 of 1,000; versions 2 and 3 stay near nothing, version 2 is negative early on; \
         its best version, 9, has the best mean here, too, among those trained three times (155, against 102 for version 10 and 68 for version 5).",
        "What does not: version 7 (+379) and version 1 (+344) are far ahead of all others, while the document has them at the end of its order; version 4 is ahead of 3; \
         version 9 is best after 100 or 200 iterations (+185, +237, +42) and near nothing later, not at 800.",
        "Luck decides, as the document supposes: three trainings of version 5 reach +74, +36 and +94, of version 9 +185, +237 and +42, of version 10 +49, +216 and +42. Nobody can rank \
         these three versions by one training each. Scores also jump from checkpoint to checkpoint: version 10 goes from +47 to +216 in its last hundred iterations.",
        "Does masking break the KL term, as the document supposes? Not where the distance is that over the legal moves, which is what a masked \
         softmax gives: version 4, whose penalty aims at .01, goes .018 an iteration, version 5 without it .044, and 4 is not the worse player \
         for it. Over all 4,672 moves, as if all were legal, the distances are two fifths of that: small, too, and far from infinite.",
        "Our own recipe, with the document's budget of 1,000 iterations of 4,000 decisions (some eight minutes on one core that others \
         shared), wins far more games than the document's best agent, which has +135. It is not at its best at the end: games \
         that it draws are mostly stalemates.",
    ],
    charts: &[Chart::Bars { column: 0 }],
};

pub static P_STOCKFISH: Experiment = Experiment {
    id: "P-stockfish",
    cite: "Salisch 2023, Chapter 5",
    title: "Stockfish against a random mover and against the agent",
    setting: "Stockfish 15.1 won 100 of 100 games against the random mover at 0.1 s a move, and every game \
              against version 9 whatever its limit.",
    rows_are: "Stockfish",
    columns: &[
        Column::percent("Stockfish wins"),
        Column::percent("Stockfish loses"),
    ],
    rows: &[
        Row {
            name: "against random, 10,000 nodes",
            paper: &[100.0, 0.0],
            ours: &[&AgentContest::named("uci:stockfish,nodes=10000", "random")],
            best: &[],
        },
        Row {
            name: "against version 9, 1 node",
            paper: &[100.0, 0.0],
            ours: &[&AgentContest::against(
                "uci:stockfish,nodes=1",
                version!("9").rewarded(),
            )],
            best: &[&AgentContest::against("uci:stockfish,nodes=1", OURS)],
        },
        Row {
            name: "against version 9, 100 nodes",
            paper: &[100.0, 0.0],
            ours: &[&AgentContest::against(
                "uci:stockfish,nodes=100",
                version!("9").rewarded(),
            )],
            best: &[&AgentContest::against("uci:stockfish,nodes=100", OURS)],
        },
        Row {
            name: "against version 9, 10,000 nodes",
            paper: &[100.0, 0.0],
            ours: &[&AgentContest::against(
                "uci:stockfish,nodes=10000",
                version!("9").rewarded(),
            )],
            best: &[&AgentContest::against("uci:stockfish,nodes=10000", OURS)],
        },
        Row {
            name: "our minimax in its place, 2 plies",
            paper: &[],
            ours: &[&AgentContest::against("minimax:depth=2", version!("2"))],
            best: &[&AgentContest::against("minimax:depth=2", OURS)],
        },
    ],
    paper_count: Some(100),
    deviations: &[
        "The last row is for machines without Stockfish; its agent is version 2, which needs no book.",
        "Limits are nodes instead of time, so that a game can be repeated; the agent is the one at the end \
         of its training and plays the likeliest move.",
    ],
    findings: &[],
    charts: &[Chart::Bars { column: 0 }],
};
