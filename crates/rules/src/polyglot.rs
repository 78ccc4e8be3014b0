//! Polyglot opening books: sixteen bytes a move, sorted by the position's key.
//!
//! The format is that of the program Polyglot, which many engines and graphical interfaces read. An
//! entry is, in big-endian order, a key of eight bytes, a move of two, a weight of two and four bytes
//! that programs use for learning and that say nothing here.

use std::path::{Path, PathBuf};

use shakmaty::{EnPassantMode, Move, Position as _, Role, zobrist::Zobrist64};

use crate::{Position, plain_file};

/// An opening book.
///
/// ```
/// use rules::{Book, Position};
/// let start = Position::start();
/// let e4 = start.parse_uci("e2e4").expect("a legal move");
/// let bytes = Book::write([(&start, e4, 10)]);
/// let book = Book::from_bytes(&bytes)?;
/// assert_eq!(book.weight(&start, e4), Some(10));
/// assert_eq!(book.moves(&start).count(), 1);
/// # Ok::<(), rules::BookErrorKind>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    /// Sorted by key; the moves of one position in the order of the file.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    key: u64,
    code: u16,
    weight: u16,
}

/// A file that is no opening book.
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", path.display())]
pub struct BookError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: BookErrorKind,
}

/// What is wrong with an opening book.
#[derive(Debug, thiserror::Error)]
pub enum BookErrorKind {
    /// The file cannot be read, is something else than a file, or is larger than any book.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Not a whole number of entries, or none.
    #[error("not a Polyglot book: {0} bytes are not one or more entries of {ENTRY} bytes")]
    Length(usize),
    /// Keys that do not rise.
    #[error("not a Polyglot book: the key of entry {0} is smaller than the one before it")]
    Order(usize),
}

/// Bytes of an entry.
const ENTRY: usize = 16;

/// The largest book that is read, in bytes: sixteen million moves.
const LARGEST: u64 = 256 << 20;

/// How the format counts the pieces a pawn turns into, from 1.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    /// When the file cannot be read or is no book.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let read = plain_file::read(path, LARGEST).map_err(BookErrorKind::from);
        let book = read.and_then(|bytes| Book::from_bytes(&bytes));
        book.map_err(|kind| BookError {
            path: path.to_owned(),
            kind,
        })
    }

    /// Reads the bytes of a book.
    ///
    /// # Errors
    /// When they are not entries in the order of their keys.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookErrorKind> {
        let (chunks, rest) = bytes.as_chunks::<ENTRY>();
        if chunks.is_empty() || !rest.is_empty() {
            return Err(BookErrorKind::Length(bytes.len()));
        }
        let entries: Vec<Entry> = chunks.iter().map(Entry::read).collect();
        let disorder = entries
            .windows(2)
            .position(|pair| pair[0].key > pair[1].key);
        match disorder {
            Some(index) => Err(BookErrorKind::Order(index + 2)),
            None => Ok(Book { entries }),
        }
    }

    /// The bytes of a book with these moves and weights.
    pub fn write<'a>(moves: impl IntoIterator<Item = (&'a Position, Move, u16)>) -> Vec<u8> {
        let mut entries: Vec<Entry> = moves
            .into_iter()
            .map(|(position, m, weight)| Entry {
                key: key(position),
                code: code(m),
                weight,
            })
            .collect();
        entries.sort_by_key(|entry| (entry.key, std::cmp::Reverse(entry.weight)));
        let mut bytes = Vec::with_capacity(ENTRY * entries.len());
        for entry in entries {
            bytes.extend(entry.key.to_be_bytes());
            bytes.extend(entry.code.to_be_bytes());
            bytes.extend(entry.weight.to_be_bytes());
            bytes.extend([0; 4]);
        }
        bytes
    }

    /// How many moves it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never: a book without a move is refused.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The weight of a legal move in a position; `None` when the book does not have it.
    pub fn weight(&self, position: &Position, m: Move) -> Option<u16> {
        let code = code(m);
        self.of(position)
            .iter()
            .find(|entry| entry.code == code)
            .map(|entry| entry.weight)
    }

    /// The legal moves that the book has in a position, with their weights.
    pub fn moves(&self, position: &Position) -> impl Iterator<Item = (Move, u16)> {
        let legal = match self.of(position) {
            [] => Default::default(),
            _ => position.legal_moves(),
        };
        self.of(position).iter().filter_map(move |entry| {
            let m = legal.iter().find(|&&m| code(m) == entry.code)?;
            Some((*m, entry.weight))
        })
    }

    fn of(&self, position: &Position) -> &[Entry] {
        if !position.board().is_standard() {
            return &[];
        }
        let key = key(position);
        let begin = self.entries.partition_point(|entry| entry.key < key);
        let count = self.entries[begin..].partition_point(|entry| entry.key == key);
        &self.entries[begin..begin + count]
    }
}

