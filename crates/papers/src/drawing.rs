//! What a report draws: its charts, and the curves and pictures that measurements came with.
//!
//! A page shows them one by one, in colours of its own; [`picture`] puts them all into one file that
//! needs no other.

use crate::{
    Chart, Diagram, HeatMap, Kind, Plot, Point, Report, RowReport, Series, Style, Unit,
    diagram::{SIDE, board_svg},
};

/// A drawing of a report.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Drawing {
    /// An SVG element.
    pub svg: String,
    /// How wide and how high it is.
    pub size: (f64, f64),
    /// What has to stand below it, if anything.
    pub caption: String,
}

impl Drawing {
    pub fn plot(plot: &Plot) -> Drawing {
        Drawing {
            svg: plot.svg(),
            size: Plot::SIZE,
            caption: String::new(),
        }
    }

    fn board(diagram: &Diagram) -> Drawing {
        Drawing {
            svg: board_svg(diagram),
            size: (SIDE, SIDE),
            caption: diagram.caption.clone(),
        }
    }

    fn map(map: &HeatMap) -> Drawing {
        Drawing {
            svg: map.svg(),
            size: map.size(),
            caption: String::new(),
        }
    }
}

/// Everything there is to draw.
pub(crate) fn drawings(report: &Report) -> Vec<Drawing> {
    let charts = report.charts();
    let mut drawings: Vec<Drawing> = charts
        .iter()
        .flat_map(|&chart| draw(report, chart))
        .collect();
    drawings.extend(curves(report).iter().map(Drawing::plot));
    for row in &report.rows {
        for recipe in [&row.ours, &row.best] {
            let maps = recipe.measurements.iter().flat_map(|m| &m.measured.maps);
            drawings.extend(maps.map(Drawing::map));
            let boards = recipe
                .measurements
                .iter()
                .flat_map(|m| &m.measured.diagrams);
            let marked = boards.filter(|board| !board.marks.is_empty());
            drawings.extend(marked.map(Drawing::board));
        }
    }
    drawings
}

/// All drawings in one, two beside each other: a file by itself, dark on white. `None` where there is nothing
/// to draw.
pub(crate) fn picture(drawings: &[Drawing]) -> Option<String> {
    const GAP: f64 = 16.0;
    let (mut inner, mut width, mut top) = (String::new(), 0.0_f64, GAP);
    for pair in drawings.chunks(2) {
        let mut left = GAP;
        let mut height = 0.0_f64;
        for Drawing {
            svg, size: (w, h), ..
        } in pair
        {
            let placed = format!("<svg x=\"{left}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" ");
            inner += &svg.replacen("<svg ", &placed, 1);
            inner.push('\n');
            left += w + GAP;
            height = height.max(*h);
        }
        width = width.max(left);
        top += height + GAP;
    }
    // Pictures without a board need no colours for one.
    let board = match inner.contains("class=\"board\"") {
        true => include_str!("board.css"),
        false => "",
    };
    (!inner.is_empty()).then(|| {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" width=\"{width}\" \
             height=\"{top}\">\n<style>\n{}{board}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             {inner}</svg>\n",
            include_str!("picture.css")
        )
    })
}

const KINDS: [Kind; 3] = [Kind::Paper, Kind::Ours, Kind::Best];

/// A column of one of the kinds, as points over the rows.
fn points(report: &Report, kind: Kind, column: usize) -> Vec<Point> {
    let at = |(i, row): (usize, &RowReport)| {
        let (y, interval) = match row.recipe(kind) {
            None => (row.paper.get(column).copied().flatten()?, None),
            Some(recipe) => {
                let figure = *recipe.cells().get(column)?.figure()?;
                (figure.value, figure.interval)
            }
        };
        Some(Point {
            x: i as f64,
            y,
            interval,
        })
    };
    report.rows.iter().enumerate().filter_map(at).collect()
}

