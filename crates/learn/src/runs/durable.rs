//! Files that are whole or not there.

use std::{fs, io::Write as _, path::Path};

use crate::LearnError;

/// Writes a file so that whoever looks sees the old one or the new one, never a part: into a
/// temporary file beside it, down to the disk, and then under its name.
///
/// # Errors
/// When the file system refuses.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), LearnError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let attempt = || {
        let mut file = tempfile::Builder::new()
            .prefix(".writing-")
            .tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        // The name is on disk only when the folder is.
        fs::File::open(folder)?.sync_all()
    };
    attempt().map_err(LearnError::file(path))
}

/// Removes what a killed writer has left behind in a folder.
pub(crate) fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(".writing-") {
            // A leftover that cannot be removed only wastes space.
            let _ = fs::remove_file(entry.path());
        }
    }
}
