//! Small charts as SVG: bars, lines or dots with error bars.
//!
//! Colours are left to the page's style sheet (classes `series-0`, `axis`, `grid` …), so that one
//! drawing serves light and dark pages.

use std::fmt::Write as _;

use crate::scale::{Scale, label};

/// A chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// What it shows; read out by screen readers, too.
    pub title: String,
    /// What runs along the horizontal axis.
    pub x: String,
    /// What runs along the vertical axis.
    pub y: String,
    /// Names along the horizontal axis; points then stand at 0, 1, 2 … Empty: numbers. With [`Style::Named`] the names of
    /// the points themselves, series after series.
    pub names: Vec<String>,
    /// Is the horizontal axis logarithmic, where it has numbers?
    pub log_x: bool,
    /// Is the vertical axis logarithmic?
    pub log: bool,
    /// Bars, lines or dots.
    pub style: Style,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// As bars side by side.
    Bars,
    /// As dots joined by lines.
    Lines,
    /// As dots.
    Dots,
    /// As dots with short names beside them.
    Named,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Which of the colours, from 0.
    pub colour: usize,
    /// Its points.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Where.
    pub x: f64,
    /// How high.
    pub y: f64,
    /// An interval around it.
    pub interval: Option<(f64, f64)>,
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 46.0;
/// About the width of a character.
const CHARACTER: f64 = 6.4;
/// More dots than this on a line only blur it.
const DOTS: usize = 60;

impl Plot {
    /// How wide and how high every chart is.
    pub(crate) const SIZE: (f64, f64) = (WIDTH, HEIGHT);

