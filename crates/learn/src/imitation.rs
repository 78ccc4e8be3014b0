//! Learning to play as masters play, from their games.
//!
//! A [`Scene`] is a position and what led to it; [`Scene::sight`] is what a network sees of it, and
//! [`move_number`] numbers the moves it scores. [`lessons`] brings positions of games into this form, a
//! [`Library`] holds those of a file, a [`Judging`] holds a network against them, an [`ImitationNetwork`] answers, an
//! [`ImitationEvaluator`] lets players and searches ask it, and [`Imitation`] is the learner.

mod dense_network;
mod dense_trainer;
mod evaluator;
mod glance;
mod judging;
mod learner;
mod lessons;
mod library;
mod move_number;
mod network;
mod sight;

pub use evaluator::ImitationEvaluator;
pub use judging::{Calibration, Judging, Matches, Mistake, Tenth};
pub use learner::{Imitation, ImitationSettings, RECIPE};
pub use lessons::{MOST_MOVES, lessons};
pub use library::Library;
pub use move_number::{MOVES, move_number};
pub(crate) use network::shares;
pub use network::{ImitationNetwork, Judgement};
pub use sight::{SIGHTS, Scene};
