//! What a search is given, and what it tells.

use std::{
    error::Error,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use play::Registry;
use truth::Oracle;

/// Certifies the player of a run: the exact share of won positions from which mate is forced.
pub type Certify<'a> =
    dyn Fn(&Path) -> Result<f64, Box<dyn Error + Send + Sync + 'static>> + Sync + 'a;

/// What a search may use and whom it talks to.
#[derive(Default)]
pub struct Tools<'a> {
    /// Players by name.
    pub registry: Option<&'a Registry>,
    /// Exact answers, for recipes that are taught by them.
    pub teacher: Option<Arc<dyn Oracle>>,
    /// Proofs, for a search that is judged by them. They come from outside: what learns has no exact answers.
    pub certify: Option<&'a Certify<'a>>,
    /// Trainings beside each other; 0 takes one per processor. The result does not depend on it.
    pub threads: usize,
    /// Told a few times a second how far it is.
    pub progress: Option<&'a (dyn Fn(&TuningProgress) + Sync)>,
    /// Told what the user should know, such as a score.
    pub notice: Option<&'a (dyn Fn(&str) + Sync)>,
    /// Stops the search when set; it can be resumed.
    pub cancel: Option<&'a AtomicBool>,
}

impl<'a> Tools<'a> {
    /// The flag that stops the search.
    pub(super) fn stop(&self) -> &'a AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        self.cancel.unwrap_or(&NEVER)
    }

    pub(super) fn say(&self, text: &str) {
        if let Some(notice) = self.notice {
            notice(text);
        }
    }
}

/// How far a search is.
#[derive(Clone, PartialEq, Debug)]
pub struct TuningProgress {
    /// Episodes of all trainings.
    pub episodes: u64,
    /// Episodes of all trainings when it is done.
    pub of: u64,
    /// The best mean score so far, for people.
    pub best: Option<String>,
    /// Time left at this speed; `None` when it has just begun.
    pub left: Option<Duration>,
}
