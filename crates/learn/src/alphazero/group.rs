//! Games that are played together, so that the network is asked about all of them at once.

use std::sync::atomic::AtomicBool;

use play::{Assessments, search_together};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::Color;

use super::{
    lesson::Lesson,
    network::Judge,
    table::{Ending, Finished, Table},
    terms::Terms,
};
use crate::{
    LearnError,
    learner::go_on,
    runs::record::{Reader, Writer},
};

/// Tables whose searches share their questions to the network: what one thread works on.
pub(super) struct Group {
    tables: Vec<Table>,
    assessments: Assessments,
}

/// What came of some plies at all tables of a group.
#[derive(Default)]
pub(super) struct Harvest {
    pub lessons: Vec<Lesson>,
    pub finished: Vec<Finished>,
    /// Positions that the network judged …
    pub evaluations: u64,
    /// … and how often it was asked.
    pub batches: u64,
}

impl Harvest {
    /// Adds what came of another group.
    pub fn add(&mut self, other: Harvest) {
        self.lessons.extend(other.lessons);
        self.finished.extend(other.finished);
        self.evaluations += other.evaluations;
        self.batches += other.batches;
    }

    pub fn save(&self, out: &mut Writer) {
        out.u64(self.lessons.len() as u64);
        self.lessons.iter().for_each(|lesson| lesson.save(out));
        save_finished(self.finished.iter(), out);
        out.u64(self.evaluations);
        out.u64(self.batches);
    }

    /// # Errors
    /// When the record holds something else, or what the network could not have noted down.
    pub fn load(from: &mut Reader<'_>, judge: &dyn Judge) -> Result<Harvest, LearnError> {
        let mut harvest = Harvest::default();
        for _ in 0..from.u64()? {
            let lesson = Lesson::load(from)?;
            if !lesson.is_sound() || !judge.knows(&lesson) {
                return Err(LearnError::Record);
            }
            harvest.lessons.push(lesson);
        }
        harvest.finished = load_finished(from)?;
        harvest.evaluations = from.u64()?;
        harvest.batches = from.u64()?;
        Ok(harvest)
    }
}

/// Writes games that have ended.
pub(super) fn save_finished<'a>(
    games: impl ExactSizeIterator<Item = &'a Finished>,
    out: &mut Writer,
) {
    out.u64(games.len() as u64);
    for game in games {
        out.u64(game.plies.into());
        out.u64(match game.winner {
            None => 0,
            Some(color) => color.fold_wb(1, 2),
        });
        out.u64(game.how as u64);
    }
}

/// # Errors
/// When the record holds something else.
pub(super) fn load_finished(from: &mut Reader<'_>) -> Result<Vec<Finished>, LearnError> {
    let mut games = Vec::new();
    for _ in 0..from.u64()? {
        games.push(Finished {
            plies: from.u64()? as u32,
            winner: match from.u64()? {
                0 => None,
                color => Some(Color::from_white(color == 1)),
            },
            how: {
                let how = usize::try_from(from.u64()?).ok();
                let how = how.and_then(|how| Ending::ALL.get(how).copied());
                how.ok_or(LearnError::Record)?
            },
        });
    }
    Ok(games)
}

impl Group {
    /// So many tables, whose chances follow from `seed`; `first` is the number of the first.
    pub fn new(terms: &Terms, tables: usize, seed: u64, first: u64) -> Group {
        let table = |number: usize| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(1 + first + number as u64);
            Table::new(terms, random)
        };
        Group {
            tables: (0..tables).map(table).collect(),
            assessments: Assessments::default(),
        }
    }

    /// Plays so many plies at every table on average: a table that has found its move goes on with the next one, so
    /// that batches stay full, until all of them together have begun as many. What a table plays does not depend on
    /// the others, only how far it comes.
    ///
    /// # Errors
    /// When it is to stop, or the network fails.
    pub fn play(
        &mut self,
        terms: &Terms,
        judge: &dyn Judge,
        plies: usize,
        stop: &AtomicBool,
    ) -> Result<Harvest, LearnError> {
        let mut evaluator = judge.evaluator();
        let mut harvest = Harvest::default();
        let mut to_begin = plies * self.tables.len();
        loop {
            go_on(stop)?;
            let mut thinking = false;
            for table in &mut self.tables {
                if table.has_found() {
                    let finished = table.play(terms, judge, &mut harvest.lessons);
                    harvest.finished.extend(finished);
                }
                if !table.is_thinking() && to_begin > 0 {
                    to_begin -= 1;
                    table.think(terms);
                }
                thinking |= table.is_thinking();
            }
            if !thinking {
                return Ok(harvest);
            }
            let (tables, told) = (&mut self.tables, &mut self.assessments);
            let asked = search_together(tables, evaluator.as_mut(), terms.leaves(), told)?;
            harvest.evaluations += asked as u64;
            harvest.batches += u64::from(asked > 0);
        }
    }

    /// Can all of its games be gone on with?
    pub fn is_sound(&self, terms: &Terms, judge: &dyn Judge) -> bool {
        let mut tables = self.tables.iter();
        tables.all(|table| table.is_sound(terms, judge))
    }

    pub fn save(&self, out: &mut Writer) {
        self.tables.iter().for_each(|table| table.save(out));
    }

    /// # Errors
    /// When the record holds something else.
    pub fn load(&mut self, terms: &Terms, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let mut tables = self.tables.iter_mut();
        tables.try_for_each(|table| table.load(terms, from))
    }
}
