//! Document Y: Ypma 2024, "RL vs. search tree algorithms", the tables about Q-learning.

use crate::{
    Against, Chart, Column, DrawReasons, Exam, Experiment, Question, Row, TestRules, Training,
};

const RANDOM: Against = Against::Player("random");
pub(crate) const HEURISTIC: Against = Against::Player("heuristic");
const STOCKFISH: Against = Against::Player("uci:stockfish,nodes=10000");

/// The thesis' learner, and ours.
pub(crate) const THESIS: &str = "ypma-q";
pub(crate) const BEST: &str = "two-bounds";
/// Games in Section 6.2, and in Section 6.3.
pub(crate) const GAMES: u64 = 30_000;
const MORE_GAMES: u64 = 100_000;

pub(crate) const fn lines(column: usize) -> Chart {
    Chart::Lines { column, log: false }
}

const BOARDS_COLUMNS: &[Column] = &[
    Column::percent("wins against random"),
    Column::percent("black agent"),
    Column::percent("heuristic"),
    Column::positions("positions visited"),
    Column::times("visits of each"),
    Column::percent("certified"),
];

const BOARDS_QUESTIONS: &[Question] = &[
    Question::Wins(RANDOM),
    Question::Wins(Against::OwnBlack),
    Question::Wins(HEURISTIC),
    Question::Visited,
    Question::Visits,
    Question::Certified,
];

const fn on_board(recipe: &'static str, material: &'static str, board: usize) -> Exam {
    Exam::new(
        Training::new(recipe, material, GAMES).board(board),
        BOARDS_QUESTIONS,
    )
}

/// Symmetric positions held once: does that explain the thesis' figures?
const fn folded(material: &'static str, board: usize) -> Exam {
    Exam::new(
        Training::new(THESIS, material, GAMES)
            .board(board)
            .with(&[("symmetry", "full")]),
        BOARDS_QUESTIONS,
    )
}

macro_rules! board_row {
    ($name:literal, $board:literal, $material:literal, $paper:expr) => {
        Row {
            name: $name,
            paper: &$paper,
            ours: &[&on_board(THESIS, $material, $board)],
            best: &[&on_board(BEST, $material, $board)],
        }
    };
}

macro_rules! folded_row {
    ($name:literal, $board:literal, $material:literal) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&folded($material, $board)],
            best: &[],
        }
    };
}

const BOARDS_CHARTS: &[Chart] = &[lines(0), lines(1), lines(2), lines(5)];

const BOARDS_DEVIATIONS: &[&str] = &[
    "One training and one set of test games each; the intervals know the chance of the test games, not \
     that of the training. Another seed shows that.",
    "Certified: the share of won positions from which the policy mates within fifty moves against \
     every defence. It is exact for the table that was trained, so it has no interval.",
    "Does the thesis' table hold symmetric positions once? No: on 4×4 the kings can be placed apart in 156 ways, \
     and its 2,340 positions of KQK are 156 × 15, the queen on one of 14 squares or taken. On 5×5 \
     its 10,500 are 456 × 23 = 10,488 without the taken queen; with it there are 10,944, of which it \
     would have missed 4 %. Either way it counts positions of both sides, and we count only those in which \
     white has moved (812 on 4×4, all there are). The rows \"folded\" hold symmetric positions once: \
     they win more, but not in the thesis' proportions.",
    "By its own figures a training game of the thesis on 8×8 visits about 26 positions (103,000 × 7.51 / \
     30,000), ours 55: it played other games than its text describes. We could not find which. Nearer to \
     its column of the black agent come neither shorter games (`max_moves=25`) nor `alpha=0.1` nor \
     equal moves tried in python-chess' order instead of ours.",
    "The thesis' heuristic defender is weaker than its description: random white moves mate it in 25 of \
     1,000 games of Table 6.12. Ours, which does take every draw and run to the centre, is mated by the \
     same in 2 (Y6.12).",
];

pub static Y6_9: Experiment = Experiment {
    id: "Y6.9",
    cite: "Ypma 2024, Table 6.9",
    title: "Q-learning on boards of different size, KQK",
    setting: "Two agents trained at once in 30,000 games (α .01, γ .99, ε .9 to .05), then 1,000 games \
              against a random defender, the black agent, and a king that runs to the centre and \
              takes every draw.",
    rows_are: "board",
    columns: BOARDS_COLUMNS,
    rows: &[
        board_row!("4×4", 4, "KQK", [96.4, 100.0, 98.0, 2340.0, 98.6, f64::NAN]),
        board_row!("5×5", 5, "KQK", [72.6, 88.6, 83.8, 10500.0, 44.1, f64::NAN]),
        board_row!("6×6", 6, "KQK", [39.9, 80.2, 59.8, 30300.0, 19.1, f64::NAN]),
        board_row!("7×7", 7, "KQK", [26.7, 72.7, 55.4, 63400.0, 11.7, f64::NAN]),
        board_row!(
            "8×8",
            8,
            "KQK",
            [13.4, 40.9, 37.6, 103000.0, 7.51, f64::NAN]
        ),
        folded_row!("6×6, folded", 6, "KQK"),
        folded_row!("8×8, folded", 8, "KQK"),
    ],
    paper_count: Some(1000),
    deviations: BOARDS_DEVIATIONS,
    findings: &[],
    charts: BOARDS_CHARTS,
};

