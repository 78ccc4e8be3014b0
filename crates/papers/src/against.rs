//! Test games of a trained player against a defender.

use std::sync::atomic::{AtomicU32, Ordering};

use learn::{ContestResult, ContestRules, Defender, LearnError, Opponent, Policy, contest_from};
use play::{SpecError, derived_seed};
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen};

use crate::{Bench, PaperError, Training};

/// Who defends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Against {
    /// A player by name.
    Player(&'static str),
    /// The black side of the same learner.
    OwnBlack,
    /// The black side of a learner trained by itself.
    Agent(&'static Training),
}

/// Games that are played in one go, between two looks at the stop flag.
const STRETCH: u32 = 20;

impl Against {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Against::Player(name) => name,
            Against::OwnBlack => "its own black side",
            Against::Agent(_) => "the black agent",
        }
    }
}

/// Plays a policy against a defender; the inner error is an engine that is not installed.
///
/// The games are the same for every number of threads: they are played in stretches, each with a
/// seed of its own.
pub(crate) fn play(
    policy: &Policy,
    against: Against,
    rules: ContestRules,
    bench: &Bench<'_>,
) -> Result<Result<ContestResult, String>, PaperError> {
    let few = &policy.skill().endgame().rules;
    play_from(policy, against, rules, bench, &|random| loop {
        let men = few.random(Color::White, random);
        if few.ending(men, &few.targets(men)).is_none() {
            return men;
        }
    })
}

/// The same from positions of one's own, white to move and the game not over.
pub(crate) fn play_from(
    policy: &Policy,
    against: Against,
    rules: ContestRules,
    bench: &Bench<'_>,
    start: &(dyn Fn(&mut ChaCha8Rng) -> FewMen + Sync),
) -> Result<Result<ContestResult, String>, PaperError> {
    let agent = match against {
        Against::Agent(training) => Some(training.train(bench)?),
        _ => None,
    };
    let black = agent.as_ref().map_or(policy, |agent| &agent.policy);
    if let Against::Player(name) = against {
        match opponent(name, bench, 0) {
            Err(PaperError::Learn(LearnError::Opponent(SpecError::Other { why, .. })))
                if name.starts_with("uci:") =>
            {
                return Ok(Err(why));
            }
            other => other.map(drop)?,
        }
    }
    let remark = format!("games against {}", against.name());
    let played = AtomicU32::new(0);
    let work = || {
        let mut defender = match against {
            Against::Player(name) => Defender::Opponent(opponent(name, bench, 0)?),
            _ => Defender::Skill(black.skill().as_ref()),
        };
        let mut results = Vec::new();
        loop {
            bench.go_on()?;
            let first = played.fetch_add(STRETCH, Ordering::Relaxed);
            if first >= rules.games {
                return Ok(results);
            }
            bench.tell(first.into(), rules.games.into(), &remark);
            // An engine takes long to start and begins every game afresh; any other player is made
            // anew, so that its dice do not depend on who plays which stretch.
            if let (Against::Player(name), true) = (against, first > 0)
                && !name.starts_with("uci:")
            {
                defender = Defender::Opponent(opponent(name, bench, first)?);
            }
            let stretch = ContestRules {
                games: STRETCH.min(rules.games - first),
                seed: derived_seed(bench.seed, first.into()),
                ..rules
            };
            let skill = policy.skill().as_ref();
            let result = contest_from(skill, &mut defender, stretch, bench.stop, start)?;
            results.push((first, result));
        }
    };
    let parts: Result<Vec<_>, PaperError> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..bench.workers()).map(|_| scope.spawn(work)).collect();
        // Only a panic of its own keeps a worker from answering.
        let answers = workers.into_iter().map(|w| w.join().expect("no panic"));
        answers.collect()
    });
    let mut parts: Vec<(u32, ContestResult)> = parts?.into_iter().flatten().collect();
    parts.sort_by_key(|&(first, _)| first);
    let mut all = ContestResult::default();
    parts.into_iter().for_each(|(_, part)| all.add(part));
    Ok(Ok(all))
}

/// An opponent for the games from `first` on.
fn opponent(name: &str, bench: &Bench<'_>, first: u32) -> Result<Opponent, PaperError> {
    let seed = derived_seed(bench.seed, first.into());
    Ok(Opponent::parse(name, Some(bench.registry()), seed)?)
}
