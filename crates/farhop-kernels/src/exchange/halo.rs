//! The nodes around those of a process that others own.

use std::ops::Range;
use std::sync::Arc;

use farhop_graph::Graph;

use super::{Group, Underway};
use crate::buffers;
use crate::dense::RowNames;

/// What nodes and entries of a part are called in the whole graph, for what is random.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Of every node of the part, halo included.
    pub nodes: &'a [u32],
    /// Of every entry of the part.
    pub entries: &'a [u32],
    /// Entries of the whole graph.
    pub total: u64,
}

/// What a [`Halo`] is made of. A part has `own` nodes first and those of others behind them, by owner and then by name; all entries with an end
/// among its own nodes are in its graph. Own nodes that have a neighbour elsewhere come last among own ones, so that rows of the others, which
/// need nothing of other processes, are one range.
#[derive(Clone, Debug, Default)]
pub struct HaloParts {
    /// Nodes that this process owns.
    pub own: usize,
    /// The owner of every other node.
    pub owners: Vec<u32>,
    /// The number of every node in the whole graph; ascending among own nodes without a neighbour elsewhere, among those with one, and among the
    /// nodes of one owner.
    pub nodes: Vec<u32>,
    /// The number of every entry in the whole graph.
    pub entries: Vec<u32>,
    /// How many nodes every other node receives from in the whole graph.
    pub degrees: Vec<u32>,
    /// Nodes of the whole graph.
    pub total_nodes: u64,
    /// Entries of the whole graph.
    pub total_entries: u64,
}

/// The nodes around those of this process, and how their rows come here.
#[derive(Debug)]
pub struct Halo {
    group: Arc<Group>,
    parts: HaloParts,
    peers: Vec<Peer>,
    interior: usize,
    /// What nodes and entries are called. A process has one part as long as it lives, and every mask names its rows: so they stay.
    nodes: &'static [u32],
    entries: &'static [u32],
}

/// A process that owns some of them.
#[derive(Debug)]
struct Peer {
    rank: usize,
    /// Own nodes that it has in its halo.
    send: Vec<u32>,
    /// The places of its nodes here.
    receive: Range<usize>,
}

impl Halo {
    /// The halo of a part with this graph. Who sends what follows from the graph alone: both sides know the edges between them.
    ///
    /// # Errors
    /// When the arrays do not belong together: one line.
    pub fn new(group: Arc<Group>, graph: &Graph, mut parts: HaloParts) -> Result<Self, String> {
        let nodes = graph.nodes();
        let others = nodes.checked_sub(parts.own).ok_or("there are fewer nodes than own ones")?;
        if parts.owners.len() != others || parts.degrees.len() != others || parts.nodes.len() != nodes {
            return Err(format!("{others} nodes of others need an owner and a degree each, and all nodes a number"));
        }
        if parts.entries.len() != graph.entries() {
            return Err(format!("{} numbers for {} entries", parts.entries.len(), graph.entries()));
        }
        let ascending = |names: &[u32]| names.windows(2).all(|pair| pair[0] < pair[1]);
        if !parts.owners.is_sorted() {
            return Err("the owners of others must ascend".to_string());
        }
        let columns = graph.transposed();
        let mut peers = Vec::new();
        let mut first = parts.own;
        for run in parts.owners.chunk_by(|a, b| a == b) {
            let (rank, receive) = (run[0] as usize, first..first + run.len());
            first = receive.end;
            if rank >= group.ranks() || rank == group.rank() || !ascending(&parts.nodes[receive.clone()]) {
                return Err(format!("nodes of process {rank} can't be in the halo of process {}", group.rank()));
            }
            let rows = receive.clone().flat_map(|node| graph.neighbours(node));
            let given =
                receive.clone().flat_map(|node| &columns.targets[columns.offsets[node]..columns.offsets[node + 1]]);
            let mut send: Vec<u32> = rows.chain(given).copied().collect();
            send.sort_unstable();
            send.dedup();
            if send.last().is_some_and(|&node| node as usize >= parts.own) {
                return Err("there is an entry between two nodes of others".to_string());
            }
            peers.push(Peer { rank, send, receive });
        }
        let interior = peers.iter().filter_map(|peer| peer.send.first()).min().map_or(parts.own, |&node| node as usize);
        if !ascending(&parts.nodes[..interior]) || !ascending(&parts.nodes[interior..parts.own]) {
            return Err("own nodes with neighbours elsewhere, and those without, must ascend".to_string());
        }
        let nodes = std::mem::take(&mut parts.nodes).leak();
        let entries = std::mem::take(&mut parts.entries).leak();
        Ok(Halo { group, parts, peers, interior, nodes, entries })
    }

    /// All processes.
    pub fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// Nodes that this process owns: the first ones.
    pub fn own(&self) -> usize {
        self.parts.own
    }

    /// Own nodes without a neighbour elsewhere: the first ones. What is computed of their rows needs nothing of other processes.
    pub fn interior(&self) -> usize {
        self.interior
    }

    /// The same with no node counted as one without a neighbour elsewhere: nothing is computed while messages are under way. For tests, which
    /// compare the two.
    pub fn waiting(mut self) -> Self {
        self.interior = 0;
        self
    }

    /// Nodes of others.
    pub fn others(&self) -> usize {
        self.parts.owners.len()
    }

