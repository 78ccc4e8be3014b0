//! What goes wrong, as the exceptions of `lucena.errors`.

use std::{any::Any, panic};

use learn::{LearnError, chess::ChessError};
use play::{MatchError, PlayerError as NoChoice, SpecError};
use pyo3::{exceptions::PyTypeError, prelude::*};
use rules::FenError;
use truth::{CertifyError, SolveError};

pyo3::import_exception!(lucena.errors, CertificationError);
pyo3::import_exception!(lucena.errors, DtypeError);
pyo3::import_exception!(lucena.errors, GameOverError);
pyo3::import_exception!(lucena.errors, IllegalActionError);
pyo3::import_exception!(lucena.errors, InternalError);
pyo3::import_exception!(lucena.errors, PlayerError);
pyo3::import_exception!(lucena.errors, PositionError);
pyo3::import_exception!(lucena.errors, RunError);
pyo3::import_exception!(lucena.errors, SettingsError);
pyo3::import_exception!(lucena.errors, ShapeError);
pyo3::import_exception!(lucena.errors, TableError);

/// An error of a library crate that Python has an exception for.
pub trait Raise {
    /// The exception.
    fn raise(self) -> PyErr;
}

/// `?` for errors of the library crates.
pub trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(Raise::raise)
    }
}

impl Raise for ChessError {
    fn raise(self) -> PyErr {
        let text = self.to_string();
        let mut kind = &self;
        while let ChessError::At { source, .. } = kind {
            kind = source;
        }
        match kind {
            ChessError::IllegalAction { .. } => IllegalActionError::new_err(text),
            ChessError::Over { .. } => GameOverError::new_err(text),
            ChessError::Length { .. } => ShapeError::new_err(text),
            ChessError::Opponent(_) => PlayerError::new_err(text),
            ChessError::Fen(_) => PositionError::new_err(text),
            _ => SettingsError::new_err(text),
        }
    }
}

impl Raise for SpecError {
    fn raise(self) -> PyErr {
        SettingsError::new_err(self.to_string())
    }
}

impl Raise for FenError {
    fn raise(self) -> PyErr {
        PositionError::new_err(self.to_string())
    }
}

impl Raise for NoChoice {
    fn raise(self) -> PyErr {
        PlayerError::new_err(self.to_string())
    }
}

impl Raise for MatchError {
    fn raise(self) -> PyErr {
        PlayerError::new_err(self.to_string())
    }
}

impl Raise for SolveError {
    fn raise(self) -> PyErr {
        match self {
            SolveError::Men { .. } | SolveError::Pawns { .. } => {
                SettingsError::new_err(self.to_string())
            }
            _ => TableError::new_err(self.to_string()),
        }
    }
}

impl Raise for truth::TableError {
    fn raise(self) -> PyErr {
        TableError::new_err(self.to_string())
    }
}

impl Raise for CertifyError {
    fn raise(self) -> PyErr {
        match self {
            CertifyError::Solve(error) => error.raise(),
            CertifyError::NothingToWin(_) => SettingsError::new_err(self.to_string()),
            _ => CertificationError::new_err(self.to_string()),
        }
    }
}

impl Raise for LearnError {
    fn raise(self) -> PyErr {
        RunError::new_err(self.to_string())
    }
}

/// Does `work`; a panic becomes an exception that Python code can catch like any other.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    panic::catch_unwind(panic::AssertUnwindSafe(work)).map_err(|panic| internal(&*panic))
}

/// The exception of a panic.
pub fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let why = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "of an unknown kind".to_owned());
    InternalError::new_err(format!(
        "an error inside Lucena: {why}. Please report how it came about; objects that took part \
         should not be used any more"
    ))
}

/// Panics, so that the tests can see what comes of it.
#[pyfunction]
pub fn _panic(py: Python<'_>, why: &str) -> PyResult<()> {
    py.detach(|| caught(|| panic!("{why}")))
}

/// A whole number where NumPy's count, too; everything else is refused by what it is.
pub fn whole_number(value: &Bound<'_, PyAny>, what: &str) -> PyResult<i64> {
    value.extract().map_err(|_| {
        let kind = value.get_type().name().map(|name| name.to_string());
        PyTypeError::new_err(format!(
            "{what} is {} of type {}, expected a whole number",
            value
                .repr()
                .map(|repr| repr.to_string())
                .unwrap_or_default(),
            kind.unwrap_or_default()
        ))
    })
}
