//! What a forward pass knows beside features and graph: whether it trains, the seeds of its dropout, who watches.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use burn::module::ParamId;
use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_graph::random::mix;
use farhop_kernels::dense::{Dropout, RowNames};
use farhop_kernels::edges::entropy::relative;
use farhop_kernels::exchange::Halo;

use crate::ops::{self, Others, bridge};
use crate::{Batch, Features, RowsOf, Share};

/// One forward pass.
///
/// Dropout masks depend on (seed, step, place): places are counted in the order in which layers ask, which is the same in every
/// pass, so a resumed run sees the masks that the uninterrupted one would have seen.
#[derive(Debug)]
pub struct Context {
    seed: Option<u64>,
    places: Cell<u64>,
    updates: RefCell<Vec<(ParamId, Vec<f32>)>>,
    losses: RefCell<Vec<Tensor<1>>>,
    watch: Option<RefCell<Option<String>>>,
    look: Option<RefCell<Look>>,
    gate: Option<Tensor<2>>,
    halo: Option<Arc<Halo>>,
    share: Option<Arc<Share>>,
}

/// What is looked at beside outputs and embeddings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sights {
    /// How hops are weighed.
    pub hops: bool,
    /// How evenly nodes spread their attention over neighbours.
    pub edges: bool,
    /// With which weights this node of the batch reads every node at every hop.
    pub reads_of: Option<usize>,
}

/// The weights with which one node reads every node at every hop, in one layer: its mixed hops are
/// `m_h = sum over n and k of weight[n, h, k] z_n`, over the channels of head h; z is what the layer reads.
#[derive(Clone, Debug, PartialEq)]
pub struct HopReads {
    /// Heads H.
    pub heads: usize,
    /// Hops, the node itself as hop 0: K + 1.
    pub hops: usize,
    /// `[N, H, hops]`.
    pub weights: Vec<f32>,
}

/// How evenly the nodes of a layer spread their attention over neighbours and themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeSpread {
    /// Sets of weights: one, or one for every round.
    pub sets: usize,
    /// Weights of every entry.
    pub heads: usize,
    /// The entropy of a node's weights as a share of the largest possible, `[N, sets, heads]`: 0 where all attention is on one, 1 where all
    /// get the same, NaN where there is nothing to choose between.
    pub entropies: Vec<f32>,
}

/// What a pass showed on the way.
#[derive(Debug, Default)]
pub(crate) struct Look {
    wants: Sights,
    pub embedding: Vec<f32>,
    pub hops: Vec<Vec<f32>>,
    pub edges: Vec<EdgeSpread>,
    pub reads: Vec<HopReads>,
}

impl Context {
    /// No dropout, stored statistics.
    pub fn evaluation() -> Self {
        Context {
            seed: None,
            places: Cell::new(0),
            updates: RefCell::default(),
            losses: RefCell::default(),
            watch: None,
            look: None,
            gate: None,
            halo: None,
            share: None,
        }
    }

    /// As evaluation, with everything that is known of node n multiplied by `gate[n]`, `[N, 1]`.
    pub fn gated(gate: Tensor<2>) -> Self {
        Context { gate: Some(gate), ..Context::evaluation() }
    }

    /// What a network makes of nodes beside their numbers, as the gate lets it through: rows `[N, F]`.
    pub fn through_gate(&self, rows: Tensor<2>) -> Tensor<2> {
        match &self.gate {
            Some(gate) => ops::scale_rows(rows, gate.clone()),
            None => rows,
        }
    }

    /// The same for a batch that may be a process's part of one.
    pub(crate) fn within(self, batch: &Batch) -> Self {
        Context { halo: batch.halo().cloned(), share: batch.share().cloned(), ..self }
    }

    /// The processes among which rows are divided, if they are.
    pub(crate) fn others(&self) -> Option<Others> {
        let of_halo = self.halo.as_ref().map(|halo| Others { group: halo.group().clone(), counts: true });
        of_halo.or_else(|| self.share.as_ref().map(|share| Others { group: share.group.clone(), counts: !share.idle }))
    }

    /// Step `step` of training with `seed`.
    pub fn training(seed: u64, step: u64) -> Self {
        Context { seed: Some(mix(seed, step)), ..Context::evaluation() }
    }

    /// As evaluation, remembering the first stage that is not finite.
    pub fn watching() -> Self {
        Context { watch: Some(RefCell::new(None)), ..Context::evaluation() }
    }

    /// As evaluation, remembering what goes into the head, and what else is wanted.
    pub fn looking(wants: Sights) -> Self {
        Context { look: Some(RefCell::new(Look { wants, ..Look::default() })), ..Context::evaluation() }
    }

    /// Whether somebody looks at what goes into the head.
    pub fn looks(&self) -> bool {
        self.look.is_some()
    }

    /// Whether somebody looks at how hops are weighed.
    pub fn looks_at_hops(&self) -> bool {
        self.look.as_ref().is_some_and(|look| look.borrow().wants.hops)
    }

