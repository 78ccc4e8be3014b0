use std::sync::Arc;

use play::{
    GameRecord, Match, MatchProgress, Openings, PlayerSpec, RandomOpenings, Running, SpecError,
};
use rules::{Board, Color, Material, Reason, Rules, ShakmatyPosition as _};
use truth::Verdict;

use crate::{
    Bench, Budget, Cell, Diagram, Figure, Measure, Measured, PaperError, shuffle::Shuffle,
};

/// Games between two players from positions of one endgame; white is the side that wants to mate.
#[derive(Clone, Copy, Debug)]
pub struct Contest {
    white: &'static str,
    black: &'static str,
    material: &'static str,
    board: usize,
    start: Start,
    either: bool,
    max_moves: Option<u32>,
    quick: u64,
    full: u64,
    shows: &'static [Show],
}

/// Where games begin, with white to move unless the contest says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Any legal position that is not over.
    Random,
    /// One that white wins.
    Won,
    /// One from which white mates in so many moves.
    MateIn(u16),
}

/// What a contest says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// Games in which white mated, in percent.
    Wins,
    /// The same, but a mate on a small board counts only where the edge of the big board would
    /// hold the king, too.
    FullBoardWins,
    /// White's moves to mate, over the games in which it did.
    MovesToMate,
    /// The moves of both sides to mate, over the games in which white did.
    PliesToMate,
    /// The moves that perfect play would have needed, over the same games.
    OptimalMoves,
    /// Games in which a position came back, in percent; with the first such position.
    Repeated,
    /// Games drawn because it came back twice, in percent.
    Threefold,
}

impl Contest {
    /// Fifty games from random positions, a thousand with the full budget, of which the share of
    /// wins is shown.
    pub const fn new(white: &'static str, black: &'static str, material: &'static str) -> Contest {
        Contest {
            white,
            black,
            material,
            board: 8,
            start: Start::Random,
            either: false,
            max_moves: None,
            quick: 50,
            full: 1000,
            shows: &[Show::Wins],
        }
    }

    /// The same on a board of this size.
    #[must_use]
    pub const fn board(self, board: usize) -> Contest {
        Contest { board, ..self }
    }

    /// The same from other positions.
    #[must_use]
    pub const fn start(self, start: Start) -> Contest {
        Contest { start, ..self }
    }

    /// The same from random positions with either side to move, by the toss of a coin.
    #[must_use]
    pub const fn either_to_move(self) -> Contest {
        Contest {
            start: Start::Random,
            either: true,
            ..self
        }
    }

    /// The same with a cap on the moves of each side.
    #[must_use]
    pub const fn max_moves(self, moves: u32) -> Contest {
        Contest {
            max_moves: Some(moves),
            ..self
        }
    }

    /// The same with so many games.
    #[must_use]
    pub const fn games(self, quick: u64, full: u64) -> Contest {
        Contest {
            quick,
            full,
            ..self
        }
    }

    /// The same with other figures shown.
    #[must_use]
    pub const fn shows(self, shows: &'static [Show]) -> Contest {
        Contest { shows, ..self }
    }

    fn count(&self, budget: Budget) -> u64 {
        budget.pick((self.quick / 100).clamp(1, 20), self.quick, self.full)
    }

    fn rules(&self, budget: Budget) -> Rules {
        // A smoke run need not see the end of a game.
        let cap = match (budget, self.max_moves) {
            (Budget::Smoke, cap) => Some(cap.unwrap_or(u32::MAX).min(5)),
            (_, cap) => cap,
        };
        Rules {
            max_moves: cap,
            ..Rules::default()
        }
    }

    fn endgame(&self) -> Result<(Material, Board), PaperError> {
        let wrong = |why: String| PaperError::Setting(why);
        let material = self.material.parse().map_err(|e| wrong(format!("{e}")))?;
        let board = Board::new(self.board).map_err(|e| wrong(e.to_string()))?;
        Ok((material, board))
    }

    fn openings(&self, bench: &Bench<'_>) -> Result<Openings, PaperError> {
        let (material, board) = self.endgame()?;
        Ok(match self.start {
            Start::Random => Openings::Random(RandomOpenings {
                material,
                board,
                turn: (!self.either).then_some(Color::White),
                won: None,
            }),
            Start::Won => {
                let oracle = bench.truth(material, board)?;
                Openings::random_won(material, board, oracle)
            }
            Start::MateIn(moves) => {
                let Some(table) = bench.truth(material, board)?.table(material, board)? else {
                    return Err(PaperError::Setting(format!("{material} has no table")));
                };
                let verdict = Verdict::Win {
                    plies: moves * 2 - 1,
                };
                let count = self.count(bench.budget) as usize;
                let positions = table
                    .load()?
                    .sample(Color::White, verdict, count, bench.seed);
                Openings::List(positions)
            }
        })
    }

    fn needs_truth(&self) -> bool {
        let perfect = |player: &str| player.starts_with("perfect");
        perfect(self.white) || perfect(self.black) || self.shows.contains(&Show::OptimalMoves)
    }

