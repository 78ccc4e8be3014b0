//! What a network makes of held-out games, as a page: calibration, and where it was sure and wrong.

use std::fmt::Write as _;

use learn::imitation::{Calibration, Judging};
use papers::{Diagram, Frame, Plot, Point, Series, Style, board_svg, boards_svg};
use rules::Position;

/// The page as HTML that needs nothing else.
pub fn page(name: &str, judging: &Judging) -> String {
    let name = escaped(name);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}: sure and wrong</title>\n<style>\n{}\n\
         .boards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: 1.5rem; }}\n\
         .boards svg {{ width: 100%; }}\n.plot {{ max-width: 34rem; }}\n</style></head>\n<body><main>\n<h1>{name}</h1>\n",
        papers::PAGE_STYLE
    );
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<p>{} held-out positions. First choices are off by {:.1} %, expected scores by {:.1} % on the mean.</p>\n{}\n{}\n",
        judging.matches.positions,
        100.0 * judging.moves.error(),
        100.0 * judging.endings.error(),
        chart("First choices: held likely, and played", &judging.moves).svg(),
        chart("Scores: expected, and what came", &judging.endings).svg(),
    );
    html.push_str(
        "<h2>Where it was surest of a move that was not played</h2>\n<div class=\"boards\">\n",
    );
    for mistake in &judging.surest {
        let caption = format!(
            "{} ({:.1} %) expected, {} ({:.1} %) played; game {}, after {} plies",
            mistake.choice,
            100.0 * mistake.share,
            mistake.played,
            100.0 * mistake.played_share,
            mistake.game,
            mistake.ply,
        );
        let board = board_svg(&Diagram {
            fen: mistake.fen.clone(),
            caption: caption.clone(),
            marks: Vec::new(),
        });
        let side = match mistake.fen.split(' ').nth(1) {
            Some("b") => "Black",
            _ => "White",
        };
        let caption = escaped(&caption);
        let _ = writeln!(
            html,
            "<figure>{board}<figcaption>{side} to move. {caption}.</figcaption></figure>"
        );
    }
    html.push_str("</div>\n</main></body></html>\n");
    html
}

/// The boards on which it was surest of a move that was not played, as a picture.
pub fn boards(name: &str, judging: &Judging) -> String {
    let frames: Vec<Frame> = judging
        .surest
        .iter()
        .filter_map(|mistake| {
            let position = Position::from_fen(&mistake.fen).ok()?;
            let caption = format!(
                "{} {:.1} %; played {} {:.1} %",
                mistake.choice,
                100.0 * mistake.share,
                mistake.played,
                100.0 * mistake.played_share
            );
            let frame = Frame::position(&position, caption);
            Some(
                [&mistake.choice, &mistake.played]
                    .into_iter()
                    .fold(frame, |frame, san| match position.parse_san(san) {
                        Ok(m) => frame.arrow(&position.uci(m)),
                        Err(_) => frame,
                    }),
            )
        })
        .collect();
    boards_svg(&format!("{name}: surest, and not played"), &frames)
}

fn chart(title: &str, calibration: &Calibration) -> Plot {
    let filled = calibration.tenths.iter().filter(|tenth| tenth.count > 0);
    let points = filled.map(|tenth| {
        let mean = |sum: f64| 100.0 * sum / tenth.count as f64;
        Point {
            x: mean(tenth.expected),
            y: mean(tenth.came),
            interval: None,
        }
    });
    let line = |x: f64| Point {
        x,
        y: x,
        interval: None,
    };
    let series = |name: &str, colour: usize, points: Vec<Point>| Series {
        name: name.to_owned(),
        colour,
        points,
    };
    Plot {
        title: title.to_owned(),
        x: "expected, %".to_owned(),
        y: "came, %".to_owned(),
        names: Vec::new(),
        log_x: false,
        log: false,
        style: Style::Lines,
        series: vec![
            series("as expected", 0, vec![line(0.0), line(100.0)]),
            series("what came", 1, points.collect()),
        ],
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
