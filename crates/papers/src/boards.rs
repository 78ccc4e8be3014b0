//! Boards beside each other in one file that needs no other: a game move by move, or squares in shades.

use std::fmt::Write as _;

use rules::{Game, Piece, Position, Role, Square};

use crate::{diagram::outline, plot::escaped};

/// A square is as wide as the outlines of the men are.
const SQUARE: u32 = 40;
const EDGE: u32 = 16;
/// Boards are drawn at half their size, so that four find room beside each other on a page.
const SHOWN: f64 = 0.5;
const GAP: f64 = 14.0;
const CAPTION: f64 = 24.0;
const TITLE: f64 = 30.0;
const IN_A_ROW: usize = 4;
/// Boards of a game, at most: nobody looks at more.
const MOST: usize = 60;

/// A board of a picture.
#[derive(Clone, Debug)]
pub struct Frame {
    size: u32,
    men: Vec<(Square, Piece)>,
    /// From where to where; the first in white's colour.
    arrows: Vec<(Square, Square)>,
    shades: Vec<(Square, f64, String)>,
    caption: String,
}

impl Frame {
    /// A position.
    pub fn position(position: &Position, caption: impl Into<String>) -> Frame {
        let men = position.men();
        Frame {
            size: position.board().size() as u32,
            men: men.clone().into_iter().collect(),
            arrows: Vec::new(),
            shades: Vec::new(),
            caption: caption.into(),
        }
    }

    /// Squares in shades, from 0 to 1, each with what stands on it.
    pub fn shades(size: usize, shades: Vec<(Square, f64, String)>, caption: &str) -> Frame {
        Frame {
            size: size as u32,
            men: Vec::new(),
            arrows: Vec::new(),
            shades,
            caption: caption.to_owned(),
        }
    }

    /// With an arrow for a move in UCI notation; nothing is added where it names no squares.
    pub fn arrow(mut self, uci: &str) -> Frame {
        let square = |text: Option<&str>| text.and_then(|text| text.parse().ok());
        if let (Some(from), Some(to)) = (square(uci.get(..2)), square(uci.get(2..4))) {
            self.arrows.push((from, to));
        }
        self
    }
}

/// A game: its first position, then a board whenever both sides have moved, and the last position.
pub fn game_frames(game: &Game) -> Vec<Frame> {
    let positions: Vec<&Position> = game.positions().collect();
    let moves: Vec<_> = game.moves().collect();
    let side = positions[0].turn().fold_wb("White", "Black");
    let mut frames = vec![Frame::position(positions[0], format!("{side} to move"))];
    let (mut ply, mut number) = (0, 1);
    while ply < moves.len() && frames.len() < MOST {
        let both = positions[ply].turn().is_white() && ply + 1 < moves.len();
        let end = ply + 1 + usize::from(both);
        let dots = match positions[ply].turn().is_white() {
            true => ".",
            false => "…",
        };
        let mut caption = format!("{number}{dots}");
        for i in ply..end {
            caption += &format!(" {}", positions[i].san(moves[i]));
        }
        let frame = Frame::position(positions[end], caption);
        frames.push((ply..end).fold(frame, |frame, i| frame.arrow(&positions[i].uci(moves[i]))));
        ply = end;
        number += 1;
    }
    frames
}

