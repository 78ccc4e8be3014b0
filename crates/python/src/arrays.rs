//! NumPy arrays of the caller's, read and written in place.

use numpy::{
    Element, PyArrayDescrMethods as _, PyArrayDyn, PyArrayMethods as _, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods as _, dtype,
};
use pyo3::prelude::*;

use crate::errors::{DtypeError, ShapeError};

/// An array that observations can be written into.
pub enum Numbers<'py> {
    Bool(PyReadwriteArrayDyn<'py, bool>),
    Int8(PyReadwriteArrayDyn<'py, i8>),
    Uint8(PyReadwriteArrayDyn<'py, u8>),
    Int16(PyReadwriteArrayDyn<'py, i16>),
    Float32(PyReadwriteArrayDyn<'py, f32>),
}

/// The names of the kinds of numbers above.
const NUMBERS: &str = "bool, int8, uint8, int16 or float32";

/// Does something with the slice of numbers, of whatever kind they are.
macro_rules! with_numbers {
    ($numbers:expr, |$slice:ident| $work:expr) => {
        match $numbers {
            $crate::arrays::Numbers::Bool(array) => {
                let $slice = $crate::arrays::slice_mut(array)?;
                $work
            }
            $crate::arrays::Numbers::Int8(array) => {
                let $slice = $crate::arrays::slice_mut(array)?;
                $work
            }
            $crate::arrays::Numbers::Uint8(array) => {
                let $slice = $crate::arrays::slice_mut(array)?;
                $work
            }
            $crate::arrays::Numbers::Int16(array) => {
                let $slice = $crate::arrays::slice_mut(array)?;
                $work
            }
            $crate::arrays::Numbers::Float32(array) => {
                let $slice = $crate::arrays::slice_mut(array)?;
                $work
            }
        }
    };
}
pub(crate) use with_numbers;

impl<'py> Numbers<'py> {
    /// An array of this shape.
    pub fn new(name: &str, array: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Numbers<'py>> {
        let kind = untyped(name, array, NUMBERS)?.dtype();
        let py = array.py();
        if kind.is_equiv_to(&dtype::<bool>(py)) {
            writable(name, array, shape).map(Numbers::Bool)
        } else if kind.is_equiv_to(&dtype::<i8>(py)) {
            writable(name, array, shape).map(Numbers::Int8)
        } else if kind.is_equiv_to(&dtype::<u8>(py)) {
            writable(name, array, shape).map(Numbers::Uint8)
        } else if kind.is_equiv_to(&dtype::<i16>(py)) {
            writable(name, array, shape).map(Numbers::Int16)
        } else if kind.is_equiv_to(&dtype::<f32>(py)) {
            writable(name, array, shape).map(Numbers::Float32)
        } else {
            Err(DtypeError::new_err(format!(
                "{name} is an array of {kind}, expected {NUMBERS}"
            )))
        }
    }
}

fn untyped<'a, 'py>(
    name: &str,
    array: &'a Bound<'py, PyAny>,
    of: &str,
) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    array.cast::<PyUntypedArray>().map_err(|_| {
        let kind = array.get_type().name().map(|name| name.to_string());
        DtypeError::new_err(format!(
            "{name} is a {}, expected a NumPy array of {of}",
            kind.unwrap_or_default()
        ))
    })
}

fn typed<'a, 'py, T: Element>(
    name: &str,
    array: &'a Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<&'a Bound<'py, PyArrayDyn<T>>> {
    let expected = dtype::<T>(array.py());
    let any = untyped(name, array, &expected.to_string())?;
    let array = array.cast::<PyArrayDyn<T>>().map_err(|_| {
        DtypeError::new_err(format!(
            "{name} is an array of {}, expected {expected}",
            any.dtype()
        ))
    })?;
    if array.shape() != shape {
        return Err(ShapeError::new_err(format!(
            "{name} has the shape {:?}, expected {shape:?}",
            array.shape()
        )));
    }
    if !array.is_c_contiguous() {
        return Err(ShapeError::new_err(format!(
            "{name} is not contiguous, expected an array in C order"
        )));
    }
    Ok(array)
}

/// An array of this shape, to be written.
pub fn writable<'py, T: Element>(
    name: &str,
    array: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let array = typed::<T>(name, array, shape)?;
    array
        .try_readwrite()
        .map_err(|error| ShapeError::new_err(format!("{name} cannot be written to: {error}")))
}

/// An array of this shape, to be read.
pub fn readable<'py, T: Element>(
    name: &str,
    array: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let array = typed::<T>(name, array, shape)?;
    array
        .try_readonly()
        .map_err(|error| ShapeError::new_err(format!("{name} cannot be read: {error}")))
}

/// The elements, in C order.
pub fn slice_mut<'a, T: Element>(
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
) -> PyResult<&'a mut [T]> {
    array
        .as_slice_mut()
        .map_err(|error| ShapeError::new_err(error.to_string()))
}

/// The elements, in C order.
pub fn slice<'a, T: Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    array
        .as_slice()
        .map_err(|error| ShapeError::new_err(error.to_string()))
}