impl Entry {
    fn read(bytes: &[u8; ENTRY]) -> Entry {
        let number = |range: std::ops::Range<usize>| {
            bytes[range]
                .iter()
                .fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        Entry {
            key: number(0..8),
            code: number(8..10) as u16,
            weight: number(10..12) as u16,
        }
    }
}

/// The key of a position. A pawn that has just advanced two squares counts when an enemy pawn stands
/// beside it, even a pinned one.
fn key(position: &Position) -> u64 {
    let hash: Zobrist64 = position.chess().zobrist_hash(EnPassantMode::PseudoLegal);
    hash.0
}

/// A move in two bytes: destination, origin and promotion. Castling is the king taking his own rook,
/// which is how shakmaty has it, too.
fn code(m: Move) -> u16 {
    let from = m.from().map_or(0, u16::from);
    let promotion = m
        .promotion()
        .and_then(|role| PROMOTIONS.iter().position(|&known| known == role))
        .map_or(0, |index| index as u16 + 1);
    promotion << 12 | from << 6 | u16::from(m.to())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect(fen)
    }

    #[test]
    fn keys_are_the_published_ones() {
        for (fen, expected) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                0x463b_9618_1691_fc9c,
            ),
            (
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
                0x22a4_8b5a_8e47_ff78,
            ),
            (
                "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 1 4",
                0x5c3f_9b82_9b27_9560,
            ),
        ] {
            assert_eq!(key(&position(fen)), expected, "{fen}");
        }
    }

    #[test]
    fn every_kind_of_move_is_found_again() {
        for fen in [
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6",
            "1n5k/P7/8/8/8/8/p7/1N5K w",
            "1n5k/P7/8/8/8/8/p7/1N5K b",
        ] {
            let position = position(fen);
            let legal = position.legal_moves();
            let book = Book::from_bytes(&Book::write(
                legal
                    .iter()
                    .enumerate()
                    .map(|(i, &m)| (&position, m, i as u16)),
            ))
            .unwrap();
            assert_eq!(book.moves(&position).count(), legal.len());
            for (i, &m) in legal.iter().enumerate() {
                assert_eq!(
                    book.weight(&position, m),
                    Some(i as u16),
                    "{}",
                    position.uci(m)
                );
            }
            assert_eq!(book.moves(&Position::start()).count(), 0);
        }
    }

    #[test]
    fn castling_is_written_as_the_king_taking_the_rook() {
        // e1h1, as the format has it: h1 is 7, e1 is 4.
        let position = position("4k3/8/8/8/8/8/8/4K2R w K");
        assert_eq!(code(position.parse_uci("e1g1").unwrap()), 4 << 6 | 7);
    }

    #[test]
    fn what_is_no_book_is_refused() {
        let refused = |bytes: &[u8]| Book::from_bytes(bytes).unwrap_err().to_string();
        assert!(refused(b"").contains("not a Polyglot book: 0 bytes"));
        assert!(refused(b"fifteen bytes..").contains("15 bytes"));
        let text = b"This text happens to be as long as four entries: 64 characters..";
        assert!(refused(text).contains("entry 3 is smaller"));
        let missing = Book::open(Path::new("no/such/book.bin")).unwrap_err();
        assert!(missing.to_string().starts_with("no/such/book.bin: "));
        let folder = Book::open(Path::new(".")).unwrap_err().to_string();
        assert!(folder.contains("not a regular file"), "{folder}");
    }
}
