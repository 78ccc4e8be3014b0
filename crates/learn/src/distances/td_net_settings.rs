//! The settings of the network that learns from its own games.

use serde::{Deserialize, Serialize};

use crate::{Inputs, runs::settings::settings};

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

settings! {
    /// The settings of the learner.
    pub struct TdNetSettings {
        /// What the network is told: `squares`, `ways` or `king`.
        inputs: Inputs = Inputs::default();
        /// Numbers that are passed from layer to layer.
        width: usize = 96, 1.0..=4096.0;
        /// Layers between the first table and the last.
        layers: usize = 2, 0.0..=16.0;
        /// Bits to a stored weight, 2 to 8; 0 for exact weights of four bytes.
        bits: u32 = 0, 0.0..=8.0;
        /// Positions in a batch.
        batch: usize = 1024, 1.0..=1e6;
        /// Batches after a game …
        batches: u32 = 1, 1.0..=1e6;
        /// … every so many games.
        every: u64 = 1, 1.0..=1e9;
        /// The share of a batch that is drawn from positions which were wrong the last time.
        drill: f64 = 0.25, 0.0..=0.99;
        /// The learning rate; from `settle` on it falls to zero along half a cosine.
        rate: f64 = 2e-3, 0.0..=1.0;
        /// The share of the run after which the rate begins to fall.
        settle: f64 = 0.5, 0.0..=1.0;
        /// Batches over which the network is averaged, about; 0 for the network as it is. What is asked,
        /// and what plays, is the average.
        averaged: u32 = 100, 0.0..=1e6;
        /// The network is asked again after so many batches at the earliest …
        refresh: u64 = 100, 0.0..=1e9;
        /// … when it had at most this share of the fresh examples wrong …
        fitted: f64 = 0.01, 0.0..=1.0;
        /// … or after so many times as many batches at the latest.
        patience: u64 = 10, 0.0..=1e9;
        /// Whose answers looking ahead starts from: `network` or `memory`.
        trust: Trust = Trust::default();
        /// The chance of a random move, of either side.
        epsilon: f64 = 0.2, 0.0..=1.0;
        /// White's moves in a game.
        move_limit: u32 = 50, 1.0..=1e4;
        /// Games without a new position after which the memory counts as complete.
        quiet: u64 = 1_000, 0.0..=1e9;
        /// The longest mate that has an answer of its own.
        longest: u8 = 34, 1.0..=200.0;
        /// Where the network is trained: `cpu`; in a program built with libtorch also `cuda` (a GPU) or `libtorch`.
        device: String = "cpu".into();
    }
}
