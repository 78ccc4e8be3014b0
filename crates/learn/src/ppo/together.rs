//! Updates of many learners at once, on a device that one learner alone would leave idle.
//!
//! Every learner plays its games on the processor and hands in what it has to learn; when enough of them
//! have done so, one of them learns for all, in as many steps as for one. They are divided into shifts:
//! while one learns, the others play. Who is in which shift is left to who comes first, and nothing
//! depends on it but the last digits of rounding.
//!
//! A learner takes a [`Seat`] when it begins and leaves it when it ends, however it ends, so that nobody
//! waits for one who will not come.

mod lesson;
mod update;

use std::{
    collections::HashMap,
    mem,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    time::Duration,
};

use rand_chacha::ChaCha8Rng;

use super::update::{Batch, Objective, Pace, Told, orders};
use crate::{
    LearnError,
    learner::go_on,
    net::plain::{Activation, actor_critic::ActorCritic},
};
use lesson::Lesson;

/// What is the same for all who learn together.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Terms {
    /// Where.
    pub device: String,
    /// Into how many shifts they are divided.
    pub shifts: usize,
    /// Decisions of an iteration.
    pub decisions: usize,
    pub epochs: usize,
    pub minibatch: usize,
    pub width: usize,
    pub activation: Activation,
    /// The bits of [`Objective::value_clip`] and of [`Objective::value_weight`].
    pub value_clip: u64,
    pub value_weight: u64,
    pub rows_a_move: usize,
}

/// The learners of some terms.
#[derive(Default)]
struct Room {
    learners: usize,
    waiting: Vec<Offer>,
}

/// A learner that waits.
struct Offer {
    lesson: Lesson,
    answer: Sender<Result<(Lesson, Told), LearnError>>,
    /// Has it been told to stop?
    left: Arc<AtomicBool>,
}

static ROOMS: LazyLock<Mutex<HashMap<Terms, Room>>> = LazyLock::new(Mutex::default);
/// One shift learns at a time: two at once would take as long as one after the other, and then all would
/// play at once, with nobody learning.
static DEVICE: Mutex<()> = Mutex::new(());
/// Between two looks at what else has changed.
const LOOK_EVERY: Duration = Duration::from_millis(20);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A learner's place among those who learn together.
pub(super) struct Seat(Terms);

impl Seat {
    /// Takes a place.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn take(terms: Terms) -> Result<Seat, LearnError> {
        crate::net::torch::device(&terms.device)?;
        lock(&ROOMS).entry(terms.clone()).or_default().learners += 1;
        Ok(Seat(terms))
    }

    /// Learns from a batch, as [`learn`](super::update::learn) does, together with others.
    ///
    /// # Errors
    /// [`LearnError::Stopped`] when it is told to stop before it has been learned from; the networks are
    /// gone then.
    pub fn learn(
        &self,
        networks: &mut ActorCritic,
        batch: &mut Batch,
        objective: Objective,
        pace: Pace,
        random: &mut ChaCha8Rng,
        stop: &AtomicBool,
    ) -> Result<Told, LearnError> {
        go_on(stop)?;
        let order = orders(batch.chosen.len(), pace, random);
        let networks_away = mem::replace(networks, ActorCritic::nothing());
        let lesson = Lesson::new(networks_away, mem::take(batch), objective, pace, order);
        let (lesson, told) = self.wait(lesson, stop)?;
        *networks = lesson.networks;
        *batch = lesson.batch;
        Ok(told)
    }

    fn wait(&self, lesson: Lesson, stop: &AtomicBool) -> Result<(Lesson, Told), LearnError> {
        let (answer, heard) = mpsc::channel();
        let left = Arc::new(AtomicBool::new(false));
        self.room(|room| {
            room.waiting.push(Offer {
                lesson,
                answer,
                left: left.clone(),
            });
        });
        loop {
            if let Some(offers) = self.enough() {
                let stopped = || {
                    left.fetch_or(stop.load(Ordering::Relaxed), Ordering::Relaxed);
                };
                carry_out(&self.0, offers, &stopped);
            }
            match heard.recv_timeout(LOOK_EVERY) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(LearnError::BadSetting {
                        name: "device".into(),
                        value: self.0.device.clone(),
                        why: "libtorch has failed in the thread that learned for all".into(),
                    });
                }
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    left.store(true, Ordering::Relaxed);
                    // Who still waits, goes; who is being taught hears how it ends.
                    let own = |offer: &Offer| Arc::ptr_eq(&offer.left, &left);
                    let place = |room: &mut Room| room.waiting.iter().position(own);
                    if self
                        .room(|room| place(room).map(|place| room.waiting.swap_remove(place)))
                        .is_some()
                    {
                        return Err(LearnError::Stopped);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn room<T>(&self, work: impl FnOnce(&mut Room) -> T) -> T {
        work(lock(&ROOMS).entry(self.0.clone()).or_default())
    }

    /// All who wait, if they are a shift: a share of all learners there are now.
    fn enough(&self) -> Option<Vec<Offer>> {
        self.room(|room| {
            let shift = room.learners.div_ceil(self.0.shifts.max(1)).max(1);
            (room.waiting.len() >= shift).then(|| mem::take(&mut room.waiting))
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut rooms = lock(&ROOMS);
        if let Some(room) = rooms.get_mut(&self.0) {
            room.learners = room.learners.saturating_sub(1);
            if room.learners == 0 {
                rooms.remove(&self.0);
            }
        }
    }
}

/// Teaches some who waited; `look` notes whether the one who does so has been told to stop.
fn carry_out(terms: &Terms, offers: Vec<Offer>, look: &dyn Fn()) {
    let (mut lessons, mut answers, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for offer in offers {
        lessons.push(offer.lesson);
        answers.push(offer.answer);
        left.push(offer.left);
    }
    let given_up = || {
        look();
        left.iter().all(|left| left.load(Ordering::Relaxed))
    };
    let device = || lock(&DEVICE);
    // Who has gone does not hear the answer.
    match update::learn(terms, &mut lessons, device, given_up) {
        Ok(told) => {
            for ((answer, lesson), told) in answers.iter().zip(lessons).zip(told) {
                let _ = answer.send(Ok((lesson, told)));
            }
        }
        Err(_) => {
            for answer in answers {
                let _ = answer.send(Err(LearnError::Stopped));
            }
        }
    }
}

#[cfg(test)]
mod tests;
