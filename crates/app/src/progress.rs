//! Progress on stderr, and Ctrl-C.

use std::{
    sync::{
        Mutex, Once,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use rules::Material;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What Ctrl-C is answered with, so that nobody wonders whether it was heard.
pub const STOPPING: &str = "lucena: stopping; Ctrl-C again ends it at once";

/// Lets long work end in an orderly way on Ctrl-C: the first one asks, the second one kills.
pub fn watch_for_interrupt() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler = || {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            // Behind a bar that is being drawn, on a line of its own.
            eprintln!("\n{STOPPING}");
        };
        // Without a handler Ctrl-C simply ends the process, which loses nothing that was saved.
        let _ = ctrlc::set_handler(handler);
    });
}

/// Was Ctrl-C pressed?
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The same, for work that watches a flag.
pub fn interrupt_flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Shows how a solver comes along.
pub struct SolveBar {
    bar: ProgressBar,
    current: Mutex<(Option<Material>, u64)>,
}

impl SolveBar {
    pub fn new() -> SolveBar {
        watch_for_interrupt();
        let bar = ProgressBar::no_length();
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg} {elapsed}")
                .expect("the template is well-formed"),
        );
        bar.enable_steady_tick(Duration::from_millis(100));
        SolveBar {
            bar,
            current: Mutex::default(),
        }
    }

    /// Does something with the bar out of the way.
    pub fn hide<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// Takes a step of the solver and answers whether to go on.
    pub fn step(&self, step: truth::SolveProgress) -> bool {
        let mut current = self
            .current
            .lock()
            .expect("no thread panics while it holds the bar");
        if current.0 != Some(step.material) {
            *current = (Some(step.material), 0);
        }
        current.1 += step.decided;
        self.bar.set_message(format!(
            "solving {}: mates in {} moves, {} positions decided",
            step.material,
            step.ply.div_ceil(2),
            crate::solve::grouped(current.1),
        ));
        !interrupted()
    }
}

impl Drop for SolveBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
