//! How evenly a node spreads its attention: the entropy of its weights, as a share of the largest that there is.

use super::{Rows, each_block_of_nodes};
use farhop_graph::Graph;

/// Of weights `[E, H]`, or `[E + N, H]` with those of nodes for themselves, that have the sum 1 over a row:
///
/// ```text
/// r_i = -(sum over the row of a ln a) / ln(weights of the row)        [N, H]
/// ```
///
/// 0 where all attention is on one, 1 where all get the same, NaN where there is nothing to choose between.
///
/// # Panics
/// If the weights are not of one of the shapes.
pub fn relative(graph: &Graph, heads: usize, weights: &[f32]) -> Vec<f32> {
    let (nodes, entries) = (graph.nodes(), graph.entries());
    let own = weights.len() == (entries + nodes) * heads;
    assert!(heads > 0 && (own || weights.len() == entries * heads), "weights must be [E, heads] or [E + N, heads]");
    let rows = Rows::of(graph);
    let mut found = vec![0.0; nodes * heads];
    each_block_of_nodes(rows.offsets, heads, &mut found, |first, part| {
        for (n, found) in part.chunks_exact_mut(heads).enumerate() {
            let node = first + n;
            let of_row = rows.range(node).chain(own.then_some(entries + node));
            let choices = of_row.clone().count();
            for (head, found) in found.iter_mut().enumerate() {
                let terms =
                    of_row.clone().map(|at| f64::from(weights[at * heads + head])).filter(|weight| *weight > 0.0);
                let entropy = -terms.map(|weight| weight * weight.ln()).sum::<f64>();
                *found = if choices < 2 { f32::NAN } else { (entropy / (choices as f64).ln()).clamp(0.0, 1.0) as f32 };
            }
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::{Direction, build};

    /// A path 0 - 1 - 2 and a node by itself. By hand: (1/4, 3/4) has -(1/4 ln 1/4 + 3/4 ln 3/4) / ln 2 = 0.8112781.
    #[test]
    fn even_weights_are_one_and_a_single_choice_is_none() {
        let graph = build(4, &[(0, 1), (1, 2)], Direction::Undirected).unwrap().graph;
        // Rows: 0 has one entry, 1 has two, 2 has one. Two heads.
        let entries = [1.0, 1.0, 0.25, 1.0, 0.75, 0.0, 1.0, 1.0];
        let found = relative(&graph, 2, &entries);
        assert!(found[0].is_nan() && found[4].is_nan() && found[6].is_nan(), "{found:?}");
        assert!((found[2] - 0.811_278_1).abs() < 1e-6, "{found:?}");
        assert_eq!(found[3], 0.0);
        // With the nodes themselves every one but the last has a choice.
        let both: Vec<f32> = [
            vec![0.5; 2],
            vec![1.0 / 3.0; 4],
            vec![0.5; 2],
            vec![0.5; 2],
            vec![1.0 / 3.0; 2],
            vec![0.5; 2],
            vec![1.0; 2],
        ]
        .concat();
        let found = relative(&graph, 2, &both);
        assert!(found[..6].iter().all(|share| (share - 1.0).abs() < 1e-6), "{found:?}");
        assert!(found[6].is_nan());
    }
}
