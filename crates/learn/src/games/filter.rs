//! Which games are wanted.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use rules::PgnResult;
use serde::{Deserialize, Serialize};

use super::{Date, GameHeader, Names, report::Sieve};

/// Which games are wanted. What is not known fits no limit: a game without ratings is not one of
/// players above 2000.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Filter {
    /// The ratings of both players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Limits>,
    /// The year it was played in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<Limits>,
    /// How many plies it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<Limits>,
    /// Results as PGN writes them; none means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
    /// Texts of which the event's name contains one, capital or not; none means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// Texts of which the event's name contains none, capital or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_than_events: Vec<String>,
}

/// Numbers from one to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Limits {
    least: u16,
    most: u16,
}

impl Limits {
    fn contains(self, number: Option<u16>) -> bool {
        let range: RangeInclusive<u16> = self.least..=self.most;
        number.is_some_and(|number| range.contains(&number))
    }
}

/// Why a text is no limits.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not a number or a range such as 2000.. or ..2400 or 2000..2400")]
pub struct LimitsError(String);

impl FromStr for Limits {
    type Err = LimitsError;

    fn from_str(text: &str) -> Result<Limits, LimitsError> {
        let number = |text: &str, empty: u16| match text.trim() {
            "" => Some(empty),
            digits => digits.parse().ok(),
        };
        let limits = match text.split_once("..") {
            Some((least, most)) => number(least, 0).zip(number(most, u16::MAX)),
            None => text.trim().parse().ok().map(|number| (number, number)),
        };
        match limits {
            Some((least, most)) if least <= most => Ok(Limits { least, most }),
            _ => Err(LimitsError(text.to_owned())),
        }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (least, most) if least == most => write!(f, "{least}"),
            (0, most) => write!(f, "..{most}"),
            (least, u16::MAX) => write!(f, "{least}.."),
            (least, most) => write!(f, "{least}..{most}"),
        }
    }
}

impl TryFrom<String> for Limits {
    type Error = LimitsError;

    fn try_from(text: String) -> Result<Limits, LimitsError> {
        text.parse()
    }
}

impl From<Limits> for String {
    fn from(limits: Limits) -> String {
        limits.to_string()
    }
}

impl Filter {
    /// Does it want everything?
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// Does it ask for names, which are more work to look at than numbers?
    pub fn asks_names(&self) -> bool {
        !(self.events.is_empty() && self.other_than_events.is_empty())
    }

    /// Is a game wanted?
    pub fn wants(&self, header: &GameHeader, names: Names<'_>) -> bool {
        self.by_tags(header.ratings, header.date, names.get("Event"))
            .is_none()
            && self.by_moves(header.plies, header.result).is_none()
    }

    /// What sorts a game out by what its tags say.
    pub(super) fn by_tags(
        &self,
        ratings: [Option<u16>; 2],
        date: Date,
        event: Option<&str>,
    ) -> Option<Sieve> {
        if let Some(limits) = self.rating
            && !ratings.iter().all(|&rating| limits.contains(rating))
        {
            return Some(Sieve::Rating);
        }
        if self
            .year
            .is_some_and(|limits| !limits.contains(date.year()))
        {
            return Some(Sieve::Year);
        }
        if self.asks_names() {
            let event = event.unwrap_or_default().to_lowercase();
            let has = |text: &String| event.contains(&text.to_lowercase());
            let wanted = self.events.is_empty() || self.events.iter().any(has);
            if !wanted || self.other_than_events.iter().any(has) {
                return Some(Sieve::Event);
            }
        }
        None
    }

    /// What sorts a game out by its moves and result.
    pub(super) fn by_moves(&self, plies: u16, result: PgnResult) -> Option<Sieve> {
        if self
            .plies
            .is_some_and(|limits| !limits.contains(Some(plies)))
        {
            return Some(Sieve::Length);
        }
        let is_wanted = |text: &String| *text == result.to_string();
        if !self.results.is_empty() && !self.results.iter().any(is_wanted) {
            return Some(Sieve::Result);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_written() {
        for text in ["2000..", "..2400", "2000..2400", "1972"] {
            let limits: Limits = text.parse().unwrap();
            assert_eq!(limits.to_string(), text);
        }
        for text in ["", "a", "2400..2000", "1..2..3", "-1", "70000"] {
            assert!(text.parse::<Limits>().is_err(), "{text}");
        }
        let limits: Limits = "2000..2400".parse().unwrap();
        assert!(limits.contains(Some(2000)) && limits.contains(Some(2400)));
        assert!(!limits.contains(Some(1999)) && !limits.contains(Some(2401)));
        assert!(!limits.contains(None));
    }
}
