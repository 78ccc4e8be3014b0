//! What a trained player is worth: games against defenders, and a certificate.

use learn::{ContestResult, ContestRules, Policy, Ties};
use truth::Certificate;

use crate::{
    Against, Bench, Budget, Cell, Curve, Figure, Measure, Measured, PaperError, Training,
    against::play,
    certificate::{self, certify},
};

/// A training, and tests of what was learned.
#[derive(Clone, Copy, Debug)]
pub struct Exam {
    training: Training,
    rules: TestRules,
    quick: u32,
    full: u32,
    questions: &'static [Question],
}

/// How test games are played: from random positions, white to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestRules {
    /// Document Y: fifty moves of each side and repetitions draw; the first of equal moves.
    FiftyMoves,
    /// The same, with equal moves drawn by lot.
    FiftyMovesByLot,
    /// Document D: no such limits, but for a cap of a thousand moves; equal moves drawn by lot.
    Endless,
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Games won, in percent.
    Wins(Against),
    /// The median of white's moves to mate, over the games won; with their distribution as a curve.
    MedianMoves(Against),
    /// Of the games won, those that took more than fifty moves, in percent.
    LongWins(Against),
    /// Won positions from which the policy mates within fifty moves against every defence, in
    /// percent. It plays the first of equal moves.
    Certified,
    /// Over the positions from which it mates: moves more than the shortest mate.
    Excess,
    /// Different positions in which white has moved.
    Visited,
    /// How often it has moved in each of them.
    Visits,
    /// Training games played.
    Games,
    /// Bytes of what was learned, as it is stored.
    Bytes,
}

impl Exam {
    /// An exam under document Y's rules, 200 games in a quick run and 1,000 in a full one.
    pub const fn new(training: Training, questions: &'static [Question]) -> Exam {
        Exam {
            training,
            rules: TestRules::FiftyMoves,
            quick: 200,
            full: 1000,
            questions,
        }
    }

    /// The same under other rules.
    #[must_use]
    pub const fn rules(self, rules: TestRules) -> Exam {
        Exam { rules, ..self }
    }

    /// The same with so many test games.
    #[must_use]
    pub const fn games(self, quick: u32, full: u32) -> Exam {
        Exam {
            quick,
            full,
            ..self
        }
    }

    fn count(&self, budget: Budget) -> u32 {
        match budget {
            Budget::Smoke => 5,
            Budget::Quick => self.quick,
            Budget::Full => self.full,
        }
    }

    fn contest_rules(&self, budget: Budget) -> ContestRules {
        let (max_moves, repetition, ties) = match self.rules {
            TestRules::FiftyMoves => (50, true, Ties::First),
            TestRules::FiftyMovesByLot => (50, true, Ties::Lot),
            TestRules::Endless => (1000, false, Ties::Lot),
        };
        ContestRules {
            games: self.count(budget),
            // A smoke run need not see the end of a game.
            max_moves: if budget == Budget::Smoke {
                5
            } else {
                max_moves
            },
            repetition,
            ties,
            seed: 0,
        }
    }

    fn opponents(&self) -> impl Iterator<Item = Against> {
        self.questions.iter().filter_map(|question| match question {
            Question::Wins(against)
            | Question::MedianMoves(against)
            | Question::LongWins(against) => Some(*against),
            _ => None,
        })
    }
}

impl Measure for Exam {
    fn cells(&self) -> usize {
        self.questions.len()
    }

