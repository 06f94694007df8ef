//! How much memory a model will need, before anything is allocated.

use farhop_kernels::buffers;

use crate::arrays::{ArrayShape, total_width, width_of};
use crate::{InputShape, Level, OutputShape};

/// The sizes that memory depends on. What a task does not have stays 0: `Shape { nodes, entries, inputs, outputs,
/// ..Shape::default() }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Nodes, `N`.
    pub nodes: usize,
    /// Directed entries, `E`.
    pub entries: usize,
    /// Pairs of nodes at most two steps apart, if somebody looked at the graph.
    pub two_steps: Option<usize>,
    /// Nodes of each class of degrees as `[nodes, entries]`, of this graph or of one that it is a part of; empty if nobody looked.
    pub degrees: Vec<[usize; 2]>,
    /// Numbers of a node.
    pub inputs: usize,
    /// Classes, labels or quantities.
    pub outputs: usize,
    /// What an answer is about.
    pub level: Level,
    /// Graphs in the batch.
    pub graphs: usize,
    /// Stored elements of all nodes, if their numbers are kept sparse.
    pub non_zeros: Option<usize>,
    /// Category columns of a node.
    pub categories: usize,
    /// The categories of all columns.
    pub category_rows: usize,
    /// Numbers of an entry.
    pub edge_numbers: usize,
    /// Category columns of an entry.
    pub edge_categories: usize,
    /// The categories of all columns of an entry.
    pub edge_category_rows: usize,
    /// Further numbers of a node, by name.
    pub arrays: Vec<ArrayShape>,
}

impl Shape {
    /// Classes of the nodes of one graph, with nothing but numbers.
    pub const fn nodes(nodes: usize, entries: usize, inputs: usize, outputs: usize) -> Self {
        Shape {
            nodes,
            entries,
            two_steps: None,
            degrees: Vec::new(),
            inputs,
            outputs,
            level: Level::Node,
            graphs: 1,
            non_zeros: None,
            categories: 0,
            category_rows: 0,
            edge_numbers: 0,
            edge_categories: 0,
            edge_category_rows: 0,
            arrays: Vec::new(),
        }
    }

    /// A batch of `graphs` graphs with `nodes` nodes and `entries` entries together.
    pub fn of(inputs: &InputShape, outputs: &OutputShape, graphs: usize, nodes: usize, entries: usize) -> Self {
        Shape {
            nodes,
            entries,
            two_steps: None,
            degrees: Vec::new(),
            inputs: inputs.numbers,
            outputs: outputs.outputs,
            level: outputs.level,
            graphs,
            non_zeros: None,
            categories: inputs.categories.len(),
            category_rows: inputs.category_rows(),
            edge_numbers: inputs.edge_numbers,
            edge_categories: inputs.edge_categories.len(),
            edge_category_rows: inputs.edge_category_rows(),
            arrays: inputs.arrays.clone(),
        }
    }

    /// About how many pairs of nodes are at most two steps apart; as in a graph of equal degrees if nobody looked.
    pub fn pairs_within_two_steps(&self) -> usize {
        let most = self.nodes.saturating_mul(self.nodes / self.graphs.max(1));
        let row = self.entries / self.nodes.max(1) + 1;
        self.two_steps.unwrap_or(self.entries.saturating_mul(row).min(most))
    }

    /// Shares of the nodes and how many neighbours those have; all as many as the mean if nobody looked.
    pub(crate) fn neighbours(&self) -> Vec<(f64, f64)> {
        let mean = [[self.nodes.max(1), self.entries]];
        let classes = if self.degrees.is_empty() { &mean[..] } else { &self.degrees };
        let nodes: usize = classes.iter().map(|class| class[0]).sum();
        classes.iter().map(|&[count, entries]| (count as f64 / nodes as f64, entries as f64 / count as f64)).collect()
    }

    /// Whether a node has more than numbers, so that it needs an encoder.
    pub(crate) fn needs_encoder(&self) -> bool {
        self.categories > 0 || !self.arrays.is_empty()
    }

    /// The columns of array `name`; 0 if it is not there.
    pub fn array(&self, name: &str) -> usize {
        width_of(&self.arrays, name)
    }

    /// The columns of all named arrays together.
    pub fn array_columns(&self) -> usize {
        total_width(&self.arrays)
    }

    /// The same with some of its named arrays.
    pub fn with_arrays(&self, keep: impl Fn(&str) -> bool) -> Self {
        let arrays = self.arrays.iter().filter(|array| keep(&array.name)).cloned().collect();
        Shape { arrays, ..self.clone() }
    }

    /// The same without named arrays.
    pub fn without_arrays(&self) -> Self {
        Shape { arrays: Vec::new(), ..self.clone() }
    }
}

/// How many times what is asked for a buffer may have that is used again.
pub const BUFFER_SLACK: f64 = 1.0 + 1.0 / buffers::SLACK as f64;

/// Bytes that a model needs, the graph and the data set itself not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// Weights and, in training, their gradients and the optimiser's moments.
    pub parameters: u64,
    /// What lives through the whole pass: features, coefficients and what is kept for the backward pass.
    pub kept: u64,
    /// The largest amount that is alive in passing on top of that.
    pub transient: u64,
    /// Where it goes, largest stages by name.
    pub parts: Vec<(String, u64)>,
}

impl MemoryEstimate {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.parameters + self.kept + self.transient
    }

    /// Bytes of buffers that wait for their turn beside those in use, a part of the most that ever waited: that is taken as half of
    /// what a step has. See [`buffers`].
    pub fn waiting(&self) -> u64 {
        (self.kept + self.transient) / buffers::ROOM as u64 / 2
    }

    /// Adds `count` weights as part `name`.
    pub(crate) fn weights(&mut self, name: &str, count: usize, training: bool) {
        // Weight, gradient, two moments.
        let copies = if training { 4 } else { 1 };
        self.add_parameters(name, floats(count) * copies);
    }

    /// Adds something that is there through the whole pass.
    pub(crate) fn keep(&mut self, name: &str, bytes: u64) {
        self.kept += bytes;
        self.part(name, bytes);
    }

    fn add_parameters(&mut self, name: &str, bytes: u64) {
        self.parameters += bytes;
        self.part(name, bytes);
    }

    fn part(&mut self, name: &str, bytes: u64) {
        if bytes > 0 {
            self.parts.push((name.to_string(), bytes));
        }
    }
}

/// Bytes of `count` f32.
pub(crate) fn floats(count: usize) -> u64 {
    count as u64 * size_of::<f32>() as u64
}
