//! Products of matrices, fast enough for small networks and the same on every machine.
//!
//! Sums are built up in one fixed order, four rows by sixteen columns at a time, and nothing depends on
//! how many threads there are or how wide the machine's registers are.

/// A matrix that somebody else owns.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    numbers: &'a [f32],
    /// From a row to the next, and from a column to the next.
    steps: (usize, usize),
    rows: usize,
    columns: usize,
}

/// Rows and columns of the product that are made at a time: their sums fit into registers.
const ROWS: usize = 4;
const COLUMNS: usize = 16;

impl<'a> Matrix<'a> {
    /// Rows of `columns` numbers each.
    pub fn new(numbers: &'a [f32], columns: usize) -> Matrix<'a> {
        Matrix {
            numbers,
            steps: (columns, 1),
            rows: numbers.len() / columns,
            columns,
        }
    }

    /// The same with rows and columns exchanged.
    pub fn transposed(self) -> Matrix<'a> {
        let (row, column) = self.steps;
        Matrix {
            steps: (column, row),
            rows: self.columns,
            columns: self.rows,
            ..self
        }
    }

    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> f32 {
        self.numbers[row * self.steps.0 + column * self.steps.1]
    }

    /// `N` rows from `first` on, column by column; zeros where there are no more rows.
    #[inline(always)]
    fn strip<const N: usize>(&self, first: usize, strip: &mut Vec<[f32; N]>) {
        strip.clear();
        strip.extend((0..self.columns).map(|column| {
            std::array::from_fn(|i| match first + i < self.rows {
                true => self.at(first + i, column),
                false => 0.0,
            })
        }));
    }
}

/// Adds a product to `out`, row by row.
///
/// # Panics
/// When the matrices do not fit each other, or the product's rows are no multiple of sixteen long.
pub(super) fn add_product(a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has what the function needs.
        return unsafe { add_product_avx2(a, b, out) };
    }
    add_product_anywhere(a, b, out);
}

/// The same sums in wider registers. Without fused operations, whose results differ in the last bit.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_product_avx2(a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32]) {
    add_product_anywhere(a, b, out);
}

#[inline(always)] // so that it is compiled anew for wider registers
fn add_product_anywhere(a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32]) {
    assert!(a.columns == b.rows && b.columns.is_multiple_of(COLUMNS));
    assert_eq!(out.len(), a.rows * b.columns);
    let b = b.transposed();
    let panels: Vec<Vec<[f32; COLUMNS]>> = (0..b.rows)
        .step_by(COLUMNS)
        .map(|first| {
            let mut panel = Vec::with_capacity(b.columns);
            b.strip(first, &mut panel);
            panel
        })
        .collect();
    let mut strip: Vec<[f32; ROWS]> = Vec::with_capacity(a.columns);
    for (i, out) in out.chunks_mut(ROWS * b.rows).enumerate() {
        a.strip(i * ROWS, &mut strip);
        for (panel, first) in panels.iter().zip((0..).step_by(COLUMNS)) {
            let sums = block(&strip, panel);
            for (out, sums) in out.chunks_exact_mut(b.rows).zip(sums) {
                for (out, sum) in out[first..first + COLUMNS].iter_mut().zip(sums) {
                    *out += sum;
                }
            }
        }
    }
}

/// The sums of one block. Row by row by name: of a loop over rows the compiler keeps the sums in memory, one number at
/// a time, which takes ten times as long.
#[inline(always)]
fn block(strip: &[[f32; ROWS]], panel: &[[f32; COLUMNS]]) -> [[f32; COLUMNS]; ROWS] {
    let [mut a, mut b, mut c, mut d] = [[0_f32; COLUMNS]; ROWS];
    for (left, right) in strip.iter().zip(panel) {
        for i in 0..COLUMNS {
            a[i] += left[0] * right[i];
            b[i] += left[1] * right[i];
            c[i] += left[2] * right[i];
            d[i] += left[3] * right[i];
        }
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_textbook() {
        // Whole numbers, so that sums are exact in any order.
        let numbers = |count: usize, step: usize| -> Vec<f32> {
            (0..count).map(|i| (i * step % 7) as f32 - 3.0).collect()
        };
        for (rows, inner, columns) in [(1, 3, 16), (4, 1, 32), (7, 5, 48), (9, 32, 16)] {
            let (a, b) = (numbers(rows * inner, 5), numbers(inner * columns, 3));
            let mut expected = vec![1.0; rows * columns];
            for (i, sum) in expected.iter_mut().enumerate() {
                let (row, column) = (i / columns, i % columns);
                *sum += (0..inner)
                    .map(|k| a[row * inner + k] * b[k * columns + column])
                    .sum::<f32>();
            }
            let product = |a: Matrix<'_>, b: Matrix<'_>| {
                let mut out = vec![1.0; rows * columns];
                add_product(a, b, &mut out);
                out
            };
            let (left, right) = (Matrix::new(&a, inner), Matrix::new(&b, columns));
            assert_eq!(product(left, right), expected);
            let mut narrow = vec![1.0; rows * columns];
            add_product_anywhere(left, right, &mut narrow);
            assert_eq!(narrow, expected);
            let turned = |numbers: &[f32], columns: usize| -> Vec<f32> {
                let rows = numbers.len() / columns;
                let at = |i: usize| numbers[(i % rows) * columns + i / rows];
                (0..numbers.len()).map(at).collect()
            };
            let (a, b) = (turned(&a, inner), turned(&b, columns));
            let (a, b) = (Matrix::new(&a, rows), Matrix::new(&b, inner));
            assert_eq!(product(a.transposed(), b.transposed()), expected);
        }
    }
}
