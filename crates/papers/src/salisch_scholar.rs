//! Document P: does the best agent know the scholar's mate?

use crate::{Agent, AgentScholar, Chart, Column, Experiment, Row};

const NINE: Agent = Agent::new("salisch-ppo")
    .with(&[("version", "9")])
    .rewarded();

macro_rules! row {
    ($name:literal, $agent:expr, $tenth:literal) => {
        Row {
            name: $name,
            paper: &[],
            ours: &[&AgentScholar {
                agent: $agent,
                tenth: $tenth,
            }],
            best: &[],
        }
    };
}

pub static P_SCHOLAR: Experiment = Experiment {
    id: "P-scholar",
    cite: "Salisch 2023, Chapter 5",
    title: "Does version 9 find the scholar's mate, and does its later self defend?",
    setting: "The document supposes that version 9 owes its score of +135 at iteration 800 to the scholar's mate, with white, and that \
              its later self, at 900, defends against it: the scores are +47, +135 and +51 at 700, 800 and 900.",
    rows_are: "version 9 at iteration",
    columns: &[
        Column::percent("won with white against random"),
        Column::percent("… by the scholar's mate"),
        Column::times("shortest, moves"),
        Column::percent("won against the next checkpoint"),
        Column::percent("… by the scholar's mate, its moves drawn"),
        Column::times("shortest, its moves drawn"),
    ],
    rows: &[
        row!("100 (training 1)", NINE, 1),
        row!("200 (training 1)", NINE, 2),
        row!("300 (training 1)", NINE, 3),
        row!("400 (training 1)", NINE, 4),
        row!("500 (training 1)", NINE, 5),
        row!("600 (training 1)", NINE, 6),
        row!("700 (training 1)", NINE, 7),
        row!("800 (training 1)", NINE, 8),
        row!("900 (training 1)", NINE, 9),
        row!("1,000 (training 1)", NINE, 10),
        row!("700 (training 2)", NINE.repeated(1), 7),
        row!("800 (training 2)", NINE.repeated(1), 8),
        row!("900 (training 2)", NINE.repeated(1), 9),
        row!("700 (training 3)", NINE.repeated(2), 7),
        row!("800 (training 3)", NINE.repeated(2), 8),
        row!("900 (training 3)", NINE.repeated(2), 9),
    ],
    paper_count: None,
    deviations: &[
        "Scholar's mate: a queen mates on f7 within ten moves. The document counts nothing; it looked at games.",
        "Iteration 1,000 meets itself, because nothing comes later.",
    ],
    findings: &[
        "It does, in the first training, and as the document tells it: after 100 iterations the first training wins 22.4 % of its white games by \
         the scholar's mate, 28.8 % in all, and that is its best checkpoint (+185 in P-versions). A hundred iterations later it has given the mate \
         up and never takes to it again; the spike of its curve is the mate. In the document that happens at iteration 800.",
        "Its later self does not quite defend: with its moves drawn by their chances, the agent of iteration 100 mates that of iteration 200 in this \
         way in 13.0 % of its white games.",
        "The other two trainings were looked at from 700 to 900 only, where the document saw it; there they do not know it.",
    ],
    charts: &[Chart::Bars { column: 1 }],
};
