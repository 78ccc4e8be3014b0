//! Pieces of PGN made into blocks of games.
//!
//! `pgn-reader` takes the text apart; it is fast and passes over what it does not know. What it calls
//! a game ends at an empty line; here a game goes on until its result, the next tags, or the next
//! place where a game begins (see [`super::pieces`]).

use std::{
    cell::Cell,
    io::{self, Read},
    ops::ControlFlow,
};

use pgn_reader::{
    RawTag, Reader, SanPlus, Visitor,
    shakmaty::{KnownOutcome, Outcome, san::San},
};
use rules::{Board, Chess, PgnResult, Position, ShakmatyPosition as _};

use super::{
    Date, Filter, GameHeader, PackedMove, Reason, Remark, Report,
    block::{BlockBuilder, SourceEnd, readable},
    names::{BETWEEN, KEPT_TAGS, push_value},
    pieces::{Piece, games},
    report::{Damage, Example, count},
};

/// What `pgn-reader` holds of a text at a time, unless it is told to hold more.
const HELD: usize = 1 << 14;
/// Empty lines that are handed out after a game. Near the end of a text `pgn-reader` asks for more with
/// every word; so it is not near the end before the game is over.
const EMPTY_LINES: usize = 512;
/// The longest line of a tag in a game that is longer than what is held.
const TAG_LINE: usize = 1 << 16;

/// Reads one piece: the bytes of a block.
pub(super) fn read(piece: &Piece, source: u32, filter: &Filter) -> Vec<u8> {
    let mut reading = Reading::new(filter);
    reading.report.lines =
        memchr::memchr_iter(b'\n', &piece.text).count() as u64 + piece.lines_passed;
    if piece.too_long {
        reading.report.read = 1;
        reading.break_off(Reason::TooLong, || "it is longer than 16 MiB".to_owned());
        reading.close_broken();
    } else {
        reading.games_of(&piece.text, piece.last);
    }
    if let Some(why) = &piece.damage {
        reading.report.damaged.push(Damage {
            source: String::new(),
            bytes: piece.end,
            why: why.clone(),
        });
    }
    let end = SourceEnd {
        source,
        bytes: piece.end,
        last: piece.last,
    };
    reading.block.finish(end, &reading.report)
}

/// A game after the other, out of text.
struct Reading<'a> {
    filter: &'a Filter,
    block: BlockBuilder,
    report: Report,
    /// The text of the piece up to the game at hand, for the number of its line.
    above: &'a [u8],
    state: State,
    tags: GameTags,
    chess: Chess,
    start: String,
    moves: Vec<PackedMove>,
    names: String,
    broken: Option<(Reason, String)>,
}

/// How far a game has been read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Between games.
    Outside,
    /// Among its tags.
    Tags,
    /// Among its moves.
    Moves,
    /// Sorted out by its tags: the moves do not matter.
    Unwanted,
}

#[derive(Default)]
struct GameTags {
    names: [Vec<u8>; KEPT_TAGS.len()],
    date: Date,
    ratings: [Option<u16>; 2],
    result: Option<PgnResult>,
    fen: Vec<u8>,
    variant: Vec<u8>,
}

impl GameTags {
    fn clear(&mut self) {
        self.names.iter_mut().for_each(Vec::clear);
        self.fen.clear();
        self.variant.clear();
        (self.date, self.ratings, self.result) = (Date::default(), [None; 2], None);
    }

    fn set(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"Result" => self.result = result(value),
            b"Date" | b"UTCDate" => {
                // The one that knows more, whichever comes first.
                self.date = self.date.max(Date::read(value));
            }
            b"WhiteElo" => self.ratings[0] = rating(value),
            b"BlackElo" => self.ratings[1] = rating(value),
            b"FEN" => self.fen = value.to_owned(),
            b"Variant" => self.variant = value.to_owned(),
            _ => {
                let place = KEPT_TAGS.iter().position(|kept| kept.as_bytes() == name);
                if let Some(place) = place
                    && value != b"?"
                {
                    let kept = &mut self.names[place];
                    kept.clear();
                    kept.extend_from_slice(value);
                }
            }
        }
    }
}

/// A rating that makes sense.
fn rating(value: &[u8]) -> Option<u16> {
    let digits = value
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number: u16 = std::str::from_utf8(&value[..digits]).ok()?.parse().ok()?;
    (1..10_000).contains(&number).then_some(number)
}

fn result(value: &[u8]) -> Option<PgnResult> {
    match value {
        b"1/2" => Some(PgnResult::Draw),
        _ => std::str::from_utf8(value).ok()?.parse().ok(),
    }
}

/// Hands out the text of one game after the other, each as if there were nothing but empty lines
/// after it.
#[derive(Default)]
struct Feed<'a> {
    text: Cell<&'a [u8]>,
    empty_lines: Cell<usize>,
}

impl<'a> Feed<'a> {
    fn set(&self, game: &'a [u8]) {
        self.text.set(game);
        self.empty_lines.set(EMPTY_LINES);
    }
}

