//! A block of a file of games: what came of one piece of the text that was read.
//!
//! A file is a row of blocks, each with its own checksum, so a file that is still growing can be
//! gone on with after its last whole block.

use std::borrow::Cow;

use super::{
    GameHeader, GamesError, Names, PackedMove, Report, StoredGame,
    header::{HEADER_BYTES, u16_at, u32_at, u64_at},
    mix::game_key,
};

/// Bytes before the games of a block.
pub(super) const BLOCK_HEAD: usize = 44;
/// No block is larger: what claims to be is damage.
pub(super) const BLOCK_MOST: usize = 1 << 28;

/// A block that is being filled.
#[derive(Default)]
pub(super) struct BlockBuilder {
    headers: Vec<u8>,
    moves: Vec<u8>,
    starts: Vec<u8>,
    names: String,
    games: u32,
}

/// Where in its source the text of a block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct SourceEnd {
    /// Which source.
    pub source: u32,
    /// Bytes of its text, unpacked, up to the end of the block.
    pub bytes: u64,
    /// Is that the end of the source?
    pub last: bool,
}

impl BlockBuilder {
    /// Adds a game; `names` are its kept values with the mark between them, `start` is empty for the
    /// start position.
    pub fn push(&mut self, header: GameHeader, start: &str, moves: &[PackedMove], names: &str) {
        let bytes_before = self.moves.len();
        self.moves
            .extend(moves.iter().flat_map(|m| m.0.to_le_bytes()));
        let header = GameHeader {
            plies: moves.len() as u16,
            first_move: (bytes_before / 2) as u32,
            key: game_key(start.as_bytes(), &self.moves[bytes_before..]),
            start: if start.is_empty() {
                0
            } else {
                self.starts.len() as u32 + 1
            },
            ..header
        };
        if !start.is_empty() {
            self.starts.extend((start.len() as u16).to_le_bytes());
            self.starts.extend(start.as_bytes());
        }
        header.write(&mut self.headers);
        self.names.push_str(names);
        self.names.push('\n');
        self.games += 1;
    }

    /// Bytes that the games take so far.
    fn len(&self) -> usize {
        self.headers.len() + self.moves.len() + self.starts.len() + self.names.len()
    }

    /// The bytes of the block, and an empty builder.
    pub fn finish(&mut self, end: SourceEnd, report: &Report) -> Vec<u8> {
        let names = zstd::bulk::compress(self.names.as_bytes(), 3)
            .expect("memory can always be compressed to memory");
        let report = serde_json::to_vec(report).expect("a report is plain data");
        let mut bytes = Vec::with_capacity(
            BLOCK_HEAD + self.len() - self.names.len() + names.len() + report.len(),
        );
        bytes.extend([0; 8]);
        bytes.extend(end.source.to_le_bytes());
        bytes.extend(u32::from(end.last).to_le_bytes());
        bytes.extend(end.bytes.to_le_bytes());
        for part in [
            self.games as usize,
            self.moves.len() / 2,
            self.starts.len(),
            names.len(),
            report.len(),
        ] {
            bytes.extend((part as u32).to_le_bytes());
        }
        for part in [&self.headers, &self.moves, &self.starts, &names, &report] {
            bytes.extend_from_slice(part);
        }
        let length = bytes.len() as u32;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[8..]);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        for part in [&mut self.headers, &mut self.moves, &mut self.starts] {
            part.clear();
        }
        self.names.clear();
        self.games = 0;
        bytes
    }
}

/// A block in memory or in a mapped file.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    bytes: &'a [u8],
    games: usize,
    moves_at: usize,
    starts_at: usize,
    names_at: usize,
    report_at: usize,
}

impl<'a> Block<'a> {
    /// How many bytes the block takes that `bytes` begin with; nothing when there is no whole one.
    pub fn length(bytes: &[u8]) -> Option<usize> {
        let length = u32_at(bytes.get(..4)?, 0) as usize;
        ((BLOCK_HEAD..=BLOCK_MOST).contains(&length) && length <= bytes.len()).then_some(length)
    }

    /// Is the checksum right?
    pub fn is_sound(bytes: &[u8]) -> bool {
        crc32fast::hash(&bytes[8..]) == u32_at(bytes, 4)
    }