fn draw(report: &Report, chart: Chart) -> Vec<Drawing> {
    let names: Vec<String> = report.rows.iter().map(|row| row.name.clone()).collect();
    let (column, style, log) = match chart {
        Chart::Bars { column } => (column, Style::Bars, false),
        Chart::Lines { column, log } => (column, Style::Lines, log),
        Chart::Curve { x, y, log } => return curve(report, (x, y), log).into_iter().collect(),
        Chart::Numbers { x, y } => return numbers(report, (x, y)),
        Chart::Heat => return heat(report, &names),
    };
    let Some((name, unit)) = report.columns.get(column) else {
        return Vec::new();
    };
    // Names that would run into each other stand below the drawing, by number.
    let (names, caption) = if Plot::has_room_for(&names) {
        (names, String::new())
    } else {
        let entry = |(i, name): (usize, &String)| format!("{}: {name}", i + 1);
        let list: Vec<String> = names.iter().enumerate().map(entry).collect();
        let numbers = (1..=names.len()).map(|n| n.to_string()).collect();
        (numbers, list.join("; "))
    };
    let series: Vec<Series> = KINDS
        .into_iter()
        .enumerate()
        .map(|(colour, kind)| Series {
            name: kind.long_name().into(),
            colour, // the same in all drawings, whether or not the paper has figures
            points: points(report, kind, column),
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    if series.is_empty() {
        return Vec::new();
    }
    let plot = Plot {
        title: name.clone(),
        x: report.rows_are.clone(),
        y: unit.name().into(),
        names,
        log_x: false,
        log,
        style,
        series,
    };
    vec![Drawing {
        caption,
        ..Drawing::plot(&plot)
    }]
}

/// A column against another, under the paper's settings, a colour for each group of rows; a new line begins where
/// the rows of a group go back to the left.
fn curve(report: &Report, (x, y): (usize, usize), log: bool) -> Option<Drawing> {
    let (x_name, _) = report.columns.get(x)?;
    let (y_name, y_unit) = report.columns.get(y)?;
    let mut series: Vec<Series> = Vec::new();
    for row in &report.rows {
        let cells = row.ours.cells();
        let figure = |column: usize| cells.get(column).and_then(|cell| cell.figure());
        let (Some(x), Some(y)) = (figure(x), figure(y)) else {
            continue;
        };
        let group = row.name.split(',').next().unwrap_or_default();
        let point = Point {
            x: x.value,
            y: y.value,
            interval: y.interval,
        };
        match series.iter_mut().find(|series| series.name == group) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name: group.into(),
                colour: series.len(),
                points: vec![point],
            }),
        }
    }
    let plot = Plot {
        title: format!("{y_name} by {x_name}"),
        x: x_name.clone(),
        y: y_unit.name().into(),
        names: Vec::new(),
        log_x: true,
        log,
        style: Style::Lines,
        series,
    };
    Some(Drawing::plot(&plot))
}

/// A row in such a drawing: its colour, its number and where it stands.
type Dot = (usize, usize, Point);

