//! Takes PGN apart into tags, words, comments and results, line by line.

use std::io::{BufRead, Read as _};

use super::{PgnErrorKind, PgnResult, tags::is_name};

/// No line of a real game comes near this; without a bound, a file that is no PGN at all would be
/// read into memory as one line.
const LONGEST_LINE: usize = 1 << 24;

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Token {
    Tag(String, String),
    /// A move, or what stands in the place of one.
    Word(String),
    Nag(u8),
    /// With single spaces between its words, and without braces.
    Comment(String),
    VariationStart,
    VariationEnd,
    Result(PgnResult),
    End,
}

pub(super) struct Tokens<R> {
    input: R,
    line: String,
    /// How much of the line has been read, in bytes.
    at: usize,
    /// The line, counted from 1.
    pub(super) number: usize,
}

impl<R: BufRead> Tokens<R> {
    pub(super) const fn new(input: R) -> Tokens<R> {
        Tokens {
            input,
            line: String::new(),
            at: 0,
            number: 0,
        }
    }

    /// Reads the next line; `false` at the end of the file.
    fn next_line(&mut self) -> Result<bool, PgnErrorKind> {
        self.at = 0;
        self.line.clear();
        let mut bytes = Vec::new();
        self.input
            .by_ref()
            .take(LONGEST_LINE as u64)
            .read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        if bytes.len() == LONGEST_LINE {
            return Err(PgnErrorKind::LineTooLong(LONGEST_LINE));
        }
        self.line = String::from_utf8(bytes)
            .unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect());
        if self.number == 1 && self.line.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        Ok(true)
    }

    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    /// Takes the characters up to the first that is not wanted.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        let taken = rest[..end].to_owned();
        self.at += end;
        taken
    }

    fn take_rest(&mut self) -> String {
        self.take_while(|_| true)
    }

    /// Passes over everything up to a line that begins a game: the first of its tags.
    pub(super) fn skip_to_tags(&mut self) -> Result<(), PgnErrorKind> {
        while self.at > 0 || !is_tag_line(&self.line) {
            match self.next_line() {
                Ok(true) | Err(PgnErrorKind::LineTooLong(_)) => {}
                Ok(false) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Passes over the rest of the line.
    pub(super) fn skip_line(&mut self) {
        self.at = self.line.len();
    }

    pub(super) fn next(&mut self) -> Result<Token, PgnErrorKind> {
        loop {
            let blank = self.rest().len() - self.rest().trim_ascii_start().len();
            self.at += blank;
            match self.rest().chars().next() {
                // The escape mechanism of the standard: such lines are for other programs.
                Some('%') if self.at == 0 => self.skip_line(),
                Some('.') => self.at += 1,
                Some('0'..='9') => {
                    let word = self.take_while(is_word);
                    // Digits alone are a move number.
                    if !word.bytes().all(|b| b.is_ascii_digit()) {
                        return Ok(result_or_word(word));
                    }
                }
                Some(c) => return self.token(c),
                None if self.next_line()? => {}
                None => return Ok(Token::End),
            }
        }
    }

    /// The token that begins with `c`, which is next.
    fn token(&mut self, c: char) -> Result<Token, PgnErrorKind> {
        match c {
            '[' => self.tag(),
            '{' => self.comment(),
            ';' => {
                self.at += 1;
                let text = self.take_rest();
                Ok(comment(&text))
            }
            '(' => {
                self.at += 1;
                Ok(Token::VariationStart)
            }
            ')' => {
                self.at += 1;
                Ok(Token::VariationEnd)
            }
            '*' => {
                self.at += 1;
                Ok(Token::Result(PgnResult::Unfinished))
            }
            '$' => {
                self.at += 1;
                let digits = self.take_while(is_word);
                nag(&digits).ok_or_else(|| PgnErrorKind::Nag(format!("${digits}")))
            }
            '!' | '?' => {
                let glyph = self.take_while(|c| c == '!' || c == '?');
                let number = ["!", "?", "!!", "??", "!?", "?!"]
                    .iter()
                    .position(|&known| known == glyph);
                number
                    .map(|i| Token::Nag(i as u8 + 1))
                    .ok_or(PgnErrorKind::Nag(glyph))
            }
            _ if is_word(c) => Ok(result_or_word(self.take_while(is_word))),
            _ => Err(PgnErrorKind::Character(c)),
        }
    }

    /// `[Name "value"]`, with `\"` and `\\` in the value.
    fn tag(&mut self) -> Result<Token, PgnErrorKind> {
        let refuse = |tokens: &Self| PgnErrorKind::Tag(tokens.rest().trim_end().to_owned());
        let inside = self.rest()[1..].trim_ascii_start();
        let name_end = inside.find(|c: char| c.is_ascii_whitespace() || c == '"');
        let (name, after) = inside.split_at(name_end.ok_or_else(|| refuse(self))?);
        let quoted = after.trim_ascii_start().strip_prefix('"');
        let quoted = quoted.ok_or_else(|| refuse(self))?;
        let mut value = String::new();
        let mut chars = quoted.char_indices();
        let end = loop {
            match chars.next() {
                Some((i, '"')) => break i + 1,
                Some((_, '\\')) if quoted_pair(chars.as_str()) => {
                    value.extend(chars.next().map(|(_, c)| c));
                }
                Some((_, c)) if c != '\n' => value.push(c),
                _ => return Err(refuse(self)),
            }
        };
        let rest = quoted[end..].trim_ascii_start();
        let rest = rest.strip_prefix(']').ok_or_else(|| refuse(self))?;
        if !is_name(name) {
            return Err(refuse(self));
        }
        let name = name.to_owned();
        self.at = self.line.len() - rest.len();
        Ok(Token::Tag(name, value))
    }

    /// `{text}`, over as many lines as it takes.
    fn comment(&mut self) -> Result<Token, PgnErrorKind> {
        let begins = self.number;
        self.at += 1;
        let mut text = String::new();
        loop {
            text.push_str(&self.take_while(|c| c != '}'));
            if self.rest().starts_with('}') {
                self.at += 1;
                return Ok(comment(&text));
            }
            // A brace that is never closed must not swallow the games after it.
            if !self.next_line()? || self.line.starts_with("[Event \"") || text.len() > LONGEST_LINE
            {
                return Err(PgnErrorKind::Comment { begins });
            }
        }
    }
}

/// Does a backslash before this text escape its first character?
fn quoted_pair(rest: &str) -> bool {
    rest.starts_with(['"', '\\'])
}

fn result_or_word(word: String) -> Token {
    match word.parse() {
        Ok(result) => Token::Result(result),
        Err(_) => Token::Word(word),
    }
}

fn is_word(c: char) -> bool {
    !c.is_ascii_whitespace() && !"[]{}();!?$*.\"".contains(c)
}

fn is_tag_line(line: &str) -> bool {
    line.strip_prefix('[').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains('"')
    })
}

fn nag(digits: &str) -> Option<Token> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok().map(Token::Nag))?
}

/// A comment as it is kept: PGN cannot write a closing brace inside one, and lines are wrapped.
fn comment(text: &str) -> Token {
    let words: Vec<&str> = text.split_whitespace().collect();
    Token::Comment(words.join(" ").replace('}', ")"))
}
