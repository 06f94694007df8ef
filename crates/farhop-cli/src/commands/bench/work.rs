//! What is measured on: a graph with features and answers, read or generated.

use std::sync::Arc;

use farhop_data::bench_graph::{BenchGraph, BenchTargets};
use farhop_graph::random::{Stream, mix};
use farhop_graph::{Direction, Graph, count_within_two_steps, degree_classes, generate};
use farhop_nn::{Batch, BatchArrays, BatchNumbers, InputShape, Level, NumberLoss, OutputShape, Shape, Targets};

use crate::arguments::BenchArguments;
use crate::failure::Failure;

/// Exponent of the degrees of a generated graph.
const POWER_LAW: f64 = 2.5;

/// A graph, or many side by side, with features and answers.
pub struct Work {
    graph: Graph,
    /// `[G + 1]`: where the nodes of each graph start.
    offsets: Vec<usize>,
    features: Vec<f32>,
    inputs: InputShape,
    /// Numbers of entries.
    edge_numbers: Vec<f32>,
    targets: Targets,
    outputs: OutputShape,
}

impl Work {
    /// A file's graph and answers: a class for every node, or yes-or-no answers or quantities for every graph.
    pub fn given(file: BenchGraph) -> Self {
        let nodes = file.graph.nodes();
        let offsets = offsets(file.batch.as_deref(), nodes);
        let (targets, outputs) = match file.targets {
            BenchTargets::Classes { of_node, count } => (classes(of_node), count.into()),
            BenchTargets::Numbers { values, columns } => {
                let rows = (0..offsets.len() as u32 - 1).collect();
                let binary = values.iter().all(|value| value.is_nan() || (0.0..=1.0).contains(value));
                let targets = if binary {
                    Targets::Binary { rows, values }
                } else {
                    Targets::Numbers { rows, values, loss: NumberLoss::default() }
                };
                (targets, OutputShape { level: Level::Graph, outputs: columns })
            }
        };
        let inputs = file.width.into();
        Work { graph: file.graph, offsets, features: file.features, inputs, edge_numbers: Vec::new(), targets, outputs }
    }

    /// With so many numbers for every entry, drawn from `seed`.
    pub fn with_edge_features(mut self, count: usize, seed: u64) -> Self {
        let mut stream = Stream::new(mix(seed, 3));
        self.edge_numbers = (0..self.graph.entries() * count).map(|_| stream.normal() as f32).collect();
        self.inputs.edge_numbers = count;
        self
    }

    /// The sizes that memory depends on.
    pub fn shape(&self) -> Shape {
        let (nodes, entries) = (self.graph.nodes(), self.graph.entries());
        let two_steps = Some(count_within_two_steps(&self.graph));
        let own = Shape::of(&self.inputs, &self.outputs, self.offsets.len() - 1, nodes, entries);
        Shape { two_steps, degrees: degree_classes(&self.graph), ..own }
    }

    /// What a model reads.
    pub fn inputs(&self) -> &InputShape {
        &self.inputs
    }

    /// What a model gives.
    pub fn outputs(&self) -> OutputShape {
        self.outputs
    }

    /// Edges without direction.
    pub fn edges(&self) -> usize {
        self.graph.edges()
    }

    /// The loss by name.
    pub fn loss(&self) -> &'static str {
        match self.targets {
            Targets::Classes { .. } => "cross-entropy",
            Targets::Binary { .. } | Targets::Pairs { .. } => "binary cross-entropy",
            Targets::Numbers { .. } => "absolute error",
            Targets::Weighed { .. } => "weighed loss",
        }
    }

    /// As a model and its loss read it.
    pub fn into_batch(self) -> Result<(Batch, Targets), Failure> {
        let arrays = BatchArrays {
            offsets: self.offsets,
            numbers: BatchNumbers::Dense(self.features),
            edge_numbers: self.edge_numbers,
            ..BatchArrays::new(Arc::new(self.graph))
        };
        let batch = Batch::from_arrays(arrays, &self.inputs);
        self.targets.check(&batch, &self.outputs)?;
        Ok((batch, self.targets))
    }
}

fn classes(of_node: Vec<u32>) -> Targets {
    Targets::classes((0..of_node.len() as u32).collect(), of_node)
}

/// Where the nodes of each graph start, from the graph of each node, which ascends; a graph may be without nodes.
fn offsets(batch: Option<&[u32]>, nodes: usize) -> Vec<usize> {
    let Some(batch) = batch else {
        return vec![0, nodes];
    };
    let mut offsets = vec![0];
    for (node, &graph) in batch.iter().enumerate() {
        offsets.resize(graph as usize + 1, node);
    }
    offsets.push(nodes);
    offsets
}