pub static Y6_10: Experiment = Experiment {
    id: "Y6.10",
    cite: "Ypma 2024, Table 6.10",
    title: "Q-learning on boards of different size, KRK",
    setting: "As Table 6.9.",
    rows_are: "board",
    columns: BOARDS_COLUMNS,
    rows: &[
        board_row!("4×4", 4, "KRK", [93.9, 99.0, 90.2, 2320.0, 152.0, f64::NAN]),
        board_row!("5×5", 5, "KRK", [60.9, 88.4, 75.1, 10400.0, 59.0, f64::NAN]),
        board_row!("6×6", 6, "KRK", [26.0, 76.6, 76.7, 30100.0, 29.6, f64::NAN]),
        board_row!("7×7", 7, "KRK", [13.6, 51.7, 51.2, 61500.0, 13.4, f64::NAN]),
        board_row!("8×8", 8, "KRK", [6.5, 14.7, 30.5, 96600.0, 9.03, f64::NAN]),
        folded_row!("6×6, folded", 6, "KRK"),
        folded_row!("8×8, folded", 8, "KRK"),
    ],
    paper_count: Some(1000),
    deviations: BOARDS_DEVIATIONS,
    findings: &[],
    charts: BOARDS_CHARTS,
};

macro_rules! on_all_boards {
    ($recipe:expr) => {
        &[
            Training::new($recipe, "KQK", GAMES).board(4),
            Training::new($recipe, "KQK", GAMES).board(5),
            Training::new($recipe, "KQK", GAMES).board(6),
            Training::new($recipe, "KQK", GAMES).board(7),
            Training::new($recipe, "KQK", GAMES).board(8),
        ]
    };
}

macro_rules! draws_row {
    ($name:literal, $against:expr, $paper:expr) => {
        Row {
            name: $name,
            paper: &$paper,
            ours: &[&DrawReasons {
                trainings: on_all_boards!(THESIS),
                against: $against,
            }],
            best: &[&DrawReasons {
                trainings: on_all_boards!(BEST),
                against: $against,
            }],
        }
    };
}

pub static Y6_11: Experiment = Experiment {
    id: "Y6.11",
    cite: "Ypma 2024, Table 6.11",
    title: "Why test games are drawn, KQK",
    setting: "The test games of Table 6.9, all boards together: the reasons of the draws.",
    rows_are: "defender",
    columns: &[
        Column::percent("drawn games"),
        Column::percent("stalemate"),
        Column::percent("fifty moves"),
        Column::percent("lost piece"),
        Column::percent("repetition"),
    ],
    rows: &[
        draws_row!("random", RANDOM, [f64::NAN, 8.6, 28.8, 53.2, 9.4]),
        draws_row!(
            "black agent",
            Against::OwnBlack,
            [f64::NAN, 7.9, 1.2, 42.3, 48.6]
        ),
        draws_row!("heuristic", HEURISTIC, [f64::NAN, 10.9, 0.3, 34.9, 53.9]),
    ],
    paper_count: None,
    deviations: &[
        "The thesis gives averages over its boards and not the number of draws, so no agreement can be \
         computed. Ours are shares of all drawn games of the five boards.",
        "The best recipe draws no game that can be won; where nothing was drawn there are no reasons.",
    ],
    findings: &[],
    charts: &[
        Chart::Bars { column: 1 },
        Chart::Bars { column: 2 },
        Chart::Bars { column: 3 },
        Chart::Bars { column: 4 },
    ],
};

/// The agent that all players of Table 6.12 are tested against.
static BLACK_AGENT: Training = Training::new(THESIS, "KQK", MORE_GAMES);

/// The three defenders, then Stockfish, then the certificate: three measurements, because a foreign
/// engine knows no small board, which a smoke run uses.
const DEFENDERS: &[Question] = &[
    Question::Wins(RANDOM),
    Question::Wins(Against::Agent(&BLACK_AGENT)),
    Question::Wins(HEURISTIC),
];
/// A heuristic king that plays the same in every position, in training and in the tests.
const BY_HEART: Training =
    Training::new(THESIS, "KQK", MORE_GAMES).with(&[("opponent", "heuristic:ties=first")]);
const BY_HEART_DEFENDERS: &[Question] = &[
    Question::Wins(RANDOM),
    Question::Wins(Against::Agent(&BLACK_AGENT)),
    Question::Wins(Against::Player("heuristic:ties=first")),
];
const OWN_DEFENDERS: &[Question] = &[
    Question::Wins(RANDOM),
    Question::Wins(Against::OwnBlack),
    Question::Wins(HEURISTIC),
];
const ENGINE: &[Question] = &[Question::Wins(STOCKFISH)];
const CERTIFICATE: &[Question] = &[Question::Certified];

