//! What an experiment yielded, ready to be written down.

use serde::{Deserialize, Serialize};

use crate::{Budget, Cell, Chart, Experiment, Measured, Origin, Unit};

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
    /// What the figures show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// Rows that were measured under other settings than those of today.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<String>,
}

/// The three kinds of figures in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The paper's.
    Paper,
    /// Ours under the paper's settings.
    Ours,
    /// Ours under our best recipe.
    Best,
}

impl Kind {
    /// The kinds that we measure.
    pub const MEASURED: [Kind; 2] = [Kind::Ours, Kind::Best];

    /// Its name in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Paper => "paper",
            Kind::Ours => "ours",
            Kind::Best => "best",
        }
    }

    /// Its name beside a drawing.
    pub const fn long_name(self) -> &'static str {
        match self {
            Kind::Paper => "paper",
            Kind::Ours => "ours, paper's settings",
            Kind::Best => "our best recipe",
        }
    }
}

/// A row of a report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RowReport {
    /// Its heading.
    pub name: String,
    /// The paper's figures.
    pub paper: Vec<Option<f64>>,
    /// Ours under the paper's settings.
    pub ours: Measurements,
    /// Ours under our best recipe.
    pub best: Measurements,
}

/// The measurements that fill a row.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Measurements {
    /// From left to right.
    pub measurements: Vec<Measurement>,
}

/// One measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured, and how; empty where that was not written down.
    pub settings: String,
    /// What it yielded.
    pub measured: Measured,
    /// How long it took, where that was written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// When, where and by which command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Measurements {
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
        self.measurements.iter().filter_map(|m| m.seconds).sum()
    }
}

impl RowReport {
    /// The measurements of a kind; the paper's figures are none of ours.
    pub fn recipe(&self, kind: Kind) -> Option<&Measurements> {
        match kind {
            Kind::Paper => None,
            Kind::Ours => Some(&self.ours),
            Kind::Best => Some(&self.best),
        }
    }

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
            findings: experiment.findings.iter().map(|&f| f.into()).collect(),
            outdated: Vec::new(),
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

    /// The kinds of figures that a column has.
    pub(crate) fn kinds(&self, column: usize) -> Vec<Kind> {
        let paper = |row: &RowReport| row.paper.get(column).copied().flatten().is_some();
        let best = |row: &RowReport| row.best.cells().get(column).is_some();
        let mut kinds = Vec::new();
        if self.rows.iter().any(paper) {
            kinds.push(Kind::Paper);
        }
        kinds.push(Kind::Ours);
        if self.rows.iter().any(best) {
            kinds.push(Kind::Best);
        }
        kinds
    }

    /// How much of it was measured, and when, in a few words.
    pub fn measured(&self) -> String {
        let origins = self.origins();
        let dates = origins.iter().map(|(origin, _)| origin.date.as_str());
        let recipes = || self.rows.iter().flat_map(|row| [&row.ours, &row.best]);
        let asked = recipes().filter(|recipe| !recipe.is_empty()).count();
        let figures =
            |recipe: &&Measurements| recipe.cells().iter().any(|cell| cell.figure().is_some());
        let measured = recipes().filter(figures).count();
        let mut words = self.budget.to_string();
        if let Some(latest) = dates.max() {
            words += &format!(", {latest}");
        }
        if measured < asked {
            words += &format!(", {measured} of {asked} measurements");
        }
        words
    }

    /// The commands that measured it, each once.
    pub fn commands(&self) -> Vec<String> {
        let mut commands: Vec<String> = Vec::new();
        for (origin, _) in self.origins() {
            if !commands.contains(&origin.command) {
                commands.push(origin.command.clone());
            }
        }
        commands
    }

    /// Where its figures come from: each origin once, with what was measured there and how long that
    /// took.
    pub(crate) fn origins(&self) -> Vec<(&Origin, String)> {
        let mut origins: Vec<&Origin> = Vec::new();
        for row in &self.rows {
            for recipe in [&row.ours, &row.best] {
                let measurements = recipe.measurements.iter();
                for origin in measurements.filter_map(|m| m.origin.as_ref()) {
                    if !origins.contains(&origin) {
                        origins.push(origin);
                    }
                }
            }
        }
        let several = origins.len() > 1;
        let words = |origin| {
            let mut words = self
                .seconds_of(origin)
                .map_or_else(String::new, |seconds| format!("took {}", duration(seconds)));
            if several {
                for kind in Kind::MEASURED {
                    if let Some(rows) = self.rows_of(kind, origin) {
                        let comma = if words.is_empty() { "" } else { "; " };
                        words += &format!("{comma}{}: {rows}", kind.name());
                    }
                }
            }
            words
        };
        origins
            .into_iter()
            .map(|origin| (origin, words(origin)))
            .collect()
    }

    fn seconds_of(&self, origin: &Origin) -> Option<f64> {
        let recipes = self.rows.iter().flat_map(|row| [&row.ours, &row.best]);
        let measurements = recipes.flat_map(|recipe| &recipe.measurements);
        let of_it = measurements.filter(|m| m.origin.as_ref() == Some(origin));
        of_it.filter_map(|m| m.seconds).reduce(|a, b| a + b)
    }

    /// The rows of a kind that come from there, by name.
    fn rows_of(&self, kind: Kind, origin: &Origin) -> Option<String> {
        let from = |row: &&RowReport| {
            let measurements = row.recipe(kind).map(|recipe| &recipe.measurements);
            let mut measurements = measurements.into_iter().flatten();
            measurements.any(|m| m.origin.as_ref() == Some(origin))
        };
        let measured = |row: &&RowReport| row.recipe(kind).is_some_and(|recipe| !recipe.is_empty());
        let names: Vec<&str> = self
            .rows
            .iter()
            .filter(from)
            .map(|row| row.name.as_str())
            .collect();
        match names.len() {
            0 => None,
            n if n == self.rows.iter().filter(measured).count() => Some("all rows".into()),
            _ => Some(names.join("; ")),
        }
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