    /// The figures of games that were played. A game in which an engine failed (on a busy machine it may be
    /// silent for too long) says nothing about the players and does not count.
    fn measured(&self, mut records: Vec<GameRecord>, rules: Rules) -> Measured {
        records.retain(|record| !failed(record));
        let shows = self.shows.iter();
        let mut diagrams: Vec<Diagram> = example(&records, rules).into_iter().collect();
        if self.shows.contains(&Show::Repeated) {
            let shuffle = |record| Some(Shuffle::first(record)?.diagram(record));
            diagrams.extend(records.iter().find_map(shuffle));
        }
        Measured {
            cells: shows.map(|&show| self.cell(show, &records)).collect(),
            diagrams,
            ..Measured::default()
        }
    }

    fn cell(&self, show: Show, records: &[GameRecord]) -> Cell {
        let mates: Vec<&GameRecord> = records.iter().filter(|record| mated(record)).collect();
        let over_mates = |value: &dyn Fn(&GameRecord) -> Option<u32>| {
            let values: Vec<f64> = mates
                .iter()
                .filter_map(|record| value(record))
                .map(f64::from)
                .collect();
            Cell::mean(&values, "no game ended in mate")
        };
        match show {
            Show::Wins => Cell::Figure(Figure::percent(mates.len() as u64, records.len() as u64)),
            Show::FullBoardWins => {
                let wins = mates.iter().filter(|record| holds_on_full_board(record));
                Cell::Figure(Figure::percent(wins.count() as u64, records.len() as u64))
            }
            Show::MovesToMate => over_mates(&GameRecord::winner_moves),
            Show::PliesToMate => over_mates(&|record| Some(record.plies)),
            Show::OptimalMoves => over_mates(&GameRecord::optimal_moves),
            Show::Repeated => share_of(records, |record| Shuffle::first(record).is_some()),
            Show::Threefold => share_of(records, |record| record.reason == Reason::Threefold),
        }
    }
}

/// The share of games of a kind.
fn share_of(records: &[GameRecord], kind: impl Fn(&GameRecord) -> bool) -> Cell {
    let count = records.iter().filter(|&record| kind(record)).count();
    Cell::Figure(Figure::percent(count as u64, records.len() as u64))
}

/// Did white mate? A game that black's engine lost by crashing is not won.
fn mated(record: &GameRecord) -> bool {
    record.winner == Some(Color::White) && record.reason == Reason::Checkmate
}

/// Is the mate one on the 8×8 board, too, whose corner a small board is?
fn holds_on_full_board(record: &GameRecord) -> bool {
    record
        .game(Rules::none())
        .is_ok_and(|game| game.position().chess().is_checkmate())
}

/// Did an engine fail, rather than play?
fn failed(record: &GameRecord) -> bool {
    matches!(
        record.reason,
        Reason::Crash | Reason::TimeOut | Reason::IllegalMove
    )
}

/// The end of the first game that was not won, or else of the longest.
fn example(records: &[GameRecord], rules: Rules) -> Option<Diagram> {
    let record = records
        .iter()
        .find(|record| !mated(record))
        .or_else(|| records.iter().max_by_key(|record| record.plies))?;
    let game = record.game(rules).ok()?;
    Some(Diagram {
        fen: game.position().fen(),
        caption: format!(
            "Game {} after {} plies: {}",
            record.index + 1,
            record.plies,
            record.outcome()
        ),
        marks: Vec::new(),
    })
}

impl Measure for Contest {
    fn cells(&self) -> usize {
        self.shows.len()
    }

    fn settings(&self, budget: Budget) -> String {
        let start = match self.start {
            Start::Random => "random positions".to_owned(),
            Start::Won => "random won positions".to_owned(),
            Start::MateIn(1) => "positions with mate in 1 move".to_owned(),
            Start::MateIn(moves) => format!("positions with mate in {moves} moves"),
        };
        format!(
            "{} against {}, {} on {n}×{n}, {games} game{s} from {start}, {turn} to move, rules {rules}",
            self.white,
            self.black,
            self.material,
            n = self.board,
            games = self.count(budget),
            s = if self.count(budget) == 1 { "" } else { "s" },
            turn = if self.either { "either side" } else { "white" },
            rules = self.rules(budget),
        ) + if self.shows.contains(&Show::FullBoardWins) {
            ", mates judged on 8×8"
        } else {
            ""
        }
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        self.measure_with(bench, None)
    }
}

