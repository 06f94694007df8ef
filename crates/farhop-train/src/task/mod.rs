//! What is to be learned: checked data on its way into a model.
//!
//! One graph whose nodes are predicted is one batch for good, or is divided into parts of which batches are made. Of many
//! graphs, batches are cut. They are shuffled anew each epoch, and made on a thread of their own while the model works.

mod batches;
mod collection;
mod encodings;
mod feed;
mod metrics;
mod order;
mod parted;
mod parting;
mod planning;
mod several;
mod sharing;
mod sizes;
mod truth;

use std::borrow::Cow;
use std::sync::Arc;

use farhop_data::metrics::Metric;
use farhop_data::predictions::{Answers, Predictions};
use farhop_data::{Columns, Dataset, Level, Numbers, Part, Setting, Split, Target};
use farhop_graph::{Graph, GraphSet};
use farhop_nn::exchange::{Group, Halo};
use farhop_nn::{Batch, BatchArrays, InputShape, OutputShape};

pub use encodings::{ENCODINGS, Encoding, EncodingConfig, Encodings};
pub use feed::LoadTime;
pub use parting::Parting;
pub use planning::plan_whole;
pub use truth::{LossKind, TargetScale};

pub(crate) use feed::{Loaded, READY_PARTS, alive};
pub(crate) use truth::Truth;

use crate::memory::Division;
use crate::together::OwnPart;
use crate::{Outputs, TrainConfig, TrainError};
use collection::{Collection, EdgeColumns};
use metrics::{check_metric, metrics_of};
use order::Batching;
use parted::{Parted, Size};
use truth::Lessons;

/// A dataset, ready for a model.
#[derive(Debug)]
pub struct Task {
    /// The name of the data.
    pub name: String,
    /// How predictions are scored.
    pub metric: Metric,
    /// The user's ids of the rows that are predicted; empty: their numbers.
    pub ids: Vec<String>,
    split: Split,
    truth: Truth,
    input: InputShape,
    output: OutputShape,
    batching: Batching,
    source: Source,
    /// What memory depends on if the graphs are one that is divided.
    division: Division,
    feature_bytes: u64,
    /// Stored numbers of all nodes, where they are sparse.
    non_zeros: Option<usize>,
    /// The part of this process, where the graph is divided among several.
    part: Option<OwnPart>,
    /// The processes that share the graphs of every batch, if several do.
    shared: Option<Arc<Group>>,
}

/// The user's ids of rows (empty: their numbers) with what a model gives for them.
pub type NamedOutputs<'a> = (Cow<'a, [String]>, Outputs);

#[derive(Debug)]
enum Source {
    /// One graph whose nodes are predicted.
    Whole(Batch),
    /// The same, part by part; the sizes are those of the largest batch.
    Divided(Box<Parted>, Size),
    /// Graphs of which batches are made.
    Graphs(Box<Collection>),
}

impl Task {
    /// Takes over the data. `scale` is that of a run that is continued or applied; none: it is taken from the training rows.
    ///
    /// # Errors
    /// When the loss or the metric is not one for this target, there is nothing to learn from, or the graph can't be divided
    /// into the parts that `config` asks for.
    pub fn new(
        dataset: Dataset,
        encodings: Encodings,
        config: &TrainConfig,
        scale: Option<TargetScale>,
    ) -> Result<Self, TrainError> {
        let parting = Parting::of(&dataset, config)?;
        Task::with_parting(dataset, encodings, parting, config, scale)
    }

    /// As [`Task::new`] with the parts that [`Parting::of`] or [`Parting::of_cached`] gave.
    ///
    /// # Errors
    /// As [`Task::new`].
    pub fn with_parting(
        dataset: Dataset,
        encodings: Encodings,
        parting: Option<Parting>,
        config: &TrainConfig,
        scale: Option<TargetScale>,
    ) -> Result<Self, TrainError> {
        Task::made(dataset, encodings, parting, config, scale, None)
    }

    /// The task of one of several processes, each of which has a part of one graph: `dataset` is that of its own nodes.
    ///
    /// # Errors
    /// As [`Task::new`].
    pub fn of_part(
        dataset: Dataset,
        part: OwnPart,
        config: &TrainConfig,
        scale: Option<TargetScale>,
    ) -> Result<Self, TrainError> {
        Task::made(dataset, Encodings::default(), None, config, scale, Some(part))
    }

