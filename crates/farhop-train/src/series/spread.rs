//! What several runs say together: mean and deviation, and whether a difference is more than chance.

use serde::{Deserialize, Serialize};

/// Mean and deviation of several values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their deviation as of a sample, `sqrt(sum (x - mean)^2 / (n - 1))`; none of a single value.
    pub deviation: Option<f64>,
}

impl Spread {
    /// Of some values; none without any.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        (count > 0).then_some(Spread { count, mean, deviation })
    }
}

/// How likely differences as large as these would be by chance if there were none: the two-sided paired t-test. None for fewer than two
/// pairs; 1 where nothing differs.
pub fn paired_significance(pairs: &[(f64, f64)]) -> Option<f64> {
    let differences = Spread::of(pairs.iter().map(|(one, other)| one - other))?;
    let deviation = differences.deviation?;
    let error = deviation / (differences.count as f64).sqrt();
    // The same difference in all pairs, but for rounding.
    if error <= 1e-12 * differences.mean.abs() {
        return Some(if differences.mean == 0.0 { 1.0 } else { 0.0 });
    }
    let freedom = (differences.count - 1) as f64;
    let t = differences.mean / error;
    Some(incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t)))
}

/// The regularised incomplete beta function `I_x(a, b)`, by its continued fraction (Abramowitz and Stegun, 26.5.8).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast on one side; the other follows by symmetry.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp() / a;
    front / fraction(a, b, x)
}

/// `1 + d1 x / (1 + d2 x / (1 + ..))`, from the end to the front.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TERMS: usize = 200;
    let mut value = 1.0;
    for term in (1..=TERMS).rev() {
        let m = (term / 2) as f64;
        let factor = if term.is_multiple_of(2) {
            m * (b - m) / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        value = 1.0 + factor * x / value;
    }
    value
}

/// The logarithm of the gamma function for `x > 0`: Stirling's series where `x` is large, and the recursion down to it.
fn log_gamma(x: f64) -> f64 {
    if x < 12.0 {
        return log_gamma(x + 1.0) - x.ln();
    }
    let (inverse, square) = (1.0 / x, 1.0 / (x * x));
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_that_of_a_sample() {
        let found = Spread::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((found.count, found.mean), (8, 5.0));
        // By hand: squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, divided by 7.
        assert!((found.deviation.unwrap() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of([3.0]).unwrap().deviation, None);
        assert_eq!(Spread::of([]), None);
    }

    /// Tables of Student's distribution: two-sided 5 % and 1 % points.
    #[test]
    fn significance_agrees_with_printed_tables() {
        let of_t = |freedom: f64, t: f64| incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t));
        for (freedom, five, one) in
            [(1.0, 12.706, 63.657), (4.0, 2.776, 4.604), (9.0, 2.262, 3.250), (29.0, 2.045, 2.756)]
        {
            assert!((of_t(freedom, five) - 0.05).abs() < 1e-4, "{freedom}: {}", of_t(freedom, five));
            assert!((of_t(freedom, one) - 0.01).abs() < 5e-5, "{freedom}: {}", of_t(freedom, one));
        }
    }

    #[test]
    fn pairs_that_do_not_differ_are_not_significant() {
        assert_eq!(paired_significance(&[(0.5, 0.4)]), None);
        assert_eq!(paired_significance(&[(0.5, 0.5), (0.7, 0.7)]), Some(1.0));
        assert_eq!(paired_significance(&[(0.5, 0.25), (0.75, 0.5)]), Some(0.0));
        // With one degree of freedom p = 1 - 2 atan(t) / pi; differences 1 and 3: mean 2, error 1, so t = 2.
        let found = paired_significance(&[(1.0, 0.0), (3.0, 0.0)]).unwrap();
        assert!((found - (1.0 - 2.0 * 2.0f64.atan() / std::f64::consts::PI)).abs() < 1e-9, "{found}");
    }
}
