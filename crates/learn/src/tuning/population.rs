//! Breeding: the worst quarter of a population goes on with what members of the best quarter have learned,
//! and with settings a little different from theirs.

use std::{fs, path::Path, sync::Arc};

use play::derived_seed;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::plain_file;
use truth::Oracle;

use super::{Copied, Search, Settings, Space, Tools, TuningError};
use crate::{
    LearnError, Learner, Plan,
    learner::below,
    runs::{
        checkpoint, curve_files, durable,
        record::{Reader, Writer},
        run::teach,
    },
};

/// Parents and mutations that are tried before someone is left alone.
const TRIES: usize = 16;

/// Who is replaced by whom after so many episodes, given the mean scores; `fits` says whether a member's
/// weights go on with other settings.
pub(super) fn select(
    search: &Search,
    space: &Space,
    after: u64,
    members: &[(Settings, Option<f64>)],
    fits: impl Fn(usize, &Settings) -> bool,
) -> Vec<Copied> {
    let seed = derived_seed(derived_seed(search.seed, 1), after);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by(|&a, &b| search.better(members[a].1, members[b].1).then(a.cmp(&b)));
    let quarter = (members.len() / 4).max(1);
    let (best, worst) = (&order[..quarter], &order[members.len() - quarter..]);
    let mut copies: Vec<Copied> = Vec::new();
    for &to in worst {
        for _ in 0..TRIES {
            let from = best[below(&mut random, quarter)];
            // Whoever is as good has nothing to learn from a copy.
            if search.better(members[from].1, members[to].1).is_ge() {
                continue;
            }
            let settings = space.mutate(&members[from].0, &mut random);
            // Random numbers are copied, too: with the same settings it would be a twin for ever.
            let twin = |other: &Copied| other.from == from && other.settings == settings;
            if settings == members[from].0 || copies.iter().any(twin) || !fits(from, &settings) {
                continue;
            }
            copies.push(Copied { to, from, settings });
            break;
        }
    }
    copies
}

/// Does what a run has learned go on with other settings?
pub(super) fn fits(run: &Path, plan: &Plan, tools: &Tools<'_>) -> bool {
    let newest = checkpoint::all(run).into_iter().next();
    let Some((newest, Ok(mut learner))) = newest.map(|path| (path, plan.learner(tools.registry)))
    else {
        return false;
    };
    checkpoint::load(&newest, learner.as_mut()).is_ok()
}

/// Lets the run in one folder go on with what the run in another has learned, under a plan of its own.
///
/// It may be done again after it was interrupted: it reads nothing of what it writes.
pub(super) fn copy(from: &Path, to: &Path, plan: &Plan) -> Result<(), LearnError> {
    let none = || LearnError::NoCheckpoint(from.to_owned());
    let newest = checkpoint::all(from).into_iter().next().ok_or_else(none)?;
    let name = newest.file_name().ok_or_else(none)?;
    let bytes = plain_file::read(&newest, plain_file::TABLE).map_err(LearnError::file(&newest))?;
    plan.write(to)?;
    let copied = to.join("checkpoints").join(name);
    durable::write(&copied, &bytes)?;
    for old in checkpoint::all(to) {
        if old != copied {
            fs::remove_file(&old).map_err(LearnError::file(&old))?;
        }
    }
    let events = from.join(curve_files::EVENTS);
    let bytes = plain_file::read(&events, plain_file::TEXT).map_err(LearnError::file(&events))?;
    durable::write(&to.join(curve_files::EVENTS), &bytes)
}

