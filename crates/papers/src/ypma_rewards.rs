//! Document Y: Ypma 2024, its question which rewards work, for tables and for deep Q-learning.

use crate::{
    Against, Chart, Column, DeepExam, DeepQuestion, Exam, Experiment, Question, Row, Starts,
    Training,
    ypma_learning::{BEST, GAMES, HEURISTIC, THESIS},
};

const RANDOM: Against = Against::Player("random");

const QUESTIONS: &[Question] = &[
    Question::Wins(RANDOM),
    Question::Wins(HEURISTIC),
    Question::Certified,
];

macro_rules! rewards {
    ($name:literal $(, $key:literal = $value:literal)*) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[
                &Exam::new(
                    Training::new(THESIS, "KQK", GAMES).board(6).with(&[$(($key, $value)),*]),
                    QUESTIONS,
                ),
                &Exam::new(
                    Training::new(THESIS, "KRK", GAMES).board(6).with(&[$(($key, $value)),*]),
                    QUESTIONS,
                ),
            ],
            best: &[],
        }
    };
}

pub static Y_REWARDS: Experiment = Experiment {
    id: "Y-rewards",
    cite: "Ypma 2024, research question and Table 6.8",
    title: "Which rewards work: Q-learning in tables, 6×6",
    setting: "Algorithm 4 as in Tables 6.9 and 6.10 on 6×6, one change of the rewards at a time: win, draw and \
              move of white's (black gets the negative), and where the tables start.",
    rows_are: "win, draw, move; first values of white, black",
    columns: &[
        Column::percent("KQK, wins against random"),
        Column::percent("KQK, heuristic"),
        Column::percent("KQK, certified"),
        Column::percent("KRK, wins against random"),
        Column::percent("KRK, heuristic"),
        Column::percent("KRK, certified"),
    ],
    rows: &[
        Row {
            name: "50, −50, −1; 0, 50 (thesis)",
            paper: &[],
            ours: &[
                &Exam::new(Training::new(THESIS, "KQK", GAMES).board(6), QUESTIONS),
                &Exam::new(Training::new(THESIS, "KRK", GAMES).board(6), QUESTIONS),
            ],
            best: &[
                &Exam::new(Training::new(BEST, "KQK", GAMES).board(6), QUESTIONS),
                &Exam::new(Training::new(BEST, "KRK", GAMES).board(6), QUESTIONS),
            ],
        },
        rewards!("50, −50, 0; 0, 50", "step" = "0"),
        rewards!("50, −50, −5; 0, 50", "step" = "-5"),
        rewards!("50, 0, −1; 0, 50", "draw" = "0"),
        rewards!("50, 0, 0; 0, 50", "draw" = "0", "step" = "0"),
        rewards!(
            "50, −20, 0; 0, 50 (document D)",
            "draw" = "-20",
            "step" = "0"
        ),
        rewards!("500, −50, −1; 0, 50", "win" = "500"),
        rewards!("50, −50, −1; 0, 0", "initial_black" = "0"),
        rewards!("50, −50, −1; 0, 500", "initial_black" = "500"),
        rewards!("50, −50, −1; 50, 50", "initial_white" = "50"),
        rewards!("50, −50, −1; −50, 50", "initial_white" = "-50"),
    ],
    paper_count: None,
    deviations: &[
        "A table of our own: the thesis asks how adaptable its learners are to different reward structures, and tries one. \
         6×6 is the board on which its learner is neither at its best nor lost.",
        "One training each; with `--seed 2`, wins against random differ by up to nine points (the usual is three), those against \
         the heuristic king by up to eleven, and what is said below stays as it is.",
        "Best is `two-bounds`, which knows no rewards.",
    ],
    findings: &[
        "The *cost of a move* matters most, and it harms: without it white wins 97 % instead of 54 % against a random defender with \
         the queen, and 87 % instead of 45 % with the rook. With the thesis' rewards fifty moves without mate are worth −70 (fifty times \
         −1 and a draw at their end, discounted), the queen given away at once −50: white learns to lose it. Without the cost a \
         long game is worth −30, and the queen is kept. Where draws cost nothing and moves do, losing the queen is best of all.",
        "The size of a *win* matters next: 500 instead of 50 makes mates worth the way to them, and is the only change that \
         clearly raises what is certified (23 % instead of 16 %, 11 % instead of 9 %).",
        "*Black's optimistic start* is worth little: 0, 50 or 500 are within a few points of each other. White's optimistic start \
         costs two thirds of the wins: at 50 every move that has not been tried looks like a mate.",
        "Wins against one defender are not mastery: the row that wins 97 % is certified from no more positions than the thesis'.",
    ],
    charts: &[
        Chart::Bars { column: 0 },
        Chart::Bars { column: 2 },
        Chart::Bars { column: 3 },
        Chart::Bars { column: 5 },
    ],
};

