//! Reads a line of EPD, character by character, so that every error knows its column.

use std::{
    iter::Peekable,
    str::{CharIndices, FromStr},
};

use shakmaty::Move;

use super::{Epd, EpdError, EpdErrorKind, Operand, Operation};
use crate::Position;

/// A text in quotes, or a word.
struct Word {
    column: usize,
    operand: Operand,
}

/// Walks through a line, knowing where it is.
struct Cursor<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    column: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Cursor<'a> {
        Cursor {
            text,
            chars: text.char_indices().peekable(),
            column: 1,
        }
    }

    fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let (_, c) = self.chars.next_if(|&(_, c)| wanted(c))?;
        self.column += 1;
        Some(c)
    }

    fn position(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |&(i, _)| i)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let from = self.position();
        while self.next_if(&wanted).is_some() {}
        &self.text[from..self.position()]
    }

    fn skip_spaces(&mut self) {
        self.take_while(is_space);
    }

    fn at_end(&mut self) -> bool {
        self.chars.peek().is_none()
    }

    /// The next word or quoted text before a semicolon.
    fn operand(&mut self) -> Result<Option<Word>, EpdError> {
        self.skip_spaces();
        let column = self.column;
        if self.next_if(|c| c == '"').is_some() {
            // A line break would end the EPD.
            let text = self.take_while(|c| !"\"\r\n".contains(c)).to_owned();
            if self.next_if(|c| c == '"').is_none() {
                return Err(error(column, EpdErrorKind::Quote));
            }
            let operand = Operand { text, quoted: true };
            return Ok(Some(Word { column, operand }));
        }
        let text = self.take_while(|c| !is_space(c) && c != ';' && c != '"');
        Ok((!text.is_empty()).then(|| Word {
            column,
            operand: Operand {
                text: text.to_owned(),
                quoted: false,
            },
        }))
    }
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace()
}

fn error(column: usize, kind: impl Into<EpdErrorKind>) -> EpdError {
    EpdError {
        column,
        kind: kind.into(),
    }
}

impl FromStr for Epd {
    type Err = EpdError;

    fn from_str(text: &str) -> Result<Epd, EpdError> {
        let mut cursor = Cursor::new(text);
        let mut fields = Vec::new();
        while fields.len() < 4 {
            cursor.skip_spaces();
            if cursor.at_end() {
                return Err(error(cursor.column, EpdErrorKind::Fields(fields.len())));
            }
            fields.push(cursor.take_while(|c| !is_space(c)));
        }
        cursor.skip_spaces();
        let mut clocks = ["0".to_owned(), "1".to_owned()];
        if cursor.chars.peek().is_some_and(|(_, c)| c.is_ascii_digit()) {
            let halfmoves = cursor.take_while(|c| !is_space(c));
            cursor.skip_spaces();
            let column = cursor.column;
            let fullmoves = cursor.take_while(|c| !is_space(c));
            if fullmoves.is_empty() {
                return Err(error(column, EpdErrorKind::Clock(fullmoves.to_owned())));
            }
            clocks = [halfmoves.to_owned(), fullmoves.to_owned()];
        }
        // The moves of `bm` do not depend on the clocks, so those may still change.
        let fen = |clocks: &[String; 2]| {
            Position::from_fen(&format!("{} {}", fields.join(" "), clocks.join(" ")))
        };
        let mut position = fen(&clocks).map_err(|e| error(1, e))?;
        let mut operations: Vec<Operation> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        loop {
            cursor.skip_spaces();
            if cursor.at_end() {
                break;
            }
            let column = cursor.column;
            let opcode = cursor.take_while(|c| !is_space(c) && c != ';' && c != '"');
            if !is_opcode(opcode) {
                return Err(error(column, EpdErrorKind::Opcode(opcode.to_owned())));
            }
            if seen.contains(&opcode) {
                return Err(error(column, EpdErrorKind::Twice(opcode.to_owned())));
            }
            seen.push(opcode);
            let mut words = Vec::new();
            while let Some(word) = cursor.operand()? {
                words.push(word);
            }
            if cursor.next_if(|c| c == ';').is_none() {
                return Err(error(
                    cursor.column,
                    EpdErrorKind::Unterminated(opcode.to_owned()),
                ));
            }
            match opcode {
                "hmvc" | "fmvn" => {
                    let number: u32 = number(opcode, column, &words)?;
                    clocks[usize::from(opcode == "fmvn")] = number.to_string();
                    position = fen(&clocks).map_err(|e| error(column, e))?;
                }
                _ => operations.push(operation(&position, opcode, column, words)?),
            }
        }
        Ok(Epd {
            position,
            operations,
        })
    }
}

fn is_opcode(text: &str) -> bool {
    text.len() <= 15
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn operation(
    position: &Position,
    opcode: &str,
    column: usize,
    words: Vec<Word>,
) -> Result<Operation, EpdError> {
    Ok(match opcode {
        "bm" => Operation::BestMove(moves(position, opcode, column, &words)?),
        "am" => Operation::AvoidMove(moves(position, opcode, column, &words)?),
        "dm" => Operation::DirectMate(number(opcode, column, &words)?),
        "ce" => Operation::CentipawnEvaluation(number(opcode, column, &words)?),
        "id" => Operation::Id(string(opcode, column, &words)?),
        _ => match opcode.as_bytes() {
            [b'c', digit @ b'0'..=b'9'] => {
                Operation::Comment(digit - b'0', string(opcode, column, &words)?)
            }
            _ => Operation::Other {
                opcode: opcode.to_owned(),
                operands: words.into_iter().map(|word| word.operand).collect(),
            },
        },
    })
}

fn moves(
    position: &Position,
    opcode: &str,
    column: usize,
    words: &[Word],
) -> Result<Vec<Move>, EpdError> {
    if words.is_empty() || words.iter().any(|word| word.operand.quoted) {
        return Err(refuse(opcode, column, words, "one or more moves in SAN"));
    }
    words
        .iter()
        .map(|word| {
            position
                .parse_san(&word.operand.text)
                .map_err(|e| error(word.column, e))
        })
        .collect()
}

fn number<T: FromStr>(opcode: &str, column: usize, words: &[Word]) -> Result<T, EpdError> {
    match words {
        [word] if !word.operand.quoted && !word.operand.text.starts_with('+') => {
            word.operand.text.parse().ok()
        }
        _ => None,
    }
    .ok_or_else(|| refuse(opcode, column, words, "one whole number"))
}

fn string(opcode: &str, column: usize, words: &[Word]) -> Result<String, EpdError> {
    match words {
        [word] if word.operand.quoted => Ok(word.operand.text.clone()),
        _ => Err(refuse(opcode, column, words, "one text in quotes")),
    }
}

fn refuse(opcode: &str, column: usize, words: &[Word], expected: &'static str) -> EpdError {
    let found: Vec<String> = words.iter().map(|word| word.operand.to_string()).collect();
    error(
        words.first().map_or(column, |word| word.column),
        EpdErrorKind::Operand {
            opcode: opcode.to_owned(),
            expected,
            found: found.join(" "),
        },
    )
}
