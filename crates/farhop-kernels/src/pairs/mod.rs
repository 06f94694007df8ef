//! States of pairs: every node of a graph with every other and with itself, as transformers have them that read graphs
//! by relations.
//!
//! A pair p is `i <- j`: node i looks at node j of its graph. Pairs lie in the order of i, then of j. Nothing here is sparse: a graph
//! of n nodes has n² pairs, and a state of a pair is a row of numbers that the caller holds.

pub mod attention;
pub mod gates;

use std::ops::Range;

/// All ordered pairs of nodes of the same graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// The pairs of node i are `rows[i]..rows[i + 1]`.
    rows: Vec<usize>,
    /// The first node of the graph of every node.
    first: Vec<usize>,
}

impl Pairs {
    /// The pairs of graphs that have the nodes `offsets[g]..offsets[g + 1]`.
    ///
    /// # Panics
    /// If the offsets do not ascend.
    pub fn new(offsets: &[usize]) -> Self {
        let (mut rows, mut first) = (vec![0], Vec::new());
        let mut count = 0;
        for graph in offsets.windows(2) {
            assert!(graph[0] <= graph[1], "offsets of graphs ascend");
            for _ in graph[0]..graph[1] {
                count += graph[1] - graph[0];
                rows.push(count);
                first.push(graph[0]);
            }
        }
        Pairs { rows, first }
    }

    /// Number of pairs, `P`.
    pub fn count(&self) -> usize {
        self.rows[self.first.len()]
    }

    /// Number of nodes, `N`.
    pub fn nodes(&self) -> usize {
        self.first.len()
    }

    /// The pairs of node i.
    #[inline(always)]
    pub fn range(&self, i: usize) -> Range<usize> {
        self.rows[i]..self.rows[i + 1]
    }

    /// The nodes of the graph of node i: its pairs are with these, in their order.
    #[inline(always)]
    pub fn others(&self, i: usize) -> Range<usize> {
        self.first[i]..self.first[i] + (self.rows[i + 1] - self.rows[i])
    }

    /// The pair in which node i looks at node j of the same graph.
    #[inline(always)]
    pub fn place(&self, i: usize, j: usize) -> usize {
        self.rows[i] + (j - self.first[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_lie_graph_by_graph() {
        let pairs = Pairs::new(&[0, 2, 2, 5]);
        assert_eq!((pairs.nodes(), pairs.count()), (5, 4 + 9));
        let all = (0..5).flat_map(|i| pairs.others(i).map(move |j| (i, j)));
        for (at, (i, j)) in all.enumerate() {
            assert_eq!(pairs.place(i, j), at);
            assert!(pairs.range(i).contains(&at));
        }
        assert_eq!(Pairs::new(&[0]).count(), 0);
    }
}
