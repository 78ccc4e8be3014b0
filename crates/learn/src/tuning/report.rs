//! What came of a search.

use serde_json::{Map, Value, json};

use super::{Axis, Copied, Journal, Score, Search, Settings, TuningError};
use crate::{Episodes, ExactPlay, Recipe};

/// What came of a search: everything in it follows from the search and its journal.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What was searched.
    pub search: Search,
    /// What it was judged by.
    pub score: Score,
    /// The settings that were searched.
    pub varied: Vec<Axis>,
    /// The settings that were the same for all.
    pub fixed: Settings,
    /// What the episodes of its trainings are.
    pub episodes: Episodes,
    /// How the search has seen exact play; nothing if it was judged by play alone.
    pub exact_play: Vec<ExactPlay>,
    /// At the end, the best first.
    pub ranked: Vec<Judged>,
    /// Every time that all were judged; once, but for a population.
    pub generations: Vec<Generation>,
}

/// A setting and what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Which trial or member, from 0.
    pub trial: usize,
    /// Its settings.
    pub settings: Settings,
    /// Each seed's score; `None` where it was no number.
    pub scores: Vec<Option<f64>>,
    /// Their mean; `None` where one was no number.
    pub mean: Option<f64>,
}

/// The members of a population at the end of a generation.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// Episodes since the beginning.
    pub episodes: u64,
    /// All of them, in order.
    pub members: Vec<Judged>,
    /// Who was replaced then.
    pub copies: Vec<Copied>,
}

/// A setting that was mutated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The setting.
    pub name: String,
    /// What the parent had.
    pub from: String,
    /// What the copy goes on with.
    pub to: String,
}

impl Report {
    /// The report of a search that is done.
    ///
    /// # Errors
    /// When the search makes no sense, or not all of it was judged.
    pub fn new(search: &Search, journal: &Journal) -> Result<Report, TuningError> {
        let space = search.space()?;
        let mut settings = search.trials()?;
        let mut generations = Vec::new();
        for episodes in search.generations() {
            let members = settings.iter().enumerate().map(|(trial, settings)| Judged {
                trial,
                settings: settings.clone(),
                scores: scores(search, journal, trial, episodes),
                mean: mean(search, journal, trial, episodes),
            });
            let members: Vec<Judged> = members.collect();
            let copies = journal.selected(episodes).unwrap_or_default().to_vec();
            for copied in &copies {
                settings[copied.to].clone_from(&copied.settings);
            }
            generations.push(Generation {
                episodes,
                members,
                copies,
            });
        }
        let last = generations.last();
        let mut ranked = last.map(|last| last.members.clone()).unwrap_or_default();
        ranked.sort_by(|a, b| {
            let worst = |judged: &Judged| {
                let worst = judged.scores.iter().copied();
                worst.max_by(|a, b| search.better(*a, *b)).flatten()
            };
            let mean = search.better(a.mean, b.mean);
            mean.then_with(|| search.better(worst(a), worst(b)))
                .then(a.trial.cmp(&b.trial))
        });
        let mut exact_play: Vec<ExactPlay> = Vec::new();
        for settings in &settings {
            let plan = search.plan(settings, 0, 0)?;
            for seen in plan.exact_play() {
                if !exact_play.contains(&seen) {
                    exact_play.push(seen);
                }
            }
        }
        Ok(Report {
            score: Score::parse(&search.score, None)?,
            varied: space.varied().cloned().collect(),
            fixed: space.fixed(),
            episodes: Recipe::find(&search.recipe)?.episodes,
            search: search.clone(),
            exact_play,
            ranked,
            generations,
        })
    }

    /// Who a member was at the end of each generation: itself, or whom it is a copy of.
    pub fn line(&self, member: usize) -> Vec<usize> {
        let mut line = vec![member];
        let mut who = member;
        for generation in self.generations.iter().rev().skip(1) {
            let copied = generation.copies.iter().find(|copied| copied.to == who);
            who = copied.map_or(who, |copied| copied.from);
            line.push(who);
        }
        line.reverse();
        line
    }

    /// What a copy does otherwise than its parent.
    pub fn changes(&self, generation: &Generation, copied: &Copied) -> Vec<Change> {
        let parent = &generation.members[copied.from].settings;
        let pairs = parent.iter().zip(&copied.settings);
        pairs
            .filter(|(old, new)| old != new)
            .map(|((name, from), (_, to))| Change {
                name: name.clone(),
                from: from.clone(),
                to: to.clone(),
            })
            .collect()
    }

