//! Convolutions over the squares of one board: nearly all the arithmetic of a tower.
//!
//! A convolution is worked out for a rank of eight squares and thirty-two numbers at a time, whose sums
//! stay in registers while all inputs pass by. Weights are packed for that once, at loading. Boards have a
//! border of zeros, so that squares at the edge need no care.

/// Numbers that are worked out at a time.
const LANES: usize = 32;

/// Squares of a board with its border, and of a rank of it.
const SQUARES: usize = 100;
const RANK: usize = 10;

/// Numbers for every square of a board, with a border of zeros.
#[derive(Clone, Debug)]
pub(in crate::net) struct Map {
    numbers: Vec<f32>,
    /// Numbers for each square.
    width: usize,
}

impl Map {
    /// Zeros, at least so many for each square.
    pub fn new(width: usize) -> Map {
        let width = width.next_multiple_of(LANES);
        Map {
            numbers: vec![0.0; SQUARES * width],
            width,
        }
    }

    /// The numbers of a square.
    pub fn square(&self, square: usize) -> &[f32] {
        &self.numbers[self.place(square)..][..self.width]
    }

    /// The same, to be changed.
    pub fn square_mut(&mut self, square: usize) -> &mut [f32] {
        let place = self.place(square);
        &mut self.numbers[place..][..self.width]
    }

    fn place(&self, square: usize) -> usize {
        ((square / 8 + 1) * RANK + square % 8 + 1) * self.width
    }
}

/// A convolution of 3×3, or one that sees each square by itself.
#[derive(Clone, Debug)]
pub(in crate::net) struct Convolution {
    inputs: usize,
    /// How far the squares lie that it sees, counted in squares of a board with its border.
    offsets: &'static [isize],
    /// Thirty-two outputs after the other: for every square seen and every input, a weight for each.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Convolution {
    /// From weights of `outputs` × `inputs` × 9 (files fastest) or × 1, each output with a bias.
    pub fn new(weights: &[f32], bias: &[f32], inputs: usize) -> Convolution {
        const AROUND: &[isize] = &[-11, -10, -9, -1, 0, 1, 9, 10, 11];
        const HERE: &[isize] = &[0];
        let outputs = bias.len();
        let taps = weights.len() / (outputs * inputs);
        let offsets = if taps == 9 { AROUND } else { HERE };
        let padded = outputs.next_multiple_of(LANES);
        let mut packed = Vec::with_capacity(padded * inputs * taps);
        for first in (0..padded).step_by(LANES) {
            for tap in 0..taps {
                for input in 0..inputs {
                    packed.extend((first..first + LANES).map(|output| match output < outputs {
                        true => weights[(output * inputs + input) * taps + tap],
                        false => 0.0,
                    }));
                }
            }
        }
        let mut bias = bias.to_vec();
        bias.resize(padded, 0.0);
        Convolution {
            inputs,
            offsets,
            weights: packed,
            bias,
        }
    }

