//! The backward pass, hand-written: gradients through coefficients, products and states.
//!
//! Walking k from K down to 1, the gradient `g^k` of increment k (or of state k where nothing is eliminated) is complete when
//! its round comes. One gather a round is enough: for row j and receiver i, `g_i^k` is loaded once, adds `p_ij^(k,s) g_i^k` to
//! the gradients of row j's own earlier increments, and its dot products with those increments are the gradients of the
//! products. The rows are those of the transposed graph, so nothing is scattered.

use super::coefficients::{Chain, gather};
use super::forward::Kept;
use super::rounds::{AHEAD, Increments, SEGMENT, states};
use super::{Coefficients, Config, Mode, Reading, Source, check, pairs_before};
use crate::edge_attention;
use crate::parallel::{Blocks, SharedMut, sum_in_order};
use crate::simd::{axpy, axpy_dot, dot, prefetch};
use crate::simd_fn;
use farhop_graph::{Graph, NO_EDGE};
use std::ops::Range;

/// Gradients of an elimination.
pub struct Gradients {
    /// Of the features, `[N, F]`.
    pub z: Vec<f32>,
    /// Of the attention vectors, `[rounds, 2 F]`; empty without attention.
    pub weights: Vec<f32>,
    /// Of the coefficients of the entries, or, with attention, of the scores before LeakyReLU (so of the edge bias):
    /// `[rounds, E, H]`.
    pub edge: Vec<f32>,
    /// Of the nodes' own coefficients, `[rounds, N, H]`.
    pub node: Vec<f32>,
}

/// Gradients of everything, from those of the hops.
///
/// `hop_gradient(i, block)` writes, for node i, the gradients of hops 1..K, `[K, F]`, into `block` (zeros on entry); they
/// refer to the states or to the increments, as `reading` says.
pub fn backward(
    graph: &Graph,
    config: &Config,
    source: &Source,
    z: &[f32],
    kept: &Kept,
    reading: Reading,
    hop_gradient: &(dyn Fn(usize, &mut [f32]) + Sync),
) -> Gradients {
    check(graph, config, source, z);
    let (n, e, heads, rounds) = (graph.nodes(), graph.entries(), config.heads, config.rounds);
    let (width, count) = (heads.width, heads.count);
    let coefficients = kept.coefficients(source, rounds);
    let sets = coefficients.rounds;
    let transposed = graph.transposed();
    let exact = config.mode == Mode::Exact;
    // The coefficients in the order of the transposed rows, along and against each entry.
    let along: Vec<Vec<f32>> =
        (1..=sets).map(|r| gather(coefficients.edge(r), |t| transposed.entries[t], e, count)).collect();
    let against: Vec<Vec<f32>> = if graph.is_directed() && exact {
        let index = |t: usize| graph.reverse()[transposed.entries[t] as usize];
        (1..=sets).map(|r| gather(coefficients.edge(r), index, e, count)).collect()
    } else {
        Vec::new()
    };
    let back = |r: usize| if graph.is_directed() && exact { &against[r][..] } else { coefficients.edge(r + 1) };
    let set_of = |k: usize| if sets == 1 { 0 } else { k - 1 };

    let mut state = State {
        slabs: vec![0.0; rounds * n * width],
        z: vec![0.0; n * width],
        node: vec![0.0; rounds * n * count],
        along: (0..sets).map(|_| vec![0.0; e * count]).collect(),
        against: (0..sets).map(|_| vec![0.0; if exact { e * count } else { 0 }]).collect(),
        carry: vec![0.0; if config.mode == Mode::None || source.each_round() { n * width } else { 0 }],
        returned: vec![0.0; if exact { (rounds / 2) * n * count } else { 0 }],
    };
    let all = Increments { z, slabs: &kept.increments, width };
    let context = Context { graph, config, all, coefficients, sums: &kept.sums };
    seed(&context, reading, hop_gradient, &mut state);

    let mut gradients = Gradients { z: Vec::new(), weights: Vec::new(), edge: Vec::new(), node: Vec::new() };
    let mut pending: Option<Pending> = None;
    let mut weights: Vec<Vec<f32>> = Vec::new();
    let mut edge: Vec<Vec<f32>> = vec![Vec::new(); sets];
    for k in (1..=rounds).rev() {
        weights.extend(turn(&context, k, pending.take(), &mut state));
        let chain = Chain {
            own: (1..=k).map(|m| &along[set_of(m)][..]).collect(),
            back: (1..=k).map(|m| back(set_of(m))).collect(),
        };
        pull(&context, k, chain, &mut state);
        if let Source::Attention(a) = source
            && a.each_round
        {
            edge[k - 1] = state.join_entries(graph, count, k - 1);
            let own = &state.node[(k - 1) * n * count..k * n * count];
            let scores = a.scores(k - 1, count, e, kept.scalars(k - 1, n * count).0, kept.scalars(k - 1, n * count).1);
            let g = edge_attention::backward(graph, &scores, coefficients.edge(k), coefficients.node(k), &mut edge[k - 1], own);
            pending = Some(Pending { vectors: a.vectors(k - 1, width), gradients: g });
        }
    }
    if sets == 1 {
        // One set for all rounds: add up what the rounds contributed.
        let mut own = vec![0.0; n * count];
        for round in state.node.chunks_exact((n * count).max(1)) {
            for (sum, v) in own.iter_mut().zip(round) {
                *sum += v;
            }
        }
        state.node = own;
    }
    if edge.iter().all(Vec::is_empty) {
        edge = (0..sets).map(|r| state.join_entries(graph, count, r)).collect();
    }
    if let Source::Attention(a) = source
        && !a.each_round
    {
        let scores = a.scores(0, count, e, kept.scalars(0, n * count).0, kept.scalars(0, n * count).1);
        let g = edge_attention::backward(graph, &scores, coefficients.edge(1), coefficients.node(1), &mut edge[0], &state.node);
        pending = Some(Pending { vectors: a.vectors(0, width), gradients: g });
    }
    weights.extend(turn(&context, 0, pending, &mut state));
    weights.reverse();
    gradients.weights = weights.concat();
    gradients.edge = edge.concat();
    gradients.z = state.z;
    gradients.node = state.node;
    gradients
}

