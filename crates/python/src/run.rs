use std::path::{Path, PathBuf};

use learn::RunInfo;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::{OrRaise as _, RunError};

/// The run in a folder, as JSON.
#[pyfunction]
pub fn run_info(folder: PathBuf) -> PyResult<String> {
    let run = learn::info(&folder).or_raise()?;
    Ok(described(&run)?.to_string())
}

/// The runs in the folders below one, as JSON.
#[pyfunction]
pub fn runs(folder: PathBuf) -> PyResult<String> {
    if !Path::new(&folder).is_dir() {
        let folder = folder.display();
        return Err(RunError::new_err(format!("{folder} is not a folder")));
    }
    let runs = learn::list(&folder);
    let runs: Vec<Value> = runs.iter().map(described).collect::<PyResult<_>>()?;
    Ok(Value::from(runs).to_string())
}

fn described(run: &RunInfo) -> PyResult<Value> {
    let metrics = run.progressed.as_ref().map(|p| p.metrics.clone());
    let metrics = metrics.unwrap_or_default();
    let curve: serde_json::Map<String, Value> = metrics
        .names()
        .iter()
        .map(|name| (name.clone(), json!(metrics.series(name))))
        .collect();
    let plan = serde_json::to_value(&run.plan).map_err(|e| RunError::new_err(e.to_string()))?;
    Ok(json!({
        "folder": run.folder,
        "plan": plan,
        "episodes": run.progressed.as_ref().map(|p| p.episodes),
        "finished": run.progressed.as_ref().is_some_and(|p| p.finished),
        "curve": curve,
    }))
}
