//! Numbers per entry of a graph: weights, scores and gates that nodes make of their neighbours, and what nodes take from them.
//!
//! An entry e is `i <- j`: node i, whose row it lies in, receives from node j. Forward passes and gradients go over the rows of
//! the graph or of its transpose, so that no two threads write to the same number. A node's own term is no entry of the graph:
//! where a kernel has one, it is an array of its own with a row per node, `[N, H]`.

pub mod clamped;
pub mod entropy;
pub mod gat;
pub mod gat_within;
pub mod gated_mean;
pub mod gates;
pub mod largest;
pub mod relu_sum;
pub mod scores;
pub mod softmax;
pub mod sums;
pub mod weighted;

use crate::parallel::{Blocks, SharedMut};
use farhop_graph::Graph;
use std::ops::Range;

/// How many entries ahead the next row is asked for.
pub(crate) const AHEAD: usize = 8;

/// Rows of a graph or of its transpose. `ids` maps a position to the id of its entry; the position itself if absent.
/// [`Rows::within`] counts entries and nodes from the start of a block.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub offsets: &'a [usize],
    pub others: &'a [u32],
    ids: Option<&'a [u32]>,
    first_position: usize,
    first_node: usize,
}

impl<'a> Rows<'a> {
    /// Who each node receives from.
    pub fn of(graph: &'a Graph) -> Self {
        Rows { offsets: graph.offsets(), others: graph.sources(), ids: None, first_position: 0, first_node: 0 }
    }

    /// Who receives from each node.
    pub fn transposed(graph: &'a Graph) -> Self {
        let columns = graph.transposed();
        let (offsets, others, ids) = (columns.offsets, columns.targets, Some(columns.entries));
        Rows { offsets, others, ids, first_position: 0, first_node: 0 }
    }

    /// The same rows, for weights that are there for a block of them only, in the order of positions.
    pub fn within(self, block: &Range<usize>) -> Self {
        Rows { ids: None, first_position: self.offsets[block.start], first_node: block.start, ..self }
    }

    /// The positions of row `node`.
    #[inline(always)]
    pub fn range(&self, node: usize) -> Range<usize> {
        self.offsets[node]..self.offsets[node + 1]
    }

    /// Where the weights of a position are: at the id of its entry.
    #[inline(always)]
    pub fn entry(&self, position: usize) -> usize {
        self.ids.map_or(position - self.first_position, |ids| ids[position] as usize)
    }

    /// Where a node's weights for itself are.
    #[inline(always)]
    pub fn own(&self, node: usize) -> usize {
        node - self.first_node
    }

    /// The node at the other end of a position.
    #[inline(always)]
    pub fn other(&self, position: usize) -> usize {
        self.others[position] as usize
    }
}

/// Row `at` of an array with `width` columns.
#[inline(always)]
pub(crate) fn row(values: &[f32], at: usize, width: usize) -> &[f32] {
    &values[at * width..(at + 1) * width]
}

/// Cuts the rows into blocks and calls `task` with the first row of each and the part of y `[N, width]` that it owns.
/// An entry costs `width` element operations.
pub(crate) fn each_block_of_nodes(
    offsets: &[usize],
    width: usize,
    y: &mut [f32],
    task: impl Fn(usize, &mut [f32]) + Sync + Send,
) {
    let nodes = offsets.len() - 1;
    let y = SharedMut::new(&mut y[..nodes * width]);
    Blocks::by_entries(offsets, 1, width).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        task(block.start, unsafe { y.part(block.start * width..block.end * width) });
    });
}

/// As [`each_block_of_nodes`] for an array with a row per entry, y `[E, width]`: `task` gets the rows and their part. An entry
/// costs `cost` element operations.
pub(crate) fn each_block_of_entries(
    offsets: &[usize],
    cost: usize,
    width: usize,
    y: &mut [f32],
    task: impl Fn(Range<usize>, &mut [f32]) + Sync + Send,
) {
    let y = SharedMut::new(&mut y[..offsets[offsets.len() - 1] * width]);
    Blocks::by_entries(offsets, 1, cost).run(|block| {
        let part = offsets[block.start] * width..offsets[block.end] * width;
        // SAFETY: blocks are disjoint ranges of rows, and so are the ranges of their entries.
        task(block, unsafe { y.part(part) });
    });
}

/// As [`each_block_of_entries`] with an array per entry `[E, width]` and one per node, `[N, width]` or empty.
pub(crate) fn each_block_of_both(
    offsets: &[usize],
    width: usize,
    entries: &mut [f32],
    nodes: &mut [f32],
    task: impl Fn(Range<usize>, &mut [f32], &mut [f32]) + Sync + Send,
) {
    let rows = 0..offsets.len() - 1;
    each_block_of_some(offsets, rows, width, entries, nodes, task);
}

/// As [`each_block_of_both`] for some of the rows; the arrays are those of all, or as long as they have to be.
pub(crate) fn each_block_of_some(
    offsets: &[usize],
    rows: Range<usize>,
    width: usize,
    entries: &mut [f32],
    nodes: &mut [f32],
    task: impl Fn(Range<usize>, &mut [f32], &mut [f32]) + Sync + Send,
) {
    let absent = nodes.is_empty();
    let entries = SharedMut::new(&mut entries[..offsets[rows.end] * width]);
    let nodes = SharedMut::new(nodes);
    Blocks::some_by_entries(offsets, rows, 1, 4 * width).run(|block| {
        let of_entries = offsets[block.start] * width..offsets[block.end] * width;
        let of_nodes = if absent { 0..0 } else { block.start * width..block.end * width };
        // SAFETY: blocks are disjoint ranges of rows, and so are the ranges of their entries.
        let (entries, nodes) = unsafe { (entries.part(of_entries), nodes.part(of_nodes)) };
        task(block, entries, nodes);
    });
}
