//! Steps of personalised PageRank as one operation.

use std::borrow::Cow;
use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::{Dropout, RowNames};
use farhop_kernels::spmm::Weights;

use super::spmm::Neighbourhood;
use super::{Array, Backward, EntryWeights, Input, Operation, Output, apply, buffers};
use crate::{Batch, Share};

/// Input z `[N, F]`.
#[derive(Debug)]
struct PersonalPagerank {
    around: Neighbourhood,
    share: Option<Arc<Share>>,
    weights: Arc<EntryWeights>,
    steps: usize,
    alpha: f32,
    dropout: Dropout,
}

impl PersonalPagerank {
    /// The coefficients of step `step`, each dropped anew from the whole.
    fn weights(&self, step: usize) -> Cow<'_, EntryWeights> {
        if self.dropout.is_none() {
            return Cow::Borrowed(&self.weights);
        }
        let EntryWeights { entries, nodes } = &*self.weights;
        // Entries are counted before nodes; of a part of something larger, by what they are called there.
        let names = self.around.halo.as_ref().map(|halo| halo.names());
        let [first_entry, first_node] =
            self.share.as_ref().map_or([0, entries.len() as u64], |share| share.first_of_entries_and_nodes());
        let entry = |at: usize| names.map_or(first_entry + at as u64, |names| u64::from(names.entries[at]));
        let node = |at: usize| names.map_or(first_node + at as u64, |names| names.total + u64::from(names.nodes[at]));
        let dropped = |values: &[f32], name: &dyn Fn(usize) -> u64| -> Vec<f32> {
            values.iter().enumerate().map(|(at, w)| w * self.dropout.factor(step, name(at) as usize)).collect()
        };
        Cow::Owned(EntryWeights { entries: dropped(entries, &entry), nodes: dropped(nodes, &node) })
    }
}

/// `y = scale y + share z`.
fn blend(y: &mut [f32], scale: f32, z: &[f32], share: f32) {
    y.iter_mut().zip(z).for_each(|(y, z)| *y = scale * *y + share * z);
}

impl Operation for PersonalPagerank {
    type Kept = ();

    fn name(&self) -> &'static str {
        "personal_pagerank"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let z = inputs[0];
        let (mut state, mut next) = (buffers::take(z.data.len()), buffers::take(z.data.len()));
        for step in 0..self.steps {
            let weights = self.weights(step);
            let weights = Weights { entries: Some(&weights.entries), nodes: Some(&weights.nodes) };
            let from = if step == 0 { z.data } else { &state };
            self.around.forward(weights, None, from, z.columns(), &mut next);
            blend(&mut next, 1.0 - self.alpha, z.data, self.alpha);
            std::mem::swap(&mut state, &mut next);
        }
        buffers::give(next);
        (Output { data: state, shape: z.shape.to_vec() }, ())
    }

    /// The steps are linear: nothing is needed again.
    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let mut gradient = step.gradient;
        let width = gradient.len() / self.around.own().max(1);
        let (mut start, mut next) = (vec![0.0; gradient.len()], buffers::take(gradient.len()));
        for step in (0..self.steps).rev() {
            blend(&mut start, 1.0, &gradient, self.alpha);
            let weights = self.weights(step);
            let weights = Weights { entries: Some(&weights.entries), nodes: Some(&weights.nodes) };
            self.around.backward(weights, &gradient, width, &mut next);
            next.iter_mut().for_each(|value| *value *= 1.0 - self.alpha);
            std::mem::swap(&mut gradient, &mut next);
        }
        blend(&mut start, 1.0, &gradient, 1.0);
        buffers::give(gradient);
        buffers::give(next);
        vec![Some(start)]
    }
}

/// `Z_0 = z`, `Z_k = (1 - alpha) S Z_(k-1) + alpha z`, the last of `steps` of them: z `[N, F]`, S the coefficients `weights`, dropped anew in
/// every step. Keeps nothing.
pub fn personal_pagerank(
    z: Tensor<2>,
    batch: &Batch,
    weights: &Arc<EntryWeights>,
    steps: usize,
    alpha: f32,
    dropout: Dropout,
) -> Tensor<2> {
    let (around, share, weights) = (Neighbourhood::of(batch), batch.share().cloned(), weights.clone());
    // Rows of the mask are steps.
    let dropout = dropout.for_rows(RowNames::Places);
    apply(PersonalPagerank { around, share, weights, steps, alpha, dropout }, [Input::from(z)])
}
