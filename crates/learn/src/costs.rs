//! Where the time of a training loop goes.

use std::time::{Duration, Instant};

/// Time spent on the parts of a training loop, and how often.
///
/// It is measured, so it is not part of what a learner saves.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    parts: Vec<(&'static str, Duration, u64)>,
}

impl Costs {
    /// Times a part.
    pub fn time<T>(&mut self, part: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        self.add(part, start.elapsed());
        done
    }

    /// Adds to a part what was timed elsewhere.
    pub fn add(&mut self, part: &'static str, time: Duration) {
        match self.parts.iter_mut().find(|(name, ..)| *name == part) {
            Some((_, total, times)) => {
                *total += time;
                *times += 1;
            }
            None => self.parts.push((part, time, 1)),
        }
    }

    /// The parts in the order they first occurred: name, time, how often.
    pub fn parts(&self) -> &[(&'static str, Duration, u64)] {
        &self.parts
    }
}
