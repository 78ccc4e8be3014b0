//! Games that are played together, so that the network is asked about all of them at once.

use std::sync::atomic::AtomicBool;

use play::{Assessments, search_together};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::{
    lesson::Lesson,
    network::ZeroNetwork,
    table::{Finished, Table},
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

impl Group {
    /// So many tables, whose chances follow from `seed`; `first` is the number of the first.
    pub fn new(terms: &Terms, tables: usize, seed: u64, first: usize) -> Group {
        let table = |number: usize| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(1 + (first + number) as u64);
            Table::new(terms, random)
        };
        Group {
            tables: (0..tables).map(table).collect(),
            assessments: Assessments::default(),
        }
    }

    /// Plays so many plies at every table.
    ///
    /// # Errors
    /// When it is to stop, or the network fails.
    pub fn play(
        &mut self,
        terms: &Terms,
        network: &dyn ZeroNetwork,
        plies: usize,
        stop: &AtomicBool,
    ) -> Result<Harvest, LearnError> {
        let mut evaluator = network.evaluator();
        let mut harvest = Harvest::default();
        for _ in 0..plies {
            self.tables.iter_mut().for_each(|table| table.think(terms));
            loop {
                go_on(stop)?;
                let (tables, told) = (&mut self.tables, &mut self.assessments);
                let asked = search_together(tables, evaluator.as_mut(), LEAVES, told)?;
                harvest.evaluations += asked as u64;
                harvest.batches += u64::from(asked > 0);
                if self.tables.iter().all(Table::has_found) {
                    break;
                }
            }
            for table in &mut self.tables {
                let finished = table.play(terms, network, &mut harvest.lessons);
                harvest.finished.extend(finished);
            }
        }
        Ok(harvest)
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

/// Leaves that a tree gives at a time: with so many trees one each is enough, and the best.
const LEAVES: usize = 1;
