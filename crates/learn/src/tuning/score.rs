//! What a training is judged by.

use std::fmt;

use play::Registry;

use super::TuningError;
use crate::runs::exact_play::CERTIFICATE;

/// What a training is judged by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Score {
    /// The share of games won against a player.
    Opponent(String),
    /// The exact share of won positions from which mate is forced.
    Certificate,
    /// The last value of a curve.
    Scalar(String),
}

impl Score {
    /// Reads `certificate`, `scalar:NAME`, or the name of a player.
    ///
    /// # Errors
    /// When there is no such player.
    pub fn parse(text: &str, registry: Option<&Registry>) -> Result<Score, TuningError> {
        if text == CERTIFICATE {
            return Ok(Score::Certificate);
        }
        match text.strip_prefix("scalar:") {
            Some("") => {
                let why = "scalar: needs the name of a curve, such as scalar:training/win_rate";
                return Err(TuningError::Search(why.into()));
            }
            Some(name) => return Ok(Score::Scalar(name.to_owned())),
            None => {}
        }
        if text == "self" {
            let why = "games against itself do not tell one training from another: name a player, \
                       certificate, or scalar:NAME";
            return Err(TuningError::Search(why.into()));
        }
        if let Some(registry) = registry {
            registry.parse(text).map_err(|error| {
                let why = format!(
                    "score {text}: {error}; a score is a player, certificate, or scalar:NAME"
                );
                TuningError::Search(why)
            })?;
        }
        Ok(Score::Opponent(text.to_owned()))
    }

    /// Is it a share, from 0 to 1?
    pub fn is_share(&self) -> bool {
        !matches!(self, Score::Scalar(_))
    }

    /// What it is, in words.
    pub fn words(&self) -> String {
        match self {
            Score::Opponent(player) => format!("games won against {player}"),
            Score::Certificate => "won positions from which mate is forced".to_owned(),
            Score::Scalar(name) => format!("last value of {name}"),
        }
    }

    /// A score for people.
    pub fn written(&self, score: Option<f64>) -> String {
        match score {
            None => "–".to_owned(),
            Some(score) if self.is_share() => play::rounding::percent(score, 1),
            Some(score) => significant(score),
        }
    }
}

/// Four digits of a number.
fn significant(number: f64) -> String {
    let rounded: f64 = format!("{number:.3e}").parse().unwrap_or(number);
    match rounded.abs() {
        size if size != 0.0 && !(1e-4..1e7).contains(&size) => format!("{rounded:e}"),
        _ => rounded.to_string(),
    }
    .replace('-', "−")
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Opponent(player) => f.write_str(player),
            Score::Certificate => f.write_str(CERTIFICATE),
            Score::Scalar(name) => write!(f, "scalar:{name}"),
        }
    }
}
