use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use play::Registry;
use truth::Tablebase;

use crate::{
    Agent, Bench, Budget, Experiment, Kind, Measure, Measurement, Measurements, Origin, PaperError,
    Report, RowReport, experiment::Row, origin::this_machine, store::Key,
};

/// How an experiment is run.
#[derive(Clone)]
pub struct Running<'a> {
    /// How much work it may be.
    pub budget: Budget,
    /// What all chance follows from.
    pub seed: u64,
    /// Threads; 0 takes one per processor. The figures do not depend on it.
    pub threads: usize,
    /// Folder of tables; missing ones are solved and saved there.
    pub tables: PathBuf,
    /// A file of games to learn from, for experiments that need one.
    pub games: Option<PathBuf>,
    /// Folder in which finished measurements are saved, and found again by the next run.
    pub out: Option<PathBuf>,
    /// Only the row with this name; where there is none, only rows whose name contains it.
    pub rows: Option<String>,
    /// Only what is measured under the paper's settings, or only our best recipe.
    pub only: Option<Kind>,
    /// Where agents learn that can do so on a device, all of an experiment at the same time: `cuda`, or
    /// `libtorch`, as in their recipes, and `,shifts=1` behind it if all are to learn at once; `cpu` if none.
    pub device: Option<String>,
    /// The machine in words, which is noted beside the figures.
    pub machine: String,
    /// Told about every step.
    pub progress: Option<&'a (dyn Fn(&ExperimentProgress<'_>) + Sync)>,
    /// Stops the run when it becomes true.
    pub stop: Option<&'a AtomicBool>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentProgress<'a> {
    /// The experiment.
    pub experiment: &'a str,
    /// The row.
    pub row: &'a str,
    /// `ours` or `best`.
    pub recipe: &'a str,
    /// Measurements finished.
    pub finished: usize,
    /// Measurements in all.
    pub measurements: usize,
    /// Trials of the current measurement finished.
    pub trials: u64,
    /// Trials of the current measurement in all; 0 while it is not known.
    pub of: u64,
    /// What is going on, if that needs words.
    pub remark: &'a str,
}

impl Running<'_> {
    /// A run with this budget and these tables, seed 1, one thread, and nothing saved.
    pub fn new(budget: Budget, tables: &Path) -> Running<'static> {
        Running {
            budget,
            seed: 1,
            threads: 1,
            tables: tables.to_owned(),
            games: None,
            out: None,
            rows: None,
            only: None,
            device: None,
            machine: this_machine(),
            progress: None,
            stop: None,
        }
    }
}

/// Trains the agents of whole games that an experiment needs, in the folder that [`run`] will find them in,
/// and measures nothing.
///
/// # Errors
/// As [`run`]; and when there is no [`Running::out`].
pub fn train(id: &str, running: &Running<'_>) -> Result<(), PaperError> {
    if running.out.is_none() {
        let why = "trainings without measurements need a folder to be kept in";
        return Err(PaperError::Setting(why.into()));
    }
    in_a_folder(id, running, |run| run.train())
}

/// Runs the experiment with this id.
///
/// # Errors
/// When there is none, it cannot be measured, files cannot be written, or the run was stopped;
/// what was measured until then is saved in [`Running::out`].
pub fn run(id: &str, running: &Running<'_>) -> Result<Report, PaperError> {
    in_a_folder(id, running, |run| {
        if running.device.is_some() && !run.learns_on_device() {
            run.train()?;
        }
        run.report()
    })
}

/// Does something with an experiment.
fn in_a_folder<T>(
    id: &str,
    running: &Running<'_>,
    work: impl FnOnce(Run<'_>) -> Result<T, PaperError>,
) -> Result<T, PaperError> {
    let experiment = crate::find(id)?;
    // Trainings go where measurements go; without such a folder they are gone with the run.
    let passing = match running.out {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(|source| PaperError::File {
            path: std::env::temp_dir(),
            source,
        })?),
    };
    let folder = running.out.as_deref();
    let folder = folder.or(passing.as_ref().map(tempfile::TempDir::path));
    let run = Run {
        experiment,
        running,
        trainings: folder.unwrap_or(Path::new(".")).join("trainings"),
        tables: Arc::new(Tablebase::new(&running.tables)),
        measurements: 0,
        finished: 0,
    };
    if run.rows().next().is_none() {
        return Err(PaperError::NoRow {
            experiment: experiment.id,
            text: running.rows.clone().unwrap_or_default(),
            rows: experiment.rows.iter().map(|row| row.name).collect(),
        });
    }
    let of = |row, kind| run.measures(row, kind).len();
    let measurements = run
        .rows()
        .map(|row| of(row, Kind::Ours) + of(row, Kind::Best))
        .sum();
    work(Run {
        measurements,
        ..run
    })
}

/// Every kind of player there is, trained ones among them.
fn registry(tables: &Arc<Tablebase>) -> Registry {
    let mut registry = Registry::new(tables.clone());
    learn::register(&mut registry);
    registry
}

