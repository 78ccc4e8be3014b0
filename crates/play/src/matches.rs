//! Matches: many games between two players, in parallel, the same result whatever the number of
//! threads.
//!
//! Everything about a game follows from the seed of the match and the game's index: its first
//! position and the seeds of both players. Threads take the next index, and finished games are
//! handed on in the order of their indices.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use rules::{Color, Game, Outcome, Position, Reason, Rules};
use truth::{Oracle, Verdict};

use crate::{
    Decision, GameRecord, Journal, JournalError, Limits, Openings, Player, PlayerError, PlayerSpec,
    Sprt, Statistics, derived_seed,
};

/// A match between two players.
#[derive(Clone, Debug)]
pub struct Match {
    /// The first player: white, unless colours alternate.
    pub first: PlayerSpec,
    /// The second player.
    pub second: PlayerSpec,
    /// Where the games begin.
    pub openings: Openings,
    /// How many games.
    pub games: u64,
    /// Play every opening twice with colours exchanged? Games 0 and 1 are the first pair, and so on.
    pub paired: bool,
    /// The draw rules.
    pub rules: Rules,
    /// Limits on each move, for both players.
    pub limits: Limits,
    /// What all chance follows from.
    pub seed: u64,
    /// Ends the match with the game that decides this test. Games that other threads have played
    /// meanwhile do not count, so that the result does not depend on their number.
    pub until: Option<Sprt>,
}

/// How a match is run, which its result does not depend on.
#[derive(Clone, Copy, Default)]
pub struct Running<'a> {
    /// Threads; 0 takes one per processor.
    pub threads: usize,
    /// Told after every game, in the order of the games.
    pub progress: Option<&'a (dyn Fn(&MatchProgress<'_>) + Sync)>,
    /// Stops the match when it becomes true: games that have not finished are dropped.
    pub stop: Option<&'a AtomicBool>,
    /// Knows the length of perfect play from the first positions.
    pub oracle: Option<&'a dyn Oracle>,
}

/// How far a match is.
#[derive(Clone, Copy, Debug)]
pub struct MatchProgress<'a> {
    /// The game that has just been added; absent when games were read from a journal.
    pub latest: Option<&'a GameRecord>,
    /// Games finished.
    pub finished: u64,
    /// Games in all.
    pub games: u64,
    /// The score so far.
    pub statistics: &'a Statistics,
}

/// The games of a match, and what they add up to.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchResult {
    /// In order.
    pub records: Vec<GameRecord>,
    /// From the first player's side.
    pub statistics: Statistics,
    /// Were all games played, or as many as the test needed?
    pub complete: bool,
}

