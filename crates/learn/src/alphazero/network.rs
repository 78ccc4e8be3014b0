//! What the learner knows of a network.

use play::Evaluator;
use rules::{Game, Move, Position};

use super::lesson::Lesson;
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// A network as it was at some time: it judges positions for a search, and knows how to note down what the
/// search makes of them.
pub(super) trait Judge: Send + Sync {
    /// Judges positions. Each thread that searches has one.
    fn evaluator(&self) -> Box<dyn Evaluator>;

    /// Notes down what there is to learn of a position: how likely the search finds each move, and
    /// how it expects the game to end.
    fn note(&self, game: &Game, shares: &[(Move, f32)]) -> Lesson;

    /// Could it have noted this lesson down? What comes from elsewhere may be anything.
    fn knows(&self, lesson: &Lesson) -> bool;

    /// Does it judge such positions?
    fn suits(&self, position: &Position) -> bool;

    /// The most moves that a lesson can have, and numbers that it sees.
    fn lesson_size(&self) -> (usize, usize);
}

/// A network in training, which learns from what searches make of positions.
pub(super) trait ZeroNetwork: Send + Sync {
    /// The network as it is now. It stays so while this one learns.
    fn judge(&self) -> Box<dyn Judge>;

    /// Judges from now on as a file of weights says, and learns nothing any more.
    ///
    /// # Errors
    /// When it is damaged, or that of another network.
    fn judge_by(&mut self, file: &[u8]) -> Result<(), LearnError>;

    /// Goes on from a file of weights, as if it had only begun.
    ///
    /// # Errors
    /// When it is damaged, or that of another network.
    fn start_from(&mut self, file: &[u8]) -> Result<(), LearnError>;

    /// Takes a step on a batch.
    fn learn(&mut self, batch: &[&Lesson], rate: f64) -> Losses;

    /// Bytes that the weights take.
    fn bytes(&self) -> u64;

    /// The network as a file.
    fn to_file(&self) -> Vec<u8>;

    /// Writes weights and what its optimiser remembers.
    fn save(&self, out: &mut Writer);

    /// Reads what [`ZeroNetwork::save`] wrote.
    ///
    /// # Errors
    /// When the record holds something else.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError>;
}

/// What a batch was like before it was learned from, as means.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Losses {
    /// The surprise at the search's moves, in nats.
    pub policy: f64,
    /// The surprise at how the games ended.
    pub value: f64,
    /// The entropy of the policy.
    pub entropy: f64,
    /// In how many positions the search's first move was the network's.
    pub agreed: f64,
    /// The expected result, squared difference from what it was.
    pub calibration: f64,
}

impl Losses {
    pub fn add(&mut self, other: &Losses, weight: f64) {
        self.policy += weight * other.policy;
        self.value += weight * other.value;
        self.entropy += weight * other.entropy;
        self.agreed += weight * other.agreed;
        self.calibration += weight * other.calibration;
    }
}
