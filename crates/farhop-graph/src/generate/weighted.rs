//! Drawing from a discrete distribution in constant time.

/// An alias table (Walker, 1977; Vose, 1991): every cell holds one item, and another one that fills the rest.
pub(super) struct WeightedTable {
    keep: Vec<f64>,
    other: Vec<u32>,
}

impl WeightedTable {
    /// A table over `0..weights.len()`. The weights are finite and not negative, with a positive sum.
    pub(super) fn new(weights: &[f64]) -> Self {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        let mut keep: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let mut other: Vec<u32> = (0..weights.len() as u32).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) = other.iter().partition(|&&item| keep[item as usize] < 1.0);
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            other[poor as usize] = rich;
            keep[rich as usize] -= 1.0 - keep[poor as usize];
            if keep[rich as usize] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        // What is left differs from a full cell by rounding alone.
        for item in small.into_iter().chain(large) {
            keep[item as usize] = 1.0;
        }
        Self { keep, other }
    }

    /// The item that a random word stands for: the high part of `word * length` chooses the cell, the low
    /// part the item in it.
    #[inline]
    pub(super) fn item(&self, word: u64) -> u32 {
        let product = u128::from(word) * self.keep.len() as u128;
        let cell = (product >> 64) as usize;
        if crate::random::unit(product as u64) < self.keep[cell] { cell as u32 } else { self.other[cell] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix;

    #[test]
    fn items_are_drawn_by_weight() {
        let weights = [5.0, 0.0, 1.0, 0.25, 3.75];
        let table = WeightedTable::new(&weights);
        let draws = 200_000;
        let mut counts = [0usize; 5];
        for counter in 0..draws {
            counts[table.item(mix(3, counter)) as usize] += 1;
        }
        assert_eq!(counts[1], 0);
        for (count, weight) in counts.iter().zip(weights) {
            let probability = weight / 10.0;
            let deviation = (draws as f64 * probability * (1.0 - probability)).sqrt();
            let expected = draws as f64 * probability;
            assert!((*count as f64 - expected).abs() <= 5.0 * deviation);
        }
    }
}
