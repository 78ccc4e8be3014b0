//! A ladder, drawn: ratings with their intervals, the best above.

use std::fmt::Write as _;

use super::table::{Row, Table};

const NAME: f64 = 300.0;
const WIDTH: f64 = 460.0;
const ROW: f64 = 26.0;
const TOP: f64 = 44.0;

/// The picture as an SVG file that needs nothing else.
pub fn picture(table: &Table) -> String {
    let ends = |row: &Row| {
        [
            row.rating.elo - row.rating.error,
            row.rating.elo + row.rating.error,
        ]
    };
    let all = table.rows.iter().flat_map(ends);
    let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    let step = step((high - low).max(1.0) / 6.0);
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let x = |elo: f64| NAME + WIDTH * (elo - low) / (high - low).max(1.0);
    let bottom = TOP + ROW * table.rows.len() as f64;
    let mut inner = String::new();
    let mut tick = low;
    while tick <= high + step / 2.0 {
        let at = x(tick);
        let _ = writeln!(
            inner,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{tick:.0}</text>",
            bottom + 18.0
        );
        tick += step;
    }
    for (place, row) in table.rows.iter().enumerate() {
        let y = TOP + ROW * (place as f64 + 0.5);
        let [from, to] = ends(row).map(x);
        let at = x(row.rating.elo);
        let color = if row.is_anchor { "#555" } else { "#1f5fa8" };
        let _ = writeln!(
            inner,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <line x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <circle cx=\"{at:.1}\" cy=\"{y}\" r=\"4.5\" fill=\"{color}\"><title>{:.1} ± {:.1}</title></circle>",
            NAME - 12.0,
            y + 4.0,
            escaped(&shortened(&row.player)),
            row.rating.elo,
            row.rating.error,
        );
    }
    let (width, height) = (NAME + WIDTH + 40.0, bottom + 34.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"Ratings with 95 % intervals\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{NAME}\" y=\"24\" font-weight=\"bold\">Elo, with 95 % intervals</text>\n{inner}</svg>\n"
    )
}

/// A round number near `about`: 1, 2 or 5 times a power of ten.
fn step(about: f64) -> f64 {
    let power = 10_f64.powf(about.log10().floor());
    let times = about / power;
    power
        * if times < 1.5 {
            1.0
        } else if times < 3.5 {
            2.0
        } else if times < 7.5 {
            5.0
        } else {
            10.0
        }
}

fn shortened(name: &str) -> String {
    const MOST: usize = 42;
    match name.chars().count() {
        0..=MOST => name.to_owned(),
        _ => name.chars().take(MOST - 1).chain(['…']).collect(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
