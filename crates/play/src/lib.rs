//! Players of chess and its endgames behind one small trait, and matches between them.
//!
//! A [`Player`] chooses a move in a [`Game`](rules::Game). It is named by a short text that the
//! [`Registry`] reads: `random`, `minimax:depth=4`, `uci:stockfish,nodes=10000`.
#![deny(missing_docs)]

pub mod bishop_and_knight;
mod certification;
mod dice;
mod distance;
mod drawish;
mod elo;
mod engine_process;
mod evaluator;
pub mod features;
mod fingerprint;
mod game_record;
mod heuristic;
mod journal;
mod ladder;
mod leaf_value;
mod likeliest;
mod matches;
mod mcts;
pub mod memory;
mod minimax;
mod mop_up;
mod openings;
pub mod packing;
mod perfect;
mod piece_square;
mod player;
mod puct;
mod random;
mod random_games;
mod ratings;
mod registry;
mod review;
mod rollout;
pub mod rounding;
mod search;
mod settings;
mod statistics;
pub mod tiny_network;
mod transposition;
mod tree;
mod uci_engine;
mod uct;

pub use certification::{
    Candidate, Certification, CertificationError, MoveJournal, OthersMoves, Proof,
};
pub use dice::{Dice, derived_seed};
pub use drawish::Drawish;
pub use elo::{Decision, Elo, Sprt, SprtState};
pub use evaluator::{Assessments, Chances, Evaluator, EvaluatorError, Leaf, Uniform};
pub use fingerprint::Fingerprint;
pub use game_record::{GameRecord, RecordError};
pub use heuristic::Heuristic;
pub use journal::{Journal, JournalError};
pub use ladder::{Ladder, Standings};
pub use leaf_value::LeafValue;
pub use likeliest::Likeliest;
pub use matches::{Match, MatchError, MatchProgress, MatchResult, Running, play_game};
pub use mcts::Mcts;
pub use minimax::{MAX_DEPTH, Minimax};
pub use openings::{Openings, RandomOpenings};
pub use perfect::{Perfect, Ties};
pub use player::{Choice, Info, Limits, Nature, Opinion, Player, PlayerError, Score, Wdl, Wish};
pub use puct::{
    Evaluators, Exploration, FirstPlay, Found, Gumbel, Noise, Puct, PuctError, PuctPlayer,
    PuctSettings, PuctSpec, RootMove, Selection, search_together,
};
pub use random::Random;
pub use random_games::RandomGames;
pub use ratings::{Encounter, Rating, RatingError, Ratings};
pub use registry::{Kind, Maker, PlayerSpec, Prepared, Registry};
pub use review::{Judgement, PlayScore, Reviewed, review};
pub use settings::{Key, Settings, SpecError};
pub use statistics::{Ending, Lengths, Share, Statistics};
pub use tiny_network::TinyNetwork;
pub use uci_engine::UciEngine;
