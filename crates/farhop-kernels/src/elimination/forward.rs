//! The forward pass.

use super::coefficients::{Chain, gather_some};
use super::gather::{After, Pass, Scalars, run_gather};
use super::halo::{finish_others, higher};
use super::kept::Kept;
use super::nodes::score_rows;
use super::rounds::{Increments, states};
use super::spread::run_spread;
use super::{Attention, Coefficients, Config, Mode, Source, Storage, check, pairs_before};
use crate::buffers;
use crate::edge_attention;
use crate::exchange::{Halo, RowsUnderway};
use crate::packed::Packed;
use crate::parallel::{Blocks, SharedMut, clear};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// K rounds of elimination from `z[N, F]`.
///
/// Work: one gather of F numbers per entry and round, plus, for [`Mode::Exact`] with new attention each round, one more for
/// every second earlier round ((k + 1) / 2 in round k) that is not negligible. Memory: see [`super::bytes_kept`].
pub fn forward(graph: &Graph, config: &Config, source: &Source, z: &[f32]) -> Kept {
    forward_within(graph, config, source, &mut Start::Here(z), None)
}

/// The rows of all nodes that the rounds begin with, `[N, F]`.
pub enum Start<'a> {
    /// They are there.
    Here(&'a [f32]),
    /// Those of other processes' nodes are under way, as [`Halo::begin_extended`] gives them.
    Arriving(&'a mut [f32], Option<RowsUnderway<'a>>),
}

impl Start<'_> {
    /// All rows; what has not arrived holds anything.
    pub fn rows(&self) -> &[f32] {
        match self {
            Start::Here(rows) => rows,
            Start::Arriving(rows, _) => rows,
        }
    }

    /// Waits for what is under way.
    fn arrive(&mut self, width: usize) {
        if let Start::Arriving(rows, underway) = self
            && let Some(underway) = underway.take()
        {
            underway.fill(&mut [(rows, width)]);
        }
    }
}

/// As [`forward`], where the graph may be a part of one over several processes: rows are those of own nodes first, and after every round the
/// others have what their owners computed. `z` has the rows of all nodes ([`Halo::extended`]), or will have. A message goes to every
/// neighbouring process before each round from the second on, with the last increment (F numbers a node) and, with new attention each round, the
/// norms of the last coefficients (2 H); one more message brings the norms that came last. While a message is under way, the rows are computed
/// that need nothing of others. The last increment of others is not known.
pub fn forward_within(graph: &Graph, config: &Config, source: &Source, z: &mut Start, halo: Option<&Halo>) -> Kept {
    check(graph, config, source, z.rows());
    let mut walk = Walk::new(graph, config, source, z.rows(), halo);
    let (inside, own) = halo.map_or((0, graph.nodes()), |halo| (halo.interior(), halo.own()));
    for k in 1..=config.rounds {
        let underway = halo.filter(|_| k > 1).map(|halo| walk.begin(k, halo));
        walk.open(k, z.rows());
        walk.attend(k, 0..inside);
        // With one set of coefficients for all rounds, the first round needs those of the neighbours' rows at once.
        let late = k == 1 && !walk.each_round && walk.attention().is_some();
        if !late {
            walk.gather(k, z.rows(), 0..inside);
        }
        if let Some(halo) = halo {
            if k > 1 {
                underway.into_iter().for_each(|underway| walk.arrived(k, z.rows(), halo, underway));
            } else {
                z.arrive(config.heads.width);
                walk.start(z.rows(), own..graph.nodes());
            }
            walk.renew(k, z.rows());
        }
        walk.attend(k, inside..own);
        if let Some(halo) = halo.filter(|_| late) {
            let underway = walk.begin_norms(0, halo);
            walk.gather(k, z.rows(), 0..inside);
            walk.attend_others(0, halo, underway);
        }
        walk.gather(k, z.rows(), inside..own);
        walk.close(k);
    }
    if let Some(halo) = halo.filter(|_| walk.each_round) {
        let underway = walk.begin_norms(config.rounds - 1, halo);
        walk.attend_others(config.rounds - 1, halo, underway);
    }
    walk.finish()
}

