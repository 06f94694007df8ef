//! Whether edges join nodes of one class.

use serde::{Deserialize, Serialize};

use crate::dataset::{Dataset, Level, Target};

/// Three answers to whether edges join nodes of one class. Only edges whose two ends have a known class count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Homophily {
    /// The share `h` of edges whose ends have the same class.
    pub edge: f64,
    /// `(h - s) / (1 - s)` with `s = sum_k (D_k / 2E)^2`, the share that chance gives if class `k` has `D_k` of the
    /// `2E` ends of edges (Platonov et al., 2023). 0 is chance, 1 is perfect; `None` if there is one class only.
    pub adjusted: Option<f64>,
    /// `1 / (C - 1) * sum_k max(0, h_k - n_k / n)` with `h_k` the share of equal neighbours around the nodes of class
    /// `k`, and `n_k` its nodes (Lim et al., 2021); `None` if there is one class only.
    pub class_insensitive: Option<f64>,
}

/// The homophily of a dataset with classes of nodes; `None` if it has none, or no edge between known classes.
pub(super) fn of(dataset: &Dataset) -> Option<Homophily> {
    let (Level::Node, Target::Class { labels, classes }) = (dataset.level, &dataset.target) else {
        return None;
    };
    let union = dataset.graphs.union();
    let (mut same, mut ends, mut nodes) =
        (vec![0u64; classes.len()], vec![0u64; classes.len()], vec![0u64; classes.len()]);
    for (node, label) in labels.iter().enumerate() {
        let Some(own) = *label else { continue };
        nodes[own as usize] += 1;
        for &other in union.neighbours(node) {
            let Some(other) = labels[other as usize] else { continue };
            // Both ends of the entry, so that directed graphs are treated alike.
            ends[own as usize] += 1;
            ends[other as usize] += 1;
            same[own as usize] += 2 * u64::from(own == other);
        }
    }
    let all: u64 = ends.iter().sum();
    if all == 0 {
        return None;
    }
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let edge = share(same.iter().sum(), all);
    let chance: f64 = ends.iter().map(|&ends| share(ends, all).powi(2)).sum();
    let labelled: u64 = nodes.iter().sum();
    let excess = (0..classes.len()).map(|k| (share(same[k], ends[k]) - share(nodes[k], labelled)).max(0.0));
    Some(Homophily {
        edge,
        adjusted: (chance < 1.0).then(|| (edge - chance) / (1.0 - chance)),
        class_insensitive: (classes.len() > 1).then(|| excess.sum::<f64>() / (classes.len() - 1) as f64),
    })
}
