//! What a model is applied to.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::embedding::Categories;
use farhop_kernels::exchange::{Group, Halo};
use farhop_kernels::sparse_features::SparseFeatures;

use crate::arrays::{ArrayShape, NodeArray};
use crate::ops::{EntryWeights, bridge};
use crate::{Features, InputShape, Share, features};

/// Numbers of nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchNumbers {
    /// `[N, numbers]`, row-major.
    Dense(Vec<f32>),
    /// The non-zeros row by row: row i has `values[offsets[i]..offsets[i + 1]]` in the columns `indices[..]` of the same range.
    Sparse {
        /// `[N + 1]`, ascending from 0.
        offsets: Vec<usize>,
        /// Columns.
        indices: Vec<u32>,
        /// One per column index.
        values: Vec<f32>,
    },
}

impl Default for BatchNumbers {
    fn default() -> Self {
        BatchNumbers::Dense(Vec::new())
    }
}

/// All arrays of a batch, row-major. N nodes, E entries of the graph, G graphs; what the [`InputShape`] does not name stays empty.
///
/// Two graphs, whose nodes have one of three colours, and one quantity to learn of each graph:
///
/// ```
/// use farhop_graph::{Direction, build};
/// use farhop_nn::{Batch, InputShape, Learner, Level, ModelConfig, NumberLoss, OptimizerConfig, OutputShape, BatchArrays, Targets};
/// use std::sync::Arc;
///
/// let graph = build(5, &[(0, 1), (2, 3), (3, 4)], Direction::Undirected)?.graph;
/// let shape = InputShape { categories: vec![3], ..InputShape::default() };
/// let arrays = BatchArrays { offsets: vec![0, 2, 5], categories: vec![0, 2, 1, 1, 0], ..BatchArrays::new(Arc::new(graph)) };
/// let batch = Batch::from_arrays(arrays, &shape);
/// let model = ModelConfig::from_name("gen")?.init(&shape, OutputShape { level: Level::Graph, outputs: 1 }, 7)?;
/// assert_eq!(model.outputs(&batch).len(), 2);
/// let targets = Targets::Numbers { rows: vec![0, 1], values: vec![0.5, -1.0], loss: NumberLoss::L1 };
/// targets.check(&batch, model.output_shape())?;
/// let mut learner = Learner::new(model, OptimizerConfig::default(), 7);
/// assert!(learner.step(&batch, &targets, 0.01).is_finite());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchArrays {
    /// All graphs side by side.
    pub graph: Arc<Graph>,
    /// `[G + 1]`: graph g has the nodes `offsets[g]..offsets[g + 1]`. Empty for one graph.
    pub offsets: Vec<usize>,
    /// Numbers of nodes, `[N, numbers]`.
    pub numbers: BatchNumbers,
    /// Categories of nodes, `[N, categories]`.
    pub categories: Vec<u16>,
    /// Numbers of entries, `[E, edge_numbers]`, in the order of the graph's entries.
    pub edge_numbers: Vec<f32>,
    /// Categories of entries, `[E, edge_categories]`.
    pub edge_categories: Vec<u16>,
    /// Further numbers of nodes, `[N, width]` each, by name.
    pub arrays: Vec<NodeArray>,
}

impl BatchArrays {
    /// One graph with nothing on it.
    pub fn new(graph: Arc<Graph>) -> Self {
        BatchArrays {
            graph,
            offsets: Vec::new(),
            numbers: BatchNumbers::default(),
            categories: Vec::new(),
            edge_numbers: Vec::new(),
            edge_categories: Vec::new(),
            arrays: Vec::new(),
        }
    }
}

/// One graph or several side by side, with what is known of nodes and entries. Cheap to clone.
#[derive(Clone)]
pub struct Batch {
    inner: Arc<Inner>,
}

