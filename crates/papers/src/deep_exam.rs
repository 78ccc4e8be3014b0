//! What a learner is worth that can think of moves which are not legal.

use std::sync::{Arc, Mutex};

use learn::{ContestResult, ContestRules, Ties};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen};

use crate::{
    Against, Bench, Budget, Cell, Curve, Figure, Measure, Measured, PaperError, Trained, Training,
    against::play_from, certificate::certify,
};

/// A training, and how legally and how well its player plays.
#[derive(Clone, Copy, Debug)]
pub struct DeepExam {
    training: Training,
    quick: u32,
    full: u32,
    questions: &'static [DeepQuestion],
}

/// Where test games begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Starts {
    /// Where training games began.
    Trained,
    /// At random positions where none did.
    New,
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeepQuestion {
    /// First thoughts in test games that were legal, in percent.
    Legal(Starts, Against),
    /// Test games won, in percent.
    Wins(Starts, Against),
    /// First thoughts in the first hundredth of the training that were legal, in percent; with the
    /// curve of the whole training.
    LegalAtFirst,
    /// The same in the last tenth.
    LegalAtLast,
    /// Won positions from which the best legal move by its values mates within fifty moves against
    /// every defence, in percent.
    Certified,
}

/// A training with what was seen on its way.
struct Course {
    trained: Trained,
    /// After each hundredth: games, legal first thoughts so far, all first thoughts so far.
    legal: Vec<(u64, u64, u64)>,
}

/// Trainings of deep networks take long, and several rows of a table ask about the same one: the
/// last is kept.
static LAST: Mutex<Option<(String, Arc<Course>)>> = Mutex::new(None);

/// Points of the curve.
const POINTS: u64 = 100;

impl DeepExam {
    /// An exam under document Y's rules, 200 games in a quick run and 5,000 in a full one.
    pub const fn new(training: Training, questions: &'static [DeepQuestion]) -> DeepExam {
        DeepExam {
            training,
            quick: 200,
            full: 5_000,
            questions,
        }
    }

    /// The same with so many test games.
    #[must_use]
    pub const fn games(self, quick: u32, full: u32) -> DeepExam {
        DeepExam {
            quick,
            full,
            ..self
        }
    }

    fn rules(&self, budget: Budget) -> ContestRules {
        ContestRules {
            games: match budget {
                Budget::Smoke => 5,
                Budget::Quick => self.quick,
                Budget::Full => self.full,
            },
            // A smoke run need not see the end of a game.
            max_moves: if budget == Budget::Smoke { 5 } else { 50 },
            repetition: true,
            ties: Ties::First,
            seed: 0,
        }
    }

    /// Trains, unless the last training was the same.
    fn course(&self, bench: &Bench<'_>) -> Result<Arc<Course>, PaperError> {
        let key = format!(
            "{} seed {}",
            self.training.settings(bench.budget),
            bench.seed
        );
        let mut last = LAST.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((_, course)) = last.as_ref().filter(|(other, _)| *other == key) {
            return Ok(course.clone());
        }
        *last = None; // makes room before a new one is made
        let stretch = (self.training.games(bench.budget) / POINTS).max(1);
        let (mut games, mut legal) = (0, Vec::new());
        let trained = self.training.train_watched(bench, |_, learner| {
            games += 1;
            if games % stretch == 0
                && let Some((good, all)) = learner.legal_thoughts()
            {
                legal.push((games, good, all));
            }
        })?;
        let course = Arc::new(Course { trained, legal });
        *last = Some((key, course.clone()));
        Ok(course)
    }
}

impl Course {
    /// Legal first thoughts between two points of the curve.
    fn legal(&self, from: usize, to: usize) -> Option<Figure> {
        let at = |i: usize| match i {
            0 => Some((0, 0)),
            i => self.legal.get(i - 1).map(|&(_, good, all)| (good, all)),
        };
        let ((good, all), (good_then, all_then)) = (at(to)?, at(from)?);
        let thoughts = all - all_then;
        (thoughts > 0).then(|| Figure::percent(good - good_then, thoughts))
    }