/// The rounds on their way. A round is computed in two steps, for the rows that need nothing of other processes and for the others.
struct Walk<'a> {
    graph: &'a Graph,
    config: &'a Config,
    source: &'a Source<'a>,
    halo: Option<&'a Halo>,
    kept: Kept,
    each_round: bool,
    /// One gather a round is enough when every coefficient is known beforehand.
    spread: bool,
    skip: bool,
    /// Whether states are there, for scores or because they are what is gathered.
    stateful: bool,
    /// The largest absolute values of the increments so far, `[k, H]`, to skip what is negligible. Round k reads those before k - 2 alone, so that
    /// those of others may come late.
    highest: Vec<f32>,
    state: Vec<f32>,
    next_state: Vec<f32>,
    /// Coefficients against the entries, per set, and the sets that this round makes.
    reversed: Vec<Vec<f32>>,
    fresh: Range<usize>,
    packed: Packed,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph, config: &'a Config, source: &'a Source<'a>, z: &[f32], halo: Option<&'a Halo>) -> Self {
        let (n, e, heads, rounds) = (graph.nodes(), graph.entries(), config.heads, config.rounds);
        let count = heads.count;
        let exact = config.mode == Mode::Exact;
        let made = if matches!(source, Source::Attention(_)) { source.rounds(rounds) } else { 0 };
        let mut kept = Kept {
            increments: (0..rounds).map(|_| buffers::take(n * heads.width)).collect(),
            packed: Packed::new(n, heads.width),
            edge: buffers::take(made * e * count),
            node: buffers::take(made * n * count),
            scalars: buffers::take(made * 2 * n * count),
            sums: buffers::zeros(if exact { pairs_before(rounds + 1) * n * count } else { 0 }),
            norms: buffers::take(if halo.is_some() { made * 2 * n * count } else { 0 }),
        };
        let each_round = source.each_round();
        let spread = exact && !each_round && rounds > 2;
        if spread {
            kept.increments.iter_mut().for_each(|increment| clear(increment));
        }
        let skip = config.skip_negligible && exact && !spread && rounds > 2;
        let stateful = config.mode == Mode::None || (each_round && rounds > 1);
        let mut walk = Walk {
            graph,
            config,
            source,
            halo,
            kept,
            each_round,
            spread,
            skip,
            stateful,
            highest: vec![0.0; if skip { count } else { 0 }],
            state: buffers::take(if stateful { z.len() } else { 0 }),
            next_state: buffers::take(if config.mode == Mode::None { z.len() } else { 0 }),
            reversed: Vec::new(),
            fresh: 0..0,
            packed: Packed::new(n, heads.width),
        };
        // Rows of others come later.
        walk.start(z, 0..halo.map_or(n, Halo::own));
        walk
    }

    /// Numbers a node of `[N, H]`.
    fn size(&self) -> usize {
        self.graph.nodes() * self.config.heads.count
    }

    fn attention(&self) -> Option<&'a Attention<'a>> {
        match self.source {
            Source::Attention(attention) => Some(attention),
            Source::Given(_) => None,
        }
    }

    /// What the first round needs of some rows of z.
    fn start(&mut self, z: &[f32], rows: Range<usize>) {
        let (heads, size) = (self.config.heads, self.size());
        let part = &z[rows.start * heads.width..rows.end * heads.width];
        if let Some(attention) = self.attention() {
            let (left, right) = attention.vectors(0, heads.width);
            let (x, y) = self.kept.scalars[..2 * size].split_at_mut(size);
            let at = rows.start * heads.count..rows.end * heads.count;
            score_rows(heads, part, left, right, &mut x[at.clone()], &mut y[at]);
        }
        if self.skip {
            higher(heads, part, &mut self.highest[..heads.count]);
        }
    }

    /// Begins to tell others what round k needs of the last one.
    fn begin<'h>(&self, k: usize, halo: &'h Halo) -> RowsUnderway<'h> {
        let (size, count) = (self.size(), self.config.heads.count);
        let mut said = vec![(&self.kept.increments[k - 2][..], self.config.heads.width)];
        if self.each_round {
            let (most, scale) = self.kept.norms(k - 2, size).split_at(size);
            said.extend([(most, count), (scale, count)]);
        }
        halo.begin(&said)
    }

    /// What round k works on, before any of its rows.
    fn open(&mut self, k: usize, z: &[f32]) {
        let (rounds, sets) = (self.config.rounds, self.source.rounds(self.config.rounds));
        self.fresh = self.reversed.len()..self.reversed.len();
        // Round m's coefficients are needed backwards from round m + 1 on.
        if self.config.mode == Mode::Exact && rounds > 1 && self.reversed.len() < sets {
            let ahead = match (self.each_round, sets) {
                (true, _) => k - 1,
                (false, 1) => k,
                (false, _) => rounds - 1,
            };
            self.fresh.end = ahead.min(sets).max(self.fresh.start);
            self.reversed.resize_with(self.fresh.end, || buffers::take(self.graph.entries() * self.config.heads.count));
        }
        if self.config.storage == Storage::Packed {
            // Earlier increments are gathered again only where there is something to eliminate.
            if self.config.mode != Mode::Exact {
                self.packed.clear();
            }
            self.packed.push(gathered(self.config, k, z, &self.state, &self.kept.increments));
        }
    }

    /// Packs the rows of others, which have arrived.
    fn renew(&mut self, k: usize, z: &[f32]) {
        if let Some(halo) = self.halo.filter(|_| self.config.storage == Storage::Packed) {
            let values = gathered(self.config, k, z, &self.state, &self.kept.increments);
            self.packed.renew(values, halo.own()..self.graph.nodes());
        }
    }

    /// The coefficients of some rows, where round k has new ones.
    fn attend(&mut self, k: usize, rows: Range<usize>) {
        let Some(a) = self.attention().filter(|_| k == 1 || self.each_round) else { return };
        let (r, count, e, size) = (k - 1, self.config.heads.count, self.graph.entries(), self.size());
        let Kept { scalars, edge, node, norms, .. } = &mut self.kept;
        let (x, y) = scalars[r * 2 * size..(r + 1) * 2 * size].split_at(size);
        let scores = a.scores(r, count, e, x, y, self.halo);
        let edge = &mut edge[r * e * count..(r + 1) * e * count];
        let node = &mut node[r * size..(r + 1) * size];
        let norms = if self.halo.is_some() { &mut norms[r * 2 * size..(r + 1) * 2 * size] } else { &mut [] };
        edge_attention::forward_rows(self.graph, &scores, rows, edge, node, norms);
    }

    /// Begins to tell others what the rows of set `r` were computed from, by itself.
    fn begin_norms<'h>(&self, r: usize, halo: &'h Halo) -> RowsUnderway<'h> {
        let (size, count) = (self.size(), self.config.heads.count);
        let (most, scale) = self.kept.norms(r, size).split_at(size);
        halo.begin(&[(most, count), (scale, count)])
    }

    /// Takes what [`Walk::begin_norms`] brings.
    fn attend_others(&mut self, r: usize, halo: &Halo, underway: RowsUnderway) {
        let (size, count) = (self.size(), self.config.heads.count);
        let (most, scale) = self.kept.norms[r * 2 * size..(r + 1) * 2 * size].split_at_mut(size);
        underway.fill(&mut [(most, count), (scale, count)]);
        self.coefficients_of_others(r, halo);
    }

    /// All coefficients of rows of others that are here, from the norms of set `r`.
    fn coefficients_of_others(&mut self, r: usize, halo: &Halo) {
        let Some(a) = self.attention() else { return };
        let (e, size, count) = (self.graph.entries(), self.size(), self.config.heads.count);
        let Kept { scalars, edge, node, norms, .. } = &mut self.kept;
        let (x, y) = scalars[r * 2 * size..(r + 1) * 2 * size].split_at(size);
        let scores = a.scores(r, count, e, x, y, Some(halo));
        let (edge, node) = (&mut edge[r * e * count..(r + 1) * e * count], &mut node[r * size..(r + 1) * size]);
        let norms = &norms[r * 2 * size..(r + 1) * 2 * size];
        edge_attention::halo::forward(self.graph, &scores, halo.own(), norms, edge, node);
    }

    /// Takes what [`Walk::begin`] brings: increment, coefficients, states and scalars of others after round k - 1.
    fn arrived(&mut self, k: usize, z: &[f32], halo: &Halo, underway: RowsUnderway) {
        let (heads, size, own) = (self.config.heads, self.size(), halo.own());
        let Kept { increments, norms, .. } = &mut self.kept;
        let mut said = vec![(&mut increments[k - 2][..], heads.width)];
        if self.each_round {
            let (most, scale) = norms[(k - 2) * 2 * size..(k - 1) * 2 * size].split_at_mut(size);
            said.extend([(most, heads.count), (scale, heads.count)]);
        }
        underway.fill(&mut said);
        if self.each_round {
            self.coefficients_of_others(k - 2, halo);
        }
        if self.skip {
            let at = (k - 1) * heads.count..k * heads.count;
            higher(heads, &self.kept.increments[k - 2][own * heads.width..], &mut self.highest[at]);
        }
        if self.stateful {
            let before: &[f32] = match (k, self.config.mode) {
                (2, _) => z,
                (_, Mode::None) => &self.next_state,
                _ => &[],
            };
            let next = self.attention().filter(|_| self.each_round);
            let Kept { increments, scalars, node, .. } = &mut self.kept;
            let set = if self.each_round { k - 2 } else { 0 };
            let after = After {
                own: match self.source {
                    Source::Given(given) => given.node(k - 1),
                    Source::Attention(_) => &node[set * size..(set + 1) * size],
                },
                state: SharedMut::new(&mut self.state),
                next: next.map(|a| scalars_of(a, k - 1, heads.width, size, scalars)),
            };
            finish_others(self.config, before, own, &after, &increments[k - 2]);
        }
    }

    /// Increment k of some rows.
    fn gather(&mut self, k: usize, z: &[f32], rows: Range<usize>) {
        let (graph, heads, rounds) = (self.graph, self.config.heads, self.config.rounds);
        let (count, size) = (heads.count, self.size());
        let exact = self.config.mode == Mode::Exact;
        let sets = self.source.rounds(rounds);
        let next = self.attention().filter(|_| self.each_round);
        let Kept { increments, scalars, node, edge, sums, .. } = &mut self.kept;
        let coefficients = match self.source {
            Source::Given(given) => *given,
            Source::Attention(_) => Coefficients { rounds: sets, edge, node },
        };
        for set in self.fresh.clone() {
            let entries = graph.offsets()[rows.start]..graph.offsets()[rows.end];
            let (values, reverse) = (coefficients.edge(set + 1), graph.reverse());
            gather_some(values, |e| reverse[e], entries, count, &mut self.reversed[set]);
        }
        let (done, current) = increments.split_at_mut(k - 1);
        let past = Increments { z, slabs: done, width: heads.width };
        let last = if self.spread { rounds } else { k };
        let reversed = &self.reversed;
        let chain = Chain {
            own: (1..=last).map(|m| coefficients.edge(m)).collect(),
            back: (1..=last).map(|m| reversed.get(if sets == 1 { 0 } else { m - 1 }).map_or(&[][..], |v| v)).collect(),
        };
        let first_sum = pairs_before(k) * size;
        let sums = if exact { &mut sums[first_sum..first_sum + (k / 2) * size] } else { &mut [] };
        // Where others read h^(k-1) while a row is finished, the new states go elsewhere.
        let (read, write): (&[f32], &mut [f32]) = match (k, self.config.mode) {
            (1, _) => (z, &mut self.state),
            (_, Mode::None) => (&self.state, &mut self.next_state),
            _ => (&[], &mut self.state),
        };
        let mode = self.config.mode;
        let packed = &self.packed;
        let pass = Pass { graph, heads, k, rounds, computed: rows, past, chain, mode, state: read, packed };
        if self.spread {
            run_spread(&pass, current, sums);
            return;
        }
        let after = (self.stateful && k < rounds).then(|| After {
            own: coefficients.node(k),
            state: SharedMut::new(write),
            next: next.map(|a| scalars_of(a, k, heads.width, size, scalars)),
        });
        let peak = run_gather(&pass, &self.highest, after.as_ref(), &mut current[0], sums);
        if self.skip {
            self.highest.resize((k + 1) * count, 0.0);
            self.highest[k * count..].iter_mut().zip(peak).for_each(|(most, peak)| *most = most.max(peak));
        }
    }

    /// After all rows of round k.
    fn close(&mut self, k: usize) {
        if self.config.mode == Mode::None && k > 1 {
            std::mem::swap(&mut self.state, &mut self.next_state);
        }
    }

    fn finish(mut self) -> Kept {
        self.packed.clear();
        for buffer in self.reversed.into_iter().chain([self.state, self.next_state]) {
            buffers::give(buffer);
        }
        self.kept
    }
}

/// What round k gathers first: the last increment, or the last state where nothing is eliminated.
fn gathered<'a>(config: &Config, k: usize, z: &'a [f32], state: &'a [f32], increments: &'a [Vec<f32>]) -> &'a [f32] {
    match (k, config.mode) {
        (1, _) => z,
        (_, Mode::None) => state,
        _ => &increments[k - 2],
    }
}

/// The vectors of set `r`, and the places of its node scalars.
fn scalars_of<'s>(
    attention: &'s Attention,
    r: usize,
    width: usize,
    size: usize,
    scalars: &'s mut [f32],
) -> Scalars<'s> {
    let (left, right) = attention.vectors(r, width);
    let (x, y) = scalars[r * 2 * size..(r + 1) * 2 * size].split_at_mut(size);
    Scalars { left, right, x: SharedMut::new(x), y: SharedMut::new(y) }
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