const DEEP_QUESTIONS: &[DeepQuestion] = &[
    DeepQuestion::LegalAtLast,
    DeepQuestion::Wins(Starts::New, RANDOM),
    DeepQuestion::Wins(Starts::New, HEURISTIC),
    DeepQuestion::Certified,
];

/// The network of the ablation (Y-dqn-ablation) on a board on which it learns in minutes.
macro_rules! deep {
    ($name:literal $(, $key:literal = $value:literal)*) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&DeepExam::new(
                Training::new("ypma-dqn", "KRK", 10_000)
                    .board(5)
                    .quick(500)
                    .with(&[("channels", "8"), ("hidden", "64") $(, ($key, $value))*]),
                DEEP_QUESTIONS,
            )
            .games(200, 1_000)],
            best: &[],
        }
    };
}

pub static Y_DQN_REWARDS: Experiment = Experiment {
    id: "Y-dqn-rewards",
    cite: "Ypma 2024, research question and Table 6.13",
    title: "Which rewards work: deep Q-learning, KRK on 5×5",
    setting: "Algorithm 5 with 8 pictures and 64 neurons on 5×5, 10,000 games against a random defender, one change \
              of the rewards at a time: win, draw, move, and an illegal choice.",
    rows_are: "win, draw, move, illegal",
    columns: &[
        Column::percent("legal, last tenth"),
        Column::percent("wins against random"),
        Column::percent("heuristic"),
        Column::percent("certified"),
    ],
    rows: &[
        deep!("50, −50, −1, −50 (thesis)"),
        deep!("50, −50, 0, −50", "step" = "0"),
        deep!("50, 0, −1, −50", "draw" = "0"),
        deep!(
            "50, −20, 0, −50 (document D's)",
            "draw" = "-20",
            "step" = "0"
        ),
        deep!("50, −50, −1, −5", "illegal" = "-5"),
        deep!("500, −50, −1, −50", "win" = "500"),
        deep!(
            "1, −1, −.02, −1 (the thesis', divided by 50)",
            "win" = "1",
            "draw" = "-1",
            "step" = "-0.02",
            "illegal" = "-1"
        ),
    ],
    paper_count: None,
    deviations: &[
        "A table of our own. The network and all other settings are those of Y-dqn-ablation, a batch at every fourth \
         move of white's; but on 5×5, where 10,000 games are enough to tell rewards apart, because a training of \
         40,000 games on 8×8 for every row takes hours.",
        "One training each: the intervals know the chance of the test games, not that of the training, which \
         can be as large as most of these differences (see Y-dqn-ablation).",
    ],
    findings: &[
        "As in the tables, a large *win* helps: 500 instead of 50 wins most against random and against the heuristic king, though fewer \
         of its choices are legal, because an illegal one costs relatively less.",
        "The *cost of a move* does not harm here, where an endless game costs 10 (the discount factor is .9) and not 70. Without it and with \
         draws at −50 fewer games are won; with document D's rewards, draws at −20, as many as with the thesis' or more. Where draws cost nothing and moves do, what ruins the tables, half of the games against the \
         heuristic king are won instead of 29 %, and most is certified (10 %).",
        "A mild *punishment* of illegal choices teaches legality less well (84 % instead of 98 %). Rewards divided by 50, which leave every \
         preference as it is, win less: the network's step is made for large errors.",
    ],
    charts: &[Chart::Bars { column: 1 }, Chart::Bars { column: 3 }],
};