struct Inner {
    graph: Arc<Graph>,
    halo: Option<Arc<Halo>>,
    share: Option<Arc<Share>>,
    shape: InputShape,
    offsets: Arc<Vec<usize>>,
    /// Set from the start if the numbers came dense, made when asked for if they came sparse.
    dense: OnceLock<Tensor<2>>,
    /// Set from the start if the numbers came sparse; otherwise found out when asked for: `None` if they are not mostly zeros.
    sparse: OnceLock<Option<Arc<SparseFeatures>>>,
    categories: Arc<Categories>,
    edge_numbers: Tensor<2>,
    edge_categories: Arc<Categories>,
    /// In the order of the shape's.
    arrays: Vec<Tensor<2>>,
    derived: Mutex<BTreeMap<(TypeId, u64), Arc<Slot>>>,
}

/// Something derived, once it is made.
type Slot = OnceLock<Arc<dyn Any + Send + Sync>>;

/// The coefficients of symmetric normalisation.
struct Symmetric(Arc<EntryWeights>);

/// Coefficients of 1.
struct Ones(Arc<EntryWeights>);

impl Batch {
    /// A batch of `features` `[N, width]`, row-major, which are copied once.
    ///
    /// # Panics
    /// If there are not `N * width` features.
    pub fn new(graph: Arc<Graph>, features: &[f32], width: usize) -> Self {
        Batch::from_vec(graph, features.to_vec(), width)
    }

    /// As [`Batch::new`], without the copy.
    ///
    /// # Panics
    /// If there are not `N * width` features.
    pub fn from_vec(graph: Arc<Graph>, features: Vec<f32>, width: usize) -> Self {
        Batch::from_arrays(
            BatchArrays { numbers: BatchNumbers::Dense(features), ..BatchArrays::new(graph) },
            &width.into(),
        )
    }

    /// A batch from all its arrays, without a copy.
    ///
    /// # Panics
    /// If an array has another length than `shape` and the graph say, offsets do not ascend from 0 to their end, or a
    /// category or column index is out of range.
    pub fn from_arrays(arrays: BatchArrays, shape: &InputShape) -> Self {
        Batch::from_part(arrays, shape, None)
    }

    /// As [`Batch::from_arrays`], for the part of a graph that one of several processes has: the graph has own nodes and behind them those of
    /// others, the arrays of nodes have own nodes only.
    ///
    /// # Panics
    /// As [`Batch::from_arrays`].
    pub fn from_part(arrays: BatchArrays, shape: &InputShape, halo: Option<Arc<Halo>>) -> Self {
        let BatchArrays { graph, offsets, numbers, categories, edge_numbers, edge_categories, arrays } = arrays;
        let (nodes, entries) = (halo.as_ref().map_or(graph.nodes(), |halo| halo.own()), graph.entries());
        let offsets = if offsets.is_empty() { vec![0, nodes] } else { offsets };
        assert!(offsets.is_sorted() && offsets[0] == 0, "node offsets ascend from 0");
        assert_eq!(offsets.last(), Some(&nodes), "node offsets end at the number of nodes");
        let check = |what: &str, found: usize, rows: usize, width: usize| {
            assert_eq!(found, rows * width, "a batch needs {rows} x {width} {what}");
        };
        check("categories", categories.len(), nodes, shape.categories.len());
        check("edge numbers", edge_numbers.len(), entries, shape.edge_numbers);
        check("edge categories", edge_categories.len(), entries, shape.edge_categories.len());
        let named: Vec<ArrayShape> = arrays.iter().map(NodeArray::shape).collect();
        assert_eq!(named, shape.arrays, "a batch needs the arrays that its shape names");
        arrays.iter().for_each(|array| check(&array.name, array.values.len(), nodes, array.width));
        let tensor = |array: NodeArray| bridge::from_vec(array.values, [nodes, array.width]);
        let (dense, sparse) = match numbers {
            BatchNumbers::Dense(values) => {
                check("features", values.len(), nodes, shape.numbers);
                (OnceLock::from(bridge::from_vec(values, [nodes, shape.numbers])), OnceLock::new())
            }
            BatchNumbers::Sparse { offsets, indices, values } => {
                assert_eq!(offsets.len(), nodes + 1, "sparse numbers need {} row offsets", nodes + 1);
                let matrix = SparseFeatures::from_rows(offsets, indices, values, shape.numbers);
                (OnceLock::new(), OnceLock::from(Some(Arc::new(matrix))))
            }
        };
        Batch {
            inner: Arc::new(Inner {
                graph,
                halo,
                share: None,
                shape: shape.clone(),
                offsets: Arc::new(offsets),
                dense,
                sparse,
                categories: Arc::new(Categories::new(categories, &shape.categories)),
                edge_numbers: bridge::from_vec(edge_numbers, [entries, shape.edge_numbers]),
                edge_categories: Arc::new(Categories::new(edge_categories, &shape.edge_categories)),
                arrays: arrays.into_iter().map(tensor).collect(),
                derived: Mutex::default(),
            }),
        }
    }