    /// The chart as an SVG element.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let title = escaped(&self.title);
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{title}\"><title>{title}</title>\
             <text class=\"title\" x=\"{LEFT}\" y=\"18\">{title}</text>"
        );
        self.legend(&mut svg);
        let y = self.vertical();
        let x = self.horizontal();
        self.axes(&mut svg, &x, &y);
        for (i, series) in self.series.iter().enumerate() {
            let _ = write!(svg, "<g class=\"series-{}\">", series.colour % COLOURS);
            match self.style {
                Style::Bars => self.bars(&mut svg, i, series, &y),
                Style::Lines => self.line(&mut svg, series, &x, &y),
                Style::Dots | Style::Named => self.dots(&mut svg, series, &x, &y),
            }
            svg.push_str("</g>");
        }
        if self.style == Style::Named {
            self.names_of_points(&mut svg, &x, &y);
        }
        svg.push_str("</svg>");
        svg
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    fn vertical(&self) -> Scale {
        let ends = self.points().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for end in ends.filter(|end| !self.log || *end > 0.0) {
            low = low.min(end);
            high = high.max(end);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if !self.log {
            low = low.min(0.0);
        }
        Scale::new(low, high, HEIGHT - BOTTOM, TOP, self.log)
    }

    fn horizontal(&self) -> Scale {
        let (low, high) = self
            .points()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| {
                (low.min(point.x), high.max(point.x))
            });
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        Scale::new(low, high, LEFT, WIDTH - RIGHT, self.log_x)
    }

    /// Is there room for these names side by side along the horizontal axis?
    pub(crate) fn has_room_for(names: &[String]) -> bool {
        let slot = (WIDTH - LEFT - RIGHT) / names.len().max(1) as f64;
        let lines = names.iter().flat_map(|name| lines(name));
        lines
            .into_iter()
            .flatten()
            .all(|line| CHARACTER * line.chars().count() as f64 <= slot)
    }

    /// The middle of the place of a name.
    fn slot(&self, i: f64) -> f64 {
        LEFT + (i + 0.5) * self.slot_width()
    }

    fn slot_width(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.names.len().max(1) as f64
    }

    fn numbers_along_the_axis(&self) -> bool {
        self.names.is_empty() || self.style == Style::Named
    }

    fn x_place(&self, x: f64, scale: &Scale) -> f64 {
        if self.numbers_along_the_axis() {
            scale.place(x)
        } else {
            self.slot(x)
        }
    }

    fn legend(&self, svg: &mut String) {
        let mut x = LEFT;
        for series in &self.series {
            let name = escaped(&series.name);
            let _ = write!(
                svg,
                "<g class=\"series-{}\"><rect class=\"bar\" x=\"{x}\" y=\"29\" width=\"10\" \
                 height=\"10\"/></g><text class=\"label\" x=\"{}\" y=\"38\">{name}</text>",
                series.colour % COLOURS,
                x + 15.0
            );
            x += 32.0 + CHARACTER * series.name.chars().count() as f64;
        }
    }

    fn axes(&self, svg: &mut String, x: &Scale, y: &Scale) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for tick in y.ticks() {
            let place = y.place(tick);
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{place:.1}\" \
                 y2=\"{place:.1}\"/><text class=\"label\" text-anchor=\"end\" x=\"{}\" \
                 y=\"{:.1}\">{}</text>",
                LEFT - 6.0,
                place + 4.0,
                label(tick)
            );
        }
        let _ = write!(
            svg,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{bottom}\" y2=\"{bottom}\"/>"
        );
        let marks: Vec<(f64, String)> = if self.numbers_along_the_axis() {
            x.ticks().iter().map(|&t| (x.place(t), label(t))).collect()
        } else {
            let names = self.names.iter().enumerate();
            names
                .map(|(i, name)| (self.slot(i as f64), name.clone()))
                .collect()
        };
        for (place, text) in marks {
            for (i, line) in lines(&text).into_iter().flatten().enumerate() {
                let _ = write!(
                    svg,
                    "<text class=\"label\" text-anchor=\"middle\" x=\"{place:.1}\" y=\"{}\">{}</text>",
                    bottom + 15.0 + 12.0 * i as f64,
                    escaped(line)
                );
            }
        }
        let _ = write!(
            svg,
            "<text class=\"label\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\
             <text class=\"label\" text-anchor=\"middle\" transform=\"translate(14 {}) \
             rotate(-90)\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 5.0,
            escaped(&self.x),
            (TOP + bottom) / 2.0,
            escaped(&self.y)
        );
    }

    fn bars(&self, svg: &mut String, i: usize, series: &Series, y: &Scale) {
        let width = 0.8 * self.slot_width() / self.series.len().max(1) as f64;
        let base = HEIGHT - BOTTOM;
        for point in &series.points {
            let left = self.slot(point.x) - 0.4 * self.slot_width() + width * i as f64;
            let top = y.place(point.y);
            let _ = write!(
                svg,
                "<rect class=\"bar\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\"><title>{}: {}</title></rect>",
                left + 1.0,
                width - 2.0,
                (base - top).max(0.8), // so that a zero can be seen
                escaped(&series.name),
                label(point.y)
            );
            error_bar(svg, left + width / 2.0, point, y);
        }
    }

    /// Is one of two places that have names a variant, such as "8×8, folded", and the other none? What
    /// lies between them is no way from the one to the other.
    fn of_another_kind(&self, from: f64, to: f64) -> bool {
        let variant = |x: f64| {
            self.names
                .get(x as usize)
                .map(|name| lines(name)[1].is_some())
        };
        variant(from) != variant(to)
    }

    fn line(&self, svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
        let mut path = String::new();
        let mut reached = f64::INFINITY;
        for point in &series.points {
            let start = match point.x < reached || self.of_another_kind(reached, point.x) {
                true => 'M',
                false => 'L',
            };
            reached = point.x;
            let (px, py) = (self.x_place(point.x, x), y.place(point.y));
            let _ = write!(path, "{start}{px:.1} {py:.1}");
        }
        let _ = write!(svg, "<path class=\"line\" d=\"{path}\"/>");
        if series.points.len() <= DOTS {
            self.dots(svg, series, x, y);
        }
    }

    fn dots(&self, svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
        for point in &series.points {
            let place = self.x_place(point.x, x);
            match (self.style, point.interval) {
                (Style::Named, _) => (),
                // Ends that are dots themselves need no marks.
                (Style::Dots, Some((low, high))) => {
                    let (low, high) = (y.place(low), y.place(high));
                    let _ = write!(
                        svg,
                        "<path class=\"error\" d=\"M{place:.1} {low:.1}V{high:.1}\"/>"
                    );
                }
                _ => error_bar(svg, place, point, y),
            }
            let _ = write!(
                svg,
                "<circle class=\"dot\" cx=\"{place:.1}\" cy=\"{:.1}\" r=\"3.5\"><title>{}: \
                 {}</title></circle>",
                y.place(point.y),
                escaped(&series.name),
                label(point.y)
            );
        }
    }
}

impl Plot {
    /// The names beside their dots; where there is no room, a line nearer to the middle, so that none lies among the
    /// numbers of the axis.
    fn names_of_points(&self, svg: &mut String, x: &Scale, y: &Scale) {
        const LINE: f64 = 12.0;
        // Left, right and line of the names so far.
        let mut taken: Vec<(f64, f64, f64)> = Vec::new();
        for (point, name) in self.points().zip(&self.names) {
            let width = CHARACTER * name.chars().count() as f64;
            let middle = self.x_place(point.x, x);
            let left = match middle + 6.0 + width <= WIDTH {
                true => middle + 6.0,
                false => middle - 6.0 - width,
            };
            let place = y.place(point.y);
            let step = match place < (TOP + HEIGHT - BOTTOM) / 2.0 {
                true => LINE,
                false => -LINE,
            };
            // Never on the axis itself.
            let mut line = (place + 4.0).min(HEIGHT - BOTTOM - 4.0);
            let free = |line: f64| {
                let apart = |&(from, to, other): &(f64, f64, f64)| {
                    left > to || left + width < from || (line - other).abs() >= LINE
                };
                taken.iter().all(apart)
            };
            while !free(line) {
                line += step;
            }
            taken.push((left, left + width, line));
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{left:.1}\" y=\"{line:.1}\">{}</text>",
                escaped(name)
            );
        }
    }
}

