//! What a run has seen of exact play.
//!
//! A run that claims to have learned from play alone must not have met exact answers, not even through
//! an opponent or a judge. Whether it has can be told from its plan.

use std::{fmt, path::Path};

use serde::{Serialize, Serializer};

use crate::{Plan, Recipe};

/// A way in which a run has seen exact play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExactPlay {
    /// Its recipe is taught by exact tables.
    Taught,
    /// Exact tables in this folder gave it rewards.
    Rewards(String),
    /// It trained against this player.
    Opponent(String),
    /// Games against this player chose its best checkpoint.
    Judge(String),
    /// It is part of a search for settings that this player, or `certificate`, has judged.
    Search(String),
    /// It began with what this run had learned.
    Beginning(String),
}

/// The judge of a search that is no player.
pub(crate) const CERTIFICATE: &str = "certificate";

impl fmt::Display for ExactPlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExactPlay::Taught => f.write_str("taught by exact tables"),
            ExactPlay::Rewards(folder) => write!(f, "rewarded by the exact tables in {folder}"),
            ExactPlay::Opponent(player) => write!(f, "trained against {player}"),
            ExactPlay::Judge(player) => {
                write!(f, "its best checkpoint chosen by games against {player}")
            }
            ExactPlay::Search(judge) if judge == CERTIFICATE => {
                f.write_str("its settings searched for by certificates")
            }
            ExactPlay::Search(player) => {
                write!(f, "its settings searched for by games against {player}")
            }
            ExactPlay::Beginning(run) => write!(f, "began with {run}"),
        }
    }
}

impl Serialize for ExactPlay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Plan {
    /// How the run has seen exact play; nothing if it learned from play alone.
    ///
    /// A player that is a run, or a run that it began with, counts if it has seen exact play itself, and
    /// when it cannot be asked any more; so does a network from a file, whose teacher nobody knows.
    pub fn exact_play(&self) -> Vec<ExactPlay> {
        self.exact_play_within(8)
    }

    /// The same, looking at most so many runs back.
    fn exact_play_within(&self, runs: u32) -> Vec<ExactPlay> {
        let mut seen = Vec::new();
        if Recipe::find(&self.recipe).is_ok_and(|recipe| recipe.taught) {
            seen.push(ExactPlay::Taught);
        }
        let setting = |name: &str| {
            let text = self.settings.get(name).and_then(|value| value.as_str());
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        // The first two versions of document P's agents get no such rewards, whatever is named.
        let early = self.settings.get("version").and_then(|v| v.as_integer());
        if let Some(folder) = setting("syzygy")
            && folder != "none"
            && early.is_none_or(|version| version >= 3)
        {
            seen.push(ExactPlay::Rewards(folder));
        }
        if let Some(player) = setting("opponent").filter(|player| is_exact(player, runs)) {
            seen.push(ExactPlay::Opponent(player));
        }
        let judges = self.evaluate_against.iter();
        let judges = judges.filter(|player| is_exact(player, runs));
        seen.extend(judges.cloned().map(ExactPlay::Judge));
        let search = self.searched_by.as_ref();
        let search = search.filter(|judge| *judge == CERTIFICATE || is_exact(judge, runs));
        seen.extend(search.cloned().map(ExactPlay::Search));
        if let Some(run) = setting("from").filter(|run| has_seen(Path::new(run), runs)) {
            seen.push(ExactPlay::Beginning(run));
        }
        seen
    }
}

/// Does a player show exact play, or may it?
fn is_exact(player: &str, runs: u32) -> bool {
    let (kind, rest) = player.split_once(':').unwrap_or((player, ""));
    match kind {
        "perfect" | "net" => true,
        "minimax" => rest.split(',').any(|part| part.starts_with("net=")),
        "run" => has_seen(Path::new(rest.split(',').next().unwrap_or(rest)), runs),
        _ => false,
    }
}

/// Has a run seen exact play, or may it have?
fn has_seen(folder: &Path, runs: u32) -> bool {
    match (runs.checked_sub(1), Plan::read(folder)) {
        (Some(runs), Ok(plan)) => !plan.exact_play_within(runs).is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use rules::Board;

    use super::*;

    fn plan(recipe: &str, changes: &[(&str, &str)]) -> Plan {
        let changes: Vec<_> = changes
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let material = "KQK".parse().expect("a signature");
        Plan::new(
            recipe,
            crate::Task::Endgame(material, Board::STANDARD),
            10,
            1,
            &changes,
        )
        .expect("a sound plan")
    }

    #[test]
    fn exact_play_is_seen_through_teachers_opponents_judges_and_beginnings() {
        assert_eq!(plan("distance-net", &[]).exact_play(), [ExactPlay::Taught]);
        let mut own = plan("ypma-q", &[]);
        own.evaluate_against = ["self", "random", "minimax:depth=2", "uci:stockfish"]
            .map(str::to_owned)
            .into();
        assert_eq!(own.exact_play(), []);
        own.evaluate_against.push("perfect:ties=first".into());
        assert_eq!(
            own.exact_play(),
            [ExactPlay::Judge("perfect:ties=first".into())]
        );
        let against = plan("ypma-q", &[("opponent", "perfect")]);
        assert_eq!(
            against.exact_play(),
            [ExactPlay::Opponent("perfect".into())]
        );

        let mut searched = plan("ypma-q", &[]);
        for (judge, seen) in [
            ("random", 0),
            ("scalar:x", 0),
            ("perfect", 1),
            (CERTIFICATE, 1),
        ] {
            searched.searched_by = Some(judge.into());
            assert_eq!(searched.exact_play().len(), seen, "{judge}");
        }

        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = |name: &str| {
            let folder = root.path().join(name);
            std::fs::create_dir_all(&folder).expect("a folder");
            folder.display().to_string()
        };
        let (pure, judged) = (folder("pure"), folder("judged"));
        plan("ypma-dqn", &[])
            .write(Path::new(&pure))
            .expect("written");
        own.write(Path::new(&judged)).expect("written");
        let from = |run: &str| plan("ypma-dqn", &[("from", run)]).exact_play();
        assert_eq!(from(&pure), []);
        assert_eq!(from(&judged), [ExactPlay::Beginning(judged.clone())]);
        assert_eq!(from("gone").len(), 1, "nobody can say");
        let against = |run: &str| plan("ypma-q", &[("opponent", run)]).exact_play();
        assert_eq!(against(&format!("run:{pure}")), []);
        assert_eq!(against(&format!("run:{judged},checkpoint=newest")).len(), 1);
        assert_eq!(against("net:some/file").len(), 1);
        // A run that began with itself comes to an end.
        plan("ypma-dqn", &[("from", &pure)])
            .write(Path::new(&pure))
            .expect("written");
        assert_eq!(from(&pure).len(), 1);
    }
}