    /// Number of nodes, `N`; of a part, that of own nodes.
    pub fn nodes(&self) -> usize {
        self.inner.halo.as_ref().map_or(self.inner.graph.nodes(), |halo| halo.own())
    }

    /// The nodes of other processes that the graph has behind its own, if it is a part.
    pub fn halo(&self) -> Option<&Arc<Halo>> {
        self.inner.halo.as_ref()
    }

    /// The same as one process's share of a batch of graphs.
    ///
    /// # Panics
    /// If it was cloned before.
    pub fn shared(mut self, share: Share) -> Self {
        match Arc::get_mut(&mut self.inner) {
            Some(inner) => inner.share = Some(Arc::new(share)),
            None => panic!("a batch is shared out before it is used"),
        }
        self
    }

    /// Which of the graphs of a batch these are, if several processes share it.
    pub fn share(&self) -> Option<&Arc<Share>> {
        self.inner.share.as_ref()
    }

    /// The processes that work on this batch together, if there are several.
    pub fn group(&self) -> Option<&Arc<Group>> {
        let of_share = || self.share().map(|share| &share.group);
        self.halo().map(|halo| halo.group()).or_else(of_share)
    }

    /// The number of the first graph in the whole batch, for what is random.
    pub fn first_graph(&self) -> usize {
        self.share().map_or(0, |share| share.before.graphs)
    }

    /// Number of graphs, `G`.
    pub fn graphs(&self) -> usize {
        self.inner.offsets.len() - 1
    }

    /// Node offsets of the graphs, `[G + 1]`.
    pub fn offsets(&self) -> &Arc<Vec<usize>> {
        &self.inner.offsets
    }

    /// Numbers of a node.
    pub fn width(&self) -> usize {
        self.inner.shape.numbers
    }

    /// What there is of nodes and entries.
    pub fn shape(&self) -> &InputShape {
        &self.inner.shape
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.inner.graph
    }

    /// The numbers of nodes, `[N, numbers]`, as a tensor: made now if they came sparse.
    pub fn features(&self) -> Tensor<2> {
        let make = || match self.inner.sparse.get() {
            Some(Some(matrix)) => features::dense(matrix),
            _ => bridge::from_vec(Vec::new(), [0, 0]),
        };
        self.inner.dense.get_or_init(make).clone()
    }

    /// The numbers of nodes as a model reads them: sparse if they came so or are mostly zeros.
    pub fn input(&self) -> Features {
        let find = |values: &[f32]| SparseFeatures::from_dense(values, self.inner.shape.numbers).map(Arc::new);
        let sparse = self.inner.sparse.get_or_init(|| bridge::with_slice(&self.features(), find));
        match sparse {
            Some(matrix) => Features::Sparse { matrix: matrix.clone(), unchanged: true, gate: None },
            None => Features::Dense(self.features()),
        }
    }

    /// The categories of nodes.
    pub(crate) fn categories(&self) -> &Arc<Categories> {
        &self.inner.categories
    }

    /// The numbers of entries, `[E, edge_numbers]`.
    pub(crate) fn edge_numbers(&self) -> Tensor<2> {
        self.inner.edge_numbers.clone()
    }

