//! EPD: positions with something to say about them, one to a line.
//!
//! A line holds the first four fields of FEN and any number of operations, each an opcode, its
//! operands and a semicolon:
//!
//! ```text
//! 8/8/8/3k4/8/8/8/KBN5 w - - bm Kb2; dm 31; id "bishop and knight"; hmvc 12;
//! ```
//!
//! As everywhere in Lucena, N ranks of N files are a position on the N×N board. Opening books
//! often hold whole FENs in files called `.epd`; a line whose four fields are followed by the two
//! clocks of FEN is read as well.

mod read;

use std::{
    fmt,
    io::{BufRead, ErrorKind},
};

use shakmaty::Move;

use crate::{FenError, Position, SanError};

/// A position with operations.
///
/// ```
/// use rules::{Epd, Operation};
/// let epd: Epd = "k4/5/1K3/5/4R w - - dm 1; bm Re5#;".parse()?;
/// assert_eq!(epd.direct_mate(), Some(1));
/// assert_eq!(epd.to_string(), "k4/5/1K3/5/4R w - - dm 1; bm Re5#;");
/// # Ok::<(), rules::EpdError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The position. Its clocks are the operations `hmvc` and `fmvn` of the text.
    pub position: Position,
    /// What is said about it, in the order of the text. An opcode occurs at most once.
    pub operations: Vec<Operation>,
}

/// Something said about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `bm`: the best moves.
    BestMove(Vec<Move>),
    /// `am`: moves to avoid.
    AvoidMove(Vec<Move>),
    /// `dm`: the side to move mates in this many moves.
    DirectMate(u32),
    /// `ce`: the value for the side to move, in hundredths of a pawn.
    CentipawnEvaluation(i32),
    /// `id`: a name.
    Id(String),
    /// `c0` to `c9`: a remark.
    Comment(u8, String),
    /// Any other operation, kept as it is.
    Other {
        /// Its name.
        opcode: String,
        /// Its operands.
        operands: Vec<Operand>,
    },
}

/// An operand of an operation without a meaning of its own here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The text, without quotes.
    pub text: String,
    /// Does it stand in quotes?
    pub quoted: bool,
}

/// What is wrong with an EPD, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {kind}")]
pub struct EpdError {
    /// The character at which it went wrong, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: EpdErrorKind,
}

/// What is wrong with an EPD.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EpdErrorKind {
    /// Fewer than four fields.
    #[error(
        "{0} of the four fields are there (placement, side to move, castling rights, en passant)"
    )]
    Fields(usize),
    /// The fields are no position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A half-move clock without a move number, or neither number nor operation.
    #[error("expected the move number of a FEN after its half-move clock, found '{0}'")]
    Clock(String),
    /// Something other than the name of an operation.
    #[error("'{0}' is not an opcode (a letter, then up to 14 letters, digits or '_')")]
    Opcode(String),
    /// The same operation twice.
    #[error("the operation '{0}' is there twice")]
    Twice(String),
    /// No semicolon.
    #[error("the operation '{0}' is not ended by ';'")]
    Unterminated(String),
    /// A quoted text without its second quotation mark.
    #[error("a quoted text is not closed")]
    Quote,
    /// Operands that the operation does not take.
    #[error("'{opcode}' takes {expected}, found '{found}'")]
    Operand {
        /// The operation.
        opcode: String,
        /// What it takes.
        expected: &'static str,
        /// What it got.
        found: String,
    },
    /// A move that cannot be played.
    #[error(transparent)]
    Move(#[from] SanError),
}

/// What is wrong with a file of EPDs, and where.
#[derive(Debug, thiserror::Error)]
pub enum EpdFileError {
    /// The file cannot be read.
    #[error("line {line}: {source}")]
    Io {
        /// The line, counted from 1.
        line: usize,
        /// Why not.
        source: std::io::Error,
    },
    /// A line is no EPD.
    #[error("line {line}, {source}")]
    Line {
        /// The line, counted from 1.
        line: usize,
        /// Why not.
        source: EpdError,
    },
}

impl Epd {
    /// A position about which nothing is said.
    pub const fn new(position: Position) -> Epd {
        Epd {
            position,
            operations: Vec::new(),
        }
    }

