//! Document Y: Ypma 2024, deep Q-learning.

use crate::{
    Against, Chart, Column, DeepExam, DeepQuestion, Experiment, Row, Starts, Training,
    ypma_learning::lines,
};

const RANDOM: Against = Against::Player("random");
const STOCKFISH: Against = Against::Player("uci:stockfish,nodes=10000");

/// Section 6.4: 40,000 games of KRK against a random defender.
const THESIS: Training = Training::new("ypma-dqn", "KRK", 40_000)
    .quick(500)
    .for_engines();
/// Our network that learns from play alone.
const BEST: Training = Training::new("td-net", "KRK", 20_000).for_engines();

const UNSTATED: &str = "Widths, batch size, size of the memory, how often the target network is renewed, discount factor and \
     chances of exploration are not stated for this learner. Here: a convolution of 16 pictures and a layer of 128 neurons, \
     batches of 32, a target network that is renewed every 200 batches, 100,000 moves remembered, a discount factor of \
     0.9, random moves falling from 0.9 to 0.05; chosen so that 40,000 games take less than an hour on two cores.";

const EVERY_FOURTH: &str = "Algorithm 5 learns a batch at every move of white's, ours at every fourth. As it is stated it costs three to four \
     times as long: measured with 8 pictures and 64 neurons it is a row of Y-dqn-ablation (24 minutes for 40,000 games on a \
     contested core, and fewer games won); with 16 and 128 it would take about two hours, and has not been measured.";

const LEGAL: &[DeepQuestion] = &[DeepQuestion::LegalAtFirst, DeepQuestion::LegalAtLast];

pub static Y_F6_3: Experiment = Experiment {
    id: "Y-F6.3",
    cite: "Ypma 2024, Figure 6.3",
    title: "Deep Q-learning learns which moves are legal, KRK",
    setting: "Algorithm 5, 40,000 games against a random defender; the share of greedy choices that \
              are legal moves.",
    rows_are: "learner",
    columns: &[
        Column::percent("legal, first hundredth"),
        Column::percent("legal, last tenth"),
    ],
    rows: &[Row {
        name: "40,000 games",
        paper: &[],
        ours: &[&DeepExam::new(THESIS, LEGAL)],
        best: &[],
    }],
    paper_count: None,
    deviations: &[
        "The figure's numbers are not given in the text. Its 65 to 70 % are the share of random actions that are \
         legal, not where its curve begins; of the 36 actions of KRK about 54 % are legal in a random position.",
        EVERY_FOURTH,
        UNSTATED,
    ],
    findings: &[
        "One training, 27 minutes on one of two busy cores. In the first 400 games the network has already \
         learned something. For most of the training nothing seems to happen, until the games won begin to rise.",
    ],
    charts: &[],
};

macro_rules! games_row {
    ($name:literal, $starts:expr, $against:expr, $paper:expr) => {
        Row {
            name: $name,
            paper: &$paper,
            ours: &[&DeepExam::new(
                THESIS,
                &[
                    DeepQuestion::Legal($starts, $against),
                    DeepQuestion::Wins($starts, $against),
                ],
            )],
            best: &[&DeepExam::new(
                BEST,
                &[
                    DeepQuestion::Legal($starts, $against),
                    DeepQuestion::Wins($starts, $against),
                ],
            )],
        }
    };
}

pub static Y6_14: Experiment = Experiment {
    id: "Y6.14",
    cite: "Ypma 2024, Table 6.14",
    title: "Deep Q-learning on KRK: legal choices and wins",
    setting: "The network of Figure 6.3, 5,000 games each from positions that it was trained from and \
              from new ones; an illegal choice is replaced by a random legal move.",
    rows_are: "games",
    columns: &[Column::percent("legal moves"), Column::percent("wins")],
    rows: &[
        games_row!(
            "training games vs random",
            Starts::Trained,
            RANDOM,
            [96.8, 36.7]
        ),
        games_row!(
            "training games vs Stockfish",
            Starts::Trained,
            STOCKFISH,
            [95.8, 0.7]
        ),
        games_row!("test games vs random", Starts::New, RANDOM, [96.5, 35.1]),
        games_row!(
            "test games vs Stockfish",
            Starts::New,
            STOCKFISH,
            [94.4, 0.6]
        ),
    ],
    paper_count: Some(5000),
    deviations: &[
        EVERY_FOURTH,
        UNSTATED,
        "Stockfish's budget is not stated; 10,000 nodes a move here.",
        "Legal moves are counted over all moves of the test games, so that one game brings many that \
         depend on each other: the interval of that column is too narrow.",
        "The best recipe (`td-net`) looks at the legal moves only, and keeps no list of its starts: its \
         rows start from random positions.",
    ],
    findings: &[
        "As in the thesis it makes no difference whether a game began where training games began, \
         and against a defender that knows its business hardly any game is won: only those that \
         are a few moves from mate at the start.",
    ],
    charts: &[Chart::Bars { column: 0 }, Chart::Bars { column: 1 }],
};

/// A training of the ablation: the thesis' games with half the pictures and half the neurons, so that a
/// row takes minutes.
macro_rules! smaller {
    ($material:literal $(, $key:literal = $value:literal)*) => {
        Training::new("ypma-dqn", $material, 40_000)
            .quick(500)
            .with(&[("channels", "8"), ("hidden", "64") $(, ($key, $value))*])
    };
}

static KQK_BEFORE: Training = smaller!("KQK", "masking" = "true");
static KRK_BEFORE: Training = smaller!("KRK", "masking" = "true");