    /// Works it out for every square, without what is negative if `cut`.
    ///
    /// # Panics
    /// When a map is too narrow.
    pub fn apply(&self, from: &Map, to: &mut Map, cut: bool) {
        assert!(from.width >= self.inputs && to.width == self.bias.len());
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has just said that it can.
                return unsafe { self.apply_512(from, to, cut) };
            }
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
            {
                // SAFETY: as above.
                return unsafe { self.apply_256(from, to, cut) };
            }
        }
        self.apply_anywhere::<4>(from, to, cut);
    }

    /// The weights of thirty-two outputs from `first` on.
    fn block(&self, first: usize) -> &[f32] {
        let each = self.offsets.len() * self.inputs;
        &self.weights[first * each..][..LANES * each]
    }

    /// Where the squares seen from a square are, one for each offset.
    fn seen(&self, from: &Map, square: usize, offset: isize) -> usize {
        (from.place(square) as isize + offset * from.width as isize) as usize
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn apply_512(&self, from: &Map, to: &mut Map, cut: bool) {
        use std::arch::x86_64::{
            _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_max_ps, _mm512_set1_ps, _mm512_setzero_ps,
            _mm512_storeu_ps,
        };
        let width = from.width;
        for first in (0..self.bias.len()).step_by(LANES) {
            let block = self.block(first);
            let bias = &self.bias[first..][..LANES];
            for rank in 0..8 {
                // SAFETY: thirty-two numbers.
                let bias = unsafe {
                    [
                        _mm512_loadu_ps(bias.as_ptr()),
                        _mm512_loadu_ps(bias[16..].as_ptr()),
                    ]
                };
                let mut sums = [bias; 8];
                let taps = block.chunks_exact(LANES * self.inputs);
                for (&offset, weights) in self.offsets.iter().zip(taps) {
                    let seen = self.seen(from, 8 * rank, offset);
                    let row = &from.numbers[seen..][..7 * width + self.inputs];
                    for (input, weights) in weights.chunks_exact(LANES).enumerate() {
                        // SAFETY: thirty-two numbers; and the last number of `row` that is read is
                        // that of the last input of its eighth square.
                        unsafe {
                            let left = _mm512_loadu_ps(weights.as_ptr());
                            let right = _mm512_loadu_ps(weights.as_ptr().add(16));
                            for (square, sum) in sums.iter_mut().enumerate() {
                                let x = _mm512_set1_ps(*row.get_unchecked(square * width + input));
                                sum[0] = _mm512_fmadd_ps(x, left, sum[0]);
                                sum[1] = _mm512_fmadd_ps(x, right, sum[1]);
                            }
                        }
                    }
                }
                for (file, sum) in sums.iter().enumerate() {
                    let out = &mut to.square_mut(8 * rank + file)[first..][..LANES];
                    for (half, out) in out.chunks_exact_mut(16).enumerate() {
                        let sum = match cut {
                            true => _mm512_max_ps(sum[half], _mm512_setzero_ps()),
                            false => sum[half],
                        };
                        // SAFETY: sixteen numbers.
                        unsafe { _mm512_storeu_ps(out.as_mut_ptr(), sum) };
                    }
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn apply_256(&self, from: &Map, to: &mut Map, cut: bool) {
        use std::arch::x86_64::{
            _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps, _mm256_set1_ps, _mm256_setzero_ps,
            _mm256_storeu_ps,
        };
        const PART: usize = 16;
        let width = from.width;
        for first in (0..self.bias.len()).step_by(PART) {
            let block = self.block(first / LANES * LANES);
            let skip = first % LANES;
            let bias = &self.bias[first..][..PART];
            for part in 0..16 {
                // SAFETY: sixteen numbers.
                let bias = unsafe {
                    [
                        _mm256_loadu_ps(bias.as_ptr()),
                        _mm256_loadu_ps(bias[8..].as_ptr()),
                    ]
                };
                let mut sums = [bias; 4];
                let taps = block.chunks_exact(LANES * self.inputs);
                for (&offset, weights) in self.offsets.iter().zip(taps) {
                    let seen = self.seen(from, 4 * part, offset);
                    let row = &from.numbers[seen..][..3 * width + self.inputs];
                    for (input, weights) in weights.chunks_exact(LANES).enumerate() {
                        let weights = &weights[skip..][..PART];
                        // SAFETY: sixteen numbers; and the last number of `row` that is read is that
                        // of the last input of its fourth square.
                        unsafe {
                            let left = _mm256_loadu_ps(weights.as_ptr());
                            let right = _mm256_loadu_ps(weights.as_ptr().add(8));
                            for (square, sum) in sums.iter_mut().enumerate() {
                                let x = _mm256_set1_ps(*row.get_unchecked(square * width + input));
                                sum[0] = _mm256_fmadd_ps(x, left, sum[0]);
                                sum[1] = _mm256_fmadd_ps(x, right, sum[1]);
                            }
                        }
                    }
                }
                for (square, sum) in sums.iter().enumerate() {
                    let out = &mut to.square_mut(4 * part + square)[first..][..PART];
                    for (half, out) in out.chunks_exact_mut(8).enumerate() {
                        let sum = match cut {
                            true => _mm256_max_ps(sum[half], _mm256_setzero_ps()),
                            false => sum[half],
                        };
                        // SAFETY: eight numbers.
                        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), sum) };
                    }
                }
            }
        }
    }

    /// The same on any processor, so many squares of a rank at a time.
    fn apply_anywhere<const N: usize>(&self, from: &Map, to: &mut Map, cut: bool) {
        for first in (0..self.bias.len()).step_by(LANES) {
            let block = self.block(first);
            for part in 0..64 / N {
                let mut sums = [[0.0_f32; LANES]; N];
                for sum in &mut sums {
                    sum.copy_from_slice(&self.bias[first..][..LANES]);
                }
                let taps = block.chunks_exact(LANES * self.inputs);
                for (&offset, weights) in self.offsets.iter().zip(taps) {
                    let seen = self.seen(from, N * part, offset);
                    for (input, weights) in weights.chunks_exact(LANES).enumerate() {
                        for (square, sum) in sums.iter_mut().enumerate() {
                            let x = from.numbers[seen + square * from.width + input];
                            for (sum, weight) in sum.iter_mut().zip(weights) {
                                *sum += x * weight;
                            }
                        }
                    }
                }
                for (square, sum) in sums.iter().enumerate() {
                    let out = &mut to.square_mut(N * part + square)[first..][..LANES];
                    for (out, sum) in out.iter_mut().zip(sum) {
                        *out = if cut { sum.max(0.0) } else { *sum };
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Dice;
    use rand::RngExt as _;

    /// A convolution as it is written in books.
    fn plainly(weights: &[f32], bias: &[f32], from: &[Vec<f32>], taps: usize) -> Vec<Vec<f32>> {
        let inputs = from[0].len();
        let at = |rank: i32, file: i32, input: usize| match (rank, file) {
            (0..8, 0..8) => f64::from(from[(8 * rank + file) as usize][input]),
            _ => 0.0,
        };
        let of = |square: i32, output: usize| {
            let mut sum = f64::from(bias[output]);
            for input in 0..inputs {
                for tap in 0..taps as i32 {
                    let (up, right) = if taps == 9 {
                        (tap / 3 - 1, tap % 3 - 1)
                    } else {
                        (0, 0)
                    };
                    let weight = weights[(output * inputs + input) * taps + tap as usize];
                    sum += f64::from(weight) * at(square / 8 + up, square % 8 + right, input);
                }
            }
            sum as f32
        };
        let outputs = 0..bias.len();
        (0..64)
            .map(|square| outputs.clone().map(|output| of(square, output)).collect())
            .collect()
    }

    #[test]
    fn every_way_to_work_it_out_gives_what_books_say() {
        let mut dice = Dice::new(1);
        for (inputs, outputs, taps) in [(40, 64, 9), (7, 5, 9), (64, 128, 1), (33, 40, 9)] {
            let mut draw = |count: usize| -> Vec<f32> {
                (0..count).map(|_| dice.random_range(-1.0..1.0)).collect()
            };
            let weights = draw(outputs * inputs * taps);
            let bias = draw(outputs);
            let squares: Vec<Vec<f32>> = (0..64).map(|_| draw(inputs)).collect();
            let expected = plainly(&weights, &bias, &squares, taps);
            let convolution = Convolution::new(&weights, &bias, inputs);
            let mut from = Map::new(inputs);
            for (square, numbers) in squares.iter().enumerate() {
                from.square_mut(square)[..inputs].copy_from_slice(numbers);
            }
            for cut in [false, true] {
                let check = |how: &str, to: &Map| {
                    for (square, expected) in expected.iter().enumerate() {
                        let found = to.square(square);
                        for (found, expected) in found.iter().zip(expected) {
                            let expected = if cut { expected.max(0.0) } else { *expected };
                            assert!((found - expected).abs() < 1e-4, "{how}: {found} {expected}");
                        }
                        assert!(found[outputs..].iter().all(|&rest| rest == 0.0));
                    }
                };
                let mut to = Map::new(outputs);
                convolution.apply(&from, &mut to, cut);
                check("by this processor", &to);
                let mut to = Map::new(outputs);
                convolution.apply_anywhere::<4>(&from, &mut to, cut);
                check("anywhere", &to);
                #[cfg(target_arch = "x86_64")]
                if std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
                {
                    let mut to = Map::new(outputs);
                    // SAFETY: the processor has just said that it can.
                    unsafe { convolution.apply_256(&from, &mut to, cut) };
                    check("eight at a time", &to);
                }
            }
        }
    }
}