    /// The categories of entries.
    pub(crate) fn edge_categories(&self) -> &Arc<Categories> {
        &self.inner.edge_categories
    }

    /// The numbers of nodes called `name`, `[N, width]`; `[N, 0]` if there are none.
    pub fn array(&self, name: &str) -> Tensor<2> {
        match self.shape().arrays.iter().position(|array| array.name == name) {
            Some(at) => self.inner.arrays[at].clone(),
            None => bridge::from_vec(Vec::new(), [self.nodes(), 0]),
        }
    }

    /// Lets gradients flow into array `name`, for tests; gives the tensor that gets them.
    #[cfg(test)]
    pub(crate) fn track_array(&mut self, name: &str) -> Tensor<2> {
        let tracked = self.array(name).autodiff().require_grad();
        let at = self.shape().arrays.iter().position(|array| array.name == name).unwrap();
        Arc::get_mut(&mut self.inner).unwrap().arrays[at] = tracked.clone();
        tracked
    }

    /// Lets gradients flow into the numbers of entries, for tests; gives the tensor that gets them.
    #[cfg(test)]
    pub(crate) fn track_edge_numbers(&mut self) -> Tensor<2> {
        let tracked = self.edge_numbers().autodiff().require_grad();
        Arc::get_mut(&mut self.inner).unwrap().edge_numbers = tracked.clone();
        tracked
    }

    /// The coefficients of symmetric normalisation with self-loops, computed once:
    /// `1 / sqrt((deg_i + 1)(deg_j + 1))` per entry, `1 / (deg_i + 1)` for the node itself.
    pub fn symmetric_weights(&self) -> Arc<EntryWeights> {
        self.derived(0, |batch| Symmetric(EntryWeights::symmetric_with_self(batch.graph(), batch.halo()))).0.clone()
    }

    /// Every coefficient 1.
    pub fn ones(&self) -> Arc<EntryWeights> {
        self.derived(0, |batch| {
            let graph = batch.graph();
            Ones(Arc::new(EntryWeights { entries: vec![1.0; graph.entries()], nodes: vec![1.0; graph.nodes()] }))
        })
        .0
        .clone()
    }

    /// Something that follows from the batch alone (two-hop neighbourhoods, an order of nodes, features of pairs), made when it is first
    /// asked for, once however many ask at a time. `key` tells apart what has the same type: a number of hops, a seed. A model counts it
    /// in its `cost`. Making it may ask for something else, but not for itself.
    pub fn derived<T: Any + Send + Sync>(&self, key: u64, make: impl FnOnce(&Batch) -> T) -> Arc<T> {
        let slot = {
            let mut derived = self.inner.derived.lock().unwrap_or_else(PoisonError::into_inner);
            derived.entry((TypeId::of::<T>(), key)).or_default().clone()
        };
        // Made without the lock, since making it may ask for something else.
        let made = slot.get_or_init(|| Arc::new(make(self)));
        match made.clone().downcast::<T>() {
            Ok(made) => made,
            // The type is part of the place.
            Err(_) => unreachable!("derived data of another type"),
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Batch");
        debug.field("graph", self.graph()).field("graphs", &self.graphs()).field("shape", self.shape()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::{Direction, build};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Made(usize);

    #[test]
    fn what_is_derived_is_made_once_however_many_ask() {
        let graph = build(2, &[(0, 1)], Direction::Undirected).unwrap().graph;
        let batch = Batch::from_arrays(BatchArrays::new(Arc::new(graph)), &InputShape::default());
        let (count, barrier) = (AtomicUsize::new(0), Barrier::new(4));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    let made = batch.derived(7, |batch| {
                        count.fetch_add(1, Ordering::SeqCst);
                        Made(batch.nodes())
                    });
                    assert_eq!(made.0, 2);
                });
            }
        });
        assert_eq!(count.load(Ordering::SeqCst), 1);
        assert_eq!(batch.derived(8, |_| Made(5)).0, 5, "another key is another place");
    }
}
