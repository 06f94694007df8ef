//! All eigenvalues, and the eigenvectors wanted, of a small symmetric matrix.
//!
//! Householder reflections make the matrix tridiagonal, implicit QL steps make it diagonal (Golub and Van Loan,
//! Matrix Computations, chapter 8).

/// QL steps per eigenvalue after which an off-diagonal is taken as it is. Two or three are usual.
const MOST_STEPS: usize = 60;

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix.
pub(super) struct Eigen {
    pub(super) values: Vec<f64>,
    /// One row per eigenvector wanted, in the order of the values.
    pub(super) vectors: Vec<Vec<f64>>,
}

/// Eigenvalues of the symmetric `matrix` (`[size, size]`, only the lower triangle is read) and the eigenvectors of
/// the `wanted` smallest ones.
pub(super) fn symmetric_eigen(size: usize, mut matrix: Vec<f64>, wanted: usize) -> Eigen {
    if size == 0 {
        return Eigen { values: Vec::new(), vectors: Vec::new() };
    }
    let reflections = tridiagonalise(size, &mut matrix);
    let mut diagonal: Vec<f64> = (0..size).map(|row| matrix[row * size + row]).collect();
    let mut beside = reflections.beside.clone();
    // Row r of `turned` is eigenvector r of the tridiagonal matrix in the making.
    let mut turned = vec![0f64; size * size];
    for row in 0..size {
        turned[row * size + row] = 1.0;
    }
    diagonalise(size, &mut diagonal, &mut beside, &mut turned);
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| diagonal[a].total_cmp(&diagonal[b]).then(a.cmp(&b)));
    let vectors = order.iter().take(wanted).map(|&row| {
        let mut vector = turned[row * size..(row + 1) * size].to_vec();
        reflections.undo(size, &matrix, &mut vector);
        vector
    });
    Eigen { vectors: vectors.collect(), values: order.iter().map(|&row| diagonal[row]).collect() }
}

/// Reflection `r` is `1 - scale_r v v^T`, where `v` fills the first `r` places of row `r` of the matrix.
struct Reflections {
    scales: Vec<f64>,
    /// `beside[r]` stands at `(r, r - 1)` of the tridiagonal matrix.
    beside: Vec<f64>,
}

impl Reflections {
    /// From an eigenvector of the tridiagonal matrix to one of the matrix.
    fn undo(&self, size: usize, matrix: &[f64], vector: &mut [f64]) {
        for row in 1..size {
            if self.scales[row] == 0.0 {
                continue;
            }
            let reflection = &matrix[row * size..row * size + row];
            let product = self.scales[row] * dot(reflection, &vector[..row]);
            add_scaled(&mut vector[..row], -product, reflection);
        }
    }
}

fn tridiagonalise(size: usize, matrix: &mut [f64]) -> Reflections {
    let mut scales = vec![0f64; size];
    let mut beside = vec![0f64; size];
    let mut product = vec![0f64; size];
    for row in (1..size).rev() {
        let (above, below) = matrix.split_at_mut(row * size);
        let vector = &mut below[..row];
        let rest: f64 = vector[..row - 1].iter().map(|value| value * value).sum();
        let last = vector[row - 1];
        if rest == 0.0 {
            beside[row] = last;
            continue;
        }
        let length = (rest + last * last).sqrt();
        // The sign that does not cancel.
        beside[row] = if last > 0.0 { -length } else { length };
        vector[row - 1] = last - beside[row];
        let scale = 2.0 / (rest + vector[row - 1] * vector[row - 1]);
        scales[row] = scale;
        let product = &mut product[..row];
        multiply_lower(size, above, vector, product);
        product.iter_mut().for_each(|value| *value *= scale);
        let share = 0.5 * scale * dot(product, vector);
        add_scaled(product, -share, vector);
        for (at, (&left, &right)) in vector.iter().zip(product.iter()).enumerate() {
            let entries = &mut above[at * size..at * size + at + 1];
            for ((entry, other_left), other_right) in entries.iter_mut().zip(vector.iter()).zip(product.iter()) {
                *entry -= left * other_right + right * other_left;
            }
        }
    }
    Reflections { scales, beside }
}

/// `product = A vector` for the leading symmetric block of which the lower triangle is given.
fn multiply_lower(size: usize, matrix: &[f64], vector: &[f64], product: &mut [f64]) {
    product.fill(0.0);
    for row in 0..vector.len() {
        let entries = &matrix[row * size..row * size + row];
        product[row] += dot(entries, &vector[..row]) + matrix[row * size + row] * vector[row];
        add_scaled(&mut product[..row], vector[row], entries);
    }
}

