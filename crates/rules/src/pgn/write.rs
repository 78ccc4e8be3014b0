use std::fmt;

use shakmaty::Color;

use super::Pgn;
use crate::{Board, Position};

/// The standard's lines are shorter than 80 characters.
const WIDTH: usize = 79;

/// What the tag `Variant` calls a board.
pub(super) fn variant(board: Board) -> String {
    if board.is_standard() {
        "Standard".to_owned()
    } else {
        format!("{0}x{0}", board.size())
    }
}

impl fmt::Display for Pgn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.tags.roster() {
            tag(f, name, value)?;
        }
        tag(f, "Result", &self.result.to_string())?;
        for (name, value) in self.tags.others() {
            tag(f, name, value)?;
        }
        let start = self.game.start();
        if start.fen() != Position::start().fen() {
            tag(f, "SetUp", "1")?;
            tag(f, "FEN", &start.fen())?;
        }
        if !start.board().is_standard() {
            tag(f, "Variant", &variant(start.board()))?;
        }
        f.write_str("\n")?;
        let mut column = 0;
        for word in self.words() {
            let width = word.chars().count();
            // A line that began with one of these would be read as an escape or as a tag.
            let may_begin_line = !word.starts_with(['%', '[']);
            if column > 0 && column + 1 + width > WIDTH && may_begin_line {
                f.write_str("\n")?;
                column = 0;
            }
            if column > 0 {
                f.write_str(" ")?;
                column += 1;
            }
            f.write_str(&word)?;
            column += width;
        }
        f.write_str("\n")
    }
}

impl Pgn {
    /// Everything between the tags and the end, in pieces between which a line may break.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        self.annotations(0, &mut words);
        let mut number_needed = true;
        for (ply, (position, m)) in self.game.positions().zip(self.game.moves()).enumerate() {
            let number = position.fullmoves();
            match position.turn() {
                Color::White => words.push(format!("{number}.")),
                Color::Black if number_needed => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(position.san(m));
            number_needed = self.annotations(ply + 1, &mut words);
        }
        words.push(self.result.to_string());
        words
    }

    /// Writes what is said after `ply` plies; `true` when there is a comment.
    fn annotations(&self, ply: usize, words: &mut Vec<String>) -> bool {
        words.extend(
            self.nags
                .get(&ply)
                .into_iter()
                .flatten()
                .map(|nag| format!("${nag}")),
        );
        let Some(comment) = self.comments.get(&ply) else {
            return false;
        };
        let text = format!("{{{}}}", comment.replace('}', ")"));
        words.extend(text.split_whitespace().map(str::to_owned));
        true
    }
}

fn tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(f, "[{name} \"{value}\"]")
}
