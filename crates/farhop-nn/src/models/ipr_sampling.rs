//! Which virtual nodes a node is joined to: exactly k of C, drawn at random, with a gradient for the scores.
//!
//! ```text
//! key_c = s_c - log(-log u_c),  u uniform            the k largest keys of a node are chosen: S_c = 1, others 0
//! q_c   = exp(s_c - log(1 - exp(-|s_c|)))            the logarithm taken as a constant
//! mu_c  = q_c e_(k-1)(q without c) / e_k(q)          e_j: elementary symmetric polynomials
//! M     = S, with the gradient of mu:              d mu_c / d s_d = P_cd - mu_c mu_d,  P of pairs, as mu of one
//! ```

use burn::tensor::Tensor;
use farhop_graph::random::{mix, unit};
use rayon::prelude::*;

use crate::Batch;
use crate::ops::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Sets the draws of evaluation apart from other random numbers.
pub const EVALUATION: u64 = 0x6970_725F_6D70_6E6E;

/// Input: scores `[N, C]`.
#[derive(Debug)]
struct ChooseOp {
    /// `[R, N, C]`; empty where the largest scores are taken, once.
    uniform: Vec<f32>,
    samples: usize,
    chosen: usize,
}

impl ChooseOp {
    /// 1 at the chosen places of a row, 0 elsewhere.
    fn choose(&self, scores: &[f32], uniform: &[f32], row: &mut [f32]) {
        if uniform.is_empty() {
            let mut sorted = scores.to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let least = sorted[self.chosen - 1];
            row.iter_mut().zip(scores).for_each(|(value, score)| *value = f32::from(u8::from(*score >= least)));
            return;
        }
        let key = |at: &usize| f64::from(scores[*at]) - (-f64::from(uniform[*at]).ln()).ln();
        let mut places: Vec<usize> = (0..scores.len()).collect();
        places.sort_by(|a, b| key(b).total_cmp(&key(a)));
        row.fill(0.0);
        places[..self.chosen].iter().for_each(|place| row[*place] = 1.0);
    }
}

impl Operation for ChooseOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "choose"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (scores, columns) = (inputs[0].data, inputs[0].columns());
        let rows = inputs[0].rows();
        let mut mask = buffers::take(self.samples * scores.len());
        mask.par_chunks_mut(columns.max(1)).enumerate().for_each(|(at, row)| {
            let node = at % rows;
            let uniform = self.uniform.get(at * columns..(at + 1) * columns).unwrap_or_default();
            self.choose(&scores[node * columns..(node + 1) * columns], uniform, row);
        });
        (Output { data: mask, shape: vec![self.samples * rows, columns] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let scores = step.input(0);
        let columns = scores.columns();
        let mut gradient = buffers::take(scores.data.len());
        gradient.par_chunks_mut(columns.max(1)).enumerate().for_each(|(node, row)| {
            let here = node * columns..(node + 1) * columns;
            let mut incoming = vec![0.0; columns];
            for sample in step.gradient.chunks_exact(scores.data.len()) {
                incoming.iter_mut().zip(&sample[here.clone()]).for_each(|(sum, value)| *sum += f64::from(*value));
            }
            slope(&scores.data[here], self.chosen, &incoming, row);
        });
        buffers::give(step.gradient);
        vec![Some(gradient)]
    }
}

/// `e_degree` of the values whose places are not left out.
fn polynomial(values: &[f64], degree: usize, without: [usize; 2]) -> f64 {
    let mut sums = vec![0.0; degree + 1];
    sums[0] = 1.0;
    for (_, value) in values.iter().enumerate().filter(|(place, _)| !without.contains(place)) {
        for at in (1..=degree).rev() {
            sums[at] += value * sums[at - 1];
        }
    }
    sums[degree]
}

