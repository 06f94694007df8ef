//! Numbers that the references calculate with.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number: f32, f64 or a recorded [`super::tape::Var`].
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A constant.
    fn of(value: f64) -> Self;
    /// The number as f64.
    fn value(self) -> f64;
    /// e to the power of it.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The square root; its gradient at 0 is taken as 0.
    fn sqrt(self) -> Self;
    /// It to a constant power.
    fn pow(self, exponent: f64) -> Self;
}

macro_rules! real_float {
    ($float:ty) => {
        impl Real for $float {
            fn of(value: f64) -> Self {
                value as $float
            }
            fn value(self) -> f64 {
                f64::from(self)
            }
            fn exp(self) -> Self {
                self.exp()
            }
            fn ln(self) -> Self {
                self.ln()
            }
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn pow(self, exponent: f64) -> Self {
                self.powf(exponent as $float)
            }
        }
    };
}
real_float!(f32);
real_float!(f64);

/// Sum of numbers.
pub fn sum<T: Real>(values: impl IntoIterator<Item = T>) -> T {
    values.into_iter().fold(T::of(0.0), |a, b| a + b)
}

/// `x . y`.
pub fn dot<T: Real>(x: &[T], y: &[T]) -> T {
    sum(x.iter().zip(y).map(|(a, b)| *a * *b))
}

/// The softmax of a list.
pub fn softmax<T: Real>(scores: &[T]) -> Vec<T> {
    let most = scores.iter().map(|s| s.value()).fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<T> = scores.iter().map(|s| (*s - T::of(most)).exp()).collect();
    let total = sum(exps.iter().copied());
    exps.into_iter().map(|e| e / total).collect()
}

/// `x[rows, inner] w[inner, columns]`.
pub fn product<T: Real>(x: &[T], w: &[T], inner: usize, columns: usize) -> Vec<T> {
    let mut out = Vec::with_capacity(x.len() / inner.max(1) * columns);
    for row in x.chunks_exact(inner) {
        for c in 0..columns {
            out.push(sum((0..inner).map(|k| row[k] * w[k * columns + c])));
        }
    }
    out
}
