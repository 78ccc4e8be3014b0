//! The lessons of the last games, from which batches are drawn.

use std::collections::VecDeque;

use rand_chacha::ChaCha8Rng;

use super::lesson::Lesson;
use crate::{
    LearnError,
    learner::below,
    runs::record::{Reader, Writer},
};

/// How many lessons are kept: as the games get better, a share of all there have been, between two
/// bounds, so that the first, random games are soon forgotten and the later ones are not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Window {
    pub least: usize,
    pub most: usize,
    pub share: f64,
}

impl Window {
    /// How many are kept when there have been so many.
    fn size(self, all: u64) -> usize {
        ((all as f64 * self.share) as usize).clamp(self.least, self.most)
    }
}

/// The lessons of the last games.
#[derive(Default)]
pub(super) struct Replay {
    lessons: VecDeque<Lesson>,
    /// Lessons there have ever been.
    all: u64,
}

impl Replay {
    /// Adds lessons and forgets the oldest.
    pub fn add(&mut self, lessons: impl IntoIterator<Item = Lesson>, window: Window) {
        for lesson in lessons {
            self.lessons.push_back(lesson);
            self.all += 1;
        }
        let room = window.size(self.all);
        let excess = self.lessons.len().saturating_sub(room);
        self.lessons.drain(..excess);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lessons.len()
    }

    /// Some of them, drawn by lot.
    pub fn draw(&self, count: usize, random: &mut ChaCha8Rng) -> Vec<&Lesson> {
        (0..count)
            .map(|_| &self.lessons[below(random, self.lessons.len())])
            .collect()
    }

    pub fn save(&self, out: &mut Writer) {
        out.u64(self.all);
        out.u64(self.lessons.len() as u64);
        self.lessons.iter().for_each(|lesson| lesson.save(out));
    }

    /// # Errors
    /// When the record holds something else.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.all = from.u64()?;
        let count = from.u64()?;
        self.lessons.clear();
        for _ in 0..count {
            self.lessons.push_back(Lesson::load(from)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    fn lesson(number: u16) -> Lesson {
        Lesson {
            sight: [u64::from(number)].into(),
            moves: [number, 7].into(),
            shares: [1, 2].into(),
            ending: [0.0, 0.25, 0.75],
            surprise: 0.5,
        }
    }

    #[test]
    fn the_window_grows_and_the_oldest_are_forgotten() {
        let window = Window {
            least: 4,
            most: 10,
            share: 0.5,
        };
        let mut replay = Replay::default();
        replay.add((0..6).map(lesson), window);
        assert_eq!(replay.len(), 4);
        assert_eq!(replay.lessons[0], lesson(2));
        replay.add((6..18).map(lesson), window);
        assert_eq!((replay.len(), replay.lessons[0].clone()), (9, lesson(9)));
        replay.add((18..100).map(lesson), window);
        assert_eq!(replay.len(), 10);
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let window = Window {
            least: 5,
            most: 5,
            share: 0.0,
        };
        let mut replay = Replay::default();
        replay.add((0..9).map(lesson), window);
        let mut out = Writer::default();
        replay.save(&mut out);
        let bytes = out.into_bytes();
        let mut read = Replay::default();
        read.load(&mut Reader::new(&bytes)).unwrap();
        assert_eq!((read.all, &read.lessons), (9, &replay.lessons));
        let draw = |replay: &Replay| {
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let drawn = replay.draw(20, &mut random);
            drawn.into_iter().cloned().collect::<Vec<_>>()
        };
        assert_eq!(draw(&read), draw(&replay));
        assert!(
            Replay::default()
                .load(&mut Reader::new(&bytes[..bytes.len() - 1]))
                .is_err()
        );
    }
}
