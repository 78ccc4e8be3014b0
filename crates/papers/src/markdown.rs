//! A report as Markdown.

use std::fmt::Write as _;

use crate::{Cell, Kind, Measurements, Report, RowReport, Unit, report::duration};

const LEGEND: &str = "\nIn brackets: 95 % intervals. ✓: the paper's figure is within sampling error of ours under its \
                      settings, ✗: it is not. With few games a ✓ says little.\n";

/// The report as Markdown: heading, table, deviations, what was measured.
pub(crate) fn write(report: &Report) -> String {
    let mut text = format!("## {}: {}\n\n", report.id, report.title);
    text += &section(report, LEGEND, "");
    text.push_str("\nMeasured:\n\n");
    for row in &report.rows {
        for (name, recipe) in [("paper's settings", &row.ours), ("best recipe", &row.best)] {
            for measurement in &recipe.measurements {
                if measurement.settings.is_empty() {
                    continue;
                }
                let seconds = measurement
                    .seconds
                    .map_or_else(String::new, |seconds| format!(" ({})", duration(seconds)));
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "- {}, {name}: {}{seconds}",
                    row.name, measurement.settings
                );
            }
        }
    }
    text
}

/// What stands below the heading, up to the deviations.
pub(crate) fn section(report: &Report, after_table: &str, pictures: &str) -> String {
    let mut text = format!("{}. {}\n\n", report.cite, report.setting);
    table(&mut text, report);
    text += after_table;
    text.push('\n');
    for (origin, words) in report.origins() {
        let comma = if words.is_empty() { "" } else { "; " };
        let _ = writeln!(
            text,
            "- Measured by `{}` ({}){comma}{words}.",
            origin.command,
            origin.words()
        );
    }
    if !report.outdated.is_empty() {
        let _ = writeln!(
            text,
            "- Under settings that have changed since: {}.",
            report.outdated.join("; ")
        );
    }
    text += pictures;
    if !report.findings.is_empty() {
        text.push_str("\nWhat it shows:\n");
        for finding in &report.findings {
            let _ = write!(text, "\n{finding}\n");
        }
    }
    if !report.deviations.is_empty() {
        text.push_str("\nDeviations and remarks:\n\n");
        for (i, deviation) in report.deviations.iter().enumerate() {
            let _ = writeln!(text, "{}. {deviation}", i + 1);
        }
    }
    text
}

fn table(text: &mut String, report: &Report) {
    let kinds: Vec<Vec<Kind>> = (0..report.columns.len()).map(|i| report.kinds(i)).collect();
    let _ = write!(text, "| {} |", report.rows_are);
    for ((name, _), kinds) in report.columns.iter().zip(&kinds) {
        for (i, kind) in kinds.iter().enumerate() {
            let _ = match (i, kinds.len()) {
                (0, 1) => write!(text, " {name} |"),
                (0, _) => write!(text, " {name}: {} |", kind.name()),
                _ => write!(text, " {} |", kind.name()),
            };
        }
    }
    text.push_str("\n|---|");
    text.push_str(&"--:|".repeat(kinds.iter().map(Vec::len).sum()));
    text.push('\n');
    for row in &report.rows {
        let _ = write!(text, "| {} |", row.name);
        let agreement = row.agreement(report.paper_count);
        for (i, (_, unit)) in report.columns.iter().enumerate() {
            let mark = match agreement.get(i).copied().flatten() {
                Some(true) => " ✓",
                Some(false) => " ✗",
                None => "",
            };
            for kind in &kinds[i] {
                let _ = match kind {
                    Kind::Paper => write!(text, " {} |", paper(row, i, *unit)),
                    Kind::Ours => write!(text, " {}{mark} |", cell(&row.ours, i, *unit)),
                    Kind::Best => write!(text, " {} |", cell(&row.best, i, *unit)),
                };
            }
        }
        text.push('\n');
    }
}

/// The paper's figure in a column.
pub(crate) fn paper(row: &RowReport, column: usize, unit: Unit) -> String {
    let figure = row.paper.get(column).copied().flatten();
    figure.map_or_else(|| "–".into(), |value| unit.show(value))
}

/// A recipe's cell in a column.
fn cell(recipe: &Measurements, column: usize, unit: Unit) -> String {
    match recipe.cells().get(column) {
        None => "–".into(),
        Some(Cell::Missing(why)) => format!("– ({why})"),
        Some(Cell::Figure(figure)) => match figure.interval {
            Some((low, high)) if low == high => unit.show(figure.value), // no chance is part of it
            Some(interval) => format!("{} ({})", unit.show(figure.value), span(interval, unit)),
            None => unit.show(figure.value),
        },
    }
}

/// An interval without its unit.
pub(crate) fn span((low, high): (f64, f64), unit: Unit) -> String {
    let bare = |value| unit.show(value).trim_end_matches(" %").to_owned();
    format!("{}–{}", bare(low), bare(high))
}
