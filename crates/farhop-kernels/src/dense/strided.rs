//! Products of small matrices that lie with steps in larger arrays, on the calling thread.

use gemm::Parallelism;

/// What is multiplied: f32, or f64 where roundings would show.
pub(crate) trait Element: Copy + 'static {
    const ZERO: Self;
    const ONE: Self;
}

impl Element for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
}

impl Element for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
}

/// A matrix in memory: element (r, c) is at `start + r * row_step + c * column_step`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a, T = f32> {
    pub data: &'a [T],
    pub start: usize,
    pub row_step: usize,
    pub column_step: usize,
}

impl<'a, T> Matrix<'a, T> {
    /// Rows `row_step` apart, columns side by side.
    pub fn rows(data: &'a [T], start: usize, row_step: usize) -> Self {
        Matrix { data, start, row_step, column_step: 1 }
    }

    /// The same numbers with rows and columns exchanged.
    pub fn transposed(self) -> Self {
        Matrix { row_step: self.column_step, column_step: self.row_step, ..self }
    }
}

/// Where a product is written: element (r, c) at `start + r * row_step + c`.
pub(crate) struct Target<'a, T = f32> {
    pub data: &'a mut [T],
    pub start: usize,
    pub row_step: usize,
}

/// Whether all of so many rows and columns lie within a slice. Sizes whose product wraps around do not.
fn holds(len: usize, start: usize, row_step: usize, column_step: usize, rows: usize, columns: usize) -> bool {
    let last = |count: usize, step: usize| (count - 1).checked_mul(step);
    rows == 0
        || columns == 0
        || last(rows, row_step)
            .zip(last(columns, column_step))
            .and_then(|(down, right)| down.checked_add(right)?.checked_add(start))
            .is_some_and(|last| last < len)
}

/// `out = factor left right`, or `out += factor left right` if `add`: `[m, k] x [k, n]` with `size` = `[m, k, n]`.
pub(crate) fn multiply<T: Element>(
    size: [usize; 3],
    left: Matrix<T>,
    right: Matrix<T>,
    factor: T,
    add: bool,
    out: Target<T>,
) {
    let [m, k, n] = size;
    let inside = |matrix: Matrix<T>, rows: usize, columns: usize| {
        holds(matrix.data.len(), matrix.start, matrix.row_step, matrix.column_step, rows, columns)
    };
    let written = holds(out.data.len(), out.start, out.row_step, 1, m, n) && (m < 2 || out.row_step >= n);
    assert!(inside(left, m, k) && inside(right, k, n) && written, "matrix product outside of its slices");
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        if !add {
            (0..m).for_each(|r| out.data[out.start + r * out.row_step..][..n].fill(T::ZERO));
        }
        return;
    }
    // SAFETY: the assertion above bounds every index that the three matrices reach (none of them is empty here); `out`
    // is exclusive, and its rows do not overlap.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.data.as_mut_ptr().add(out.start),
            1,
            out.row_step as isize,
            add,
            left.data.as_ptr().add(left.start),
            left.column_step as isize,
            left.row_step as isize,
            right.data.as_ptr().add(right.start),
            right.column_step as isize,
            right.row_step as isize,
            T::ONE,
            factor,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_inside_larger_arrays() {
        let array: Vec<f32> = (0..40).map(|v| v as f32).collect();
        // Columns 1..4 of rows of 5 and columns 2..4 of rows of 4.
        let left = Matrix::rows(&array, 1, 5);
        let right = Matrix::rows(&array, 2, 4);
        let mut out = vec![1.0; 12];
        multiply([2, 3, 2], left, right, 0.5, true, Target { data: &mut out, start: 1, row_step: 6 });
        let entry = |r: usize, c: usize| {
            1.0 + 0.5 * (0..3).map(|k| (1 + r * 5 + k) as f32 * (2 + k * 4 + c) as f32).sum::<f32>()
        };
        let mut expected = vec![1.0; 12];
        for (at, r, c) in [(1, 0, 0), (2, 0, 1), (7, 1, 0), (8, 1, 1)] {
            expected[at] = entry(r, c);
        }
        assert_eq!(out, expected);
        let turned = Matrix::rows(&array, 1, 3).transposed();
        multiply([3, 2, 1], turned, right, 1.0, false, Target { data: &mut out, start: 0, row_step: 1 });
        assert_eq!(out[..3], [1.0 * 2.0 + 4.0 * 6.0, 2.0 * 2.0 + 5.0 * 6.0, 3.0 * 2.0 + 6.0 * 6.0]);
    }

    #[test]
    #[should_panic(expected = "outside of its slices")]
    fn a_matrix_that_does_not_fit_is_refused() {
        let array = [0.0; 10];
        let mut out = [0.0; 4];
        let target = Target { data: &mut out, start: 0, row_step: 2 };
        multiply([2, 2, 2], Matrix::rows(&array, 8, 2), Matrix::rows(&array, 0, 2), 1.0, false, target);
    }
}