    /// The value of a setting.
    pub fn value<'s>(settings: &'s Settings, axis: &Axis) -> &'s str {
        let pair = settings.iter().find(|(name, _)| *name == axis.name);
        pair.map_or("", |(_, value)| value)
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// When the settings make no sense.
    pub fn json(&self) -> Result<Value, TuningError> {
        let search = &self.search;
        let unit = search.unit();
        let judged = |judged: &Judged, rank: Option<usize>| -> Result<Value, TuningError> {
            let runs = 0..search.seeds;
            let mut value = json!({
                unit: judged.trial + 1,
                "settings": self.typed(&judged.settings)?,
                "mean": judged.mean,
                "scores": judged.scores,
                "runs": runs.map(|seed| search.run(judged.trial, seed)).collect::<Vec<_>>(),
            });
            if let Some(rank) = rank {
                value["rank"] = json!(rank);
            }
            Ok(value)
        };
        let ranked = self.ranked.iter().enumerate();
        let ranked = ranked.map(|(i, one)| judged(one, Some(i + 1)));
        let mut report = json!({
            "recipe": search.recipe,
            "endgame": search.endgame.as_deref().unwrap_or("chess"),
            "board": search.board,
            "method": search.method.to_string(),
            "searched": search.set,
            "episodes": search.episodes,
            "seeds": search.seeds,
            "seed": search.seed,
            "score": search.score,
            "best_is": if search.lowest { "lowest" } else { "highest" },
            "games": matches!(self.score, Score::Opponent(_)).then_some(search.games),
            "exact_play": self.exact_play,
            "lucena": search.versions.lucena,
            "ranked": ranked.collect::<Result<Vec<_>, _>>()?,
        });
        let best = self.ranked.first().map(|best| best.trial);
        report["best"] = report["ranked"][0].clone();
        if let Some(best) = best.filter(|_| unit == "member") {
            report["generations"] = self.lineage()?;
            let line = self.line(best).into_iter().map(|member| member + 1);
            report["best"]["line"] = line.collect::<Vec<_>>().into();
        }
        Ok(report)
    }

    /// Who was copied from whom, when, and with which settings.
    fn lineage(&self) -> Result<Value, TuningError> {
        let mut generations = Vec::new();
        for generation in &self.generations {
            let mut members = Vec::new();
            for member in &generation.members {
                members.push(json!({
                    "member": member.trial + 1,
                    "settings": self.typed(&member.settings)?,
                    "mean": member.mean,
                    "scores": member.scores,
                }));
            }
            let copies = generation.copies.iter().map(|copied| {
                let changes = self.changes(generation, copied).into_iter();
                let changes =
                    changes.map(|c| json!({ "name": c.name, "from": c.from, "to": c.to }));
                json!({
                    "member": copied.to + 1,
                    "copied_from": copied.from + 1,
                    "changed": changes.collect::<Vec<_>>(),
                })
            });
            generations.push(json!({
                "episodes": generation.episodes,
                "members": members,
                "copies": copies.collect::<Vec<_>>(),
            }));
        }
        Ok(generations.into())
    }

    /// Settings as the recipe reads them: numbers are numbers.
    fn typed(&self, settings: &Settings) -> Result<Value, TuningError> {
        let all = Recipe::find(&self.search.recipe)?.settings(settings)?;
        let pairs = settings.iter().map(|(name, _)| {
            let value = all.get(name).map_or(Value::Null, |value| json!(value));
            (name.clone(), value)
        });
        Ok(Value::Object(pairs.collect::<Map<_, _>>()))
    }
}

/// Each seed's score after so many episodes; `None` where it was no number, or not judged.
fn scores(search: &Search, journal: &Journal, trial: usize, episodes: u64) -> Vec<Option<f64>> {
    let score = |seed| journal.score(trial, seed, episodes).flatten();
    (0..search.seeds).map(score).collect()
}

/// The mean of all seeds' scores after so many episodes; `None` where one was no number, or not judged.
pub(super) fn mean(search: &Search, journal: &Journal, trial: usize, episodes: u64) -> Option<f64> {
    let scores = scores(search, journal, trial, episodes);
    let sum = scores.iter().copied().sum::<Option<f64>>()?;
    Some(sum / scores.len() as f64)
}
