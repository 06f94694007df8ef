//! The forward pass.

use super::coefficients::{Chain, gather};
use super::gather::{After, Pass, Scalars, run_gather};
use super::halo::{finish_others, higher};
use super::nodes::{peaks, score_rows};
use super::rounds::{Increments, states};
use super::spread::run_spread;
use super::{Coefficients, Config, Mode, Source, Storage, check, pairs_before};
use crate::buffers;
use crate::edge_attention;
use crate::exchange::Halo;
use crate::packed::Packed;
use crate::parallel::{Blocks, SharedMut, clear};
use crate::simd_fn;
use farhop_graph::Graph;

/// What the forward pass returns, and all that the backward pass needs besides the inputs.
pub struct Kept {
    /// d^1 .. d^K, `[N, F]` each; none while they are [put away](Kept::put_away).
    pub increments: Vec<Vec<f32>>,
    packed: Packed,
    /// Coefficients made by attention, `[rounds, E, H]`; empty when they were given.
    pub edge: Vec<f32>,
    /// The nodes' own coefficients made by attention, `[rounds, N, H]`; empty when they were given.
    pub node: Vec<f32>,
    /// Node scalars of the scores, `[rounds, 2, N, H]`; empty without attention.
    pub(super) scalars: Vec<f32>,
    /// sum_j p_ij^(k,s) for every round k and odd s, `[pairs, N, H]`.
    pub(super) sums: Vec<f32>,
    /// What rows of coefficients are computed from beside scalars, `[rounds, 2, N, H]`: see [`edge_attention`]. Only where other processes need it.
    pub(super) norms: Vec<f32>,
}

impl Kept {
    /// The coefficients that were used.
    pub fn coefficients<'a>(&'a self, source: &Source<'a>, rounds: usize) -> Coefficients<'a> {
        match source {
            Source::Given(given) => *given,
            Source::Attention(a) => Coefficients { rounds: a.rounds(rounds), edge: &self.edge, node: &self.node },
        }
    }

    /// Gives the memory to whoever needs some next.
    pub fn give_back(mut self) {
        self.packed.clear();
        for buffer in self.increments.into_iter().chain([self.edge, self.node, self.scalars, self.sums, self.norms]) {
            buffers::give(buffer);
        }
    }

    /// d^K, the last increment.
    pub fn take_last(&mut self) -> Vec<f32> {
        self.increments.pop().unwrap_or_default()
    }

    /// Makes the increments smaller until they are needed again, if they may be ([`Storage::Packed`]).
    pub fn put_away(&mut self, config: &Config, nodes: usize) {
        if config.storage == Storage::Packed {
            self.packed = Packed::new(nodes, config.heads.width);
            for increment in self.increments.drain(..) {
                self.packed.push(&increment);
                buffers::give(increment);
            }
        }
    }

    /// The opposite of [`Kept::put_away`].
    pub fn take_out(&mut self) {
        if !self.packed.is_empty() {
            self.increments = self.packed.unpack();
        }
    }

    pub(super) fn scalars(&self, r: usize, size: usize) -> (&[f32], &[f32]) {
        self.scalars[r * 2 * size..(r + 1) * 2 * size].split_at(size)
    }

    /// The norms of set `r`, `[2, N, H]`.
    pub(super) fn norms(&self, r: usize, size: usize) -> &[f32] {
        &self.norms[r * 2 * size..(r + 1) * 2 * size]
    }
}

/// K rounds of elimination from `z[N, F]`.
///
/// Work: one gather of F numbers per entry and round, plus, for [`Mode::Exact`] with new attention each round, one more for
/// every second earlier round ((k + 1) / 2 in round k) that is not negligible. Memory: see [`super::bytes_kept`].
pub fn forward(graph: &Graph, config: &Config, source: &Source, z: &[f32]) -> Kept {
    forward_within(graph, config, source, z, None)
}

