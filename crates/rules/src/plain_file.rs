//! Files that somebody names. A name may stand for a device that never ends, a pipe that nobody
//! writes to, or more bytes than there is memory: only regular files of a sensible size are read.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _},
    path::Path,
};

/// The most that a text or a file of weights may have: lists of positions are the longest of them.
pub const TEXT: u64 = 256 << 20;
/// The most that a table of a whole endgame, a checkpoint or a journal may have.
pub const TABLE: u64 = 16 << 30;

/// The most that a file may have which is read piece by piece, such as one of games.
pub const STREAM: u64 = 1 << 40;

/// Opens a regular file of at most `most` bytes.
///
/// # Errors
/// When it is something else, larger, or cannot be opened.
pub fn open(path: &Path, most: u64) -> io::Result<File> {
    // Opening a pipe waits for its other end, so one looks first; and again at what was opened,
    // because the name may stand for something else by then.
    check(&fs::metadata(path)?, most)?;
    let file = File::open(path)?;
    check(&file.metadata()?, most)?;
    Ok(file)
}

/// Reads all of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`], and when it cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path, most)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    let room = usize::try_from(size).map_err(io::Error::other)?;
    bytes.try_reserve_exact(room).map_err(io::Error::other)?;
    // It may grow while it is read, and some files of the system tell no size at all.
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large(most)),
        false => Ok(bytes),
    }
}

/// The same for a text.
///
/// # Errors
/// As [`read`], and when it is no text.
pub fn read_to_string(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not a text in UTF-8"))
}

/// Refuses what is there and is not a regular file of at most `most` bytes. What is not there may
/// still be made.
///
/// # Errors
/// When it is something else, larger, or cannot be looked at.
pub fn may_be_used(path: &Path, most: u64) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) => check(&found, most),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn check(found: &Metadata, most: u64) -> io::Result<()> {
    if !found.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    match found.len() > most {
        true => Err(too_large(most)),
        false => Ok(()),
    }
}

fn too_large(most: u64) -> io::Error {
    let most = match most >> 20 {
        0 => format!("{most} bytes"),
        mebibytes => format!("{mebibytes} MiB"),
    };
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("the file is too large: at most {most} are read here"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "abcd").unwrap();
        assert_eq!(read(&file, 4).unwrap(), b"abcd");
        assert_eq!(read_to_string(&file, 4).unwrap(), "abcd");
        let error = read(&file, 3).unwrap_err();
        assert!(error.to_string().contains("at most 3 bytes"), "{error}");
        let error = open(folder.path(), 9).unwrap_err();
        assert!(error.to_string().contains("regular file"), "{error}");
        assert!(may_be_used(folder.path(), 9).is_err());
        assert!(may_be_used(&folder.path().join("nothing"), 9).is_ok());
        assert_eq!(
            read(&folder.path().join("nothing"), 9).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn neither_devices_nor_pipes_are_opened() {
        for device in ["/dev/zero", "/dev/random", "/dev/tty"] {
            let error = read(Path::new(device), 1 << 40).unwrap_err();
            assert_ne!(
                error.kind(),
                io::ErrorKind::OutOfMemory,
                "{device}: {error}"
            );
        }
        // Some files of the system say that they are empty, and are not.
        assert!(read(Path::new("/proc/self/maps"), 10).is_err());
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let error = open(&pipe, 10).unwrap_err();
        assert!(error.to_string().contains("regular file"), "{error}");
    }
}
