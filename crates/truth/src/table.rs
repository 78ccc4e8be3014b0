//! A solved signature on disk. The format is described in `docs/table-format.md`.

use std::{
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use memmap2::Mmap;
use rayon::prelude::*;
use rules::{Board, Color, Material, Square, plain_file};

use crate::{
    durable,
    layout::{Layout, Squares},
    solved::Solved,
    statistics::{SideStatistics, Statistics},
    verdict::Verdict,
};

const MAGIC: [u8; 8] = *b"LUCENADM";
const VERSION: u16 = 1;
/// Uncompressed bytes in a block. Large enough to compress well, small enough that a cold probe
/// takes microseconds.
const BLOCK: usize = 32 * 1024;
/// zstd's effort. Higher levels gain little here and dominate the time to save.
const LEVEL: i32 = 7;
/// Everything before the index of blocks.
const FIXED: usize = 8 + 2 + 1 + 1 + 16 + 4 + 4 + 2 * 256 * 8;

/// A table file that cannot be used, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct TableError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: Problem,
}

/// What can be wrong with a table file.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not begin like a table.
    #[error("not a Lucena table")]
    Foreign,
    /// A table of another version of the format.
    #[error(
        "table format {found}, this program reads format {VERSION}; solve the signature again with --force"
    )]
    Version {
        /// The version in the file.
        found: u16,
    },
    /// The table of another signature or board.
    #[error("holds {found}, not {expected}")]
    Other {
        /// What it holds.
        found: String,
        /// What its name promises.
        expected: String,
    },
    /// Its end is missing, or something follows it.
    #[error(
        "truncated or extended: {found} bytes instead of {expected}; solve the signature again with --force"
    )]
    Length {
        /// The size of the file.
        found: u64,
        /// The size its header promises.
        expected: u64,
    },
    /// Contents and checksum differ.
    #[error("damaged ({part} fails its checksum); solve the signature again with --force")]
    Damaged {
        /// The part that is damaged.
        part: String,
    },
}

/// A table file, mapped into memory; blocks are unpacked when first asked for.
///
/// Unpacked blocks stay in memory, so a table takes at most its uncompressed size: one byte a
/// numbered position and side to move.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    layout: Layout,
    statistics: Statistics,
    map: Mmap,
    /// Where each block begins in the file, and where the last one ends.
    offsets: Vec<usize>,
    blocks: Vec<OnceLock<Box<[u8]>>>,
}

/// The file name of a signature's table.
pub(crate) fn file_name(material: Material, board: Board) -> String {
    if board.is_standard() {
        format!("{material}.lucena")
    } else {
        format!("{material}-{0}x{0}.lucena", board.size())
    }
}

impl Table {
    /// Opens a table and checks all of it: a file that opens can be trusted.
    ///
    /// # Errors
    /// When the file is missing, foreign, truncated or damaged.
    pub fn open(path: &Path) -> Result<Table, TableError> {
        open(path).map_err(|problem| TableError {
            path: path.to_owned(),
            problem,
        })
    }

    /// Opens the table of one signature in a folder, refusing a renamed one.
    pub(crate) fn open_in(
        folder: &Path,
        material: Material,
        board: Board,
    ) -> Result<Table, TableError> {
        let path = folder.join(file_name(material, board));
        let table = Table::open(&path)?;
        if (table.material(), table.board()) != (material, board) {
            let found = format!("{} on {}", table.material(), table.board());
            let expected = format!("{material} on {board}");
            return Err(TableError {
                path,
                problem: Problem::Other { found, expected },
            });
        }
        Ok(table)
    }