/// As [`forward`], where the graph may be a part of one over several processes: rows are those of own nodes first, and after every round the
/// others have what their owners computed. `z` has the rows of all nodes ([`Halo::extended`]). A message goes to every neighbouring process
/// before each round from the second on, with the last increment (F numbers a node) and, with new attention each round, the norms of the last
/// coefficients (2 H); one more message brings the norms that came last. The last increment of others is not known.
pub fn forward_within(graph: &Graph, config: &Config, source: &Source, z: &[f32], halo: Option<&Halo>) -> Kept {
    check(graph, config, source, z);
    let (n, e, heads, rounds) = (graph.nodes(), graph.entries(), config.heads, config.rounds);
    let count = heads.count;
    let own = halo.map_or(n, Halo::own);
    let size = n * count;
    let exact = config.mode == Mode::Exact;
    let sets = source.rounds(rounds);
    let attention = match source {
        Source::Attention(a) => Some(a),
        Source::Given(_) => None,
    };
    let made = if attention.is_some() { sets } else { 0 };
    let mut kept = Kept {
        increments: (0..rounds).map(|_| buffers::take(n * heads.width)).collect(),
        packed: Packed::new(n, heads.width),
        edge: buffers::take(made * e * count),
        node: buffers::take(made * n * count),
        scalars: buffers::take(made * 2 * n * count),
        sums: buffers::zeros(if exact { pairs_before(rounds + 1) * n * count } else { 0 }),
        norms: buffers::take(if halo.is_some() { made * 2 * n * count } else { 0 }),
    };
    if let Some(a) = attention {
        let (left, right) = a.vectors(0, heads.width);
        let (x, y) = kept.scalars[..2 * n * count].split_at_mut(n * count);
        score_rows(heads, z, left, right, x, y);
    }
    let each_round = source.each_round();
    // One gather a round is enough when every coefficient is known beforehand.
    let spread = exact && !each_round && rounds > 2;
    if spread {
        kept.increments.iter_mut().for_each(|increment| clear(increment));
    }
    let skip = config.skip_negligible && exact && !spread && rounds > 2;
    let mut highest = if skip { peaks(heads, z) } else { Vec::new() };
    let stateful = config.mode == Mode::None || (each_round && rounds > 1);
    let mut state = buffers::take(if stateful { z.len() } else { 0 });
    let mut next_state = buffers::take(if config.mode == Mode::None { z.len() } else { 0 });
    let mut reversed: Vec<Vec<f32>> = Vec::new();
    let mut packed = Packed::new(n, heads.width);

    // What others say of set r: what they were computed from, and so all coefficients of their rows that are here.
    let attend_others = |kept: &mut Kept, r: usize, halo: &Halo, increment: Option<usize>| {
        let Kept { increments, norms, scalars, edge, node, .. } = kept;
        let mut said: Vec<(&mut [f32], usize)> = Vec::new();
        if let Some(at) = increment {
            said.push((&mut increments[at], heads.width));
        }
        if attention.is_some() && (each_round || increment.is_none()) {
            let (most, scale) = norms[r * 2 * size..(r + 1) * 2 * size].split_at_mut(size);
            said.extend([(most, count), (scale, count)]);
        }
        halo.fill(&mut said);
        if let Some(a) = attention.filter(|_| each_round || increment.is_none()) {
            let (x, y) = scalars[r * 2 * size..(r + 1) * 2 * size].split_at(size);
            let scores = a.scores(r, count, e, x, y, Some(halo));
            let (edge, node) = (&mut edge[r * e * count..(r + 1) * e * count], &mut node[r * size..(r + 1) * size]);
            edge_attention::halo::forward(graph, &scores, own, &norms[r * 2 * size..(r + 1) * 2 * size], edge, node);
        }
    };
    for k in 1..=rounds {
        if let Some(halo) = halo.filter(|_| k > 1) {
            attend_others(&mut kept, k - 2, halo, Some(k - 2));
            if skip {
                higher(heads, &kept.increments[k - 2][own * heads.width..], &mut highest[(k - 1) * count..]);
            }
            if stateful {
                let given = match source {
                    Source::Given(given) => Some(given.node(k - 1)),
                    Source::Attention(_) => None,
                };
                let set = if each_round { k - 2 } else { 0 };
                let before: &[f32] = match (k, config.mode) {
                    (2, _) => z,
                    (_, Mode::None) => &next_state,
                    _ => &[],
                };
                let after = After {
                    own: given.unwrap_or_else(|| &kept.node[set * size..(set + 1) * size]),
                    state: SharedMut::new(&mut state),
                    next: attention.filter(|_| each_round).map(|a| {
                        let (left, right) = a.vectors(k - 1, heads.width);
                        let (x, y) = kept.scalars[(k - 1) * 2 * size..k * 2 * size].split_at_mut(size);
                        Scalars { left, right, x: SharedMut::new(x), y: SharedMut::new(y) }
                    }),
                };
                finish_others(config, before, own, &after, &kept.increments[k - 2]);
            }
        }
        if let Some(a) = attention
            && (k == 1 || each_round)
        {
            let r = k - 1;
            let (x, y) = kept.scalars[r * 2 * size..(r + 1) * 2 * size].split_at(size);
            let scores = a.scores(r, count, e, x, y, halo);
            let edge = &mut kept.edge[r * e * count..(r + 1) * e * count];
            let norms = if halo.is_some() { r * 2 * size..(r + 1) * 2 * size } else { 0..0 };
            let node = &mut kept.node[r * size..(r + 1) * size];
            edge_attention::forward_own(graph, &scores, own, edge, node, &mut kept.norms[norms]);
            if let Some(halo) = halo.filter(|_| !each_round) {
                attend_others(&mut kept, r, halo, None);
            }
        }
        let coefficients = match source {
            Source::Given(given) => *given,
            Source::Attention(_) => Coefficients { rounds: sets, edge: &kept.edge, node: &kept.node },
        };
        // Round m's coefficients are needed backwards from round m + 1 on.
        if exact && rounds > 1 && reversed.len() < sets {
            let ahead = match (each_round, sets) {
                (true, _) => k - 1,
                (false, 1) => k,
                (false, _) => rounds - 1,
            };
            while reversed.len() < ahead.min(sets) {
                let values = coefficients.edge(reversed.len() + 1);
                reversed.push(gather(values, |e| graph.reverse()[e], e, count));
            }
        }
        let (done, current) = kept.increments.split_at_mut(k - 1);
        let past = Increments { z, slabs: done, width: heads.width };
        let chain = Chain {
            own: (1..=if spread { rounds } else { k }).map(|m| coefficients.edge(m)).collect(),
            back: (1..=if spread { rounds } else { k })
                .map(|m| reversed.get(if sets == 1 { 0 } else { m - 1 }).map_or(&[][..], |v| v))
                .collect(),
        };
        let first_sum = pairs_before(k) * n * count;
        // Where others read h^(k-1) while a row is finished, the new states go elsewhere.
        let (read, write): (&[f32], &mut [f32]) = match (k, config.mode) {
            (1, _) => (z, &mut state),
            (_, Mode::None) => (&state, &mut next_state),
            _ => (&[], &mut state),
        };
        if config.storage == Storage::Packed {
            // Earlier increments are gathered again only where there is something to eliminate.
            if !exact {
                packed.clear();
            }
            packed.push(if config.mode == Mode::None { read } else { past.all(k - 1) });
        }
        let pass = Pass { graph, heads, k, rounds, own, past, chain, mode: config.mode, state: read, packed: &packed };
        let sums = if exact { &mut kept.sums[first_sum..first_sum + (k / 2) * n * count] } else { &mut [] };
        if spread {
            run_spread(&pass, current, sums);
            continue;
        }
        let after = (stateful && k < rounds).then(|| After {
            own: coefficients.node(k),
            state: SharedMut::new(write),
            next: attention.filter(|_| each_round).map(|a| {
                let (left, right) = a.vectors(k, heads.width);
                let (x, y) = kept.scalars[k * 2 * n * count..(k + 1) * 2 * n * count].split_at_mut(n * count);
                Scalars { left, right, x: SharedMut::new(x), y: SharedMut::new(y) }
            }),
        });
        let peak = run_gather(&pass, &highest, after.as_ref(), &mut current[0], sums);
        if skip {
            highest.extend(peak);
        }
        if config.mode == Mode::None && k > 1 {
            std::mem::swap(&mut state, &mut next_state);
        }
    }
    if let Some(halo) = halo.filter(|_| each_round) {
        attend_others(&mut kept, rounds - 1, halo, None);
    }
    packed.clear();
    for buffer in reversed.into_iter().chain([state, next_state]) {
        buffers::give(buffer);
    }
    kept
}

