//! The GEN layer with 64-bit numbers: the literal versions of the kernels put together, and their exact gradients.

use farhop_graph::{Graph, random};
use farhop_kernels::edge_attention::Dropout;
use farhop_kernels::elimination::{Mode, Reading};
use farhop_kernels::heads::Heads;
use farhop_kernels::reference::Real;
use farhop_kernels::reference::elimination::{Round, edge_attention, propagate};
use farhop_kernels::reference::hop_attention::mix;
use farhop_kernels::reference::tape::{self, Var};
use farhop_nn::{CoefficientKind, GenConfig};

use crate::layer::{Slices, fixed_coefficients};

/// A layer on a graph.
pub struct Run<'a> {
    /// The settings.
    pub config: &'a GenConfig,
    /// The graph.
    pub graph: &'a Graph,
    /// Channels of the output.
    pub outputs: usize,
    /// Attention dropout.
    pub dropout: Option<Dropout>,
}

impl Run<'_> {
    /// `[N, outputs]`.
    pub fn forward(&self, x: &[f64], width: usize, slices: &Slices<'_, f64>) -> Vec<f64> {
        self.compute(x, width, slices)
    }

    /// Gradients of x, attention, bias, query, key, hop_bias, value and residual, each if there is such a thing.
    pub fn backward(
        &self,
        x: &[f64],
        width: usize,
        slices: &Slices<'_, f64>,
        gradient: &[f64],
    ) -> Vec<Option<Vec<f64>>> {
        let (query, key) = slices.query_key.unzip();
        let given =
            [Some(x), slices.attention, slices.bias, query, key, slices.hop_bias, Some(slices.value), slices.residual];
        let there: Vec<&[f64]> = given.into_iter().flatten().collect();
        let recorded = tape::record(&there);
        let mut places = recorded.iter();
        let mut next = |there: bool| if there { places.next().map(Vec::as_slice) } else { None };
        let [x, attention, bias, query, key, hop_bias, value, residual] = given.map(|array| next(array.is_some()));
        let taped =
            Slices { attention, bias, query_key: query.zip(key), hop_bias, value: value.unwrap_or(&[]), residual };
        let output = self.compute(x.unwrap_or(&[]), width, &taped);
        let sum =
            output.iter().zip(gradient).fold(Var::of(0.0), |sum, (output, slope)| sum + *output * Var::of(*slope));
        let mut found = tape::gradients(sum, &recorded).into_iter();
        given.into_iter().map(|array| array.and_then(|_| found.next())).collect()
    }

    fn compute<T: Real>(&self, x: &[T], width: usize, slices: &Slices<'_, T>) -> Vec<T> {
        let config = self.config.kernel(width, self.outputs);
        let rounds = self.rounds(x, width, slices, config.elimination.heads, config.elimination.mode);
        let mut hops = match config.hops.reading {
            Reading::Cumulative => rounds.states,
            Reading::Increment => rounds.increments,
        };
        if config.hops.include_self {
            hops.insert(0, x.to_vec());
        }
        let heads = config.hops.heads;
        let query = slices.query_key.map(|(query, key)| self.queries(x, width, query, key, heads));
        let (gamma, epsilon) = (f64::from(config.hops.gamma), f64::from(config.hops.epsilon));
        let scale = f64::from(config.hops.scale);
        let (mixed, _) = mix(heads, &hops, query.as_deref(), slices.hop_bias, gamma, epsilon, scale);
        let mut found = product(&mixed, width, slices.value, self.outputs);
        if let Some(residual) = slices.residual {
            let own = product(x, width, residual, self.outputs);
            found.iter_mut().zip(own).for_each(|(sum, own)| *sum = *sum + own);
        }
        found
    }

    fn rounds<T: Real>(
        &self,
        x: &[T],
        width: usize,
        slices: &Slices<'_, T>,
        heads: Heads,
        mode: Mode,
    ) -> farhop_kernels::reference::elimination::Rounds<T> {
        let each = self.config.coefficients == CoefficientKind::AttentionPerRound;
        let (edge, node) = fixed_coefficients(self.config, self.graph);
        propagate(self.graph, heads, self.config.hops, mode, x, |round, state| match slices.attention {
            Some(vectors) => {
                let set = if each { round - 1 } else { 0 };
                let (left, right) = vectors[set * 2 * width..(set + 1) * 2 * width].split_at(width);
                let mask = self.dropout.map(|mask| Dropout { seed: random::mix(mask.seed, set as u64), ..mask });
                let factor = |counter: u64| mask.map_or(1.0, |mask| f64::from(mask.factor(counter)));
                let state = if each { state } else { x };
                let slope = f64::from(self.config.attention_slope);
                edge_attention(self.graph, heads, state, left, right, slices.bias, slope, factor)
            }
            None => {
                let numbers = |numbers: &[f32]| numbers.iter().map(|number| T::of(f64::from(*number))).collect();
                Round { edge: numbers(&edge), node: numbers(&node) }
            }
        })
    }

    /// `q` of hop attention: for the channels of a head, its queries against its keys.
    fn queries<T: Real>(&self, x: &[T], width: usize, query: &[T], key: &[T], heads: Heads) -> Vec<T> {
        let size = self.config.key(self.outputs);
        let all = product(x, width, query, heads.count * size);
        let mut found = vec![T::of(0.0); x.len()];
        for (row, queries) in found.chunks_exact_mut(width).zip(all.chunks_exact(heads.count * size)) {
            for head in 0..heads.count {
                for channel in heads.range(head) {
                    let pairs = queries[head * size..(head + 1) * size].iter().zip(&key[channel * size..]);
                    row[channel] = pairs.fold(T::of(0.0), |sum, (query, key)| sum + *query * *key);
                }
            }
        }
        found
    }
}

