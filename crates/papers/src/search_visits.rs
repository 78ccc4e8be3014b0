use play::{
    Assessments, Chances, Dice, Evaluator, EvaluatorError, Leaf, Puct, PuctSettings,
    search_together,
};
use rand::RngExt as _;
use rules::{Game, Move, Position, Rules};

use crate::{Bench, Budget, Cell, Curve, Diagram, Figure, Measure, Measured, PaperError};

/// Where a PUCT search goes when its network says nothing: the share of the mating moves among the
/// visits, that of the most visited other move, and the iterations after which a mating move stays
/// the most visited. Diagram and curve come along, of the first search.
#[derive(Clone, Copy, Debug)]
pub struct SearchVisits {
    /// The position.
    pub fen: &'static str,
    /// The moves to find, in UCI notation.
    pub mating: &'static [&'static str],
    /// The search: a preset by name, without its noise.
    pub preset: &'static str,
    /// Its iterations.
    pub iterations: u32,
    /// Is the way there drawn, too?
    pub curve: bool,
}

/// Says of every position a number drawn by lot, and nothing about the moves.
struct ByLot(Dice);

/// What is drawn lies between this and its opposite.
const WIDEST: f32 = 0.8;

impl Evaluator for ByLot {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        assessments.clear();
        for leaf in batch {
            let value = self.0.random_range(-WIDEST..=WIDEST);
            let prior = 1.0 / leaf.moves.len() as f32;
            let priors = leaf.moves.iter().map(|_| prior);
            assessments.push(Chances::from_value(value), priors);
        }
        Ok(())
    }
}

/// One search: the visits of all moves at its end, and those of the mating moves and of the most
/// visited other one on the way.
struct Course {
    visits: Vec<(Move, u32)>,
    /// Iterations, visits of mating moves, visits of another.
    points: Vec<(u32, u32, u32)>,
    /// After so many iterations a mating move stayed the most visited.
    leads_from: u32,
}

impl SearchVisits {
    /// How many searches, each with other lots.
    fn searches(budget: Budget) -> u64 {
        budget.pick(2, 20, 100)
    }

    fn iterations(&self, budget: Budget) -> u32 {
        match budget {
            Budget::Smoke => self.iterations.min(500),
            Budget::Quick | Budget::Full => self.iterations,
        }
    }

    fn settings_of_search(&self, budget: Budget) -> Result<PuctSettings, PaperError> {
        let preset = PuctSettings::preset(self.preset)
            .ok_or_else(|| PaperError::Setting(format!("no preset {}", self.preset)))?;
        Ok(PuctSettings {
            simulations: self.iterations(budget),
            ..preset.without_noise()
        })
    }

    fn position(&self) -> Result<Position, PaperError> {
        Position::from_fen(self.fen).map_err(|error| PaperError::Setting(error.to_string()))
    }

    fn search(&self, bench: &Bench<'_>, seed: u64) -> Result<Course, PaperError> {
        let position = self.position()?;
        let is_mating = |m: Move| self.mating.contains(&position.uci(m).as_str());
        let mut tree = Puct::new(self.settings_of_search(bench.budget)?, seed);
        tree.begin(&Game::new(position.clone(), Rules::default()));
        let (mut lots, mut scratch) = (ByLot(Dice::new(seed)), Assessments::default());
        let mut course = Course {
            visits: Vec::new(),
            points: Vec::new(),
            leads_from: 0,
        };
        let mut next = 10;
        while !tree.is_finished() {
            bench.go_on()?;
            search_together(&mut [&mut tree], &mut lots, 1, &mut scratch)
                .map_err(|error| PaperError::Setting(error.to_string()))?;
            let done = tree.simulations();
            if !tree.is_finished() && !done.is_multiple_of(10) {
                continue;
            }
            let Some(found) = tree.found() else {
                continue;
            };
            course.visits = found.moves.iter().map(|m| (m.mv, m.visits)).collect();
            let most = |mating: bool| {
                let those = course
                    .visits
                    .iter()
                    .filter(|(m, _)| is_mating(*m) == mating);
                those.map(|(_, visits)| *visits).max().unwrap_or(0)
            };
            let (mating, other) = (most(true), most(false));
            // Where mate is proven the search is over, whatever was visited.
            if found.mate.is_some() {
                course.leads_from = done;
            } else if mating <= other {
                course.leads_from = done + 1;
            }
            if done >= next || tree.is_finished() {
                course.points.push((done, mating, other));
                next += next / 10;
            }
        }
        Ok(course)
    }

    fn picture(&self, position: &Position, course: &Course) -> Diagram {
        // Moves to one square are added up.
        let mut marks: Vec<(String, u32)> = Vec::new();
        for (m, visits) in course.visits.iter().filter(|(_, visits)| *visits > 0) {
            let to = m.to().to_string();
            match marks.iter_mut().find(|(square, _)| *square == to) {
                Some((_, sum)) => *sum += visits,
                None => marks.push((to, *visits)),
            }
        }
        let san = |uci: &&str| {
            let m = position.parse_uci(uci);
            m.map_or_else(String::new, |m| position.san(m))
        };
        let mating: Vec<String> = self.mating.iter().map(san).collect();
        Diagram {
            fen: position.fen(),
            caption: format!(
                "Visits by the square a move goes to, of one search with the preset {}; {} mates",
                self.preset,
                mating.join(" or ")
            ),
            marks: marks
                .into_iter()
                .map(|(square, visits)| (square, visits.to_string()))
                .collect(),
        }
    }
}

impl Measure for SearchVisits {
    fn cells(&self) -> usize {
        3
    }

    fn settings(&self, budget: Budget) -> String {
        format!(
            "{} searches of {}, preset {} without noise, {} iterations, leaf values by lot within ±{WIDEST}, \
             priors even",
            SearchVisits::searches(budget),
            self.fen,
            self.preset,
            self.iterations(budget),
        )
    }

    fn measure(&self, bench: &Bench<'_>) -> Result<Measured, PaperError> {
        let position = self.position()?;
        let searches = SearchVisits::searches(bench.budget);
        let (mut mating, mut other, mut leads) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = None;
        for number in 0..searches {
            let course = self.search(bench, play::derived_seed(bench.seed, number))?;
            let all: u32 = course.visits.iter().map(|(_, visits)| visits).sum();
            let share = |visits: u32| 100.0 * f64::from(visits) / f64::from(all.max(1));
            let mates = course
                .visits
                .iter()
                .filter(|(m, _)| self.mating.contains(&position.uci(*m).as_str()));
            mating.push(share(mates.map(|(_, visits)| visits).sum()));
            other.push(share(course.points.last().map_or(0, |point| point.2)));
            leads.push(f64::from(course.leads_from));
            first.get_or_insert(course);
            bench.tell(number + 1, searches, "");
        }
        let mut measured = Measured::cells(vec![
            Cell::mean(&mating, "no search"),
            Cell::mean(&other, "no search"),
            Figure::median(&leads).map_or(Cell::Missing("no search".into()), Cell::Figure),
        ]);
        if let Some(course) = first {
            measured.diagrams.push(self.picture(&position, &course));
            if !self.curve {
                return Ok(measured);
            }
            let curve = |name: &str, of: fn(&(u32, u32, u32)) -> u32| Curve {
                name: name.into(),
                x: "iterations".into(),
                y: "visits".into(),
                points: course
                    .points
                    .iter()
                    .map(|point| (point.0.into(), of(point).into()))
                    .collect(),
            };
            measured.curves.push(curve("mating move", |point| point.1));
            measured
                .curves
                .push(curve("most visited other move", |point| point.2));
        }
        Ok(measured)
    }
}
