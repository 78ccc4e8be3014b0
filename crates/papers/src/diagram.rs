//! Positions as drawings, with pieces of our own.

use std::fmt::Write as _;

use rules::{Position, Role, Square};

use crate::{Diagram, plot::escaped};

/// Squares are drawn 40 units wide.
const SQUARE: u32 = 40;
const EDGE: u32 = 16;

/// How wide and how high a board of 8×8 is.
pub(crate) const SIDE: f64 = (8 * SQUARE + EDGE) as f64;

/// A position as an SVG element; nothing but a title when its FEN is no position.
pub fn board_svg(diagram: &Diagram) -> String {
    let title = escaped(&diagram.caption);
    let Ok(position) = Position::from_fen(&diagram.fen) else {
        return format!("<svg class=\"board\" role=\"img\"><title>{title}</title></svg>");
    };
    let size = position.board().size() as u32;
    let side = size * SQUARE + EDGE;
    let mut svg = format!(
        "<svg class=\"board\" viewBox=\"0 0 {side} {side}\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title>"
    );
    for rank in 0..size {
        for file in 0..size {
            let (x, y) = (EDGE + file * SQUARE, (size - 1 - rank) * SQUARE);
            let shade = if (rank + file) % 2 == 0 {
                "dark"
            } else {
                "light"
            };
            // Writing to a string cannot fail.
            let _ = write!(
                svg,
                "<rect class=\"{shade}\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>"
            );
            if let Some(piece) = position.men().piece_at(Square::new(file + 8 * rank)) {
                let color = piece.color.fold_wb("white", "black");
                let _ = write!(
                    svg,
                    "<path class=\"man {color}\" transform=\"translate({x} {y})\" d=\"{}\"/>",
                    outline(piece.role)
                );
            }
            let name = Square::new(file + 8 * rank).to_string();
            if let Some((_, mark)) = diagram.marks.iter().find(|(square, _)| *square == name) {
                let width = (5 + 7 * mark.chars().count() as u32).clamp(19, SQUARE);
                let _ = write!(
                    svg,
                    "<rect class=\"mark-base\" x=\"{}\" y=\"{y}\" width=\"{width}\" height=\"14\"/>\
                     <text class=\"mark\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
                    x + SQUARE - width,
                    x + SQUARE - 2,
                    y + 11,
                    escaped(mark)
                );
            }
        }
    }
    for i in 0..size {
        let middle = i * SQUARE + SQUARE / 2;
        let _ = write!(
            svg,
            "<text class=\"label\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\
             <text class=\"label\" text-anchor=\"middle\" x=\"6\" y=\"{}\">{}</text>",
            EDGE + middle,
            side - 3,
            char::from(b'a' + i as u8),
            middle + 4,
            size - i
        );
    }
    svg.push_str("</svg>");
    svg
}

/// The outline of a piece in a square of 40 units: a foot that all share, and what tells it apart.
pub(crate) fn outline(role: Role) -> &'static str {
    match role {
        Role::King => {
            "M10 35H30V31H10ZM12 31L9 19Q14 14 20 19Q26 14 31 19L28 31ZM18.5 16V12H15V9H18.5V5H21.5V9\
             H25V12H21.5V16Z"
        }
        Role::Queen => {
            "M10 35H30V31H10ZM12 31L7 13L14 20L16 9L20 19L24 9L26 20L33 13L28 31ZM7 9A2 2 0 1 0 7.01 \
             9ZM16 5A2 2 0 1 0 16.01 5ZM24 5A2 2 0 1 0 24.01 5ZM33 9A2 2 0 1 0 33.01 9Z"
        }
        Role::Rook => "M9 35H31V31H9ZM13 31V18H27V31ZM10 18V8H14V12H18V8H22V12H26V8H30V18Z",
        Role::Bishop => {
            "M10 35H30V32H10ZM15 32L16 26Q8 20 20 9Q32 20 24 26L25 32ZM20 4A2.5 2.5 0 1 0 20.01 4Z"
        }
        Role::Knight => {
            "M10 35H31V32H10ZM13 32Q13 25 19 21L12 23L9 19L15 10L16 5L20 9Q32 11 29 32Z"
        }
        Role::Pawn => {
            "M11 35H29V32H11ZM14 32Q19 27 17 20H23Q21 27 26 32ZM20 10A5 5 0 1 0 20.01 10Z"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_every_size_show_their_men() {
        let board = |fen: &str, caption: &str| Diagram {
            fen: fen.into(),
            caption: caption.into(),
            marks: Vec::new(),
        };
        let svg = board_svg(&board("8/8/3k4/8/3K4/4R3/8/8 w - - 0 1", "a position"));
        assert_eq!(svg.matches("class=\"man").count(), 3);
        assert_eq!(svg.matches("<rect").count(), 64);
        let small = board_svg(&board("k4/5/1K3/5/4R w", "mate soon"));
        assert_eq!(small.matches("<rect").count(), 25);
        assert!(board_svg(&board("nonsense", "x")).contains("<title>x</title>"));
        let marks = vec![("e3".into(), "47".into()), ("z9".into(), "1".into())];
        let marked = Diagram {
            marks,
            ..board("8/8/3k4/8/3K4/4R3/8/8 w - - 0 1", "picked")
        };
        let svg = board_svg(&marked);
        assert_eq!(svg.matches("class=\"mark\"").count(), 1);
        assert!(svg.contains(">47</text>"));
    }
}
