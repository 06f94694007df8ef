//! Counts and their spread: sizes of graphs, degrees of nodes.

use farhop_graph::Graph;
use serde::{Deserialize, Serialize};

/// The spread of whole numbers; all 0 without any.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest.
    pub min: usize,
    /// The mean.
    pub mean: f64,
    /// The one in the middle; with an even count the mean of the two.
    pub median: f64,
    /// The largest.
    pub max: usize,
}

impl Spread {
    /// The spread of some numbers.
    pub fn of(numbers: impl Iterator<Item = usize>) -> Spread {
        let mut sorted: Vec<usize> = numbers.collect();
        sorted.sort_unstable();
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Spread::default();
        };
        let count = sorted.len();
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) as f64 / 2.0;
        Spread { min, mean: sorted.iter().sum::<usize>() as f64 / count as f64, median, max }
    }

    /// The spread of numbers of which `counts[n]` are `n`.
    pub(super) fn of_counts(counts: &[usize]) -> Spread {
        let total: usize = counts.iter().sum();
        if total == 0 {
            return Spread::default();
        }
        let sum: usize = counts.iter().enumerate().map(|(number, count)| number * count).sum();
        let at = |place: usize| {
            let mut before = 0;
            let beyond = |count: &usize| {
                before += count;
                before > place
            };
            counts.iter().position(beyond).unwrap_or(0)
        };
        Spread {
            min: at(0),
            mean: sum as f64 / total as f64,
            median: (at((total - 1) / 2) + at(total / 2)) as f64 / 2.0,
            max: at(total - 1),
        }
    }
}

/// Nodes whose degree lies in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DegreeBin {
    /// The smallest degree.
    pub from: usize,
    /// The largest degree.
    pub to: usize,
    /// How many nodes.
    pub nodes: usize,
}

/// How many nodes have each degree.
pub(super) fn degree_counts(graph: &Graph) -> Vec<usize> {
    let mut counts = Vec::new();
    for row in graph.offsets().windows(2) {
        let degree = row[1] - row[0];
        if degree >= counts.len() {
            counts.resize(degree + 1, 0);
        }
        counts[degree] += 1;
    }
    counts
}

/// Bins 0, 1, 2 to 3, 4 to 7, ... up to the largest degree.
pub(super) fn histogram(counts: &[usize]) -> Vec<DegreeBin> {
    let mut bins = Vec::new();
    let mut from = 0;
    while from < counts.len() {
        let to = if from == 0 { 0 } else { 2 * from - 1 };
        let nodes = counts[from..counts.len().min(to + 1)].iter().sum();
        bins.push(DegreeBin { from, to, nodes });
        from = to + 1;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    #[test]
    fn both_ways_to_the_spread_agree_and_bins_hold_every_node() {
        let mut random = Stream::new(1);
        for length in [1usize, 2, 3, 10, 99, 100] {
            let numbers: Vec<usize> = (0..length).map(|_| random.below(20) as usize).collect();
            let mut counts = vec![0; 20];
            numbers.iter().for_each(|&number| counts[number] += 1);
            assert_eq!(Spread::of(numbers.iter().copied()), Spread::of_counts(&counts));
            for bin in histogram(&counts) {
                let inside = numbers.iter().filter(|&&n| n >= bin.from && n <= bin.to).count();
                assert_eq!(bin.nodes, inside);
                assert_eq!(bin.to + 1, if bin.from == 0 { 1 } else { 2 * bin.from });
            }
            assert_eq!(histogram(&counts).iter().map(|bin| bin.nodes).sum::<usize>(), length);
        }
        let known = Spread::of([4, 1, 1, 10].into_iter());
        assert_eq!(known, Spread { min: 1, mean: 4.0, median: 2.5, max: 10 });
        assert_eq!(Spread::of([].into_iter()), Spread::of_counts(&[]));
    }
}
