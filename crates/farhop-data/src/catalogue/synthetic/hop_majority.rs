//! Hop majority: the smallest task that needs one exact distance.
//!
//! The graph is a forest of random trees. Every node carries a random colour, one-hot, and that is all it knows. Its label is
//! the colour that most nodes at distance exactly `r` have. Colours are independent, so a node's own colour and those of all
//! other distances say nothing about the label: whoever can't tell distance r from the rest has noise in place of the answer.
//!
//! Message passing mixes distances. After r rounds, a node has heard from walks of length r, and most of those turn back
//! on the way and end at distance r - 2, r - 4, ... The share of distance r shrinks as r grows, and no fixed combination
//! of rounds removes the rest, since how often walks turn back depends on the degrees along the way.

use farhop_graph::random::{Stream, mix};
use farhop_graph::{BreadthFirst, generate};

use crate::{DataError, Dataset, Split};

/// The settings of [`hop_majority`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HopMajorityOptions {
    /// Number of nodes. Default 4,000.
    pub nodes: usize,
    /// Number of trees. Default 10.
    pub trees: usize,
    /// The distance r whose colours decide. Default 4.
    pub distance: usize,
    /// Number of colours, which is also the number of classes. Default 6.
    pub colours: usize,
    /// Seed of trees, colours and split. Default 0.
    pub seed: u64,
}

impl Default for HopMajorityOptions {
    fn default() -> Self {
        HopMajorityOptions { nodes: 4_000, trees: 10, distance: 4, colours: 6, seed: 0 }
    }
}

/// The task: features are one-hot colours, labels the majority colour at distance exactly r, split 60/20/20 at random.
///
/// A node with no node at that distance, or with a tie, has no label; it takes part in the graph and in no split.
pub fn hop_majority(options: &HopMajorityOptions) -> Result<Dataset, DataError> {
    let HopMajorityOptions { nodes, trees, distance, colours, seed } = *options;
    if distance == 0 || colours < 2 {
        return Err(DataError::Mismatch {
            what: format!(
                "hop majority needs a distance of at least 1 and 2 colours or more, not {distance} and {colours}."
            ),
        });
    }
    let made = |error: farhop_graph::GraphError| DataError::Mismatch { what: error.to_string() };
    let graph = generate::forest(nodes, trees, mix(seed, 1)).map_err(made)?;
    let mut stream = Stream::new(mix(seed, 2));
    let colour: Vec<usize> = (0..nodes).map(|_| stream.below(colours as u64) as usize).collect();
    let mut features = vec![0.0; nodes * colours];
    for (i, &c) in colour.iter().enumerate() {
        features[i * colours + c] = 1.0;
    }
    let mut search = BreadthFirst::new(&graph);
    let mut labels = vec![None; nodes];
    for (i, label) in labels.iter_mut().enumerate() {
        let mut counts = vec![0usize; colours];
        for reached in search.around(i, distance as u32).map_err(made)? {
            if reached.distance as usize == distance {
                counts[colour[reached.node as usize]] += 1;
            }
        }
        *label = majority(&counts);
    }
    let mut labelled: Vec<u32> = (0..nodes as u32).filter(|&i| labels[i as usize].is_some()).collect();
    Stream::new(mix(seed, 3)).shuffle(&mut labelled);
    let (train, rest) = labelled.split_at(labelled.len() * 6 / 10);
    let (valid, test) = rest.split_at(rest.len() / 2);
    let split = Split { train: train.to_vec(), valid: valid.to_vec(), test: test.to_vec() };
    let classes = (0..colours).map(|c| format!("colour {c}")).collect();
    Dataset::from_arrays("hop-majority", graph, features, colours, labels, classes, split)
}

/// The largest count's index, if it is the only largest.
fn majority(counts: &[usize]) -> Option<u32> {
    let most = *counts.iter().max()?;
    let mut winners = counts.iter().enumerate().filter(|(_, count)| **count == most);
    match (winners.next(), winners.next()) {
        (Some((winner, _)), None) if most > 0 => Some(winner as u32),
        _ => None,
    }
}
