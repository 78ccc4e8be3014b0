//! Measurements that stay: one small file an experiment, kept with the project.
//!
//! Figures that took hours are worth more than the report folder they were written to. A file holds what was
//! measured run by run, each run with its command, seed, version, day and machine, each row on a line of its own.
//! A row that is measured again takes the place of the old one and of nothing else, because long tables are
//! measured row by row. The program carries the files that it was built with.

use std::{fs, io::ErrorKind, path::Path};

use rules::plain_file;
use rust_embed::RustEmbed;
use serde::{Deserialize, Serialize};

use crate::{
    Budget, Cell, Curve, Diagram, Experiment, HeatMap, Kind, Measured, Measurement, Measurements,
    Origin, PaperError, Report, RowReport, experiment::Row, write_atomically,
};

/// The folder of the project's own tree that they are kept in.
pub const KEPT_FOLDER: &str = "measurements";

#[derive(RustEmbed)]
#[folder = "../../measurements"]
#[allow_missing = true]
struct Embedded;

/// What is kept of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Its id.
    pub experiment: String,
    /// Run by run.
    pub runs: Vec<KeptRun>,
}

/// Rows that were measured together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptRun {
    /// When, where and by which command.
    #[serde(flatten)]
    pub origin: Origin,
    /// What was measured.
    pub rows: Vec<KeptRow>,
}

/// A row's figures of one kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptRow {
    /// The row's name.
    pub row: String,
    /// Ours under the paper's settings, or our best recipe.
    pub kind: Kind,
    /// What was measured, and how; empty where that was not written down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The figures, by the names of their columns.
    pub cells: Vec<KeptCell>,
    /// Curves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// Positions worth a look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagrams: Vec<Diagram>,
    /// Pictures in shades.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<HeatMap>,
}

/// A figure and its name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptCell {
    /// The heading of its column.
    pub column: String,
    /// The figure, or why there is none.
    #[serde(flatten)]
    pub cell: Cell,
}

/// What became of a report that was to be kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keeping {
    /// Rows that are kept now.
    pub kept: Vec<String>,
    /// Rows that are not, and why.
    pub refused: Vec<String>,
}

impl Kept {
    /// Nothing yet.
    pub fn new(experiment: &Experiment) -> Kept {
        Kept {
            experiment: experiment.id.into(),
            runs: Vec::new(),
        }
    }

    /// What the program was built with; `None` when nothing is kept of the experiment.
    ///
    /// # Errors
    /// When the file makes no sense, which a test of this crate rules out.
    pub fn built_in(experiment: &Experiment) -> Result<Option<Kept>, PaperError> {
        let file = Embedded::get(&file_name(experiment));
        file.map(|file| Kept::parse(experiment, &String::from_utf8_lossy(&file.data)))
            .transpose()
    }

