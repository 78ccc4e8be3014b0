//! One setting that is searched, and the values it may take.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use toml::Value;

use super::TuningError;
use crate::{LearnError, Recipe, learner::below};

/// A setting and its values.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The setting.
    pub name: String,
    /// What it may be.
    pub values: Values,
}

/// The values of a setting.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// One of these, in this order.
    Listed(Vec<String>),
    /// A number of a range, its ends included.
    Range {
        /// The least.
        low: f64,
        /// The greatest.
        high: f64,
        /// Is it drawn so that each doubling is as likely as another?
        log: bool,
        /// Is it a whole number?
        whole: bool,
    },
}

impl Axis {
    /// Reads `rate=1e-4..1e-2,log`, `epochs=2..8`, `epochs=2,4,8` or `width=64`, for a setting of a recipe.
    ///
    /// A value with commas in it stands in double quotes or brackets.
    ///
    /// # Errors
    /// When the recipe has no such setting, a value does not fit it, or the range is empty.
    pub fn parse(text: &str, recipe: &Recipe) -> Result<Axis, TuningError> {
        let Some((name, values)) = text.split_once('=') else {
            return Err(TuningError::Search(format!(
                "'{text}': a name and its values, such as rate=1e-4..1e-2,log or epochs=2,4,8"
            )));
        };
        let (name, values) = (name.trim(), values.trim());
        let defaults = recipe.settings(&[])?;
        let Some(default) = defaults.get(name) else {
            let unknown = LearnError::UnknownSetting {
                learner: recipe.name.to_owned(),
                name: name.to_owned(),
                known: defaults.keys().cloned().collect(),
            };
            return Err(unknown.into());
        };
        let refuse = |why: String| Err(TuningError::Search(format!("{name}={values}: {why}")));
        let parts = parts(values);
        let is_number = matches!(default, Value::Integer(_) | Value::Float(_));
        if let Some((low, high)) = parts[0].split_once("..") {
            match (is_number, low.trim().parse(), high.trim().parse()) {
                (true, Ok(low), Ok(high)) => {
                    let whole = matches!(default, Value::Integer(_));
                    let values = range(low, high, whole, &parts[1..]);
                    return match values {
                        Ok(values) => Ok(Axis {
                            name: name.to_owned(),
                            values,
                        }),
                        Err(why) => refuse(why),
                    };
                }
                (true, ..) => return refuse("a range is LOW..HIGH, such as 1e-4..1e-2".into()),
                (false, Ok::<f64, _>(_), Ok::<f64, _>(_)) => {
                    return refuse("the setting is not a number: list its values".into());
                }
                // Two dots in a path are no range.
                (false, ..) => {}
            }
        }
        let mut listed: Vec<String> = Vec::new();
        for value in parts {
            if value.is_empty() {
                return refuse("a value is missing".into());
            }
            if listed.contains(&value) {
                return refuse(format!("{value} is listed twice"));
            }
            recipe.settings(&[(name.to_owned(), value.clone())])?;
            listed.push(value);
        }
        Ok(Axis {
            name: name.to_owned(),
            values: Values::Listed(listed),
        })
    }

    /// How many values there are; `None` where they cannot be counted.
    pub fn count(&self) -> Option<u64> {
        match &self.values {
            Values::Listed(values) => Some(values.len() as u64),
            Values::Range {
                low,
                high,
                whole: true,
                ..
            } => Some((high - low) as u64 + 1),
            Values::Range { .. } => None,
        }
    }

    /// The first and the last of its values.
    pub fn ends(&self) -> [String; 2] {
        match &self.values {
            Values::Listed(values) => [values[0].clone(), values[values.len() - 1].clone()],
            Values::Range { low, high, .. } => [low.to_string(), high.to_string()],
        }
    }

    /// A value at random.
    pub(super) fn draw(&self, random: &mut ChaCha8Rng) -> String {
        let (low, high, log, whole) = match &self.values {
            Values::Listed(values) => return values[below(random, values.len())].clone(),
            &Values::Range {
                low,
                high,
                log,
                whole,
            } => (low, high, log, whole),
        };
        let share = f64::from(random.next_u32()) / 4_294_967_296.0;
        // A whole number stands for all up to the next one, so that the last is as likely as the others.
        let end = if whole { high + 1.0 } else { high };
        let value = match log {
            true => (low.ln() + share * (end.ln() - low.ln())).exp(),
            false => low + share * (end - low),
        };
        let value = if whole { value.floor() } else { rounded(value) };
        value.clamp(low, high).to_string()
    }

    /// The value after a mutation: a quarter more or a fifth less, or the next one of a list. At the end of its
    /// values it goes the other way.
    pub(super) fn mutate(&self, old: &str, more: bool) -> String {
        let moved = self.step(old, more);
        match moved == old {
            true => self.step(old, !more),
            false => moved,
        }
    }

