use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::Budget;

/// Where figures come from: enough to make them again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The command that measures them.
    pub command: String,
    /// What all chance followed from.
    pub seed: u64,
    /// How much work it was allowed to be.
    pub budget: Budget,
    /// The version of the program that measured.
    pub version: String,
    /// The day, in UTC: `2026-11-17`.
    pub date: String,
    /// The machine, in words.
    pub machine: String,
    /// Where the figures were found, when they did not come straight from the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Origin {
    /// Figures that this program measures today.
    pub(crate) fn now(
        experiment: &str,
        budget: Budget,
        seed: u64,
        games: Option<&Path>,
        machine: &str,
    ) -> Origin {
        let budget_option = match budget {
            Budget::Full => String::new(),
            other => format!(" --budget {other}"),
        };
        // Where the file lies is nobody's business.
        let games_option = games
            .and_then(Path::file_name)
            .map_or_else(String::new, |name| {
                format!(" --games {}", name.to_string_lossy())
            });
        Origin {
            command: format!(
                "lucena paper {experiment}{games_option}{budget_option} --seed {seed}"
            ),
            seed,
            budget,
            version: env!("CARGO_PKG_VERSION").into(),
            date: date(SystemTime::now().duration_since(UNIX_EPOCH)),
            machine: machine.into(),
            source: None,
        }
    }

    /// Day, program and machine in a line.
    pub fn words(&self) -> String {
        let mut text = format!(
            "{}, lucena {}, {} budget, {}",
            self.date, self.version, self.budget, self.machine
        );
        if let Some(source) = &self.source {
            text += "; ";
            text += source;
        }
        text
    }
}

/// This machine in words, as far as a program can tell.
pub fn this_machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} core{}", if cores == 1 { "" } else { "s" })
}

/// The day of a time since 1970, in the calendar of today. A clock before 1970 is taken for 1970.
fn date<E>(since_1970: Result<Duration, E>) -> String {
    let days = since_1970.map_or(0, |time| time.as_secs() / 86_400);
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut day) = (1970, days);
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let on = |seconds| date(Ok::<_, ()>(Duration::from_secs(seconds)));
        assert_eq!(on(0), "1970-01-01");
        assert_eq!(on(951_782_400), "2000-02-29");
        assert_eq!(on(951_868_799), "2000-02-29");
        assert_eq!(on(951_868_800), "2000-03-01");
        assert_eq!(on(1_798_761_599), "2026-12-31");
        assert_eq!(on(1_798_761_600), "2027-01-01");
        assert_eq!(date(Err(())), "1970-01-01");
    }

    #[test]
    fn the_command_makes_the_figures_again() {
        let origin = |budget| Origin::now("Y6.4", budget, 7, None, "2 cores").command;
        assert_eq!(origin(Budget::Full), "lucena paper Y6.4 --seed 7");
        assert_eq!(
            origin(Budget::Quick),
            "lucena paper Y6.4 --budget quick --seed 7"
        );
        let games = Path::new("data/masters.games");
        assert_eq!(
            Origin::now("W1", Budget::Full, 7, Some(games), "2 cores").command,
            "lucena paper W1 --games masters.games --seed 7"
        );
    }
}
