//! Settings by name: defaults of a recipe, changed one by one.

use serde::{Serialize, de::DeserializeOwned};
use toml::{Table, Value};

use crate::LearnError;

/// Refuses a value outside of a range.
///
/// # Errors
/// When it is.
pub(crate) fn within(name: &str, value: f64, low: f64, high: f64) -> Result<(), LearnError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(LearnError::BadSetting {
        name: name.into(),
        value: value.to_string(),
        why: format!("{low} to {high}"),
    })
}

/// Changes settings by name; an unknown name is refused with the names there are.
///
/// # Errors
/// When a name is unknown or a value does not fit.
pub(crate) fn change<T: Serialize + DeserializeOwned>(
    of: &str,
    defaults: &T,
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
