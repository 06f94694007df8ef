//! One graph in parts, and batches cut out of it.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use farhop_data::{Columns, Numbers};
use super::stand_in::{HaloFinder, induce};
use farhop_graph::Graph;
use farhop_nn::{Batch, InputShape, Parts};

use super::collection::{EdgeColumns, numbers_of, rows};
use super::encodings::Encodings;
use super::order::Cut;
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
    pub cut: Cut,
    finder: Mutex<HaloFinder>,
}

/// Nodes and entries of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Size {
    pub nodes: usize,
    pub entries: usize,
}

/// Nodes of a batch.
struct Selection {
    /// Those that it answers for, and those around them; ascending.
    nodes: Vec<u32>,
    /// Those that it answers for, ascending, with their places among all.
    own: Vec<(u32, u32)>,
}

impl Parted {
    pub fn new(
        graph: Graph,
        columns: (Columns, EdgeColumns, Encodings),
        parting: Parting,
        halo: usize,
        per_batch: usize,
    ) -> Self {
        let (nodes, edges, encodings) = columns;
        let finder = Mutex::new(HaloFinder::new(&graph));
        let cut = Cut { size: per_batch, by_size: false };
        Parted { graph, nodes, edges, encodings, parting, halo, cut, finder }
    }

    /// These parts as one batch, with the nodes that it answers for and their places in it.
    ///
    /// # Errors
    /// When features are on disk and can't be read.
    pub fn batch(&self, parts: &[u32], shape: &InputShape) -> Result<(Batch, Vec<(u32, u32)>), TrainError> {
        let Selection { nodes, own } = self.select(parts);
        let found = induce(&self.graph, &nodes);
        let entries = || found.entries.iter().map(|entry| one(*entry));
        let of_nodes = || nodes.iter().map(|node| one(*node));
        let parts = Parts {
            graph: Arc::new(found.graph),
            offsets: Vec::new(),
            numbers: match &self.nodes.numbers {
                Numbers::OnDisk(numbers) => farhop_nn::Numbers::Dense(numbers.gather(&nodes)?),
                _ => numbers_of(&self.nodes, of_nodes()),
            },
            categories: rows(&self.nodes.categories, self.nodes.sizes.len(), of_nodes()),
            edge_numbers: rows(&self.edges.numbers, self.edges.width, entries()),
            edge_categories: rows(&self.edges.categories, self.edges.columns, entries()),
            walk: rows(&self.encodings.walk, shape.walk, of_nodes()),
            laplacian: rows(&self.encodings.laplacian, shape.laplacian, of_nodes()),
        };
        Ok((Batch::from_parts(parts, shape), own))
    }

    /// The parts of the batches of an evaluation: always the same, so that what is said of a node does not depend on which
    /// others are asked for.
    pub fn in_order(&self) -> Vec<Vec<u32>> {
        let all: Vec<u32> = (0..self.parting.parts() as u32).collect();
        self.cut.in_order(&all)
    }

    /// The sizes of the largest batch: of all of them if each is one part, else of those of an evaluation and of the first
    /// epochs.
    pub fn largest(&self, seed: u64) -> Size {
        let mut batches = self.in_order();
        if self.cut.size > 1 && batches.len() > 1 {
            let all: Vec<u32> = (0..self.parting.parts() as u32).collect();
            for epoch in 1..=COUNTED_EPOCHS {
                batches.extend(self.cut.shuffled(&all, |_| 0, seed, epoch));
            }
        }
        let mut inside = vec![false; self.graph.nodes()];
        let sizes = batches.iter().map(|parts| {
            let nodes = self.select(parts).nodes;
            nodes.iter().for_each(|node| inside[*node as usize] = true);
            let count = |node: &u32| {
                self.graph.neighbours(*node as usize).iter().filter(|other| inside[**other as usize]).count()
            };
            let entries = nodes.iter().map(count).sum();
            nodes.iter().for_each(|node| inside[*node as usize] = false);
            Size { nodes: nodes.len(), entries }
        });
        // The largest of each: memory counts both.
        let all: Vec<Size> = sizes.collect();
        let most = |of: fn(&Size) -> usize| all.iter().map(of).max().unwrap_or(0);
        Size { nodes: most(|size| size.nodes), entries: most(|size| size.entries) }
    }

    /// Bytes that all this holds, the graph not counted.
    pub fn bytes(&self) -> u64 {
        let nodes = self.graph.nodes() as u64;
        // Marks of the search for neighbours, and of cutting out.
        let marks = 8 * nodes;
        self.parting.bytes() + marks
    }

    fn select(&self, parts: &[u32]) -> Selection {
        let mut own: Vec<u32> = parts.iter().flat_map(|part| self.parting.members(*part)).copied().collect();
        own.sort_unstable();
        let nodes = if self.halo == 0 {
            own.clone()
        } else {
            // A thread that panicked left marks behind at worst, and its panic ends the run.
            let mut finder = self.finder.lock().unwrap_or_else(PoisonError::into_inner);
            finder.within(&self.graph, &own, self.halo)
        };
        let mut places = nodes.iter().zip(0u32..);
        let placed = own.into_iter().filter_map(|node| {
            let (_, place) = places.find(|(other, _)| **other == node)?;
            Some((node, place))
        });
        let own = placed.collect();
        Selection { nodes, own }
    }
}

fn one(row: u32) -> Range<usize> {
    row as usize..row as usize + 1
}
