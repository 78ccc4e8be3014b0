use serde::{Deserialize, Serialize};

use crate::{Agent, Bench, Budget, Kind, Measured, PaperError};

/// A table of a paper, and what to measure for each of its rows.
pub struct Experiment {
    /// Its name: the letter of the document and the number of the table.
    pub id: &'static str,
    /// Where it stands.
    pub cite: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// What the paper did, as far as it says.
    pub setting: &'static str,
    /// The heading over the names of the rows.
    pub rows_are: &'static str,
    /// What is measured.
    pub columns: &'static [Column],
    /// The rows, in the paper's order.
    pub rows: &'static [Row],
    /// How many trials stand behind each of the paper's figures, if it says so.
    pub paper_count: Option<u64>,
    /// Where we could not, or would not, do as the paper did; and why our figures differ, where
    /// they do.
    pub deviations: &'static [&'static str],
    /// What our figures show, a paragraph each.
    pub findings: &'static [&'static str],
    /// What to draw.
    pub charts: &'static [Chart],
}

/// A column of figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// What its figures count.
    pub unit: Unit,
}

impl Column {
    /// Shares.
    pub const fn percent(name: &'static str) -> Column {
        Column {
            name,
            unit: Unit::Percent,
        }
    }

    /// Numbers of moves.
    pub const fn moves(name: &'static str) -> Column {
        Column {
            name,
            unit: Unit::Moves,
        }
    }

    /// Numbers of positions.
    pub const fn positions(name: &'static str) -> Column {
        Column {
            name,
            unit: Unit::Positions,
        }
    }

    /// Sizes.
    pub const fn bytes(name: &'static str) -> Column {
        Column {
            name,
            unit: Unit::Bytes,
        }
    }

    /// Numbers without a unit.
    pub const fn plain(name: &'static str) -> Column {
        Column {
            name,
            unit: Unit::Plain,
        }
    }

    /// How often something happened.
    pub const fn times(name: &'static str) -> Column {
        Column {
            name,
            unit: Unit::Times,
        }
    }
}

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Hundredths of all trials.
    Percent,
    /// Moves of the side that wins.
    Moves,
    /// Moves of both sides together.
    Plies,
    /// Positions.
    Positions,
    /// How often something happened.
    Times,
    /// Bytes.
    Bytes,
    /// A number without a unit.
    Plain,
}

impl Unit {
    /// A figure of this unit, rounded as papers do.
    pub fn show(self, value: f64) -> String {
        match self {
            Unit::Percent => {
                let small = value != 0.0 && value.abs() < 10.0;
                let text = play::rounding::percent(value / 100.0, if small { 2 } else { 1 });
                trimmed(text.trim_end_matches(" %")).to_owned() + " %"
            }
            Unit::Moves | Unit::Plies => {
                let small = value != 0.0 && value.abs() < 1.0;
                trimmed(&play::rounding::moves(value, if small { 3 } else { 1 })).to_owned()
            }
            Unit::Plain => format!("{value:.4}"),
            Unit::Positions | Unit::Times if value.abs() < 1000.0 => format!("{value:.1}"),
            Unit::Positions | Unit::Times | Unit::Bytes => format!("{value:.0}"),
        }
    }

    /// Its name in the plural.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Percent => "%",
            Unit::Moves => "moves",
            Unit::Plies => "plies",
            Unit::Positions => "positions",
            Unit::Times => "times",
            Unit::Bytes => "bytes",
            Unit::Plain => "",
        }
    }
}

/// A decimal without zeros at its end, but for the first one after the point: they would say that more
/// is known than is.
fn trimmed(decimal: &str) -> &str {
    let trimmed = decimal.trim_end_matches('0');
    match trimmed.ends_with('.') {
        true => &decimal[..=trimmed.len()],
        false => trimmed,
    }
}

/// A row of a table.
pub struct Row {
    /// Its heading.
    pub name: &'static str,
    /// The paper's figures, one for each column and NaN where it has none; empty in a row of our
    /// own.
    pub paper: &'static [f64],
    /// What we measure under the paper's settings; together they fill the columns.
    pub ours: &'static [&'static dyn Measure],
    /// What we measure with our best recipe; empty where the paper's settings leave nothing better.
    pub best: &'static [&'static dyn Measure],
}

impl Row {
    /// The paper's figures, one for each column where it has one.
    pub(crate) fn paper(&self, columns: usize) -> Vec<Option<f64>> {
        let figure = |i| self.paper.get(i).copied();
        let known = |i| figure(i).filter(|value: &f64| !value.is_nan());
        (0..columns).map(known).collect()
    }

    /// What is measured for a kind of figures.
    pub(crate) fn measures(&self, kind: Kind) -> &'static [&'static dyn Measure] {
        match kind {
            Kind::Paper => &[],
            Kind::Ours => self.ours,
            Kind::Best => self.best,
        }
    }
}

/// Something that can be measured: it fills one or more cells of a row.
pub trait Measure: Sync {
    /// How many cells it fills.
    fn cells(&self) -> usize;

    /// All that the result depends on besides the seed, in one line. It stands in the report, and
    /// a saved result is used again only when it is the same.
    fn settings(&self, budget: Budget) -> String;

    /// Measures. The same seed and budget must give the same cells.
    ///
    /// # Errors
    /// When it cannot be measured at all, or the bench says stop. A figure that this machine
    /// cannot measure (an engine that is not installed) is a [`Cell::Missing`](crate::Cell).
    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError>;

    /// The agents of whole games that it needs trained, so that the trainings of all rows can be carried out at
    /// the same time.
    fn agents(&self) -> Vec<Agent> {
        Vec::new()
    }

    /// Does what it measures learn where the run's device is while it measures?
    fn learns_on_device(&self) -> bool {
        false
    }

    /// Does the result depend on the file of games that the run was given?
    fn reads_games(&self) -> bool {
        false
    }
}

/// A drawing of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chart {
    /// One column: a group of bars for each row.
    Bars {
        /// Which column, from 0.
        column: usize,
    },
    /// One column: lines over the rows.
    Lines {
        /// Which column, from 0.
        column: usize,
        /// Logarithmic?
        log: bool,
    },
    /// Two columns against each other, the first on a logarithmic axis: a line for each group of rows,
    /// which share the beginning of their names up to a comma.
    Curve {
        /// Which column runs along the horizontal axis.
        x: usize,
        /// Which along the vertical one.
        y: usize,
        /// Is that one logarithmic, too?
        log: bool,
    },
    /// Two columns against each other, a drawing for each group of rows, in which a row is a number. A group shares the
    /// beginning of its names up to a comma; what follows has the same number in all drawings.
    Numbers {
        /// Which column runs along the horizontal axis.
        x: usize,
        /// Which along the vertical one.
        y: usize,
    },
    /// The whole table as shades, which needs columns of one unit.
    Heat,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_shown_with_the_digits_that_are_known() {
        for (unit, value, shown) in [
            (Unit::Percent, 100.0, "100.0 %"),
            (Unit::Percent, 5.0, "5.0 %"),
            (Unit::Percent, 2.5, "2.5 %"),
            (Unit::Percent, 2.84, "2.84 %"),
            (Unit::Percent, 0.0, "0.0 %"),
            (Unit::Moves, 0.77, "0.77"),
            (Unit::Moves, 0.0344, "0.034"),
            (Unit::Moves, 0.0, "0.0"),
            (Unit::Plies, 30.0, "30.0"),
        ] {
            assert_eq!(unit.show(value), shown);
        }
    }
}
