//! Where a policy is made better: here, by the plain networks, or together with other learners on a
//! device.

use std::{sync::atomic::AtomicBool, time::Duration};

use rand_chacha::ChaCha8Rng;

#[cfg(feature = "libtorch")]
use super::together::{Seat, Terms};
use super::{
    method::Method,
    update::{Batch, Objective, Pace, Told, learn},
};
use crate::{LearnError, net::plain::actor_critic::ActorCritic, runs::grace::GRACE};

/// Where a policy is made better. A learner that only plays takes no seat anywhere.
#[derive(Default)]
pub(super) struct Place {
    #[cfg(feature = "libtorch")]
    seat: Option<Seat>,
}

impl Place {
    /// Makes sure that there is such a place in this program.
    ///
    /// # Errors
    /// When there is not.
    pub fn check(device: &str) -> Result<(), LearnError> {
        match device {
            "cpu" => Ok(()),
            #[cfg(feature = "libtorch")]
            device => crate::net::torch::device(device).map(|_| ()),
            #[cfg(not(feature = "libtorch"))]
            _ => Err(crate::net::no_such_device(device)),
        }
    }

    /// How long an iteration is given to end: together with others on a device it takes a moment longer, and
    /// to lose it would mean to go back to the last checkpoint.
    pub fn grace(device: &str) -> Duration {
        match device {
            "cpu" => GRACE,
            _ => Duration::from_secs(5),
        }
    }

    /// Takes a seat among those who learn together, where there are such: before the first game is played,
    /// so that nobody begins to learn alone.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn begin(&mut self, method: &Method, rows_a_move: usize) -> Result<(), LearnError> {
        Place::check(&method.device)?;
        #[cfg(feature = "libtorch")]
        if method.device != "cpu" && self.seat.is_none() {
            self.seat = Some(Seat::take(Terms {
                device: method.device.clone(),
                shifts: method.shifts,
                decisions: method.count() * method.decisions(),
                epochs: method.epochs,
                minibatch: method.minibatch,
                width: method.width,
                activation: method.activation,
                value_clip: method.value_clip.to_bits(),
                value_weight: method.value_weight.to_bits(),
                rows_a_move,
            })?);
        }
        #[cfg(not(feature = "libtorch"))]
        let _ = (rows_a_move, method.shifts);
        Ok(())
    }

    /// Learns from a batch.
    ///
    /// # Errors
    /// [`LearnError::Stopped`] when it was told to stop; the networks are then half-finished, or gone.
    pub fn learn(
        &self,
        networks: &mut ActorCritic,
        batch: &mut Batch,
        objective: Objective,
        pace: Pace,
        random: &mut ChaCha8Rng,
        stop: &AtomicBool,
    ) -> Result<Told, LearnError> {
        #[cfg(feature = "libtorch")]
        if let Some(seat) = &self.seat {
            return seat.learn(networks, batch, objective, pace, random, stop);
        }
        learn(networks, batch, objective, pace, random, stop)
    }
}
