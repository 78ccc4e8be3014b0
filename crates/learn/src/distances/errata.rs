//! Answers that a network gets wrong, kept beside it.
//!
//! The last few mistakes of a network cost more to train away than to write down. Errata are a list
//! of positions and their right answers. They count as bytes of the network like its weights, and
//! whoever reports such a network says how many there are.

use std::collections::BTreeMap;

use crate::LearnError;

/// Right answers by number of the position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Errata(BTreeMap<u32, u8>);

impl Errata {
    /// Writes an answer down.
    pub fn insert(&mut self, number: u32, answer: u8) {
        self.0.insert(number, answer);
    }

    /// All of them in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.0.iter().map(|(&number, &answer)| (number, answer))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As bytes: for each, the way from the number before in groups of seven bits, the lowest first
    /// and all but the last with their highest bit set, and the answer in a byte.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut before = 0;
        for (number, answer) in self.iter() {
            let mut way = number - before;
            while way >= 0x80 {
                bytes.push(way as u8 | 0x80);
                way >>= 7;
            }
            bytes.extend([way as u8, answer]);
            before = number;
        }
        bytes
    }

    /// Reads what [`Errata::to_bytes`] wrote.
    ///
    /// # Errors
    /// When the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Errata, LearnError> {
        let mut errata = Errata::default();
        let mut number = 0u32;
        let mut rest = bytes.iter();
        while !rest.as_slice().is_empty() {
            let mut way = 0u32;
            for shift in [0, 7, 14, 21, 28] {
                let &byte = rest.next().ok_or(LearnError::Weights)?;
                way |= u32::from(byte & 0x7F) << shift;
                if byte < 0x80 {
                    break;
                }
            }
            number = number.checked_add(way).ok_or(LearnError::Weights)?;
            let &answer = rest.next().ok_or(LearnError::Weights)?;
            errata.insert(number, answer);
        }
        Ok(errata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errata_survive_as_bytes() {
        let mut errata = Errata::default();
        for (number, answer) in [(0, 3), (5, 34), (300, 0), (1_951_950, 7), (u32::MAX, 1)] {
            errata.insert(number, answer);
        }
        let bytes = errata.to_bytes();
        assert_eq!(bytes.len(), 2 + 2 + 3 + 4 + 6);
        assert_eq!(Errata::from_bytes(&bytes).unwrap(), errata);
        assert!(Errata::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Errata::from_bytes(&[0xFF; 12]).is_err());
        assert!(Errata::from_bytes(&[]).unwrap().is_empty());
    }
}
