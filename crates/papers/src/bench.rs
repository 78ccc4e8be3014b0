use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use play::{PlayerSpec, Registry};
use rules::{Board, Material};
use truth::Tablebase;

use crate::{Budget, PaperError};

/// Where measurements are made: players by name, exact truth, and what the run was given.
pub struct Bench<'a> {
    /// How much work it may be.
    pub budget: Budget,
    /// What all chance follows from. Every measurement of an experiment gets the same one, so that
    /// rows are compared on the same positions.
    pub seed: u64,
    /// Threads; 0 takes one per processor.
    pub threads: usize,
    /// Stops everything when it becomes true.
    pub stop: &'a AtomicBool,
    /// Folder of trainings, finished or begun.
    pub trainings: PathBuf,
    /// A file of games to learn from, for what needs one.
    pub games: Option<PathBuf>,
    /// Where agents learn that can do so on a device; `cpu` if none.
    pub device: Option<String>,
    pub(crate) tables: Arc<Tablebase>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) tell: &'a (dyn Fn(u64, u64, &str) + Sync),
}

impl Bench<'_> {
    /// The same with other chance.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        Bench {
            seed,
            registry: self.registry.clone(),
            trainings: self.trainings.clone(),
            games: self.games.clone(),
            device: self.device.clone(),
            tables: self.tables.clone(),
            ..*self
        }
    }

    /// The player of this name.
    ///
    /// # Errors
    /// When there is no such player.
    pub fn player(&self, text: &str) -> Result<PlayerSpec, PaperError> {
        Ok(self.registry.parse(text)?)
    }

    /// All players by name.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The folder's tables, with those of `material` and all it leads to made sure of.
    ///
    /// # Errors
    /// When they can neither be read nor solved, or the run was stopped.
    pub fn truth(&self, material: Material, board: Board) -> Result<Arc<Tablebase>, PaperError> {
        let step = |step: truth::SolveProgress| {
            (self.tell)(0, 0, &format!("solving {}", step.material));
            !self.stopped()
        };
        match self.tables.ensure(material, board, &step) {
            Err(_) if self.stopped() => Err(PaperError::Stopped),
            Err(error) => Err(error.into()),
            Ok(()) => Ok(self.tables.clone()),
        }
    }

    /// How many threads to start.
    pub fn workers(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// Stops here when the run was told to.
    ///
    /// # Errors
    /// When it was.
    pub fn go_on(&self) -> Result<(), PaperError> {
        if self.stopped() {
            return Err(PaperError::Stopped);
        }
        Ok(())
    }

    /// Was the run told to stop?
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells whoever watches how many of how many trials are done, with a remark.
    pub fn tell(&self, done: u64, of: u64, remark: &str) {
        (self.tell)(done, of, remark);
    }
}
