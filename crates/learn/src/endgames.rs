//! What learners of endgames share: the endgame with its numbering, games in the compact form, and
//! whom they play.

mod contest;
mod endgame;
pub(crate) mod opponent;
pub(crate) mod past;
pub(crate) mod sight;
mod skill;

pub(crate) use contest::evaluate;
pub use contest::{ContestResult, ContestRules, Defender, contest, contest_from};
pub use endgame::{Endgame, Folding};
pub use opponent::Opponent;
pub use past::Past;
pub(crate) use sight::EndgameSight;
pub(crate) use skill::as_endgame_learner;
pub use skill::{EndgameLearner, Extent, Preference, Skill, Ties};
