//! Files that are whole or not there. Every file that a user keeps is written here.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

/// How the names of unfinished files begin.
const UNFINISHED: &str = ".writing-";

/// Writes a file, part after part, so that whoever looks sees the old one or the new one, never a piece:
/// into a temporary file beside it, down to the disk, and then under its name.
///
/// Whoever the umask allows may read it.
///
/// # Errors
/// When the file system refuses; then the old file is as it was.
pub fn write<P: AsRef<[u8]>>(path: &Path, parts: impl IntoIterator<Item = P>) -> io::Result<()> {
    write_with(path, |file| {
        let mut parts = parts.into_iter();
        parts.try_for_each(|part| file.write_all(part.as_ref()))
    })
}

/// The same for a file that `fill` writes, which may fail in ways of its own.
///
/// # Errors
/// When `fill` fails or the file system refuses; then the old file is as it was.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // A temporary file is private unless something else is asked for.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder_of(path)).map_err(without_path)?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder_of(path)
}

/// Makes sure that a file's name is on the disk: it is only when the folder is.
///
/// # Errors
/// When the file system refuses.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Elsewhere a folder cannot be opened like a file.
    if cfg!(unix) {
        File::open(folder_of(path))?.sync_all()?;
    }
    Ok(())
}

/// The error without the name of the temporary file, which would puzzle whoever has named another one.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((why, _)) => io::Error::new(error.kind(), why.to_owned()),
        None => error,
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Removes what a killed writer has left behind in a folder.
pub fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // A leftover that cannot be removed only wastes space.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names.map(|name| name.to_string_lossy().into()).collect()
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        write(&path, ["one"]).expect("written");
        write(&path, ["tw", "o"]).expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"two");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn what_cannot_be_written_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::create_dir(&path).expect("a folder where the file should be");
        assert!(write(&path, ["new"]).is_err());
        assert_eq!(names(folder.path()), ["file"]);
        let other = folder.path().join("other");
        write(&other, ["old"]).expect("written");
        let fails = |file: &mut File| {
            file.write_all(b"new")?;
            Err(io::Error::other("no more"))
        };
        assert!(write_with(&other, fails).is_err());
        assert_eq!(fs::read(&other).expect("read"), b"old");
        fs::remove_file(&other).expect("removed");
        assert_eq!(names(folder.path()), ["file"]);
        assert!(write(&folder.path().join("no/such/folder"), ["new"]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn it_is_as_readable_as_any_other_new_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, other) = (folder.path().join("ours"), folder.path().join("other"));
        write(&ours, ["one"]).expect("written");
        fs::write(&other, "one").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode();
        assert_eq!(mode(&ours), mode(&other));
    }

    #[test]
    fn leftovers_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [".writing-a1b2", ".hidden", "file"] {
            fs::write(folder.path().join(name), "text").expect("written");
        }
        clean(folder.path());
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, [".hidden", "file"]);
        clean(&folder.path().join("none"));
    }
}