    fn settings(&self, budget: Budget) -> String {
        let mut text = self.training.settings(budget);
        let rules = self.contest_rules(budget);
        let mut named: Vec<Against> = Vec::new();
        for against in self.opponents().filter(|a| !matches!(a, Against::OwnBlack)) {
            if !named.contains(&against) {
                named.push(against);
            }
        }
        if self.opponents().next().is_some() {
            let mut names: Vec<String> = named
                .iter()
                .map(|against| match against {
                    Against::Agent(training) => {
                        format!("the black side of {}", training.settings(budget))
                    }
                    other => other.name().to_owned(),
                })
                .collect();
            if self.opponents().any(|a| a == Against::OwnBlack) {
                names.push(Against::OwnBlack.name().to_owned());
            }
            text += &format!(
                "; {} games each from random positions, white to move, against {}; {} moves of each \
                 side{}, {} of equal moves",
                rules.games,
                names.join(", "),
                rules.max_moves,
                if rules.repetition {
                    ", repetitions drawn"
                } else {
                    ""
                },
                match rules.ties {
                    Ties::First => "the first",
                    Ties::Lot => "any",
                },
            );
        }
        if self.questions.contains(&Question::Certified) {
            text += "; certified over all won positions, within fifty moves";
        }
        text
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let trained = self.training.train(bench)?;
        let mut desk = Desk {
            exam: self,
            bench,
            policy: &trained.policy,
            results: Vec::new(),
            certificate: None,
        };
        let extent = trained.learner.extent();
        let mut measured = Measured::default();
        for &question in self.questions {
            let cell = match question {
                Question::Wins(against) => desk.contest(against)?.map(|result| {
                    Cell::Figure(Figure::percent(result.wins.into(), result.games.into()))
                }),
                Question::MedianMoves(against) => desk.contest(against)?.map(|result| {
                    let moves: Vec<f64> = result.moves_to_mate.iter().map(|&m| m.into()).collect();
                    measured
                        .curves
                        .push(distribution(&result.moves_to_mate, against));
                    Cell::median(&moves, "no game was won")
                }),
                Question::LongWins(against) => desk.contest(against)?.map(|result| {
                    let long = result.moves_to_mate.iter().filter(|&&m| m > 50).count();
                    match result.wins {
                        0 => Cell::Missing("no game was won".into()),
                        wins => Cell::Figure(Figure::percent(long as u64, wins.into())),
                    }
                }),
                Question::Certified => {
                    let [certified, _] = certificate::cells(desk.certificate()?);
                    Ok(certified)
                }
                Question::Excess => {
                    let [_, excess] = certificate::cells(desk.certificate()?);
                    Ok(excess)
                }
                Question::Visited => Ok(Cell::Figure(Figure::exact(
                    extent.visited as f64,
                    trained.games,
                ))),
                Question::Visits => Ok(Cell::Figure(Figure::exact(
                    extent.visits as f64 / extent.visited.max(1) as f64,
                    extent.visited,
                ))),
                Question::Games => Ok(Cell::Figure(Figure::exact(
                    trained.games as f64,
                    trained.games,
                ))),
                Question::Bytes => Ok(Cell::Figure(Figure::exact(
                    trained.learner.bytes() as f64,
                    1,
                ))),
            };
            measured.cells.push(cell.unwrap_or_else(Cell::Missing));
        }
        Ok(measured)
    }
}

/// Where the answers are worked out, each contest once.
struct Desk<'a> {
    exam: &'a Exam,
    bench: &'a Bench<'a>,
    policy: &'a Policy,
    results: Vec<(Against, Result<ContestResult, String>)>,
    certificate: Option<Certificate>,
}

impl Desk<'_> {
    /// The games against a defender, or why there are none.
    fn contest(&mut self, against: Against) -> Result<Result<ContestResult, String>, PaperError> {
        if let Some((_, result)) = self.results.iter().find(|(other, _)| *other == against) {
            return Ok(result.clone());
        }
        let rules = self.exam.contest_rules(self.bench.budget);
        let result = play(self.policy, against, rules, self.bench)?;
        self.results.push((against, result.clone()));
        Ok(result)
    }

    fn certificate(&mut self) -> Result<&Certificate, PaperError> {
        let certificate = match self.certificate.take() {
            Some(certificate) => certificate,
            None => {
                let (material, board) = self.exam.training.endgame(self.bench.budget)?;
                certify(self.policy, material, board, self.bench)?
            }
        };
        Ok(self.certificate.insert(certificate))
    }
}