/// A column against another, a drawing for each group of rows: what comes after the comma in their names is a number,
/// the same in all drawings, with a colour for what stands in brackets.
fn numbers(report: &Report, (x, y): (usize, usize)) -> Vec<Drawing> {
    let (Some((x_name, _)), Some((y_name, y_unit))) =
        (report.columns.get(x), report.columns.get(y))
    else {
        return Vec::new();
    };
    let mut groups: Vec<(&str, Vec<Dot>)> = Vec::new();
    let (mut members, mut kinds) = (Vec::new(), Vec::new());
    for row in &report.rows {
        let (group, member) = row.name.split_once(", ").unwrap_or((&row.name, ""));
        let kind = member.rsplit_once('(').map_or("", |(_, kind)| kind);
        let number = place_in(&mut members, member) + 1;
        let colour = place_in(&mut kinds, kind.trim_end_matches(')'));
        let cells = row.ours.cells();
        let figure = |column: usize| cells.get(column).and_then(|cell| cell.figure());
        let (Some(x), Some(y)) = (figure(x), figure(y)) else {
            continue;
        };
        let point = Point {
            x: x.value,
            y: y.value,
            interval: None,
        };
        match groups.iter_mut().find(|(other, _)| *other == group) {
            Some((_, dots)) => dots.push((colour, number, point)),
            None => groups.push((group, vec![(colour, number, point)])),
        }
    }
    let list = members.iter().zip(1..);
    let list: Vec<String> = list
        .map(|(member, number)| format!("{number}: {member}"))
        .collect();
    let drawn = |(group, dots): &(&str, Vec<Dot>)| {
        let of = |colour: usize| dots.iter().filter(move |dot| dot.0 == colour);
        let series = kinds.iter().enumerate().map(|(colour, kind)| Series {
            name: (*kind).to_owned(),
            colour,
            points: of(colour).map(|&(_, _, point)| point).collect(),
        });
        let names = (0..kinds.len()).flat_map(of);
        let plot = Plot {
            title: format!("{group}: {y_name} by {x_name}"),
            x: format!("{x_name}, {}", y_unit.name()),
            y: format!("{y_name}, {}", y_unit.name()),
            names: names.map(|(_, number, _)| number.to_string()).collect(),
            log_x: false,
            log: false,
            style: Style::Named,
            series: series.collect(),
        };
        Drawing {
            caption: list.join("; "),
            ..Drawing::plot(&plot)
        }
    };
    groups.iter().map(drawn).collect()
}

/// Where a text stands in a list, at the end if it is new.
fn place_in<'a>(list: &mut Vec<&'a str>, text: &'a str) -> usize {
    list.iter()
        .position(|other| *other == text)
        .unwrap_or_else(|| {
            list.push(text);
            list.len() - 1
        })
}

fn heat(report: &Report, names: &[String]) -> Vec<Drawing> {
    let map = |kind: Kind| {
        let columns = 0..report.columns.len();
        let mut values = vec![vec![None; columns.len()]; names.len()];
        for column in columns {
            for point in points(report, kind, column) {
                values[point.x as usize][column] = Some(point.y);
            }
        }
        let percent = report
            .columns
            .iter()
            .all(|(_, unit)| *unit == Unit::Percent);
        let greatest = values
            .iter()
            .flatten()
            .flatten()
            .copied()
            .fold(0.0, f64::max);
        let map = HeatMap {
            title: kind.long_name().into(),
            rows: names.to_vec(),
            columns: report
                .columns
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            values,
            full: if percent { 100.0 } else { greatest.max(1e-9) },
        };
        Drawing::map(&map)
    };
    KINDS.into_iter().map(map).collect()
}

/// Curves that measurements came with: those of the same axes share a drawing.
fn curves(report: &Report) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    for row in &report.rows {
        for (kind, recipe) in [("", &row.ours), (", best", &row.best)] {
            for curve in recipe.measurements.iter().flat_map(|m| &m.measured.curves) {
                let mut series = Series {
                    colour: 0,
                    name: match curve.name.as_str() {
                        "" => row.name.clone(),
                        name => format!("{}: {name}", row.name),
                    },
                    points: curve
                        .points
                        .iter()
                        .map(|&(x, y)| Point {
                            x,
                            y,
                            interval: None,
                        })
                        .collect(),
                };
                let title = format!("{} by {}{kind}", curve.y, curve.x);
                match plots.iter_mut().find(|plot| plot.title == title) {
                    Some(plot) => {
                        series.colour = plot.series.len();
                        plot.series.push(series);
                    }
                    None => plots.push(Plot {
                        title,
                        x: curve.x.clone(),
                        y: curve.y.clone(),
                        names: Vec::new(),
                        log_x: false,
                        log: false,
                        style: Style::Lines,
                        series: vec![series],
                    }),
                }
            }
        }
    }
    plots
}
