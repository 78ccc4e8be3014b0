//! Reports as one page of HTML that needs no other file.

use std::fmt::Write as _;

use crate::{
    Cell, Chart, HeatMap, Plot, Point, Recipe, Report, RowReport, Series, Style, Unit, board_svg,
    markdown::{options, paper, span},
    plot::escaped,
    report::duration,
};

/// Reports as one page.
pub fn page(reports: &[Report]) -> String {
    let mut html = String::new();
    let title = match reports {
        [report] => format!("{}: {}", report.id, report.title),
        _ => "Lucena: the papers, run again".into(),
    };
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{}</style></head>\n<body><main>\n",
        escaped(&title),
        include_str!("page.css")
    );
    if reports.len() > 1 {
        let _ = write!(html, "<h1>{}</h1><nav><ul>", escaped(&title));
        for report in reports {
            let _ = write!(
                html,
                "<li><a href=\"#{0}\">{0}</a> {1}</li>",
                escaped(&report.id),
                escaped(&report.title)
            );
        }
        html.push_str("</ul></nav>\n");
    }
    for report in reports {
        write_section(&mut html, report);
    }
    html.push_str("</main></body></html>\n");
    html
}

/// One report as a section of a page that has a style of its own for it.
pub fn section(report: &Report) -> String {
    let mut html = String::new();
    write_section(&mut html, report);
    html
}

fn write_section(html: &mut String, report: &Report) {
    let id = escaped(&report.id);
    let _ = write!(
        html,
        "<section id=\"{id}\"><h2>{id}: {}</h2>\n<p class=\"cite\">{}</p><p>{}</p>\n",
        escaped(&report.title),
        escaped(&report.cite),
        escaped(&report.setting)
    );
    table(html, report);
    let _ = writeln!(
        html,
        "<p class=\"note\">In grey: 95 % intervals, and the number of trials. ✓ the paper's figure is \
         within sampling error of ours under its settings, ✗ it is not. With few games a ✓ says little.</p>\
         <p class=\"note\"><code>lucena paper {id} {}</code> took {} (lucena {}).</p>",
        options(report),
        duration(report.seconds()),
        escaped(&report.version)
    );
    html.push_str("<div class=\"plots\">");
    for chart in report.charts() {
        draw(html, report, chart);
    }
    curves(html, report);
    html.push_str("</div>\n");
    if !report.deviations.is_empty() {
        html.push_str("<h3>Deviations and remarks</h3><ol>");
        for deviation in &report.deviations {
            let _ = write!(html, "<li>{}</li>", with_code(deviation));
        }
        html.push_str("</ol>\n");
    }
    boards(html, report);
    measurements(html, report);
    html.push_str("</section>\n");
}

/// Text in which what stands between backquotes is code.
fn with_code(text: &str) -> String {
    let mut html = String::new();
    for (i, part) in text.split('`').enumerate() {
        let part = escaped(part);
        html += &if i % 2 == 1 {
            format!("<code>{part}</code>")
        } else {
            part
        };
    }
    html
}

