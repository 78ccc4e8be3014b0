//! How far a search is, and how long it will take.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Counts episodes.
pub(super) struct Clock {
    started: Instant,
    begun_at: u64,
    episodes: AtomicU64,
    /// Episodes to be done.
    pub of: u64,
}

impl Clock {
    /// A clock that starts now, with so many episodes done of so many.
    pub fn new(done: u64, of: u64) -> Clock {
        Clock {
            started: Instant::now(),
            begun_at: done,
            episodes: AtomicU64::new(done),
            of,
        }
    }

    /// Counts episodes.
    pub fn add(&self, episodes: u64) {
        self.episodes.fetch_add(episodes, Ordering::Relaxed);
    }

    /// Episodes done.
    pub fn episodes(&self) -> u64 {
        self.episodes.load(Ordering::Relaxed)
    }

    /// Time left at this speed; `None` when it has just begun.
    pub fn left(&self) -> Option<Duration> {
        let episodes = self.episodes();
        let done = episodes.saturating_sub(self.begun_at);
        let each = self.started.elapsed().as_secs_f64() / done as f64;
        let left = each * self.of.saturating_sub(episodes) as f64;
        (done > 0).then(|| Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX))
    }
}
