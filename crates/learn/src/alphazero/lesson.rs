//! A position of a game against oneself, and what the search made of it.

use crate::{
    LearnError,
    imitation::MOST_MOVES,
    runs::record::{Reader, Writer},
};

/// What a network is to learn of one position.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Lesson {
    /// What the network sees, in its own form.
    pub sight: Box<[u64]>,
    /// The legal moves, by numbers of the network's own.
    pub moves: Box<[u16]>,
    /// How likely the search finds each of them, in 65,535ths.
    pub shares: Box<[u16]>,
    /// How likely loss, draw and win are for the side to move.
    pub ending: [f32; 3],
    /// How far the search went from what the network had thought of the moves, in nats.
    pub surprise: f32,
}

const WHOLE: f32 = 65_535.0;

/// Shares that add up to one, as small numbers.
pub(super) fn packed(shares: impl Iterator<Item = f32>) -> Box<[u16]> {
    shares
        .map(|share| (share * WHOLE).round().clamp(0.0, WHOLE) as u16)
        .collect()
}

impl Lesson {
    /// How likely the search finds each move; they add up to one.
    pub fn shares(&self) -> impl Iterator<Item = f32> {
        let sum: u32 = self.shares.iter().copied().map(u32::from).sum();
        let scale = 1.0 / sum.max(1) as f32;
        self.shares
            .iter()
            .map(move |&share| f32::from(share) * scale)
    }

    /// Is it one that can be learned from, as far as can be told without a network?
    pub fn is_sound(&self) -> bool {
        (1..=MOST_MOVES).contains(&self.moves.len())
            && self.moves.len() == self.shares.len()
            // Rounding may bring a trifle too much.
            && self.ending.iter().all(|share| (-0.01..=1.01).contains(share))
            && self.surprise.is_finite()
            && self.surprise >= 0.0
    }

    /// Bytes that a lesson of so many moves takes when it is saved, where so many numbers are seen.
    pub fn bytes(moves: usize, sights: usize) -> usize {
        8 + 8 * sights + 2 * (8 + 2 * moves) + (8 + 12) + 8
    }

    pub fn save(&self, out: &mut Writer) {
        let words =
            |words: &[u16]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
        let sight: Vec<u8> = self
            .sight
            .iter()
            .flat_map(|set| set.to_le_bytes())
            .collect();
        out.bytes(&sight);
        out.bytes(&words(&self.moves));
        out.bytes(&words(&self.shares));
        out.weights(&self.ending);
        out.f64(self.surprise.into());
    }

    /// # Errors
    /// When the record holds something else.
    pub fn load(from: &mut Reader<'_>) -> Result<Lesson, LearnError> {
        let sight = from.bytes()?.as_chunks::<8>().0;
        let sight = sight.iter().map(|&set| u64::from_le_bytes(set)).collect();
        let mut words = || -> Result<Box<[u16]>, LearnError> {
            let words = from.bytes()?.as_chunks::<2>().0;
            Ok(words.iter().map(|&word| u16::from_le_bytes(word)).collect())
        };
        let (moves, shares) = (words()?, words()?);
        let ending = from.weights(3)?;
        let lesson = Lesson {
            sight,
            ending: [ending[0], ending[1], ending[2]],
            surprise: from.f64()? as f32,
            moves,
            shares,
        };
        match lesson.moves.len() == lesson.shares.len() {
            true => Ok(lesson),
            false => Err(LearnError::Record),
        }
    }
}
