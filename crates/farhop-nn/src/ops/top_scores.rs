//! Leaves the best of a node's scores.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::Dropout;
use farhop_kernels::parallel::Blocks;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// A score that a softmax makes zero.
const REMOVED: f32 = -1e20;

/// Which scores [`top_scores`] leaves.
#[derive(Clone, Copy, Debug)]
pub struct TopScores {
    /// How many a node keeps, itself among them; 0 for all.
    pub most: usize,
    /// Whether every head chooses by its own scores, or all together by the sum of their softmaxes.
    pub per_head: bool,
    /// Drops pairs of nodes, both directions together, before the choice.
    pub edges: Dropout,
}

/// Input: scores `[E + N, H]`.
#[derive(Debug)]
struct TopScoresOp {
    graph: Arc<Graph>,
    settings: TopScores,
}

impl TopScoresOp {
    /// The scores of the nodes `rows`: of their entries, and of themselves.
    fn rows(&self, rows: Range<usize>, scores: &[f32], heads: usize) -> (Vec<f32>, Vec<f32>) {
        let offsets = self.graph.offsets();
        let own_start = self.graph.entries() * heads;
        let entries = offsets[rows.end] - offsets[rows.start];
        let (mut of_entries, mut of_nodes) =
            (Vec::with_capacity(entries * heads), Vec::with_capacity(rows.len() * heads));
        let mut row = Vec::new();
        for i in rows {
            row.clear();
            row.extend(&scores[offsets[i] * heads..offsets[i + 1] * heads]);
            for (scores, &j) in row.chunks_exact_mut(heads).zip(self.graph.neighbours(i)) {
                if self.settings.edges.factor(i.min(j as usize), i.max(j as usize)) == 0.0 {
                    scores.fill(REMOVED);
                }
            }
            row.extend(&scores[own_start + i * heads..own_start + (i + 1) * heads]);
            if self.settings.most > 0 && row.len() > self.settings.most * heads {
                if self.settings.per_head {
                    choose_apart(&mut row, heads, self.settings.most)
                } else {
                    choose(&mut row, heads, self.settings.most)
                }
            }
            let split = row.len() - heads;
            of_entries.extend(&row[..split]);
            of_nodes.extend(&row[split..]);
        }
        (of_entries, of_nodes)
    }
}

/// Every head keeps its `most` largest scores, and those that are as large as the last of them.
fn choose_apart(row: &mut [f32], heads: usize, most: usize) {
    for head in 0..heads {
        let mut column: Vec<f32> = row.iter().skip(head).step_by(heads).copied().collect();
        column.sort_unstable_by(|a, b| b.total_cmp(a));
        let least = column[most - 1];
        row.iter_mut().skip(head).step_by(heads).filter(|score| **score < least).for_each(|score| *score = REMOVED);
    }
}

/// All heads keep the same `most` entries: those with the largest sum of the heads' softmaxes.
fn choose(row: &mut [f32], heads: usize, most: usize) {
    let count = row.len() / heads;
    let mut totals = vec![0.0f64; count];
    for head in 0..heads {
        let column = || row.iter().skip(head).step_by(heads);
        let largest = column().fold(f32::NEG_INFINITY, |largest, score| largest.max(*score));
        let sizes: Vec<f64> = column().map(|score| f64::from(score - largest).exp()).collect();
        let sum: f64 = sizes.iter().sum();
        totals.iter_mut().zip(&sizes).for_each(|(total, size)| *total += size / sum);
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| totals[*b].total_cmp(&totals[*a]));
    for &entry in &order[most..] {
        row[entry * heads..(entry + 1) * heads].fill(REMOVED);
    }
}

impl Operation for TopScoresOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "top_scores"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let scores = inputs[0];
        let heads = scores.columns();
        let blocks = Blocks::by_entries(self.graph.offsets(), 1, heads);
        let parts = blocks.map(|rows| self.rows(rows, scores.data, heads));
        let mut data = buffers::take(scores.data.len());
        data.clear();
        parts.iter().for_each(|(of_entries, _)| data.extend(of_entries));
        parts.iter().for_each(|(_, of_nodes)| data.extend(of_nodes));
        (Output { data, shape: scores.shape.to_vec() }, ())
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    /// The softmax that follows gives a removed score the gradient zero by itself.
    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        vec![Some(step.gradient)]
    }
}

/// Scores `[E + N, H]`, entries first, then every node for itself, with all but the chosen ones so low that
/// [`edge_softmax`](super::edge_softmax), which must follow, makes them zero. Keeps nothing.
///
/// # Panics
/// If the scores have another shape.
pub fn top_scores(scores: Tensor<2>, graph: &Arc<Graph>, settings: TopScores) -> Tensor<2> {
    let [rows, heads] = scores.dims();
    assert!(heads > 0 && rows == graph.entries() + graph.nodes(), "top_scores: scores must be [E + N, H]");
    apply(TopScoresOp { graph: graph.clone(), settings }, [Input::from(scores)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_apart_keep_their_own_largest_and_ties() {
        // Four entries of two heads: the second largest of head 1 comes twice.
        let mut row = vec![3.0, 1.0, 2.0, 5.0, -1.0, 1.0, 0.0, 0.5];
        choose_apart(&mut row, 2, 2);
        assert_eq!(row, [3.0, 1.0, 2.0, 5.0, REMOVED, 1.0, REMOVED, REMOVED]);
    }

    #[test]
    fn heads_together_keep_the_same_entries() {
        // Entry 1 has nearly all of head 0, entry 3 nearly all of head 1.
        let mut row = vec![0.0, 1.0, 9.0, 0.0, 1.0, 0.0, 0.0, 9.0];
        choose(&mut row, 2, 2);
        assert_eq!(row, [REMOVED, REMOVED, 9.0, 0.0, REMOVED, REMOVED, 0.0, 9.0]);
    }
}
