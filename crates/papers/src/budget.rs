use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// How much work an experiment may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget {
    /// About a second a row: shows that it runs, the figures mean little.
    Smoke,
    /// Minutes for all experiments together.
    Quick,
    /// The paper's own number of games, or more.
    Full,
}

impl Budget {
    /// Every budget, smallest first.
    pub const ALL: [Budget; 3] = [Budget::Smoke, Budget::Quick, Budget::Full];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Budget::Smoke => "smoke",
            Budget::Quick => "quick",
            Budget::Full => "full",
        }
    }

    /// The one of three values that belongs to it.
    pub const fn pick(self, smoke: u64, quick: u64, full: u64) -> u64 {
        match self {
            Budget::Smoke => smoke,
            Budget::Quick => quick,
            Budget::Full => full,
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Budget, String> {
        Budget::ALL
            .into_iter()
            .find(|budget| budget.name() == text)
            .ok_or_else(|| format!("'{text}' is no budget: smoke, quick or full"))
    }
}
