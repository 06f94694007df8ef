//! What a graph needs that is seen part by part.

use farhop_data::{Columns, Dataset, Numbers, Target};
use farhop_graph::{Graph, count_within_two_steps, degree_classes};
use farhop_nn::{ArrayShape, Shape};

use super::DataBytes;
use crate::EncodingConfig;
use crate::task::{READY_PARTS, alive};

/// Before a graph is divided, this share of its entries is taken to lead from one part to another.
const CUT: f64 = 0.5;

/// One graph whose nodes are predicted, as far as memory is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The sizes of the whole graph.
    pub shape: Shape,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Bytes of the graph's arrays.
    pub graph: u64,
    /// Bytes of features and targets that stay in memory; what is on disk does not count.
    pub features: u64,
}

impl Division {
    /// The largest part is this many times the mean at most.
    pub(crate) const SLACK: f64 = 1.05;

    /// From the data of one graph, before anything is made of it.
    pub fn of(dataset: &Dataset, encodings: &EncodingConfig) -> Self {
        let columns = (&dataset.nodes, &dataset.edges);
        Division::of_columns(dataset.graphs.union(), columns, &dataset.target, &encodings.shapes())
    }

    pub(crate) fn of_columns(
        graph: &Graph,
        (nodes, edges): (&Columns, &Columns),
        target: &Target,
        arrays: &[ArrayShape],
    ) -> Self {
        let rows = |sizes: &[u32]| sizes.iter().map(|size| *size as usize).sum();
        let shape = Shape {
            non_zeros: match &nodes.numbers {
                Numbers::Sparse(csr) => Some(csr.values.len()),
                Numbers::Dense(_) | Numbers::OnDisk(_) => None,
            },
            categories: nodes.sizes.len(),
            category_rows: rows(&nodes.sizes),
            edge_numbers: edges.width,
            edge_categories: edges.sizes.len(),
            edge_category_rows: rows(&edges.sizes),
            arrays: arrays.to_vec(),
            two_steps: Some(count_within_two_steps(graph)),
            degrees: degree_classes(graph),
            ..Shape::nodes(graph.nodes(), graph.entries(), nodes.width, target.outputs())
        };
        let answers = match target {
            Target::Class { labels, .. } => 8 * labels.len(),
            Target::Binary { values, .. } | Target::Number { values, .. } => 4 * values.len(),
            Target::Pair { pairs, .. } => 8 * pairs.len(),
        };
        let encoded = 4 * graph.nodes() * shape.array_columns();
        let features = (nodes.heap_bytes() + edges.heap_bytes() + encoded + answers) as u64;
        Division { shape, directed: graph.is_directed(), graph: graph.heap_bytes() as u64, features }
    }

    /// Sizes only, with features that stay on disk.
    pub fn of_shape(shape: &Shape, directed: bool) -> Self {
        let graph = DataBytes::one_graph(shape.nodes, shape.entries, directed).graph;
        Division { shape: shape.clone(), directed, graph, features: 8 * shape.nodes as u64 }
    }

    /// What a run needs whose largest batch has this many nodes and entries.
    pub fn with_batch(&self, nodes: usize, entries: usize) -> (Shape, DataBytes) {
        let share = nodes as f64 / self.shape.nodes.max(1) as f64;
        let part = |count: usize| (count as f64 * share).ceil() as usize;
        let (non_zeros, two_steps) = (self.shape.non_zeros.map(part), self.shape.two_steps.map(part));
        let batch = Shape { nodes, entries, non_zeros, two_steps, ..self.shape.clone() };
        let graph = DataBytes::one_graph(nodes, entries, self.directed).graph;
        let all = self.shape.nodes as u64;
        let held = DataBytes {
            graph: self.graph,
            features: self.features,
            // The part of every node, the nodes of every part, and the marks of cutting out.
            parts: 16 * all,
            waiting: alive(READY_PARTS) as u64 * (graph + feature_bytes(&batch)) + graph,
            several_steps: nodes < self.shape.nodes,
            rows: self.shape.nodes,
        };
        (batch, held)
    }

    /// An estimate for a graph that is not divided yet. `growth` is how many times the nodes of a part its batch has, if
    /// that is known from a similar division.
    pub fn estimate(&self, parts: usize, halo: usize, growth: Option<f64>) -> (Shape, DataBytes) {
        let Shape { nodes, entries, .. } = self.shape;
        let degree = entries as f64 / nodes.max(1) as f64;
        let growth = growth.unwrap_or_else(|| (0..halo).fold(1.0, |growth, _| growth * (1.0 + CUT * degree)));
        let share = (Self::SLACK * growth / parts.max(1) as f64).min(1.0);
        let part = |all: usize| ((all as f64 * share).ceil() as usize).min(all);
        self.with_batch(part(nodes).max(1), part(entries))
    }
}

/// Bytes of the features of a batch.
fn feature_bytes(batch: &Shape) -> u64 {
    let numbers = match batch.non_zeros {
        Some(count) => 8 * (count + batch.nodes),
        None => 4 * batch.inputs * batch.nodes,
    };
    let of_nodes = batch.nodes * (2 * batch.categories + 4 * batch.array_columns());
    let of_entries = batch.entries * (4 * batch.edge_numbers + 2 * batch.edge_categories);
    (numbers + of_nodes + of_entries) as u64
}
