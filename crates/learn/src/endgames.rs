//! What learners of endgames share: the endgame with its numbering, games in the compact form, and
//! whom they play.

mod contest;
mod endgame;
pub(crate) mod line;
pub(crate) mod opponent;

pub use contest::{ContestResult, ContestRules, Defender, contest, contest_from};
pub use endgame::{Endgame, Folding};
pub use line::Line;
pub use opponent::Opponent;