    /// Nodes of the whole graph.
    pub fn total_nodes(&self) -> u64 {
        self.parts.total_nodes
    }

    /// Entries of the whole graph.
    pub fn total_entries(&self) -> u64 {
        self.parts.total_entries
    }

    /// What nodes and entries are called in the whole graph.
    pub fn names(&self) -> Names<'_> {
        Names { nodes: self.nodes, entries: self.entries, total: self.parts.total_entries }
    }

    /// What entries, and nodes behind them, are called in the whole graph, for masks.
    pub fn entry_names(&self) -> RowNames {
        RowNames::OfPart { entries: self.entries, nodes: self.nodes, total: self.parts.total_entries }
    }

    /// What own nodes are called in the whole graph, for masks.
    pub fn own_names(&self) -> &'static [u32] {
        &self.nodes[..self.parts.own]
    }

    /// How many nodes a node receives from in the whole graph.
    pub fn degree(&self, graph: &Graph, node: usize) -> usize {
        match node.checked_sub(self.parts.own) {
            None => graph.degree(node),
            Some(other) => self.parts.degrees[other] as usize,
        }
    }

    /// Rows that this process sends each time.
    pub fn rows_sent(&self) -> usize {
        self.peers.iter().map(|peer| peer.send.len()).sum()
    }

    /// Fills the rows of other processes' nodes with what their owners have: `(array, width)`, `[nodes, width]` each, all in one message.
    pub fn fill(&self, arrays: &mut [(&mut [f32], usize)]) {
        let own: Vec<(&[f32], usize)> = arrays.iter().map(|(values, width)| (&**values, *width)).collect();
        let underway = self.begin(&own);
        underway.fill(arrays);
    }

    /// Begins to send the rows of own nodes to whoever needs them. The arrays may be written to as soon as this returns.
    pub fn begin(&self, arrays: &[(&[f32], usize)]) -> RowsUnderway<'_> {
        let width: usize = arrays.iter().map(|(_, width)| 4 * width).sum();
        let ranks = self.group.ranks();
        let (mut out, mut lengths) = (vec![Vec::new(); ranks], vec![0; ranks]);
        for peer in &self.peers {
            let bytes = &mut out[peer.rank];
            bytes.reserve_exact(peer.send.len() * width);
            for (values, width) in arrays.iter() {
                for &node in &peer.send {
                    bytes.extend_from_slice(bytes_of(&values[node as usize * width..(node as usize + 1) * width]));
                }
            }
            lengths[peer.rank] = peer.receive.len() * width;
        }
        RowsUnderway { halo: self, messages: self.group.begin(out, &lengths) }
    }

    /// The rows of own nodes, `[own, width]`, followed by those that others have.
    pub fn extended(&self, own: &[f32], width: usize) -> Vec<f32> {
        let mut rows = self.with_room(own, width);
        self.fill(&mut [(&mut rows, width)]);
        rows
    }

    /// As [`Halo::extended`], without waiting: the rows of others hold anything until they [have arrived](RowsUnderway::fill).
    pub fn begin_extended(&self, own: &[f32], width: usize) -> (Vec<f32>, RowsUnderway<'_>) {
        (self.with_room(own, width), self.begin(&[(own, width)]))
    }

    /// The rows of own nodes followed by `others`, which is the end of what [`Halo::extended`] gave.
    pub fn extended_by(&self, own: &[f32], others: &[f32], width: usize) -> Vec<f32> {
        let mut rows = self.with_room(own, width);
        rows[own.len()..].copy_from_slice(others);
        rows
    }

    /// The rows of own nodes, and room for those of others.
    pub(crate) fn with_room(&self, own: &[f32], width: usize) -> Vec<f32> {
        assert_eq!(own.len(), self.own() * width, "rows must be those of own nodes");
        let mut rows = buffers::take(self.nodes.len() * width);
        rows[..own.len()].copy_from_slice(own);
        rows
    }
}

/// Rows that are under way between processes.
#[derive(Debug)]
#[must_use = "others wait for what is begun, and so must this process"]
pub struct RowsUnderway<'a> {
    halo: &'a Halo,
    messages: Underway<'a>,
}

impl RowsUnderway<'_> {
    /// Waits for the rows of other processes' nodes and puts them into their places: arrays and widths as they were [begun](Halo::begin).
    pub fn fill(self, arrays: &mut [(&mut [f32], usize)]) {
        let found = self.messages.finish();
        for peer in &self.halo.peers {
            let mut rest = &found[peer.rank][..];
            for (values, width) in arrays.iter_mut() {
                let rows = &mut values[peer.receive.start * *width..peer.receive.end * *width];
                let (part, after) = rest.split_at(size_of_val(rows));
                bytes_of_mut(rows).copy_from_slice(part);
                rest = after;
            }
        }
    }
}

/// Numbers as bytes, in the order of the machine: all processes of a run have the same.
pub(super) fn bytes_of(values: &[f32]) -> &[u8] {
    // SAFETY: a number of 32 bits has no padding, and bytes need no alignment; the length is that of the same memory.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// As [`bytes_of`], to write.
pub(super) fn bytes_of_mut(values: &mut [f32]) -> &mut [u8] {
    // SAFETY: as above, and every pattern of bits is a number.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}
