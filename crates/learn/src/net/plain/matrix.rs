//! Products of matrices and rows: the arithmetic that takes the time.
//!
//! Matrices are rows one after another. Every product is worked out by one thread in a fixed order,
//! so that the same numbers come out whoever works beside it.

/// Adds the product of `a` (`m` rows of `k`) and `b` (`k` rows of `n`) to `out` (`m` rows of `n`).
pub(crate) fn add_product(out: &mut [f32], a: &[f32], b: &[f32], k: usize, n: usize) {
    let m = a.len() / k;
    gemm(out, [m, n, k], true, (a, k, 1), (b, n, 1));
}

/// Puts the product of `a` turned (it has rows of `k`) and `b` (as many rows of `n`) into `out` (`k`
/// rows of `n`).
pub(crate) fn product_turned_left(out: &mut [f32], a: &[f32], b: &[f32], k: usize, n: usize) {
    let m = a.len() / k;
    gemm(out, [k, n, m], false, (a, 1, k), (b, n, 1));
}

/// Puts the product of `a` (`m` rows of `n`) and `b` turned (it has `k` rows of `n`) into `out` (`m`
/// rows of `k`).
pub(crate) fn product_turned_right(out: &mut [f32], a: &[f32], b: &[f32], k: usize, n: usize) {
    let m = a.len() / n;
    gemm(out, [m, k, n], false, (a, n, 1), (b, 1, n));
}

/// `out` (`m` rows of `n`), kept or not, plus a product over `k`; of each factor it is told how far
/// apart its rows and its columns are.
fn gemm(
    out: &mut [f32],
    [m, n, k]: [usize; 3],
    keep: bool,
    (a, a_row, a_column): (&[f32], usize, usize),
    (b, b_row, b_column): (&[f32], usize, usize),
) {
    assert!(out.len() == m * n && a.len() == m * k && b.len() == k * n);
    // SAFETY: each factor has exactly as many numbers as its form says, and the two distances are the
    // length of a row and one, in either order, so no place lies outside; `out` is borrowed alone.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            keep,
            a.as_ptr(),
            a_column as isize,
            a_row as isize,
            b.as_ptr(),
            b_column as isize,
            b_row as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// Makes of a loop over rows three: one for every processor, and two for those that add eight or sixteen
/// numbers at once. All do the same in the same order, so that the same numbers come out.
macro_rules! wide {
    ($(#[$about:meta])* $seen:vis fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)? $body:block) => {
        $(#[$about])*
        $seen fn $name($($arg: $type),*) $(-> $result)? {
            #[inline(always)]
            fn plain($($arg: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512f") {
                #[target_feature(enable = "avx512f")]
                fn sixteen($($arg: $type),*) $(-> $result)? {
                    plain($($arg),*)
                }
                // SAFETY: the processor has just said that it can.
                return unsafe { sixteen($($arg),*) };
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "avx2")]
                fn eight($($arg: $type),*) $(-> $result)? {
                    plain($($arg),*)
                }
                // SAFETY: the processor has just said that it can.
                return unsafe { eight($($arg),*) };
            }
            plain($($arg),*)
        }
    };
}
pub(crate) use wide;

/// Sums that are kept side by side, so that a processor can add several numbers at once; their order
/// is part of the result.
const LANES: usize = 16;

wide! {
    /// The sum of the products of two rows.
    pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
        let (a, a_rest) = a.as_chunks::<LANES>();
        let (b, b_rest) = b.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (a, b) in a.iter().zip(b) {
            for lane in 0..LANES {
                sums[lane] += a[lane] * b[lane];
            }
        }
        let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
        sums.iter().sum::<f32>() + rest
    }
}

wide! {
    /// Adds `factor` times a row to another.
    pub(crate) fn add_scaled(out: &mut [f32], factor: f32, row: &[f32]) {
        for (out, number) in out.iter_mut().zip(row) {
            *out += factor * number;
        }
    }
}

wide! {
    /// Puts the hyperbolic tangent of every number in its place.
    pub(crate) fn tanh_all(numbers: &mut [f32]) {
        for number in numbers {
            *number = tanh(*number);
        }
    }
}

/// The hyperbolic tangent, to about 10⁻⁷, in a form that works on several numbers at once.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    // Beyond nine it is one to the last digit.
    let x = x.clamp(-9.0, 9.0);
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// The exponential function between −80 and 80: a power of two, which only sets the exponent of a
/// number, times the first terms of the series near zero.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this leaves no bits for a fraction, so that taking it away again leaves a whole number.
    const WHOLE: f32 = 12_582_912.0;
    let turns = x * std::f32::consts::LOG2_E;
    let whole = (turns + WHOLE) - WHOLE;
    let y = (turns - whole) * std::f32::consts::LN_2;
    let series = 1.0
        + y * (1.0
            + y * (0.5
                + y * (1.0 / 6.0 + y * (1.0 / 24.0 + y * (1.0 / 120.0 + y * (1.0 / 720.0))))));
    series * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, columns: usize, seed: u32) -> Vec<f32> {
        let draw = |i: u32| ((i.wrapping_mul(2_654_435_761).wrapping_add(seed)) >> 16) as f32;
        (0..rows * columns)
            .map(|i| draw(i as u32) / 65_536.0 - 0.5)
            .collect()
    }

    #[test]
    fn products_are_what_they_should_be() {
        let (m, k, n) = (7, 5, 33);
        let (a, b) = (matrix(m, k, 1), matrix(k, n, 2));
        let mut sum = vec![1.0; m * n];
        add_product(&mut sum, &a, &b, k, n);
        for i in 0..m {
            for j in 0..n {
                let right: f32 = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
                assert!((sum[i * n + j] - 1.0 - right).abs() < 1e-5);
            }
        }
        let c = matrix(m, n, 3);
        let mut left = vec![9.0; k * n];
        product_turned_left(&mut left, &a, &c, k, n);
        let mut right = vec![9.0; m * k];
        product_turned_right(&mut right, &c, &b, k, n);
        for l in 0..k {
            for j in 0..n {
                let sum: f32 = (0..m).map(|i| a[i * k + l] * c[i * n + j]).sum();
                assert!((left[l * n + j] - sum).abs() < 1e-5);
            }
            for i in 0..m {
                let sum: f32 = (0..n).map(|j| c[i * n + j] * b[l * n + j]).sum();
                assert!((right[i * k + l] - sum).abs() < 1e-5);
            }
        }
        let row: f32 = a.iter().map(|x| x * x).sum();
        assert!((dot(&a, &a) - row).abs() < 1e-5);
    }

    #[test]
    fn the_tangent_is_the_tangent() {
        for i in -2_000..=2_000 {
            let x = i as f32 / 100.0;
            assert!((tanh(x) - x.tanh()).abs() < 3e-7, "{x}");
        }
    }
}