/// What stays the same over the rounds.
struct Context<'a> {
    graph: &'a Graph,
    config: &'a Config,
    all: Increments<'a>,
    coefficients: Coefficients<'a>,
    sums: &'a [f32],
}

/// Gradients under construction.
struct State {
    /// Of d^k (eliminating) or h^k (not), `[K, N, F]`.
    slabs: Vec<f32>,
    /// Of z.
    z: Vec<f32>,
    /// Of the nodes' own coefficients, `[K, N, H]`.
    node: Vec<f32>,
    /// Of the coefficient along entry t of the transposed rows, per set.
    along: Vec<Vec<f32>>,
    /// Of the coefficient against it.
    against: Vec<Vec<f32>>,
    /// Gradient of the state h^k that does not come from the hops: from later states and scores.
    carry: Vec<f32>,
    /// g_i^k . d_i^(k-1-s) for odd s, `[pairs, N, H]`.
    returned: Vec<f32>,
}

impl State {
    /// The gradient of the coefficients of set `r` in the order of the entries, `[E, H]`.
    fn join_entries(&mut self, graph: &Graph, count: usize, r: usize) -> Vec<f32> {
        let along = std::mem::take(&mut self.along[r]);
        let against = std::mem::take(&mut self.against[r]);
        let transposed = graph.transposed();
        if !graph.is_directed() {
            let mut joined = gather(&along, |e| graph.reverse()[e], graph.entries(), count);
            for (sum, v) in joined.iter_mut().zip(&against) {
                *sum += v;
            }
            return joined;
        }
        let mut joined = vec![0.0; graph.entries() * count];
        for (t, &entry) in transposed.entries.iter().enumerate() {
            let back = graph.reverse()[entry as usize];
            for h in 0..count {
                joined[entry as usize * count + h] += along[t * count + h];
                if back != NO_EDGE && !against.is_empty() {
                    joined[back as usize * count + h] += against[t * count + h];
                }
            }
        }
        joined
    }
}