const QUESTIONS: &[DeepQuestion] = &[
    DeepQuestion::LegalAtLast,
    DeepQuestion::Wins(Starts::New, RANDOM),
    DeepQuestion::Wins(Starts::New, Against::Player("heuristic")),
    DeepQuestion::Certified,
];

macro_rules! ablation {
    ($name:literal, $training:expr) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&DeepExam::new($training, QUESTIONS).games(200, 1_000)],
            best: &[],
        }
    };
}

pub static Y_DQN_ABLATION: Experiment = Experiment {
    id: "Y-dqn-ablation",
    cite: "Ypma 2024, Section 7 (future work)",
    title: "What the thesis wishes for, and what else one might, KRK",
    setting: "Algorithm 5 with 8 pictures and 64 neurons, one change at a time, 40,000 games each; then \
              the changes together.",
    rows_are: "change",
    columns: &[
        Column::percent("legal, last tenth"),
        Column::percent("wins against random"),
        Column::percent("heuristic"),
        Column::percent("certified"),
    ],
    rows: &[
        ablation!("none: Algorithm 5", smaller!("KRK")),
        ablation!(
            "a batch at every move",
            smaller!("KRK", "update_every" = "1")
        ),
        ablation!("legal masking", smaller!("KRK", "masking" = "true")),
        ablation!("two learning agents", smaller!("KRK", "opponent" = "self")),
        ablation!(
            "two agents, frozen alternately",
            smaller!("KRK", "opponent" = "self", "freeze" = "500")
        ),
        ablation!(
            "symmetry augmentation",
            smaller!("KRK", "augmentation" = "true")
        ),
        ablation!("double Q", smaller!("KRK", "double" = "true")),
        ablation!("3-step returns", smaller!("KRK", "n_step" = "3")),
        ablation!(
            "prioritised replay",
            smaller!("KRK", "prioritised" = "true")
        ),
        ablation!("weight decay", smaller!("KRK", "weight_decay" = "0.00001")),
        ablation!(
            "early stopping on held-out starts",
            smaller!("KRK", "validate_every" = "500")
        ),
        ablation!(
            "early stopping, tested every 4,000 games",
            smaller!("KRK", "validate_every" = "4000")
        ),
        ablation!("ensemble of 3", smaller!("KRK", "ensemble" = "3")),
        ablation!(
            "masking, after KQK with masking",
            smaller!("KRK", "masking" = "true").after(&KQK_BEFORE)
        ),
        ablation!(
            "all but the ensemble",
            smaller!(
                "KRK",
                "masking" = "true",
                "opponent" = "self",
                "augmentation" = "true",
                "double" = "true",
                "n_step" = "3",
                "prioritised" = "true"
            )
        ),
        ablation!("KBBK, masking", smaller!("KBBK", "masking" = "true")),
        ablation!(
            "KBBK, masking, after KRK with masking",
            smaller!("KBBK", "masking" = "true").after(&KRK_BEFORE)
        ),
        ablation!(
            "KBNK, masking, augmentation, double Q, 3 steps",
            smaller!(
                "KBNK",
                "masking" = "true",
                "augmentation" = "true",
                "double" = "true",
                "n_step" = "3"
            )
        ),
    ],
    paper_count: None,
    deviations: &[
        "A table of our own. The thesis wishes for two learning agents, freezing them in turns, augmentation (turned \
         and mirrored boards, and men shifted a little), weight decay, early stopping, ensembles, transfer, and \
         other ways to explore. Men are not shifted here, because a shifted man is another position with another \
         value; other exploration is not measured. Legal masking, n-step returns, prioritised replay and double Q are \
         our additions.",
        "The network is smaller than that \
         of Figure 6.3, so that a training takes eight minutes on one core instead of twenty.",
        "Hours in full; --rows measures some of them, and several processes may share a folder.",
        "One training each: the intervals know the chance of the test games, not that of the training.",
        "Certified: the best legal move by the network's values, whether or not it thought of an illegal \
         one first.",
        EVERY_FOURTH,
        UNSTATED,
    ],
    findings: &[
        "One training each: the intervals are those of the test games; another seed can move a \
         row by more (see the nine trainings in [learners.md](learners.md)).",
        "*Legal masking* is worth most, then *symmetry augmentation*: both give the network more \
         mates to learn from out of the same games. *Prioritised replay*, the *ensemble* and \
         *weight decay* are within what chance can do.",
        "*A batch at every move*, as Algorithm 5 has it, wins less here (6.7 %), with four times the batches: the memory's moves are \
         learned four times as often, and the target network is renewed four times as often. One training each, and the first row's \
         own chance is as large (35.0 and 13.9 %).",
        "*Two learning agents* hurt: a defender that learns denies the attacker the few mates \
         that random play would give it. Freezing one of them in turns does not help.",
        "*3-step returns* lose when they are the only change, and *double Q* perhaps; beside \
         masking and augmentation (\"all but the ensemble\") they cost less.",
        "*Early stopping* stops at once: for 20,000 games nothing seems to happen, and patience \
         ends before. Tested every 4,000 games instead of every 500 it is never stopped, and is \
         the first row again but for a tenth of the starts and other random numbers: 13.9 % and \
         35.0 %. Differences of that size mean nothing.",
        "*Transfer* from the queen brings nothing that masking does not; two bishops and bishop \
         and knight are out of reach, with and without it: in 40,000 games a random player mates \
         too rarely. That is what [`td-net`](learners.md) is for, which is certified at 100 % on \
         all four.",
        "Whatever the change, hardly any position is *certified*: a win against a random king is \
         no win against one that resists.",
    ],
    charts: &[lines(1), Chart::Bars { column: 3 }],
};
