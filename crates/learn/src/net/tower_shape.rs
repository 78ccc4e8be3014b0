//! The size of a tower, and the names and sizes of its weights.

use serde::{Deserialize, Serialize};

use crate::LearnError;

/// The size of a tower.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TowerShape {
    /// Sets of squares that it sees.
    pub inputs: usize,
    /// Numbers for each square.
    pub width: usize,
    /// Its blocks from below, a letter each: `r` for two convolutions of 3×3 (He et al.'s residual block), `c` for
    /// the same and a scale for each number that follows from all squares, `a` for attention between squares and
    /// two layers on each.
    pub blocks: String,
    /// Numbers between the two layers that find the scales.
    pub squeeze: usize,
    /// Heads of attention.
    pub heads: usize,
    /// Numbers between the two layers after attention.
    pub hidden: usize,
    /// Numbers by which a square to leave and a square to go to are matched.
    pub keys: usize,
}

const MOST_BLOCKS: usize = 64;
const MOST_NUMBERS: usize = 4096;

/// A table of weights.
#[derive(Clone, PartialEq, Debug)]
pub struct TableSpec {
    /// Its name in a file.
    pub name: String,
    /// Its sides; a convolution's are outputs, inputs, 3, 3.
    pub sides: Vec<usize>,
    /// What it begins as.
    pub begin: Begin,
    /// Is it a matrix that is trained as one and decays?
    pub matrix: bool,
    /// Is it kept in 32 bits where the rest is 16?
    pub exact: bool,
}

/// What weights begin as.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Begin {
    /// All the same.
    Constant(f64),
    /// Drawn by lot, with this standard deviation.
    Spread(f64),
}

impl TableSpec {
    /// How many weights.
    pub fn count(&self) -> usize {
        self.sides.iter().product()
    }
}

impl TowerShape {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(&self) -> Result<(), LearnError> {
        let refuse = |name: &str, value: String, why: &str| LearnError::BadSetting {
            name: name.into(),
            value,
            why: why.into(),
        };
        let known = self
            .blocks
            .chars()
            .all(|block| matches!(block, 'a' | 'c' | 'r'));
        if !known || !(1..=MOST_BLOCKS).contains(&self.blocks.len()) {
            let why = "1 to 64 letters: r and c for convolutions, a for attention";
            return Err(refuse("blocks", self.blocks.clone(), why));
        }
        for (name, value) in [
            ("inputs", self.inputs),
            ("width", self.width),
            ("squeeze", self.squeeze),
            ("heads", self.heads),
            ("hidden", self.hidden),
            ("keys", self.keys),
        ] {
            if !(1..=MOST_NUMBERS).contains(&value) {
                return Err(refuse(name, value.to_string(), "1 to 4096"));
            }
        }
        if !self.width.is_multiple_of(self.heads) {
            let why = "the width must be a multiple of the heads";
            return Err(refuse("heads", self.heads.to_string(), why));
        }
        Ok(())
    }

    /// Every table, in the order of the forward pass.
    pub fn tables(&self) -> Vec<TableSpec> {
        let mut all = Vec::new();
        let mut matrix = |name: String, sides: &[usize], gain: f64| {
            let inputs: usize = sides[1..].iter().product();
            all.push(TableSpec {
                name,
                sides: sides.to_vec(),
                begin: Begin::Spread(gain / (inputs as f64).sqrt()),
                matrix: true,
                exact: false,
            });
        };
        let (w, relu) = (self.width, 2_f64.sqrt());
        let depth = 1.0 / (2.0 * self.blocks.len() as f64).sqrt();
        matrix("first.weight".into(), &[w, self.inputs, 3, 3], relu);
        for (i, block) in self.blocks.chars().enumerate() {
            let name = |part: &str| format!("blocks.{i}.{part}");
            if block != 'a' {
                matrix(name("first.weight"), &[w, w, 3, 3], relu);
                matrix(name("second.weight"), &[w, w, 3, 3], relu);
                if block == 'c' {
                    matrix(name("squeeze.weight"), &[self.squeeze, w], relu);
                    matrix(name("scale.weight"), &[w, self.squeeze], 1.0);
                }
            } else {
                matrix(name("look.weight"), &[3 * w, w], 1.0);
                matrix(name("gather.weight"), &[w, w], depth);
                matrix(name("widen.weight"), &[self.hidden, w], 1.0);
                matrix(name("narrow.weight"), &[w, self.hidden], depth);
            }
        }
        matrix("pair.weight".into(), &[2 * self.keys, w], 1.0);
        matrix("promote.weight".into(), &[9, w], 1.0);
        matrix("pool.weight".into(), &[w, w], relu);
        matrix("ending.weight".into(), &[3, w], 0.1);
        let mut vector = |name: String, sides: &[usize], value: f64, exact: bool| {
            all.push(TableSpec {
                name,
                sides: sides.to_vec(),
                begin: Begin::Constant(value),
                matrix: false,
                exact,
            });
        };
        vector("first_norm.gamma".into(), &[w], 1.0, true);
        vector("first_norm.beta".into(), &[w], 0.0, true);
        if self.attends() {
            vector("squares".into(), &[64, w], 0.0, false);
        }
        for (i, block) in self.blocks.chars().enumerate() {
            let name = |part: &str| format!("blocks.{i}.{part}");
            if block != 'a' {
                for norm in ["first_norm", "second_norm"] {
                    vector(name(&format!("{norm}.gamma")), &[w], 1.0, true);
                    vector(name(&format!("{norm}.beta")), &[w], 0.0, true);
                }
                if block == 'c' {
                    vector(name("squeeze.bias"), &[self.squeeze], 0.0, false);
                    vector(name("scale.bias"), &[w], 0.0, false);
                }
            } else {
                for norm in ["look_norm", "widen_norm"] {
                    vector(name(&format!("{norm}.gamma")), &[w], 1.0, false);
                    vector(name(&format!("{norm}.beta")), &[w], 0.0, false);
                }
                vector(name("look.bias"), &[3 * w], 0.0, false);
                vector(name("gather.bias"), &[w], 0.0, false);
                vector(name("widen.bias"), &[self.hidden], 0.0, false);
                vector(name("narrow.bias"), &[w], 0.0, false);
                vector(name("distances"), &[self.heads, 225], 0.0, false);
            }
        }
        if self.blocks.ends_with('a') {
            vector("last_norm.gamma".into(), &[w], 1.0, false);
            vector("last_norm.beta".into(), &[w], 0.0, false);
        }
        vector("pair.bias".into(), &[2 * self.keys], 0.0, false);
        vector("promote.bias".into(), &[9], -3.0, false);
        vector("pool.bias".into(), &[w], 0.0, false);
        vector("ending.bias".into(), &[3], 0.0, false);
        vector("moves".into(), &[64, 64], 0.0, true);
        all
    }

    /// Is there attention in it?
    pub fn attends(&self) -> bool {
        self.blocks.contains('a')
    }

    /// How many weights there are.
    pub fn weights(&self) -> usize {
        self.tables().iter().map(TableSpec::count).sum()
    }

    /// The layers whose means and variances are kept, and how many numbers each has.
    pub fn norms(&self) -> Vec<String> {
        let mut norms = vec!["first_norm".to_owned()];
        for (i, block) in self.blocks.chars().enumerate() {
            if block != 'a' {
                norms.push(format!("blocks.{i}.first_norm"));
                norms.push(format!("blocks.{i}.second_norm"));
            }
        }
        norms
    }
}