/// A name in one line, or in two where a comma parts it.
fn lines(name: &str) -> [Option<&str>; 2] {
    match name.split_once(", ") {
        Some((first, second)) => [Some(first), Some(second)],
        None => [Some(name), None],
    }
}

/// Series beyond this many begin again with the first colour.
const COLOURS: usize = 6;

fn error_bar(svg: &mut String, x: f64, point: &Point, y: &Scale) {
    let Some((low, high)) = point.interval else {
        return;
    };
    let (low, high) = (y.place(low), y.place(high));
    if (low - high).abs() < 1.0 {
        return;
    }
    let (left, right) = (x - 3.0, x + 3.0);
    let _ = write!(
        svg,
        "<path class=\"error\" d=\"M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}H{right:.1}\
         M{left:.1} {high:.1}H{right:.1}\"/>"
    );
}

/// Text with the characters that HTML and SVG give a meaning replaced.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dots_never_lie_on_each_other() {
        let point = |x, y| Point {
            x,
            y,
            interval: None,
        };
        let plot = Plot {
            title: String::new(),
            x: String::new(),
            y: String::new(),
            names: ["one", "two", "three", "four"].map(String::from).to_vec(),
            log_x: false,
            log: false,
            style: Style::Named,
            series: vec![Series {
                name: "ours".into(),
                colour: 0,
                points: vec![
                    point(100.0, 50.0),
                    point(99.0, 50.0),
                    point(1.0, 0.0),
                    point(0.0, 0.0),
                ],
            }],
        };
        let svg = plot.svg();
        let line = |name: &str| {
            let before = svg.split(&format!(">{name}<")).next().unwrap();
            let y = before.rsplit("y=\"").next().unwrap();
            y.trim_end_matches('"').parse::<f64>().unwrap()
        };
        assert_ne!(line("one"), line("two"));
        assert!(line("four") < line("three") && line("three") < HEIGHT - BOTTOM);
        // The axis has numbers, as it has without names.
        assert!(svg.contains(">100<"), "{svg}");
    }

    #[test]
    fn names_part_at_a_comma_and_lines_where_a_variant_begins() {
        let names = ["4×4", "8×8", "6×6, folded", "8×8, folded"]
            .map(String::from)
            .to_vec();
        assert!(Plot::has_room_for(&names));
        let points = (0..4).map(|i| Point {
            x: f64::from(i),
            y: 1.0,
            interval: None,
        });
        let plot = Plot {
            title: String::new(),
            x: String::new(),
            y: String::new(),
            names,
            log_x: false,
            log: false,
            style: Style::Lines,
            series: vec![Series {
                name: "ours".into(),
                colour: 0,
                points: points.collect(),
            }],
        };
        let svg = plot.svg();
        assert_eq!(svg.matches(">folded<").count(), 2);
        let path = svg
            .split("class=\"line\" d=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let path = path.expect("a line is drawn");
        assert_eq!(
            (path.matches('M').count(), path.matches('L').count()),
            (2, 2),
            "{path}"
        );
    }

    #[test]
    fn a_chart_draws_what_it_is_given() {
        let point = |x, y| Point {
            x,
            y,
            interval: Some((y - 5.0, y + 5.0)),
        };
        let mut plot = Plot {
            title: "a < b".into(),
            x: "depth".into(),
            y: "%".into(),
            names: vec!["1".into(), "2".into()],
            log_x: false,
            log: false,
            style: Style::Bars,
            series: vec![Series {
                name: "ours".into(),
                colour: 1,
                points: vec![point(0.0, 40.0), point(1.0, 90.0)],
            }],
        };
        let bars = plot.svg();
        assert!(bars.contains("a &lt; b") && bars.ends_with("</svg>"));
        assert_eq!(bars.matches("class=\"error\"").count(), 2);
        assert_eq!(bars.matches("series-1").count(), 2); // in the legend and in the drawing
        plot.style = Style::Lines;
        plot.names.clear();
        let lines = plot.svg();
        assert_eq!(lines.matches("<circle").count(), 2);
        assert!(!lines.contains("NaN"));
        // Going back to the left begins another line.
        let drawn = |svg: &str| {
            let path = svg.split("class=\"line\" d=\"").nth(1);
            path.and_then(|path| path.split('"').next())
                .map(|path| path.matches('M').count())
        };
        assert_eq!(drawn(&lines), Some(1));
        plot.series[0].points.push(point(0.5, 20.0));
        assert_eq!(drawn(&plot.svg()), Some(2));
        plot.style = Style::Dots;
        let dots = plot.svg();
        assert_eq!(dots.matches("<circle").count(), 3);
        assert_eq!(drawn(&dots), None);
    }

    #[test]
    fn an_empty_chart_is_still_a_drawing() {
        let plot = Plot {
            title: String::new(),
            x: String::new(),
            y: String::new(),
            names: Vec::new(),
            log_x: true,
            log: true,
            style: Style::Lines,
            series: Vec::new(),
        };
        assert!(!plot.svg().contains("NaN") && !plot.svg().contains("inf"));
    }
}
