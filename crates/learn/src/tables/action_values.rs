//! A table of action values that grows with what it has seen.

use rand_chacha::ChaCha8Rng;

use crate::{
    LearnError,
    learner::below,
    runs::record::{Reader, Writer},
};

/// A value for every legal move of every position met so far.
///
/// Document Y's table has a column for every man and square, nearly all of them for moves that are
/// not legal. Here a position gets as many values as it has legal moves, when it is met for the
/// first time: twelve bytes a position plus four bytes a move of the positions met.
///
/// Beside them stands the best move, kept up to date with every change, so that looking a position
/// up touches memory once: in a table larger than the caches that is what a game costs.
#[derive(Clone, Debug)]
pub struct ActionValues {
    entries: Vec<Entry>,
    values: Vec<f32>,
    initial: f32,
    visited: u64,
    visits: u64,
}

/// A position.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where its values begin; 0 for a position never met.
    first: u32,
    /// The best move, the first of equals.
    best: u32,
    /// Its value.
    value: f32,
}

/// A position met: where its values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Met {
    state: u32,
    first: u32,
    moves: u32,
}

impl Met {
    /// Names one of its moves.
    pub fn action(self, action: usize) -> Taken {
        Taken {
            met: self,
            action: action as u32,
        }
    }
}

/// A move taken in a position met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    met: Met,
    action: u32,
}

impl ActionValues {
    /// A table for positions numbered below `states`, every value `initial`.
    pub fn new(states: usize, initial: f32) -> ActionValues {
        let entry = Entry {
            first: 0,
            best: 0,
            value: initial,
        };
        ActionValues {
            entries: vec![entry; states],
            values: vec![initial], // never used, so that 0 can mean "not met"
            initial,
            visited: 0,
            visits: 0,
        }
    }

    /// Meets a position with `moves` legal moves, for the first time or again.
    #[inline]
    pub fn meet(&mut self, state: usize, moves: usize) -> Met {
        self.visits += 1;
        let mut first = self.entries[state].first;
        if first == 0 {
            first = u32::try_from(self.values.len()).expect("a table of less than 16 GiB");
            self.entries[state].first = first;
            self.values.resize(first as usize + moves, self.initial);
            self.visited += 1;
        }
        Met {
            state: state as u32,
            first,
            moves: moves as u32,
        }
    }

    /// The move with the greatest value, the first of equals, and its value.
    #[inline]
    pub fn best(&self, state: usize) -> (usize, f32) {
        let entry = &self.entries[state];
        (entry.best as usize, entry.value)
    }

    /// The moves of a position with `moves` legal moves that share the greatest value.
    pub fn equals(&self, state: usize, moves: usize) -> impl Iterator<Item = usize> + Clone {
        let entry = self.entries[state];
        let first = entry.first as usize;
        (0..moves).filter(move |i| first == 0 || self.values[first + i] == entry.value)
    }

    /// One of the moves that share the greatest value, drawn by lot.
    pub fn best_by_lot(&self, state: usize, moves: usize, random: &mut ChaCha8Rng) -> usize {
        let mut equals = self.equals(state, moves);
        let lot = below(random, equals.clone().count());
        equals.nth(lot).unwrap_or(0)
    }

    /// Asks memory for a position that will be looked up soon.
    ///
    /// The tables do not fit the caches, and waiting for memory is most of what a game costs; what
    /// is computed between this and the look-up comes for free.
    #[inline]
    pub fn announce(&self, state: usize) {
        fetch(&self.entries[state]);
    }

    /// Asks memory for the value of a position's best move, which is likely to be played soon.
    #[inline]
    pub fn announce_best(&self, state: usize) {
        let entry = &self.entries[state];
        fetch(&self.values[(entry.first + entry.best) as usize]);
    }

    /// Asks memory for the values of a position, one of which will be changed soon.
    #[inline]
    pub fn announce_values(&self, met: Met) {
        let first = met.first as usize;
        let values = &self.values[first..first + met.moves as usize];
        values.iter().step_by(CACHE_LINE / 4).for_each(fetch);
        values.last().into_iter().for_each(fetch);
    }

    /// Has the position been met?
    #[inline]
    pub fn has_met(&self, state: usize) -> bool {
        self.entries[state].first != 0
    }

    /// The value of a move.
    #[inline]
    pub fn value(&self, taken: Taken) -> f32 {
        self.values[(taken.met.first + taken.action) as usize]
    }

    /// Changes the value of a move.
    #[inline]
    pub fn set(&mut self, taken: Taken, value: f32) {
        let Taken { met, action } = taken;
        self.values[(met.first + action) as usize] = value;
        let entry = &mut self.entries[met.state as usize];
        if action == entry.best && value < entry.value {
            let first = met.first as usize;
            let (best, value) = best(&self.values[first..first + met.moves as usize]);
            (entry.best, entry.value) = (best as u32, value);
        } else if value > entry.value || value == entry.value && action <= entry.best {
            (entry.best, entry.value) = (action, value);
        }
    }

    /// Different positions met.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// Positions met, each as often as it was.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Bytes of memory.
    pub fn size(&self) -> u64 {
        (size_of::<Entry>() * self.entries.len() + 4 * self.values.len()) as u64
    }

    /// Writes the table.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.visited);
        out.u64(self.visits);
        out.u32s(self.entries.iter().map(|entry| entry.first));
        out.u32s(self.entries.iter().map(|entry| entry.best));
        out.u32s(self.entries.iter().map(|entry| entry.value.to_bits()));
        out.u32s(self.values.iter().map(|value| value.to_bits()));
    }

    /// Reads the table.
    ///
    /// # Errors
    /// When the record is of a table of another size.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        let (visited, visits) = (from.u64()?, from.u64()?);
        let (first, best, value) = (from.u32s()?, from.u32s()?, from.u32s()?);
        let entries: Vec<Entry> = first
            .zip(best)
            .zip(value)
            .map(|((first, best), value)| Entry {
                first,
                best,
                value: f32::from_bits(value),
            })
            .collect();
        if entries.len() != self.entries.len() {
            return Err(LearnError::Record);
        }
        self.values = from.u32s()?.map(f32::from_bits).collect();
        (self.visited, self.visits, self.entries) = (visited, visits, entries);
        Ok(())
    }
}

/// The greatest value, the first of equals.
#[inline]
fn best(values: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (i, &value) in values.iter().enumerate() {
        if value > best.1 {
            best = (i, value);
        }
    }
    best
}

/// Bytes that memory hands over at once.
const CACHE_LINE: usize = 64;

/// Tells the processor to bring something into its caches, without waiting for it.
#[inline]
fn fetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch neither reads nor writes, whatever the address; this one is valid.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item; // other processors wait a little longer
}
