//! A file of games, mapped into memory.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Filter, GamesError, Report, StoredGame,
    block::{Block, NamesOfBlock},
    blocks::{Blocks, map},
    header::u32_at,
};

/// What a file begins with.
const MAGIC: &[u8; 8] = b"LUCENAGM";
/// What follows the last block.
const END: &[u8; 8] = b"LUCENAGE";
/// The version of the format.
const VERSION: u32 = 1;

/// What a file of games was made from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The files that were read, in order.
    pub sources: Vec<SourceInfo>,
    /// Which games were wanted.
    pub filter: Filter,
    /// Were games dropped that were there already?
    pub drop_duplicates: bool,
}

/// A file that was read, told apart by more than its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceInfo {
    /// Its name, without its folder.
    pub name: String,
    /// Its size as it lies on the disk.
    pub bytes: u64,
    /// Checksum of its first 64 KiB.
    pub checksum: u32,
}

/// What a file of games holds, counted when it was made.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Games in the file.
    pub games: u64,
    /// Positions in which a move was played.
    pub positions: u64,
    /// Games whose start and moves were there before; in the file only when they were not dropped.
    pub duplicates: u64,
    /// What was counted while it was made.
    pub report: Report,
}

/// A file of games. Every checksum was verified when it was opened.
pub struct GameFile {
    path: PathBuf,
    blocks: Blocks,
    origin: Origin,
    summary: Summary,
}

impl GameFile {
    /// Opens a file and verifies all of it.
    ///
    /// # Errors
    /// When it cannot be read, is not a file of games, not a finished one, or damaged.
    pub fn open(path: &Path) -> Result<GameFile, GamesError> {
        let refuse = |why: &str| GamesError::NotGames {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let map = map(path)?;
        let (origin, begin) =
            read_head(&map).ok_or_else(|| refuse("it does not begin like one"))?;
        let blocks = Blocks::new(map, begin);
        let summary = read_end(&blocks.map[blocks.end..])
            .ok_or_else(|| refuse("it is unfinished or damaged"))?;
        if !blocks.are_sound() {
            return Err(refuse("a block is damaged"));
        }
        Ok(GameFile {
            path: path.to_owned(),
            blocks,
            origin,
            summary,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.blocks.map.len() as u64
    }

    /// What it was made from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What was counted when it was made.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// How many games it holds.
    pub fn len(&self) -> usize {
        self.blocks.games()
    }

    /// Is there no game in it?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A game by its number, counted from 0.
    ///
    /// # Panics
    /// When there is no such game.
    pub fn game(&self, game: usize) -> StoredGame<'_> {
        assert!(game < self.len(), "game {game} of {}", self.len());
        self.blocks.game(game)
    }

    /// Every game, in order.
    pub fn games(&self) -> impl Iterator<Item = StoredGame<'_>> {
        self.blocks.iter().flat_map(|(block, _)| {
            let games = block.games();
            (0..games).map(move |game| block.game(game))
        })
    }

    /// The file in parts, with the names of the games: the way to see everything on all cores.
    pub fn parts(&self) -> impl IndexedParallelIterator<Item = FilePart<'_>> {
        self.blocks.places.par_iter().map(|place| FilePart {
            block: self.blocks.block(place),
            first: place.first_game,
        })
    }
}

/// Some games of a file that follow each other.
pub struct FilePart<'a> {
    block: Block<'a>,
    first: usize,
}

impl<'a> FilePart<'a> {
    /// The number of its first game.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Its games, in order.
    pub fn games(&self) -> impl Iterator<Item = StoredGame<'a>> + '_ {
        (0..self.block.games()).map(|game| self.block.game(game))
    }

    /// Who played its games, and where.
    ///
    /// # Errors
    /// When they are damaged, for all the checksum says.
    pub fn names(&self) -> Result<PartNames, GamesError> {
        self.block.names().map(PartNames)
    }
}

/// The names of the games of a part.
pub struct PartNames(NamesOfBlock);

impl PartNames {
    /// Those of a game, counted from the first of the part.
    pub fn of(&self, game: usize) -> super::Names<'_> {
        self.0.of(game)
    }
}

/// The bytes a file begins with.
pub(super) fn head(origin: &Origin) -> Vec<u8> {
    let json = serde_json::to_vec(origin).expect("an origin is plain data");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    sealed(bytes, &json)
}

/// The bytes a file ends with.
pub(super) fn end(summary: &Summary) -> Vec<u8> {
    let json = serde_json::to_vec(summary).expect("a summary is plain data");
    sealed(END.to_vec(), &json)
}

fn sealed(mut bytes: Vec<u8>, json: &[u8]) -> Vec<u8> {
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend_from_slice(json);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// What stands in the head, and how long it is.
pub(super) fn read_head(bytes: &[u8]) -> Option<(Origin, usize)> {
    let fixed = bytes.get(..12)?;
    (fixed.starts_with(MAGIC) && u32_at(fixed, 8) == VERSION)
        .then(|| unsealed(bytes, 12))
        .flatten()
}

fn read_end(bytes: &[u8]) -> Option<Summary> {
    let (summary, length) = bytes
        .starts_with(END)
        .then(|| unsealed(bytes, END.len()))
        .flatten()?;
    (length == bytes.len()).then_some(summary)
}

fn unsealed<T: DeserializeOwned>(bytes: &[u8], fixed: usize) -> Option<(T, usize)> {
    let length = u32_at(bytes.get(fixed..fixed + 4)?, 0) as usize;
    let json_end = (fixed + 4).checked_add(length)?;
    let checksum = bytes.get(json_end..json_end.checked_add(4)?)?;
    if crc32fast::hash(&bytes[..json_end]) != u32_at(checksum, 0) {
        return None;
    }
    let value = serde_json::from_slice(&bytes[fixed + 4..json_end]).ok()?;
    Some((value, json_end + 4))
}