    /// A block of exactly these bytes; nothing when its parts do not fill it. That its checksum is
    /// right, and its games fit in, is for the caller to see.
    pub fn new(bytes: &'a [u8]) -> Option<Block<'a>> {
        let part = |i: usize| u32_at(bytes, 24 + 4 * i) as usize;
        let games = part(0);
        let moves_at = BLOCK_HEAD + games * HEADER_BYTES;
        let starts_at = moves_at + 2 * part(1);
        let names_at = starts_at + part(2);
        let report_at = names_at + part(3);
        (report_at + part(4) == bytes.len()).then_some(Block {
            bytes,
            games,
            moves_at,
            starts_at,
            names_at,
            report_at,
        })
    }

    /// Do moves and start of every game lie inside?
    pub fn games_fit(&self) -> bool {
        (0..self.games).all(|game| {
            let header = self.header(game);
            let moves_end = (header.first_move as usize + usize::from(header.plies)) * 2;
            self.moves_at + moves_end <= self.starts_at && self.start_bytes(header.start).is_some()
        })
    }

    pub fn games(&self) -> usize {
        self.games
    }

    /// A game by its place in the block.
    pub fn game(&self, game: usize) -> StoredGame<'a> {
        let header = self.header(game);
        StoredGame {
            start: self.start(&header),
            moves: self.moves(&header),
            header,
        }
    }

    pub fn end(&self) -> SourceEnd {
        SourceEnd {
            source: u32_at(self.bytes, 8),
            last: u32_at(self.bytes, 12) & 1 == 1,
            bytes: u64_at(self.bytes, 16),
        }
    }

    /// What was counted while the block was made.
    pub fn report(&self) -> Option<Report> {
        serde_json::from_slice(&self.bytes[self.report_at..]).ok()
    }

    fn header(&self, game: usize) -> GameHeader {
        GameHeader::read(&self.bytes[BLOCK_HEAD + game * HEADER_BYTES..])
    }

    fn moves(&self, header: &GameHeader) -> &'a [u8] {
        let from = self.moves_at + 2 * header.first_move as usize;
        &self.bytes[from..from + 2 * usize::from(header.plies)]
    }

    /// The FEN a game starts from, when that is not the start position.
    fn start(&self, header: &GameHeader) -> Option<&'a str> {
        std::str::from_utf8(self.start_bytes(header.start)?)
            .ok()
            .filter(|fen| !fen.is_empty())
    }

    fn start_bytes(&self, start: u32) -> Option<&'a [u8]> {
        if start == 0 {
            return Some(&[]);
        }
        let starts = &self.bytes[self.starts_at..self.names_at];
        let rest = starts.get(start as usize - 1..)?;
        let length = u16_at(rest.get(..2)?, 0);
        rest.get(2..2 + usize::from(length))
    }

    /// The names of all its games.
    ///
    /// # Errors
    /// When they are damaged.
    pub fn names(&self) -> Result<NamesOfBlock, GamesError> {
        let packed = &self.bytes[self.names_at..self.report_at];
        let bytes =
            zstd::bulk::decompress(packed, BLOCK_MOST).map_err(|_| GamesError::Damaged("names"))?;
        let text = String::from_utf8(bytes).map_err(|_| GamesError::Damaged("names"))?;
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
        ends.insert(0, 0);
        (ends.len() == self.games + 1)
            .then_some(NamesOfBlock { text, ends })
            .ok_or(GamesError::Damaged("names"))
    }
}

/// The names of all games of a block, unpacked.
pub(super) struct NamesOfBlock {
    text: String,
    ends: Vec<usize>,
}

impl NamesOfBlock {
    pub fn line(&self, game: usize) -> &str {
        let begin = if game == 0 { 0 } else { self.ends[game] + 1 };
        &self.text[begin..self.ends[game + 1]]
    }

    pub fn of(&self, game: usize) -> Names<'_> {
        Names::new(self.line(game))
    }
}

/// The moves of a game one by one.
pub(super) fn moves(bytes: &[u8]) -> impl ExactSizeIterator<Item = PackedMove> + Clone + '_ {
    bytes
        .chunks_exact(2)
        .map(|pair| PackedMove(u16_at(pair, 0)))
}

/// Text for a reader of reports.
pub(super) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}