/// Implicit QL with shifts; `turned` goes along. `beside` is used up.
fn diagonalise(size: usize, diagonal: &mut [f64], beside: &mut [f64], turned: &mut [f64]) {
    beside.rotate_left(1); // Now beside[r] couples r and r + 1.
    beside[size - 1] = 0.0;
    for low in 0..size {
        for _ in 0..MOST_STEPS {
            let small = |at: usize| {
                let scale = diagonal[at].abs() + diagonal[at + 1].abs();
                beside[at].abs() <= f64::EPSILON * scale || beside[at].abs() < f64::MIN_POSITIVE
            };
            let high = (low..size - 1).find(|&at| small(at)).unwrap_or(size - 1);
            if high == low {
                break;
            }
            ql_step(size, low, high, diagonal, beside, turned);
        }
    }
}

/// One QL step on the unreduced block `low..=high`.
fn ql_step(size: usize, low: usize, high: usize, diagonal: &mut [f64], beside: &mut [f64], turned: &mut [f64]) {
    let half = (diagonal[low + 1] - diagonal[low]) / (2.0 * beside[low]);
    let root = half.hypot(1.0);
    let away = if half >= 0.0 { half + root } else { half - root };
    // The eigenvalue of the upper corner next to the diagonal is the shift.
    let mut bulge = diagonal[high] - diagonal[low] + beside[low] / away;
    let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
    for at in (low..high).rev() {
        let outer = sine * beside[at];
        let inner = cosine * beside[at];
        let length = outer.hypot(bulge);
        beside[at + 1] = length;
        if length == 0.0 {
            // The block falls apart here.
            diagonal[at + 1] -= shift;
            beside[high] = 0.0;
            return;
        }
        sine = outer / length;
        cosine = bulge / length;
        let base = diagonal[at + 1] - shift;
        let turn = (diagonal[at] - base) * sine + 2.0 * cosine * inner;
        shift = sine * turn;
        diagonal[at + 1] = base + shift;
        bulge = cosine * turn - inner;
        let (upper, lower) = turned[at * size..(at + 2) * size].split_at_mut(size);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let (first, second) = (*upper, *lower);
            *lower = sine * first + cosine * second;
            *upper = cosine * first - sine * second;
        }
    }
    diagonal[low] -= shift;
    beside[low] = bulge;
    beside[high] = 0.0;
}

/// Sum of products in four interleaved sums, which the compiler turns into vector instructions.
fn dot(first: &[f64], second: &[f64]) -> f64 {
    let mut sums = [0f64; 4];
    let (first_parts, second_parts) = (first.chunks_exact(4), second.chunks_exact(4));
    let rest: f64 = first_parts.remainder().iter().zip(second_parts.remainder()).map(|(a, b)| a * b).sum();
    for (first, second) in first_parts.zip(second_parts) {
        for lane in 0..4 {
            sums[lane] += first[lane] * second[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn add_scaled(target: &mut [f64], scale: f64, source: &[f64]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target += scale * source;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn check(size: usize, matrix: &[f64]) -> Vec<f64> {
        let eigen = symmetric_eigen(size, matrix.to_vec(), size);
        assert!(eigen.values.is_sorted());
        for (a, vector) in eigen.vectors.iter().enumerate() {
            for row in 0..size {
                let product: f64 = (0..size).map(|column| matrix[row * size + column] * vector[column]).sum();
                assert!((product - eigen.values[a] * vector[row]).abs() < 1e-12 * size as f64);
            }
            for (b, other) in eigen.vectors.iter().enumerate() {
                let expected = if a == b { 1.0 } else { 0.0 };
                assert!((dot(vector, other) - expected).abs() < 1e-13 * size as f64, "{size}: {a} {b}");
            }
        }
        eigen.values
    }

    #[test]
    fn random_matrices_are_diagonalised() {
        let mut stream = Stream::new(5);
        for size in [1, 2, 3, 4, 7, 20, 61] {
            let mut matrix = vec![0f64; size * size];
            for row in 0..size {
                for column in 0..=row {
                    let value = stream.normal();
                    matrix[row * size + column] = value;
                    matrix[column * size + row] = value;
                }
            }
            check(size, &matrix);
        }
    }

    #[test]
    fn repeated_eigenvalues_and_zeros() {
        // All ones: one eigenvalue `size`, the others 0. The identity and nothing at all.
        for size in [1, 2, 5, 30] {
            let values = check(size, &vec![1.0; size * size]);
            assert!((values[size - 1] - size as f64).abs() < 1e-12 * size as f64);
            assert!(values[..size - 1].iter().all(|value| value.abs() < 1e-13 * size as f64));
            assert_eq!(check(size, &vec![0.0; size * size]), vec![0.0; size]);
            let identity: Vec<f64> = (0..size * size).map(|at| f64::from(u8::from(at % (size + 1) == 0))).collect();
            assert_eq!(check(size, &identity), vec![1.0; size]);
        }
    }
}
