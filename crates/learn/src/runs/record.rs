//! Numbers and tables as bytes, little end first.

use crate::LearnError;

/// Collects a record.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

/// Reads a record back in the order it was written.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl Writer {
    /// What has been written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes a number.
    pub fn u64(&mut self, value: u64) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// Writes a fraction, to the last bit.
    pub fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    /// Writes bytes and their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    /// Writes 32-bit numbers and how many there are.
    pub fn u32s(&mut self, values: impl ExactSizeIterator<Item = u32>) {
        self.u64(values.len() as u64);
        self.bytes.reserve(4 * values.len());
        values.for_each(|value| self.bytes.extend(value.to_le_bytes()));
    }

    /// Writes weights, to the last bit, and how many bytes they take.
    pub fn weights(&mut self, weights: &[f32]) {
        self.u64(4 * weights.len() as u64);
        self.bytes.reserve(4 * weights.len());
        weights
            .iter()
            .for_each(|weight| self.bytes.extend(weight.to_le_bytes()));
    }
}

impl<'a> Reader<'a> {
    /// Reads what a [`Writer`] wrote.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], LearnError> {
        let (head, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(LearnError::Record)?;
        self.rest = rest;
        Ok(head)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// When the record is too short, as with everything else here.
    pub fn u64(&mut self) -> Result<u64, LearnError> {
        let bytes = self.take(8)?.try_into().map_err(|_| LearnError::Record)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a fraction.
    ///
    /// # Errors
    /// When the record is too short.
    pub fn f64(&mut self) -> Result<f64, LearnError> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// When the record is too short.
    pub fn bytes(&mut self) -> Result<&'a [u8], LearnError> {
        let count = self.u64()?;
        self.take(usize::try_from(count).map_err(|_| LearnError::Record)?)
    }

    /// Reads 32-bit numbers.
    ///
    /// # Errors
    /// When the record is too short.
    pub fn u32s(&mut self) -> Result<impl Iterator<Item = u32> + use<'a>, LearnError> {
        let count = usize::try_from(self.u64()?).map_err(|_| LearnError::Record)?;
        let bytes = self.take(count.checked_mul(4).ok_or(LearnError::Record)?)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Ok(numbers.iter().map(|&number| u32::from_le_bytes(number)))
    }

    /// Reads weights, as many as there have to be.
    ///
    /// # Errors
    /// When the record is too short or holds another number of them.
    pub fn weights(&mut self, count: usize) -> Result<Vec<f32>, LearnError> {
        let (weights, rest) = self.bytes()?.as_chunks::<4>();
        if weights.len() != count || !rest.is_empty() {
            return Err(LearnError::Record);
        }
        Ok(weights.iter().map(|&w| f32::from_le_bytes(w)).collect())
    }

    /// Is everything read?
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
