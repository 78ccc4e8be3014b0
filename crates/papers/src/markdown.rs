//! A report as Markdown.

use std::fmt::Write as _;

use crate::{Cell, Recipe, Report, RowReport, Unit, report::duration};

/// The report as Markdown: heading, table, deviations, what was measured.
pub(crate) fn write(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "## {}: {}\n\n{}. {}\n\n",
        report.id, report.title, report.cite, report.setting
    );
    table(&mut text, report);
    let _ = write!(
        text,
        "\nIn brackets: 95 % intervals. ✓: the paper's figure is within sampling error of ours under \
         its settings, ✗: it is not. With few games a ✓ says little.\n\n`lucena paper {} {}` took {} (lucena {}).\n",
        report.id,
        options(report),
        duration(report.seconds()),
        report.version
    );
    if !report.deviations.is_empty() {
        text.push_str("\nDeviations and remarks:\n\n");
        for (i, deviation) in report.deviations.iter().enumerate() {
            let _ = writeln!(text, "{}. {deviation}", i + 1);
        }
    }
    text.push_str("\nMeasured:\n\n");
    for row in &report.rows {
        for (name, recipe) in [("paper's settings", &row.ours), ("best recipe", &row.best)] {
            for measurement in &recipe.measurements {
                let _ = writeln!(
                    text,
                    "- {}, {name}: {} ({})",
                    row.name,
                    measurement.settings,
                    duration(measurement.seconds)
                );
            }
        }
    }
    text
}

/// The options that make the report again.
pub(crate) fn options(report: &Report) -> String {
    format!("--budget {} --seed {}", report.budget, report.seed)
}

fn table(text: &mut String, report: &Report) {
    let best = report.has_best();
    let _ = write!(text, "| {} |", report.rows_are);
    for (name, _) in &report.columns {
        let _ = write!(text, " {name}: paper | ours |");
        if best {
            text.push_str(" best |");
        }
    }
    text.push_str("\n|---|");
    for _ in &report.columns {
        text.push_str(if best { "--:|--:|--:|" } else { "--:|--:|" });
    }
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
            let _ = write!(
                text,
                " {} | {}{mark} |",
                paper(row, i, *unit),
                cell(&row.ours, i, *unit)
            );
            if best {
                let _ = write!(text, " {} |", cell(&row.best, i, *unit));
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
fn cell(recipe: &Recipe, column: usize, unit: Unit) -> String {
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
