//! Files that must never be half written, and folders by XDG.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;

/// Writes a file so that it is complete or not there: beside it, synced, then renamed.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
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
