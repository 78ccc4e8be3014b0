//! Files that must never be half written, and folders by XDG.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;

/// Writes a file so that it is complete or not there.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    truth::durable::write(path, [bytes]).with_context(|| format!("cannot write {}", path.display()))
}

/// Is a file's name that of stdout?
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The same, where `-` is stdout.
pub fn write_or_print(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    match is_stdout(path) {
        true => Ok(std::io::stdout().lock().write_all(bytes)?),
        false => write_atomically(path, bytes),
    }
}

/// Where unfinished work is kept.
pub fn state_folder() -> anyhow::Result<PathBuf> {
    let base = etcetera::choose_base_strategy().context("no home folder: set XDG_STATE_HOME")?;
    // Systems without a folder for state keep it with the data.
    Ok(base
        .state_dir()
        .unwrap_or_else(|| base.data_dir())
        .join("lucena"))
}
