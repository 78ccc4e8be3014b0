//! Files of a run: whole or not there.

use std::path::Path;

use crate::LearnError;

pub(crate) use truth::durable::clean;

/// Writes a file as [`truth::durable::write`] does.
///
/// # Errors
/// When the file system refuses.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), LearnError> {
    truth::durable::write(path, [bytes]).map_err(LearnError::file(path))
}