    /// What is kept in a folder; `None` when nothing is kept of the experiment.
    ///
    /// # Errors
    /// When the file cannot be read or makes no sense.
    pub fn read(experiment: &Experiment, folder: &Path) -> Result<Option<Kept>, PaperError> {
        let path = folder.join(file_name(experiment));
        match plain_file::read_to_string(&path, plain_file::TEXT) {
            Ok(text) => Kept::parse(experiment, &text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(PaperError::File { path, source }),
        }
    }

    fn parse(experiment: &Experiment, text: &str) -> Result<Kept, PaperError> {
        let wrong = |why: String| PaperError::Kept {
            experiment: experiment.id.into(),
            why,
        };
        let kept: Kept = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if kept.experiment != experiment.id {
            return Err(wrong(format!("they are those of {}", kept.experiment)));
        }
        for row in kept.runs.iter().flat_map(|run| &run.rows) {
            if !experiment.rows.iter().any(|known| known.name == row.row) {
                return Err(wrong(format!("there is no row '{}'", row.row)));
            }
            for KeptCell { column, .. } in &row.cells {
                if !experiment.columns.iter().any(|known| known.name == column) {
                    return Err(wrong(format!("there is no column '{column}'")));
                }
            }
        }
        Ok(kept)
    }

    /// As JSON, a line for each row.
    pub fn json(&self) -> String {
        let mut text = format!(
            "{{\n\"experiment\": {},\n\"runs\": [",
            line(&self.experiment)
        );
        for (i, run) in self.runs.iter().enumerate() {
            let origin = line(&run.origin);
            // The fields of the origin, and the rows after them.
            let fields = &origin[1..origin.len() - 1];
            text += if i == 0 { "\n" } else { ",\n" };
            text += &format!("{{{fields}, \"rows\": [\n");
            let rows: Vec<String> = run.rows.iter().map(line).collect();
            text += &rows.join(",\n");
            text += "\n]}";
        }
        text += "\n]\n}\n";
        text
    }

    /// Takes in what was measured: a row takes the place of the same row of an earlier run, unless that was
    /// more work or has figures where this one has none.
    pub fn take(&mut self, experiment: &Experiment, report: &Report) -> Keeping {
        let mut keeping = Keeping::default();
        for row in &report.rows {
            for kind in Kind::MEASURED {
                let Some(recipe) = row.recipe(kind).filter(|recipe| !recipe.is_empty()) else {
                    continue;
                };
                let name = format!("{}, {}", row.name, kind.name());
                let Some((origin, new)) = kept_row(experiment, row, kind, recipe) else {
                    keeping
                        .refused
                        .push(format!("{name}: not measured by this version"));
                    continue;
                };
                if origin.budget == Budget::Smoke {
                    keeping
                        .refused
                        .push(format!("{name}: a smoke run measures nothing"));
                } else if let Some(why) = self.better(&origin, &new) {
                    keeping.refused.push(format!("{name}: {why}"));
                } else {
                    self.put(origin, new);
                    keeping.kept.push(name);
                }
            }
        }
        self.put_in_order(experiment);
        keeping
    }

    /// Why the row that is there should stay, if it should.
    fn better(&self, origin: &Origin, new: &KeptRow) -> Option<String> {
        let (run, old) = self.find(&new.row, new.kind)?;
        if run.budget > origin.budget {
            return Some(format!("what is kept is a {} measurement", run.budget));
        }
        let figure = |row: &KeptRow, column: &str| {
            let cell = row.cells.iter().find(|cell| cell.column == column);
            cell.is_some_and(|cell| cell.cell.figure().is_some())
        };
        let lost = old.cells.iter().map(|cell| cell.column.as_str());
        let mut lost = lost.filter(|column| figure(old, column) && !figure(new, column));
        let column = lost.next()?;
        Some(format!(
            "what is kept has a figure for '{column}', this has none"
        ))
    }

    fn find(&self, row: &str, kind: Kind) -> Option<(&Origin, &KeptRow)> {
        let rows = self.runs.iter();
        let mut rows = rows.flat_map(|run| run.rows.iter().map(move |row| (&run.origin, row)));
        rows.find(|(_, kept)| kept.row == row && kept.kind == kind)
    }

    fn put(&mut self, origin: Origin, new: KeptRow) {
        for run in &mut self.runs {
            run.rows
                .retain(|row| (&row.row, row.kind) != (&new.row, new.kind));
        }
        match self.runs.iter_mut().find(|run| run.origin == origin) {
            Some(run) => run.rows.push(new),
            None => self.runs.push(KeptRun {
                origin,
                rows: vec![new],
            }),
        }
    }

    fn put_in_order(&mut self, experiment: &Experiment) {
        let place = |row: &KeptRow| {
            let place = experiment
                .rows
                .iter()
                .position(|known| known.name == row.row);
            (place, row.kind == Kind::Best)
        };
        self.runs.retain(|run| !run.rows.is_empty());
        for run in &mut self.runs {
            run.rows.sort_by_key(place);
        }
        self.runs.sort_by_key(|run| run.rows.first().map(place));
    }

    /// The kept figures beside the paper's; `None` when there are none.
    pub fn report(&self, experiment: &Experiment) -> Option<Report> {
        let budget = self.runs.iter().map(|run| run.origin.budget).min()?;
        let seed = self.runs.first()?.origin.seed;
        let mut report = Report::new(experiment, budget, seed);
        for row in experiment.rows {
            let mut recipe = |kind| {
                let Some((origin, kept)) = self.find(row.name, kind) else {
                    return missing(row, kind);
                };
                if !kept.settings.is_empty() && kept.settings != settings(row, kind, origin.budget)
                {
                    report
                        .outdated
                        .push(format!("{}, {}", row.name, kind.name()));
                }
                kept.recipe(experiment, origin)
            };
            let (ours, best) = (recipe(Kind::Ours), recipe(Kind::Best));
            report.rows.push(RowReport {
                name: row.name.into(),
                paper: row.paper(experiment.columns.len()),
                ours,
                best,
            });
        }
        Some(report)
    }
}

impl KeptRow {
    fn recipe(&self, experiment: &Experiment, origin: &Origin) -> Measurements {
        let cell = |name: &str| {
            let cell = self.cells.iter().find(|cell| cell.column == name);
            cell.map_or_else(not_measured, |cell| cell.cell.clone())
        };
        let columns = experiment.columns.iter();
        Measurements {
            measurements: vec![Measurement {
                settings: self.settings.join("; "),
                measured: Measured {
                    cells: columns.map(|column| cell(column.name)).collect(),
                    diagrams: self.diagrams.clone(),
                    curves: self.curves.clone(),
                    maps: self.maps.clone(),
                },
                seconds: self.seconds,
                origin: Some(origin.clone()),
            }],
        }
    }
}

/// Keeps a report's figures in a folder.
///
/// # Errors
/// When there is no such folder, or its file cannot be read, makes no sense, or cannot be written.
pub fn keep(report: &Report, folder: &Path) -> Result<Keeping, PaperError> {
    let experiment = crate::find(&report.id)?;
    fs::read_dir(folder).map_err(|source| PaperError::File {
        path: folder.to_owned(),
        source,
    })?;
    let kept = Kept::read(experiment, folder)?;
    let mut kept = kept.unwrap_or_else(|| Kept::new(experiment));
    let keeping = kept.take(experiment, report);
    if !keeping.kept.is_empty() {
        write_atomically(&folder.join(file_name(experiment)), &kept.json())?;
    }
    Ok(keeping)
}

/// A value as JSON on one line.
fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what is kept has nothing that JSON has not")
}

