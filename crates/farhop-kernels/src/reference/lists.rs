//! Lists of arrays taken together, number by number.

use super::real::{Real, softmax, sum};

/// The softmax of every row.
pub fn row_softmax<T: Real>(x: &[T], width: usize) -> Vec<T> {
    x.chunks_exact(width).flat_map(softmax).collect()
}

/// `y_i = sum over l of w_il x^l_i`; weights `[N, L]` or `[1, L]`.
pub fn mix<T: Real>(weights: &[T], x: &[Vec<T>], width: usize) -> Vec<T> {
    let place = |at: usize, l: usize| if weights.len() == x.len() { l } else { at / width * x.len() + l };
    (0..x[0].len()).map(|at| sum(x.iter().enumerate().map(|(l, x)| weights[place(at, l)] * x[at]))).collect()
}

/// The largest value, element by element; the first one of equals.
pub fn maximum<T: Real>(x: &[Vec<T>]) -> Vec<T> {
    let larger = |a: T, b: T| if b.value() > a.value() { b } else { a };
    (0..x[0].len()).map(|at| x[1..].iter().fold(x[0][at], |most, x| larger(most, x[at]))).collect()
}
