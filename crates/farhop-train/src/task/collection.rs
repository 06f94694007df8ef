//! Many graphs, and batches cut out of them.

use std::ops::Range;
use std::sync::Arc;

use farhop_data::{Columns, Numbers, Target};
use farhop_graph::GraphSet;
use farhop_nn::{Batch, BatchArrays, InputShape, Targets};

use super::encodings::Encodings;
use super::truth::{Truth, within};

/// Graphs with the features of their nodes and entries.
#[derive(Debug)]
pub(super) struct Collection {
    pub graphs: GraphSet,
    pub nodes: Columns,
    pub edges: EdgeColumns,
    pub encodings: Encodings,
}

/// Features of entries. Their numbers are always dense: edges have few.
#[derive(Debug)]
pub(super) struct EdgeColumns {
    pub width: usize,
    /// `[E, width]`.
    pub numbers: Vec<f32>,
    /// Columns of categories.
    pub columns: usize,
    /// `[E, columns]`.
    pub categories: Vec<u16>,
}

impl Collection {
    /// These graphs as one batch, in this order. Costs what the batch holds.
    pub fn batch(&self, graphs: &[u32], shape: &InputShape) -> Batch {
        let picked = self.graphs.pick(graphs);
        let offsets = picked.offsets().to_vec();
        let nodes = || graphs.iter().map(|graph| self.graphs.nodes_of(*graph as usize));
        let entries = || graphs.iter().map(|graph| self.graphs.entries_of(*graph as usize));
        let arrays = BatchArrays {
            graph: Arc::new(picked.into_union()),
            offsets,
            numbers: numbers_of(&self.nodes, nodes()),
            categories: rows(&self.nodes.categories, self.nodes.sizes.len(), nodes()),
            edge_numbers: rows(&self.edges.numbers, self.edges.width, entries()),
            edge_categories: rows(&self.edges.categories, self.edges.columns, entries()),
            arrays: self.encodings.rows(|values, width| rows(values, width, nodes())),
        };
        Batch::from_arrays(arrays, shape)
    }

    /// What is known about these graphs, in the numbering of their batch.
    pub fn targets(&self, truth: &Truth, graphs: &[u32]) -> Targets {
        let set = &self.graphs;
        match &truth.target {
            Target::Pair { pairs, together, offsets } => {
                let mut found = Vec::new();
                let mut answers = Vec::new();
                let mut start = 0u32;
                for graph in graphs.iter().map(|graph| *graph as usize) {
                    let nodes = set.nodes_of(graph);
                    let shift = |node: u32| node - nodes.start as u32 + start;
                    let range = offsets[graph]..offsets[graph + 1];
                    found.extend(pairs[range.clone()].iter().map(|[a, b]| [shift(*a), shift(*b)]));
                    answers.extend_from_slice(&together[range]);
                    start += nodes.len() as u32;
                }
                Targets::Pairs { pairs: found, together: answers }
            }
            _ => truth.targets(&within(set, truth.level, graphs)),
        }
    }

    /// Nodes of a graph.
    pub fn size(&self, graph: u32) -> usize {
        self.graphs.nodes_of(graph as usize).len()
    }
}

/// Rows of an array `[.., width]`, range after range.
pub(super) fn rows<T: Copy>(array: &[T], width: usize, ranges: impl Iterator<Item = Range<usize>>) -> Vec<T> {
    if width == 0 {
        return Vec::new();
    }
    let mut out = Vec::new();
    ranges.for_each(|range| out.extend_from_slice(&array[range.start * width..range.end * width]));
    out
}

/// Rows of numbers that are in memory, range after range.
pub(super) fn numbers_of(columns: &Columns, ranges: impl Iterator<Item = Range<usize>>) -> farhop_nn::BatchNumbers {
    match &columns.numbers {
        // Whoever leaves numbers on disk gathers them there.
        Numbers::OnDisk(_) => farhop_nn::BatchNumbers::default(),
        Numbers::Dense(numbers) => farhop_nn::BatchNumbers::Dense(rows(numbers, columns.width, ranges)),
        Numbers::Sparse(csr) => {
            let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for row in ranges.flatten() {
                let range = csr.offsets[row]..csr.offsets[row + 1];
                indices.extend_from_slice(&csr.indices[range.clone()]);
                values.extend_from_slice(&csr.values[range]);
                offsets.push(indices.len());
            }
            farhop_nn::BatchNumbers::Sparse { offsets, indices, values }
        }
    }
}
