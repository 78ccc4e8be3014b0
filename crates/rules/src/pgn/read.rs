use std::{
    collections::BTreeMap,
    io::{BufReader, Read},
};

use super::{
    Pgn, PgnError, PgnErrorKind, PgnResult, Tags,
    tokens::{Token, Tokens},
};
use crate::{Game, Position, Reason, Rules};

/// Reads the games of a PGN file one by one, in memory for one game.
///
/// Every game is a result of its own: after an error the reader goes on with the next game, which
/// begins at the next line that is a tag. Only after an error of the file itself is there nothing
/// more.
pub struct PgnReader<R> {
    tokens: Tokens<BufReader<R>>,
    /// What has been looked at but not yet used.
    pending: Option<Result<Token, PgnErrorKind>>,
    rules: Rules,
    games: usize,
    /// Where an error is, if there is one.
    line: usize,
    ended: bool,
}

/// The tags of the text, those that follow from the game among them.
#[derive(Default)]
struct Header {
    tags: Tags,
    result: Option<PgnResult>,
    fen: Option<String>,
    setup: Option<String>,
    variant: Option<String>,
}

impl<R: Read> PgnReader<R> {
    /// Reads from `input`, which needs no buffer of its own; the games are played under `rules`.
    pub fn new(input: R, rules: Rules) -> PgnReader<R> {
        PgnReader {
            tokens: Tokens::new(BufReader::with_capacity(1 << 16, input)),
            pending: None,
            rules,
            games: 0,
            line: 0,
            ended: false,
        }
    }

    fn token(&mut self) -> Result<Token, PgnErrorKind> {
        let token = self.pending.take().unwrap_or_else(|| self.tokens.next());
        self.line = self.tokens.number;
        token
    }

    fn game(&mut self) -> Result<Pgn, PgnErrorKind> {
        let header = self.header()?;
        let start = header.start()?;
        let mut pgn = Pgn {
            game: Game::new(start, self.rules),
            tags: header.tags,
            comments: BTreeMap::new(),
            nags: BTreeMap::new(),
            result: PgnResult::Unfinished,
        };
        self.moves(&mut pgn)?;
        if let Some(tag) = header.result
            && tag != pgn.result
        {
            let token = pgn.result;
            return Err(PgnErrorKind::Contradiction { token, tag });
        }
        // Only what the board itself shows: a draw may go unclaimed, and time runs out anywhere.
        if let Some(outcome) = pgn.game.outcome()
            && matches!(outcome.reason, Reason::Checkmate | Reason::Stalemate)
            && pgn.result != PgnResult::Unfinished
            && pgn.result != outcome.into()
        {
            let token = pgn.result;
            return Err(PgnErrorKind::Board { token, outcome });
        }
        Ok(pgn)
    }

    /// Reads the tags to their end, even when one of them is wrong: the next tag after an error
    /// would otherwise look like the next game.
    fn header(&mut self) -> Result<Header, PgnErrorKind> {
        let mut header = Header::default();
        let mut seen: Vec<String> = Vec::new();
        let mut wrong: Option<(usize, PgnErrorKind)> = None;
        let mut last_line = self.line;
        let end = loop {
            let error = match self.token() {
                Ok(Token::Tag(name, _)) if seen.contains(&name) => PgnErrorKind::TagTwice(name),
                Ok(Token::Tag(name, value)) => {
                    seen.push(name.clone());
                    last_line = self.line;
                    match header.set(&name, value) {
                        Ok(()) => continue,
                        Err(error) => error,
                    }
                }
                Err(error @ PgnErrorKind::Tag(_)) => {
                    self.tokens.skip_line();
                    error
                }
                end => break end,
            };
            wrong.get_or_insert((self.line, error));
        };
        if let Some((line, error)) = wrong {
            self.pending = Some(end);
            self.line = line;
            return Err(error);
        }
        self.pending = Some(Ok(end?));
        self.line = last_line;
        Ok(header)
    }

