//! A game as the learner meets it: what it sees, what it may do, and what comes of it.

use rand_chacha::ChaCha8Rng;
use rules::Color;

use crate::{
    LearnError,
    net::plain::Lists,
    runs::record::{Reader, Writer},
};

/// One game after another, both sides moved by the caller.
pub(super) trait World: Send {
    /// Begins a new game.
    fn begin(&mut self, random: &mut ChaCha8Rng) -> Result<(), LearnError>;

    /// The side to move.
    fn turn(&self) -> Color;

    /// How many legal moves it has, at least one while the game goes on.
    fn moves(&self) -> usize;

    /// Adds what the side to move sees as a list of inputs.
    fn show(&self, inputs: &mut Lists);

    /// Adds a list of the rows of the policy's last table that belong to the legal moves, as many for
    /// each move.
    fn legal(&self, rows: &mut Lists);

    /// Plays a legal move by its place.
    fn play(&mut self, place: usize, random: &mut ChaCha8Rng) -> Result<Played, LearnError>;

    /// Plies of this game.
    fn plies(&self) -> usize;

    /// Writes how the game stands and what is remembered of earlier ones.
    fn save(&self, out: &mut Writer);

    /// Reads what [`World::save`] wrote.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError>;
}

/// What came of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Played {
    /// For the side that moved.
    pub reward: f32,
    /// For the other side.
    pub other_reward: f32,
    /// Is the game over, and if so, who has won?
    pub over: Option<Option<Color>>,
}
