//! What was measured: figures with their intervals.

use play::Share;
use serde::{Deserialize, Serialize};

use crate::HeatMap;

/// A measured number.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// The number, in the unit of its column.
    pub value: f64,
    /// Lower and upper end of its 95 % interval; absent when one trial says nothing about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Games or positions behind it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Standard deviation of a single trial, for a mean; absent for a share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
}

/// A cell of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// A number.
    Figure(Figure),
    /// None, and why.
    Missing(String),
}

/// Everything one measurement yields.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// The figures.
    pub cells: Vec<Cell>,
    /// Positions worth a look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagrams: Vec<Diagram>,
    /// Curves, such as those of learning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// Pictures in shades, such as one of the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<HeatMap>,
}

/// A position and what it shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Diagram {
    /// The position.
    pub fen: String,
    /// What it shows.
    pub caption: String,
    /// What is written on some squares: their names, and a few letters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<(String, String)>,
}

/// A curve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Curve {
    /// What it shows.
    pub name: String,
    /// What runs along the horizontal axis.
    pub x: String,
    /// What runs along the vertical axis.
    pub y: String,
    /// Points from left to right.
    pub points: Vec<(f64, f64)>,
}

/// The normal distribution keeps 95 % within so many standard deviations.
const Z95: f64 = 1.959_963_984_540_054;

impl Figure {
    /// A share in percent, with Wilson's interval.
    pub fn percent(successes: u64, trials: u64) -> Figure {
        let share = Share::new(successes, trials);
        // Rounding must not put the share of none or of all outside its own interval.
        let (low, high) = (share.low.min(share.share), share.high.max(share.share));
        Figure {
            value: 100.0 * share.share,
            interval: Some((100.0 * low, 100.0 * high)),
            count: Some(trials),
            deviation: None,
        }
    }

    /// A mean with its normal interval; `None` without values.
    pub fn mean(values: &[f64]) -> Option<Figure> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.len() > 1).then(|| {
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            (squares / (n - 1.0)).sqrt()
        });
        Some(Figure {
            value: mean,
            interval: deviation.map(|s| {
                let half = Z95 * s / n.sqrt();
                (mean - half, mean + half)
            }),
            count: Some(values.len() as u64),
            deviation,
        })
    }

    /// A median with the interval of its order statistics; `None` without values.
    pub fn median(values: &[f64]) -> Option<Figure> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let n = sorted.len() as f64;
        // Half of the values lie below the median, give or take the chance of n tosses of a coin.
        let half = Z95 * n.sqrt() / 2.0;
        let at = |rank: f64| sorted[(rank.max(0.0) as usize).min(last)];
        let low = at((n / 2.0 - half).floor() - 1.0);
        let high = at((n / 2.0 + half).ceil());
        Some(Figure {
            value: (sorted[last / 2] + sorted[sorted.len() / 2]) / 2.0,
            interval: Some((low, high)),
            count: Some(sorted.len() as u64),
            // The spread of a mean with an interval of this width.
            deviation: Some((high - low) / 2.0 * n.sqrt() / Z95),
        })
    }

    /// A number that no chance is part of.
    pub fn exact(value: f64, count: u64) -> Figure {
        Figure {
            value,
            interval: Some((value, value)),
            count: Some(count),
            deviation: Some(0.0),
        }
    }

    /// Could the paper's figure, out of `paper_count` trials, be the same as this one but for
    /// chance (at 95 %)? `None` when that cannot be told.
    ///
    /// A share is tested with the pooled variance of both; for a mean, whose spread papers do not
    /// give, ours stands for both.
    pub fn agrees(&self, paper: f64, paper_count: u64) -> Option<bool> {
        let count = self.count.filter(|&count| count > 0)?;
        if paper_count == 0 || !paper.is_finite() {
            return None;
        }
        let (n, m) = (count as f64, paper_count as f64);
        let spread = match self.deviation {
            Some(deviation) => deviation,
            None if self.interval.is_none() => return None,
            None => {
                let pooled = (self.value * n + paper * m) / (n + m) / 100.0;
                100.0 * (pooled * (1.0 - pooled)).max(0.0).sqrt()
            }
        };
        // The paper rounds to about three digits.
        let rounding = paper.abs() * 0.005;
        let error = Z95 * spread * (1.0 / n + 1.0 / m).sqrt();
        Some((self.value - paper).abs() <= error + rounding)
    }
}

impl Cell {
    /// A mean, or why there is none.
    pub fn mean(values: &[f64], why_not: &str) -> Cell {
        match Figure::mean(values) {
            Some(figure) => Cell::Figure(figure),
            None => Cell::Missing(why_not.to_owned()),
        }
    }

    /// A median, or why there is none.
    pub fn median(values: &[f64], why_not: &str) -> Cell {
        match Figure::median(values) {
            Some(figure) => Cell::Figure(figure),
            None => Cell::Missing(why_not.to_owned()),
        }
    }

    /// Its number, if there is one.
    pub fn figure(&self) -> Option<&Figure> {
        match self {
            Cell::Figure(figure) => Some(figure),
            Cell::Missing(_) => None,
        }
    }
}

impl Measured {
    /// Cells and nothing else.
    pub fn cells(cells: Vec<Cell>) -> Measured {
        Measured {
            cells,
            ..Measured::default()
        }
    }

    /// The same reason for every one of `cells` cells.
    pub fn missing(cells: usize, why: &str) -> Measured {
        Measured::cells(vec![Cell::Missing(why.to_owned()); cells])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_the_textbook_interval() {
        let figure = Figure::mean(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!((figure.value, figure.count), (2.5, Some(4)));
        let (low, high) = figure.interval.unwrap();
        assert!((high - low - 2.0 * 1.959_964 * 1.290_994 / 2.0).abs() < 1e-5);
        assert_eq!(Figure::mean(&[7.0]).unwrap().interval, None);
        assert_eq!(Figure::mean(&[]), None);
    }

    #[test]
    fn medians_have_the_interval_of_their_ranks() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let figure = Figure::median(&values).unwrap();
        // The textbook's ranks for a hundred values: the 40th to the 61st.
        assert_eq!((figure.value, figure.interval), (50.5, Some((40.0, 61.0))));
        assert_eq!(Figure::median(&[3.0]).unwrap().value, 3.0);
        assert_eq!(Figure::median(&[]), None);
    }

    #[test]
    fn agreement_allows_for_the_chance_on_both_sides() {
        // 44 of 10,000 against 55 of 10,000: z = 1.1. Against 75: z = 2.8.
        let figure = Figure::percent(44, 10_000);
        assert_eq!(figure.agrees(0.55, 10_000), Some(true));
        assert_eq!(figure.agrees(0.75, 10_000), Some(false));
        assert_eq!(Figure::percent(20, 20).agrees(100.0, 20), Some(true));
        assert_eq!(Figure::exact(1.0, 20).agrees(1.0, 20), Some(true));
        assert_eq!(Figure::exact(1.0, 20).agrees(f64::NAN, 20), None);
    }
}
