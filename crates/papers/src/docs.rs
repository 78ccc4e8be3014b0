//! The page `docs/papers.md` and its pictures, drawn from what is kept.

use std::{collections::BTreeMap, path::Path};

use crate::{
    Experiment, Figure, Kept, PaperError, Report, Unit, all,
    drawing::{drawings, picture},
    markdown::section,
};

/// Files of `docs/`, by their paths in it.
pub type Docs = BTreeMap<String, String>;

/// What stands around the figures.
const TEMPLATE: &str = include_str!("papers.md");

/// What stands around those of the scoreboard, which has a page of its own, too.
const SCOREBOARD: &str = include_str!("scoreboard.md");

/// Draws `papers.md`, `scoreboard.md`, and `papers/<id>.svg` for every experiment that has something to draw, from the
/// measurements that are kept in a folder.
///
/// # Errors
/// When a file there cannot be read or makes no sense.
pub fn draw_docs(folder: &Path) -> Result<Docs, PaperError> {
    let mut docs = Docs::new();
    let (mut index, mut figures) = (String::new(), String::new());
    for experiment in all() {
        let kept = Kept::read(experiment, folder)?;
        let report = kept.and_then(|kept| kept.report(experiment));
        index += &index_line(experiment, report.as_ref());
        figures += &format!("\n### {}: {}\n\n", experiment.id, experiment.title);
        let Some(report) = report else {
            figures += &format!(
                "{}. {}\n\nNot measured.\n",
                experiment.cite, experiment.setting
            );
            continue;
        };
        let drawings = drawings(&report);
        let mut pictures = String::new();
        if let Some(svg) = picture(&drawings) {
            let path = format!("papers/{}.svg", experiment.id);
            pictures = format!("\n![{}]({path})\n", experiment.title);
            let mut captions: Vec<&str> = drawings.iter().map(|d| &d.caption[..]).collect();
            captions.retain(|caption| !caption.is_empty());
            captions.dedup();
            for caption in captions {
                pictures += &format!("\n{caption}.\n");
            }
            docs.insert(path, svg);
        }
        let section = section(&report, "", &pictures);
        if experiment.id == "scoreboard" {
            let page = SCOREBOARD
                .replace("{{summary}}\n", &summary(&report))
                .replace("{{figures}}\n", &section);
            docs.insert("scoreboard.md".into(), page);
        }
        figures += &section;
    }
    let page = TEMPLATE
        .replace("{{experiments}}\n", &index)
        .replace("{{figures}}\n", figures.trim_start_matches('\n'));
    docs.insert("papers.md".into(), page);
    Ok(docs)
}

/// A line of the list of experiments.
fn index_line(experiment: &Experiment, report: Option<&Report>) -> String {
    // As the page of a repository makes them.
    let letters = format!("{}: {}", experiment.id, experiment.title).to_lowercase();
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let anchor = letters
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-");
    format!(
        "| [{}](#{anchor}) | {} | {} | {} |\n",
        experiment.id,
        experiment.cite,
        experiment.title,
        report.map_or_else(|| "no".into(), Report::measured)
    )
}

/// The scoreboard in short: a row for each method, a column for each endgame; the certified share, and in brackets that
/// of best moves.
fn summary(report: &Report) -> String {
    let parted = |name: &str| {
        let (endgame, method) = name.split_once(", ").unwrap_or((name, ""));
        (endgame.to_owned(), method.to_owned())
    };
    let (mut endgames, mut methods) = (Vec::new(), Vec::new());
    for row in &report.rows {
        let (endgame, method) = parted(&row.name);
        if !endgames.contains(&endgame) {
            endgames.push(endgame);
        }
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let place = |name: &str| report.columns.iter().position(|(column, _)| column == name);
    let (Some(best), Some(certified)) = (place("best moves"), place("certified")) else {
        return String::new();
    };
    let mut text = format!("| method (learned from) | {} |\n", endgames.join(" | "));
    text += &format!("|---|{}\n", "--:|".repeat(endgames.len()));
    for method in &methods {
        text += &format!("| {method} |");
        for endgame in &endgames {
            let named = (endgame.clone(), method.clone());
            let row = report.rows.iter().find(|row| parted(&row.name) == named);
            let cells = row.map(|row| row.ours.cells()).unwrap_or_default();
            let figure = |column: usize| cells.get(column).and_then(|cell| cell.figure());
            let shown = |figure: &Figure| Unit::Percent.show(figure.value);
            text += &match (figure(certified), figure(best)) {
                (Some(certified), Some(best)) => {
                    format!(" **{}** ({}) |", shown(certified), shown(best))
                }
                (None, Some(best)) => format!(" *no policy* ({}) |", shown(best)),
                _ => " – |".to_owned(),
            };
        }
        text.push('\n');
    }
    text
}