/// Refuses a search that would mutate what cannot change in the middle of a run, such as the width of a
/// network: an episode with one value, and another that goes on from there with another value, there and back.
pub(super) fn check_that_settings_can_change(
    search: &Search,
    first: &Settings,
    tools: &Tools<'_>,
) -> Result<(), TuningError> {
    let space = search.space()?;
    let plan = search.plan(first, 0, 0)?;
    let begun = episode(&plan, None, tools)?;
    for axis in space.varied() {
        let value = |settings: &Settings| {
            let pair = settings.iter().find(|(name, _)| *name == axis.name);
            pair.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let from = value(first);
        let [low, high] = axis.ends();
        let to = if high == from { low } else { high };
        let mut other = first.clone();
        for (name, value) in &mut other {
            if *name == axis.name {
                value.clone_from(&to);
            }
        }
        let other = search.plan(&other, 0, 0)?;
        if other.learner(tools.registry).is_err() {
            continue; // it may make no sense beside this value of another setting
        }
        let there = episode(&other, Some(&begun), tools);
        let back = there.and_then(|state| episode(&plan, Some(&state), tools));
        match back {
            Ok(_) => {}
            Err(LearnError::Stopped) => return Err(LearnError::Stopped.into()),
            Err(why) => {
                return Err(TuningError::Shape {
                    name: axis.name.clone(),
                    from,
                    to,
                    why: Box::new(why),
                });
            }
        }
    }
    Ok(())
}

/// What a learner is after one episode, from the beginning or from a state.
fn episode(plan: &Plan, from: Option<&[u8]>, tools: &Tools<'_>) -> Result<Vec<u8>, LearnError> {
    let mut learner: Box<dyn Learner> = plan.learner(tools.registry)?;
    if let Some(state) = from {
        let mut state = Reader::new(state);
        learner.load(&mut state)?;
        if !state.is_empty() {
            return Err(LearnError::Record);
        }
    }
    learner.prepare()?;
    let teacher: Option<&Arc<dyn Oracle>> = tools.teacher.as_ref();
    teach(plan, learner.as_mut(), teacher)?;
    learner.episode(tools.stop())?;
    let mut state = Writer::default();
    learner.save(&mut state);
    Ok(state.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Method;

    #[test]
    fn the_worst_quarter_goes_on_with_the_best() {
        let search = Search {
            recipe: "ypma-q".into(),
            endgame: Some("KQK".into()),
            board: 4,
            set: vec!["alpha=0.01..1,log".into(), "max_moves=20".into()],
            seeds: 1,
            episodes: 10,
            seed: 1,
            score: "random".into(),
            lowest: false,
            games: 10,
            method: Method::Population {
                members: 8,
                generation: 5,
            },
            versions: Search::this_version(),
        };
        let space = search.space().expect("a space");
        let settings = |alpha: &str| -> Settings {
            let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
            [("alpha", alpha), ("max_moves", "20")].map(pair).into()
        };
        let scores = [0.5, 0.9, 0.1, 0.4, 0.8, 0.3, 0.2, 0.6];
        let members: Vec<_> = scores
            .iter()
            .map(|&score| (settings("0.1"), Some(score)))
            .collect();
        let copies = select(&search, &space, 5, &members, |_, _| true);
        let to: Vec<usize> = copies.iter().map(|copy| copy.to).collect();
        assert_eq!(to, [6, 2]);
        for copy in &copies {
            assert!([1, 4].contains(&copy.from), "{copy:?}");
            let alpha = copy.settings[0].1.as_str();
            assert!(["0.08", "0.125"].contains(&alpha), "{copy:?}");
            assert_eq!(copy.settings[1].1, "20");
        }
        assert_eq!(copies, select(&search, &space, 5, &members, |_, _| true));
        assert!(select(&search, &space, 5, &members, |_, _| false).is_empty());
        // Two copies of one parent differ.
        let one: Vec<_> = (0..8)
            .map(|i| (settings("0.1"), Some(f64::from(u8::from(i == 3)))))
            .collect();
        let copies = select(&search, &space, 5, &one, |from, _| from == 3);
        assert_eq!(copies.len(), 2);
        assert_ne!(copies[0].settings, copies[1].settings);
        let equal: Vec<_> = (0..8).map(|_| (settings("0.1"), Some(0.5))).collect();
        assert!(select(&search, &space, 5, &equal, |_, _| true).is_empty());
        let lowest = Search {
            lowest: true,
            ..search.clone()
        };
        let copies = select(&lowest, &space, 5, &members, |_, _| true);
        assert_eq!(
            copies.iter().map(|copy| copy.to).collect::<Vec<_>>(),
            [4, 1]
        );
        // What is no number is the worst either way.
        let mut broken = members.clone();
        broken[1].1 = None;
        let copies = select(&search, &space, 5, &broken, |_, _| true);
        assert_eq!(
            copies.iter().map(|copy| copy.to).collect::<Vec<_>>(),
            [2, 1]
        );
    }
}