    fn made(
        dataset: Dataset,
        encodings: Encodings,
        parting: Option<Parting>,
        config: &TrainConfig,
        scale: Option<TargetScale>,
        mut part: Option<OwnPart>,
    ) -> Result<Self, TrainError> {
        let whole = dataset.splits_nodes();
        let Dataset {
            name,
            graphs,
            mut nodes,
            mut edges,
            level,
            target,
            split,
            metric,
            ids,
            notes: _,
            sources: _,
            weights,
        } = dataset;
        if let Some(part) = &mut part {
            edges = std::mem::take(&mut part.edges);
        }
        check_metric(metric, &target)?;
        let set = (!whole).then_some(&graphs);
        let split = truth::known_only(split, &target, set, level);
        let training = truth::rows_of(set, level, &split.train);
        let absolute = metric == Metric::Mae;
        let input = InputShape {
            numbers: nodes.width,
            categories: nodes.sizes.clone(),
            edge_numbers: edges.width,
            edge_categories: edges.sizes.clone(),
            arrays: encodings.shapes(),
        };
        if input.numbers + input.categories.len() + input.arrays.len() == 0 {
            return Err(TrainError::Task(format!(
                "{name} has no node features. Add some, or pass {} for positional encodings.",
                Setting::to("walk", "16")
            )));
        }
        let output = OutputShape { level, outputs: target.outputs() };
        let encoded = encodings.bytes();
        let graph = part.as_ref().map_or(graphs.union(), |part| &part.graph);
        let division = Division::of_columns(graph, (&nodes, &edges), &target, &input.arrays);
        if parting.is_none() {
            // Only parts of a graph are worth going to the disk for.
            nodes.numbers = match nodes.numbers {
                Numbers::OnDisk(numbers) => Numbers::Dense(numbers.to_dense()?),
                numbers => numbers,
            };
        }
        let feature_bytes = (nodes.heap_bytes() + edges.heap_bytes() + encoded) as u64;
        let non_zeros = match &nodes.numbers {
            Numbers::Sparse(csr) => Some(csr.values.len()),
            Numbers::Dense(_) | Numbers::OnDisk(_) => None,
        };
        let group = part.as_ref().map(|part| &**part.group());
        let lessons = Lessons { rows: &training, weights, group };
        let truth = Truth::new(level, target, config.loss, absolute, lessons, scale)?;
        let edges = EdgeColumns {
            width: edges.width,
            columns: edges.sizes.len(),
            numbers: edges.numbers.into_dense()?,
            categories: edges.categories,
        };
        let source = match parting {
            Some(parting) => {
                let batching = Batching { size: config.parts_per_batch, by_size: false };
                let halo = config.halo.unwrap_or(0);
                let parted = Parted { graph: graphs.into_union(), nodes, edges, encodings, parting, halo, batching };
                let largest = parted::largest(&parted.graph, &parted.parting, halo, batching, config.seed)?;
                Source::Divided(Box::new(parted), largest)
            }
            None if whole => {
                let graph = part.as_ref().map(|part| part.graph.clone());
                let graph = graph.unwrap_or_else(|| Arc::new(graphs.into_union()));
                let halo = part.as_ref().map(|part| part.halo.clone());
                Source::Whole(whole_batch(graph, nodes, edges, encodings, &input, halo)?)
            }
            None => Source::Graphs(Box::new(Collection { graphs, nodes, edges, encodings })),
        };
        let batching = Batching { size: config.batch_size, by_size: config.bucket_by_size };
        Ok(Task {
            name,
            metric,
            ids,
            split,
            truth,
            input,
            output,
            batching,
            source,
            division,
            feature_bytes,
            non_zeros,
            part,
            shared: None,
        })
    }

    /// What a model reads.
    pub fn input(&self) -> &InputShape {
        &self.input
    }

    /// What a model gives.
    pub fn output(&self) -> &OutputShape {
        &self.output
    }

    /// What a prediction is about.
    pub fn level(&self) -> Level {
        self.truth.level
    }

    /// The truth.
    pub fn target(&self) -> &Target {
        &self.truth.target
    }

    /// The scale on which numbers are learned; none for other targets.
    pub fn scale(&self) -> Option<&TargetScale> {
        self.truth.scale.as_ref()
    }

    /// Which nodes (of one graph) or graphs (of many) are for what.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// Takes another split, such as that of a run.
    ///
    /// # Errors
    /// When it names a node or graph that is not there.
    pub fn set_split(&mut self, split: Split) -> Result<(), TrainError> {
        let Split { train, valid, test } = split;
        let checked = Split::from_lists(self.units(), train, valid, test);
        let checked = checked.map_err(|error| TrainError::Task(error.to_string()))?;
        let set = self.graph_set();
        self.split = truth::known_only(checked, &self.truth.target, set, self.truth.level);
        Ok(())
    }

    /// What the split divides: nodes of the only graph, or graphs.
    pub fn units(&self) -> usize {
        match &self.source {
            Source::Whole(batch) => batch.nodes(),
            Source::Divided(parted, _) => parted.graph.nodes(),
            Source::Graphs(collection) => collection.graphs.len(),
        }
    }

