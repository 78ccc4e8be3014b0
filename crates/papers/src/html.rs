//! Reports as one page of HTML that needs no other file.

use std::fmt::Write as _;

use crate::{
    Cell, Kind, Measurements, Report, Unit, board_svg,
    drawing::{Drawing, drawings},
    markdown::{paper, span},
    plot::escaped,
    report::duration,
};

/// How a page looks, charts and boards included, light and dark.
pub const PAGE_STYLE: &str = include_str!("page.css");

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
        PAGE_STYLE
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
         within sampling error of ours under its settings, ✗ it is not. With few games a ✓ says little.</p>"
    );
    origins(html, report);
    html.push_str("<div class=\"plots\">");
    for Drawing { svg, caption, .. } in drawings(report) {
        let caption = match caption.as_str() {
            "" => String::new(),
            text => format!("<figcaption>{}</figcaption>", escaped(text)),
        };
        let _ = write!(html, "<figure>{svg}{caption}</figure>");
    }
    html.push_str("</div>\n");
    if !report.findings.is_empty() {
        html.push_str("<h3>What it shows</h3>");
        for finding in &report.findings {
            let _ = write!(html, "<p>{}</p>", inline(finding));
        }
        html.push('\n');
    }
    if !report.deviations.is_empty() {
        html.push_str("<h3>Deviations and remarks</h3><ol>");
        for deviation in &report.deviations {
            let _ = write!(html, "<li>{}</li>", inline(deviation));
        }
        html.push_str("</ol>\n");
    }
    boards(html, report);
    measurements(html, report);
    html.push_str("</section>\n");
}

/// When, where and by which command the figures were made.
fn origins(html: &mut String, report: &Report) {
    html.push_str("<ul class=\"note\">");
    for (origin, words) in report.origins() {
        let words = match words.as_str() {
            "" => String::new(),
            words => format!("; {}", escaped(words)),
        };
        let _ = write!(
            html,
            "<li>Measured by <code>{}</code> ({}){words}</li>",
            escaped(&origin.command),
            escaped(&origin.words())
        );
    }
    if !report.outdated.is_empty() {
        let _ = write!(
            html,
            "<li>Under settings that have changed since: {}</li>",
            escaped(&report.outdated.join("; "))
        );
    }
    html.push_str("</ul>\n");
}

/// The little Markdown that remarks are written in, as HTML: `code`, *emphasis*, and the text of links,
/// whose files the page does not have.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 {
            html += &format!("<code>{}</code>", escaped(part));
            continue;
        }
        let mut words = String::new();
        let mut rest = part;
        while let Some((before, linked)) = rest.split_once('[') {
            words += before;
            match linked
                .split_once("](")
                .and_then(|(name, to)| Some((name, to.split_once(')')?.1)))
            {
                Some((name, after)) => {
                    words += name;
                    rest = after;
                }
                None => {
                    words.push('[');
                    rest = linked;
                }
            }
        }
        words += rest;
        for (j, part) in words.split('*').enumerate() {
            let part = escaped(part);
            html += &if j % 2 == 1 {
                format!("<em>{part}</em>")
            } else {
                part
            };
        }
    }
    html
}

fn table(html: &mut String, report: &Report) {
    let kinds: Vec<Vec<Kind>> = (0..report.columns.len()).map(|i| report.kinds(i)).collect();
    let _ = write!(
        html,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figures\"><table><thead><tr><th rowspan=\"2\" scope=\"col\">{}</th>",
        escaped(&report.rows_are)
    );
    for ((name, _), kinds) in report.columns.iter().zip(&kinds) {
        let _ = write!(
            html,
            "<th class=\"group\" colspan=\"{}\" scope=\"colgroup\">{}</th>",
            kinds.len(),
            escaped(name)
        );
    }
    html.push_str("</tr><tr>");
    for kinds in &kinds {
        for (i, kind) in kinds.iter().enumerate() {
            let class = if i == 0 { " class=\"group\"" } else { "" };
            let _ = write!(html, "<th{class} scope=\"col\">{}</th>", kind.name());
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
            for (j, kind) in kinds[i].iter().enumerate() {
                let class = if j == 0 { " class=\"group\"" } else { "" };
                let text = match kind {
                    Kind::Paper => paper(row, i, *unit),
                    Kind::Ours => cell(&row.ours, i, *unit, mark),
                    Kind::Best => cell(&row.best, i, *unit, ""),
                };
                let _ = write!(html, "<td{class}>{text}</td>");
            }
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>\n");
}

fn cell(recipe: &Measurements, column: usize, unit: Unit, mark: &str) -> String {
    match recipe.cells().get(column) {
        None => "–".into(),
        Some(Cell::Missing(why)) => format!("–<small class=\"why\">{}</small>", escaped(why)),
        Some(Cell::Figure(figure)) => {
            let interval = figure
                .interval
                .filter(|(low, high)| low < high) // else no chance is part of it
                .map_or_else(String::new, |interval| span(interval, unit) + "<br>");
            let count = figure
                .count
                .map_or_else(String::new, |count| format!("n = {count}"));
            format!(
                "{}{mark}<small>{interval}{count}</small>",
                unit.show(figure.value)
            )
        }
    }
}

fn boards(html: &mut String, report: &Report) {
    let mut figures = String::new();
    for row in &report.rows {
        for (kind, recipe) in [("paper's settings", &row.ours), ("best recipe", &row.best)] {
            for measurement in &recipe.measurements {
                // Those with marks are drawn with the charts.
                let boards = measurement.measured.diagrams.iter();
                for diagram in boards.filter(|board| board.marks.is_empty()) {
                    let _ = write!(
                        figures,
                        "<figure>{}<figcaption><b>{} {}, {kind}</b> {}<br><code>{}</code>\
                         </figcaption></figure>",
                        board_svg(diagram),
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
                if measurement.settings.is_empty() {
                    continue;
                }
                let seconds = measurement
                    .seconds
                    .map_or_else(String::new, |seconds| format!(" ({})", duration(seconds)));
                let _ = write!(
                    html,
                    "<li><b>{}, {kind}:</b> {}{seconds}</li>",
                    escaped(&row.name),
                    escaped(&measurement.settings)
                );
            }
        }
    }
    html.push_str("</ul></details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowReport;

    #[test]
    fn remarks_may_be_marked_up() {
        let html = inline("*Best* is `a*b[0]`, see [learners.md](learners.md) [1] & <x>");
        assert_eq!(
            html,
            "<em>Best</em> is <code>a*b[0]</code>, see learners.md [1] &amp; &lt;x&gt;"
        );
    }

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
                    ours: Measurements::default(),
                    best: Measurements::default(),
                })
                .collect();
            page(&[report])
        };
        assert!(report("Y-rewards").contains("with <code>--seed 2</code>, wins"));
        assert!(report("D1").contains("<figcaption>1: random moves; 2: Q, no trace"));
        assert!(!report("Y6.5").contains("<figcaption>1:"));
    }
}
