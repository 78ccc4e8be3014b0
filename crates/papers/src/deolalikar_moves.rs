//! Document D: Deolalikar, how long its games are, and what it wishes for.

use crate::{
    Chart, Column, Exam, Experiment, Question, Row, TestRules, Training,
    deolalikar::{ALPHA_AND_LAMBDA, BEST, BLACK, PAPER, RANDOM, UNKNOWN, UNRESISTED, best, paper},
};

const MOVES: &[Question] = &[
    Question::Wins(RANDOM),
    Question::MedianMoves(RANDOM),
    Question::LongWins(RANDOM),
    Question::MedianMoves(BLACK),
];

const MOVES_COLUMNS: &[Column] = &[
    Column::percent("wins against random"),
    Column::moves("median moves to mate"),
    Column::percent("of the wins, after more than fifty moves"),
    Column::moves("median against the training opponent"),
];

macro_rules! moves_row {
    ($name:literal, $paper:expr, $training:expr, $games:literal) => {
        Row {
            name: $name,
            paper: &$paper,
            ours: &[&moves($training)],
            best: &[&moves(best($games))],
        }
    };
}

/// The paper does not cut its traces at exploring moves; errors then go far back, so that λ must be smaller.
const UNCUT: &[(&str, &str)] = &[
    ("opponent", "random"),
    ("trace", "naive"),
    ("lambda", "0.5"),
];

const SHORT_SIGHTED: &[(&str, &str)] = &[("gamma", "0.7")];
const SHORT_SIGHTED_UNRESISTED: &[(&str, &str)] = &[("gamma", "0.7"), ("opponent", "random")];

const fn moves(training: Training) -> Exam {
    Exam::new(training, MOVES).rules(TestRules::Endless)
}

const MOVES_DEVIATIONS: &[&str] = &[
    "The paper gives the median only, and a drawing. Its time step is a move of white's and it compares with the \
     fifty-move rule, so its moves are white's, as ours are.",
    "The paper changes γ and the number of games at once. The crossed cells, rows of our own, tell them apart: with γ = .9 \
     the median is 13 moves after 50,000 games and 10 after 100,000, with γ = .7 it is 11 and 8. Twice the games save three \
     moves, the lower γ two.",
    "The paper sees \"quite a lot of games above the 50 move count\" after 50,000 games, ours none. That is a matter of how \
     much has been learned: trained against a random mover, which fits its Table 1 best, 45 % of the games won take more than fifty moves after \
     5,000 games and none after 50,000. With traces that are not cut at exploring moves, as in the paper, a tail stays (2 % \
     with λ = .5). Its α and λ, which we do not know, must have learned more slowly than ours.",
    ALPHA_AND_LAMBDA,
];

pub static D_F5: Experiment = Experiment {
    id: "D-F5",
    cite: "Deolalikar, Figure 5",
    title: "Moves to mate at γ = .9 after 50,000 games, KRK",
    setting: "How many moves the games take that are won against a random mover.",
    rows_are: "training",
    columns: MOVES_COLUMNS,
    rows: &[
        moves_row!(
            "γ = .9, 50,000 games",
            [UNKNOWN, 27.0, UNKNOWN, UNKNOWN],
            paper(50_000),
            50_000
        ),
        moves_row!("γ = .9, 100,000 games", [], paper(100_000), 100_000),
        moves_row!(
            "γ = .9, 50,000 games, trained against random",
            [],
            paper(50_000).with(UNRESISTED),
            50_000
        ),
        moves_row!(
            "γ = .9, 5,000 games, trained against random",
            [],
            paper(5_000).with(UNRESISTED),
            5_000
        ),
        moves_row!(
            "γ = .9, 50,000 games, trained against random, trace not cut, λ = .5",
            [],
            paper(50_000).with(UNCUT),
            50_000
        ),
    ],
    paper_count: Some(1000),
    deviations: MOVES_DEVIATIONS,
    findings: &[],
    charts: &[Chart::Bars { column: 1 }],
};

