//! The tree of a population: a row for each member, a dot for each time it was judged, coloured by its score, and a
//! line to each dot from whoever it goes on with.

use std::fmt::Write as _;

use learn::tuning::{Judged, Report, written};

use crate::{drawing::Drawing, plot::escaped, tuning::height};

const LEFT: f64 = 84.0;
const RIGHT: f64 = 84.0;
const TOP: f64 = 74.0;
const BOTTOM: f64 = 46.0;
const ROW: f64 = 26.0;
const RADIUS: f64 = 7.5;
/// About the width of the charts beside it, and more where there are many generations.
const INNER: f64 = 312.0;
const LEAST_COLUMN: f64 = 34.0;
/// Generations of which each has its number of episodes below it.
const NUMBERED: usize = 8;

/// From the worst to the best: dark to light, told apart without colours, too.
const SHADES: [[f64; 3]; 5] = [
    [68.0, 1.0, 84.0],
    [59.0, 82.0, 139.0],
    [33.0, 145.0, 140.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];

/// Draws the lineage of a population.
pub(crate) fn draw(report: &Report) -> Drawing {
    let columns = report.generations.len();
    let rows = report.generations.first().map_or(0, |g| g.members.len());
    let inner = INNER.max(LEAST_COLUMN * columns.saturating_sub(1) as f64);
    let column = inner / columns.saturating_sub(1).max(1) as f64;
    let (width, bottom) = (LEFT + inner + RIGHT, TOP + ROW * rows as f64);
    let height = bottom + BOTTOM;
    let place = |generation: usize, member: usize| {
        (
            LEFT + column * generation as f64,
            TOP + ROW * (member as f64 + 0.5),
        )
    };
    let title = "Lineage, coloured by score";
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\
         <title>{title}</title><text class=\"title\" x=\"4\" y=\"18\">{title}</text>"
    );
    let range = range(report);
    legend(&mut svg, report, range);
    let best = report.ranked.first().map(|best| report.line(best.trial));
    let is_best = |generation: usize, member: usize| {
        let line = best.as_ref().and_then(|line| line.get(generation));
        line == Some(&member)
    };
    for (g, generation) in report.generations.iter().enumerate().skip(1) {
        let copies = &report.generations[g - 1].copies;
        for member in &generation.members {
            let to = member.trial;
            let from = copies.iter().find(|copied| copied.to == to);
            let from = from.map_or(to, |copied| copied.from);
            let ((x1, y1), (x2, y2)) = (place(g - 1, from), place(g, to));
            let middle = (x1 + x2) / 2.0;
            let ours = is_best(g - 1, from) && is_best(g, to);
            let (colour, thick) = match (ours, from == to) {
                (true, _) => ("#c2571a", 3.5),
                (false, true) => ("#b5b9be", 1.5),
                (false, false) => ("#6a7178", 1.5),
            };
            // Writing to a string cannot fail.
            let _ = write!(
                svg,
                "<path d=\"M{x1:.1} {y1:.1}C{middle:.1} {y1:.1} {middle:.1} {y2:.1} {x2:.1} {y2:.1}\" fill=\"none\" \
                 stroke=\"{colour}\" stroke-width=\"{thick}\"/>"
            );
        }
    }
    for (g, generation) in report.generations.iter().enumerate() {
        for member in &generation.members {
            let (x, y) = place(g, member.trial);
            let ring = match is_best(g, member.trial) {
                true => "stroke=\"#c2571a\" stroke-width=\"2.5\"",
                false => "stroke=\"#fff\" stroke-width=\"1\"",
            };
            let _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"{}\" {ring}><title>{}</title></circle>",
                shade(report, member, range),
                escaped(&format!(
                    "member {} after {}: {} ({})",
                    member.trial + 1,
                    generation.episodes,
                    report.score.written(member.mean),
                    written(&member.settings)
                ))
            );
        }
    }
    names(&mut svg, report, &place);
    let every = columns.div_ceil(NUMBERED).max(1);
    for (g, generation) in report.generations.iter().enumerate() {
        if (columns - 1 - g).is_multiple_of(every) {
            let (x, _) = place(g, 0);
            let _ = write!(
                svg,
                "<text class=\"label\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{}\">{}</text>",
                bottom + 17.0,
                generation.episodes
            );
        }
    }
    let _ = write!(
        svg,
        "<text class=\"label\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text></svg>",
        LEFT + inner / 2.0,
        height - 8.0,
        report.episodes
    );
    Drawing {
        svg,
        size: (width, height),
        caption: String::new(),
    }
}