/// Boards beside each other, four in a row: an SVG file by itself.
pub fn boards_svg(title: &str, frames: &[Frame]) -> String {
    let largest = frames.iter().map(|frame| frame.size).max().unwrap_or(0);
    let side = f64::from(largest * SQUARE + EDGE) * SHOWN;
    let (step_x, step_y) = (side + GAP, side + CAPTION + GAP);
    let columns = frames.len().clamp(1, IN_A_ROW);
    let rows = frames.len().div_ceil(IN_A_ROW);
    let title = escaped(title);
    // A single board is narrower than most titles.
    let width = (GAP + step_x * columns as f64).max(8.6 * title.chars().count() as f64 + 2.0 * GAP);
    let height = TITLE + GAP + step_y * rows as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>\n<style>\n{}{}{}</style>\n",
        include_str!("picture.css"),
        include_str!("board.css"),
        include_str!("boards.css"),
    );
    svg += &definitions(frames);
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text class=\"title\" x=\"{GAP}\" y=\"22\">{title}</text>"
    );
    for (i, frame) in frames.iter().enumerate() {
        let x = GAP + step_x * (i % IN_A_ROW) as f64;
        let y = TITLE + GAP + step_y * (i / IN_A_ROW) as f64;
        let _ = writeln!(
            svg,
            "<g class=\"board\" transform=\"translate({x} {y}) scale({SHOWN})\">{}</g>\
             <text class=\"caption\" x=\"{}\" y=\"{}\">{}</text>",
            drawn(frame),
            x + f64::from(EDGE) * SHOWN,
            y + side + 16.0,
            escaped(&frame.caption)
        );
    }
    svg + "</svg>\n"
}

