//! The page `docs/papers.md` and its pictures, drawn from what is kept.

use std::{collections::BTreeMap, path::Path};

use crate::{
    Experiment, Kept, PaperError, Report, all,
    drawing::{drawings, picture},
    markdown::section,
};

/// Files of `docs/`, by their paths in it.
pub type Docs = BTreeMap<String, String>;

/// What stands around the figures.
const TEMPLATE: &str = include_str!("papers.md");

/// Draws `papers.md`, and `papers/<id>.svg` for every experiment that has something to draw, from the
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
        figures += &section(&report, "", &pictures);
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
