//! What a model is applied to, and what it is trained towards.

use std::fmt;
use std::sync::{Arc, OnceLock};

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::sparse_features::SparseFeatures;

use crate::NnError;
use crate::ops::EntryWeights;
use crate::ops::bridge;

/// A graph with a row of features per node. Cheap to clone.
#[derive(Clone)]
pub struct Batch {
    inner: Arc<Inner>,
}

struct Inner {
    graph: Arc<Graph>,
    width: usize,
    features: Tensor<2>,
    symmetric: OnceLock<Arc<EntryWeights>>,
    ones: OnceLock<Arc<EntryWeights>>,
    sparse: OnceLock<Option<Arc<SparseFeatures>>>,
}

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
        let nodes = graph.nodes();
        assert_eq!(features.len(), nodes * width, "a batch needs {nodes} x {width} features");
        let features = bridge::from_vec(features, [nodes, width]);
        Batch {
            inner: Arc::new(Inner {
                graph,
                width,
                features,
                symmetric: OnceLock::new(),
                ones: OnceLock::new(),
                sparse: OnceLock::new(),
            }),
        }
    }

    /// Number of nodes, `N`.
    pub fn nodes(&self) -> usize {
        self.inner.graph.nodes()
    }

    /// Number of features of a node.
    pub fn width(&self) -> usize {
        self.inner.width
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.inner.graph
    }

    /// The features, `[N, width]`.
    pub fn features(&self) -> Tensor<2> {
        self.inner.features.clone()
    }

    /// The coefficients of symmetric normalisation with self-loops, computed once:
    /// `1 / sqrt((deg_i + 1)(deg_j + 1))` per entry, `1 / (deg_i + 1)` for the node itself.
    pub fn symmetric_weights(&self) -> &Arc<EntryWeights> {
        self.inner.symmetric.get_or_init(|| Arc::new(symmetric_weights(&self.inner.graph)))
    }

    /// The sparse form of the features, if `x` is this batch's features (not a changed copy) and they are mostly zeros.
    pub(crate) fn sparse(&self, x: &Tensor<2>) -> Option<&Arc<SparseFeatures>> {
        let address =
            |tensor: &Tensor<2>| bridge::with_slice(tensor, |values| (values.as_ptr() as usize, values.len()));
        if x.is_require_grad() || address(x) != address(&self.inner.features) {
            return None;
        }
        let make = |values: &[f32]| SparseFeatures::from_dense(values, self.inner.width).map(Arc::new);
        self.inner.sparse.get_or_init(|| bridge::with_slice(&self.inner.features, make)).as_ref()
    }

    /// Every coefficient 1.
    pub fn ones(&self) -> &Arc<EntryWeights> {
        let graph = &self.inner.graph;
        self.inner.ones.get_or_init(|| {
            Arc::new(EntryWeights { entries: vec![1.0; graph.entries()], nodes: vec![1.0; graph.nodes()] })
        })
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Batch").field("graph", self.graph()).field("width", &self.width()).finish()
    }
}

fn symmetric_weights(graph: &Graph) -> EntryWeights {
    let nodes = graph.nodes();
    let roots: Vec<f64> = (0..nodes).map(|i| 1.0 / ((graph.degree(i) + 1) as f64).sqrt()).collect();
    let mut entries = Vec::with_capacity(graph.entries());
    for i in 0..nodes {
        entries.extend(graph.neighbours(i).iter().map(|&j| (roots[i] * roots[j as usize]) as f32));
    }
    let nodes = (0..nodes).map(|i| (1.0 / (graph.degree(i) + 1) as f64) as f32).collect();
    EntryWeights { entries, nodes }
}

/// Training nodes and the class of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Nodes.
    pub rows: Vec<u32>,
    /// Their classes, one per row.
    pub classes: Vec<u32>,
}

impl Targets {
    /// Whether all rows and classes are in range and there is one class per row.
    pub fn check(&self, nodes: usize, classes: usize) -> Result<(), NnError> {
        if self.rows.len() != self.classes.len() {
            return Err(NnError::TargetLengths { rows: self.rows.len(), classes: self.classes.len() });
        }
        let outside = |what, values: &[u32], count: usize| {
            let found = values.iter().position(|&value| value as usize >= count);
            found.map(|index| NnError::Target { index, what, value: values[index], last: count.saturating_sub(1) })
        };
        outside("row", &self.rows, nodes).or_else(|| outside("class", &self.classes, classes)).map_or(Ok(()), Err)
    }
}
