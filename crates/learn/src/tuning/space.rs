//! Everything that a search may try.

use std::collections::BTreeSet;

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;

use super::{Axis, TuningError, Values};
use crate::Recipe;

/// Settings by name, in the order in which they were asked for.
pub type Settings = Vec<(String, String)>;

/// Draws that may bring nothing new before a search takes what it knows already.
const PATIENCE: usize = 1_000;

/// The settings that are searched, and those that are the same for all.
#[derive(Clone, PartialEq, Debug)]
pub struct Space {
    axes: Vec<Axis>,
}

impl Space {
    /// Reads a setting and its values from each text, as [`Axis::parse`].
    ///
    /// # Errors
    /// When one makes no sense, or a setting is named twice.
    pub fn parse(texts: &[String], recipe: &Recipe) -> Result<Space, TuningError> {
        let mut axes: Vec<Axis> = Vec::new();
        for text in texts {
            let axis = Axis::parse(text, recipe)?;
            if axes.iter().any(|other| other.name == axis.name) {
                let why = format!("{} is given twice: list its values once", axis.name);
                return Err(TuningError::Search(why));
            }
            axes.push(axis);
        }
        Ok(Space { axes })
    }

    /// The settings with more than one value.
    pub fn varied(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().filter(|axis| axis.count() != Some(1))
    }

    /// The settings that are the same for all.
    pub fn fixed(&self) -> Settings {
        let fixed = self.axes.iter().filter(|axis| axis.count() == Some(1));
        fixed
            .map(|axis| {
                let [value, _] = axis.ends();
                (axis.name.clone(), value)
            })
            .collect()
    }

    /// Of some settings, those that are searched.
    pub fn searched(&self, settings: &Settings) -> Settings {
        let searched = |name: &str| self.varied().any(|axis| axis.name == name);
        let pairs = settings.iter().filter(|(name, _)| searched(name));
        pairs.cloned().collect()
    }

    /// How many settings there are; `None` where they cannot be counted.
    pub fn count(&self) -> Option<u64> {
        self.axes.iter().try_fold(1u64, |count, axis| {
            Some(count.saturating_mul(axis.count()?))
        })
    }

    /// Every setting, the last axis running fastest.
    ///
    /// # Errors
    /// When there is a range, or there are more than `bound`.
    pub(super) fn grid(&self, bound: u64) -> Result<Vec<Settings>, TuningError> {
        let mut grid: Vec<Settings> = vec![Vec::new()];
        for axis in &self.axes {
            let Values::Listed(values) = &axis.values else {
                let why = format!(
                    "a grid needs listed values, and {0} is a range: list some, such as {0}=1,2,4, or search \
                     at random",
                    axis.name
                );
                return Err(TuningError::Search(why));
            };
            if (grid.len() * values.len()) as u64 > bound {
                let why = format!(
                    "the grid has {} settings, and {bound} is the most: list fewer values, or search at random",
                    self.count().unwrap_or(u64::MAX)
                );
                return Err(TuningError::Search(why));
            }
            let with = |settings: &Settings| {
                let settings = settings.clone();
                values.iter().map(move |value| {
                    let mut settings = settings.clone();
                    settings.push((axis.name.clone(), value.clone()));
                    settings
                })
            };
            grid = grid.iter().flat_map(with).collect();
        }
        Ok(grid)
    }

    /// So many settings at random, different ones as long as there are any.
    pub(super) fn draw(&self, count: usize, random: &mut ChaCha8Rng) -> Vec<Settings> {
        let mut known = BTreeSet::new();
        let one = |random: &mut ChaCha8Rng| -> Settings {
            let value = |axis: &Axis| (axis.name.clone(), axis.draw(random));
            self.axes.iter().map(value).collect()
        };
        (0..count)
            .map(|_| {
                let mut drawn = one(random);
                for _ in 0..PATIENCE {
                    if !known.contains(&drawn) {
                        break;
                    }
                    drawn = one(random);
                }
                known.insert(drawn.clone());
                drawn
            })
            .collect()
    }

    /// Settings with every one mutated that can be.
    pub(super) fn mutate(&self, settings: &Settings, random: &mut ChaCha8Rng) -> Settings {
        let values = self.axes.iter().zip(settings);
        values
            .map(|(axis, (name, value))| {
                let more = random.next_u32().is_multiple_of(2);
                (name.clone(), axis.mutate(value, more))
            })
            .collect()
    }
}

/// Settings as they are written on a command line.
pub fn written(settings: &[(String, String)]) -> String {
    let pairs = settings
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    fn space(texts: &[&str]) -> Result<Space, TuningError> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        Space::parse(&texts, Recipe::find("ppo").expect("a recipe"))
    }

    #[test]
    fn a_grid_is_the_product_and_draws_differ() {
        let all = space(&["epochs=2,4", "width=16", "clip=0.1,0.2,0.3"]).expect("a space");
        let grid = all.grid(6).expect("a grid");
        assert_eq!(grid.len(), 6);
        assert_eq!(written(&grid[1]), "epochs=2, width=16, clip=0.2");
        assert_eq!(all.fixed(), [("width".to_owned(), "16".to_owned())]);
        assert_eq!(all.varied().count(), 2);
        assert!(all.grid(5).is_err());
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let drawn: BTreeSet<Settings> = all.draw(6, &mut random).into_iter().collect();
        assert_eq!(drawn, grid.into_iter().collect());
        assert_eq!(all.draw(7, &mut random).len(), 7);
        assert!(
            space(&["rate=1e-4..1e-2"])
                .expect("a space")
                .grid(9)
                .is_err()
        );
        assert!(space(&["epochs=2", "epochs=4"]).is_err());
    }
}
