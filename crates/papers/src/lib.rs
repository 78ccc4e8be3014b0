//! Every experiment of the source documents, written down like the paper's table, and run again.
//!
//! An [`Experiment`] holds the paper's figures and, beside each row, what to [`Measure`] for it:
//! once under the paper's settings and once under our best recipe. A figure of ours is never
//! written down: it is measured, with its interval. [`all`] is the one list that the command line,
//! the reports and the tests read; [`run`] turns an entry into a [`Report`], which writes itself as
//! Markdown, JSON or a page of HTML.
//!
//! ```
//! let ids: Vec<&str> = papers::all().iter().map(|experiment| experiment.id).collect();
//! assert!(ids.contains(&"Y6.4"));
//! ```
#![deny(missing_docs)]

mod against;
mod agent;
mod agent_contest;
mod agent_scholar;
mod agent_scores;
mod agent_standing;
mod agent_switch;
mod bench;
mod boards;
mod budget;
mod bytes;
mod certificate;
mod contest;
mod deep_exam;
mod deolalikar;
mod deolalikar_moves;
mod diagram;
mod docs;
mod draw_reasons;
mod drawing;
mod equal_games;
mod equal_terms;
mod error;
mod error_curve;
mod exam;
mod experiment;
mod figure;
mod game_tree;
mod games_training;
mod headline;
mod heat_map;
mod held_out_matches;
mod html;
mod imitation;
mod kept;
mod learning_curve;
mod lineage;
mod markdown;
mod network_size;
mod origin;
mod own_games;
mod own_networks;
mod plot;
mod ppo_switches;
mod report;
mod run;
mod salisch;
mod salisch_scholar;
mod samadi;
mod samadi_claims;
mod scale;
mod scoreboard;
mod search_visits;
mod seven_networks;
mod shuffle;
mod small_network;
mod standing;
mod stopwatch;
mod store;
mod three_networks;
mod training;
mod tuning;
mod wojcik;
mod wojcik_duel;
mod ypma;
mod ypma_curves;
mod ypma_deep;
mod ypma_learning;
mod ypma_minimax;
mod ypma_rewards;

pub use against::Against;
pub use agent::Agent;
pub use agent_contest::AgentContest;
pub use agent_scholar::AgentScholar;
pub use agent_scores::AgentScores;
pub use agent_standing::{AgentStanding, Playing};
pub use agent_switch::AgentSwitch;
pub use bench::Bench;
pub use boards::{Frame, boards_svg, game_frames};
pub use budget::Budget;
pub use contest::{Contest, Show, Start};
pub use deep_exam::{DeepExam, DeepQuestion, Starts};
pub use diagram::board_svg;
pub use docs::{Docs, draw_docs};
pub use draw_reasons::DrawReasons;
pub use error::PaperError;
pub use error_curve::ErrorCurve;
pub use exam::{Exam, Question, TestRules};
pub use experiment::{Chart, Column, Experiment, Measure, Row, Unit};
pub use figure::{Cell, Curve, Diagram, Figure, Measured};
pub use game_tree::GameTree;
pub use games_training::GamesTraining;
pub use headline::{FewerMoves, LessTime, Sizes};
pub use heat_map::HeatMap;
pub use held_out_matches::HeldOutMatches;
pub use html::{PAGE_STYLE, page, section};
pub use kept::{KEPT_FOLDER, Keeping, Kept, KeptCell, KeptRow, KeptRun, keep};
pub use learning_curve::LearningCurve;
pub use network_size::NetworkSize;
pub use origin::{Origin, this_machine};
pub use plot::{Plot, Point, Series, Style};
pub use report::{Kind, Measurement, Measurements, Report, RowReport};
pub use run::{ExperimentProgress, Running, run, train};
pub use search_visits::SearchVisits;
pub use seven_networks::{HeldOutMarks, MarksOf, NetworkGames};
pub use small_network::{NetworkCertificate, NetworkContest, TrainingError};
pub use standing::{Method, Standing};
pub use store::{write_atomically, write_report};
pub use three_networks::{Making, NetworkDuel, Stage};
pub use training::{Trained, Training};
pub use tuning::tuning_picture;

static ALL: &[&Experiment] = &[
    &ypma::Y6_1,
    &ypma::Y6_2,
    &ypma::Y6_3,
    &ypma::Y6_4,
    &ypma_minimax::Y_MINIMAX,
    &ypma::Y6_5,
    &ypma_learning::Y6_9,
    &ypma_learning::Y6_10,
    &ypma_learning::Y6_11,
    &ypma_learning::Y6_12,
    &ypma_curves::Y_F6_2,
    &ypma_curves::Y_GAMES,
    &ypma_rewards::Y_REWARDS,
    &ypma_deep::Y_F6_3,
    &ypma_deep::Y6_14,
    &ypma_deep::Y_DQN_ABLATION,
    &ypma_rewards::Y_DQN_REWARDS,
    &deolalikar::D1,
    &deolalikar::D_F4,
    &deolalikar_moves::D_F5,
    &deolalikar_moves::D_F6,
    &deolalikar_moves::D_WISHES,
    &samadi::S5,
    &samadi_claims::S_F4,
    &samadi::S6,
    &samadi::S6_ALL,
    &samadi_claims::S6_CLAIMS,
    &salisch::P_VERSIONS,
    &salisch::P_STOCKFISH,
    &salisch_scholar::P_SCHOLAR,
    &ppo_switches::PPO_SWITCHES,
    &equal_terms::P_AGAINST_W,
    &equal_games::P_AGAINST_W_GAMES,
    &bytes::BYTES,
    &scoreboard::SCOREBOARD,
    &wojcik::W1,
    &wojcik::W1_GAMES,
    &imitation::IMITATION,
    &wojcik::W_SEARCH,
    &wojcik_duel::W_DUEL,
];

/// Every experiment there is, document by document.
pub fn all() -> &'static [&'static Experiment] {
    ALL
}

/// The experiment with this id; upper and lower case are the same.
///
/// # Errors
/// When there is none; the error lists those there are.
pub fn find(id: &str) -> Result<&'static Experiment, PaperError> {
    all()
        .iter()
        .copied()
        .find(|experiment| experiment.id.eq_ignore_ascii_case(id))
        .ok_or_else(|| PaperError::Unknown {
            id: id.to_owned(),
            known: all().iter().map(|experiment| experiment.id).collect(),
        })
}