/// `sum over c of incoming_c (P_cd - mu_c mu_d)` for every d.
fn slope(scores: &[f32], chosen: usize, incoming: &[f64], row: &mut [f32]) {
    let logarithms: Vec<f64> = scores.iter().map(|score| f64::from(*score)).map(|s| s - negative(s)).collect();
    let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Ratios of polynomials do not change with a common factor.
    let q: Vec<f64> = logarithms.iter().map(|logarithm| (logarithm - most).exp()).collect();
    let none = usize::MAX;
    let whole = polynomial(&q, chosen, [none; 2]).max(f64::MIN_POSITIVE);
    let single: Vec<f64> = (0..q.len()).map(|c| q[c] * polynomial(&q, chosen - 1, [c, none]) / whole).collect();
    let mean: f64 = incoming.iter().zip(&single).map(|(g, mu)| g * mu).sum();
    for (d, value) in row.iter_mut().enumerate() {
        let pairs = (0..q.len()).map(|c| match c == d {
            true => incoming[c] * single[c],
            false if chosen < 2 => 0.0,
            false => incoming[c] * q[c] * q[d] * polynomial(&q, chosen - 2, [c, d]) / whole,
        });
        *value = (pairs.sum::<f64>() - mean * single[d]) as f32;
    }
}

/// `log(1 - exp(-|s|))`.
fn negative(score: f64) -> f64 {
    let size = if score == 0.0 { 1e-10 } else { score.abs() };
    (-(-size).exp_m1()).ln()
}

/// The mask M `[R N, C]` of scores `[N, C]`, a block of rows for every sample: `uniform` `[R, N, C]`, or empty to take
/// the `chosen` largest scores, once. Keeps the scores.
///
/// # Panics
/// If `chosen` is 0 or above C.
pub fn choose(scores: Tensor<2>, uniform: Vec<f32>, chosen: usize) -> Tensor<2> {
    let [rows, columns] = scores.dims();
    assert!((1..=columns).contains(&chosen), "choose: 1 to {columns}");
    let samples = if uniform.is_empty() { 1 } else { uniform.len() / (rows * columns) };
    apply(ChooseOp { uniform, samples, chosen }, [Input::from(scores)])
}

/// Uniform numbers `[R, N, C]`; in evaluation every graph has the same, whatever stands before it in the batch.
pub fn draw(batch: &Batch, samples: usize, columns: usize, seed: Option<u64>) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(samples * batch.nodes() * columns);
    for sample in 0..samples as u64 {
        for (graph, range) in batch.offsets().windows(2).enumerate() {
            let seed = mix(seed.map_or(EVALUATION, |seed| mix(seed, (batch.first_graph() + graph) as u64)), sample);
            let count = ((range[1] - range[0]) * columns) as u64;
            numbers.extend((0..count).map(|at| unit(mix(seed, at)) as f32));
        }
    }
    numbers
}

/// Draws for tests: given to a batch before the pass.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct RecordedDraws {
    pub evaluation: Option<RecordedPass>,
    pub training: Option<RecordedPass>,
    /// Whether the answers of all heads are given one below the other.
    pub heads_apart: bool,
}

/// The draws of one pass.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct RecordedPass {
    pub uniform: Vec<f32>,
    pub start: Vec<f32>,
}

#[cfg(test)]
impl RecordedDraws {
    pub fn of(&self, training: bool) -> Option<&RecordedPass> {
        if training { &self.training } else { &self.evaluation }.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    /// Marginals by all subsets of two.
    fn pairs(scores: &[f64], constants: &[f64]) -> Vec<f64> {
        let q: Vec<f64> = scores.iter().zip(constants).map(|(s, n)| (s - n).exp()).collect();
        let (mut single, mut whole) = (vec![0.0; q.len()], 0.0);
        for a in 0..q.len() {
            for b in 0..a {
                whole += q[a] * q[b];
                single[a] += q[a] * q[b];
                single[b] += q[a] * q[b];
            }
        }
        single.iter().map(|value| value / whole).collect()
    }

    #[test]
    fn the_gradient_is_that_of_the_marginals() {
        let mut stream = Stream::new(3);
        let scores: Vec<f32> = (0..5).map(|_| stream.normal() as f32).collect();
        let incoming: Vec<f64> = (0..5).map(|_| stream.normal()).collect();
        let exact: Vec<f64> = scores.iter().map(|s| f64::from(*s)).collect();
        let constants: Vec<f64> = exact.iter().map(|s| negative(*s)).collect();
        let mut found = vec![0.0; 5];
        slope(&scores, 2, &incoming, &mut found);
        for d in 0..5 {
            let at = |step: f64| {
                let mut moved = exact.clone();
                moved[d] += step;
                pairs(&moved, &constants).iter().zip(&incoming).map(|(mu, g)| mu * g).sum::<f64>()
            };
            let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((f64::from(found[d]) - expected).abs() < 1e-6, "{found:?}, {d}: {expected}");
        }
    }
}