impl Read for &Feed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut text = self.text.get();
        let read = text.read(out)?;
        self.text.set(text);
        let empty_lines = self.empty_lines.get().min(out.len() - read);
        self.empty_lines.set(self.empty_lines.get() - empty_lines);
        out[read..read + empty_lines].fill(b'\n');
        Ok(read + empty_lines)
    }
}

impl<'a> Reading<'a> {
    fn new(filter: &'a Filter) -> Reading<'a> {
        Reading {
            filter,
            block: BlockBuilder::default(),
            report: Report::default(),
            above: &[],
            state: State::Outside,
            tags: GameTags::default(),
            chess: Chess::default(),
            start: String::new(),
            moves: Vec::new(),
            names: String::new(),
            broken: None,
        }
    }

    fn games_of(&mut self, text: &'a [u8], ends_source: bool) {
        let feed = Feed::default();
        let mut pgn = Reader::new(&feed);
        let mut read = 0;
        for game in games(text) {
            self.above = &text[..read];
            read += game.len();
            feed.set(game);
            let error = if game.len() + EMPTY_LINES <= HELD {
                self.all_of(&mut pgn)
            } else {
                let mut patient = Reader::build(&feed)
                    .set_supported_tag_line_length(TAG_LINE)
                    .finish();
                self.all_of(&mut patient)
            };
            let cut_short = ends_source && read == text.len();
            if let Some(error) = error {
                // It keeps what it has not understood: begin the next game with a fresh one.
                pgn = Reader::new(&feed);
                self.open();
                let reason = if cut_short {
                    Reason::CutShort
                } else {
                    Reason::Unclosed
                };
                self.break_off(reason, || error.to_string());
            }
            self.close(None, cut_short);
        }
    }

    /// Reads to the end of what is handed out, or to an error.
    fn all_of(&mut self, pgn: &mut Reader<&Feed<'_>>) -> Option<io::Error> {
        loop {
            match pgn.read_game(self) {
                Ok(Some(())) => {}
                Ok(None) => return None,
                Err(error) => return Some(error),
            }
        }
    }

    /// A game begins, unless one has begun.
    fn open(&mut self) {
        if self.state == State::Outside {
            self.state = State::Tags;
            self.report.read += 1;
            self.tags.clear();
            self.broken = None;
        }
    }

    /// The moves begin, unless they have begun.
    fn open_moves(&mut self) {
        self.open();
        if self.state != State::Tags {
            return;
        }
        self.state = State::Moves;
        self.moves.clear();
        self.start.clear();
        self.chess = Chess::default();
        let event = readable(&self.tags.names[0]);
        let sieve = self
            .filter
            .by_tags(self.tags.ratings, self.tags.date, Some(&event));
        if let Some(sieve) = sieve {
            *self.report.filtered.entry(sieve).or_default() += 1;
            self.state = State::Unwanted;
            return;
        }
        let variant = readable(&self.tags.variant).to_lowercase();
        if !["", "?", "standard", "chess", "normal", "from position"].contains(&&variant[..]) {
            self.break_off(Reason::Variant, || format!("tag Variant is '{variant}'"));
        } else if !self.tags.fen.is_empty() {
            self.set_up();
        }
    }

    fn set_up(&mut self) {
        let fen = readable(&self.tags.fen).into_owned();
        match Position::from_fen(&fen) {
            Ok(position) if position.board() == Board::STANDARD && position.men_count() <= 32 => {
                self.start = position.fen();
                self.chess = position.chess().clone();
                if self.start == Position::start().fen() {
                    self.start.clear();
                }
            }
            Ok(_) => self.break_off(Reason::Start, || {
                format!("tag FEN is no position of a game of chess: {fen}")
            }),
            Err(error) => self.break_off(Reason::Start, || format!("tag FEN: {error}")),
        }
    }

    /// The game at hand is broken, for this reason if it was not before.
    fn break_off(&mut self, reason: Reason, what: impl FnOnce() -> String) {
        if self.broken.is_none() && self.state != State::Unwanted {
            self.broken = Some((reason, what()));
        }
    }

    fn close_broken(&mut self) {
        if let Some((reason, what)) = self.broken.take() {
            let example = || example(self.report.read, self.above, &self.tags, &what);
            count(&mut self.report.broken, reason, example);
        }
        self.state = State::Outside;
    }

    /// The game at hand is over, with a result after its moves or without.
    fn close(&mut self, marker: Option<PgnResult>, cut_short: bool) {
        match self.state {
            State::Outside => return,
            State::Unwanted => {
                self.state = State::Outside;
                return;
            }
            // Tags without a move after them.
            State::Tags => self.open_moves(),
            State::Moves => {}
        }
        if self.state == State::Unwanted {
            self.state = State::Outside;
            return;
        }
        if cut_short && marker.is_none() {
            self.break_off(Reason::CutShort, || {
                "there is no result at the end".to_owned()
            });
        } else if self.moves.is_empty() && marker.is_none() {
            self.break_off(Reason::NoMoves, || {
                "there is nothing after the tags".to_owned()
            });
        }
        if self.broken.is_some() {
            self.close_broken();
            return;
        }
        self.state = State::Outside;
        let result = self.settle(marker);
        let plies = self.moves.len() as u16;
        if let Some(sieve) = self.filter.by_moves(plies, result) {
            *self.report.filtered.entry(sieve).or_default() += 1;
            return;
        }
        self.report.kept += 1;
        self.report.positions += u64::from(plies);
        self.names.clear();
        for (i, value) in self.tags.names.iter().enumerate() {
            if i > 0 {
                self.names.push(BETWEEN);
            }
            push_value(&mut self.names, value);
        }
        let header = GameHeader {
            plies,
            result,
            ratings: self.tags.ratings,
            date: self.tags.date,
            key: 0,
            first_move: 0,
            start: 0,
        };
        self.block
            .push(header, &self.start, &self.moves, &self.names);
    }

    /// The result: what the board shows, or else what the tag and the text after the moves say; not
    /// known when these contradict each other.
    fn settle(&mut self, marker: Option<PgnResult>) -> PgnResult {
        let tag = self.tags.result;
        let board = self.chess.legal_moves().is_empty().then(|| {
            if self.chess.is_check() {
                PgnResult::Win(!self.chess.turn())
            } else {
                PgnResult::Draw
            }
        });
        let known = |result: Option<PgnResult>| result.filter(|&r| r != PgnResult::Unfinished);
        let said = [known(board), known(marker), known(tag)];
        let settled = said.iter().flatten().next().copied();
        let contradictory = said.iter().flatten().any(|&other| Some(other) != settled);
        if contradictory {
            let what = format!(
                "the tag says {}, the moves end with {}, the board shows {}",
                tag.map_or("nothing".to_owned(), |r| r.to_string()),
                marker.map_or("nothing".to_owned(), |r| r.to_string()),
                board.map_or("no end".to_owned(), |r| r.to_string()),
            );
            self.remark(Remark::ContradictoryResult, &what);
        } else if marker.is_none() {
            self.remark(Remark::NoResultAfterMoves, "");
        } else if self.moves.is_empty() {
            self.remark(Remark::NoMoves, "");
        }
        match (board, contradictory) {
            (None, true) => PgnResult::Unfinished,
            _ => settled.unwrap_or(PgnResult::Unfinished),
        }
    }

    fn remark(&mut self, remark: Remark, what: &str) {
        let example = || example(self.report.read, self.above, &self.tags, what);
        count(&mut self.report.remarks, remark, example);
    }

    fn play(&mut self, san: San) {
        let found = san.to_move(&self.chess).or_else(|error| match san {
            // Some write no 'x', some write one where nothing is taken.
            San::Normal {
                role,
                file,
                rank,
                capture,
                to,
                promotion,
            } => San::Normal {
                role,
                file,
                rank,
                capture: !capture,
                to,
                promotion,
            }
            .to_move(&self.chess),
            _ => Err(error),
        });
        match found {
            Ok(_) if self.moves.len() == usize::from(u16::MAX) => {
                self.break_off(Reason::TooLong, || {
                    "it has more than 65,535 plies".to_owned()
                });
            }
            Ok(m) => {
                self.moves.push(PackedMove::new(m));
                self.chess.play_unchecked(m);
            }
            Err(error) => {
                let number = self.chess.fullmoves();
                let dots = self.chess.turn().fold_wb(".", "...");
                self.break_off(Reason::IllegalMove, || {
                    format!("{number}{dots} {san}: {error}")
                });
            }
        }
    }
}

/// Says where a game is and what is the matter with it.
fn example(game: u64, above: &[u8], tags: &GameTags, what: &str) -> Example {
    let name = |i: usize| {
        let name: String = readable(&tags.names[i]).chars().take(40).collect();
        if name.is_empty() {
            "?".to_owned()
        } else {
            name
        }
    };
    let players = format!("{} – {}", name(3), name(4));
    Example {
        source: String::new(),
        game,
        line: memchr::memchr_iter(b'\n', above).count() as u64 + 1,
        what: if what.is_empty() {
            players
        } else {
            format!("{players}: {what}")
        },
    }
}

impl Visitor for Reading<'_> {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if self.state != State::Tags {
            self.close(None, false);
        }
        self.open();
        self.tags.set(name, &value.decode());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        if self.state != State::Moves {
            self.open_moves();
        }
        if self.state == State::Moves && self.broken.is_none() {
            self.play(san.san);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        let result = match outcome {
            Outcome::Known(KnownOutcome::Decisive { winner }) => PgnResult::Win(winner),
            Outcome::Known(KnownOutcome::Draw) => PgnResult::Draw,
            Outcome::Unknown => PgnResult::Unfinished,
        };
        // A result alone, or a second one, is no game.
        if self.state != State::Outside {
            self.close(Some(result), false);
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}