/// A graph that is yet to be made.
pub struct GraphRequest {
    nodes: usize,
    edges: usize,
    width: usize,
    classes: usize,
    /// How many small ones, if it is not one for all.
    graphs: Option<usize>,
    edge_features: usize,
}

impl GraphRequest {
    /// What the arguments ask for.
    pub fn from(arguments: &BenchArguments) -> Result<Self, Failure> {
        let (Some(nodes), Some(edges)) = (arguments.nodes, arguments.edges) else {
            return Err(Failure::usage("there is no graph to measure on: give --graph FILE, or --nodes and --edges."));
        };
        let (width, classes) = (arguments.features.unwrap_or(128), arguments.classes.unwrap_or(40));
        let few = |count: usize| (1..=u32::MAX as usize / 2).contains(&count);
        if !(few(nodes) && few(edges.max(1)) && few(width) && few(classes)) {
            return Err(Failure::usage(
                "--nodes, --features and --classes must be at least 1, and nothing above 2147483647.",
            ));
        }
        let (graphs, edge_features) = (arguments.graphs, arguments.edge_features);
        if graphs.is_some_and(|graphs| !(1..=nodes).contains(&graphs)) {
            return Err(Failure::usage(format!("--graphs must be 1 to --nodes, {nodes}.")));
        }
        Ok(GraphRequest { nodes, edges, width, classes, graphs, edge_features })
    }

    /// Nodes and edges of each graph.
    fn shares(&self) -> (usize, usize) {
        let graphs = self.graphs.unwrap_or(1);
        (self.nodes / graphs, self.edges / graphs)
    }

    /// The sizes that memory depends on, before anything is made.
    pub fn shape(&self) -> Shape {
        let inputs = InputShape { edge_numbers: self.edge_features, ..self.width.into() };
        let (graphs, (nodes, edges)) = (self.graphs.unwrap_or(1), self.shares());
        Shape::of(&inputs, &self.outputs(), graphs, graphs * nodes, 2 * graphs * edges)
    }

    fn outputs(&self) -> OutputShape {
        let level = if self.graphs.is_some() { Level::Graph } else { Level::Node };
        OutputShape { level, outputs: self.classes }
    }

    /// The graphs side by side, and where each begins.
    fn graph(&self, seed: u64) -> Result<(Graph, Vec<usize>), Failure> {
        let (nodes, edges) = self.shares();
        let Some(graphs) = self.graphs else {
            return Ok((generate::chung_lu(nodes, edges, POWER_LAW, seed)?, vec![0, nodes]));
        };
        let mut pairs = Vec::with_capacity(graphs * edges);
        for at in 0..graphs {
            let one = generate::chung_lu(nodes, edges, POWER_LAW, mix(seed, 4 + at as u64))?;
            let place = |node: u32| (at * nodes) as u32 + node;
            for i in 0..nodes as u32 {
                let later = one.neighbours(i as usize).iter().filter(|j| **j > i);
                pairs.extend(later.map(|j| (place(i), place(*j))));
            }
        }
        let built = farhop_graph::build(graphs * nodes, &pairs, Direction::Undirected)?;
        Ok((built.graph, (0..=graphs).map(|at| at * nodes).collect()))
    }

    /// Makes it.
    pub fn generate(&self, seed: u64) -> Result<Work, Failure> {
        let (graph, offsets) = self.graph(seed)?;
        let nodes = graph.nodes();
        let mut stream = Stream::new(mix(seed, 1));
        let features = (0..nodes * self.width).map(|_| stream.normal() as f32).collect();
        let mut stream = Stream::new(mix(seed, 2));
        let targets = match self.graphs {
            None => classes((0..nodes).map(|_| stream.below(self.classes as u64) as u32).collect()),
            Some(graphs) => {
                let values = (0..graphs * self.classes).map(|_| stream.below(2) as f32).collect();
                Targets::Binary { rows: (0..graphs as u32).collect(), values }
            }
        };
        let inputs = self.width.into();
        let outputs = self.outputs();
        Ok(Work { graph, offsets, features, inputs, edge_numbers: Vec::new(), targets, outputs })
    }
}

#[cfg(test)]
mod tests {
    use super::offsets;

    #[test]
    fn graphs_start_where_their_first_node_stands() {
        assert_eq!(offsets(None, 3), [0, 3]);
        assert_eq!(offsets(Some(&[0, 0, 1]), 3), [0, 2, 3]);
        // Graphs 0 and 2 have no nodes.
        assert_eq!(offsets(Some(&[1, 1, 3]), 3), [0, 0, 2, 2, 3]);
    }
}