/// Gradients of the scores of round k + 1, still to be added to state h^k.
struct Pending<'a> {
    vectors: (&'a [f32], &'a [f32]),
    gradients: edge_attention::ScoreGradients,
}

/// Puts the hops' gradients in place, folded along the chain of states where increments are what rounds exchange.
fn seed(context: &Context, reading: Reading, hop_gradient: &(dyn Fn(usize, &mut [f32]) + Sync), state: &mut State) {
    let (config, n) = (context.config, context.graph.nodes());
    let (width, count, rounds) = (config.heads.width, config.heads.count, config.rounds);
    let slabs = SharedMut::new(&mut state.slabs);
    let z = SharedMut::new(&mut state.z);
    let node = SharedMut::new(&mut state.node);
    Blocks::by_rows(n, 4 * rounds * width).run(|rows| {
        let mut block = vec![0.0; rounds * width];
        let mut chain = vec![0.0; (rounds + 1) * width];
        let mut own = vec![0.0; rounds * count];
        for i in rows {
            block.fill(0.0);
            hop_gradient(i, &mut block);
            // SAFETY: row i of every array belongs to this block only.
            let z = unsafe { z.part(i * width..(i + 1) * width) };
            own.fill(0.0);
            fold(context, reading, i, &mut block, &mut chain, &mut own, z);
            for k in 0..rounds {
                let at = (k * n + i) * width;
                let at_node = (k * n + i) * count;
                // SAFETY: as above.
                unsafe {
                    slabs.part(at..at + width).copy_from_slice(&block[k * width..(k + 1) * width]);
                    node.part(at_node..at_node + count).copy_from_slice(&own[k * count..(k + 1) * count]);
                }
            }
        }
    });
}

simd_fn! {
    /// Rewrites one node's hop gradients into gradients of what the rounds exchange.
    fn fold<M>(
        context: &Context,
        reading: Reading,
        i: usize,
        block: &mut [f32],
        chain: &mut [f32],
        own: &mut [f32],
        z: &mut [f32],
    ) {
        let (config, heads) = (context.config, context.config.heads);
        let (width, count, rounds) = (heads.width, heads.count, config.rounds);
        let coefficient = |k: usize, h: usize| context.coefficients.node(k)[i * count + h];
        let forward_chain = config.mode == Mode::Exact && reading == Reading::Cumulative;
        let backward_chain = config.mode == Mode::None && reading == Reading::Increment;
        if !forward_chain && !backward_chain {
            return;
        }
        states::<M>(&context.all, heads, config.mode, |k| context.coefficients.node(k), i, rounds - 1, chain);
        if forward_chain {
            // h^k = a_ii h^(k-1) + d^k: what reaches h^k reaches h^(k-1) as well.
            for k in (1..=rounds).rev() {
                let (lower, upper) = block.split_at_mut((k - 1) * width);
                let now = &upper[..width];
                for h in 0..count {
                    let range = heads.range(h);
                    own[(k - 1) * count + h] = dot::<M>(&now[range.clone()], &chain[(k - 1) * width..k * width][range.clone()]);
                    let below = if k == 1 { &mut z[range.clone()] } else { &mut lower[(k - 2) * width..][range.clone()] };
                    axpy::<M>(coefficient(k, h), &now[range], below);
                }
            }
        } else {
            // d^k = h^k - a_ii h^(k-1): from the lowest hop up, so that each is read before it is changed.
            for k in 1..=rounds {
                let (lower, upper) = block.split_at_mut((k - 1) * width);
                let now = &upper[..width];
                for h in 0..count {
                    let range = heads.range(h);
                    own[(k - 1) * count + h] = -dot::<M>(&now[range.clone()], &chain[(k - 1) * width..k * width][range.clone()]);
                    let below = if k == 1 { &mut z[range.clone()] } else { &mut lower[(k - 2) * width..][range.clone()] };
                    axpy::<M>(-coefficient(k, h), &now[range], below);
                }
            }
        }
    }
}

