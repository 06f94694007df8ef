//! From the hops to the layer's output and back, a tile of rows at a time: queries, hop attention and the projections.

use super::{Config, Projection, Weights};
use crate::buffers;
use crate::dense::product::{add_rows, tile_product, tile_product_transposed, tile_weight_gradient};
use crate::dense::tiles::{TILE_ROWS, Tiles};
use crate::dense::{Write, feed_forward};
use crate::elimination::HopGradient;
use crate::hop_attention::{self, Hops, RowGradients, Scratch};
use crate::parallel::SharedMut;
use std::ops::Range;

/// `pre = z W + m W_V`, `[N, O]`, each matrix as far as it is there, and what the feed-forward network makes of it. Without one there is the
/// former alone, with one both if `keep`, otherwise the latter alone.
pub(super) fn forward(
    config: &Config,
    weights: &Weights,
    hops: &Hops,
    feed: Option<feed_forward::Parameters>,
    nodes: usize,
    keep: bool,
) -> (Vec<f32>, Vec<f32>) {
    let (width, outputs, rounds) = (config.hops.heads.width, config.outputs, config.elimination.rounds);
    let projection = weights.query_key.map(|(query, key)| Projection::new(config, query, key));
    let whole = feed.is_none() || keep;
    let mut pre = buffers::take(if whole { nodes * outputs } else { 0 });
    let mut fed = buffers::take(if feed.is_some() { nodes * outputs } else { 0 });
    let (shared, shared_fed) = (SharedMut::new(&mut pre), SharedMut::new(&mut fed));
    Tiles::product(nodes, width * (2 * outputs + width)).run(|tile| {
        let mut rows = Rows::new(config, projection.as_ref());
        let mut scratch = Scratch::new(&config.hops, rounds);
        let mut hidden = feed.map(|feed| feed_forward::Tile::new(feed, tile.len()));
        let mut passing = vec![0.0; if whole { 0 } else { TILE_ROWS * outputs }];
        for start in tile.clone().step_by(TILE_ROWS) {
            let range = start..(start + TILE_ROWS).min(tile.end);
            let (count, z) = (range.len(), &hops.z[range.start * width..range.end * width]);
            if let Some(projection) = &projection {
                projection.apply(count, width, z, &mut rows.inner, &mut rows.query);
            }
            for (n, i) in range.clone().enumerate() {
                let query = projection.as_ref().map(|_| &rows.query[n * width..(n + 1) * width]);
                let mixed = &mut rows.mixed[n * width..(n + 1) * width];
                hop_attention::mix_row(&config.hops, hops, query, i, &mut scratch, mixed);
            }
            let part = range.start * outputs..range.end * outputs;
            // SAFETY: tiles, and the parts of a tile, are disjoint ranges of rows.
            let pre = if whole { unsafe { shared.part(part.clone()) } } else { &mut passing[..part.len()] };
            match weights.residual {
                Some(residual) => tile_product(count, width, outputs, z, residual, Write::Replace, pre),
                None => pre.fill(0.0),
            }
            match weights.value {
                Some(value) => tile_product(count, width, outputs, &rows.mixed, value, Write::Add, pre),
                None => pre.iter_mut().zip(&rows.mixed).for_each(|(sum, mixed)| *sum += mixed),
            }
            if let Some(hidden) = &mut hidden {
                // SAFETY: as above.
                hidden.forward(pre, unsafe { shared_fed.part(part) });
            }
        }
    });
    (pre, fed)
}

/// What a tile of rows needs besides its inputs and results.
struct Rows {
    /// Between the steps of the projection.
    inner: Vec<f32>,
    /// q, `[TILE_ROWS, F]`; backward, then its gradient.
    query: Vec<f32>,
    /// m, `[TILE_ROWS, F]`; backward, its gradient before.
    mixed: Vec<f32>,
}

impl Rows {
    fn new(config: &Config, projection: Option<&Projection>) -> Self {
        let size = TILE_ROWS * config.hops.heads.width;
        Rows {
            inner: vec![0.0; TILE_ROWS * projection.map_or(0, Projection::inner)],
            query: vec![0.0; if projection.is_some() { size } else { 0 }],
            mixed: vec![0.0; size],
        }
    }
}

/// The inputs of the backward pass.
pub(super) struct Update<'a> {
    pub config: &'a Config,
    pub weights: &'a Weights<'a>,
    pub hops: Hops<'a>,
    pub projection: Option<&'a Projection<'a>>,
    /// Of `pre`, `[N, O]`, or `pre` itself where it goes into a feed-forward network; empty if that comes with the tiles, as what they hold.
    pub given: &'a [f32],
    /// The feed-forward network and the gradient of its result, `[N, O]`.
    pub feed: Option<(feed_forward::Parameters<'a>, &'a [f32])>,
    /// Whether the gradient of z is wanted.
    pub needs_z: bool,
}

impl Update<'_> {
    /// Scores of hop attention a node.
    fn scores(&self) -> usize {
        let count = self.config.hops.heads.count * self.config.hops.hops(self.config.elimination.rounds);
        if self.weights.hop_bias.is_some() { count } else { 0 }
    }

    /// How many numbers are summed over all rows for W_V, W, t, the projection of queries and the feed-forward network.
    pub fn sizes(&self) -> [usize; 5] {
        let width = self.config.hops.heads.width;
        let weight = |there: bool| if there { width * self.config.outputs } else { 0 };
        [
            weight(self.weights.value.is_some()),
            weight(self.weights.residual.is_some()),
            self.scores(),
            self.projection.map_or(0, |projection| projection.sums(width)),
            self.feed.map_or(0, |(feed, _)| feed.sums()),
        ]
    }
}

