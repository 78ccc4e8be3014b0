//! A moment of grace for what is nearly done.
//!
//! An episode that is cut short is lost, and with it all since the last checkpoint. Most episodes
//! are over in less time than anybody notices; only those that take longer are cut.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How long an episode may go on after it was told to stop, unless its learner says otherwise.
pub(crate) const GRACE: Duration = Duration::from_millis(400);
/// Between two looks at the flag.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Does work with a flag of its own, which is set so long after `stop`.
pub(crate) fn with_grace<T>(
    stop: &AtomicBool,
    grace: Duration,
    work: impl FnOnce(&AtomicBool) -> T,
) -> T {
    let (late, done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let watch = || {
            let mut told = None;
            while !done.load(Ordering::Relaxed) {
                if stop.load(Ordering::Relaxed) {
                    let told: Instant = *told.get_or_insert_with(Instant::now);
                    late.store(told.elapsed() >= grace, Ordering::Relaxed);
                }
                thread::park_timeout(LOOK_EVERY);
            }
        };
        let watcher = scope.spawn(watch);
        // However the work ends, the watcher must end with it.
        let _ended = Ended(&done, watcher.thread());
        work(&late)
    })
}

struct Ended<'a>(&'a AtomicBool, &'a thread::Thread);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_hears_of_a_stop_a_moment_later_and_only_then() {
        let stop = AtomicBool::new(false);
        let unheard = with_grace(&stop, GRACE, |late| {
            thread::sleep(2 * LOOK_EVERY);
            !late.load(Ordering::Relaxed)
        });
        assert!(unheard);
        stop.store(true, Ordering::Relaxed);
        let begin = Instant::now();
        with_grace(&stop, GRACE, |late| {
            while !late.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        });
        assert!(begin.elapsed() >= GRACE);
    }
}