/// Completes the gradients of round k before they are pulled: the scores of round k + 1, the carried states, and the odd terms.
/// Returns the gradient of the attention vectors of the pending round. k = 0 completes the gradient of z.
fn turn(context: &Context, k: usize, pending: Option<Pending>, state: &mut State) -> Option<Vec<f32>> {
    let (config, n) = (context.config, context.graph.nodes());
    let (width, count) = (config.heads.width, config.heads.count);
    if k == 0 && pending.is_none() && state.carry.is_empty() {
        return None;
    }
    if pending.is_none() && state.carry.is_empty() && (config.mode != Mode::Exact || k < 2) {
        return None;
    }
    let shared = Shared {
        slabs: SharedMut::new(&mut state.slabs),
        z: SharedMut::new(&mut state.z),
        node: SharedMut::new(&mut state.node),
        carry: SharedMut::new(&mut state.carry),
        returned: SharedMut::new(&mut state.returned),
    };
    let sums = &context.sums[(pairs_before(k.max(1)) * n * count).min(context.sums.len())..];
    let parts = Blocks::by_rows(n, (k + 4) * width).map(|rows| turn_rows(context, k, pending.as_ref(), &shared, sums, rows));
    pending.map(|_| sum_in_order(parts, 2 * width))
}

/// The arrays that [`turn`] writes, each row by the block that owns it.
struct Shared<'a> {
    slabs: SharedMut<'a, f32>,
    z: SharedMut<'a, f32>,
    node: SharedMut<'a, f32>,
    carry: SharedMut<'a, f32>,
    returned: SharedMut<'a, f32>,
}

impl<'a> Shared<'a> {
    /// # Safety
    /// Row `i` must belong to the calling block, and the row of increment `m` must not be in use.
    #[inline(always)]
    unsafe fn gradient(&self, m: usize, i: usize, n: usize, width: usize) -> &'a mut [f32] {
        // SAFETY: by the caller's promise.
        unsafe {
            if m == 0 {
                self.z.part(i * width..(i + 1) * width)
            } else {
                let at = ((m - 1) * n + i) * width;
                self.slabs.part(at..at + width)
            }
        }
    }
}

simd_fn! {
    fn turn_rows<M>(
        context: &Context,
        k: usize,
        pending: Option<&Pending>,
        shared: &Shared,
        sums: &[f32],
        rows: Range<usize>,
    ) -> Vec<f32> {
        let (heads, mode, n) = (context.config.heads, context.config.mode, context.graph.nodes());
        let (width, count) = (heads.width, heads.count);
        let carried = !shared.carry.is_empty();
        let mut weights = vec![0.0f32; if pending.is_some() { 2 * width } else { 0 }];
        let mut chain = vec![0.0f32; (k + 1) * width];
        let mut nothing = vec![0.0f32; width];
        let mut passed_on = vec![0.0f32; width];
        for i in rows {
            if carried || pending.is_some() {
                let last = if pending.is_some() { k } else { k.saturating_sub(1) };
                states::<M>(&context.all, heads, mode, |k| context.coefficients.node(k), i, last, &mut chain);
            }
            // SAFETY: row i belongs to this block only.
            let carry = if carried { unsafe { shared.carry.part(i * width..(i + 1) * width) } } else { &mut nothing[..] };
            if let Some(pending) = pending {
                if !carried {
                    carry.fill(0.0);
                }
                let now = &chain[k * width..(k + 1) * width];
                let (left, right) = weights.split_at_mut(width);
                for h in 0..count {
                    let range = heads.range(h);
                    let (x, y) = (pending.gradients.receiver[i * count + h], pending.gradients.sender[i * count + h]);
                    axpy::<M>(x, &pending.vectors.0[range.clone()], &mut carry[range.clone()]);
                    axpy::<M>(y, &pending.vectors.1[range.clone()], &mut carry[range.clone()]);
                    axpy::<M>(x, &now[range.clone()], &mut left[range.clone()]);
                    axpy::<M>(y, &now[range.clone()], &mut right[range]);
                }
            }
            // SAFETY: row i belongs to this block only, and earlier increments are taken one at a time below.
            let gradient = unsafe { shared.gradient(k, i, n, width) };
            if carried || pending.is_some() {
                axpy::<M>(1.0, carry, gradient);
            }
            if k == 0 {
                continue;
            }
            if carried {
                let before = &chain[(k - 1) * width..k * width];
                // SAFETY: row i belongs to this block only.
                let own = unsafe { shared.node.part(((k - 1) * n + i) * count..((k - 1) * n + i + 1) * count) };
                let whole: &[f32] = if mode == Mode::None { gradient } else { carry };
                if mode == Mode::SelfLoop {
                    carry.fill(0.0);
                } else {
                    for h in 0..count {
                        let range = heads.range(h);
                        own[h] += dot::<M>(&whole[range.clone()], &before[range.clone()]);
                        let a = context.coefficients.node(k)[i * count + h];
                        for (c, w) in passed_on[range.clone()].iter_mut().zip(&whole[range]) {
                            *c = a * w;
                        }
                    }
                    carry.copy_from_slice(&passed_on);
                }
            }
            if mode == Mode::Exact {
                for pair in 0..k / 2 {
                    let m = k - 2 - 2 * pair;
                    // SAFETY: m < k, so this is another row than `gradient`; row i belongs to this block only.
                    let (earlier, returned) = unsafe {
                        let at = (pair * n + i) * count;
                        (shared.gradient(m, i, n, width), shared.returned.part(at..at + count))
                    };
                    let increment = context.all.row(m, i);
                    for h in 0..count {
                        let range = heads.range(h);
                        let sum = sums[(pair * n + i) * count + h];
                        returned[h] = axpy_dot::<M>(-sum, &gradient[range.clone()], &mut earlier[range.clone()], &increment[range]);
                    }
                }
            }
        }
        weights
    }
}