/// What boards have in common: the empty board of each size, the outline of each man, the tip of an arrow.
fn definitions(frames: &[Frame]) -> String {
    let mut sizes: Vec<u32> = frames.iter().map(|frame| frame.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut text = "<defs>\n".to_owned();
    for size in sizes {
        let whole = size * SQUARE;
        let _ = write!(
            text,
            "<g id=\"board-{size}\"><rect class=\"light\" x=\"{EDGE}\" width=\"{whole}\" height=\"{whole}\"/>\
             <path class=\"dark\" d=\""
        );
        for (file, rank) in (0..size * size).map(|n| (n % size, n / size)) {
            if (file + rank) % 2 == 0 {
                let (x, y) = corner(size, file, rank);
                let _ = write!(text, "M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
            }
        }
        text += "\"/>";
        for i in 0..size {
            let middle = i * SQUARE + SQUARE / 2;
            let _ = write!(
                text,
                "<text class=\"label\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\
                 <text class=\"label\" text-anchor=\"middle\" x=\"6\" y=\"{}\">{}</text>",
                EDGE + middle,
                whole + EDGE - 2,
                char::from(b'a' + i as u8),
                middle + 4,
                size - i
            );
        }
        text += "</g>\n";
    }
    for role in Role::ALL {
        let is_seen = |frame: &Frame| frame.men.iter().any(|(_, piece)| piece.role == role);
        if frames.iter().any(is_seen) {
            let (name, path) = (role.char(), outline(role));
            let _ = writeln!(text, "<path id=\"man-{name}\" d=\"{path}\"/>");
        }
    }
    if frames.iter().any(|frame| !frame.arrows.is_empty()) {
        for n in 0..2 {
            let _ = writeln!(
                text,
                "<marker id=\"tip-{n}\" class=\"tip-{n}\" viewBox=\"0 0 10 10\" refX=\"7\" refY=\"5\" markerWidth=\"3.2\" \
                 markerHeight=\"3.2\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\"/></marker>"
            );
        }
    }
    text + "</defs>\n"
}

/// A board, full size.
fn drawn(frame: &Frame) -> String {
    let size = frame.size;
    let mut svg = format!("<use href=\"#board-{size}\"/>");
    let at = |square: Square| corner(size, square.file().into(), square.rank().into());
    let is_there =
        |square: Square| u32::from(square.file()).max(u32::from(square.rank())) < frame.size;
    for (square, shade, text) in frame.shades.iter().filter(|(square, ..)| is_there(*square)) {
        let (x, y) = at(*square);
        let ink = if *shade > 0.55 { "deep" } else { "shade-text" };
        let _ = write!(
            svg,
            "<rect class=\"shade-base\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>\
             <rect class=\"heat-shade\" fill-opacity=\"{:.3}\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>\
             <text class=\"{ink}\" font-size=\"16\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
            shade.clamp(0.0, 1.0),
            x + SQUARE / 2,
            y + SQUARE / 2 + 6,
            escaped(text)
        );
    }
    for (square, piece) in &frame.men {
        let (x, y) = at(*square);
        let color = piece.color.fold_wb("white", "black");
        let name = piece.role.char();
        let _ = write!(
            svg,
            "<use href=\"#man-{name}\" class=\"man {color}\" x=\"{x}\" y=\"{y}\"/>"
        );
    }
    for (n, &(from, to)) in frame.arrows.iter().enumerate() {
        let middle = |square: Square| {
            let (x, y) = at(square);
            (f64::from(x + SQUARE / 2), f64::from(y + SQUARE / 2))
        };
        let ((x1, y1), (x2, y2)) = (middle(from), middle(to));
        let n = n.min(1);
        let _ = write!(
            svg,
            "<line class=\"arrow-{n}\" marker-end=\"url(#tip-{n})\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        );
    }
    svg
}

/// The upper left corner of a square.
fn corner(size: u32, file: u32, rank: u32) -> (u32, u32) {
    (EDGE + file * SQUARE, (size - 1 - rank) * SQUARE)
}

#[cfg(test)]
mod tests {
    use rules::Rules;

    use super::*;

    fn played(fen: &str, moves: &[&str]) -> Game {
        let start = Position::from_fen(fen).expect("a position");
        let mut game = Game::new(start, Rules::none());
        for san in moves {
            let m = game.position().parse_san(san).expect("a move");
            game.play(m).expect("legal");
        }
        game
    }

    #[test]
    fn a_game_has_a_board_for_each_move_of_both_sides() {
        let game = played("8/8/8/k7/2K5/8/8/7R w - - 0 1", &["Rh2", "Ka4", "Ra2#"]);
        let frames = game_frames(&game);
        let captions: Vec<&str> = frames.iter().map(|frame| frame.caption.as_str()).collect();
        assert_eq!(captions, ["White to move", "1. Rh2 Ka4", "2. Ra2#"]);
        assert_eq!(frames[1].arrows.len(), 2);
        let svg = boards_svg("A rook & two kings", &frames);
        assert_eq!(svg.matches("class=\"board\"").count(), 3);
        assert_eq!(svg.matches("class=\"man").count(), 9);
        assert_eq!(svg.matches("<line").count(), 3);
        assert!(svg.contains("A rook &amp; two kings") && !svg.contains("man-q"));
        let black = played("8/8/8/8/8/k1K5/8/R7 b - - 0 1", &[]);
        assert_eq!(game_frames(&black)[0].caption, "Black to move");
        let black = played("8/8/8/8/8/k1K5/8/7R b - - 0 1", &["Ka4", "Ra1+"]);
        let captions: Vec<String> = game_frames(&black).into_iter().map(|f| f.caption).collect();
        assert_eq!(captions, ["Black to move", "1… Ka4", "2. Ra1+"]);
    }

    #[test]
    fn a_long_game_is_cut_off() {
        let back_and_forth = ["Rh2", "Ka4", "Rh1", "Ka3"].repeat(100);
        let game = played("8/8/8/8/8/k1K5/8/7R w - - 0 1", &back_and_forth);
        assert_eq!(game_frames(&game).len(), MOST);
    }

    #[test]
    fn shades_stay_on_their_board() {
        let shades = vec![
            (Square::A1, 0.2, "20".to_owned()),
            (Square::H8, 1.0, "100".to_owned()),
        ];
        let svg = boards_svg("where", &[Frame::shades(5, shades, "king")]);
        assert_eq!(svg.matches("class=\"heat-shade\"").count(), 1);
        assert!(svg.contains("fill-opacity=\"0.200\"") && svg.contains(">king</text>"));
        assert!(
            Frame::shades(5, Vec::new(), "")
                .arrow("ö")
                .arrows
                .is_empty()
        );
    }
}
