use std::{fmt, ops::RangeInclusive, str::FromStr};

/// A key that a kind of player understands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// Its name; a name that ends in `.*` stands for all names that begin so.
    pub name: &'static str,
    /// What it means, and its default.
    pub meaning: &'static str,
}

impl Key {
    fn allows(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(beginning) => name.len() > beginning.len() && name.starts_with(beginning),
            None => self.name == name,
        }
    }
}

/// The text behind a player's name, read: what it is about, and `key=value` pairs.
///
/// `uci:stockfish,nodes=10000` has the subject `stockfish` and one pair.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    player: String,
    subject: Option<String>,
    values: Vec<(String, String)>,
}

/// Why a text does not name a player.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// No player has this name.
    #[error("there is no player '{name}'; known are {}", known.join(", "))]
    UnknownPlayer {
        /// The name.
        name: String,
        /// Every name there is.
        known: Vec<String>,
    },
    /// The player does not understand a key.
    #[error("{player} has no setting '{key}'; {}", settings_list(known))]
    UnknownKey {
        /// Which player.
        player: String,
        /// The key.
        key: String,
        /// Every key it understands.
        known: Vec<String>,
    },
    /// A key was given twice.
    #[error("{player}: '{key}' is set twice")]
    Twice {
        /// Which player.
        player: String,
        /// The key.
        key: String,
    },
    /// Something that is not `key=value`.
    #[error("{player}: '{text}' is not key=value")]
    NotAPair {
        /// Which player.
        player: String,
        /// The text.
        text: String,
    },
    /// The player needs to be told what it is about, and was not.
    #[error("{player} needs {what} behind the colon, as in '{player}:{example}'")]
    NoSubject {
        /// Which player.
        player: String,
        /// What is missing.
        what: &'static str,
        /// An example of it.
        example: &'static str,
    },
    /// A value that the key does not take.
    #[error("{player}: {key} is '{value}', expected {expected}")]
    Value {
        /// Which player.
        player: String,
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// Anything else that keeps the player from being made.
    #[error("{player}: {why}")]
    Other {
        /// Which player.
        player: String,
        /// Why.
        why: String,
    },
}

fn settings_list(known: &[String]) -> String {
    if known.is_empty() {
        "it has none".into()
    } else {
        format!("it has {}", known.join(", "))
    }
}

impl Settings {
    /// Reads the text behind the name of `player`, which may be anything else that has settings.
    ///
    /// # Errors
    /// When a key is unknown or there twice, or something is not `key=value`.
    pub fn read(
        player: &str,
        text: &str,
        has_subject: bool,
        keys: &[Key],
    ) -> Result<Settings, SpecError> {
        let mut settings = Settings {
            player: player.to_owned(),
            ..Settings::default()
        };
        let mut parts = text.split(',').filter(|part| !part.is_empty());
        if has_subject {
            settings.subject = parts.next().map(str::to_owned);
        }
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| SpecError::NotAPair {
                player: player.to_owned(),
                text: part.to_owned(),
            })?;
            if !keys.iter().any(|known| known.allows(key)) {
                return Err(SpecError::UnknownKey {
                    player: player.to_owned(),
                    key: key.to_owned(),
                    known: keys.iter().map(|key| key.name.to_owned()).collect(),
                });
            }
            if settings.get(key).is_some() {
                return Err(SpecError::Twice {
                    player: player.to_owned(),
                    key: key.to_owned(),
                });
            }
            settings.values.push((key.to_owned(), value.to_owned()));
        }
        Ok(settings)
    }

    /// What the player is about, such as the program of a UCI engine.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// The value of a key as it was written.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }

    /// The pairs whose key begins with `beginning`, without the beginning.
    pub fn beginning_with(&self, beginning: &str) -> impl Iterator<Item = (&str, &str)> {
        self.values
            .iter()
            .filter_map(move |(key, value)| Some((key.strip_prefix(beginning)?, value.as_str())))
    }

    /// A number in a range; `None` when the key is absent.
    ///
    /// # Errors
    /// When the value is no number or outside the range.
    pub fn number<T>(&self, key: &str, range: RangeInclusive<T>) -> Result<Option<T>, SpecError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        self.get(key)
            .map(|text| {
                let value = text.parse().ok().filter(|value| range.contains(value));
                value.ok_or_else(|| {
                    self.refuse(
                        key,
                        format!("a number from {} to {}", range.start(), range.end()),
                    )
                })
            })
            .transpose()
    }

    /// A number in a range, or `default`.
    ///
    /// # Errors
    /// When the value is no number or outside the range.
    pub fn number_or<T>(
        &self,
        key: &str,
        range: RangeInclusive<T>,
        default: T,
    ) -> Result<T, SpecError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        Ok(self.number(key, range)?.unwrap_or(default))
    }

    /// `on` or `off`, or `default`.
    ///
    /// # Errors
    /// When the value is neither.
    pub fn switch(&self, key: &str, default: bool) -> Result<bool, SpecError> {
        self.one_of(key, &[("on", true), ("off", false)], default)
    }

    /// One of several named values, or `default`.
    ///
    /// # Errors
    /// When the value is none of them.
    pub fn one_of<T: Clone>(
        &self,
        key: &str,
        names: &[(&str, T)],
        default: T,
    ) -> Result<T, SpecError> {
        let Some(text) = self.get(key) else {
            return Ok(default);
        };
        names
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, value)| value.clone())
            .ok_or_else(|| {
                let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
                self.refuse(key, format!("one of {}", names.join(", ")))
            })
    }

    /// The error of a value that its key does not take.
    pub fn refuse(&self, key: &str, expected: impl Into<String>) -> SpecError {
        SpecError::Value {
            player: self.player.clone(),
            key: key.to_owned(),
            value: self.get(key).unwrap_or_default().to_owned(),
            expected: expected.into(),
        }
    }
}