    /// Writes a solved signature into a folder and returns the size of the file.
    ///
    /// The file appears under its name only once it is complete and on disk.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn save(solved: &Solved, folder: &Path) -> Result<u64, TableError> {
        let path = folder.join(file_name(solved.material(), solved.board()));
        write(solved, folder, &path).map_err(|error| TableError {
            path,
            problem: Problem::Io(error),
        })
    }

    /// The signature.
    pub fn material(&self) -> Material {
        self.layout.material
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.layout.board
    }

    /// The counts over the full board.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The byte of a legal position.
    ///
    /// # Errors
    /// When the file was changed after it was opened.
    #[inline]
    pub(crate) fn byte(
        &self,
        turn: Color,
        squares: &Squares,
        king: Square,
    ) -> Result<u8, TableError> {
        let (word, symmetry) = self.layout.locate(squares);
        let side = turn.fold_wb(0, self.layout.words * 64);
        let place = side + word * 64 + usize::from(self.layout.image(symmetry, king));
        let block = place / BLOCK;
        let bytes = match self.blocks[block].get() {
            Some(bytes) => bytes,
            None => {
                let bytes = self.unpack(block)?;
                self.blocks[block].get_or_init(|| bytes)
            }
        };
        Ok(bytes[place % BLOCK])
    }

    fn unpack(&self, block: usize) -> Result<Box<[u8]>, TableError> {
        let damaged = || TableError {
            path: self.path.clone(),
            problem: Problem::Damaged {
                part: format!("block {block}"),
            },
        };
        let size = (self.layout.words * 128 - block * BLOCK).min(BLOCK);
        let packed = self.map.get(self.offsets[block]..self.offsets[block + 1]);
        let bytes = zstd::bulk::decompress(packed.ok_or_else(damaged)?, size);
        bytes
            .ok()
            .filter(|b| b.len() == size)
            .map(Vec::into_boxed_slice)
            .ok_or_else(damaged)
    }

    /// Reads the whole table into memory.
    ///
    /// # Errors
    /// When the file was changed after it was opened.
    pub fn load(&self) -> Result<Solved, TableError> {
        let blocks: Vec<Box<[u8]>> = (0..self.blocks.len())
            .into_par_iter()
            .map(|i| self.unpack(i))
            .collect::<Result<_, _>>()?;
        let mut white = blocks.concat();
        drop(blocks);
        let layout = self.layout.clone();
        let mut black = white.split_off(layout.words * 64);
        // The file holds anything where the position is illegal; in memory that reads as a draw.
        white
            .par_chunks_mut(64)
            .zip(black.par_chunks_mut(64))
            .enumerate()
            .for_each(|(word, (white, black))| {
                let squares = layout.squares(word);
                let legal = layout.occupied(&squares).map_or([0, 0], |o| {
                    [
                        layout.legal_white(&squares, o).0,
                        layout.legal_black(&squares, o).0,
                    ]
                });
                for (bytes, legal) in [white, black].into_iter().zip(legal) {
                    for (i, byte) in bytes.iter_mut().enumerate() {
                        if legal >> i & 1 == 0 {
                            *byte = Verdict::DRAW_BYTE;
                        }
                    }
                }
            });
        Ok(Solved {
            layout,
            white,
            black,
            statistics: self.statistics.clone(),
        })
    }
}

fn write(solved: &Solved, folder: &Path, path: &Path) -> io::Result<u64> {
    std::fs::create_dir_all(folder)?;
    let layout = &solved.layout;
    let total = layout.words * 128;
    let blocks = total.div_ceil(BLOCK);
    let packed: Vec<Vec<u8>> = (0..blocks)
        .into_par_iter()
        .map(|block| {
            let range = block * BLOCK..((block + 1) * BLOCK).min(total);
            zstd::bulk::compress(&smoothed(solved, range), LEVEL)
        })
        .collect::<io::Result<_>>()?;

    let mut head = Vec::with_capacity(FIXED + blocks * 12 + 16);
    head.extend(MAGIC);
    head.extend(VERSION.to_le_bytes());
    head.push(layout.board.size() as u8);
    head.push(layout.material.men() as u8);
    let mut name = layout.material.to_string().into_bytes();
    name.resize(16, 0);
    head.extend(name);
    head.extend((BLOCK as u32).to_le_bytes());
    head.extend((blocks as u32).to_le_bytes());
    for side in [
        &solved.statistics.white_to_move,
        &solved.statistics.black_to_move,
    ] {
        side.bytes()
            .iter()
            .for_each(|n| head.extend(n.to_le_bytes()));
    }
    let mut offset = FIXED + blocks * 12 + 8 + 4;
    for block in &packed {
        head.extend((offset as u64).to_le_bytes());
        head.extend(crc32fast::hash(block).to_le_bytes());
        offset += block.len();
    }
    head.extend((offset as u64).to_le_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());

    let parts = std::iter::once(&head).chain(&packed);
    durable::write(path, parts)?;
    Ok(offset as u64)
}

