use std::{fmt, str::FromStr};

/// When a game is drawn although it could go on. Every rule can be switched.
///
/// All of them act by themselves, without a claim. Checkmate, stalemate and insufficient material
/// need no switch: no move or no mate is left.
///
/// As text, rules are a list such as `fifty,threefold` (the default), `seventy-five,fivefold`
/// (FIDE's own automatic draws), `fifty,threefold,moves=100` or `none`.
///
/// ```
/// use rules::{Repetition, Rules};
/// let rules = Rules { repetition: Repetition::Off, ..Rules::default() };
/// assert_eq!(rules.to_string(), "fifty");
/// assert_eq!("fifty".parse(), Ok(rules));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// How many moves may pass without a capture or a pawn move.
    pub fifty: MoveRule,
    /// How often a position may occur.
    pub repetition: Repetition,
    /// The game is drawn once each side has made this many moves since its start.
    pub max_moves: Option<u32>,
}

/// How many moves of each side may pass without a capture or a pawn move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveRule {
    /// Any number.
    Off,
    /// Fifty.
    Fifty,
    /// Seventy-five.
    SeventyFive,
}

/// The occurrence of a position that ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repetition {
    /// None.
    Off,
    /// The third.
    Threefold,
    /// The fifth.
    Fivefold,
}

/// A text that names no draw rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{word}' in '{text}' is no draw rule; known: {KNOWN}")]
pub struct RulesError {
    word: String,
    text: String,
}

const KNOWN: &str =
    "fifty or seventy-five, threefold or fivefold, moves=N with N from 1; each kind once; or none";

impl Rules {
    /// No draw by rule: only checkmate, stalemate and insufficient material end the game.
    pub const fn none() -> Rules {
        Rules {
            fifty: MoveRule::Off,
            repetition: Repetition::Off,
            max_moves: None,
        }
    }

    /// What FIDE's laws end without a claim: seventy-five moves and fivefold repetition.
    pub const fn fide() -> Rules {
        Rules {
            fifty: MoveRule::SeventyFive,
            repetition: Repetition::Fivefold,
            max_moves: None,
        }
    }

    /// The same rules with a cap on the moves of each side.
    #[must_use]
    pub const fn with_max_moves(self, max_moves: u32) -> Rules {
        Rules {
            max_moves: Some(max_moves),
            ..self
        }
    }
}

impl Default for Rules {
    /// Fifty moves and threefold repetition, both without a claim, as the source papers play.
    fn default() -> Rules {
        Rules {
            fifty: MoveRule::Fifty,
            repetition: Repetition::Threefold,
            max_moves: None,
        }
    }
}

impl MoveRule {
    /// The half-move clock that ends the game.
    pub const fn plies(self) -> Option<u32> {
        match self {
            MoveRule::Off => None,
            MoveRule::Fifty => Some(100),
            MoveRule::SeventyFive => Some(150),
        }
    }
}

impl Repetition {
    /// The number of occurrences that ends the game.
    pub const fn occurrences(self) -> Option<usize> {
        match self {
            Repetition::Off => None,
            Repetition::Threefold => Some(3),
            Repetition::Fivefold => Some(5),
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fifty = match self.fifty {
            MoveRule::Off => None,
            MoveRule::Fifty => Some("fifty".to_owned()),
            MoveRule::SeventyFive => Some("seventy-five".to_owned()),
        };
        let repetition = match self.repetition {
            Repetition::Off => None,
            Repetition::Threefold => Some("threefold".to_owned()),
            Repetition::Fivefold => Some("fivefold".to_owned()),
        };
        let cap = self.max_moves.map(|moves| format!("moves={moves}"));
        let words: Vec<String> = [fifty, repetition, cap].into_iter().flatten().collect();
        if words.is_empty() {
            f.write_str("none")
        } else {
            f.write_str(&words.join(","))
        }
    }
}

impl FromStr for Rules {
    type Err = RulesError;

    fn from_str(text: &str) -> Result<Rules, RulesError> {
        let mut rules = Rules::none();
        if text == "none" {
            return Ok(rules);
        }
        for word in text.split(',') {
            let before = rules;
            match word {
                "fifty" if rules.fifty == MoveRule::Off => rules.fifty = MoveRule::Fifty,
                "seventy-five" if rules.fifty == MoveRule::Off => {
                    rules.fifty = MoveRule::SeventyFive;
                }
                "threefold" if rules.repetition == Repetition::Off => {
                    rules.repetition = Repetition::Threefold;
                }
                "fivefold" if rules.repetition == Repetition::Off => {
                    rules.repetition = Repetition::Fivefold;
                }
                _ if rules.max_moves.is_none() => {
                    rules.max_moves = word
                        .strip_prefix("moves=")
                        .and_then(|moves| moves.parse().ok())
                        .filter(|&moves| moves > 0);
                }
                _ => {}
            }
            if rules == before {
                return Err(RulesError {
                    word: word.to_owned(),
                    text: text.to_owned(),
                });
            }
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_round_trip_as_text() {
        for fifty in [MoveRule::Off, MoveRule::Fifty, MoveRule::SeventyFive] {
            for repetition in [Repetition::Off, Repetition::Threefold, Repetition::Fivefold] {
                for max_moves in [None, Some(1), Some(200)] {
                    let rules = Rules {
                        fifty,
                        repetition,
                        max_moves,
                    };
                    assert_eq!(rules.to_string().parse(), Ok(rules));
                }
            }
        }
        assert_eq!(Rules::default().to_string(), "fifty,threefold");
        assert_eq!(Rules::fide().to_string(), "seventy-five,fivefold");
    }

    #[test]
    fn refusals_quote_the_word() {
        for (text, word) in [
            ("", "''"),
            ("sixty", "'sixty'"),
            ("fifty,fifty", "'fifty'"),
            ("fifty,seventy-five", "'seventy-five'"),
            ("moves=0", "'moves=0'"),
            ("moves=5,moves=6", "'moves=6'"),
            ("none,fifty", "'none'"),
        ] {
            let error = text.parse::<Rules>().expect_err(text).to_string();
            assert!(error.starts_with(word), "{error}");
        }
    }
}
