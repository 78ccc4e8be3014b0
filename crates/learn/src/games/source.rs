//! Files to read games from, packed or not.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use rules::plain_file;

use super::{GamesError, SourceInfo};

/// A file to read, or one member of an archive.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    packing: Packing,
    pub info: SourceInfo,
    /// Bytes on the disk that are read with it.
    pub bytes_read: u64,
}

#[derive(Clone, Copy, Debug)]
enum Packing {
    Plain,
    Zstd,
    Gzip,
    Bzip2,
    /// A member of an archive, by its number.
    Zip(usize),
}

/// How far the reading has come, and whether it is to stop.
pub(super) struct Watch<'a> {
    pub bytes: &'a AtomicU64,
    pub stop: &'a AtomicBool,
}

/// So much of a file is looked at to know it again.
const LOOKED_AT: usize = 1 << 16;

impl Source {
    /// What a file has to read: itself or, when it is an archive, its PGN files (all files, when none
    /// has that ending). How it is packed is told from its first bytes.
    ///
    /// # Errors
    /// When it cannot be read, or is an archive without a table of contents.
    pub fn open(path: &Path) -> Result<Vec<Source>, GamesError> {
        let refuse = |error| GamesError::File {
            path: path.to_owned(),
            error,
        };
        let file = plain_file::open(path, plain_file::STREAM).map_err(refuse)?;
        let metadata = file.metadata().map_err(refuse)?;
        let mut first = Vec::new();
        (&file)
            .take(LOOKED_AT as u64)
            .read_to_end(&mut first)
            .map_err(refuse)?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        let info = SourceInfo {
            name: name.to_string_lossy().into_owned(),
            bytes: metadata.len(),
            checksum: crc32fast::hash(&first),
        };
        let packing = match &first[..] {
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Bzip2,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => {
                return members(path, file, &info);
            }
            _ => Packing::Plain,
        };
        Ok(vec![Source {
            path: path.to_owned(),
            packing,
            bytes_read: info.bytes,
            info,
        }])
    }

    /// Lets `work` read its text from byte `from` on.
    ///
    /// # Errors
    /// When it cannot be opened or does not reach so far.
    pub fn read(
        &self,
        from: u64,
        watch: &Watch<'_>,
        work: &mut dyn FnMut(&mut dyn Read),
    ) -> io::Result<()> {
        let file = Watched {
            file: plain_file::open(&self.path, plain_file::STREAM)?,
            watch,
        };
        let mut from_there = |mut text: &mut dyn Read| {
            if from > 0 {
                let skipped = io::copy(&mut (&mut text).take(from), &mut io::sink())?;
                if skipped < from {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            work(text);
            Ok(())
        };
        match self.packing {
            Packing::Plain => {
                let mut file = file;
                file.file.seek(SeekFrom::Start(from))?;
                watch.bytes.fetch_add(from, Ordering::Relaxed);
                work(&mut file);
                Ok(())
            }
            Packing::Zstd => from_there(&mut zstd::Decoder::new(file)?),
            Packing::Gzip => from_there(&mut flate2::bufread::MultiGzDecoder::new(BufReader::new(
                file,
            ))),
            Packing::Bzip2 => from_there(&mut bzip2::bufread::MultiBzDecoder::new(BufReader::new(
                file,
            ))),
            Packing::Zip(member) => {
                let mut archive = zip::ZipArchive::new(BufReader::new(file))?;
                from_there(&mut archive.by_index(member)?)
            }
        }
    }
}

fn members(path: &Path, file: File, info: &SourceInfo) -> Result<Vec<Source>, GamesError> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file))
        .map_err(|error| GamesError::file(path)(error.into()))?;
    let is_pgn = |name: &str| name.to_lowercase().ends_with(".pgn");
    let mut files = Vec::new();
    for i in 0..archive.len() {
        let member = archive
            .by_index_raw(i)
            .map_err(|error| GamesError::file(path)(error.into()))?;
        if member.is_file() {
            files.push((i, member.name().to_owned(), member.compressed_size()));
        }
    }
    let any_pgn = files.iter().any(|(_, name, _)| is_pgn(name));
    Ok(files
        .into_iter()
        .filter(|(_, name, _)| !any_pgn || is_pgn(name))
        .map(|(member, name, bytes_read)| Source {
            path: path.to_owned(),
            packing: Packing::Zip(member),
            bytes_read,
            info: SourceInfo {
                name: format!("{}/{}", info.name, name.replace(char::is_control, " ")),
                ..info.clone()
            },
        })
        .collect())
}

/// A file that counts what is read from it, and fails when it is to stop.
struct Watched<'a> {
    file: File,
    watch: &'a Watch<'a>,
}

impl Read for Watched<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.watch.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        let read = self.file.read(out)?;
        self.watch.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
