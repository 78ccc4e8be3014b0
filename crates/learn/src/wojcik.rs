//! The first half of document W: seven small networks that learn masters' moves from their games.
//!
//! One network picks the square to move from, six the square to move to, one for each kind of piece; a
//! legal move's score is the product of the two. A [`Sight`] is what they see, a [`SquareNetwork`] is
//! one of them and a [`SquareTrainer`] makes it better; [`SevenNetworks`] play together as a
//! [`WojcikPlayer`], are judged by held-out games ([`judge`]), and [`Wojcik`] is the learner.

mod example;
mod judge;
mod learner;
mod network;
mod networks;
mod orthogonal;
mod player;
mod product;
mod sight;
mod teacher;
mod trainer;

pub use judge::{Marks, SevenMarks, judge};
pub use learner::{EPISODES_IN_A_PASS, RECIPE, Wojcik, WojcikSettings};
pub use network::{SQUARES, SquareNetwork, WIDTHS};
pub use networks::{NETWORKS, Scored, SevenNetworks, network_of};
pub use player::WojcikPlayer;
pub use sight::{Code, INPUTS, Sight};
pub use trainer::{Learnt, SquareTrainer};
