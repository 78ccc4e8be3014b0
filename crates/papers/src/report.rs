//! What an experiment yielded, ready to be written down.

use serde::{Deserialize, Serialize};

use crate::{Budget, Cell, Chart, Experiment, Measured, Unit};

/// An experiment's figures beside the paper's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The experiment's id.
    pub id: String,
    /// Where the paper's table stands.
    pub cite: String,
    /// What it is about.
    pub title: String,
    /// What the paper did.
    pub setting: String,
    /// The version of the program that measured.
    pub version: String,
    /// How much work it was allowed to be.
    pub budget: Budget,
    /// What all chance followed from.
    pub seed: u64,
    /// The heading over the names of the rows.
    pub rows_are: String,
    /// The columns: heading and unit.
    pub columns: Vec<(String, Unit)>,
    /// Trials behind each of the paper's figures, if it says so.
    pub paper_count: Option<u64>,
    /// The rows.
    pub rows: Vec<RowReport>,
    /// Where we did not do as the paper did, and why our figures differ.
    pub deviations: Vec<String>,
}

/// A row of a report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RowReport {
    /// Its heading.
    pub name: String,
    /// The paper's figures.
    pub paper: Vec<Option<f64>>,
    /// Ours under the paper's settings.
    pub ours: Recipe,
    /// Ours under our best recipe.
    pub best: Recipe,
}

/// The measurements that fill a row.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Recipe {
    /// From left to right.
    pub measurements: Vec<Measurement>,
}

/// One measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured, and how.
    pub settings: String,
    /// What it yielded.
    pub measured: Measured,
    /// How long it took.
    pub seconds: f64,
}

impl Recipe {
    /// Its cells, one for each column; none when there is no such recipe.
    pub fn cells(&self) -> Vec<&Cell> {
        self.measurements
            .iter()
            .flat_map(|measurement| &measurement.measured.cells)
            .collect()
    }

    /// Is there nothing to measure?
    pub fn is_empty(&self) -> bool {
        self.measurements.is_empty()
    }

    fn seconds(&self) -> f64 {
        self.measurements.iter().map(|m| m.seconds).sum()
    }
}

impl RowReport {
    /// Does each of our figures under the paper's settings agree with the paper's, as far as that
    /// can be told?
    pub fn agreement(&self, paper_count: Option<u64>) -> Vec<Option<bool>> {
        let cells = self.ours.cells();
        cells
            .iter()
            .enumerate()
            .map(|(i, cell)| {
                let paper = self.paper.get(i).copied().flatten()?;
                cell.figure()?.agrees(paper, paper_count?)
            })
            .collect()
    }

    /// How long it took to measure.
    pub fn seconds(&self) -> f64 {
        self.ours.seconds() + self.best.seconds()
    }
}

impl Report {
    pub(crate) fn new(experiment: &Experiment, budget: Budget, seed: u64) -> Report {
        Report {
            id: experiment.id.into(),
            cite: experiment.cite.into(),
            title: experiment.title.into(),
            setting: experiment.setting.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            budget,
            seed,
            rows_are: experiment.rows_are.into(),
            columns: experiment
                .columns
                .iter()
                .map(|column| (column.name.into(), column.unit))
                .collect(),
            paper_count: experiment.paper_count,
            rows: Vec::new(),
            deviations: experiment.deviations.iter().map(|&d| d.into()).collect(),
        }
    }

    /// Reads a report that was written as JSON.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_json(text: &str) -> Result<Report, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The report as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report has nothing that JSON has not")
    }

    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        crate::markdown::write(self)
    }

    /// The report as a page of HTML that needs no other file.
    pub fn html(&self) -> String {
        crate::html::page(std::slice::from_ref(self))
    }

    /// How long it took to measure.
    pub fn seconds(&self) -> f64 {
        self.rows.iter().map(RowReport::seconds).sum()
    }

    /// Is there a recipe of our own in any row?
    pub(crate) fn has_best(&self) -> bool {
        self.rows.iter().any(|row| !row.best.is_empty())
    }

    /// What its experiment wants drawn; a table that is no longer there is drawn as bars.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        crate::find(&self.id).map_or_else(
            |_| {
                (0..self.columns.len())
                    .map(|column| Chart::Bars { column })
                    .collect()
            },
            |experiment| experiment.charts.to_vec(),
        )
    }
}

/// How long something took, in a word.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