/// Why a match cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player cannot play this kind of game at all.
    #[error("game {index}: {source}")]
    Player {
        /// Which game.
        index: u64,
        /// What the player said.
        source: PlayerError,
    },
    /// There is no first position.
    #[error("no opening found for game {index} among {openings}")]
    NoOpening {
        /// Which game.
        index: u64,
        /// Where it was looked for.
        openings: String,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Where nothing else ends a game, this does: far beyond what any rule allows.
const LONGEST_GAME: usize = 20_000;
/// How often whoever waits for games looks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Match {
    /// A match with default rules, all games from the first player's side as white.
    pub fn new(first: PlayerSpec, second: PlayerSpec, openings: Openings, games: u64) -> Match {
        Match {
            first,
            second,
            openings,
            games,
            paired: false,
            rules: Rules::default(),
            limits: Limits::NONE,
            seed: 1,
            until: None,
        }
    }

    /// Plays the match.
    ///
    /// # Errors
    /// When a player cannot play such games, or no opening can be found.
    pub fn run(&self, running: Running<'_>) -> Result<MatchResult, MatchError> {
        self.play(running, None, Vec::new())
    }

    /// Plays the match and writes each game to a journal; with `resume`, goes on where the journal
    /// ends, and the result is that of an undisturbed match.
    ///
    /// # Errors
    /// As [`Match::run`], and when the journal belongs to a match with other settings or cannot be
    /// written.
    pub fn run_with_journal(
        &self,
        running: Running<'_>,
        path: &Path,
        resume: bool,
    ) -> Result<MatchResult, MatchError> {
        let settings = self.settings();
        let (journal, records) = if resume {
            Journal::resume(path, &settings)?
        } else {
            (Journal::create(path, &settings)?, Vec::new())
        };
        self.play(running, Some(journal), records)
    }

    /// All that the games depend on, as one line of JSON. The number of games and the test that may end
    /// them earlier are not part of it: a match can be made longer.
    pub fn settings(&self) -> String {
        serde_json::json!({
            "lucena_match": 1,
            "first": self.first.text(),
            "second": self.second.text(),
            "fingerprints": [self.first.fingerprint(), self.second.fingerprint()],
            "openings": self.openings.to_string(),
            "paired": self.paired,
            "rules": self.rules.to_string(),
            "depth": self.limits.depth,
            "nodes": self.limits.nodes,
            "movetime_ms": self.limits.time.map(|time| time.as_millis() as u64),
            "seed": self.seed,
        })
        .to_string()
    }

    /// Has the test, if there is one, come to its end?
    fn is_decided(&self, statistics: &Statistics) -> bool {
        self.until
            .is_some_and(|test| statistics.sprt(test).decision != Decision::Continue)
    }

    fn play(
        &self,
        running: Running<'_>,
        mut journal: Option<Journal>,
        mut records: Vec<GameRecord>,
    ) -> Result<MatchResult, MatchError> {
        records.truncate(self.games as usize);
        let mut statistics = Statistics::new(self.paired);
        let mut decided = false;
        let mut known = 0;
        while known < records.len() && !decided {
            statistics.add(&records[known]);
            decided = self.is_decided(&statistics);
            known += 1;
        }
        records.truncate(known);
        let tell = |latest: Option<&GameRecord>, finished: usize, statistics: &Statistics| {
            if let Some(progress) = running.progress {
                progress(&MatchProgress {
                    latest,
                    finished: finished as u64,
                    games: self.games,
                    statistics,
                });
            }
        };
        if !records.is_empty() {
            tell(None, records.len(), &statistics);
        }
        let next = AtomicU64::new(records.len() as u64);
        let is_asked = || {
            running
                .stop
                .is_some_and(|stop| stop.load(Ordering::Relaxed))
        };
        // Ends all games: when the caller asks for it, be it before the first, when the test has decided, and
        // when one of them cannot be played.
        let end = AtomicBool::new(decided || is_asked());
        let left = self.games.saturating_sub(records.len() as u64);
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if running.threads == 0 {
            processors()
        } else {
            running.threads
        };
        let threads = threads.clamp(1, left.clamp(1, 1024) as usize);
        let mut failure = None;
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..threads {
                let (sender, next, end) = (sender.clone(), &next, &end);
                scope.spawn(move || {
                    let mut seats = Seats::new(self);
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= self.games || end.load(Ordering::Relaxed) {
                            break;
                        }
                        let result = seats.game(index, running.oracle, end).transpose();
                        let Some(result) = result else { break };
                        if sender.send((index, result)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            loop {
                if is_asked() {
                    end.store(true, Ordering::Relaxed);
                }
                match receiver.recv_timeout(LOOK_EVERY) {
                    Ok((index, result)) => waiting.insert(index, result),
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                while let Some(result) = waiting.remove(&(records.len() as u64)) {
                    if failure.is_some() || decided {
                        break;
                    }
                    let written = result.and_then(|record| {
                        if let Some(journal) = &mut journal {
                            journal.append(&record)?;
                        }
                        Ok(record)
                    });
                    match written {
                        Ok(record) => {
                            statistics.add(&record);
                            records.push(record);
                            decided = self.is_decided(&statistics);
                            end.fetch_or(decided, Ordering::Relaxed);
                            tell(records.last(), records.len(), &statistics);
                        }
                        Err(error) => {
                            end.store(true, Ordering::Relaxed);
                            failure = Some(error);
                        }
                    }
                }
            }
        });
        if let Some(journal) = &mut journal {
            journal.sync()?;
        }
        match failure {
            Some(error) => Err(error),
            None => Ok(MatchResult {
                complete: decided || records.len() as u64 == self.games,
                records,
                statistics,
            }),
        }
    }
}

/// The players of one thread, kept from game to game where they allow it.
struct Seats<'a> {
    contest: &'a Match,
    players: [Option<Box<dyn Player>>; 2],
}

impl<'a> Seats<'a> {
    fn new(contest: &'a Match) -> Seats<'a> {
        Seats {
            contest,
            players: [None, None],
        }
    }

    /// Plays one game; `None` when the match was stopped meanwhile.
    fn game(
        &mut self,
        index: u64,
        oracle: Option<&dyn Oracle>,
        stop: &AtomicBool,
    ) -> Result<Option<GameRecord>, MatchError> {
        let contest = self.contest;
        let opening = if contest.paired { index / 2 } else { index };
        let start =
            contest
                .openings
                .get(opening, contest.seed)
                .ok_or_else(|| MatchError::NoOpening {
                    index,
                    openings: contest.openings.to_string(),
                })?;
        let seed = derived_seed(contest.seed ^ 0x6761_6d65, index);
        for (i, spec) in [&contest.first, &contest.second].into_iter().enumerate() {
            let seed = derived_seed(seed, i as u64);
            let seat = &mut self.players[i];
            if !seat.as_mut().is_some_and(|player| player.renew(seed)) {
                *seat = Some(spec.player(seed));
            }
        }
        let [Some(first), Some(second)] = &mut self.players else {
            unreachable!("both seats were taken above");
        };
        let swapped = contest.paired && index % 2 == 1;
        let (white, black, names) = if swapped {
            (second, first, [&contest.second, &contest.first])
        } else {
            (first, second, [&contest.first, &contest.second])
        };
        let played = play_game(
            [&mut **white, &mut **black],
            start.clone(),
            contest.rules,
            &contest.limits,
            stop,
        )
        .map_err(|source| MatchError::Player { index, source })?;
        let Some((game, outcome, remark)) = played else {
            return Ok(None);
        };
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(game.plies());
        for m in game.moves() {
            moves.push(position.uci(m));
            position.play(m);
        }
        Ok(Some(GameRecord {
            index,
            white: names[0].text().to_owned(),
            black: names[1].text().to_owned(),
            seed,
            start: start.fen(),
            plies: moves.len() as u32,
            moves: moves.join(" "),
            winner: outcome.winner,
            reason: outcome.reason,
            optimal_plies: oracle.and_then(|oracle| optimal_plies(oracle, &start)),
            remark,
        }))
    }
}

fn optimal_plies(oracle: &dyn Oracle, start: &Position) -> Option<i32> {
    let (plies, winner) = match oracle.probe(start)? {
        Verdict::Win { plies } => (plies, start.turn()),
        Verdict::Draw => return None,
        Verdict::Loss { plies } => (plies, !start.turn()),
    };
    Some(winner.fold_wb(i32::from(plies), -i32::from(plies)))
}

/// Plays one game between white and black. A player that forfeits or plays an illegal move loses
/// by that; the third value says what it did. `None` when `stop` was set meanwhile.
///
/// # Errors
/// When a player cannot play such a game at all.
#[allow(clippy::type_complexity)] // a game, its end, and a remark
pub fn play_game(
    players: [&mut dyn Player; 2],
    start: Position,
    rules: Rules,
    limits: &Limits,
    stop: &AtomicBool,
) -> Result<Option<(Game, Outcome, Option<String>)>, PlayerError> {
    let [white, black] = players;
    white.new_game();
    black.new_game();
    let mut game = Game::new(start, rules);
    loop {
        if let Some(outcome) = game.outcome() {
            return Ok(Some((game, outcome, None)));
        }
        if game.plies() >= LONGEST_GAME {
            return Ok(Some((game, Outcome::draw(Reason::MoveCap), None)));
        }
        let turn = game.position().turn();
        let player: &mut dyn Player = match turn {
            Color::White => white,
            Color::Black => black,
        };
        match player.choose_unless(stop, &game, limits) {
            Ok(choice) => {
                if let Err(error) = game.play(choice.mv) {
                    let outcome = Outcome::win(!turn, Reason::IllegalMove);
                    return Ok(Some((game, outcome, Some(error.to_string()))));
                }
            }
            Err(PlayerError::Forfeit {
                reason, message, ..
            }) => {
                return Ok(Some((game, Outcome::win(!turn, reason), Some(message))));
            }
            Err(PlayerError::Stopped) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}