struct Run<'a> {
    experiment: &'static Experiment,
    running: &'a Running<'a>,
    trainings: PathBuf,
    tables: Arc<Tablebase>,
    measurements: usize,
    finished: usize,
}

impl Run<'_> {
    /// The rows that are asked for.
    fn rows(&self) -> impl Iterator<Item = &'static Row> + use<> {
        let text = self.running.rows.clone().unwrap_or_default();
        let rows = self.experiment.rows.iter();
        let exactly = rows.clone().any(|row| row.name == text);
        rows.filter(move |row| match exactly {
            true => row.name == text,
            false => row.name.contains(&text),
        })
    }

    /// What is measured for a row, if it is asked for.
    fn measures(&self, row: &Row, kind: Kind) -> &'static [&'static dyn Measure] {
        match self.running.only {
            Some(only) if only != kind => &[],
            _ => row.measures(kind),
        }
    }

    fn report(mut self) -> Result<Report, PaperError> {
        let running = self.running;
        let mut report = Report::new(self.experiment, running.budget, running.seed);
        for row in self.rows() {
            let ours = self.recipe(row, "ours", self.measures(row, Kind::Ours))?;
            let best = self.recipe(row, "best", self.measures(row, Kind::Best))?;
            report.rows.push(RowReport {
                name: row.name.into(),
                paper: row.paper(self.experiment.columns.len()),
                ours,
                best,
            });
        }
        Ok(report)
    }

    fn recipe(
        &mut self,
        row: &Row,
        recipe: &str,
        measures: &[&dyn Measure],
    ) -> Result<Measurements, PaperError> {
        let mut measurements = Vec::new();
        for (part, measure) in measures.iter().enumerate() {
            let (key, saved) = self.saved(row, recipe, part, *measure)?;
            let measurement = match saved {
                Some(measurement) => measurement,
                None => self.measure(row, recipe, *measure, &key)?,
            };
            self.finished += 1;
            measurements.push(measurement);
        }
        Ok(Measurements { measurements })
    }

    /// What tells a measurement apart, and what was measured before.
    fn saved(
        &self,
        row: &Row,
        recipe: &str,
        part: usize,
        measure: &dyn Measure,
    ) -> Result<(Key, Option<Measurement>), PaperError> {
        let running = self.running;
        let key = Key {
            version: env!("CARGO_PKG_VERSION").into(),
            experiment: self.experiment.id.into(),
            row: row.name.into(),
            recipe: recipe.into(),
            part,
            budget: running.budget,
            seed: running.seed,
            settings: measure.settings(running.budget),
            games: self.games(measure)?,
        };
        let saved = running.out.as_deref().and_then(|out| key.load(out));
        // A table that has got more columns since is measured again.
        let saved = saved.filter(|saved| saved.measured.cells.len() == measure.cells());
        Ok((key, saved))
    }

    /// The file of games as a text that tells it apart, where a measurement depends on it.
    fn games(&self, measure: &dyn Measure) -> Result<Option<String>, PaperError> {
        let path = self
            .running
            .games
            .as_deref()
            .filter(|_| measure.reads_games());
        path.map(|path| {
            let file = learn::games::GameFile::open(path);
            let file = file.map_err(|error| PaperError::Setting(error.to_string()))?;
            Ok(format!("{:?} {:?}", file.origin(), file.summary()))
        })
        .transpose()
    }

    fn tell(&self, (row, recipe): (&str, &str), trials: u64, of: u64, remark: &str) {
        if let Some(progress) = self.running.progress {
            progress(&ExperimentProgress {
                experiment: self.experiment.id,
                row,
                recipe,
                finished: self.finished,
                measurements: self.measurements,
                trials,
                of,
                remark,
            });
        }
    }

    fn bench<'b>(&'b self, tell: &'b (dyn Fn(u64, u64, &str) + Sync)) -> Bench<'b> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let running = self.running;
        Bench {
            budget: running.budget,
            seed: running.seed,
            threads: running.threads,
            stop: running.stop.unwrap_or(&NEVER),
            trainings: self.trainings.clone(),
            games: running.games.clone(),
            device: running.device.clone(),
            tables: self.tables.clone(),
            registry: Arc::new(registry(&self.tables)),
            tell,
        }
    }

    fn learns_on_device(&self) -> bool {
        let measures = |row: &'static Row| row.ours.iter().chain(row.best);
        let mut rows = self.experiment.rows.iter();
        rows.any(|row| measures(row).any(|measure| measure.learns_on_device()))
    }

    /// Trains the agents of the rows that have not been measured, at the same time: on a device all of them,
    /// on the processor as many as there are threads.
    fn train(&self) -> Result<(), PaperError> {
        let mut agents: Vec<Agent> = Vec::new();
        let mut measured = false;
        for row in self.rows() {
            for (kind, recipe) in [(Kind::Ours, "ours"), (Kind::Best, "best")] {
                for (part, measure) in self.measures(row, kind).iter().enumerate() {
                    if self.saved(row, recipe, part, *measure)?.1.is_some() {
                        measured = true;
                        continue;
                    }
                    for agent in measure.agents() {
                        if !agents.contains(&agent) {
                            agents.push(agent);
                        }
                    }
                }
            }
        }
        if agents.is_empty() && measured {
            return Ok(());
        }
        if agents.is_empty() {
            let id = self.experiment.id;
            let why = format!("{id} trains no agents of whole games before it measures");
            return Err(PaperError::Setting(why));
        }
        let remark = format!("iterations of {} trainings", agents.len());
        // How far each of them is.
        let far: Vec<AtomicU64> = agents.iter().map(|_| AtomicU64::new(0)).collect();
        let all: u64 = agents
            .iter()
            .filter_map(|agent| agent.checkpoints(self.running.budget).last().copied())
            .sum();
        let next = AtomicUsize::new(0);
        let one = || -> Result<(), PaperError> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(agent) = agents.get(number) else {
                    return Ok(());
                };
                let tell = |done: u64, _: u64, _: &str| {
                    far[number].store(done, Ordering::Relaxed);
                    let done = far.iter().map(|far| far.load(Ordering::Relaxed)).sum();
                    self.tell(("all", "ours"), done, all, &remark);
                };
                if let Err(why) = agent.train(&self.bench(&tell))? {
                    self.tell(("all", "ours"), 0, 0, &why);
                }
            }
        };
        let at_once = match self.running.device.as_deref() {
            None | Some("cpu") => self.bench(&|_, _, _| {}).workers(),
            Some(_) => agents.len(),
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..at_once.min(agents.len()))
                .map(|_| scope.spawn(one))
                .collect();
            let ended = threads.into_iter().map(|thread| match thread.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            // The first that went wrong; the others have ended, too.
            ended.collect::<Vec<_>>().into_iter().collect()
        })
    }

    fn measure(
        &self,
        row: &Row,
        recipe: &str,
        measure: &dyn Measure,
        key: &Key,
    ) -> Result<Measurement, PaperError> {
        let running = self.running;
        let tell =
            |trials: u64, of: u64, remark: &str| self.tell((row.name, recipe), trials, of, remark);
        tell(0, 0, "");
        let bench = self.bench(&tell);
        if bench.stopped() {
            return Err(PaperError::Stopped);
        }
        let begin = Instant::now();
        let measured = measure.measure(&bench)?;
        debug_assert_eq!(measured.cells.len(), measure.cells());
        let measurement = Measurement {
            settings: key.settings.clone(),
            measured,
            seconds: Some(begin.elapsed().as_secs_f64()),
            origin: Some(Origin::now(
                self.experiment.id,
                running.budget,
                running.seed,
                running.games.as_deref().filter(|_| measure.reads_games()),
                &running.machine,
            )),
        };
        if let Some(out) = &running.out {
            key.save(out, &measurement)?;
        }
        Ok(measurement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_rows_are_measured_and_the_next_run_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let id = "Y6.1";
        let rows = crate::find(id).unwrap().rows;
        let some = |text: &str| Running {
            out: Some(folder.path().join("out")),
            rows: Some(text.to_owned()),
            ..Running::new(Budget::Smoke, folder.path())
        };
        let report = run(id, &some(rows[1].name)).unwrap();
        assert_eq!(report.rows.len(), 1);
        assert_eq!(report.rows[0].name, rows[1].name);
        let saved = || std::fs::read_dir(folder.path().join("out/measurements")).unwrap();
        let first = saved().count();
        assert!(first > 0);
        run(id, &some(rows[1].name)).unwrap();
        assert_eq!(saved().count(), first);
        let error = run(id, &some("no such row")).unwrap_err().to_string();
        assert!(
            error.contains("no such row") && error.contains(rows[0].name),
            "{error}"
        );
    }

    #[test]
    fn what_has_been_measured_is_not_trained_again() {
        let folder = tempfile::tempdir().unwrap();
        let running = Running {
            out: Some(folder.path().join("out")),
            rows: Some("version 2".into()),
            only: Some(Kind::Ours),
            ..Running::new(Budget::Smoke, folder.path())
        };
        run("P-versions", &running).unwrap();
        let trainings = folder.path().join("out/trainings");
        std::fs::remove_dir_all(&trainings).unwrap();
        train("P-versions", &running).unwrap();
        assert!(!trainings.exists());
        std::fs::remove_dir_all(folder.path().join("out/measurements")).unwrap();
        train("P-versions", &running).unwrap();
        assert!(trainings.exists());
    }

    #[test]
    fn trained_players_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let registry = registry(&Arc::new(Tablebase::new(folder.path())));
        let error = registry.parse("run:no-such-run").unwrap_err().to_string();
        assert!(error.contains("no-such-run holds no run"), "{error}");
    }
}
