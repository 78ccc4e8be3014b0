//! The size of document W's network, and the names and sizes of its weights.

use serde::{Deserialize, Serialize};

use super::{Begin, TableSpec};
use crate::LearnError;

/// The size of document W's network: a convolution, residual blocks of two convolutions each, and from
/// there a few filters of their own for the moves and for the result. Every convolution is normalised
/// over its batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResidualShape {
    /// Numbers for each square.
    pub filters: usize,
    /// Residual blocks.
    pub blocks: usize,
}

impl ResidualShape {
    /// Sets of squares that it sees.
    pub const INPUTS: usize = 16;
    /// Moves by number.
    pub const MOVES: usize = 64 * 64;
    /// Filters before the layer that scores moves; the document does not say how many.
    pub const POLICY: usize = 8;
    /// Filters before the layers that expect a result.
    pub const VALUE: usize = 4;
    /// Numbers between these two layers.
    pub const HIDDEN: usize = 64;

    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(self) -> Result<(), LearnError> {
        let most = |name: &str, value: usize, most: usize| match (1..=most).contains(&value) {
            true => Ok(()),
            false => Err(LearnError::BadSetting {
                name: name.into(),
                value: value.to_string(),
                why: format!("1 to {most}"),
            }),
        };
        most("filters", self.filters, 1024)?;
        most("blocks", self.blocks, 64)
    }

    /// Every table, in the order of the forward pass.
    pub fn tables(self) -> Vec<TableSpec> {
        let mut all = Vec::new();
        let relu = 2_f64.sqrt();
        let mut table = |name: String, sides: &[usize], begin: Begin| {
            all.push(TableSpec {
                name,
                sides: sides.to_vec(),
                begin,
                matrix: sides.len() > 1,
                exact: false,
            });
        };
        let spread = |sides: &[usize], gain: f64| {
            let inputs: usize = sides[1..].iter().product();
            Begin::Spread(gain / (inputs as f64).sqrt())
        };
        for (name, inputs, outputs, side) in self.convolutions() {
            let sides = [outputs, inputs, side, side];
            table(format!("{name}.weight"), &sides, spread(&sides, relu));
            table(
                format!("{name}_norm.gamma"),
                &[outputs],
                Begin::Constant(1.0),
            );
            table(
                format!("{name}_norm.beta"),
                &[outputs],
                Begin::Constant(0.0),
            );
        }
        for (name, inputs, outputs, gain) in [
            // A network that knows nothing should find all moves about as likely.
            ("moves", 64 * Self::POLICY, Self::MOVES, 0.3),
            ("hidden", 64 * Self::VALUE, Self::HIDDEN, relu),
            ("result", Self::HIDDEN, 1, 1.0),
        ] {
            let sides = [outputs, inputs];
            table(format!("{name}.weight"), &sides, spread(&sides, gain));
            table(format!("{name}.bias"), &[outputs], Begin::Constant(0.0));
        }
        all
    }

    /// Name, inputs, outputs and side of every convolution.
    fn convolutions(self) -> Vec<(String, usize, usize, usize)> {
        let w = self.filters;
        let mut all = vec![("first".to_owned(), Self::INPUTS, w, 3)];
        for block in 0..self.blocks {
            all.push((format!("blocks.{block}.first"), w, w, 3));
            all.push((format!("blocks.{block}.second"), w, w, 3));
        }
        all.push(("policy".to_owned(), w, Self::POLICY, 1));
        all.push(("value".to_owned(), w, Self::VALUE, 1));
        all
    }

    /// The normalisations, and how many numbers each has.
    pub fn norms(self) -> Vec<(String, usize)> {
        let convolutions = self.convolutions().into_iter();
        convolutions
            .map(|(name, _, outputs, _)| (format!("{name}_norm"), outputs))
            .collect()
    }

    /// How many weights there are.
    pub fn weights(self) -> usize {
        self.tables().iter().map(TableSpec::count).sum()
    }
}
