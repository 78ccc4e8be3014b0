use std::{path::PathBuf, sync::mpsc};

use learn::{Control, LearnError, Plan, RunProgress, Stopped, Summary, Task, elsewhere::Elsewhere};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};
use serde_json::json;

use crate::{
    environments::own_pool,
    errors::{OrRaise as _, SettingsError},
    long_call::{Caller, long_call},
    resources::{Shelf, board, material},
};

/// What a run is to do, as the text of `run.toml`.
#[pyfunction]
#[pyo3(signature = (recipe, endgame=None, board=8, episodes=30_000, seed=1, settings=Vec::new(), evaluate=Vec::new(), evaluate_every=None, evaluation_games=200, stop_at=None, stop_after=3, checkpoint_every=None, keep=3, searched_by=None))]
#[allow(clippy::too_many_arguments)] // all of them by name
pub fn plan(
    recipe: &str,
    endgame: Option<&str>,
    board: usize,
    episodes: u64,
    seed: u64,
    settings: Vec<(String, String)>,
    evaluate: Vec<String>,
    evaluate_every: Option<u64>,
    evaluation_games: u32,
    stop_at: Option<f64>,
    stop_after: u64,
    checkpoint_every: Option<u64>,
    keep: usize,
    searched_by: Option<String>,
) -> PyResult<String> {
    let task = match endgame {
        Some(name) => Task::Endgame(material(name)?, self::board(board)?),
        None => Task::Chess,
    };
    let refused = |error: LearnError| SettingsError::new_err(error.to_string());
    let mut plan = Plan::new(recipe, task, episodes, seed, &settings).map_err(refused)?;
    if task == Task::Chess && !plan.recipe().map_err(refused)?.whole_game {
        return Err(refused(LearnError::NeedsEndgame));
    }
    plan.evaluate_against = evaluate;
    plan.evaluate_every = evaluate_every.unwrap_or(plan.evaluate_every).max(1);
    plan.evaluation_games = evaluation_games;
    plan.stop_at = stop_at;
    plan.stop_after = stop_after.max(1);
    plan.checkpoint_every = checkpoint_every.unwrap_or(plan.checkpoint_every).max(1);
    plan.keep_checkpoints = keep.max(1);
    plan.searched_by = searched_by;
    Ok(plan.text())
}

/// The settings of a recipe as they are unless somebody changes them, as JSON.
#[pyfunction]
pub fn recipe_settings(recipe: &str) -> PyResult<String> {
    let refused = |error: LearnError| SettingsError::new_err(error.to_string());
    let recipe = learn::Recipe::find(recipe).map_err(refused)?;
    Ok(json!(recipe.settings(&[]).map_err(refused)?).to_string())
}

/// What a run is to do, as its folder has it; with `episodes` it is made longer.
#[pyfunction]
#[pyo3(signature = (folder, episodes=None))]
pub fn plan_of(folder: PathBuf, episodes: Option<u64>) -> PyResult<String> {
    let plan = Plan::read(&folder).or_raise()?;
    match episodes {
        Some(episodes) if episodes != plan.episodes => {
            Ok(learn::extend(&folder, episodes).or_raise()?.text())
        }
        _ => Ok(plan.text()),
    }
}

/// What the work tells the calling thread.
enum Message {
    Progress(u64, Option<u64>, String),
    Begin(u64, Vec<Vec<u8>>, mpsc::Sender<()>),
    Harvests(u64, Vec<u8>, mpsc::Sender<Option<Vec<Vec<u8>>>>),
    Games(u64, mpsc::Sender<Vec<Vec<u8>>>),
}

/// Where Python has the games played.
struct There<'c>(&'c Caller<Message>);

impl There<'_> {
    /// The calling thread drops the question when Python fails or the call is interrupted.
    fn ask<T>(&self, message: impl FnOnce(mpsc::Sender<T>) -> Message) -> Result<T, LearnError> {
        let (answer, answered) = mpsc::channel();
        self.0.tell(message(answer));
        answered.recv().map_err(|_| LearnError::Stopped)
    }
}