fn table(html: &mut String, report: &Report) {
    let best = report.has_best();
    let span = if best { 3 } else { 2 };
    let _ = write!(
        html,
        "<div class=\"wide\"><table><thead><tr><th rowspan=\"2\" scope=\"col\">{}</th>",
        escaped(&report.rows_are)
    );
    for (name, _) in &report.columns {
        let _ = write!(
            html,
            "<th class=\"group\" colspan=\"{span}\" scope=\"colgroup\">{}</th>",
            escaped(name)
        );
    }
    html.push_str("</tr><tr>");
    for _ in &report.columns {
        html.push_str("<th class=\"group\" scope=\"col\">paper</th><th scope=\"col\">ours</th>");
        if best {
            html.push_str("<th scope=\"col\">best</th>");
        }
    }
    html.push_str("</tr></thead><tbody>");
    for row in &report.rows {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escaped(&row.name));
        let agreement = row.agreement(report.paper_count);
        for (i, (_, unit)) in report.columns.iter().enumerate() {
            let mark = match agreement.get(i).copied().flatten() {
                Some(true) => " <span class=\"yes\" title=\"within sampling error\">✓</span>",
                Some(false) => " <span class=\"no\" title=\"outside sampling error\">✗</span>",
                None => "",
            };
            let _ = write!(
                html,
                "<td class=\"group\">{}</td><td>{}</td>",
                paper(row, i, *unit),
                cell(&row.ours, i, *unit, mark)
            );
            if best {
                let _ = write!(html, "<td>{}</td>", cell(&row.best, i, *unit, ""));
            }
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>\n");
}

fn cell(recipe: &Recipe, column: usize, unit: Unit, mark: &str) -> String {
    match recipe.cells().get(column) {
        None => "–".into(),
        Some(Cell::Missing(why)) => format!("–<small class=\"why\">{}</small>", escaped(why)),
        Some(Cell::Figure(figure)) => {
            let interval = figure
                .interval
                .filter(|(low, high)| low < high) // else no chance is part of it
                .map_or_else(String::new, |interval| span(interval, unit) + "<br>");
            format!(
                "{}{mark}<small>{interval}n = {}</small>",
                unit.show(figure.value),
                figure.count
            )
        }
    }
}

/// What the reports call their three kinds of figures.
const KINDS: [&str; 3] = ["paper", "ours, paper's settings", "our best recipe"];

/// A column of one of the kinds, as points over the rows.
fn points(report: &Report, kind: usize, column: usize) -> Vec<Point> {
    let at = |(i, row): (usize, &RowReport)| {
        let (y, interval) = match kind {
            0 => (row.paper.get(column).copied().flatten()?, None),
            _ => {
                let recipe = if kind == 1 { &row.ours } else { &row.best };
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

fn draw(html: &mut String, report: &Report, chart: Chart) {
    let names: Vec<String> = report.rows.iter().map(|row| row.name.clone()).collect();
    let (column, style, log) = match chart {
        Chart::Bars { column } => (column, Style::Bars, false),
        Chart::Lines { column, log } => (column, Style::Lines, log),
        Chart::Curve { x, y, log } => return curve(html, report, (x, y), log),
        Chart::Heat => return heat(html, report, &names),
    };
    let Some((name, unit)) = report.columns.get(column) else {
        return;
    };
    // Names that would run into each other stand below the drawing, by number.
    let (names, caption) = if Plot::has_room_for(&names) {
        (names, String::new())
    } else {
        let entry = |(i, name): (usize, &String)| format!("{}: {}", i + 1, escaped(name));
        let list: Vec<String> = names.iter().enumerate().map(entry).collect();
        let numbers = (1..=names.len()).map(|n| n.to_string()).collect();
        let caption = format!("<figcaption>{}</figcaption>", list.join("; "));
        (numbers, caption)
    };
    let series = KINDS
        .iter()
        .enumerate()
        .map(|(kind, name)| Series {
            name: (*name).into(),
            colour: kind, // the same in all drawings, whether or not the paper has figures
            points: points(report, kind, column),
        })
        .filter(|series| !series.points.is_empty())
        .collect();
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
    let _ = write!(html, "<figure>{}{caption}</figure>", plot.svg());
}

/// A column against another, under the paper's settings, a colour for each group of rows; a new line begins where
/// the rows of a group go back to the left.
fn curve(html: &mut String, report: &Report, (x, y): (usize, usize), log: bool) {
    let (Some((x_name, _)), Some((y_name, y_unit))) =
        (report.columns.get(x), report.columns.get(y))
    else {
        return;
    };
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
    let _ = write!(html, "<figure>{}</figure>", plot.svg());
}

fn heat(html: &mut String, report: &Report, names: &[String]) {
    for (kind, title) in KINDS.iter().enumerate() {
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
            title: (*title).into(),
            rows: names.to_vec(),
            columns: report
                .columns
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            values,
            full: if percent { 100.0 } else { greatest.max(1e-9) },
        };
        let _ = write!(html, "<figure>{}</figure>", map.svg());
    }
}

/// Curves that measurements came with: those of the same axes share a drawing.
fn curves(html: &mut String, report: &Report) {
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
    for plot in plots {
        let _ = write!(html, "<figure>{}</figure>", plot.svg());
    }
}

fn boards(html: &mut String, report: &Report) {
    let mut figures = String::new();
    for row in &report.rows {
        for (kind, recipe) in [("paper's settings", &row.ours), ("best recipe", &row.best)] {
            for measurement in &recipe.measurements {
                for diagram in &measurement.measured.diagrams {
                    let _ = write!(
                        figures,
                        "<figure>{}<figcaption><b>{} {}, {kind}</b> {}<br><code>{}</code>\
                         </figcaption></figure>",
                        board_svg(&diagram.fen, &diagram.caption),
                        escaped(&report.rows_are),
                        escaped(&row.name),
                        escaped(&diagram.caption),
                        escaped(&diagram.fen)
                    );
                }
            }
        }
    }
    if !figures.is_empty() {
        let _ = writeln!(
            html,
            "<details><summary>Positions: the end of the first game that was not won, or of the \
             longest</summary><div class=\"boards\">{figures}</div></details>"
        );
    }
}

fn measurements(html: &mut String, report: &Report) {
    html.push_str("<details><summary>What was measured</summary><ul>");
    for row in &report.rows {
        for (kind, recipe) in [("paper's settings", &row.ours), ("best recipe", &row.best)] {
            for measurement in &recipe.measurements {
                let _ = write!(
                    html,
                    "<li><b>{}, {kind}:</b> {} ({})</li>",
                    escaped(&row.name),
                    escaped(&measurement.settings),
                    duration(measurement.seconds)
                );
            }
        }
    }
    html.push_str("</ul></details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stand_below_the_drawing() {
        let report = |id: &str| {
            let experiment = crate::find(id).unwrap();
            let mut report = Report::new(experiment, crate::Budget::Smoke, 1);
            report.rows = experiment
                .rows
                .iter()
                .map(|row| RowReport {
                    name: row.name.into(),
                    paper: row.paper.iter().map(|&value| Some(value)).collect(),
                    ours: Recipe::default(),
                    best: Recipe::default(),
                })
                .collect();
            page(&[report])
        };
        assert!(report("D1").contains("With <code>--seed 2</code>, which"));
        assert!(report("D1").contains("<figcaption>1: random moves; 2: Q, no trace"));
        assert!(!report("Y6.5").contains("<figcaption>1:"));
    }
}
