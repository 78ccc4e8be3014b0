//! The settings of document Y's deep Q-learning, and what it wished for.

use serde::{Deserialize, Serialize};

use crate::{LearnError, runs::settings::within};

/// The settings of the learner. The first ones are the thesis' (its Table 6.13 and Section 5.7),
/// then come those that it does not state, then what it names as future work, all of it off.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DqnSettings {
    /// The learning rate of Adam.
    pub rate: f64,
    /// The discount factor. Not stated for this learner; with the .99 of the tabular one an endless game
    /// costs 100 and losing the rook at once 50, and that is what is learned.
    pub gamma: f64,
    /// The chance of a random move at the beginning.
    pub epsilon_start: f64,
    /// The chance of a random move at the end.
    pub epsilon_end: f64,
    /// White's reward for winning.
    pub win: f64,
    /// White's reward for a draw.
    pub draw: f64,
    /// White's reward for a move.
    pub step: f64,
    /// The reward for choosing a move that is not legal.
    pub illegal: f64,
    /// Whom white trains against: the name of a player, or `self` for an agent that learns, too.
    pub opponent: String,

    /// Pictures that the first hidden layer makes.
    pub channels: usize,
    /// Neurons of the second, which sees the whole board.
    pub hidden: usize,
    /// Transitions in a batch.
    pub batch: usize,
    /// White's moves from one batch to the next.
    pub update_every: u64,
    /// Batches from one copy of the target network to the next.
    pub target_every: u64,
    /// Transitions that are remembered.
    pub memory: usize,
    /// Transitions that are there before learning begins.
    pub warm_up: usize,
    /// Moves of each side until the game is drawn.
    pub max_moves: u32,
    /// Is the third occurrence of a position a draw?
    pub repetition: bool,

    /// Consider legal moves only, in choosing and in looking ahead?
    pub masking: bool,
    /// With `opponent = "self"`: so many games white learns, then so many black; 0 for both always.
    pub freeze: u64,
    /// Turn and mirror what is remembered, each time another way?
    pub augmentation: bool,
    /// Let the policy network choose the move that the target network values (double Q-learning)?
    pub double: bool,
    /// Rewards that are added up before the target network is asked.
    pub n_step: usize,
    /// Remember surprises more often?
    pub prioritised: bool,
    /// How strongly weights are drawn to zero.
    pub weight_decay: f64,
    /// Networks that vote.
    pub ensemble: usize,
    /// A run of the same learner whose networks to start from, of another endgame maybe; or nothing.
    pub from: String,
    /// Games between tests on starts that are never trained on; 0 for none.
    pub validate_every: u64,
    /// Games in such a test, against a random defender.
    pub validation_games: u32,
    /// Tests in a row without progress after which training stops, at the best networks so far.
    pub patience: u64,
}

impl Default for DqnSettings {
    fn default() -> DqnSettings {
        DqnSettings {
            rate: 1e-3,
            gamma: 0.9,
            epsilon_start: 0.9,
            epsilon_end: 0.05,
            win: 50.0,
            draw: -50.0,
            step: -1.0,
            illegal: -50.0,
            opponent: "random".into(),
            channels: 16,
            hidden: 128,
            batch: 32,
            update_every: 4,
            target_every: 200,
            memory: 100_000,
            warm_up: 1_000,
            max_moves: 50,
            repetition: true,
            masking: false,
            freeze: 0,
            augmentation: false,
            double: false,
            n_step: 1,
            prioritised: false,
            weight_decay: 0.0,
            ensemble: 1,
            from: String::new(),
            validate_every: 0,
            validation_games: 500,
            patience: 5,
        }
    }
}

impl DqnSettings {
    /// # Errors
    /// When a setting makes no sense.
    pub(crate) fn check(&self) -> Result<(), LearnError> {
        within("rate", self.rate, 0.0, 1.0)?;
        within("gamma", self.gamma, 0.0, 1.0)?;
        within("epsilon_start", self.epsilon_start, 0.0, 1.0)?;
        within("epsilon_end", self.epsilon_end, 0.0, 1.0)?;
        within("channels", self.channels as f64, 1.0, 1024.0)?;
        within("hidden", self.hidden as f64, 1.0, 8192.0)?;
        within("batch", self.batch as f64, 1.0, 1e5)?;
        within("update_every", self.update_every as f64, 1.0, 1e9)?;
        within("target_every", self.target_every as f64, 1.0, 1e9)?;
        within("memory", self.memory as f64, 1.0, 1e8)?;
        within("n_step", self.n_step as f64, 1.0, 1e3)?;
        within("weight_decay", self.weight_decay, 0.0, 1.0)?;
        within("ensemble", self.ensemble as f64, 1.0, 64.0)?;
        within("max_moves", self.max_moves.into(), 1.0, 1e4)
    }
}