/// The members' names on the left, and their last scores on the right.
fn names(svg: &mut String, report: &Report, place: &dyn Fn(usize, usize) -> (f64, f64)) {
    let Some(last) = report.generations.len().checked_sub(1) else {
        return;
    };
    for member in &report.generations[last].members {
        let (x, y) = place(last, member.trial);
        let (left, _) = place(0, member.trial);
        let _ = write!(
            svg,
            "<text class=\"label\" text-anchor=\"end\" x=\"{:.1}\" y=\"{2:.1}\">member {3}</text>\
             <text class=\"label\" x=\"{1:.1}\" y=\"{2:.1}\">{4}</text>",
            left - 14.0,
            x + 14.0,
            y + 4.0,
            member.trial + 1,
            report.score.written(member.mean)
        );
    }
}

/// The lowest and the highest mean of all.
fn range(report: &Report) -> (f64, f64) {
    let members = report.generations.iter().flat_map(|g| &g.members);
    let means = members.filter_map(|member| member.mean);
    let (low, high) = means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| {
        (low.min(mean), high.max(mean))
    });
    if low > high { (0.0, 1.0) } else { (low, high) }
}

/// What the colours mean.
fn legend(svg: &mut String, report: &Report, (low, high): (f64, f64)) {
    const BAR: f64 = 120.0;
    let stops = SHADES.len() - 1;
    svg.push_str("<defs><linearGradient id=\"score\">");
    for at in 0..=stops {
        let share = at as f64 / stops as f64;
        let shown = if report.search.lowest {
            1.0 - share
        } else {
            share
        };
        let _ = write!(
            svg,
            "<stop offset=\"{share}\" stop-color=\"{}\"/>",
            colour(shown)
        );
    }
    svg.push_str("</linearGradient></defs>");
    let score = |score: f64| report.score.written(Some(score));
    let (low, high) = (score(low), score(high));
    let left = 10.0 + 7.0 * low.chars().count() as f64;
    let right = left + BAR + 6.0;
    let key = right + 7.0 * high.chars().count() as f64 + 16.0;
    let _ = write!(
        svg,
        "<text class=\"label\" x=\"4\" y=\"48\">{low}</text>\
         <rect x=\"{left:.1}\" y=\"38\" width=\"{BAR}\" height=\"12\" fill=\"url(#score)\"/>\
         <text class=\"label\" x=\"{right:.1}\" y=\"48\">{high}</text>\
         <path d=\"M{key:.1} 44h24\" stroke=\"#c2571a\" stroke-width=\"3.5\"/>\
         <text class=\"label\" x=\"{:.1}\" y=\"48\">the line of the best</text>",
        key + 30.0
    );
}

/// The colour of a member.
fn shade(report: &Report, member: &Judged, (low, high): (f64, f64)) -> String {
    let Some(mean) = member.mean else {
        return "#fff".into();
    };
    let stretch = height(report, high) - height(report, low);
    let share = match stretch > 0.0 {
        true => (height(report, mean) - height(report, low)) / stretch,
        false => 1.0,
    };
    colour(if report.search.lowest {
        1.0 - share
    } else {
        share
    })
}

/// From the worst, 0, to the best, 1.
fn colour(share: f64) -> String {
    let place = share.clamp(0.0, 1.0) * (SHADES.len() - 1) as f64;
    let at = (place as usize).min(SHADES.len() - 2);
    let mix = |i: usize| {
        let (a, b) = (SHADES[at][i], SHADES[at + 1][i]);
        (a + (b - a) * (place - at as f64)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
