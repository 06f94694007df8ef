//! Mean and deviation in one pass.

/// Count, mean and sum of squared differences from it, updated one value at a time (Welford; West, 1979, for weights).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    /// The sum of the weights.
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Takes one more value into account.
    pub fn add(&mut self, value: f64) {
        self.add_weighed(value, 1.0);
    }

    /// Takes a value into account that counts `weight` times.
    pub fn add_weighed(&mut self, value: f64, weight: f64) {
        if weight > 0.0 {
            self.count += weight;
            let before = value - self.mean;
            self.mean += before * weight / self.count;
            self.squares += before * weight * (value - self.mean);
        }
    }

    /// Count, mean and sum of squares, to be told.
    pub fn parts(&self) -> [f64; 3] {
        [self.count, self.mean, self.squares]
    }

    /// Those of all values, from the [parts](Moments::parts) of several, in their order (Chan, Golub and LeVeque, 1979).
    pub fn joined<'a>(parts: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let mut all = Moments::default();
        for part in parts {
            let &[count, mean, squares] = part else { continue };
            let (before, total) = (all.count, all.count + count);
            if count > 0.0 {
                let difference = mean - all.mean;
                all.mean += difference * count / total;
                all.squares += squares + difference * difference * before * count / total;
                all.count = total;
            }
        }
        all
    }

    /// The mean; 0 without values.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The deviation `sqrt(sum (x - mean)^2 / n)`; 0 without values.
    pub fn deviation(&self) -> f64 {
        if self.count == 0.0 { 0.0 } else { (self.squares / self.count).sqrt() }
    }

    /// The deviation of values that vary; none if it is below rounding (`1e-9` of the mean), or too small to divide 32-bit
    /// numbers by.
    pub fn varies_by(&self) -> Option<f64> {
        let deviation = self.deviation();
        (deviation > 1e-9 * self.mean.abs() && (deviation as f32).is_normal()).then_some(deviation)
    }

    /// What to subtract and divide by for mean 0 and deviation 1. A column that is constant is divided by the size of its
    /// value, or by 1 if that is smaller: another value met later then gives a number of ordinary size.
    pub fn shift_and_scale(&self) -> (f64, f64) {
        (self.mean, self.varies_by().unwrap_or(self.mean.abs().max(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    #[test]
    fn standardised_values_have_mean_0_and_deviation_1() {
        let mut random = Stream::new(5);
        for (centre, spread) in [(0.0, 1.0), (1.7e9, 60.0), (-3.0, 1e-4), (1e-20, 1e-22)] {
            let values: Vec<f64> = (0..500).map(|_| centre + spread * random.normal()).collect();
            let mut moments = Moments::default();
            values.iter().for_each(|&value| moments.add(value));
            let (shift, scale) = moments.shift_and_scale();
            let scaled: Vec<f64> = values.iter().map(|value| (value - shift) / scale).collect();
            let mean = scaled.iter().sum::<f64>() / 500.0;
            let variance = scaled.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 500.0;
            assert!(mean.abs() < 1e-6, "{centre}: mean {mean}");
            assert!((variance - 1.0).abs() < 1e-6, "{centre}: variance {variance}");
        }
    }

    #[test]
    fn a_weight_is_a_number_of_repetitions() {
        let (mut weighed, mut repeated) = (Moments::default(), Moments::default());
        for (value, weight) in [(1.5, 3), (-2.0, 1), (7.0, 0), (0.25, 2)] {
            weighed.add_weighed(value, f64::from(weight));
            (0..weight).for_each(|_| repeated.add(value));
        }
        assert!((weighed.mean() - repeated.mean()).abs() < 1e-12);
        assert!((weighed.deviation() - repeated.deviation()).abs() < 1e-12);
    }

    #[test]
    fn a_constant_column_becomes_zeros_and_stays_tame() {
        for constant in [0.0, 0.1, 5e5, -1e30] {
            let mut moments = Moments::default();
            (0..37).for_each(|_| moments.add(constant));
            let (shift, scale) = moments.shift_and_scale();
            assert!(((constant - shift) / scale).abs() < 1e-9);
            assert!(((1.2 * constant - shift) / scale).abs() < 1.0);
        }
        assert_eq!(Moments::default().shift_and_scale(), (0.0, 1.0));
    }
}