/// The gather of round k over the transposed rows.
fn pull(context: &Context, k: usize, chain: Chain, state: &mut State) {
    let (graph, config, n) = (context.graph, context.config, context.graph.nodes());
    let (width, count) = (config.heads.width, config.heads.count);
    let transposed = graph.transposed();
    let (lower, upper) = state.slabs.split_at_mut((k - 1) * n * width);
    let gradient = &upper[..n * width];
    let lower = SharedMut::new(lower);
    let z = SharedMut::new(&mut state.z);
    let along: Vec<SharedMut<f32>> = state.along.iter_mut().map(|v| SharedMut::new(v)).collect();
    let against: Vec<SharedMut<f32>> = state.against.iter_mut().map(|v| SharedMut::new(v)).collect();
    let returned = &state.returned[..];
    let depth = if config.mode == Mode::Exact { k } else { 1 };
    let pass = Pull { context, k, depth, chain, gradient, returned };
    Blocks::by_entries(transposed.offsets, 4, 2 * width).run(|rows| {
        let entries = transposed.offsets[rows.start] * count..transposed.offsets[rows.end] * count;
        let set = |m: usize| if context.coefficients.rounds == 1 { 0 } else { m - 1 };
        // One slice per distinct set: with one set for all rounds, every factor adds to the same slice.
        let lowest = k + 1 - depth;
        // SAFETY: blocks are disjoint ranges of transposed rows, which own their entries and their nodes' rows.
        let (mut own, mut back, mut targets) = unsafe {
            let sets = if context.coefficients.rounds == 1 { 0..1 } else { set(lowest)..set(k) + 1 };
            (
                sets.clone().map(|r| along[r].part(entries.clone())).collect::<Vec<_>>(),
                sets.map(|r| if depth > 1 { against[r].part(entries.clone()) } else { &mut [][..] }).collect::<Vec<_>>(),
                (0..depth)
                    .step_by(2)
                    .map(|s| {
                        let m = k - 1 - s;
                        if m == 0 {
                            z.part(rows.start * width..rows.end * width)
                        } else {
                            lower.part(((m - 1) * n + rows.start) * width..((m - 1) * n + rows.end) * width)
                        }
                    })
                    .collect::<Vec<_>>(),
            )
        };
        pull_rows(&pass, rows, &mut own, &mut back, &mut targets);
    });
}

