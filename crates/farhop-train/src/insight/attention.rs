//! What nodes look at, summed up.

use farhop_nn::EdgeSpread;

use crate::HopWeights;

/// Groups of equal width between 0 and 1.
const BINS: usize = 24;

/// How much one head of a layer reads of each hop.
#[derive(Clone, Debug, PartialEq)]
pub struct HopShares {
    /// Counted from 1.
    pub layer: usize,
    /// Counted from 1.
    pub head: usize,
    /// The nearest hop: 0 is the node itself.
    pub first: usize,
    /// The mean weight of each hop over the nodes; they have the sum 1.
    pub shares: Vec<f64>,
}

impl HopShares {
    /// For every layer and head.
    pub(super) fn of(weights: &HopWeights) -> Vec<HopShares> {
        let hops = weights.hops;
        let nodes = weights.nodes.len();
        let mut found = Vec::new();
        if nodes == 0 {
            return found;
        }
        for (layer, of_layer) in weights.weights.chunks_exact(nodes * hops.heads * hops.hops).enumerate() {
            let mut sums = vec![0.0f64; hops.heads * hops.hops];
            for row in of_layer.chunks_exact(sums.len()) {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += f64::from(*weight));
            }
            for (head, sums) in sums.chunks_exact(hops.hops).enumerate() {
                let shares = sums.iter().map(|sum| sum / nodes as f64).collect();
                found.push(HopShares { layer: layer + 1, head: head + 1, first: hops.first, shares });
            }
        }
        found
    }

    /// The hop that is read in the mean.
    pub fn mean_hop(&self) -> f64 {
        self.shares.iter().zip(self.first..).map(|(share, hop)| share * hop as f64).sum()
    }
}

/// How evenly nodes attend to neighbours, in one set of weights of a layer, over all nodes and heads.
#[derive(Clone, Debug, PartialEq)]
pub struct EntropyCounts {
    /// Counted from 1.
    pub layer: usize,
    /// Which round of the layer, counted from 1.
    pub round: usize,
    /// How many rounds have weights of their own.
    pub rounds: usize,
    /// Nodes times heads by their entropy as a share of the largest possible, in groups of equal width from 0 to 1.
    pub counts: Vec<u64>,
    /// The mean of it.
    pub mean: f64,
}

impl EntropyCounts {
    /// For every layer and round; nodes with nothing to choose between are left out.
    pub(super) fn of(layers: &[EdgeSpread]) -> Vec<EntropyCounts> {
        let mut found = Vec::new();
        for (layer, spread) in layers.iter().enumerate() {
            for round in 0..spread.sets {
                let mut counts = vec![0u64; BINS];
                let mut sum = 0.0;
                for row in spread.entropies.chunks_exact(spread.sets * spread.heads) {
                    let of_round = &row[round * spread.heads..(round + 1) * spread.heads];
                    for share in of_round.iter().filter(|share| !share.is_nan()) {
                        counts[((share * BINS as f32) as usize).min(BINS - 1)] += 1;
                        sum += f64::from(*share);
                    }
                }
                let all: u64 = counts.iter().sum();
                if all > 0 {
                    let (layer, round, rounds) = (layer + 1, round + 1, spread.sets);
                    found.push(EntropyCounts { layer, round, rounds, counts, mean: sum / all as f64 });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_nn::WeighedHops;

    #[test]
    fn hops_are_means_over_nodes() {
        let hops = WeighedHops { layers: 1, heads: 2, first: 1, hops: 2 };
        let weights = vec![0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.5, 0.5];
        let found = HopShares::of(&HopWeights { hops, nodes: vec![4, 7], weights });
        assert_eq!(found.len(), 2);
        assert_eq!((&found[0].shares[..], &found[1].shares[..]), (&[0.25, 0.75][..], &[0.75, 0.25][..]));
        assert_eq!((found[1].layer, found[1].head, found[1].mean_hop()), (1, 2, 1.25));
    }

    #[test]
    fn entropies_are_counted_by_round() {
        let entropies = vec![0.0, 1.0, 0.5, f32::NAN];
        let found = EntropyCounts::of(&[EdgeSpread { sets: 2, heads: 1, entropies }]);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].counts[0], found[0].counts[BINS / 2], found[0].mean), (1, 1, 0.25));
        assert_eq!((found[1].counts[BINS - 1], found[1].counts.iter().sum::<u64>(), found[1].mean), (1, 1, 1.0));
    }
}