    /// The node whose reading somebody looks at.
    pub fn looks_at_reads_of(&self) -> Option<usize> {
        self.look.as_ref().and_then(|look| look.borrow().wants.reads_of)
    }

    /// What a layer reads for the node that is looked at: `[N, heads * hops]`.
    pub fn saw_reads(&self, weights: Tensor<2>, heads: usize) {
        if let Some(look) = &self.look {
            let hops = weights.dims()[1] / heads;
            look.borrow_mut().reads.push(HopReads { heads, hops, weights: bridge::into_vec(weights) });
        }
    }

    /// What goes into the head, for one who looks.
    pub fn saw_embedding(&self, embedding: Tensor<2>) {
        if let Some(look) = &self.look {
            look.borrow_mut().embedding = bridge::into_vec(embedding);
        }
    }

    /// The hop distributions of a layer, for one who looks.
    pub fn saw_hops(&self, distributions: Tensor<2>) {
        if let Some(look) = &self.look {
            look.borrow_mut().hops.push(bridge::into_vec(distributions));
        }
    }

    /// What a layer attends to, for one who looks: `sets` times the weights of entries, `[E, H]` each, or `[E + N, H]` with those of nodes for
    /// themselves, one after the other. They have the sum 1 over a row.
    pub fn saw_attention(&self, graph: &Graph, sets: usize, weights: impl FnOnce() -> Tensor<2>) {
        let Some(look) = self.look.as_ref().filter(|look| look.borrow().wants.edges) else { return };
        let weights = weights();
        let heads = weights.dims()[1];
        let weights = bridge::into_vec(weights);
        let found: Vec<Vec<f32>> = match weights.len() {
            0 => return,
            length => weights.chunks(length / sets).map(|set| relative(graph, heads, set)).collect(),
        };
        let row = |node: usize| found.iter().flat_map(move |set| &set[node * heads..(node + 1) * heads]).copied();
        let entropies = (0..graph.nodes()).flat_map(row).collect();
        look.borrow_mut().edges.push(EdgeSpread { sets, heads, entropies });
    }

    /// Whether this pass is part of training.
    pub fn is_training(&self) -> bool {
        self.seed.is_some()
    }

    /// A seed of its own for whoever asks; `None` in evaluation.
    pub fn next_seed(&self) -> Option<u64> {
        let place = self.places.get();
        self.places.set(place + 1);
        self.seed.map(|seed| mix(seed, place))
    }

    /// Dropout of rows of nodes, with a mask of its own; none in evaluation.
    pub fn dropout(&self, probability: f32) -> Dropout {
        self.dropout_of(RowsOf::Nodes, probability)
    }

    /// Dropout of other rows than nodes.
    pub fn dropout_of(&self, rows: RowsOf, probability: f32) -> Dropout {
        let names = match (&self.halo, &self.share) {
            (Some(halo), _) if matches!(rows, RowsOf::Entries(_)) => halo.entry_names(),
            (Some(halo), _) => RowNames::Names(halo.own_names()),
            (None, Some(share)) => share.names(rows),
            (None, None) => RowNames::Places,
        };
        self.next_seed().map_or(Dropout::NONE, |seed| Dropout::new(probability, seed).for_rows(names))
    }

    /// A stored value (not a trained one) that takes this value if the step succeeds.
    pub fn update(&self, id: ParamId, value: Vec<f32>) {
        self.updates.borrow_mut().push((id, value));
    }

    /// A single number that is added to the loss of this step of training: a penalty, or a loss of the network's own. Without effect in
    /// evaluation.
    pub fn add_loss(&self, term: Tensor<1>) {
        if self.is_training() {
            self.losses.borrow_mut().push(term);
        }
    }

    /// What was added to the loss, in its order.
    pub(crate) fn take_losses(&self) -> Vec<Tensor<1>> {
        self.losses.take()
    }

    /// Tells a watching context what goes in.
    pub fn input(&self, features: &Features) {
        if let Some(watch) = &self.watch
            && !features.is_finite()
        {
            watch.borrow_mut().get_or_insert_with(|| "input".into());
        }
    }

    /// Tells a watching context what stage `name` gives, and passes it on.
    pub fn stage<const D: usize>(&self, name: impl Fn() -> String, output: Tensor<D>) -> Tensor<D> {
        if let Some(watch) = &self.watch
            && watch.borrow().is_none()
            && bridge::with_slice(&output, |values| values.iter().any(|v| !v.is_finite()))
        {
            *watch.borrow_mut() = Some(name());
        }
        output
    }

    pub(crate) fn into_updates(self) -> Vec<(ParamId, Vec<f32>)> {
        self.updates.into_inner()
    }

    pub(crate) fn into_look(self) -> Look {
        self.look.map(RefCell::into_inner).unwrap_or_default()
    }

    pub(crate) fn into_first_non_finite(self) -> Option<String> {
        self.watch.and_then(RefCell::into_inner)
    }
}