    fn curve(&self) -> Curve {
        let points = (0..self.legal.len())
            .filter_map(|i| Some((self.legal[i].0 as f64, self.legal(i, i + 1)?.value)));
        Curve {
            name: String::new(),
            x: "training games".into(),
            y: "greedy choices that are legal, %".into(),
            points: points.collect(),
        }
    }

    /// Test games; the inner error is an engine that is not installed.
    fn contest(
        &self,
        starts: Starts,
        against: Against,
        rules: ContestRules,
        bench: &Bench<'_>,
    ) -> Result<Result<ContestResult, String>, PaperError> {
        let policy = &self.trained.policy;
        let few = &policy.learner().endgame().rules;
        let trained = policy.learner().training_starts();
        let known: std::collections::HashSet<FewMen> = trained.iter().copied().collect();
        let start = |random: &mut ChaCha8Rng| loop {
            let men = match (starts, &trained[..]) {
                (Starts::Trained, [_, ..]) => trained[random.random_range(0..trained.len())],
                _ => few.random(Color::White, random),
            };
            let new = starts == Starts::Trained || !known.contains(&men);
            if new && few.ending(men, &few.targets(men)).is_none() {
                return men;
            }
        };
        play_from(policy, against, rules, bench, &start)
    }
}

const ONLY_LEGAL: &str = "it only thinks of legal moves";

impl Measure for DeepExam {
    fn cells(&self) -> usize {
        self.questions.len()
    }

    fn settings(&self, budget: Budget) -> String {
        let rules = self.rules(budget);
        let mut text = self.training.settings(budget);
        for question in self.questions {
            if let DeepQuestion::Legal(starts, against) | DeepQuestion::Wins(starts, against) =
                question
            {
                let starts = match starts {
                    Starts::Trained => "starts of the training",
                    Starts::New => "new starts",
                };
                let games = format!(
                    "; {} games from {starts} against {}, {} moves of each side, repetitions drawn",
                    rules.games,
                    against.name(),
                    rules.max_moves
                );
                if !text.contains(&games) {
                    text += &games;
                }
            }
        }
        text
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let course = self.course(bench)?;
        let rules = self.rules(bench.budget);
        let mut results: Vec<((Starts, Against), Result<ContestResult, String>)> = Vec::new();
        let mut measured = Measured::default();
        let legal = |from: usize, to: usize| match course.legal(from, to) {
            Some(figure) => Cell::Figure(figure),
            None if course.legal.is_empty() => Cell::Missing(ONLY_LEGAL.into()),
            None => Cell::Missing("it only explored".into()),
        };
        for &question in self.questions {
            let cell = match question {
                DeepQuestion::Legal(starts, against) | DeepQuestion::Wins(starts, against) => {
                    let key = (starts, against);
                    let known = results.iter().find(|(other, _)| *other == key);
                    let result = match known {
                        Some((_, result)) => result.clone(),
                        None => course.contest(starts, against, rules, bench)?,
                    };
                    results.push((key, result.clone()));
                    match (result, question) {
                        (Err(why), _) => Cell::Missing(why),
                        (Ok(result), DeepQuestion::Wins(..)) => {
                            Cell::Figure(Figure::percent(result.wins.into(), result.games.into()))
                        }
                        (Ok(result), _) if result.thoughts == 0 => Cell::Missing(ONLY_LEGAL.into()),
                        (Ok(result), _) => {
                            Cell::Figure(Figure::percent(result.legal_thoughts, result.thoughts))
                        }
                    }
                }
                DeepQuestion::LegalAtFirst => {
                    if !course.legal.is_empty() {
                        measured.curves.push(course.curve());
                    }
                    legal(0, 1)
                }
                DeepQuestion::LegalAtLast => {
                    let last = course.legal.len();
                    legal(last - last.div_ceil(10), last)
                }
                DeepQuestion::Certified => {
                    let (material, board) = self.training.endgame(bench.budget)?;
                    let certificate = certify(&course.trained.policy, material, board, bench)?;
                    Cell::Figure(Figure::exact(
                        100.0 * certificate.within_fifty_share,
                        certificate.won_positions,
                    ))
                }
            };
            measured.cells.push(cell);
        }
        Ok(measured)
    }
}
