//! Settings by name: what each means, what it may be, its default, and changes of it one by one.

use std::fmt;

use serde::{Serialize, de::DeserializeOwned};
use toml::{Table, Value};

use crate::LearnError;

/// A setting of a recipe.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// All that is said about it.
    pub about: &'static str,
    /// What it may be, if it is a number.
    pub range: Option<Range>,
}

impl Setting {
    /// What it means, in a line.
    pub fn meaning(&self) -> String {
        let about = self.about.trim().replace('`', "");
        match about.find(". ").or_else(|| about.find("? ")) {
            Some(end) => about[..=end].to_owned(),
            None => about,
        }
    }

    /// Refuses what it may not be.
    fn check(&self, value: &Value) -> Result<(), LearnError> {
        let Some(range) = self.range else {
            return Ok(());
        };
        let number = match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        };
        if number.is_some_and(|number| range.holds(number)) {
            return Ok(());
        }
        Err(LearnError::BadSetting {
            name: self.name.to_owned(),
            value: match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
            why: match number {
                Some(_) => format!("it may be {range}"),
                None => format!("it is a number, {range}"),
            },
        })
    }
}

/// From the least to the most.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Range {
    /// Is a number in it?
    fn holds(self, number: f64) -> bool {
        (self.least..=self.most).contains(&number)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.least, self.most)
    }
}

/// Declares the settings of a learner, each with what it means, its default and, for a number, its
/// range: a struct, its defaults, and a list of [`Setting`]s by the name `EXPLAINED`.
macro_rules! settings {
    (@range) => { None };
    (@range $least:literal, $most:literal) => {
        Some($crate::runs::settings::Range { least: $least, most: $most })
    };
    (
        $(#[$about:meta])*
        pub struct $settings:ident {
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty = $default:expr $(, $least:literal..=$most:literal)?;
            )+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $settings {
            $(
                $(#[doc = $doc])+
                pub $name: $type,
            )+
        }

        impl Default for $settings {
            fn default() -> Self {
                $settings { $($name: $default),+ }
            }
        }

        impl $settings {
            /// What they mean and what they may be.
            pub(crate) const EXPLAINED: &'static [$crate::runs::settings::Setting] = &[
                $($crate::runs::settings::Setting {
                    name: stringify!($name),
                    about: concat!($($doc),+),
                    range: $crate::runs::settings::settings!(@range $($least, $most)?),
                }),+
            ];
        }
    };
}
pub(crate) use settings;

/// Refuses a combined value outside of a range.
///
/// # Errors
/// When it is.
pub(crate) fn within(name: &str, value: f64, least: f64, most: f64) -> Result<(), LearnError> {
    let range = Range { least, most };
    if range.holds(value) {
        return Ok(());
    }
    Err(LearnError::BadSetting {
        name: name.into(),
        value: value.to_string(),
        why: format!("it may be {range}"),
    })
}

/// Refuses settings that are not what they may be.
///
/// # Errors
/// When one is not.
pub(crate) fn check(explained: &[Setting], table: &Table) -> Result<(), LearnError> {
    let values = explained
        .iter()
        .filter_map(|setting| Some((setting, table.get(setting.name)?)));
    for (setting, value) in values {
        setting.check(value)?;
    }
    Ok(())
}

/// Changes settings by name; an unknown name is refused with the names there are.
///
/// # Errors
/// When a name is unknown or a value does not fit.
pub(crate) fn change<T: Serialize + DeserializeOwned>(
    of: &str,
    defaults: &T,
    explained: &[Setting],
    changes: &[(String, String)],
) -> Result<T, LearnError> {
    let mut table = to_table(defaults);
    for (name, text) in changes {
        let Some(old) = table.get(name) else {
            return Err(LearnError::UnknownSetting {
                learner: of.to_owned(),
                name: name.clone(),
                known: table.keys().cloned().collect(),
            });
        };
        let new = value(old, text);
        if let Some(setting) = explained.iter().find(|setting| setting.name == name) {
            setting.check(&new)?;
        }
        let mut trial = table.clone();
        trial.insert(name.clone(), new.clone());
        // Each change is tried alone, so that the error names the setting it is about.
        trial
            .try_into::<T>()
            .map_err(|error| LearnError::BadSetting {
                name: name.clone(),
                value: text.clone(),
                why: error.message().trim().replace('\n', " "),
            })?;
        table.insert(name.clone(), new);
    }
    from_table(of, table)
}

/// Settings as a table.
pub(crate) fn to_table(settings: &impl Serialize) -> Table {
    // Settings are plain structs of numbers, texts and lists, which TOML can hold.
    Table::try_from(settings).expect("settings fit into TOML")
}

/// Settings from a table, nothing unknown among them.
pub(crate) fn from_table<T: DeserializeOwned>(of: &str, table: Table) -> Result<T, LearnError> {
    table.try_into().map_err(|error| LearnError::BadSetting {
        name: of.to_owned(),
        value: "its settings".to_owned(),
        why: error.message().trim().replace('\n', " "),
    })
}

/// Reads a value of the same kind as `old` where it can be: a text needs no quotes, a fraction no
/// point.
fn value(old: &Value, text: &str) -> Value {
    let parsed = toml::from_str::<Table>(&format!("value = {text}"))
        .ok()
        .and_then(|mut table| table.remove("value"));
    match (old, parsed) {
        (Value::String(_), Some(text @ Value::String(_))) => text,
        (Value::String(_), _) | (_, None) => Value::String(text.to_owned()),
        (Value::Float(_), Some(Value::Integer(number))) => Value::Float(number as f64),
        (_, Some(value)) => value,
    }
}