impl Elsewhere for There<'_> {
    fn begin(&mut self, iteration: u64, games: Vec<Vec<u8>>) -> Result<(), LearnError> {
        self.ask(|answer| Message::Begin(iteration, games, answer))
    }

    fn harvests(
        &mut self,
        iteration: u64,
        weights: Vec<u8>,
    ) -> Result<Option<Vec<Vec<u8>>>, LearnError> {
        self.ask(|answer| Message::Harvests(iteration, weights, answer))
    }

    fn games(&mut self, iterations: u64) -> Result<Vec<Vec<u8>>, LearnError> {
        self.ask(|answer| Message::Games(iterations, answer))
    }
}

/// Carries a plan out in a folder, or goes on with the run there; its games are played by
/// `elsewhere`, or here. What came of it, as JSON.
#[pyfunction]
#[pyo3(signature = (folder, plan=None, elsewhere=None, until=None, tables=None, progress=None))]
pub fn train(
    py: Python<'_>,
    folder: PathBuf,
    plan: Option<&str>,
    elsewhere: Option<Py<PyAny>>,
    until: Option<u64>,
    tables: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    own_pool()?;
    let plan = plan.map(Plan::from_text).transpose().or_raise()?;
    let shelf = Shelf::new(tables)?;
    let away = elsewhere.is_some();
    let work = |caller: &Caller<Message>| -> Result<Summary, LearnError> {
        let mut there = There(caller);
        let mut tell = |progress: &RunProgress| {
            let text = scalars(progress);
            caller.tell(Message::Progress(
                progress.episodes,
                Some(progress.of),
                text,
            ));
        };
        let mut notice = |text: &str| {
            caller.tell(Message::Progress(0, None, text.to_owned()));
        };
        let control = Control {
            registry: Some(&shelf.registry),
            teacher: Some(shelf.tables.clone()),
            progress: Some(&mut tell),
            notice: Some(&mut notice),
            cancel: Some(caller.stop()),
            until,
            elsewhere: match away {
                true => Some(&mut there),
                false => None,
            },
        };
        match &plan {
            Some(plan) => learn::train(plan, &folder, control),
            None => learn::resume(&folder, control),
        }
    };
    let summary = long_call(py, work, |py, message| match message {
        Message::Progress(done, of, text) => match &progress {
            Some(progress) => progress.call1(py, (done, of, text)).map(drop),
            None => Ok(()),
        },
        Message::Begin(iteration, games, answer) => {
            let games: Vec<_> = games.iter().map(|part| PyBytes::new(py, part)).collect();
            called(py, &elsewhere, "begin")?.call1((iteration, games))?;
            // Nobody waits for an answer when the work has ended meanwhile.
            let _ = answer.send(());
            Ok(())
        }
        Message::Harvests(iteration, weights, answer) => {
            let weights = PyBytes::new(py, &weights);
            let harvests = called(py, &elsewhere, "harvests")?.call1((iteration, weights))?;
            let harvests = harvests.extract::<Option<Vec<PyBackedBytes>>>()?;
            let _ = answer.send(harvests.map(copied));
            Ok(())
        }
        Message::Games(iterations, answer) => {
            let games = called(py, &elsewhere, "games")?.call1((iterations,))?;
            let _ = answer.send(copied(games.extract()?));
            Ok(())
        }
    })?
    .or_raise()?;
    let stopped = match summary.stopped {
        Stopped::Episodes => "episodes",
        Stopped::Finished => "finished",
        Stopped::Early => "early",
        Stopped::Cancelled => "cancelled",
        Stopped::Paused => "paused",
    };
    Ok(json!({
        "stopped": stopped,
        "episodes": summary.progressed.episodes,
        "plies": summary.progressed.plies,
        "seconds": summary.elapsed.as_secs_f64(),
        "bytes": summary.bytes,
    })
    .to_string())
}

/// Bytes of Python's; a list of numbers would be read one by one.
fn copied(parts: Vec<PyBackedBytes>) -> Vec<Vec<u8>> {
    parts.iter().map(|part| part.to_vec()).collect()
}

/// A method of those who play.
fn called<'py>(
    py: Python<'py>,
    elsewhere: &Option<Py<PyAny>>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let nobody = || SettingsError::new_err("nobody plays");
    let there = elsewhere.as_ref().ok_or_else(nobody)?;
    there.bind(py).getattr(name)
}

/// What a run tells about itself, for people.
fn scalars(progress: &RunProgress) -> String {
    let told = progress.scalars.iter();
    let told = told.map(|(name, value)| format!("{name} {value:.4}"));
    told.collect::<Vec<_>>().join(", ")
}