fn file_name(experiment: &Experiment) -> String {
    format!("{}.json", experiment.id)
}

fn not_measured() -> Cell {
    Cell::Missing("not measured".into())
}

/// Cells without figures, where there should be some.
fn missing(row: &Row, kind: Kind) -> Measurements {
    let cells: usize = row.measures(kind).iter().map(|m| m.cells()).sum();
    let measurement = Measurement {
        settings: String::new(),
        measured: Measured::cells(vec![not_measured(); cells]),
        seconds: None,
        origin: None,
    };
    Measurements {
        measurements: if cells > 0 {
            vec![measurement]
        } else {
            Vec::new()
        },
    }
}

fn settings(row: &Row, kind: Kind, budget: Budget) -> Vec<String> {
    let measures = row.measures(kind).iter();
    measures.map(|measure| measure.settings(budget)).collect()
}

/// A row of a report as it is kept, with the origin of its last measurement; `None` when that is not known.
fn kept_row(
    experiment: &Experiment,
    row: &RowReport,
    kind: Kind,
    recipe: &Measurements,
) -> Option<(Origin, KeptRow)> {
    let origins = recipe.measurements.iter().map(|m| m.origin.as_ref());
    let origins: Option<Vec<&Origin>> = origins.collect();
    let origin = origins?.into_iter().max_by_key(|origin| &origin.date)?;
    let measured = || recipe.measurements.iter().map(|m| &m.measured);
    let columns = experiment.columns.iter();
    let cells = columns.zip(recipe.cells()).map(|(column, cell)| KeptCell {
        column: column.name.into(),
        cell: cell.clone(),
    });
    let seconds = recipe.measurements.iter().filter_map(|m| m.seconds);
    Some((
        origin.clone(),
        KeptRow {
            row: row.name.clone(),
            kind,
            settings: recipe
                .measurements
                .iter()
                .map(|m| m.settings.clone())
                .collect(),
            seconds: seconds
                .reduce(|a, b| a + b)
                .map(|s| (s * 10.0).round() / 10.0),
            cells: cells.collect(),
            curves: measured().flat_map(|m| m.curves.clone()).collect(),
            diagrams: measured().flat_map(|m| m.diagrams.clone()).collect(),
            maps: measured().flat_map(|m| m.maps.clone()).collect(),
        },
    ))
}
