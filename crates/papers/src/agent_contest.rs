use play::{GameRecord, Match, MatchProgress, Openings, PlayerSpec, Running, SpecError};
use rules::{Color, Position, Rules};

use crate::{Agent, Bench, Budget, Cell, Figure, Measure, Measured, PaperError};

/// Whole games between two players, as many with each colour; the share that the first wins.
#[derive(Clone, Copy, Debug)]
pub struct AgentContest {
    first: Player,
    second: Player,
    quick: u64,
    full: u64,
}

/// Who plays.
#[derive(Clone, Copy, Debug)]
enum Player {
    Named(&'static str),
    Trained(Agent),
}

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    pub wins: u64,
    pub losses: u64,
    pub games: u64,
}

impl Tally {
    /// Wins less losses, in a thousand games.
    pub fn score(self) -> f64 {
        1000.0 * (self.wins as f64 - self.losses as f64) / self.games.max(1) as f64
    }

    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            wins: self.wins + other.wins,
            losses: self.losses + other.losses,
            games: self.games + other.games,
        }
    }
}

/// Plays whole games from the beginning.
pub(crate) fn whole_games(
    bench: &Bench<'_>,
    white: &PlayerSpec,
    black: &PlayerSpec,
    games: u64,
    seed: u64,
) -> Result<Vec<GameRecord>, PaperError> {
    let start = Openings::List(vec![Position::start()]);
    let contest = Match {
        rules: Rules {
            max_moves: (bench.budget == Budget::Smoke).then_some(5),
            ..Rules::default()
        },
        seed,
        ..Match::new(white.clone(), black.clone(), start, games)
    };
    let progress = |progress: &MatchProgress<'_>| bench.tell(progress.finished, progress.games, "");
    let result = contest.run(Running {
        threads: bench.threads,
        progress: Some(&progress),
        stop: Some(bench.stop),
        oracle: None,
    })?;
    match result.complete {
        true => Ok(result.records),
        false => Err(PaperError::Stopped),
    }
}

/// Plays whole games, as many with each colour: the first player's with white, then with black.
pub(crate) fn both_colours(
    bench: &Bench<'_>,
    first: &PlayerSpec,
    second: &PlayerSpec,
    games: u64,
) -> Result<[Tally; 2], PaperError> {
    let play = |first_is_white: bool| -> Result<Tally, PaperError> {
        let (white, black) = match first_is_white {
            true => (first, second),
            false => (second, first),
        };
        let seed = bench.seed + u64::from(first_is_white);
        let records = whole_games(bench, white, black, games / 2, seed)?;
        let own = Color::from_white(first_is_white);
        let won = |color: Color| {
            let won = records.iter().filter(|record| record.winner == Some(color));
            won.count() as u64
        };
        Ok(Tally {
            wins: won(own),
            losses: won(!own),
            games: records.len() as u64,
        })
    };
    Ok([play(true)?, play(false)?])
}

impl AgentContest {
    /// A player by name against another.
    pub const fn named(first: &'static str, second: &'static str) -> AgentContest {
        AgentContest {
            first: Player::Named(first),
            second: Player::Named(second),
            quick: 10,
            full: 100,
        }
    }

    /// A player by name against the agent at the end of its training.
    pub const fn against(first: &'static str, agent: Agent) -> AgentContest {
        AgentContest {
            first: Player::Named(first),
            second: Player::Trained(agent),
            quick: 10,
            full: 100,
        }
    }

    fn games(&self, budget: Budget) -> u64 {
        budget.pick(2, self.quick, self.full)
    }
}

impl Measure for AgentContest {
    fn cells(&self) -> usize {
        2
    }

    fn settings(&self, budget: Budget) -> String {
        let name = |player: &Player| match player {
            Player::Named(text) => (*text).to_owned(),
            Player::Trained(agent) => agent.settings(budget),
        };
        format!(
            "{} against {}, {} games from the start position, colours changing",
            name(&self.first),
            name(&self.second),
            self.games(budget)
        )
    }

    fn agents(&self) -> Vec<Agent> {
        let trained = |player| match player {
            Player::Trained(agent) => Some(agent),
            Player::Named(_) => None,
        };
        [self.first, self.second]
            .into_iter()
            .filter_map(trained)
            .collect()
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let mut players = Vec::new();
        for player in [self.first, self.second] {
            let text = match player {
                Player::Named(text) => text.to_owned(),
                Player::Trained(agent) => match agent.train(bench)? {
                    Ok(folder) => format!("run:{},checkpoint=newest", folder.display()),
                    Err(why) => return Ok(Measured::missing(self.cells(), &why)),
                },
            };
            match bench.player(&text) {
                Ok(player) => players.push(player),
                // An engine that is not installed.
                Err(PaperError::Player(SpecError::Other { why, .. }))
                    if text.starts_with("uci:") =>
                {
                    return Ok(Measured::missing(self.cells(), &why));
                }
                Err(error) => return Err(error),
            }
        }
        let [white, black] =
            both_colours(bench, &players[0], &players[1], self.games(bench.budget))?;
        let all = white.plus(black);
        Ok(Measured {
            cells: vec![
                Cell::Figure(Figure::percent(all.wins, all.games)),
                Cell::Figure(Figure::percent(all.losses, all.games)),
            ],
            ..Measured::default()
        })
    }
}
