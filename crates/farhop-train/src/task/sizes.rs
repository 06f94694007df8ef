//! How large the batches of a task are, which its memory depends on.

use farhop_nn::Shape;

use super::feed::{self, alive};
use super::planning::largest_sum;
use super::{Source, Task};
use crate::memory::DataBytes;

impl Task {
    /// Steps of an epoch.
    pub fn steps(&self) -> usize {
        match &self.source {
            Source::Whole(_) => 1,
            Source::Divided(parted, _) => self.training_parts(parted).len().div_ceil(parted.batching.size.max(1)),
            Source::Graphs(_) => self.split.train.len().div_ceil(self.batching.size.max(1)),
        }
    }

    /// Bytes that the data itself holds, the batch that a model works on not counted.
    pub fn data_bytes(&self) -> DataBytes {
        let graph = self.graph();
        let graph_bytes = graph.heap_bytes() as u64;
        match &self.source {
            Source::Whole(_) => DataBytes { graph: graph_bytes, ..DataBytes::default() },
            Source::Divided(_, largest) => self.division.with_batch(largest.nodes, largest.entries).1,
            Source::Graphs(_) => {
                let share = self.shape().nodes as f64 / graph.nodes().max(1) as f64;
                let batch = (graph_bytes + self.feature_bytes) as f64 * share;
                let waiting = (alive(feed::READY_GRAPHS) as f64 * batch) as u64;
                let several_steps = self.steps() > 1;
                DataBytes {
                    graph: graph_bytes,
                    features: self.feature_bytes,
                    waiting,
                    several_steps,
                    ..DataBytes::default()
                }
            }
        }
    }

    /// The sizes of a large batch, one in a thousand, which memory depends on.
    pub fn shape(&self) -> Shape {
        let (nodes, entries, graphs) = match &self.source {
            Source::Whole(batch) => (batch.graph().nodes(), batch.graph().entries(), 1),
            Source::Divided(_, largest) => (largest.nodes, largest.entries, 1),
            Source::Graphs(collection) => {
                let set = &collection.graphs;
                // Several processes share a batch.
                let size = self.batching.size.div_ceil(self.shared.as_ref().map_or(1, |group| group.ranks()));
                let sizes = |of: &dyn Fn(usize) -> usize| largest_sum((0..set.len()).map(of).collect(), size);
                let nodes = sizes(&|graph| set.nodes_of(graph).len());
                let entries = sizes(&|graph| set.entries_of(graph).len());
                (nodes, entries, size.min(set.len()))
            }
        };
        self.shape_of(graphs, nodes, entries)
    }

    fn shape_of(&self, graphs: usize, nodes: usize, entries: usize) -> Shape {
        let share = nodes as f64 / self.graph().nodes().max(1) as f64;
        let part = |count: usize| (count as f64 * share).ceil() as usize;
        let (non_zeros, two_steps) = (self.non_zeros.map(part), self.division.shape.two_steps.map(part));
        let degrees = self.division.shape.degrees.clone();
        Shape { non_zeros, two_steps, degrees, ..Shape::of(&self.input, &self.output, graphs, nodes, entries) }
    }
}
