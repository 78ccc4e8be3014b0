//! The settings of the network that learns from its own games.

use serde::{Deserialize, Serialize};

use crate::{Inputs, LearnError, runs::settings::within};

/// Whose answers looking ahead starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// The network's: nothing but the network is carried from round to round.
    #[default]
    Network,
    /// Those that looking ahead gave the last time, which the memory keeps beside each position: what
    /// the network gets wrong does not spread. The network still is all that plays in the end.
    Memory,
}

/// The settings of the learner.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TdNetSettings {
    /// What the network is told: `squares`, `ways` or `king`.
    pub inputs: Inputs,
    /// Numbers that are passed from layer to layer.
    pub width: usize,
    /// Layers between the first table and the last.
    pub layers: usize,
    /// Bits to a stored weight, 2 to 8; 0 for exact weights of four bytes.
    pub bits: u32,
    /// Positions in a batch.
    pub batch: usize,
    /// Batches after a game …
    pub batches: u32,
    /// … every so many games.
    pub every: u64,
    /// The share of a batch that is drawn from positions which were wrong the last time.
    pub drill: f64,
    /// The learning rate; from `settle` on it falls to zero along half a cosine.
    pub rate: f64,
    /// The share of the run after which the rate begins to fall.
    pub settle: f64,
    /// Batches over which the network is averaged, about; 0 for the network as it is. What is asked,
    /// and what plays, is the average.
    pub averaged: u32,
    /// The network is asked again after so many batches at the earliest …
    pub refresh: u64,
    /// … when it had at most this share of the fresh examples wrong …
    pub fitted: f64,
    /// … or after so many times as many batches at the latest.
    pub patience: u64,
    /// Whose answers looking ahead starts from: `network` or `memory`.
    pub trust: Trust,
    /// The chance of a random move, of either side.
    pub epsilon: f64,
    /// White's moves in a game.
    pub move_limit: u32,
    /// Games without a new position after which the memory counts as complete.
    pub quiet: u64,
    /// The longest mate that has an answer of its own.
    pub longest: u8,
    /// Where the network is trained: `cpu` or `cuda`.
    pub device: String,
}

impl Default for TdNetSettings {
    fn default() -> Self {
        TdNetSettings {
            inputs: Inputs::default(),
            width: 96,
            layers: 2,
            bits: 0,
            batch: 1024,
            batches: 1,
            every: 1,
            drill: 0.25,
            rate: 2e-3,
            settle: 0.5,
            averaged: 100,
            refresh: 100,
            fitted: 0.01,
            patience: 10,
            trust: Trust::default(),
            epsilon: 0.2,
            move_limit: 50,
            quiet: 1_000,
            longest: 34,
            device: "cpu".into(),
        }
    }
}

impl TdNetSettings {
    /// # Errors
    /// When a setting makes no sense.
    pub(crate) fn check(&self) -> Result<(), LearnError> {
        within("batch", self.batch as f64, 1.0, 1e6)?;
        within("batches", self.batches.into(), 1.0, 1e6)?;
        within("every", self.every as f64, 1.0, 1e9)?;
        within("drill", self.drill, 0.0, 0.99)?;
        within("rate", self.rate, 0.0, 1.0)?;
        within("settle", self.settle, 0.0, 1.0)?;
        within("fitted", self.fitted, 0.0, 1.0)?;
        within("epsilon", self.epsilon, 0.0, 1.0)?;
        within("move_limit", self.move_limit.into(), 1.0, 10_000.0)
    }
}
