//! Games that are there more than once.

use std::{
    io::{self, Write as _},
    path::Path,
};

use rayon::prelude::*;

use super::{
    GamesError, PackedMove, StoredGame,
    block::{Block, BlockBuilder},
    blocks::Blocks,
};

/// Keys that are sorted at a time: sixteen bytes each.
const AT_A_TIME: usize = 1 << 24;

/// Which games of a file were there before: the same start, the same moves. The first of them is none.
///
/// It takes a bit a game, and while it is found out 256 MiB at most.
pub(super) struct Duplicates {
    /// A bit for each game.
    marks: Vec<u64>,
    games: u64,
    positions: u64,
}

impl Duplicates {
    /// Finds them; keys that are equal by chance are told apart by the games themselves.
    pub fn find(blocks: &Blocks) -> Duplicates {
        Duplicates::find_by(blocks, AT_A_TIME)
    }

    fn find_by(blocks: &Blocks, at_a_time: usize) -> Duplicates {
        let mut found = Duplicates {
            marks: vec![0; blocks.games().div_ceil(64)],
            games: 0,
            positions: 0,
        };
        // Equal games have equal keys, so each range of keys can be looked at for itself.
        let ranges = blocks.games().div_ceil(at_a_time) as u128;
        for range in 0..ranges {
            let mut keys: Vec<(u64, u32)> = blocks
                .places
                .par_iter()
                .flat_map_iter(|place| {
                    let block = blocks.block(place);
                    (0..block.games()).map(move |game| {
                        let key = block.game(game).header.key;
                        (key, (place.first_game + game) as u32)
                    })
                })
                .filter(|&(key, _)| (u128::from(key) * ranges) >> 64 == range)
                .collect();
            keys.par_sort_unstable();
            for equal in keys
                .chunk_by(|a, b| a.0 == b.0)
                .filter(|equal| equal.len() > 1)
            {
                found.mark(blocks, equal);
            }
        }
        found
    }

    /// Marks all games of one key but the first of each kind.
    fn mark(&mut self, blocks: &Blocks, equal: &[(u64, u32)]) {
        let mut firsts: Vec<StoredGame<'_>> = Vec::new();
        for &(_, number) in equal {
            let game = blocks.game(number as usize);
            let is_same =
                |first: &StoredGame<'_>| (first.start, first.moves) == (game.start, game.moves);
            if firsts.iter().any(is_same) {
                self.marks[number as usize / 64] |= 1 << (number % 64);
                self.games += 1;
                self.positions += u64::from(game.header.plies);
            } else {
                firsts.push(game);
            }
        }
    }

    fn contains(&self, game: usize) -> bool {
        self.marks[game / 64] >> (game % 64) & 1 == 1
    }

    /// How many games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many positions they have.
    pub fn positions(&self) -> u64 {
        self.positions
    }
}

/// Writes a file anew, without its duplicates.
///
/// # Errors
/// When the file system refuses.
pub(super) fn write_without(
    duplicates: &Duplicates,
    blocks: &Blocks,
    head: &[u8],
    end: &[u8],
    out: &Path,
) -> Result<(), GamesError> {
    truth::durable::write_with(out, |file| {
        file.write_all(head)?;
        for places in blocks.places.chunks(64) {
            let thinned: Vec<Vec<u8>> = places
                .par_iter()
                .map(|place| {
                    let is_new = |game: usize| !duplicates.contains(place.first_game + game);
                    thinned(&blocks.block(place), is_new)
                })
                .collect::<Result<_, _>>()
                .map_err(io::Error::other)?;
            thinned.iter().try_for_each(|block| file.write_all(block))?;
        }
        file.write_all(end)
    })
    .map_err(GamesError::file(out))
}

/// A block with some of its games.
fn thinned(block: &Block<'_>, keep: impl Fn(usize) -> bool) -> Result<Vec<u8>, GamesError> {
    let names = block.names()?;
    let mut builder = BlockBuilder::default();
    for number in (0..block.games()).filter(|&game| keep(game)) {
        let game = block.game(number);
        let moves: Vec<PackedMove> = game.moves().collect();
        let start = game.start.unwrap_or_default();
        builder.push(game.header, start, &moves, names.line(number));
    }
    let report = block.report().ok_or(GamesError::Damaged("counts"))?;
    Ok(builder.finish(block.end(), &report))
}