pub static D_F6: Experiment = Experiment {
    id: "D-F6",
    cite: "Deolalikar, Figure 6",
    title: "Moves to mate at γ = .7 after 100,000 games, KRK",
    setting: "As Figure 5.",
    rows_are: "training",
    columns: MOVES_COLUMNS,
    rows: &[
        moves_row!(
            "γ = .7, 100,000 games",
            [UNKNOWN, 13.0, UNKNOWN, UNKNOWN],
            paper(100_000).with(SHORT_SIGHTED),
            100_000
        ),
        moves_row!(
            "γ = .7, 50,000 games",
            [],
            paper(50_000).with(SHORT_SIGHTED),
            50_000
        ),
        moves_row!(
            "γ = .7, 100,000 games, trained against random",
            [],
            paper(100_000).with(SHORT_SIGHTED_UNRESISTED),
            100_000
        ),
    ],
    paper_count: Some(1000),
    deviations: MOVES_DEVIATIONS,
    findings: &[],
    charts: &[Chart::Bars { column: 1 }],
};

const WISHES: &[Question] = &[
    Question::Wins(RANDOM),
    Question::Wins(BLACK),
    Question::Certified,
    Question::Visited,
];

/// Features are those of the full board, in a smoke run, too.
const fn grouped(material: &'static str, games: u64) -> Training {
    const FEATURES: &[(&str, &str)] = &[("grouping", "features")];
    Training::new(PAPER, material, games)
        .with(FEATURES)
        .in_smoke(FEATURES)
        .for_engines()
        .smoke_material("KRK")
}

macro_rules! wish_row {
    ($name:literal, $training:expr, $best:expr) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&Exam::new($training, WISHES).rules(TestRules::Endless)],
            best: &[&Exam::new($best, WISHES).rules(TestRules::Endless)],
        }
    };
}

pub static D_WISHES: Experiment = Experiment {
    id: "D-wishes",
    cite: "Deolalikar, Conclusion (future work)",
    title: "Grouping by features, and two bishops",
    setting: "Q(λ) as in Table 1. Grouped: moves that lead to positions of the same features share a value.",
    rows_are: "endgame, learner",
    columns: &[
        Column::percent("wins against random"),
        Column::percent("against the training opponent"),
        Column::percent("certified"),
        Column::positions("positions or groups visited"),
    ],
    rows: &[
        wish_row!("KRK, 5,000 games", paper(5_000), best(5_000)),
        wish_row!(
            "KRK, grouped, 5,000 games",
            grouped("KRK", 5_000),
            best(5_000)
        ),
        wish_row!("KRK, 20,000 games", paper(20_000), best(20_000)),
        wish_row!(
            "KRK, grouped, 20,000 games",
            grouped("KRK", 20_000),
            best(20_000)
        ),
        wish_row!("KRK, 100,000 games", paper(100_000), best(100_000)),
        wish_row!(
            "KRK, grouped, 100,000 games",
            grouped("KRK", 100_000),
            best(100_000)
        ),
        wish_row!(
            "KBBK, 100,000 games",
            Training::new(PAPER, "KBBK", 100_000),
            Training::new(BEST, "KBBK", 100_000)
        ),
        wish_row!(
            "KBBK, grouped, 100,000 games",
            grouped("KBBK", 100_000),
            Training::new(BEST, "KBBK", 100_000)
        ),
        wish_row!(
            "KBBK, 1,000,000 games",
            Training::new(PAPER, "KBBK", 1_000_000),
            Training::new(BEST, "KBBK", 1_000_000)
        ),
    ],
    paper_count: None,
    deviations: &[
        "The paper names features as a way to group similar positions and does not say which. Ours are document S's (its Tables 1, 2 \
         and 4), of the position after white's move; a move is worth what its group is worth. Mates are a group of their own, and so \
         are other ends of the game, because the rules tell them.",
        "KBBK by the same settings as KRK; a training game is drawn after 250 moves of each side, here, too.",
        "One training each. Best is `two-bounds`, for which the last column counts positions up to eight-fold symmetry.",
    ],
    findings: &[
        "*Grouping* does what the paper hoped, and more: 1,036 groups instead of 35,145 positions, and after 5,000 games 99 % of the \
         games are won instead of 9 %. More games then add nothing: positions that differ in what matters share a group, and no \
         number of games tells them apart (3.6 % certified after 20,000 games, 1.2 % after 100,000).",
        "*Two bishops* are within reach of Q(λ): hardly a game is won after 100,000 games, nearly all after a million, and with grouping \
         nearly all after 100,000. Against every defence next to nothing is forced in either way.",
    ],
    charts: &[Chart::Bars { column: 0 }, Chart::Bars { column: 2 }],
};
