//! What names and texts are read with: the registry of players and the folder of exact tables.

use std::{path::PathBuf, sync::Arc};

use etcetera::BaseStrategy as _;
use learn::chess::{Resources, Setup};
use play::{PlayerSpec, Registry};
use pyo3::prelude::*;
use rules::{Board, Material};
use truth::Tablebase;

use crate::errors::{OrRaise as _, SettingsError, caught};

/// Players and tables.
pub struct Shelf {
    pub tables: Arc<Tablebase>,
    pub registry: Registry,
}

impl Shelf {
    /// With the tables of a folder; without one, those of the command line.
    pub fn new(folder: Option<PathBuf>) -> PyResult<Shelf> {
        let tables = Arc::new(Tablebase::new(&folder.map_or_else(default_folder, Ok)?));
        let mut registry = Registry::new(tables.clone());
        learn::register(&mut registry);
        Ok(Shelf { tables, registry })
    }

    /// A player by its text.
    pub fn player(&self, text: &str) -> PyResult<PlayerSpec> {
        self.registry.parse(text).or_raise()
    }

    /// What an environment is, by its settings. Tables of small endgames are solved for it where they
    /// are needed, while other Python threads go on.
    pub fn setup(&self, py: Python<'_>, settings: &[(String, String)]) -> PyResult<Setup> {
        py.detach(|| {
            caught(|| {
                let settings = settings.iter();
                let settings = settings.map(|(name, text)| (name.as_str(), text.as_str()));
                let resources = Resources {
                    registry: Some(&self.registry),
                    tables: Some(&self.tables),
                };
                Setup::read(settings, resources)
            })
        })?
        .or_raise()
    }
}

/// Where tables are kept unless another folder is named: where the command line keeps them.
#[pyfunction]
pub fn tables_folder() -> PyResult<PathBuf> {
    default_folder()
}

fn default_folder() -> PyResult<PathBuf> {
    let base = etcetera::choose_base_strategy().map_err(|error| {
        SettingsError::new_err(format!("no home folder ({error}): name a folder of tables"))
    })?;
    Ok(base.data_dir().join("lucena/tables"))
}

/// An endgame by its name.
pub fn material(name: &str) -> PyResult<Material> {
    name.parse().map_err(|error| {
        SettingsError::new_err(format!(
            "there is no endgame '{name}': {error}; expected a name such as KRK or KQvKR"
        ))
    })
}

/// A board by its size.
pub fn board(size: usize) -> PyResult<Board> {
    Board::new(size).map_err(|error| SettingsError::new_err(error.to_string()))
}