/// The parts of `sums` with these sizes.
pub(super) fn split(sums: &[f32], sizes: [usize; 5]) -> [&[f32]; 5] {
    let mut rest = sums;
    sizes.map(|size| rest.split_off(..size).unwrap_or(&[]))
}

/// Some tiles of the backward pass.
pub(super) struct Tiled<'a> {
    update: &'a Update<'a>,
    scratch: Scratch,
    rows: Rows,
    hidden: Option<feed_forward::Tile<'a>>,
    /// First row of the tile.
    first: usize,
    /// The tile's gradient of `pre`, `[TILE_ROWS, O]`.
    gradient: Vec<f32>,
    /// Gradients of the scores, `[TILE_ROWS, scores]`.
    scores: Vec<f32>,
    /// Of hop 0, `[TILE_ROWS, F]`; one row that nobody reads where it takes no part.
    own: Vec<f32>,
    sums: Vec<f32>,
}

impl<'a> Tiled<'a> {
    pub fn new(update: &'a Update<'a>) -> Self {
        let config = update.config;
        let width = config.hops.heads.width;
        Tiled {
            update,
            scratch: Scratch::new(&config.hops, config.elimination.rounds),
            rows: Rows::new(config, update.projection),
            hidden: update.feed.map(|(feed, _)| feed_forward::Tile::new(feed, TILE_ROWS)),
            first: 0,
            gradient: vec![0.0; TILE_ROWS * config.outputs],
            scores: vec![0.0; TILE_ROWS * update.scores()],
            own: vec![0.0; width * if config.hops.include_self { TILE_ROWS } else { 1 }],
            sums: vec![0.0; update.sizes().iter().sum()],
        }
    }
}

impl HopGradient for Tiled<'_> {
    fn start(&mut self, rows: Range<usize>, held: &[f32]) {
        let Update { config, weights, hops, projection, given, feed, .. } = self.update;
        let (width, outputs) = (config.hops.heads.width, config.outputs);
        self.first = rows.start;
        if let Some(projection) = projection {
            let z = &hops.z[rows.start * width..rows.end * width];
            projection.apply(rows.len(), width, z, &mut self.rows.inner, &mut self.rows.query);
        }
        let part = rows.start * outputs..rows.end * outputs;
        let given = if given.is_empty() { held } else { &given[part.clone()] };
        let all = self.update.sizes();
        match (feed, &mut self.hidden) {
            (Some((_, gradient)), Some(hidden)) => {
                let sums = &mut self.sums[all.iter().sum::<usize>() - all[4]..];
                hidden.backward(given, &gradient[part.clone()], &mut self.gradient[..part.len()], sums);
            }
            _ => self.gradient[..part.len()].copy_from_slice(given),
        }
        let (count, mixed) = (rows.len(), &mut self.rows.mixed);
        match weights.value {
            Some(value) => {
                tile_product_transposed(count, outputs, width, &self.gradient, value, Write::Replace, mixed);
            }
            None => mixed[..part.len()].copy_from_slice(&self.gradient[..part.len()]),
        }
    }

    fn row(&mut self, i: usize, last: &[f32], block: &mut [f32]) {
        let update = self.update;
        let (n, width, scores) = (i - self.first, update.config.hops.heads.width, update.scores());
        let row = n * width..(n + 1) * width;
        let own = if update.config.hops.include_self { row.clone() } else { 0..width };
        let rows = RowGradients {
            hops: block,
            own: &mut self.own[own],
            query: update.projection.map(|_| &mut self.rows.query[row.clone()]),
            scores: update.weights.hop_bias.map(|_| &mut self.scores[n * scores..(n + 1) * scores]),
            mixed: &mut self.rows.mixed[row],
        };
        hop_attention::backward_row(&update.config.hops, &update.hops, Some(last), i, &mut self.scratch, rows);
    }

    fn end(&mut self, rows: Range<usize>, d_z: &mut [f32]) {
        let Update { config, weights, hops, projection, needs_z, .. } = self.update;
        let (count, width, outputs) = (rows.len(), config.hops.heads.width, config.outputs);
        let z = &hops.z[rows.start * width..rows.end * width];
        let gradient = &self.gradient[..count * outputs];
        let sizes = self.update.sizes();
        let (value, rest) = self.sums.split_at_mut(sizes[0]);
        let (residual, rest) = rest.split_at_mut(sizes[1]);
        let (bias, rest) = rest.split_at_mut(sizes[2]);
        let query = &mut rest[..sizes[3]];
        // The rows hold the mixed hops and the gradients of the queries now.
        if weights.value.is_some() {
            tile_weight_gradient(width, count, outputs, &self.rows.mixed, gradient, value);
        }
        if weights.residual.is_some() {
            tile_weight_gradient(width, count, outputs, z, gradient, residual);
        }
        if !bias.is_empty() {
            add_rows(&self.scores[..count * bias.len()], bias);
        }
        let mut d_z = needs_z.then_some(d_z);
        if let Some(d_z) = d_z.as_deref_mut() {
            if let Some(residual) = weights.residual {
                tile_product_transposed(count, outputs, width, gradient, residual, Write::Add, d_z);
            }
            if config.hops.include_self {
                d_z.iter_mut().zip(&self.own).for_each(|(sum, own)| *sum += own);
            }
        }
        if let Some(projection) = projection {
            let Rows { inner, query: d_query, .. } = &mut self.rows;
            projection.backward(count, width, z, inner, d_query, query, d_z);
        }
    }

    fn sums(self: Box<Self>) -> Vec<f32> {
        self.sums
    }
}
