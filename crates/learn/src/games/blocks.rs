//! The blocks of a file in order, mapped into memory.

use std::path::Path;

use memmap2::Mmap;
use rayon::prelude::*;
use rules::plain_file;

use super::{GamesError, StoredGame, block::Block};

/// The blocks of a file, finished or not.
pub(super) struct Blocks {
    pub map: Mmap,
    pub places: Vec<Place>,
    /// Where the last block ends.
    pub end: usize,
}

/// Where a block is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub at: usize,
    pub length: usize,
    /// The number of its first game.
    pub first_game: usize,
    games: usize,
}

/// Maps a file into memory.
pub(super) fn map(path: &Path) -> Result<Mmap, GamesError> {
    let file = plain_file::open(path, plain_file::STREAM).map_err(GamesError::file(path))?;
    // SAFETY: the map is read-only and files of games are replaced by renaming, never written in
    // place. A file that somebody else truncates while it is mapped is beyond what a program can
    // guard.
    unsafe { Mmap::map(&file) }.map_err(GamesError::file(path))
}

impl Blocks {
    /// The blocks of a file from `begin` on, as far as there are any. Checksums are not looked at.
    pub fn new(map: Mmap, begin: usize) -> Blocks {
        let (mut places, mut at, mut first_game) = (Vec::new(), begin, 0);
        while let Some(length) = Block::length(&map[at..])
            && let Some(block) = Block::new(&map[at..at + length])
        {
            places.push(Place {
                at,
                length,
                first_game,
                games: block.games(),
            });
            at += length;
            first_game += block.games();
        }
        Blocks {
            map,
            places,
            end: at,
        }
    }

    /// Are all of them undamaged?
    pub fn are_sound(&self) -> bool {
        self.places.par_iter().all(|place| self.is_sound(place))
    }

    /// Is this one undamaged?
    pub fn is_sound(&self, place: &Place) -> bool {
        Block::is_sound(self.bytes(place)) && self.block(place).games_fit()
    }

    fn bytes(&self, place: &Place) -> &[u8] {
        &self.map[place.at..place.at + place.length]
    }

    pub fn block(&self, place: &Place) -> Block<'_> {
        Block::new(self.bytes(place)).expect("it was one when the file was mapped")
    }

    /// Every block with the number of its first game.
    pub fn iter(&self) -> impl Iterator<Item = (Block<'_>, usize)> {
        self.places
            .iter()
            .map(|place| (self.block(place), place.first_game))
    }

    pub fn games(&self) -> usize {
        self.places
            .last()
            .map_or(0, |place| place.first_game + place.games)
    }

    /// A game by its number.
    pub fn game(&self, game: usize) -> StoredGame<'_> {
        // Blocks without games begin with the same game as their successors: the last one that
        // begins with it has it.
        let after = self
            .places
            .partition_point(|place| place.first_game <= game);
        let place = &self.places[after - 1];
        self.block(place).game(game - place.first_game)
    }
}
