use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::plot::escaped;

/// A table as shades.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeatMap {
    /// What it shows.
    pub title: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Row by row; `None` where there is nothing.
    pub values: Vec<Vec<Option<f64>>>,
    /// The value of the deepest shade.
    pub full: f64,
}

const CELL: (f64, f64) = (72.0, 30.0);
const LEFT: f64 = 84.0;
const TOP: f64 = 50.0;

impl HeatMap {
    /// How wide and how high it is.
    pub(crate) fn size(&self) -> (f64, f64) {
        let (w, h) = CELL;
        let width = LEFT + w * self.columns.len() as f64 + 4.0;
        (width, TOP + h * self.rows.len() as f64 + 4.0)
    }

    /// The table as an SVG element.
    pub fn svg(&self) -> String {
        let (w, h) = CELL;
        let (width, height) = self.size();
        let title = escaped(&self.title);
        let mut svg = format!(
            "<svg class=\"plot heat\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\" \
             role=\"img\" aria-label=\"{title}\"><title>{title}</title>\
             <text class=\"title\" x=\"4\" y=\"18\">{title}</text>"
        );
        for (j, column) in self.columns.iter().enumerate() {
            let x = LEFT + w * (j as f64 + 0.5);
            // Writing to a string cannot fail.
            let _ = write!(
                svg,
                "<text class=\"label\" text-anchor=\"middle\" x=\"{x}\" y=\"{}\">{}</text>",
                TOP - 8.0,
                escaped(column)
            );
        }
        for (i, row) in self.rows.iter().enumerate() {
            let y = TOP + h * i as f64;
            let _ = write!(
                svg,
                "<text class=\"label\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
                LEFT - 8.0,
                y + 19.0,
                escaped(row)
            );
            let values = self.values.get(i).map_or(&[][..], Vec::as_slice);
            for (j, value) in values.iter().enumerate() {
                let x = LEFT + w * j as f64;
                let (shade, text) = match value {
                    Some(value) => (
                        (value / self.full).clamp(0.0, 1.0),
                        crate::scale::label((value * 10.0).round() / 10.0),
                    ),
                    None => (0.0, "–".into()),
                };
                let ink = if shade > 0.55 { "deep" } else { "label" };
                let _ = write!(
                    svg,
                    "<rect class=\"heat-base\" x=\"{x}\" y=\"{y}\" width=\"{0}\" height=\"{1}\"/>\
                     <rect class=\"heat-shade\" fill-opacity=\"{shade:.3}\" x=\"{x}\" y=\"{y}\" \
                     width=\"{0}\" height=\"{1}\"/><text class=\"{ink}\" text-anchor=\"middle\" \
                     x=\"{2}\" y=\"{3}\">{text}</text>",
                    w - 2.0,
                    h - 2.0,
                    x + w / 2.0 - 1.0,
                    y + 19.0
                );
            }
        }
        svg.push_str("</svg>");
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_gets_a_cell() {
        let map = HeatMap {
            title: "wins".into(),
            rows: vec!["1".into(), "2".into()],
            columns: vec!["KQK".into(), "KRK".into()],
            values: vec![vec![Some(100.0), Some(5.0)], vec![None, Some(50.0)]],
            full: 100.0,
        };
        let svg = map.svg();
        assert_eq!(svg.matches("heat-shade").count(), 4);
        assert!(svg.contains("fill-opacity=\"0.050\"") && svg.contains('–'));
    }
}