    fn step(&self, old: &str, more: bool) -> String {
        let (low, high, whole) = match &self.values {
            Values::Listed(values) => {
                let at = values.iter().position(|value| value == old);
                let next = at.and_then(|at| {
                    if more {
                        at.checked_add(1)
                    } else {
                        at.checked_sub(1)
                    }
                });
                let next = next.and_then(|next| values.get(next));
                return next.map_or(old, String::as_str).to_owned();
            }
            &Values::Range {
                low, high, whole, ..
            } => (low, high, whole),
        };
        let value: f64 = old.parse().unwrap_or(low);
        let moved = match (value == 0.0, more) {
            // Nothing times anything is nothing.
            (true, true) => (high - low) / 10.0,
            (true, false) => (low - high) / 10.0,
            (false, true) => value * 1.25,
            (false, false) => value * 0.8,
        };
        let moved = match whole {
            true if moved.round() == value => value + if more { 1.0 } else { -1.0 },
            true => moved.round(),
            false => rounded(moved),
        };
        moved.clamp(low, high).to_string()
    }
}

/// The range of two numbers and what stands behind them, or why there is none.
fn range(low: f64, high: f64, whole: bool, more: &[String]) -> Result<Values, String> {
    let log = match more {
        [] => false,
        [word] if word == "log" => true,
        _ => return Err("behind a range stands 'log' or nothing".into()),
    };
    if !low.is_finite() || !high.is_finite() || low >= high {
        return Err("the range is empty: the lower end comes first".into());
    }
    if log && low <= 0.0 {
        return Err("a logarithmic range begins above 0".into());
    }
    if whole && (low.fract() != 0.0 || high.fract() != 0.0 || low.abs().max(high.abs()) > 1e15) {
        return Err("the setting takes whole numbers".into());
    }
    Ok(Values::Range {
        low,
        high,
        log,
        whole,
    })
}

/// Four digits: no training tells more apart, and people can read them.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// What commas separate, but for those in quotes and brackets.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut quoted, mut depth) = (Vec::new(), String::new(), false, 0);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(std::mem::take(&mut part).trim().to_owned());
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part.trim().to_owned());
    parts
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    fn axis(text: &str) -> Result<Axis, String> {
        let recipe = Recipe::find("ppo").expect("a recipe");
        Axis::parse(text, recipe).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_read_as_lists_and_ranges() {
        let listed = axis("epochs=2, 4,8").expect("a list");
        assert_eq!(
            listed.values,
            Values::Listed(["2", "4", "8"].map(str::to_owned).into())
        );
        assert_eq!(listed.count(), Some(3));
        let range = axis("rate=1e-4..1e-2,log").expect("a range");
        assert_eq!(range.count(), None);
        assert_eq!(axis("epochs=2..9").expect("a range").count(), Some(8));
        assert_eq!(parts("\"a,b\",[1,2],c"), ["\"a,b\"", "[1,2]", "c"]);
        for (text, complaint) in [
            ("rate", "a name and its values"),
            ("rat=1", "no setting 'rat'"),
            ("rate=", "a value is missing"),
            ("rate=1e-3,,", "a value is missing"),
            ("rate=1e-3,1e-3", "listed twice"),
            ("rate=fast", "rate = fast"),
            ("rate=1e-2..1e-4", "empty"),
            ("rate=0..1,log", "above 0"),
            ("rate=1..x", "LOW..HIGH"),
            ("rate=1..2,sqrt", "'log' or nothing"),
            ("epochs=1.5..3", "whole numbers"),
            ("symmetric=0..1", "not a number"),
        ] {
            let error = axis(text).expect_err(text);
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn draws_and_mutations_stay_inside_and_mutations_change_something() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for text in [
            "rate=1e-4..1e-2,log",
            "gamma=0..1",
            "epochs=1..8",
            "epochs=1..8,log",
        ] {
            let axis = axis(text).expect(text);
            let Values::Range { low, high, .. } = axis.values else {
                panic!("{text} is a range");
            };
            let inside = |value: &str| {
                let value: f64 = value.parse().expect("a number");
                (low..=high).contains(&value)
            };
            let mut seen = std::collections::BTreeSet::new();
            for step in 0..200 {
                let drawn = axis.draw(&mut random);
                let mutated = axis.mutate(&drawn, step % 2 == 0);
                assert!(inside(&drawn) && inside(&mutated), "{drawn} {mutated}");
                assert_ne!(drawn, mutated, "{text}");
                seen.insert(drawn);
            }
            assert_eq!(seen.len() == 8, axis.count() == Some(8), "{text}: {seen:?}");
            for end in axis.ends() {
                assert!(inside(&axis.mutate(&end, true)) && axis.mutate(&end, true) != end);
            }
        }
        let list = axis("epochs=2,4,8").expect("a list");
        let mutated = [("2", false), ("2", true), ("4", false), ("8", true)];
        assert_eq!(
            mutated.map(|(old, more)| list.mutate(old, more)),
            ["4", "4", "2", "4"]
        );
        assert_eq!(axis("epochs=2").expect("one value").mutate("2", true), "2");
        let rate = axis("rate=1e-4..1e-2,log").expect("a range");
        assert_eq!(rate.mutate("0.001", true), "0.00125");
        assert_eq!(rate.mutate("0.001", false), "0.0008");
    }
}
