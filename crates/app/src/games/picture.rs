//! What is in a file of games, drawn.

use std::fmt::Write as _;

use learn::games::{OpeningLine, Phase, Survey};

use super::show::ranges;
use crate::solve::grouped;

const COLUMN: usize = 470;
const NAME: usize = 130;
const BAR: usize = 210;
const ROW: usize = 18;
const HEAD: usize = 60;

/// A picture of a survey as an SVG file that needs nothing else.
pub fn picture(name: &str, survey: &Survey) -> String {
    let results = ["1-0", "1/2-1/2", "0-1", "unknown"].map(str::to_owned);
    let phases = Phase::ALL.iter().map(Phase::to_string);
    let with = |mut bars: Vec<(String, u64)>, unknown: u64| {
        bars.push(("unknown".to_owned(), unknown));
        bars
    };
    let line = |line: &OpeningLine| (line.moves.clone(), line.games);
    let left = [
        (
            "results, games",
            results.into_iter().zip(survey.results).collect(),
        ),
        ("phases, positions", phases.zip(survey.phases).collect()),
        ("lengths in plies, games", ranges(&survey.lengths)),
        (
            "first moves, games",
            survey.first_moves.iter().map(line).collect(),
        ),
    ];
    let right = [
        ("years, games", with(ranges(&survey.years), survey.undated)),
        (
            "ratings, players of games",
            with(ranges(&survey.ratings), survey.unrated),
        ),
        (
            "openings, games",
            survey.openings.iter().map(line).collect(),
        ),
        ("events, games", survey.events.clone()),
    ];
    let (left, height_left) = column(&left);
    let (right, height_right) = column(&right);
    let title = format!(
        "{}: {} games, {} positions",
        escaped(name),
        grouped(survey.games),
        grouped(survey.positions)
    );
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" \
         aria-label=\"{title}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\
         <title>{title}</title><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <text x=\"20\" y=\"32\" font-size=\"18\">{title}</text>\
         <g transform=\"translate(20 {HEAD})\">{left}</g>\
         <g transform=\"translate({} {HEAD})\">{right}</g></svg>\n",
        2 * COLUMN + 20,
        HEAD + height_left.max(height_right) + 20,
        COLUMN + 20
    )
}

type Panel<'a> = (&'a str, Vec<(String, u64)>);

/// Panels below each other, and how high they are together.
fn column(panels: &[Panel<'_>]) -> (String, usize) {
    let (mut svg, mut y) = (String::new(), 0);
    for (title, bars) in panels {
        let all: u64 = bars.iter().map(|(_, count)| count).sum();
        let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0);
        if all == 0 {
            continue;
        }
        y += ROW;
        // Writing to a string cannot fail.
        let _ = write!(svg, "<text y=\"{y}\" font-weight=\"bold\">{title}</text>");
        for (name, count) in bars {
            y += ROW;
            let width = (*count as f64 / most as f64 * BAR as f64).max(0.5);
            let name: String = name.chars().take(22).collect();
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{NAME}\" y=\"{}\" width=\"{width:.1}\" height=\"{}\" fill=\"#4a7ab5\"/>\
                 <text x=\"{:.1}\" y=\"{y}\" fill=\"#555\">{} ({:.1} %)</text>",
                NAME - 6,
                escaped(&name),
                y - 11,
                ROW - 5,
                NAME as f64 + width + 5.0,
                grouped(*count),
                100.0 * *count as f64 / all as f64
            );
        }
        y += ROW / 2;
    }
    (svg, y)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