    fn moves(&mut self, pgn: &mut Pgn) -> Result<(), PgnErrorKind> {
        loop {
            let ply = pgn.game.plies();
            match self.token()? {
                Token::Word(text) => {
                    let position = pgn.game.position();
                    let refuse = |source| PgnErrorKind::Move {
                        number: position.fullmoves(),
                        color: position.turn(),
                        source,
                    };
                    let m = position.parse_san(&text).map_err(refuse)?;
                    pgn.game.play_legal(m);
                }
                Token::Nag(nag) => pgn.nags.entry(ply).or_default().push(nag),
                Token::Comment(text) if text.is_empty() => {}
                Token::Comment(text) => {
                    let comment = pgn.comments.entry(ply).or_default();
                    if !comment.is_empty() {
                        comment.push(' ');
                    }
                    comment.push_str(&text);
                }
                Token::VariationStart => self.skip_variation()?,
                Token::VariationEnd => return Err(PgnErrorKind::Variation),
                Token::Result(result) => {
                    pgn.result = result;
                    return Ok(());
                }
                token @ (Token::Tag(..) | Token::End) => {
                    self.pending = Some(Ok(token));
                    return Err(PgnErrorKind::NoResult);
                }
            }
        }
    }

    fn skip_variation(&mut self) -> Result<(), PgnErrorKind> {
        let mut depth = 1;
        while depth > 0 {
            match self.token()? {
                Token::VariationStart => depth += 1,
                Token::VariationEnd => depth -= 1,
                token @ (Token::Tag(..) | Token::End) => {
                    self.pending = Some(Ok(token));
                    return Err(PgnErrorKind::Variation);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Says where an error is and goes to where the next game begins.
    fn refuse(&mut self, kind: PgnErrorKind) -> PgnError {
        let line = self.line;
        let at_next_game = match kind {
            PgnErrorKind::Io(_) => {
                self.ended = true;
                true
            }
            PgnErrorKind::Contradiction { .. } | PgnErrorKind::Board { .. } => true,
            _ => matches!(self.pending, Some(Ok(Token::Tag(..) | Token::End))),
        };
        if !at_next_game {
            self.pending = None;
            // An error of the file shows itself again when the next game is read.
            let _ = self.tokens.skip_to_tags();
        }
        PgnError {
            game: self.games,
            line,
            kind,
        }
    }
}

impl<R: Read> Iterator for PgnReader<R> {
    type Item = Result<Pgn, PgnError>;

    fn next(&mut self) -> Option<Result<Pgn, PgnError>> {
        if self.ended {
            return None;
        }
        let first = self.token();
        if let Ok(Token::End) = first {
            self.ended = true;
            return None;
        }
        self.pending = Some(first);
        self.games += 1;
        Some(self.game().map_err(|kind| self.refuse(kind)))
    }
}

impl Header {
    fn set(&mut self, name: &str, value: String) -> Result<(), PgnErrorKind> {
        match name {
            "Result" => self.result = Some(value.parse()?),
            "FEN" => self.fen = Some(value),
            "SetUp" => self.setup = Some(value),
            "Variant" => self.variant = Some(value),
            _ => self
                .tags
                .set(name, &value)
                .map_err(|error| PgnErrorKind::Tag(error.to_string()))?,
        }
        Ok(())
    }

    fn start(&self) -> Result<Position, PgnErrorKind> {
        let fen = self.fen.as_deref();
        if let Some(setup) = &self.setup
            && setup != if fen.is_some() { "1" } else { "0" }
        {
            return Err(PgnErrorKind::SetUp {
                setup: setup.clone(),
                fen: fen.is_some(),
            });
        }
        let start = fen.map_or_else(|| Ok(Position::start()), Position::from_fen)?;
        if let Some(found) = &self.variant {
            let expected = super::write::variant(start.board());
            let standard = ["chess", "standard", "normal", "from position"];
            let fits = *found == expected
                || start.board().is_standard()
                    && standard.contains(&&found.to_ascii_lowercase()[..]);
            if !fits {
                return Err(PgnErrorKind::Variant {
                    found: found.clone(),
                    expected,
                });
            }
        }
        Ok(start)
    }
}
