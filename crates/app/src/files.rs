//! Files that must never be half written, and folders by XDG.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;

/// Writes a file so that it is complete or not there.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    truth::durable::write(path, [bytes]).with_context(|| format!("cannot write {}", path.display()))
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