    /// The same with one more operation, in place of one with the same opcode.
    #[must_use]
    pub fn with(mut self, operation: Operation) -> Epd {
        self.operations
            .retain(|other| other.opcode() != operation.opcode());
        self.operations.push(operation);
        self
    }

    /// The operation `dm`: in how many moves the side to move mates.
    pub fn direct_mate(&self) -> Option<u32> {
        self.operations
            .iter()
            .find_map(|operation| match operation {
                Operation::DirectMate(moves) => Some(*moves),
                _ => None,
            })
    }

    /// The operation `bm`: the best moves, none when it is not there.
    pub fn best_moves(&self) -> &[Move] {
        self.operations
            .iter()
            .find_map(|operation| match operation {
                Operation::BestMove(moves) => Some(&moves[..]),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The operation `id`: the name of the position.
    pub fn id(&self) -> Option<&str> {
        self.operations
            .iter()
            .find_map(|operation| match operation {
                Operation::Id(id) => Some(&id[..]),
                _ => None,
            })
    }

    /// Reads a file of EPDs, line by line; empty lines are passed over.
    ///
    /// A bad line is an error that names it, and the next line is read after it; after an error
    /// of the file itself there is nothing more.
    pub fn read_file(file: impl BufRead) -> impl Iterator<Item = Result<Epd, EpdFileError>> {
        let mut broken = false;
        file.lines()
            .enumerate()
            .map_while(move |(i, text)| {
                let line = i + 1;
                match text {
                    _ if broken => None,
                    Err(source) => {
                        // Text that is not UTF-8 is the trouble of one line only.
                        broken = source.kind() != ErrorKind::InvalidData;
                        Some(Some(Err(EpdFileError::Io { line, source })))
                    }
                    Ok(text) if text.trim().is_empty() => Some(None),
                    Ok(text) => Some(Some(
                        text.parse()
                            .map_err(|source| EpdFileError::Line { line, source }),
                    )),
                }
            })
            .flatten()
    }
}

impl Operation {
    /// Its name in the text.
    pub fn opcode(&self) -> &str {
        const COMMENTS: [&str; 10] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"];
        match self {
            Operation::BestMove(_) => "bm",
            Operation::AvoidMove(_) => "am",
            Operation::DirectMate(_) => "dm",
            Operation::CentipawnEvaluation(_) => "ce",
            Operation::Id(_) => "id",
            Operation::Comment(number, _) => COMMENTS[usize::from(*number).min(9)],
            Operation::Other { opcode, .. } => opcode,
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.quoted {
            quote(f, &self.text)
        } else {
            f.write_str(&self.text)
        }
    }
}

/// EPD cannot write a quotation mark or a line break inside a text: an apostrophe and a space
/// take their places.
fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let text = text.replace('"', "'").replace(['\n', '\r'], " ");
    write!(f, "\"{text}\"")
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.position.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        f.write_str(&fields[..4].join(" "))?;
        for operation in &self.operations {
            write!(f, " {}", operation.opcode())?;
            match operation {
                Operation::BestMove(moves) | Operation::AvoidMove(moves) => {
                    for &m in moves {
                        write!(f, " {}", self.position.san(m))?;
                    }
                }
                Operation::DirectMate(moves) => write!(f, " {moves}")?,
                Operation::CentipawnEvaluation(value) => write!(f, " {value}")?,
                Operation::Id(text) | Operation::Comment(_, text) => {
                    f.write_str(" ")?;
                    quote(f, text)?;
                }
                Operation::Other { operands, .. } => {
                    for operand in operands {
                        write!(f, " {operand}")?;
                    }
                }
            }
            f.write_str(";")?;
        }
        // The clocks of a fresh position go without saying.
        if fields[4] != "0" {
            write!(f, " hmvc {};", fields[4])?;
        }
        if fields[5] != "1" {
            write!(f, " fmvn {};", fields[5])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_was_read() {
        for text in [
            "8/8/8/3k4/8/8/8/KBN5 w - -",
            "k4/5/1K3/5/4R w - - dm 1; bm Re5#;",
            "k7/8/1K6/8/8/8/8/7R w - - bm Rh8#; am Rh1 Ka6; ce 32000; id \"a; b\"; hmvc 3; fmvn 40;"
                .replace("Rh1", "Rh2")
                .as_str(),
            "4k3/8/8/8/8/8/8/R3K3 w Q - bm O-O-O; c0 \"\"; c9 \"nine\"; acd 12; pv Ra8+ \"x y\"; noop;",
        ] {
            let epd: Epd = text.parse().expect(text);
            assert_eq!(epd.to_string(), text);
        }
    }

    #[test]
    fn clocks_come_from_operations_or_from_a_whole_fen() {
        let operations: Epd = "8/8/8/3k4/8/8/8/KBN5 w - - hmvc 12; fmvn 40;"
            .parse()
            .unwrap();
        let fen: Epd = "8/8/8/3k4/8/8/8/KBN5 w - - 12 40".parse().unwrap();
        assert_eq!(operations, fen);
        assert_eq!(fen.position.fen(), "8/8/8/3k4/8/8/8/KBN5 w - - 12 40");
    }

    #[test]
    fn a_new_operation_replaces_the_old_one() {
        let epd = Epd::new(Position::start())
            .with(Operation::DirectMate(1))
            .with(Operation::Id("x".into()))
            .with(Operation::DirectMate(2));
        assert_eq!(epd.direct_mate(), Some(2));
        assert_eq!(epd.id(), Some("x"));
        assert_eq!(epd.operations.len(), 2);
    }

    #[test]
    fn every_refusal_says_what_is_wrong_and_where() {
        let fen = "k7/8/1K6/8/8/8/8/7R w - -";
        for (text, what) in [
            ("".into(), "column 1: 0 of the four fields"),
            ("k7/8/1K6/8/8/8/8/7R w -".into(), "column 24: 3 of the four"),
            ("k7/8/1K6/8/8/8/8/6R w - -".into(), "column 1: rank 1 has 7"),
            (
                format!("{fen} dm;"),
                "column 27: 'dm' takes one whole number",
            ),
            (
                format!("{fen} dm x;"),
                "column 30: 'dm' takes one whole number, found 'x'",
            ),
            (format!("{fen} dm 1 2;"), "found '1 2'"),
            (format!("{fen} dm -1;"), "found '-1'"),
            (
                format!("{fen} dm 1"),
                "column 31: the operation 'dm' is not ended",
            ),
            (
                format!("{fen} bm;"),
                "column 27: 'bm' takes one or more moves",
            ),
            (
                format!("{fen} bm Rh8# Rh9;"),
                "column 35: 'Rh9' is not a move",
            ),
            (format!("{fen} bm Kb8;"), "column 30: 'Kb8' is not legal"),
            (
                format!("{fen} id x;"),
                "column 30: 'id' takes one text in quotes",
            ),
            (
                format!("{fen} id \"x;"),
                "column 30: a quoted text is not closed",
            ),
            // Found by fuzzing: what cannot be written must not be read.
            (
                format!("{fen} id \"a\rb\";"),
                "column 30: a quoted text is not closed",
            ),
            (format!("{fen} 1"), "column 28: expected the move number"),
            (format!("{fen} 1 x;"), "field 6 (move number)"),
            (format!("{fen} ;"), "column 27: '' is not an opcode"),
            (format!("{fen} d-m 1;"), "column 27: 'd-m' is not an opcode"),
            (
                format!("{fen} dm 1; dm 2;"),
                "column 33: the operation 'dm' is there twice",
            ),
            (
                format!("{fen} hmvc x;"),
                "column 32: 'hmvc' takes one whole number",
            ),
            (format!("{fen} fmvn 0;"), "field 6 (move number)"),
        ] {
            let error = text.parse::<Epd>().expect_err(&text).to_string();
            assert!(error.contains(what), "{text}: {error}");
        }
    }

    #[test]
    fn a_bad_line_of_a_file_is_named_and_the_rest_is_read() {
        let file = b"8/8/8/3k4/8/8/8/KBN5 w - -\n\nnonsense\n\xff\r\nk3/4/1K2/3R w - - dm 1;\r\n";
        let lines: Vec<_> = Epd::read_file(&file[..]).collect();
        assert_eq!(lines.len(), 4);
        let message = |i: usize| lines[i].as_ref().expect_err("a bad line").to_string();
        assert!(
            message(1).starts_with("line 3, column 9: 1 of"),
            "{}",
            message(1)
        );
        assert!(message(2).starts_with("line 4: "), "{}", message(2));
        assert_eq!(lines[3].as_ref().unwrap().direct_mate(), Some(1));
    }
}