/// The states h^1 .. h^K, `[K, N, F]`, from the increments and the nodes' own coefficients.
pub fn cumulative(config: &Config, coefficients: &Coefficients, z: &[f32], increments: &[Vec<f32>]) -> Vec<f32> {
    let (width, rounds) = (config.heads.width, config.rounds);
    let n = z.len().checked_div(width).unwrap_or(0);
    let mut out = vec![0.0; rounds * z.len()];
    let shared = SharedMut::new(&mut out);
    let all = Increments { z, slabs: increments, width };
    Blocks::by_rows(n, rounds * width).run(|rows| {
        for i in rows {
            let mut block = vec![0.0; (rounds + 1) * width];
            states_of(&all, config, coefficients, i, &mut block);
            for k in 1..=rounds {
                let at = ((k - 1) * n + i) * width;
                // SAFETY: row i belongs to this block only.
                unsafe { shared.part(at..at + width) }.copy_from_slice(&block[k * width..(k + 1) * width]);
            }
        }
    });
    out
}

simd_fn! {
    fn states_of<M>(all: &Increments, config: &Config, coefficients: &Coefficients, i: usize, block: &mut [f32]) {
        states::<M>(|k| all.row(k, i), config.heads, config.mode, |k| coefficients.node(k), i, config.rounds, block);
    }
}
