//! A tournament: everybody meets everybody, in pairs of games from the same openings, and the results
//! become ratings.
//!
//! Every pairing is a [`Match`] with a journal of its own in one folder, so that a ladder that was
//! interrupted goes on where it stopped and ends as if it had not been.

use std::path::{Path, PathBuf};

use rules::Rules;

use crate::{
    Encounter, GameRecord, Limits, Match, MatchError, MatchResult, Openings, PlayerSpec,
    RatingError, Ratings, Running, derived_seed,
};

/// A tournament.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Who plays.
    pub players: Vec<PlayerSpec>,
    /// Does only the first one meet all others?
    pub gauntlet: bool,
    /// Where the games begin; each opening is played twice, with the colours exchanged.
    pub openings: Openings,
    /// Pairs of games between two players.
    pub pairs: u64,
    /// The draw rules.
    pub rules: Rules,
    /// Limits on each move, for all.
    pub limits: Limits,
    /// What all chance follows from.
    pub seed: u64,
}

/// What has been played of a tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// What each two players have scored, as far as whole pairs of games go.
    pub encounters: Vec<Encounter>,
    /// All games, pairing by pairing.
    pub records: Vec<GameRecord>,
    /// Were all games played?
    pub complete: bool,
}

impl Ladder {
    /// The numbers of those who meet, in the order in which they do.
    pub fn pairings(&self) -> Vec<(usize, usize)> {
        let count = self.players.len();
        let all =
            (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
        all.filter(|(first, _)| !self.gauntlet || *first == 0)
            .collect()
    }

    /// The match of a pairing. Its chances depend on who plays, not on who else does, so that a
    /// player can join later.
    fn contest(&self, (first, second): (usize, usize)) -> Match {
        let [one, other] = [first, second].map(|player| self.players[player].clone());
        let mut contest = Match::new(one, other, self.openings.clone(), 2 * self.pairs);
        contest.paired = true;
        contest.rules = self.rules;
        contest.limits = self.limits;
        contest.seed = self.seed;
        contest
    }

    /// The journal of a pairing.
    fn journal(&self, folder: &Path, contest: &Match) -> PathBuf {
        let hash = contest
            .settings()
            .bytes()
            .fold(0, |hash, byte| derived_seed(hash, byte.into()));
        folder.join(format!("{hash:016x}.jsonl"))
    }

    /// Plays what has not been played yet; `folder` holds the journals. `told` is asked to show how
    /// a pairing comes along, before each.
    ///
    /// # Errors
    /// When a player cannot play such games, or a journal cannot be used.
    pub fn run(
        &self,
        folder: &Path,
        running: Running<'_>,
        mut told: impl FnMut(usize, usize),
    ) -> Result<Standings, MatchError> {
        let mut standings = Standings {
            encounters: Vec::new(),
            records: Vec::new(),
            complete: true,
        };
        for (first, second) in self.pairings() {
            told(first, second);
            let contest = self.contest((first, second));
            let journal = self.journal(folder, &contest);
            let MatchResult {
                records,
                statistics,
                complete,
            } = contest.run_with_journal(running, &journal, true)?;
            standings.encounters.push(Encounter {
                first,
                second,
                pairs: statistics.pentanomial(),
            });
            standings.records.extend(records);
            if !complete {
                standings.complete = false;
                break;
            }
        }
        Ok(standings)
    }
}

impl Standings {
    /// The ratings of so many players; anchors and prior as for [`Ratings::fit`].
    ///
    /// # Errors
    /// When there are none.
    pub fn ratings(
        &self,
        players: usize,
        anchors: &[(usize, f64)],
        prior: f64,
    ) -> Result<Ratings, RatingError> {
        Ratings::fit(players, &self.encounters, anchors, prior)
    }
}
