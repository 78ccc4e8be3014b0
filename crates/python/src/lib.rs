//! The Python package `lucena`, as far as it is Rust: module `lucena._lucena`.
//!
//! Nothing is decided here. Environments, exact truth, certificates, players, matches and runs are those
//! of the library crates; this crate turns their arguments, arrays and errors into Python's and lets
//! other Python threads run while they work. What a user sees is `python/lucena`.
#![deny(missing_docs)]

mod arrays;
mod certify;
mod environment;
mod environments;
mod errors;
mod long_call;
mod matches;
mod player;
mod positions;
mod resources;
mod run;
mod self_play;
mod table;
mod train;

use pyo3::prelude::*;

/// What the package `lucena` is made of; import that instead.
#[pymodule(name = "_lucena", gil_used = true)]
mod module {
    #[pymodule_export]
    use crate::{
        certify::{Certificate, certify_function, certify_player},
        environment::Environment,
        environments::Environments,
        errors::_panic,
        matches::play_match,
        player::{Player, players},
        positions::Positions,
        resources::tables_folder,
        run::{run_info, runs},
        self_play::SelfPlay,
        table::{Table, solve},
        train::{plan, plan_of, recipe_settings, train},
    };

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let settings = learn::chess::SETTINGS.each_ref();
        module.add("SETTINGS", settings.map(|s| (s.name, s.meaning)).to_vec())
    }
}
