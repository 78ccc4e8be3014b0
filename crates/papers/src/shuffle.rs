//! Games that come back to where they were.

use play::GameRecord;
use rules::{Color, Position};

use crate::Diagram;

/// A position that came back in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shuffle {
    position: Position,
    /// Plies played before it stood there for the first time, and for the second.
    plies: (usize, usize),
    /// Where white's moves in between went, in their order.
    squares: Vec<String>,
}

impl Shuffle {
    /// The first that comes back; `None` where none does.
    pub fn first(record: &GameRecord) -> Option<Shuffle> {
        let mut position = Position::from_fen(&record.start).ok()?;
        let mut past = vec![men_and_turn(&position)];
        let mut moves: Vec<&str> = Vec::new();
        for text in record.moves.split_ascii_whitespace() {
            position = position.after(position.parse_uci(text)?);
            moves.push(text);
            let now = men_and_turn(&position);
            if let Some(first) = past.iter().position(|past| *past == now) {
                let white = usize::from(position.turn() == Color::Black);
                let squares = moves[first..].iter().skip(white).step_by(2);
                return Some(Shuffle {
                    position,
                    plies: (first, moves.len()),
                    squares: squares.map(|m| m[2..4].to_owned()).collect(),
                });
            }
            past.push(now);
        }
        None
    }

    /// The position, with white's way back to it marked by numbers.
    pub fn diagram(&self, record: &GameRecord) -> Diagram {
        let mut marks: Vec<(String, String)> = Vec::new();
        for (square, number) in self.squares.iter().zip(1..) {
            match marks.iter_mut().find(|(other, _)| other == square) {
                Some((_, text)) => *text += &format!(",{number}"),
                None => marks.push((square.clone(), number.to_string())),
            }
        }
        let (first, again) = self.plies;
        Diagram {
            fen: self.position.fen(),
            caption: format!(
                "Game {}: on the board after {first} plies and again after {again}, white's moves in \
                 between in their order; {}",
                record.index + 1,
                record.outcome()
            ),
            marks,
        }
    }
}

/// The men on their squares and the side to move, without what a FEN counts.
fn men_and_turn(position: &Position) -> String {
    let fen = position.fen();
    let fields: Vec<&str> = fen.split_ascii_whitespace().take(2).collect();
    fields.join(" ")
}

#[cfg(test)]
mod tests {
    use rules::Reason;

    use super::*;

    #[test]
    fn the_way_back_is_marked() {
        let record = |moves: &str| GameRecord {
            index: 0,
            white: "a".into(),
            black: "b".into(),
            start: "k7/8/2K5/8/8/8/8/1R6 b - - 0 1".into(),
            moves: moves.into(),
            winner: None,
            reason: Reason::MoveCap,
            plies: moves.split(' ').count() as u32,
            seed: 1,
            remark: None,
            optimal_plies: None,
        };
        assert_eq!(Shuffle::first(&record("a8a7 b1b2 a7a8")), None);
        let back = record("a8a7 b1b2 a7a8 b2b1 a8a7");
        let shuffle = Shuffle::first(&back).unwrap();
        assert_eq!(shuffle.plies, (0, 4));
        let diagram = shuffle.diagram(&back);
        let marks = [("b2", "1"), ("b1", "2")].map(|(s, n)| (s.to_owned(), n.to_owned()));
        assert_eq!(diagram.marks, marks);
        assert!(diagram.caption.contains("after 0 plies and again after 4"));
    }
}