/// A stretch of the table with illegal positions set to the byte before them, which compresses
/// far better than a mark of their own.
fn smoothed(solved: &Solved, range: std::ops::Range<usize>) -> Vec<u8> {
    let layout = &solved.layout;
    let half = layout.words * 64;
    let mut last = Verdict::DRAW_BYTE;
    let mut bytes = Vec::with_capacity(range.len());
    for start in range.step_by(64) {
        let white = start < half;
        let word = (start % half) / 64;
        let squares = layout.squares(word);
        let legal = layout.occupied(&squares).map_or(0, |occupied| {
            if white {
                layout.legal_white(&squares, occupied).0
            } else {
                layout.legal_black(&squares, occupied).0
            }
        });
        let values = if white { &solved.white } else { &solved.black };
        for (i, &byte) in values[word * 64..][..64].iter().enumerate() {
            if legal >> i & 1 == 1 {
                last = byte;
            }
            bytes.push(last);
        }
    }
    bytes
}

fn open(path: &Path) -> Result<Table, Problem> {
    let file = plain_file::open(path, plain_file::TABLE)?;
    // SAFETY: the map is read-only and tables are replaced by renaming, never written in place.
    // A file that somebody else truncates while it is mapped is beyond what a program can guard.
    let map = unsafe { Mmap::map(&file)? };
    if map.len() < MAGIC.len() || map[..MAGIC.len()] != MAGIC {
        return Err(Problem::Foreign);
    }
    let short = |expected: usize| Problem::Length {
        found: map.len() as u64,
        expected: expected as u64,
    };
    if map.len() < FIXED {
        return Err(short(FIXED));
    }
    let mut reader = Reader {
        bytes: &map,
        at: MAGIC.len(),
    };
    let version = u16::from_le_bytes(reader.take());
    if version != VERSION {
        return Err(Problem::Version { found: version });
    }
    let [size] = reader.take();
    let [_men] = reader.take();
    let name: [u8; 16] = reader.take();
    let block = u32::from_le_bytes(reader.take()) as usize;
    let blocks = u32::from_le_bytes(reader.take()) as usize;
    let head = FIXED + blocks * 12 + 8;
    if map.len() < head + 4 {
        return Err(short(head + 4));
    }
    let damaged = |part: &str| Problem::Damaged {
        part: part.to_owned(),
    };
    let stored = u32::from_le_bytes(
        Reader {
            bytes: &map,
            at: head,
        }
        .take(),
    );
    if crc32fast::hash(&map[..head]) != stored {
        return Err(damaged("the header"));
    }
    // From here on the header is what some writer of this version wrote; it could still be nonsense.
    let name = name.split(|&b| b == 0).next().unwrap_or_default();
    let material: Option<Material> = std::str::from_utf8(name).ok().and_then(|n| n.parse().ok());
    let board = Board::new(size.into()).map_err(|_| damaged("the board size"))?;
    let material = material
        .filter(|&m| m == m.canonical() && crate::solver::check(m, board).is_ok())
        .ok_or_else(|| damaged("the signature"))?;
    let layout = Layout::new(material, board);
    if block != BLOCK || blocks != (layout.words * 128).div_ceil(BLOCK) {
        return Err(damaged("the number of blocks"));
    }
    let mut side = || {
        SideStatistics::from_bytes(
            (0..256)
                .map(|_| u64::from_le_bytes(reader.take()))
                .collect(),
        )
    };
    let statistics = Statistics {
        white_to_move: side(),
        black_to_move: side(),
    };
    let mut offsets = Vec::with_capacity(blocks + 1);
    let mut checksums = Vec::with_capacity(blocks);
    for _ in 0..blocks {
        offsets.push(u64::from_le_bytes(reader.take()) as usize);
        checksums.push(u32::from_le_bytes(reader.take()));
    }
    offsets.push(u64::from_le_bytes(reader.take()) as usize);
    if offsets[0] != head + 4 || !offsets.is_sorted() {
        return Err(damaged("the index of blocks"));
    }
    if map.len() != offsets[blocks] {
        return Err(short(offsets[blocks]));
    }
    for (i, checksum) in checksums.into_iter().enumerate() {
        if crc32fast::hash(&map[offsets[i]..offsets[i + 1]]) != checksum {
            return Err(damaged(&format!("block {i}")));
        }
    }
    let blocks = (0..blocks).map(|_| OnceLock::new()).collect();
    Ok(Table {
        path: path.to_owned(),
        layout,
        statistics,
        map,
        offsets,
        blocks,
    })
}

/// Reads little-endian fields one after the other; the caller has checked the length.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let field = std::array::from_fn(|i| self.bytes[self.at + i]);
        self.at += N;
        field
    }
}