impl Contest {
    /// Measures with another white player in the place of the one it names.
    pub(crate) fn measure_with(
        &self,
        bench: &Bench<'_>,
        white: Option<PlayerSpec>,
    ) -> Result<Measured, PaperError> {
        let mut players: Vec<PlayerSpec> = white.into_iter().collect();
        for text in [self.white, self.black].into_iter().skip(players.len()) {
            match bench.player(text) {
                Ok(player) => players.push(player),
                // An engine that is not installed; any other player that cannot be made is a mistake
                // in the experiment.
                Err(PaperError::Player(SpecError::Other { why, .. }))
                    if text.starts_with("uci:") =>
                {
                    return Ok(Measured::missing(self.cells(), &why));
                }
                Err(error) => return Err(error),
            }
        }
        let [white, black] = &players[..] else {
            unreachable!("two names were read");
        };
        let (material, board) = self.endgame()?;
        let oracle: Option<Arc<truth::Tablebase>> = if self.needs_truth() {
            Some(bench.truth(material, board)?)
        } else {
            None
        };
        let rules = self.rules(bench.budget);
        let games = self.count(bench.budget);
        let contest = Match {
            rules,
            seed: bench.seed,
            ..Match::new(white.clone(), black.clone(), self.openings(bench)?, games)
        };
        let progress = |progress: &MatchProgress<'_>| {
            bench.tell(progress.finished, progress.games, "");
        };
        let result = contest.run(Running {
            threads: bench.threads,
            progress: Some(&progress),
            stop: Some(bench.stop),
            oracle: oracle.as_deref().map(|oracle| oracle as &dyn truth::Oracle),
        })?;
        if !result.complete {
            return Err(PaperError::Stopped);
        }
        if result.records.iter().all(failed) {
            let remark = result.records.first().and_then(|r| r.remark.clone());
            let why = remark.unwrap_or_else(|| "the engine failed in every game".into());
            return Ok(Measured::missing(self.cells(), &why));
        }
        Ok(self.measured(result.records, rules))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use play::Registry;
    use truth::Tablebase;

    use super::*;

    fn measure(contest: &Contest, stop: bool) -> Result<Measured, PaperError> {
        let folder = tempfile::tempdir().unwrap();
        let tables = Arc::new(Tablebase::new(folder.path()));
        contest.measure(&Bench {
            budget: Budget::Quick,
            seed: 1,
            threads: 1,
            stop: &AtomicBool::new(stop),
            registry: Arc::new(Registry::new(tables.clone())),
            trainings: folder.path().join("trainings"),
            games: None,
            device: None,
            tables,
            tell: &|_, _, _| {},
        })
    }

    #[test]
    fn perfect_play_mates_in_the_optimal_number_of_moves() {
        let contest = Contest::new("perfect", "perfect", "KQK")
            .start(Start::MateIn(5))
            .games(10, 10)
            .shows(&[
                Show::Wins,
                Show::MovesToMate,
                Show::PliesToMate,
                Show::OptimalMoves,
            ]);
        let measured = measure(&contest, false).unwrap();
        let values: Vec<f64> = measured
            .cells
            .iter()
            .filter_map(|cell| Some(cell.figure()?.value))
            .collect();
        assert_eq!(values, [100.0, 5.0, 9.0, 5.0]);
        assert_eq!(measured.diagrams.len(), 1);
    }

    #[test]
    fn mates_at_an_inner_edge_do_not_hold_on_the_big_board() {
        let shown = |show: &'static [Show]| {
            let contest = Contest::new("random", "random", "KQK")
                .board(4)
                .games(2000, 2000)
                .shows(show);
            let measured = measure(&contest, false).unwrap();
            measured.cells[0].figure().unwrap().value
        };
        let (all, full) = (shown(&[Show::Wins]), shown(&[Show::FullBoardWins]));
        assert!(0.0 < full && full < 0.7 * all, "{full} of {all}");
    }

    #[test]
    fn an_engine_that_is_not_there_is_a_remark() {
        let contest = Contest::new("random", "uci:no-such-engine", "KRK").games(2, 2);
        let measured = measure(&contest, false).unwrap();
        assert!(
            matches!(&measured.cells[..], [Cell::Missing(why)] if why.contains("no-such-engine")),
            "{measured:?}"
        );
    }

    #[test]
    fn a_game_in_which_an_engine_failed_does_not_count() {
        let contest = Contest::new("random", "random", "KRK").games(20, 20);
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(Arc::new(Tablebase::new(folder.path())));
        let random = || registry.parse("random").unwrap();
        let (material, board) = contest.endgame().unwrap();
        let openings = Openings::Random(RandomOpenings {
            material,
            board,
            turn: Some(Color::White),
            won: None,
        });
        let games = Match::new(random(), random(), openings, 20);
        let mut records = games.run(Running::default()).unwrap().records;
        let rules = contest.rules(Budget::Quick);
        let count = |records: &[GameRecord]| {
            let measured = contest.measured(records.to_vec(), rules);
            measured.cells[0].figure().unwrap().count
        };
        assert_eq!(count(&records), Some(20));
        records[3].reason = Reason::TimeOut;
        records[7].reason = Reason::Crash;
        assert_eq!(count(&records), Some(18));
    }

    #[test]
    fn a_stopped_contest_says_so() {
        let contest = Contest::new("random", "random", "KRK");
        assert!(matches!(measure(&contest, true), Err(PaperError::Stopped)));
    }
}
