//! A match on disk: one line of settings, then one line per game in the order of their indices.
//!
//! The file only ever grows. A match that was interrupted is resumed by reading it back; a last
//! line that was only partly written is cut off, and its game is played again.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rules::plain_file;

use crate::GameRecord;

/// A file that records are appended to.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// A journal that is there already, and was not to be resumed.
    #[error("{} is there already; resume the match, or name another file", .0.display())]
    Exists(PathBuf),
    /// The journal of another match.
    #[error("{} belongs to another match:\n  it has  {found}\n  this is {expected}", path.display())]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// The settings in the file.
        found: String,
        /// The settings of the match.
        expected: String,
    },
    /// A line that is no record although others follow it.
    #[error("{}: line {line} is not the record of game {game}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The game that should be there.
        game: u64,
    },
}

/// Power may fail; a second of games is soon played again.
const SYNC_EVERY: Duration = Duration::from_secs(1);

impl Journal {
    /// A new journal of a match with these settings (one line of text).
    ///
    /// # Errors
    /// When the file is there already or cannot be written.
    pub fn create(path: &Path, settings: &str) -> Result<Journal, JournalError> {
        let io = |source| JournalError::Io {
            path: path.to_owned(),
            source,
        };
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(path)
            .map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => JournalError::Exists(path.to_owned()),
                _ => io(error),
            })?;
        let mut journal = Journal::over(path, file);
        journal
            .file
            .write_all(format!("{settings}\n").as_bytes())
            .and_then(|()| journal.file.sync_all())
            .map_err(io)?;
        Ok(journal)
    }

    /// Goes on with a journal, and returns the games it holds. A file that is not there, or holds
    /// less than its first line, begins anew.
    ///
    /// # Errors
    /// When it belongs to a match with other settings, is damaged before its last line, or cannot
    /// be read and written.
    pub fn resume(path: &Path, settings: &str) -> Result<(Journal, Vec<GameRecord>), JournalError> {
        let io = |source| JournalError::Io {
            path: path.to_owned(),
            source,
        };
        plain_file::may_be_used(path, plain_file::TABLE).map_err(io)?;
        let file = match OpenOptions::new().read(true).append(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((Journal::create(path, settings)?, Vec::new()));
            }
            other => other.map_err(io)?,
        };
        let mut reader = BufReader::new(&file);
        let mut records: Vec<GameRecord> = Vec::new();
        let mut good = 0; // bytes of whole lines that make sense
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(io)?;
            if line.pop() != Some(b'\n') {
                break; // the end, or half a line
            }
            if number == 1 {
                if line != settings.as_bytes() {
                    return Err(JournalError::OtherMatch {
                        path: path.to_owned(),
                        found: String::from_utf8_lossy(&line).into_owned(),
                        expected: settings.to_owned(),
                    });
                }
            } else {
                match serde_json::from_slice::<GameRecord>(&line) {
                    Ok(record) if record.index == records.len() as u64 => records.push(record),
                    // A crash of the machine can leave a last line of zeros.
                    _ if reader.fill_buf().map_err(io)?.is_empty() => break,
                    _ => {
                        return Err(JournalError::Damaged {
                            path: path.to_owned(),
                            line: number,
                            game: records.len() as u64,
                        });
                    }
                }
            }
            good += length as u64;
        }
        let mut journal = Journal::over(path, file);
        journal.file.set_len(good).map_err(io)?;
        journal.file.seek(SeekFrom::End(0)).map_err(io)?;
        if good == 0 {
            journal
                .file
                .write_all(format!("{settings}\n").as_bytes())
                .map_err(io)?;
        }
        Ok((journal, records))
    }

    fn over(path: &Path, file: File) -> Journal {
        Journal {
            path: path.to_owned(),
            file,
            synced: Instant::now(),
        }
    }

    /// Appends a game.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), JournalError> {
        let mut line = serde_json::to_string(record).expect("a record is plain data");
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .map_err(|source| self.io(source))?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes sure that everything is on the disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|source| self.io(source))
    }

    fn io(&self, source: io::Error) -> JournalError {
        JournalError::Io {
            path: self.path.clone(),
            source,
        }
    }
}
