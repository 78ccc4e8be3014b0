//! Document Y: Ypma 2024, the course of Q-learning: by games of one training, and by their number.

use crate::{
    Column, Exam, Experiment, LearningCurve, Question, Row, Training,
    ypma_learning::{BEST, GAMES, HEURISTIC, THESIS, lines},
};

macro_rules! curve_row {
    ($name:literal, $board:literal) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[
                &LearningCurve::new(
                    Training::new(THESIS, "KQK", GAMES).board($board),
                    "KQK, training games won, %",
                ),
                &LearningCurve::new(
                    Training::new(THESIS, "KRK", GAMES).board($board),
                    "KRK, training games won, %",
                ),
            ],
            best: &[
                &LearningCurve::new(
                    Training::new(BEST, "KQK", GAMES).board($board),
                    "KQK, training games won, %",
                ),
                &LearningCurve::new(
                    Training::new(BEST, "KRK", GAMES).board($board),
                    "KRK, training games won, %",
                ),
            ],
        }
    };
}

pub static Y_F6_2: Experiment = Experiment {
    id: "Y-F6.2",
    cite: "Ypma 2024, Figure 6.2",
    title: "Learning curves by size of the board",
    setting: "Training games won in the course of the 30,000 games of Tables 6.9 and 6.10.",
    rows_are: "board",
    columns: &[
        Column::percent("KQK, last tenth won"),
        Column::percent("KRK, last tenth won"),
    ],
    rows: &[
        curve_row!("4×4", 4),
        curve_row!("5×5", 5),
        curve_row!("6×6", 6),
        curve_row!("7×7", 7),
        curve_row!("8×8", 8),
    ],
    paper_count: None,
    deviations: &[
        "The figure's numbers are not given in the text; ours are drawn, and the table shows where the \
         curves end.",
        "Training games are no test: both sides explore, and the best recipe's black is the most \
         stubborn defender it can imagine. Its curves end where it has finished (100 to 12,500 games).",
    ],
    findings: &[],
    charts: &[lines(0), lines(1)],
};

const GAMES_QUESTIONS: &[Question] = &[
    Question::Certified,
    Question::Wins(HEURISTIC),
    Question::Games,
];

macro_rules! number_row {
    ($name:literal, $games:literal, $paper:expr) => {
        Row {
            name: $name,
            paper: &$paper,
            ours: &[
                &Exam::new(Training::new(THESIS, "KQK", $games), GAMES_QUESTIONS),
                &Exam::new(Training::new(THESIS, "KRK", $games), GAMES_QUESTIONS),
            ],
            best: &[
                &Exam::new(Training::new(BEST, "KQK", $games), GAMES_QUESTIONS),
                &Exam::new(Training::new(BEST, "KRK", $games), GAMES_QUESTIONS),
            ],
        }
    };
}

const UNKNOWN: f64 = f64::NAN;

pub static Y_GAMES: Experiment = Experiment {
    id: "Y-games",
    cite: "Ypma 2024, Sections 6.2 and 6.3",
    title: "What a number of training games is worth, KQK and KRK on 8×8",
    setting: "The thesis trains with 30,000 and 100,000 games and tests by 1,000 games against its \
              heuristic king. Here the same learner with fewer and with more, and its certificate.",
    rows_are: "training games",
    columns: &[
        Column::percent("KQK certified"),
        Column::percent("KQK, wins against heuristic"),
        Column::times("KQK, games played"),
        Column::percent("KRK certified"),
        Column::percent("KRK, wins against heuristic"),
        Column::times("KRK, games played"),
    ],
    rows: &[
        number_row!("1k", 1_000, []),
        number_row!("5k", 5_000, []),
        number_row!("10k", 10_000, []),
        number_row!(
            "30k",
            30_000,
            [UNKNOWN, 37.6, 30_000.0, UNKNOWN, 30.5, 30_000.0]
        ),
        number_row!(
            "100k",
            100_000,
            [UNKNOWN, 50.3, 100_000.0, UNKNOWN, UNKNOWN, UNKNOWN]
        ),
        number_row!("300k", 300_000, []),
        number_row!("1M", 1_000_000, []),
    ],
    paper_count: Some(1000),
    deviations: &[
        "A table of our own: the thesis certifies nothing. Each row is a training by itself, ε falling \
         over its own number of games.",
        "Certified: the share of won positions from which the policy mates within fifty moves against \
         every defence; exact, so without an interval.",
        "The best recipe finishes by itself when it knows every position: games played are then fewer \
         than allowed, and the rows with more show the same table.",
        "The thesis' heuristic king is weaker than ours; see Y6.12.",
    ],
    findings: &[],
    charts: &[lines(0), lines(3), lines(1), lines(4)],
};