/// One backward round's inputs.
struct Pull<'a> {
    context: &'a Context<'a>,
    k: usize,
    /// How many factors the longest product has.
    depth: usize,
    chain: Chain<'a>,
    /// g^k, `[N, F]`.
    gradient: &'a [f32],
    returned: &'a [f32],
}

simd_fn! {
    fn pull_rows<M>(pass: &Pull, rows: Range<usize>, own: &mut [&mut [f32]], back: &mut [&mut [f32]], targets: &mut [&mut [f32]]) {
        let (context, k, depth) = (pass.context, pass.k, pass.depth);
        let (heads, mode, n) = (context.config.heads, context.config.mode, context.graph.nodes());
        let (width, count) = (heads.width, heads.count);
        let transposed = context.graph.transposed();
        let stride = SEGMENT * count;
        let base = transposed.offsets[rows.start];
        let one_set = context.coefficients.rounds == 1;
        let mut products = vec![0.0f32; depth * stride];
        let mut given = vec![0.0f32; depth * stride];
        let mut chain = vec![0.0f32; if mode == Mode::None { k * width } else { 0 }];
        for (n_row, j) in rows.clone().enumerate() {
            if mode == Mode::None {
                states::<M>(&context.all, heads, mode, |k| context.coefficients.node(k), j, k - 1, &mut chain);
            }
            let end = transposed.offsets[j + 1];
            let mut from = transposed.offsets[j];
            while from < end {
                let to = (from + SEGMENT).min(end);
                let len = (to - from) * count;
                if depth > 1 {
                    pass.chain.products(k, from * count, to * count, &mut products, stride);
                } else {
                    products[..len].copy_from_slice(&pass.chain.own[k - 1][from * count..to * count]);
                }
                for t in from..to {
                    let i = transposed.targets[t] as usize;
                    if t + AHEAD < end {
                        prefetch(pass.gradient, transposed.targets[t + AHEAD] as usize * width, width);
                    }
                    let gradient = &pass.gradient[i * width..(i + 1) * width];
                    let at = (t - from) * count;
                    for (l, target) in targets.iter_mut().enumerate() {
                        let s = 2 * l;
                        let row = if mode == Mode::None { &chain[(k - 1) * width..] } else { context.all.row(k - 1 - s, j) };
                        let target = &mut target[n_row * width..(n_row + 1) * width];
                        for h in 0..count {
                            let range = heads.range(h);
                            let p = products[s * stride + at + h];
                            given[s * stride + at + h] =
                                axpy_dot::<M>(p, &gradient[range.clone()], &mut target[range.clone()], &row[range]);
                        }
                    }
                    let mut s = 1;
                    while s < depth {
                        for h in 0..count {
                            given[s * stride + at + h] = -pass.returned[((s / 2) * n + i) * count + h];
                        }
                        s += 2;
                    }
                }
                // Product rule along the chain, from the last factor back: suffix_s = g_s + factor_(s+1) suffix_(s+1), and
                // the gradient of factor s is (product of the factors before it) * suffix_s.
                for s in (0..depth).rev() {
                    let slot = if one_set { 0 } else { depth - 1 - s };
                    let at = (from - base) * count..(to - base) * count;
                    let slice: &mut [f32] = if s % 2 == 0 { &mut own[slot][at] } else { &mut back[slot][at] };
                    if s == 0 {
                        for (sum, g) in slice.iter_mut().zip(&given[..len]) {
                            *sum += g;
                        }
                    } else {
                        let (lower, upper) = given.split_at_mut(s * stride);
                        let before = &products[(s - 1) * stride..(s - 1) * stride + len];
                        for ((sum, g), p) in slice.iter_mut().zip(&upper[..len]).zip(before) {
                            *sum += g * p;
                        }
                        let factors = if s % 2 == 1 { pass.chain.back[k - 1 - s] } else { pass.chain.own[k - 1 - s] };
                        let factors = &factors[from * count..to * count];
                        for ((l, g), f) in lower[(s - 1) * stride..(s - 1) * stride + len].iter_mut().zip(&upper[..len]).zip(factors) {
                            *l += g * f;
                        }
                    }
                }
                from = to;
            }
        }
    }
}
