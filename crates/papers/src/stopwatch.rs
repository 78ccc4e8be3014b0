//! How long a training took: noted beside its folder, because it may be carried out in parts.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{Cell, Figure, PaperError, write_atomically};

/// Runs while a training is carried out.
pub(crate) struct Stopwatch {
    begun: Instant,
    /// What the processor had done for this program by then.
    worked: Option<Duration>,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch {
            begun: Instant::now(),
            worked: processor(),
        }
    }

    /// Adds what it shows to what stands beside the folder of a training. What the processor did is known only of a
    /// training that was `alone` in this program from its beginning to its end.
    pub fn note(self, folder: &Path, alone: bool) -> Result<(), PaperError> {
        let [clock, work] = [CLOCK, PROCESSOR].map(|what| note_beside(folder, what));
        let new = !clock.exists();
        let seconds = self.begun.elapsed().as_secs_f64() + seconds(folder).unwrap_or_default();
        write_atomically(&clock, &format!("{seconds:.1}\n"))?;
        let spent = processor().zip(self.worked).map(|(now, then)| now - then);
        let before = if new {
            Some(0.0)
        } else {
            processor_seconds(folder)
        };
        let text = match (spent, before) {
            (Some(spent), Some(before)) if alone => {
                format!("{:.1}\n", spent.as_secs_f64() + before)
            }
            _ => "not known\n".to_owned(),
        };
        write_atomically(&work, &text)
    }
}

const CLOCK: &str = "seconds";
const PROCESSOR: &str = "processor";

fn note_beside(folder: &Path, what: &str) -> PathBuf {
    PathBuf::from(format!("{}.{what}", folder.display()))
}

fn noted(folder: &Path, what: &str) -> Option<f64> {
    let text = std::fs::read_to_string(note_beside(folder, what)).ok()?;
    let seconds = text.trim().parse().ok();
    seconds.filter(|seconds: &f64| seconds.is_finite())
}

/// Seconds by the clock that a training took, all its parts together but for what was killed.
pub(crate) fn seconds(folder: &Path) -> Option<f64> {
    noted(folder, CLOCK)
}

/// Seconds of the processor that it took, if they are known.
pub(crate) fn processor_seconds(folder: &Path) -> Option<f64> {
    noted(folder, PROCESSOR)
}

/// Seconds as a cell of a table.
pub(crate) fn cell(seconds: Option<f64>) -> Cell {
    match seconds {
        Some(seconds) => Cell::Figure(Figure {
            interval: None,
            ..Figure::exact(seconds, 1)
        }),
        None => Cell::Missing("not known".into()),
    }
}

/// What the processor has done for this program, all threads together.
#[cfg(unix)]
fn processor() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).ok()
}

#[cfg(not(unix))]
fn processor() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_training_are_added_and_what_was_shared_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        assert_eq!((seconds(&run), processor_seconds(&run)), (None, None));
        let long_ago = |alone| {
            let watch = Stopwatch {
                begun: Instant::now() - Duration::from_secs(5),
                ..Stopwatch::start()
            };
            watch.note(&run, alone).unwrap();
        };
        long_ago(true);
        long_ago(true);
        assert!((seconds(&run).unwrap() - 10.0).abs() < 1.0);
        if cfg!(unix) {
            assert!(processor_seconds(&run).unwrap() < 5.0);
        }
        long_ago(false);
        long_ago(true);
        assert_eq!(processor_seconds(&run), None);
    }
}