/// `[rows, width]` times `[width, columns]`.
fn product<T: Real>(left: &[T], width: usize, right: &[T], columns: usize) -> Vec<T> {
    let row = |row: &[T]| -> Vec<T> {
        let mut found = vec![T::of(0.0); columns];
        for (value, weights) in row.iter().zip(right.chunks_exact(columns)) {
            found.iter_mut().zip(weights).for_each(|(sum, weight)| *sum = *sum + *value * *weight);
        }
        found
    };
    left.chunks_exact(width).flat_map(row).collect()
}

/// Rounds of elimination with given coefficients, `[rounds, N, F]`.
pub fn eliminate<T: Real>(
    graph: &Graph,
    x: &[T],
    width: usize,
    edge: &[T],
    node: &[T],
    rounds: usize,
    cumulative: bool,
) -> Vec<T> {
    let (entries, nodes) = (graph.entries(), graph.nodes());
    let found = propagate(graph, Heads::new(width, 1), rounds, Mode::Exact, x, |round, _| {
        let each = node.len() > nodes;
        let set = if each { round - 1 } else { 0 };
        Round {
            edge: edge[set * entries..(set + 1) * entries].to_vec(),
            node: node[set * nodes..(set + 1) * nodes].to_vec(),
        }
    });
    if cumulative { found.states.concat() } else { found.increments.concat() }
}

/// The gradients of x, of the coefficients of entries and of those of nodes.
pub fn eliminate_backward(
    graph: &Graph,
    (x, width, edge, node): (&[f64], usize, &[f64], &[f64]),
    rounds: usize,
    cumulative: bool,
    gradient: &[f64],
) -> Vec<Vec<f64>> {
    let recorded = tape::record(&[x, edge, node]);
    let [x, edge, node] = &recorded[..] else { return Vec::new() };
    let output = eliminate(graph, x, width, edge, node, rounds, cumulative);
    let sum = output.iter().zip(gradient).fold(Var::of(0.0), |sum, (output, slope)| sum + *output * Var::of(*slope));
    tape::gradients(sum, &recorded)
}