const fn engine(training: Training) -> Exam {
    Exam::new(training.for_engines(), ENGINE).games(100, 1000)
}

macro_rules! opponent_row {
    ($name:literal, $paper:expr, $training:expr, $rules:expr, $best:expr) => {
        Row {
            name: $name,
            paper: &$paper,
            ours: &[
                &Exam::new($training, DEFENDERS).rules($rules),
                &engine($training).rules($rules),
                &Exam::new($training, CERTIFICATE),
            ],
            best: $best,
        }
    };
}

/// A row of our own: so many games of self-play, tested against its own black side.
macro_rules! games_row {
    ($name:literal, $material:literal, $games:expr) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[
                &Exam::new(Training::new(THESIS, $material, $games), OWN_DEFENDERS),
                &engine(Training::new(THESIS, $material, $games)),
                &Exam::new(Training::new(THESIS, $material, $games), CERTIFICATE),
            ],
            best: &[
                &Exam::new(Training::new(BEST, $material, $games), OWN_DEFENDERS),
                &engine(Training::new(BEST, $material, $games)),
                &Exam::new(Training::new(BEST, $material, $games), CERTIFICATE),
            ],
        }
    };
}

pub static Y6_12: Experiment = Experiment {
    id: "Y6.12",
    cite: "Ypma 2024, Table 6.12",
    title: "Q-learning by training opponent, KQK on 8×8",
    setting: "100,000 games of training against a random defender, the heuristic king, or the black \
              agent that learns at the same time; 1,000 test games against each of them, and against \
              Stockfish.",
    rows_are: "trained against",
    columns: &[
        Column::percent("wins against random"),
        Column::percent("black agent"),
        Column::percent("heuristic"),
        Column::percent("Stockfish"),
        Column::percent("certified"),
    ],
    rows: &[
        opponent_row!(
            "nobody (random moves)",
            [2.0, 1.1, 2.5, 0.1, f64::NAN],
            Training::new(THESIS, "KQK", 0),
            TestRules::FiftyMovesByLot,
            &[]
        ),
        opponent_row!(
            "random",
            [10.2, 5.4, 13.6, 3.2, f64::NAN],
            Training::new(THESIS, "KQK", MORE_GAMES).with(&[("opponent", "random")]),
            TestRules::FiftyMoves,
            &[]
        ),
        opponent_row!(
            "heuristic",
            [9.6, 5.3, 81.0, 2.0, f64::NAN],
            Training::new(THESIS, "KQK", MORE_GAMES).with(&[("opponent", "heuristic")]),
            TestRules::FiftyMoves,
            &[]
        ),
        // A row of our own.
        Row {
            name: "heuristic, the first of equal moves",
            paper: &[],
            ours: &[
                &Exam::new(BY_HEART, BY_HEART_DEFENDERS),
                &engine(BY_HEART),
                &Exam::new(BY_HEART, CERTIFICATE),
            ],
            best: &[],
        },
        opponent_row!(
            "black agent",
            [33.6, 47.3, 50.3, 8.5, f64::NAN],
            Training::new(THESIS, "KQK", MORE_GAMES),
            TestRules::FiftyMoves,
            &[
                &Exam::new(Training::new(BEST, "KQK", MORE_GAMES), DEFENDERS),
                &engine(Training::new(BEST, "KQK", MORE_GAMES)),
                &Exam::new(Training::new(BEST, "KQK", MORE_GAMES), CERTIFICATE),
            ]
        ),
        games_row!("itself, 30,000 games, KQK", "KQK", GAMES),
        games_row!("itself, 30,000 games, KRK", "KRK", GAMES),
    ],
    paper_count: Some(1000),
    deviations: &[
        "Stockfish's budget is not stated; 10,000 nodes a move here.",
        "The black agent is the one trained together with white in 100,000 games, for all rows, as in \
         the thesis. In the last two rows, of our own, it is each learner's own black side after \
         30,000 games.",
        "The best recipe plays against itself, whatever the row; it is shown once. It finishes by itself \
         after about 9,500 games (KRK: 12,400): there is nothing left to learn.",
        "The first row plays random moves. The thesis' heuristic king loses 2.5 % of the games to them, ours \
         0.2 %: theirs cannot be the king its text describes. (That its random defender loses 2.0 % to them says \
         nothing: 25 games against 20.) That explains much of the gap in this column, here and in Tables 6.9 and 6.10.",
        "Ours draws lots among equal moves; the thesis says that its king always plays the same. Such \
         a king (`heuristic:ties=first`, in training and test) can be learned by heart far better, but \
         not to the thesis' 81 %.",
        "The certificate of the first row is that of the first legal move everywhere.",
    ],
    findings: &[],
    charts: &[
        Chart::Bars { column: 0 },
        Chart::Bars { column: 1 },
        Chart::Bars { column: 2 },
        Chart::Bars { column: 3 },
        Chart::Bars { column: 4 },
    ],
};
