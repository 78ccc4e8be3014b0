//! PGN: games as text that every chess program reads.
//!
//! Reading is strict. A move that cannot be played, a result that contradicts the result tag or
//! the mate on the board, a tag that is no tag, a word that is no move: each is an error that
//! names game, line and text. (That is why the words are taken apart here and not by a faster
//! reader that passes over what it does not know.) Files in the wild are dirty, so an error costs
//! one game only: the reader goes on with the next one. It holds one game at a time.
//!
//! What is kept: tags, moves, comments, annotation glyphs (`!?`, `$7`), the result. What is passed
//! over: variations, and move numbers. Text that is not UTF-8 is taken as Latin-1, the encoding of
//! the original standard.
//!
//! A game that does not begin at the start position has the tags `SetUp` and `FEN`. On a small
//! board the FEN has N ranks of N files, and a tag such as `[Variant "5x5"]` warns other programs.

mod read;
mod tags;
mod tokens;
mod write;

use std::{collections::BTreeMap, fmt, str::FromStr};

use shakmaty::Color;

use crate::{FenError, Game, Outcome, SanError};

pub use read::PgnReader;
pub use tags::{TagError, Tags};

/// A game with what PGN says about it.
///
/// `Display` writes it, ended by a line break; between games of a file belongs an empty line.
///
/// ```
/// use rules::{Game, Pgn, PgnReader, Position, Rules};
/// let mut game = Game::new(Position::from_fen("k4/5/1K3/5/4R w")?, Rules::default());
/// game.play(game.position().parse_san("Re5#")?)?;
/// let text = Pgn::new(game).to_string();
/// assert!(text.ends_with("\n\n1. Re5# 1-0\n"));
/// let read = PgnReader::new(text.as_bytes(), Rules::default()).next().expect("a game")?;
/// assert_eq!(read.game.plies(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pgn {
    /// Who, when, where and anything else.
    pub tags: Tags,
    /// The moves.
    pub game: Game,
    /// Remarks by the number of plies before them: 0 is before the first move.
    pub comments: BTreeMap<usize, String>,
    /// Numeric annotation glyphs by the number of plies before them.
    pub nags: BTreeMap<usize, Vec<u8>>,
    /// Who won.
    pub result: PgnResult,
}

/// The result of a game as PGN has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PgnResult {
    /// `1-0` or `0-1`.
    Win(Color),
    /// `1/2-1/2`.
    Draw,
    /// `*`: not finished, or not known.
    Unfinished,
}

/// What is wrong with a PGN, and where.
#[derive(Debug, thiserror::Error)]
#[error("game {game}, line {line}: {kind}")]
pub struct PgnError {
    /// The game, counted from 1.
    pub game: usize,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub kind: PgnErrorKind,
}

/// What is wrong with a PGN.
#[derive(Debug, thiserror::Error)]
pub enum PgnErrorKind {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A line that no game needs.
    #[error("the line is longer than {0} bytes")]
    LineTooLong(usize),
    /// Something in brackets that is not a tag.
    #[error("'{0}' is not a tag such as [White \"Lucena\"]")]
    Tag(String),
    /// The same tag twice.
    #[error("the tag {0} is there twice")]
    TagTwice(String),
    /// The tag `FEN` is no position.
    #[error("tag FEN: {0}")]
    Fen(#[from] FenError),
    /// The tags `SetUp` and `FEN` contradict each other.
    #[error("tag SetUp is '{setup}' {} a tag FEN", if *.fen { "with" } else { "without" })]
    SetUp {
        /// The value of `SetUp`.
        setup: String,
        /// Is there a `FEN`?
        fen: bool,
    },
    /// The tag `Variant` names another game or another board.
    #[error("tag Variant is '{found}', but the game is played as {expected}")]
    Variant {
        /// What the tag says.
        found: String,
        /// What the position says.
        expected: String,
    },
    /// The tag `Result` is no result.
    #[error("tag Result is '{0}' instead of 1-0, 0-1, 1/2-1/2 or *")]
    ResultTag(String),
    /// The result after the moves is not that of the tag.
    #[error("the game ends with {token}, but tag Result says {tag}")]
    Contradiction {
        /// The result after the moves.
        token: PgnResult,
        /// The tag.
        tag: PgnResult,
    },
    /// The result is not that on the board.
    #[error("the game ends with {token}, but on the board it is {outcome}")]
    Board {
        /// The result after the moves.
        token: PgnResult,
        /// What the board shows.
        outcome: Outcome,
    },
    /// No result after the moves.
    #[error("the moves end without a result (1-0, 0-1, 1/2-1/2 or *)")]
    NoResult,
    /// A word that is not a move, or a move that cannot be played.
    #[error("move {number}{}: {source}", .color.fold_wb(".", "..."))]
    Move {
        /// The number of the move.
        number: u32,
        /// Whose move it is.
        color: Color,
        /// Why it cannot be played.
        source: SanError,
    },
    /// A brace without its counterpart.
    #[error("the comment that begins on line {begins} does not end")]
    Comment {
        /// Where it begins.
        begins: usize,
    },
    /// A parenthesis without its counterpart.
    #[error("a parenthesis of a variation has no counterpart")]
    Variation,
    /// An annotation that has no number.
    #[error("'{0}' is not an annotation ($0 to $255, !, ?, !!, ??, !?, ?!)")]
    Nag(String),
    /// A character that has no place between moves.
    #[error("a '{0}' has no place here")]
    Character(char),
}

impl Pgn {
    /// A game with nothing said about it; the result is that on the board.
    pub fn new(game: Game) -> Pgn {
        Pgn {
            tags: Tags::default(),
            comments: BTreeMap::new(),
            nags: BTreeMap::new(),
            result: game
                .outcome()
                .map_or(PgnResult::Unfinished, PgnResult::from),
            game,
        }
    }
}

impl From<Outcome> for PgnResult {
    fn from(outcome: Outcome) -> PgnResult {
        outcome.winner.map_or(PgnResult::Draw, PgnResult::Win)
    }
}

impl fmt::Display for PgnResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PgnResult::Win(Color::White) => "1-0",
            PgnResult::Win(Color::Black) => "0-1",
            PgnResult::Draw => "1/2-1/2",
            PgnResult::Unfinished => "*",
        })
    }
}

impl FromStr for PgnResult {
    type Err = PgnErrorKind;

    fn from_str(text: &str) -> Result<PgnResult, PgnErrorKind> {
        match text {
            "1-0" => Ok(PgnResult::Win(Color::White)),
            "0-1" => Ok(PgnResult::Win(Color::Black)),
            "1/2-1/2" => Ok(PgnResult::Draw),
            "*" => Ok(PgnResult::Unfinished),
            _ => Err(PgnErrorKind::ResultTag(text.to_owned())),
        }
    }
}
