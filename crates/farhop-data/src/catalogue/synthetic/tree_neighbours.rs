//! Tree-neighbours match: the root asks which leaf resembles it.
//!
//! A graph is a full binary tree of depth d whose edges lead both ways. Its `2^d` leaves carry different numbers of
//! neighbours, a random order of `1..=2^d`, and different classes; the root carries one of those numbers, and its label is the class
//! of the leaf that has the same. All leaves must reach the root, so that the whole tree is squeezed through two edges
//! (Alon and Yahav, ICLR 2021). As there, neighbours are given as a number, not as nodes.

use farhop_graph::random::{Stream, mix};
use farhop_graph::{Direction, GraphSet, build};

use super::many_graphs;
use crate::dataset::{Columns, Dataset, Level};
use crate::error::DataError;

/// The settings of [`tree_neighbours`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNeighboursOptions {
    /// Number of trees. Default 4,000.
    pub graphs: usize,
    /// The depth d, 1 to 12: the distance from the root to the leaves. Default 4.
    pub depth: usize,
    /// Seed of numbers, classes and split. Default 0.
    pub seed: u64,
}

impl Default for TreeNeighboursOptions {
    fn default() -> Self {
        TreeNeighboursOptions { graphs: 4_000, depth: 4, seed: 0 }
    }
}

/// The task. Nodes have two categories, each of `2^d + 1`: the number of neighbours (0 inside the tree), and the class of a leaf
/// plus 1 (0 for the others). Node 0 of a tree is its root.
pub fn tree_neighbours(options: &TreeNeighboursOptions) -> Result<Dataset, DataError> {
    let TreeNeighboursOptions { graphs, depth, seed } = *options;
    if !(1..=12).contains(&depth) || !(3..=1 << 17).contains(&graphs) {
        return Err(DataError::Mismatch {
            what: format!(
                "tree-neighbours match needs a depth of 1 to 12 and 3 to 131,072 graphs, not {depth} and {graphs}."
            ),
        });
    }
    let leaves = 1usize << depth;
    let tree = 2 * leaves - 1;
    let (mut rows, mut categories) = (Vec::with_capacity(graphs * (tree - 1)), vec![0u16; 2 * tree * graphs]);
    let mut labels = Vec::with_capacity(graphs);
    let mut stream = Stream::new(mix(seed, 1));
    for graph in 0..graphs {
        let start = graph * tree;
        rows.extend((1..tree).map(|child| ((start + (child - 1) / 2) as u32, (start + child) as u32)));
        let mut numbers: Vec<u16> = (1..=leaves as u16).collect();
        let mut classes = numbers.clone();
        stream.shuffle(&mut numbers);
        stream.shuffle(&mut classes);
        let asked = stream.below(leaves as u64) as usize;
        let of_tree = &mut categories[2 * start..2 * (start + tree)];
        of_tree[0] = numbers[asked];
        for (leaf, (&number, &class)) in numbers.iter().zip(&classes).enumerate() {
            let node = leaves - 1 + leaf;
            of_tree[2 * node] = number;
            of_tree[2 * node + 1] = class;
        }
        labels.push(Some(u32::from(classes[asked]) - 1));
    }
    let made = |error: farhop_graph::GraphError| DataError::Mismatch { what: error.to_string() };
    let union = build(tree * graphs, &rows, Direction::Undirected).map_err(made)?.graph;
    let set = GraphSet::new(union, (0..=graphs).map(|graph| graph * tree).collect()).map_err(made)?;
    let nodes = Columns::categories(vec![leaves as u32 + 1; 2], categories);
    many_graphs("tree-neighbours-match", set, nodes, Level::Graph, labels, leaves, seed)
}
