//! Text cut into pieces of whole games, so that many threads can read it.
//!
//! Where a game begins is told from the text alone, without regard to open braces: whoever forgot
//! to close a comment loses one game, not all that follow. A game begins
//! - at a line that begins with a tag, after a line that does not (empty ones aside),
//! - at a line with the tag `Event` after an empty line,
//! - at a tag `Event` within a line, after a space: some files have no line breaks.

use std::io::Read;

/// A piece is about so long.
const PIECE: usize = 1 << 20;
/// No game is longer; more is passed over.
const LONGEST_GAME: usize = 16 << 20;
/// What is kept of what is passed over, to see how the last line begins.
const KEPT: usize = 1 << 16;
/// The longest name of a tag.
const LONGEST_NAME: usize = 255;

/// A piece of text that holds whole games.
#[derive(Debug)]
pub(super) struct Piece {
    /// The text.
    pub text: Vec<u8>,
    /// Bytes of the source up to its end.
    pub end: u64,
    /// Is that the end of the source?
    pub last: bool,
    /// Is it the beginning of a game too long to be one? The rest of it was passed over.
    pub too_long: bool,
    /// Lines that were passed over.
    pub lines_passed: u64,
    /// Why the source cannot be read any further.
    pub damage: Option<String>,
}

impl Piece {
    /// All there is of a source that cannot be read from a byte on.
    pub fn unreadable(from: u64, why: String) -> Piece {
        Piece {
            text: Vec::new(),
            end: from,
            last: true,
            too_long: false,
            lines_passed: 0,
            damage: Some(why),
        }
    }
}

/// Cuts what it reads into pieces; where depends on nothing but the text from the last cut on.
pub(super) struct Pieces<R> {
    input: R,
    text: Vec<u8>,
    /// Bytes of the source before `text`.
    before: u64,
    ended: bool,
    finished: bool,
    damage: Option<String>,
}

impl<R: Read> Pieces<R> {
    /// Cuts the rest of a source of which `before` bytes are read already.
    pub fn new(input: R, before: u64) -> Pieces<R> {
        Pieces {
            input,
            text: Vec::new(),
            before,
            ended: false,
            finished: false,
            damage: None,
        }
    }

    /// The next piece; the last one may be empty, and after it there is none. A source that cannot be
    /// read any further ends there.
    pub fn next(&mut self) -> Option<Piece> {
        if self.finished {
            return None;
        }
        // Only what comes after the last cut counts, or an import that goes on would cut elsewhere.
        let (mut reach, mut looked) = (PIECE, 1);
        loop {
            self.fill(reach);
            if self.ended && self.text.len() <= reach {
                self.finished = true;
                let text = std::mem::take(&mut self.text);
                return Some(self.piece(text));
            }
            if let Some(cut) = last_beginning(&self.text[..reach], looked) {
                let rest = self.text.split_off(cut);
                let text = std::mem::replace(&mut self.text, rest);
                return Some(self.piece(text));
            }
            if reach >= LONGEST_GAME {
                return Some(self.pass_over());
            }
            looked = reach - LONGEST_NAME;
            reach += PIECE;
        }
    }

    fn piece(&mut self, text: Vec<u8>) -> Piece {
        self.before += text.len() as u64;
        Piece {
            end: self.before,
            last: self.finished,
            too_long: false,
            lines_passed: 0,
            damage: self.damage.take(),
            text,
        }
    }

    /// Reads on to where the next game begins, or to the end.
    fn pass_over(&mut self) -> Piece {
        let head = self.text[..KEPT].to_vec();
        let mut lines = 0;
        let mut looked = self.text.len() - LONGEST_NAME;
        loop {
            let next = (looked..self.text.len()).find(|&at| begins_game(&self.text, at));
            if next.is_none() && self.ended {
                self.finished = true;
            }
            let keep = next.unwrap_or(if self.finished {
                self.text.len()
            } else {
                self.text.len() - KEPT
            });
            lines += memchr::memchr_iter(b'\n', &self.text[..keep]).count() as u64;
            self.before += keep as u64;
            self.text.drain(..keep);
            if next.is_some() || self.finished {
                break;
            }
            looked = KEPT - LONGEST_NAME;
            self.fill(KEPT + PIECE);
        }
        let head_lines = memchr::memchr_iter(b'\n', &head).count() as u64;
        Piece {
            text: head,
            end: self.before,
            last: self.finished,
            too_long: true,
            lines_passed: lines - head_lines,
            damage: self.damage.take(),
        }
    }

    /// Reads until there are so many bytes, or all.
    fn fill(&mut self, reach: usize) {
        let more = reach.saturating_sub(self.text.len());
        if self.ended || more == 0 {
            return;
        }
        match (&mut self.input)
            .take(more as u64)
            .read_to_end(&mut self.text)
        {
            Ok(read) => self.ended = read < more,
            Err(error) => {
                self.ended = true;
                self.damage = Some(error.to_string());
            }
        }
    }
}

/// The last place, from `least` on, at which a game begins.
fn last_beginning(text: &[u8], least: usize) -> Option<usize> {
    memchr::memrchr_iter(b'[', text)
        .take_while(|&at| at >= least)
        .find(|&at| begins_game(text, at))
}