    /// The user's id of what the split divides, or its number.
    pub fn unit_id(&self, unit: u32) -> Cow<'_, str> {
        // Of many graphs whose nodes are predicted, the ids are those of the nodes.
        let named = self.units() == self.rows();
        match self.ids.get(unit as usize).filter(|_| named) {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Owned(unit.to_string()),
        }
    }

    /// Rows of the target: nodes or graphs.
    pub fn rows(&self) -> usize {
        match (&self.source, self.truth.level) {
            (Source::Whole(batch), _) => batch.nodes(),
            (Source::Divided(parted, _), _) => parted.graph.nodes(),
            (Source::Graphs(collection), Level::Node) => collection.graphs.union().nodes(),
            (Source::Graphs(collection), Level::Graph | Level::Pair) => collection.graphs.len(),
        }
    }

    /// As [`Task::rows`], of all processes together.
    pub fn whole_rows(&self) -> usize {
        self.part.as_ref().map_or_else(|| self.rows(), |part| part.halo.total_nodes() as usize)
    }

    /// Number of graphs.
    pub fn graphs(&self) -> usize {
        self.graph_set().map_or(1, GraphSet::len)
    }

    /// The graph, or the union of all graphs.
    pub fn graph(&self) -> &Graph {
        match &self.source {
            Source::Whole(batch) => batch.graph(),
            Source::Divided(parted, _) => &parted.graph,
            Source::Graphs(collection) => collection.graphs.union(),
        }
    }

    /// What is learned, in words: `node-classification`, `graph-regression`, ...
    pub fn kind(&self) -> &'static str {
        match (self.truth.level, &self.truth.target) {
            (Level::Node, Target::Class { .. }) => "node-classification",
            (Level::Node, Target::Binary { .. }) => "node-multi-label-classification",
            (Level::Node, Target::Number { .. }) => "node-regression",
            (Level::Graph, Target::Class { .. }) => "graph-classification",
            (Level::Graph, Target::Binary { .. }) => "graph-multi-label-classification",
            (Level::Graph, Target::Number { .. }) => "graph-regression",
            (Level::Pair, _) | (_, Target::Pair { .. }) => "edge-prediction",
        }
    }

    /// The graphs, unless there is one whose nodes are predicted.
    pub(crate) fn graph_set(&self) -> Option<&GraphSet> {
        match &self.source {
            Source::Whole(_) | Source::Divided(..) => None,
            Source::Graphs(collection) => Some(&collection.graphs),
        }
    }

    /// Whether there are many graphs, of which batches are made.
    pub fn has_batches_of_graphs(&self) -> bool {
        self.graph_set().is_some()
    }

    /// Whether the one graph is seen part by part.
    pub(crate) fn is_parted(&self) -> bool {
        matches!(self.source, Source::Divided(..))
    }

    /// The parts of the graph and the hops around them, where it is seen part by part.
    pub fn parting(&self) -> Option<(&Parting, usize)> {
        match &self.source {
            Source::Divided(parted, _) => Some((&parted.parting, parted.halo)),
            _ => None,
        }
    }

    pub(crate) fn truth(&self) -> &Truth {
        &self.truth
    }

    /// The rows of the target that belong to a part of the split.
    pub fn rows_of(&self, part: Part) -> Vec<u32> {
        truth::rows_of(self.graph_set(), self.truth.level, self.split.part(part))
    }

    /// Predictions under the user's ids: `outputs` are probabilities or numbers for all rows or pairs; see
    /// [`probabilities`](crate::probabilities).
    pub fn predictions<'a>(&'a self, outputs: &'a [f32]) -> Predictions<'a> {
        let starts = self.graph_set().map_or(&[][..], GraphSet::offsets);
        Predictions::new(&self.ids, Answers::of(&self.truth.target, starts, outputs))
    }

    /// The metrics that say something about this target, that of the task first.
    pub fn metrics(&self) -> Vec<Metric> {
        let (_, allowed) = metrics_of(&self.truth.target);
        let others = allowed.into_iter().filter(|metric| *metric != self.metric);
        std::iter::once(self.metric).chain(others).collect()
    }
}

fn whole_batch(
    graph: Arc<Graph>,
    nodes: Columns,
    edges: EdgeColumns,
    encodings: Encodings,
    input: &InputShape,
    halo: Option<Arc<Halo>>,
) -> Result<Batch, TrainError> {
    let numbers = match nodes.numbers {
        Numbers::Sparse(csr) => {
            farhop_nn::BatchNumbers::Sparse { offsets: csr.offsets, indices: csr.indices, values: csr.values }
        }
        numbers => farhop_nn::BatchNumbers::Dense(numbers.into_dense()?),
    };
    let arrays = BatchArrays {
        graph,
        offsets: Vec::new(),
        numbers,
        categories: nodes.categories,
        edge_numbers: edges.numbers,
        edge_categories: edges.categories,
        arrays: encodings.arrays,
    };
    Ok(Batch::from_part(arrays, input, halo))
}
