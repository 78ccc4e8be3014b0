use std::{path::PathBuf, sync::Mutex, sync::PoisonError};

use learn::{LearnError, Plan, elsewhere::Piece};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};

use crate::{
    environments::own_pool,
    errors::{OrRaise as _, caught},
    long_call::{Caller, long_call},
    resources::Shelf,
};

/// Someone who plays the games of a run, part by part.
#[pyclass(module = "lucena._lucena")]
pub struct SelfPlay {
    // A lock, because Python wants it to be shared; nobody ever waits for it.
    inner: Mutex<learn::elsewhere::SelfPlay>,
}

#[pymethods]
impl SelfPlay {
    #[new]
    #[pyo3(signature = (plan, tables=None))]
    fn new(py: Python<'_>, plan: &str, tables: Option<PathBuf>) -> PyResult<SelfPlay> {
        own_pool()?;
        let shelf = Shelf::new(tables)?;
        let inner = py.detach(|| {
            caught(|| {
                let plan = Plan::from_text(plan)?;
                learn::elsewhere::SelfPlay::new(&plan, Some(&shelf.registry))
            })
        })?;
        Ok(SelfPlay {
            inner: Mutex::new(inner.or_raise()?),
        })
    }

    /// How many parts there are.
    #[getter]
    fn parts(&mut self) -> usize {
        self.inner().parts()
    }

    /// Must all parts of an iteration be played by the weights that it begins with?
    #[getter]
    fn is_synchronous(&mut self) -> bool {
        self.inner().is_synchronous()
    }

    /// So many parts may travel together: no object is larger than its bound.
    #[getter]
    fn room(&mut self) -> usize {
        self.inner().room()
    }

    /// Plays by these weights from now on.
    fn take_weights(&mut self, py: Python<'_>, weights: PyBackedBytes) -> PyResult<()> {
        let inner = self.inner();
        py.detach(|| caught(|| inner.take_weights(&weights)))?
            .or_raise()
    }

    /// The games of a part as they begin; in another life they are others.
    fn new_games<'py>(
        &mut self,
        py: Python<'py>,
        part: usize,
        life: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.inner();
        let games = py.detach(|| caught(|| inner.new_games(part, life)))?;
        Ok(PyBytes::new(py, &games.or_raise()?))
    }

    /// Plays an iteration's plies in the games of a part: what there is to learn from, and how the
    /// games stand now.
    fn play<'py>(
        &mut self,
        py: Python<'py>,
        part: usize,
        games: PyBackedBytes,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let inner = self.inner();
        let work = |caller: &Caller<()>| -> Result<Piece, LearnError> {
            inner.play(part, &games, caller.stop())
        };
        let piece = long_call(py, work, |_, ()| Ok(()))?.or_raise()?;
        Ok((
            PyBytes::new(py, &piece.harvest),
            PyBytes::new(py, &piece.games),
        ))
    }
}

impl SelfPlay {
    fn inner(&mut self) -> &mut learn::elsewhere::SelfPlay {
        self.inner.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