/// The games of a piece, cut where they begin.
pub(super) fn games(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut begin = 0;
    let mut brackets = memchr::memchr_iter(b'[', text);
    std::iter::from_fn(move || {
        if begin >= text.len() {
            return None;
        }
        let end = brackets
            .find(|&at| at > begin && begins_game(text, at))
            .unwrap_or(text.len());
        let game = &text[begin..end];
        begin = end;
        Some(game)
    })
}

/// Does a game begin at the bracket at `at`, which is not the first byte?
fn begins_game(text: &[u8], at: usize) -> bool {
    if text[at] != b'[' {
        return false;
    }
    match at.checked_sub(1).map(|before| text[before]) {
        Some(b'\n') => {
            if !is_tag(&text[at..]) {
                return false;
            }
            let above = text[..at].trim_ascii_end();
            let line = memchr::memrchr(b'\n', above).map_or(0, |end| end + 1);
            let breaks = memchr::memchr_iter(b'\n', &text[above.len()..at]).count();
            !is_tag(above[line..].trim_ascii_start())
                || (breaks > 1 && text[at..].starts_with(b"[Event "))
        }
        Some(b' ' | b'\t' | b'\r') => text[at..].starts_with(b"[Event \""),
        _ => false,
    }
}

/// Does the text begin with a tag, `[White "`?
fn is_tag(text: &[u8]) -> bool {
    let Some((b'[', rest)) = text.split_first() else {
        return false;
    };
    let name = rest
        .iter()
        .take(LONGEST_NAME)
        .take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_')
        .count();
    let after = rest[name..].trim_ascii_start();
    name > 0 && name < rest.len() && after.first() == Some(&b'"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        games(text.as_bytes())
            .map(|game| std::str::from_utf8(game).unwrap())
            .collect()
    }

    #[test]
    fn games_begin_at_tags_that_follow_something_else() {
        let games = [
            "[Event \"a\"]\n[Site \"x\"]\n\n1. e4 {no end\n",
            "[Site \"b\"]\n\n[Round \"1\"]\n1. d4 {[%clk 0:01]\n[%eval 1]} *\n\n",
            "[Event \"c\"]\n\n",
            "[Event \"d\"] 1. c4 * ",
            "[Event \"e\"] 1. f4 *",
        ];
        assert_eq!(cut(&games.concat()), games);
        assert!(cut("").is_empty());
        assert_eq!(cut("1. e4 e5 *\n\n1. d4 *"), ["1. e4 e5 *\n\n1. d4 *"]);
    }

    /// Pieces are the text, cut at games, whatever the reader hands over at a time.
    #[test]
    fn pieces_are_whole_games_and_nothing_is_lost() {
        let game = "[Event \"a\"]\n[Result \"*\"]\n\n1. e4 e5 {some words} *\n\n";
        let text = game.repeat(50_000);
        let mut pieces = Pieces::new(text.as_bytes(), 0);
        let (mut together, mut count) = (Vec::new(), 0);
        while let Some(piece) = pieces.next() {
            assert_eq!(piece.text.len() % game.len(), 0);
            together.extend(piece.text);
            assert_eq!(piece.end, together.len() as u64);
            assert_eq!(piece.last, together.len() == text.len());
            count += 1;
        }
        assert_eq!(together, text.as_bytes());
        assert!(count > 2);
    }

    /// Whoever begins to read where a piece ended cuts in the same places.
    #[test]
    fn pieces_do_not_depend_on_where_reading_began() {
        let long = format!(
            "[Event \"b\"]\n\n1. d4 {{{}}} *\n\n",
            "x".repeat(20_000_000)
        );
        let games =
            |n: usize| format!("[Event \"{n}\"]\n\n1. e4 {{{}}} *\n\n", "y".repeat(n % 997));
        let text: String = (0..8000).map(games).collect::<String>()
            + &long
            + &(0..8000).map(games).collect::<String>();
        let ends = |from: u64| {
            let mut pieces = Pieces::new(&text.as_bytes()[from as usize..], from);
            let mut ends = Vec::new();
            while let Some(piece) = pieces.next() {
                ends.push(piece.end);
            }
            ends
        };
        let all = ends(0);
        assert!(all.len() > 6, "{all:?}");
        for (i, &end) in all.iter().enumerate().take(all.len() - 1) {
            assert_eq!(ends(end), all[i + 1..], "from {end}");
        }
    }

    #[test]
    fn what_is_too_long_for_a_game_is_passed_over_up_to_the_next() {
        for filling in ["x", "[", "[A \"\"] ", "\n", "{"] {
            let long = filling.repeat(40_000_000 / filling.len());
            let good = "[Event \"a\"]\n\n1. e4 *\n\n";
            let text = format!("{good}[Event \"b\"]\n\n1. d4 {long} 1-0\n\n{good}{good}");
            let mut pieces = Pieces::new(text.as_bytes(), 0);
            let mut all = Vec::new();
            while let Some(piece) = pieces.next() {
                all.push((piece.too_long, piece.text.len(), piece.end));
            }
            assert_eq!(all[0], (false, good.len(), good.len() as u64));
            assert!(all[1].0, "{filling:?}");
            assert_eq!(
                all[1].2,
                (text.len() - 2 * good.len()) as u64,
                "{filling:?}"
            );
            assert_eq!(all.last().unwrap().2, text.len() as u64);
        }
    }
}
