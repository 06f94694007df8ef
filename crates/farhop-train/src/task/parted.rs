//! One graph in parts, and batches cut out of it.

use std::ops::Range;
use std::sync::Arc;

use farhop_data::{Columns, Numbers};
use farhop_graph::{Graph, GraphError, HaloFinder, InduceScratch, induce};
use farhop_nn::{Batch, BatchArrays, InputShape};

use super::collection::{EdgeColumns, numbers_of, rows};
use super::encodings::Encodings;
use super::order::Batching;
use super::parting::Parting;
use crate::TrainError;

/// Epochs whose batches are counted to know how large they get, where they differ from epoch to epoch.
const COUNTED_EPOCHS: usize = 2;

/// A graph whose nodes are predicted part by part.
#[derive(Debug)]
pub(super) struct Parted {
    pub graph: Graph,
    pub nodes: Columns,
    pub edges: EdgeColumns,
    pub encodings: Encodings,
    pub parting: Parting,
    /// Hops around the nodes of a batch that are there as context.
    pub halo: usize,
    /// Parts that are joined to a batch.
    pub batching: Batching,
}

/// Nodes and entries of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub nodes: usize,
    pub entries: usize,
}

impl Parted {
    /// What cuts batches out, with the memory that it needs for that.
    pub fn cutter(&self) -> Cutter<'_> {
        let selector = Selector::new(&self.graph, &self.parting, self.halo);
        Cutter { parted: self, selector, scratch: InduceScratch::new() }
    }

    /// The parts of the batches of an evaluation: always the same, so that what is said of a node does not depend on which
    /// others are asked for.
    pub fn in_order(&self) -> Vec<Vec<u32>> {
        self.batching.in_order(&self.all())
    }

    fn all(&self) -> Vec<u32> {
        (0..self.parting.parts() as u32).collect()
    }
}

/// Nodes of a batch.
struct Selection {
    /// Those that it answers for, and those around them; ascending.
    nodes: Vec<u32>,
    /// Those that it answers for, ascending, with their places among all.
    own: Vec<(u32, u32)>,
}

/// Finds the nodes of batches.
struct Selector<'a> {
    parting: &'a Parting,
    halo: usize,
    finder: HaloFinder<'a>,
}

impl<'a> Selector<'a> {
    fn new(graph: &'a Graph, parting: &'a Parting, halo: usize) -> Self {
        Selector { parting, halo, finder: HaloFinder::new(graph) }
    }

    fn select(&mut self, parts: &[u32]) -> Result<Selection, TrainError> {
        let mut own: Vec<u32> = parts.iter().flat_map(|part| self.parting.members(*part)).copied().collect();
        own.sort_unstable();
        let mut nodes = self.finder.around(&own, self.halo as u32).map_err(outside)?;
        nodes.sort_unstable();
        let mut places = nodes.iter().zip(0u32..);
        let placed = |node: u32| places.find(|(other, _)| **other == node).map(|(_, place)| (node, place));
        let own = own.into_iter().filter_map(placed).collect();
        Ok(Selection { nodes, own })
    }
}

/// The sizes of the largest batch: of all of them if each is one part, else of those of an evaluation and of the first
/// epochs.
///
/// # Errors
/// Never for parts of this graph.
pub(super) fn largest(
    graph: &Graph,
    parting: &Parting,
    halo: usize,
    batching: Batching,
    seed: u64,
) -> Result<Size, TrainError> {
    let all: Vec<u32> = (0..parting.parts() as u32).collect();
    let mut batches = batching.in_order(&all);
    if batching.size > 1 && batches.len() > 1 {
        for epoch in 1..=COUNTED_EPOCHS {
            batches.extend(batching.shuffled(&all, |_| 0, seed, epoch));
        }
    }
    let mut selector = Selector::new(graph, parting, halo);
    let mut batch_of = vec![0u32; graph.nodes()];
    let mut largest = Size::default();
    for (parts, number) in batches.iter().zip(1..) {
        let nodes = selector.select(parts)?.nodes;
        nodes.iter().for_each(|node| batch_of[*node as usize] = number);
        let inside = |other: &&u32| batch_of[**other as usize] == number;
        let entries = |node: &u32| graph.neighbours(*node as usize).iter().filter(inside).count();
        // The largest of each: memory counts both.
        largest.nodes = largest.nodes.max(nodes.len());
        largest.entries = largest.entries.max(nodes.iter().map(entries).sum());
    }
    Ok(largest)
}

/// A batch that was cut out of a graph.
pub(super) struct Cut {
    pub batch: Batch,
    /// The nodes that it answers for, ascending, each with its place in the batch.
    pub own: Vec<(u32, u32)>,
    /// All nodes of the batch, in its order.
    pub nodes: Vec<u32>,
}

/// Cuts batches out of a graph, one after the other.
pub(super) struct Cutter<'a> {
    parted: &'a Parted,
    selector: Selector<'a>,
    scratch: InduceScratch,
}

impl Cutter<'_> {
    /// These parts as one batch, with the nodes that it answers for and their places in it, and all of its nodes.
    ///
    /// # Errors
    /// When features are on disk and can't be read.
    pub fn batch(&mut self, parts: &[u32], shape: &InputShape) -> Result<Cut, TrainError> {
        let Selection { nodes, own } = self.selector.select(parts)?;
        let Parted { graph, nodes: columns, edges, encodings, .. } = self.parted;
        let found = induce(graph, &nodes, &mut self.scratch).map_err(outside)?;
        let entries = || found.entries.iter().map(|entry| one(*entry));
        let of_nodes = || nodes.iter().map(|node| one(*node));
        let arrays = BatchArrays {
            offsets: Vec::new(),
            numbers: match &columns.numbers {
                Numbers::OnDisk(numbers) => farhop_nn::BatchNumbers::Dense(numbers.gather(&nodes)?),
                _ => numbers_of(columns, of_nodes()),
            },
            categories: rows(&columns.categories, columns.sizes.len(), of_nodes()),
            edge_numbers: rows(&edges.numbers, edges.width, entries()),
            edge_categories: rows(&edges.categories, edges.columns, entries()),
            arrays: encodings.rows(|values, width| rows(values, width, of_nodes())),
            graph: Arc::new(found.graph),
        };
        Ok(Cut { batch: Batch::from_arrays(arrays, shape), own, nodes })
    }
}

/// Parts hold nodes of the graph, each once: this never happens.
fn outside(error: GraphError) -> TrainError {
    TrainError::Task(format!("{error}."))
}

fn one(row: u32) -> Range<usize> {
    row as usize..row as usize + 1
}
