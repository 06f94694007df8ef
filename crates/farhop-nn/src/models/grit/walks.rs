//! What follows from a graph alone for its pairs of nodes: how probable each is for a random walk.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::pairs::Pairs;
use rayon::prelude::*;

use crate::Batch;
use crate::ops::{RowChoice, bridge};

/// Relative random walk probabilities of a batch: `R_ij = [I, M, M², ..]_ij` with `M = D^-1 A`, all pairs of nodes of the same graph.
pub(super) struct PairWalks {
    pub pairs: Arc<Pairs>,
    /// R_ij at the pair (i <- j), `[P, K]`: the walk starts at the node that looks.
    pub all: Tensor<2>,
    /// R_ii, `[N, K]`.
    pub own: Tensor<2>,
    /// The pair of every entry.
    pub entries: Arc<RowChoice>,
    /// 1 and the logarithm of 1 + degree, `[N, 2]`.
    pub scales: Tensor<2>,
}

impl PairWalks {
    /// `steps` columns; the first is the identity if `identity`, otherwise one step.
    pub fn new(batch: &Batch, steps: usize, identity: bool) -> Self {
        let (graph, nodes) = (batch.graph(), batch.nodes());
        let pairs = Pairs::new(batch.offsets());
        // A step goes to one of those that receive from a node.
        let leaving = graph.transposed().offsets;
        let degree = |i: usize| leaving[i + 1] - leaving[i];
        let row = |i: usize| {
            let others = pairs.others(i);
            let mut rows = vec![0.0f32; others.len() * steps];
            let mut at = vec![0.0f64; others.len()];
            at[i - others.start] = 1.0;
            for step in 0..steps {
                if step > 0 || !identity {
                    let shares: Vec<f64> =
                        at.iter().zip(others.clone()).map(|(at, j)| at / degree(j).max(1) as f64).collect();
                    for (at, j) in at.iter_mut().zip(others.clone()) {
                        *at = graph.neighbours(j).iter().map(|&from| shares[from as usize - others.start]).sum();
                    }
                }
                at.iter().enumerate().for_each(|(j, at)| rows[j * steps + step] = *at as f32);
            }
            rows
        };
        let all = (0..nodes).into_par_iter().map(row).collect::<Vec<_>>().concat();
        let own = (0..nodes).flat_map(|i| all[pairs.place(i, i) * steps..][..steps].to_vec()).collect();
        let entries = (0..nodes).flat_map(|i| graph.neighbours(i).iter().map(move |&j| (i, j as usize)));
        let entries = entries.map(|(i, j)| pairs.place(i, j) as u32).collect();
        let scales = (0..nodes).flat_map(|i| [1.0, (degree(i) as f64).ln_1p() as f32]).collect();
        PairWalks {
            all: bridge::from_vec(all, [pairs.count(), steps]),
            own: bridge::from_vec(own, [nodes, steps]),
            entries: RowChoice::new(entries, pairs.count()),
            scales: bridge::from_vec(scales, [nodes, 2]),
            pairs: Arc::new(pairs),
        }
    }

    /// What it holds, in bytes.
    pub fn bytes(nodes: usize, entries: usize, pairs: usize, steps: usize) -> u64 {
        let numbers = (pairs + nodes) * steps + 2 * nodes + 2 * entries;
        (size_of::<f32>() * numbers + size_of::<usize>() * (pairs + 2 * nodes)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BatchArrays;
    use farhop_graph::{Direction, build};

    #[test]
    fn a_walk_from_the_node_that_looks() {
        // A path 0 - 1 - 2, and a node of its own in a second graph.
        let graph = build(4, &[(0, 1), (1, 2)], Direction::Undirected).unwrap().graph;
        let parts = BatchArrays { offsets: vec![0, 3, 4], ..BatchArrays::new(Arc::new(graph)) };
        let walks = PairWalks::new(&Batch::from_arrays(parts, &0.into()), 3, true);
        let all = bridge::into_vec(walks.all);
        let of = |i: usize, j: usize| all[walks.pairs.place(i, j) * 3..][..3].to_vec();
        assert_eq!(of(0, 0), [1.0, 0.0, 0.5]);
        assert_eq!(of(0, 1), [0.0, 1.0, 0.0]);
        assert_eq!(of(1, 0), [0.0, 0.5, 0.0]);
        assert_eq!(of(0, 2), [0.0, 0.0, 0.5]);
        assert_eq!(of(3, 3), [1.0, 0.0, 0.0]);
    }
}
