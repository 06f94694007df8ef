//! `eq9a`-`eq11` as printed, with the redundancy f kept for every edge and feature.

use super::real::{Real, dot, softmax};
use crate::elimination::Mode;
use crate::heads::Heads;
use farhop_graph::{Graph, NO_EDGE};

/// Coefficients of one round: `edge[E, H]` and `node[N, H]`.
#[derive(Clone)]
pub struct Round<T> {
    /// a_ij.
    pub edge: Vec<T>,
    /// a_ii.
    pub node: Vec<T>,
}

/// All rounds of a literal propagation.
pub struct Rounds<T> {
    /// h^1 .. h^K, `[N, F]` each.
    pub states: Vec<Vec<T>>,
    /// h^k - a_ii^k h^(k-1) (the neighbours' sum where the own term is left out), `[N, F]` each.
    pub increments: Vec<Vec<T>>,
    /// f^(k-1) as used in round k, `[E, F]` each; empty in modes without redundancy.
    pub redundancy: Vec<Vec<T>>,
    /// The coefficients that were used.
    pub coefficients: Vec<Round<T>>,
}

/// `eq10` from the state `h[N, F]`: softmax of LeakyReLU(left . h_i + right . h_j + bias) over neighbours and the node itself,
/// each coefficient then multiplied by `factor(counter)` (dropout; counters run over entries, then nodes, times heads).
#[allow(clippy::too_many_arguments)]
pub fn edge_attention<T: Real>(
    graph: &Graph,
    heads: Heads,
    h: &[T],
    left: &[T],
    right: &[T],
    bias: Option<&[T]>,
    slope: f64,
    factor: impl Fn(u64) -> f64,
) -> Round<T> {
    let (n, e, count, width) = (graph.nodes(), graph.entries(), heads.count, heads.width);
    let leaky = |s: T| if s.value() < 0.0 { s * T::of(slope) } else { s };
    let mut round = Round { edge: vec![T::of(0.0); e * count], node: vec![T::of(0.0); n * count] };
    for head in 0..count {
        let range = heads.range(head);
        let part = |vector: &[T], i: usize| dot(&vector[range.clone()], &h[i * width..(i + 1) * width][range.clone()]);
        for i in 0..n {
            let mut scores = vec![leaky(part(left, i) + part(right, i))];
            for (m, &j) in graph.neighbours(i).iter().enumerate() {
                let mut score = part(left, i) + part(right, j as usize);
                if let Some(bias) = bias {
                    score = score + bias[(graph.offsets()[i] + m) * count + head];
                }
                scores.push(leaky(score));
            }
            let weights = softmax(&scores);
            let own = i * count + head;
            round.node[own] = weights[0] * T::of(factor((e * count + own) as u64));
            for (m, weight) in weights[1..].iter().enumerate() {
                let entry = (graph.offsets()[i] + m) * count + head;
                round.edge[entry] = *weight * T::of(factor(entry as u64));
            }
        }
    }
    round
}

/// K rounds of propagation from `z[N, F]`; `coefficients(k, h)` gives those of round k from the state h^(k-1).
pub fn propagate<T: Real>(
    graph: &Graph,
    heads: Heads,
    rounds: usize,
    mode: Mode,
    z: &[T],
    mut coefficients: impl FnMut(usize, &[T]) -> Round<T>,
) -> Rounds<T> {
    let (n, e, count, width) = (graph.nodes(), graph.entries(), heads.count, heads.width);
    let zero = T::of(0.0);
    let head_of: Vec<usize> = (0..count).flat_map(|h| heads.range(h).map(move |_| h)).collect();
    let mut result =
        Rounds { states: Vec::new(), increments: Vec::new(), redundancy: Vec::new(), coefficients: Vec::new() };
    let mut states: Vec<Vec<T>> = vec![z.to_vec()];
    let mut f = vec![zero; e * width];
    for k in 1..=rounds {
        let now = coefficients(k, &states[k - 1]);
        if mode == Mode::Exact {
            let before = f;
            f = vec![zero; e * width];
            if k >= 2 {
                let last = &result.coefficients[k - 2];
                for i in 0..n {
                    for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
                        let j = graph.sources()[entry] as usize;
                        let back = graph.reverse()[entry];
                        for c in 0..width {
                            let h = head_of[c];
                            let older = &states[k - 2];
                            // alpha_jj h_j + alpha_ji h_i - f_ji
                            let mut inner = last.node[j * count + h] * older[j * width + c];
                            if back != NO_EDGE {
                                let back = back as usize;
                                inner = inner + last.edge[back * count + h] * older[i * width + c]
                                    - before[back * width + c];
                            }
                            f[entry * width + c] = now.edge[entry * count + h] * inner;
                        }
                    }
                }
            }
            result.redundancy.push(f.clone());
        }
        let before = &states[k - 1];
        let mut increment = vec![zero; n * width];
        let mut state = vec![zero; n * width];
        for i in 0..n {
            for c in 0..width {
                let h = head_of[c];
                let mut sum = zero;
                for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
                    let j = graph.sources()[entry] as usize;
                    sum = sum + now.edge[entry * count + h] * before[j * width + c];
                    if mode == Mode::Exact {
                        sum = sum - f[entry * width + c];
                    }
                }
                increment[i * width + c] = sum;
                let own = if mode == Mode::SelfLoop { zero } else { now.node[i * count + h] * before[i * width + c] };
                state[i * width + c] = own + sum;
            }
        }
        states.push(state);
        result.increments.push(increment);
        result.coefficients.push(now);
    }
    result.states = states.split_off(1);
    result
}
