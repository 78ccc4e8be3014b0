//! In which order examples are studied.

use std::collections::VecDeque;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::{
    LearnError,
    learner::below,
    runs::record::{Reader, Writer},
};

/// The most wrong examples that are kept for the drill.
const MOST_WRONG: usize = 1 << 16;
/// How fast the share of wrong examples forgets, a batch.
const FADE: f64 = 0.9;

/// Passes over a growing number of examples, each in another order; and between them some that were
/// wrong the last time.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Study {
    seed: u64,
    /// How many examples there are.
    examples: u32,
    /// Which pass this is, and how far it is.
    pass: u64,
    at: usize,
    /// The order of the pass, once it is needed.
    order: Vec<u32>,
    /// Wrong the last time, the oldest first.
    wrong: VecDeque<u32>,
    /// The share of fresh examples that were wrong, of late.
    pub wrong_share: f64,
}

/// A batch: the first `fresh` are of the pass, the others are drilled.
pub(crate) struct Batch {
    pub examples: Vec<u32>,
    fresh: usize,
}

impl Study {
    pub fn new(seed: u64) -> Study {
        Study {
            seed,
            wrong_share: 1.0,
            ..Study::default()
        }
    }

    /// The examples have changed: a new pass begins. What was wrong stays in the drill.
    pub fn begin(&mut self, examples: usize) {
        self.examples = examples as u32;
        self.pass += 1;
        self.at = 0;
        self.order.clear();
        self.wrong_share = 1.0;
    }

    /// The next batch of a size, a share of it drilled.
    pub fn batch(&mut self, size: usize, drill: f64) -> Batch {
        let size = size.min(self.examples as usize);
        let drilled = ((size as f64 * drill) as usize).min(self.wrong.len());
        // Batches are of one size, whatever there is to drill: a GPU tunes itself to a size.
        let fresh = size - drilled;
        let mut examples = Vec::with_capacity(size);
        while examples.len() < fresh {
            self.arrange();
            let rest = &self.order[self.at..];
            let take = rest.len().min(fresh - examples.len());
            examples.extend(&rest[..take]);
            self.at += take;
        }
        examples.extend(self.wrong.drain(..drilled));
        Batch { examples, fresh }
    }

    /// Takes notice of what was wrong in a batch.
    pub fn corrected(&mut self, batch: &Batch, wrong: Vec<u32>) {
        // The wrong ones are named in the order of the batch.
        let fresh = &batch.examples[..batch.fresh];
        let mut left = wrong.iter().peekable();
        let missed = fresh
            .iter()
            .filter(|i| left.next_if_eq(i).is_some())
            .count();
        let share = missed as f64 / fresh.len().max(1) as f64;
        self.wrong_share = FADE * self.wrong_share + (1.0 - FADE) * share;
        self.wrong.extend(wrong);
        let surplus = self.wrong.len().saturating_sub(MOST_WRONG);
        self.wrong.drain(..surplus);
    }

    /// Makes sure that there is an order with something left of it.
    fn arrange(&mut self) {
        let count = self.examples as usize;
        if self.at >= count {
            self.pass += 1;
            self.at = 0;
            self.order.clear();
        }
        if self.order.is_empty() {
            // The order follows from the number of the pass, so that it need not be saved.
            let mut random = ChaCha8Rng::seed_from_u64(self.seed ^ 0x6c75_6365_6e61);
            random.set_stream(self.pass);
            self.order = (0..self.examples).collect();
            for i in (1..count).rev() {
                self.order.swap(i, below(&mut random, i + 1));
            }
        }
    }

    pub fn save(&self, out: &mut Writer) {
        out.u64(self.examples.into());
        out.u64(self.pass);
        out.u64(self.at as u64);
        out.u32s(self.wrong.iter().copied());
        out.f64(self.wrong_share);
    }

    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.examples = u32::try_from(from.u64()?).map_err(|_| LearnError::Record)?;
        self.pass = from.u64()?;
        self.at = usize::try_from(from.u64()?).map_err(|_| LearnError::Record)?;
        self.order.clear();
        self.wrong = from.u32s()?.collect();
        self.wrong_share = from.f64()?;
        let sound = self.wrong.iter().all(|&i| i < self.examples);
        if sound {
            Ok(())
        } else {
            Err(LearnError::Record)
        }
    }

    /// How many examples there are.
    pub fn examples(&self) -> usize {
        self.examples as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_shows_everything_once_and_the_next_one_in_another_order() {
        let mut study = Study::new(3);
        study.begin(100);
        let mut pass = || -> Vec<u32> {
            let batches = (0..4).map(|_| study.batch(25, 0.5).examples);
            batches.flatten().collect()
        };
        let (first, second) = (pass(), pass());
        assert_ne!(first, second);
        for mut pass in [first, second] {
            pass.sort_unstable();
            assert_eq!(pass, (0..100).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn what_was_wrong_comes_again_and_only_fresh_examples_are_counted() {
        let mut study = Study::new(3);
        study.begin(100);
        let batch = study.batch(20, 0.5);
        let wrong = batch.examples[..4].to_vec();
        study.corrected(&batch, wrong.clone());
        assert!((study.wrong_share - (FADE + (1.0 - FADE) * 0.2)).abs() < 1e-12);
        let next = study.batch(20, 0.1); // two of the four fit
        assert_eq!(next.examples[18..], wrong[..2]);
        let before = study.wrong_share;
        study.corrected(&next, next.examples[18..].to_vec());
        assert!((study.wrong_share - FADE * before).abs() < 1e-12);
        assert_eq!(
            study.batch(20, 0.5).examples[16..],
            [wrong[2], wrong[3], wrong[0], wrong[1]]
        );
    }

    #[test]
    fn a_study_that_was_saved_goes_on_the_same() {
        let mut study = Study::new(9);
        study.begin(50);
        let batch = study.batch(30, 0.2);
        study.corrected(&batch, batch.examples[..7].to_vec());
        let mut out = Writer::default();
        study.save(&mut out);
        let record = out.into_bytes();
        let mut other = Study::new(9);
        other.load(&mut Reader::new(&record)).expect("sound");
        for _ in 0..5 {
            let (one, two) = (study.batch(30, 0.2), other.batch(30, 0.2));
            assert_eq!(one.examples, two.examples);
            study.corrected(&one, vec![one.examples[0]]);
            other.corrected(&two, vec![two.examples[0]]);
        }
        assert_eq!(study, other);
    }

    #[test]
    fn fewer_examples_than_a_batch_are_one_batch() {
        let mut study = Study::new(1);
        study.begin(3);
        assert_eq!(study.batch(100, 0.5).examples.len(), 3);
    }
}
