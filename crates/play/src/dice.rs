//! Random numbers: one generator that is small and fast enough for rollouts, and one way to derive
//! the seed of a part from the seed of the whole.

use std::convert::Infallible;

use rand::{Rng as _, SeedableRng, TryRng};

/// A small fast random number generator (SplitMix64), the same numbers for the same seed on every
/// machine.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Dice {
    /// Dice for a seed.
    pub const fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    /// A number below `bound`, which must not be 0.
    ///
    /// The upper half of a product of 32-bit numbers: biased by less than `bound` / 2³².
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u64::from(self.next_u32()) * bound as u64) >> 32) as usize
    }
}

/// The seed of part `index` of something that has the seed `seed`.
///
/// ```
/// use play::derived_seed;
/// assert_ne!(derived_seed(1, 0), derived_seed(1, 1));
/// assert_ne!(derived_seed(1, 1), derived_seed(2, 0));
/// ```
pub const fn derived_seed(seed: u64, index: u64) -> u64 {
    mix(mix(seed.wrapping_add(GOLDEN)) ^ index.wrapping_mul(GOLDEN).wrapping_add(1))
}

impl TryRng for Dice {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next_u64() >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.state = self.state.wrapping_add(GOLDEN);
        Ok(mix(self.state))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

impl SeedableRng for Dice {
    type Seed = [u8; 8];

    fn from_seed(seed: [u8; 8]) -> Dice {
        Dice::new(u64::from_le_bytes(seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_comes_up_about_as_often() {
        let mut dice = Dice::new(1);
        let mut faces = [0; 6];
        for _ in 0..60_000 {
            faces[dice.below(6)] += 1;
        }
        assert!(
            faces.iter().all(|face| (9_500..10_500).contains(face)),
            "{faces:?}"
        );
    }
}
