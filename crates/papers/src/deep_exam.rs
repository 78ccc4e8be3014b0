//! What a learner is worth that can think of moves which are not legal.

use learn::{
    ContestResult, ContestRules, EndgameLearner, Metrics, Point, Policy, Ties,
    runs::metrics::{GREEDY_CHOICES, LEGAL_CHOICES, LEGAL_RATE, WIN_RATE},
};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rules::{Color, FewMen};

use crate::{
    Against, Bench, Budget, Cell, Curve, Figure, Measure, Measured, PaperError, Trained, Training,
    against::play_from,
    certificate::{certify, within_fifty},
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
    /// curves of the whole training.
    LegalAtFirst,
    /// The same in the last tenth.
    LegalAtLast,
    /// Won positions from which the best legal move by its values mates within fifty moves against
    /// every defence, in percent.
    Certified,
}

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
}

/// Legal first thoughts in a stretch of the training.
fn legal(metrics: &Metrics, points: &[Point]) -> Option<Figure> {
    let sum = |name| {
        let counts = points.iter().filter_map(|p| metrics.value(p, name));
        counts.sum::<f64>() as u64
    };
    let greedy = sum(GREEDY_CHOICES);
    (greedy > 0).then(|| Figure::percent(sum(LEGAL_CHOICES), greedy))
}

/// The course of a training: legal first thoughts, and games won.
fn curves(metrics: &Metrics) -> [Curve; 2] {
    let percent = |name| {
        let series = metrics.series(name).into_iter();
        series
            .map(|(games, rate)| (games as f64, 100.0 * rate))
            .collect()
    };
    let curve = |y: &str, points| Curve {
        name: String::new(),
        x: "training games".into(),
        y: y.into(),
        points,
    };
    [
        curve("greedy choices that are legal, %", percent(LEGAL_RATE)),
        curve("training games won, %", percent(WIN_RATE)),
    ]
}

/// Test games; the inner error is an engine that is not installed.
fn contest(
    policy: &Policy,
    learner: &dyn EndgameLearner,
    starts: Starts,
    against: Against,
    rules: ContestRules,
    bench: &Bench<'_>,
) -> Result<Result<ContestResult, String>, PaperError> {
    let few = &policy.skill().endgame().rules;
    let trained = learner.training_starts();
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
        let Trained {
            policy,
            learner,
            metrics,
            ..
        } = self.training.train(bench)?;
        let points = metrics.points();
        let rules = self.rules(bench.budget);
        let mut results: Vec<((Starts, Against), Result<ContestResult, String>)> = Vec::new();
        let mut measured = Measured::default();
        let legal = |points: &[Point]| match legal(&metrics, points) {
            Some(figure) => Cell::Figure(figure),
            None if learner.legal_thoughts().is_none() => Cell::Missing(ONLY_LEGAL.into()),
            None => Cell::Missing("it only explored".into()),
        };
        for &question in self.questions {
            let cell = match question {
                DeepQuestion::Legal(starts, against) | DeepQuestion::Wins(starts, against) => {
                    let key = (starts, against);
                    let known = results.iter().find(|(other, _)| *other == key);
                    let result = match known {
                        Some((_, result)) => result.clone(),
                        None => contest(&policy, learner.as_ref(), starts, against, rules, bench)?,
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
                    let curves = curves(&metrics).into_iter();
                    measured
                        .curves
                        .extend(curves.filter(|curve| !curve.points.is_empty()));
                    legal(&points[..points.len().min(1)])
                }
                DeepQuestion::LegalAtLast => {
                    legal(&points[points.len() - points.len().div_ceil(10)..])
                }
                DeepQuestion::Certified => {
                    let (material, board) = self.training.endgame(bench.budget)?;
                    let certificate = certify(&policy, material, board, bench)?;
                    within_fifty(&certificate)
                }
            };
            measured.cells.push(cell);
        }
        Ok(measured)
    }
}