/// How often each number of moves led to mate.
fn distribution(moves: &[u32], against: Against) -> Curve {
    let longest = moves.iter().max().map_or(0, |&most| most as usize);
    let mut counts = vec![0u32; longest + 1];
    for &m in moves {
        counts[m as usize] += 1;
    }
    Curve {
        name: format!("against {}", against.name()),
        x: "moves to mate".into(),
        y: "games".into(),
        points: (0..)
            .map(f64::from)
            .zip(counts.into_iter().map(f64::from))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, atomic::AtomicBool};

    use play::Registry;
    use truth::Tablebase;

    use super::*;

    fn measure(exam: &Exam, seed: u64, stop: bool) -> Result<Measured, PaperError> {
        measure_on(exam, seed, stop, 1)
    }

    fn measure_on(
        exam: &Exam,
        seed: u64,
        stop: bool,
        threads: usize,
    ) -> Result<Measured, PaperError> {
        let folder = tempfile::tempdir().unwrap();
        let tables = Arc::new(Tablebase::new(folder.path()));
        exam.measure(&Bench {
            budget: Budget::Quick,
            seed,
            threads,
            stop: &AtomicBool::new(stop),
            registry: Arc::new(Registry::new(tables.clone())),
            trainings: folder.path().join("trainings"),
            games: None,
            device: None,
            tables,
            tell: &|_, _, _| {},
        })
    }

    fn values(measured: &Measured) -> Vec<f64> {
        let cells = measured.cells.iter();
        cells.map(|cell| cell.figure().unwrap().value).collect()
    }

    const QUESTIONS: &[Question] = &[
        Question::Wins(Against::OwnBlack),
        Question::Certified,
        Question::Excess,
        Question::MedianMoves(Against::Player("heuristic")),
        Question::LongWins(Against::Player("heuristic")),
    ];

    #[test]
    fn a_finished_player_is_certified_and_an_untrained_one_is_not() {
        let trained = Exam::new(
            Training::new("two-bounds", "KRK", 10_000).board(4),
            QUESTIONS,
        );
        let measured = measure(&trained, 1, false).unwrap();
        let [wins, certified, excess, median, long] = values(&measured)[..] else {
            panic!("{measured:?}");
        };
        // A few random positions are drawn: the rook cannot be saved.
        assert!(wins > 90.0 && (certified, excess, long) == (100.0, 0.0, 0.0));
        assert!((2.0..8.0).contains(&median), "{median}");
        let games: f64 = measured.curves[0].points.iter().map(|point| point.1).sum();
        assert!(
            (150.0..=200.0).contains(&games),
            "{games} games of 200 were won"
        );

        let untrained = Exam::new(Training::new("two-bounds", "KRK", 0).board(4), QUESTIONS);
        let measured = measure(&untrained, 1, false).unwrap();
        assert!(
            measured.cells[1].figure().unwrap().value < 50.0,
            "{measured:?}"
        );
    }

    #[test]
    fn all_chance_follows_from_the_seed() {
        let exam = Exam::new(
            Training::new("ypma-q", "KQK", 500).board(5),
            &[Question::Visits, Question::Wins(Against::Player("random"))],
        );
        let [one, again, two] = [1, 1, 2].map(|seed| values(&measure(&exam, seed, false).unwrap()));
        assert_eq!(one, again);
        assert_ne!(one, two);
        // … on any number of threads, with dice in the defender's hands, too.
        const DICE: &[Question] = &[
            Question::Wins(Against::Player("minimax:depth=1,ties=drawn")),
            Question::Wins(Against::Player("random")),
            Question::MedianMoves(Against::OwnBlack),
        ];
        let exam = Exam::new(Training::new("ypma-q", "KQK", 5_000).board(4), DICE);
        let [one, three] = [1, 3].map(|threads| measure_on(&exam, 1, false, threads).unwrap());
        assert_eq!(one, three);
    }

    #[test]
    fn an_engine_plays_the_same_on_any_number_of_threads() {
        const STOCKFISH: &[Question] = &[
            Question::Wins(Against::Player("uci:stockfish,nodes=200")),
            Question::MedianMoves(Against::Player("uci:stockfish,nodes=200")),
        ];
        let training = Training::new("two-bounds", "KQK", 1_500);
        let exam = Exam::new(training, STOCKFISH).games(60, 60);
        let [one, two] = [1, 2].map(|threads| measure_on(&exam, 1, false, threads).unwrap());
        if let [Cell::Missing(why), _] = &one.cells[..] {
            eprintln!("skipped: {why}");
            return;
        }
        assert_eq!(one, two);
        // The games are not all alike.
        let lengths = one.curves[0].points.iter().filter(|point| point.1 > 0.0);
        assert!(lengths.count() > 5, "{one:?}");
    }

    /// The agent trained for the tests is another than the one it defends against.
    static AGENT: Training = Training::new("ypma-q", "KQK", 20_000).board(5);

    #[test]
    fn the_black_agent_is_trained_by_itself() {
        const OWN: &[Question] = &[Question::Wins(Against::OwnBlack)];
        const OTHER: &[Question] = &[Question::Wins(Against::Agent(&AGENT))];
        let exam = |questions| Exam::new(Training::new("ypma-q", "KQK", 5_000).board(5), questions);
        let own = measure(&exam(OWN), 1, false).unwrap();
        let agent = measure(&exam(OTHER), 1, false).unwrap();
        assert_ne!(values(&own), values(&agent));
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let engine = &[Question::Wins(Against::Player("uci:no-such-engine"))];
        let exam = Exam::new(Training::new("two-bounds", "KQK", 1).board(4), engine);
        let measured = measure(&exam, 1, false).unwrap();
        assert!(
            matches!(&measured.cells[..], [Cell::Missing(why)] if why.contains("no-such-engine")),
            "{measured:?}"
        );
        assert!(matches!(measure(&exam, 1, true), Err(PaperError::Stopped)));
        let unknown = Exam::new(Training::new("no-such-recipe", "KQK", 1), engine);
        let error = measure(&unknown, 1, false).unwrap_err().to_string();
        assert!(
            error.contains("no-such-recipe") && error.contains("two-bounds"),
            "{error}"
        );
    }
}
