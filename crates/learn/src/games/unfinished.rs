//! A file of games that is still growing.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    GamesError, Origin, Report, Summary,
    block::{Block, SourceEnd},
    blocks::{Blocks, map},
    duplicates::{Duplicates, write_without},
    file::{end, head, read_head},
};

/// Power may fail; a few seconds of reading are soon done again.
const SYNC_EVERY: Duration = Duration::from_secs(2);

/// A file of games that is still growing, beside the place where it belongs when it is whole.
pub(super) struct Unfinished {
    path: PathBuf,
    file: File,
    origin: Origin,
    /// Where the first block begins.
    begin: usize,
    report: Report,
    /// Where the last block ended, if there is one.
    last: Option<SourceEnd>,
    /// Games and lines read before the source at hand.
    before_source: (u64, u64),
    synced: Instant,
}

impl Unfinished {
    /// Goes on with what was begun, or begins.
    ///
    /// # Errors
    /// When another import was begun there, another program is at it, or the file system refuses.
    pub fn open(out: &Path, origin: &Origin, anew: bool) -> Result<Unfinished, GamesError> {
        let mut name = OsString::from(out.as_os_str());
        name.push(".part");
        let path = PathBuf::from(name);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(GamesError::file(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(GamesError::Busy(path)),
            Err(TryLockError::Error(error)) => return Err(GamesError::file(path)(error)),
        }
        let head = head(origin);
        let mut unfinished = Unfinished {
            begin: head.len(),
            origin: origin.clone(),
            report: Report::default(),
            last: None,
            before_source: (0, 0),
            synced: Instant::now(),
            file: file.try_clone().map_err(GamesError::file(&path))?,
            path,
        };
        let good = if anew {
            None
        } else {
            unfinished.look_through(origin)?
        };
        let path = &unfinished.path;
        file.set_len(good.unwrap_or(0))
            .map_err(GamesError::file(path))?;
        file.seek(SeekFrom::End(0))
            .map_err(GamesError::file(path))?;
        if good.is_none() {
            file.write_all(&head).map_err(GamesError::file(path))?;
        }
        Ok(unfinished)
    }

    /// How much of the file is good: nothing when there is not even a head.
    fn look_through(&mut self, origin: &Origin) -> Result<Option<u64>, GamesError> {
        let length = self
            .file
            .metadata()
            .map_err(GamesError::file(&self.path))?
            .len();
        if length == 0 {
            return Ok(None);
        }
        let map = map(&self.path)?;
        let (found, begin) = match read_head(&map) {
            Some(head) => head,
            // Half a head, that of an import which was interrupted as soon as it began.
            None if head(origin).starts_with(&map) => return Ok(None),
            None => return Err(GamesError::OtherImport(self.path.clone())),
        };
        if found != *origin {
            return Err(GamesError::OtherImport(self.path.clone()));
        }
        let blocks = Blocks::new(map, begin);
        let mut good = begin;
        for place in &blocks.places {
            let block = blocks.block(place);
            if !blocks.is_sound(place) || !self.count(&block) {
                break;
            }
            good = place.at + place.length;
        }
        Ok(Some(good as u64))
    }

    /// Where to go on reading: the source, and the byte of its text.
    pub fn go_on_at(&self) -> (usize, u64) {
        match self.last {
            None => (0, 0),
            Some(end) if end.last => (end.source as usize + 1, 0),
            Some(end) => (end.source as usize, end.bytes),
        }
    }

    /// Games read so far.
    pub fn games_read(&self) -> u64 {
        self.report.read
    }

    /// Appends a block.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), GamesError> {
        let block = Block::new(bytes).expect("it was just made");
        self.count(&block);
        self.file
            .write_all(bytes)
            .map_err(GamesError::file(&self.path))?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes sure that everything is on the disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn sync(&mut self) -> Result<(), GamesError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(GamesError::file(&self.path))
    }

    /// Takes down what a block says was read; `false` when it says nothing sensible.
    fn count(&mut self, block: &Block<'_>) -> bool {
        let end = block.end();
        let name = self.origin.sources.get(end.source as usize);
        let (Some(source), Some(report)) = (name, block.report()) else {
            return false;
        };
        if self.last.is_none_or(|last| last.source != end.source) {
            self.before_source = (self.report.read, self.report.lines);
        }
        let before = (
            self.report.read - self.before_source.0,
            self.report.lines - self.before_source.1,
        );
        self.report.absorb(report, &source.name, before);
        self.last = Some(end);
        true
    }

    /// Everything has been read: counts the games that are there twice, drops them if that is
    /// wanted, and puts the file in its place.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn finish(mut self, out: &Path) -> Result<Summary, GamesError> {
        let blocks = Blocks::new(map(&self.path)?, self.begin);
        let duplicates = Duplicates::find(&blocks);
        let mut summary = Summary {
            games: self.report.kept,
            positions: self.report.positions,
            duplicates: duplicates.games(),
            report: self.report.clone(),
        };
        let dropped = self.origin.drop_duplicates && duplicates.games() > 0;
        if dropped {
            summary.games -= duplicates.games();
            summary.positions -= duplicates.positions();
            write_without(
                &duplicates,
                &blocks,
                &head(&self.origin),
                &end(&summary),
                out,
            )?;
            fs::remove_file(&self.path).map_err(GamesError::file(&self.path))?;
        } else {
            self.file
                .write_all(&end(&summary))
                .and_then(|()| self.file.sync_all())
                .and_then(|()| fs::rename(&self.path, out))
                .and_then(|()| truth::durable::sync_folder_of(out))
                .map_err(GamesError::file(&self.path))?;
        }
        Ok(summary)
    }
}
