//! How IPR-MPNN lays out its rows: every sample has a copy of the nodes, and C virtual nodes for every graph that has
//! nodes. Base rows are `[R, N]`, virtual rows `[R, G, C]`, each flat.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::{Graph, disjoint_union};
use farhop_kernels::segments::Reduction;

use crate::Batch;
use crate::ops::{self, EntryWeights, RowChoice, bridge};

/// Several copies of a batch's graph side by side.
#[derive(Debug)]
pub struct Copies {
    /// The copies.
    pub graph: Arc<Graph>,
    /// Coefficients 1.
    pub ones: Arc<EntryWeights>,
    nodes: Arc<RowChoice>,
    entries: Arc<RowChoice>,
    count: usize,
}

fn repeated(rows: usize, count: usize) -> Arc<RowChoice> {
    RowChoice::new((0..count).flat_map(|_| 0..rows as u32).collect(), rows)
}

impl Copies {
    /// `count` copies, at least one.
    ///
    /// # Panics
    /// If there are more nodes or entries in all than `u32` counts.
    pub fn new(batch: &Batch, count: usize) -> Self {
        let graph = batch.graph();
        let joined = match count {
            1 => graph.clone(),
            _ => match disjoint_union(&vec![&**graph; count]) {
                Ok(union) => Arc::new(union.graph),
                Err(error) => panic!("copies of the graph: {error}"),
            },
        };
        Copies {
            ones: EntryWeights::sum(&joined),
            graph: joined,
            nodes: repeated(batch.nodes(), count),
            entries: repeated(graph.entries(), count),
            count,
        }
    }

    /// Rows of nodes, once for each copy.
    pub fn of_nodes(&self, x: Tensor<2>) -> Tensor<2> {
        if self.count == 1 { x } else { ops::take_rows(x, &self.nodes) }
    }

    /// Rows of entries, once for each copy.
    pub fn of_entries(&self, x: Tensor<2>) -> Tensor<2> {
        if self.count == 1 { x } else { ops::take_rows(x, &self.entries) }
    }

    /// The mean over the copies of a node.
    pub fn mean(&self, x: Tensor<2>) -> Tensor<2> {
        if self.count == 1 { x } else { ops::sum_rows(x, &self.nodes) / self.count as f32 }
    }
}

/// Where base rows and virtual rows lie, and which belong together.
#[derive(Debug)]
pub struct Frame {
    /// Samples, R.
    pub samples: usize,
    /// Virtual nodes of a graph, C.
    pub virtual_nodes: usize,
    /// Graphs that have nodes.
    pub graphs: usize,
    /// The copies of the graph.
    pub copies: Arc<Copies>,
    /// Base rows of every sample and graph.
    nodes: Arc<Vec<usize>>,
    /// Virtual rows of every sample and graph.
    virtuals: Arc<Vec<usize>>,
    /// For every base row, its virtual node number c: one list for each c.
    places: Vec<Arc<RowChoice>>,
    /// The sample and graph of every virtual row.
    groups: Arc<RowChoice>,
    /// The virtual rows of one sample, for each.
    samples_of: Arc<RowChoice>,
    /// The virtual rows of every graph of the batch in one sample; none for a graph without nodes.
    pub readout: Arc<Vec<usize>>,
}

impl Frame {
    /// The layout of `samples` samples with `virtual_nodes` virtual nodes a graph.
    pub fn new(batch: &Batch, samples: usize, virtual_nodes: usize) -> Self {
        let nodes = batch.nodes();
        let starts: Vec<usize> =
            batch.offsets().windows(2).filter(|range| range[0] < range[1]).map(|range| range[0]).collect();
        let graphs = starts.len();
        let groups = samples * graphs;
        let mut offsets: Vec<usize> =
            (0..samples).flat_map(|sample| starts.iter().map(move |start| sample * nodes + start)).collect();
        offsets.push(samples * nodes);
        let group_of: Vec<usize> =
            (0..groups).flat_map(|group| vec![group; offsets[group + 1] - offsets[group]]).collect();
        let place = |c: usize| {
            let row = group_of.iter().map(|group| (group * virtual_nodes + c) as u32).collect();
            RowChoice::new(row, groups * virtual_nodes)
        };
        let mut readout = vec![0];
        for range in batch.offsets().windows(2) {
            let held = if range[0] < range[1] { virtual_nodes } else { 0 };
            readout.push(readout[readout.len() - 1] + held);
        }
        let rows = groups * virtual_nodes;
        Frame {
            samples,
            virtual_nodes,
            graphs,
            copies: batch.derived(samples as u64, |batch| Copies::new(batch, samples)),
            nodes: offsets.into(),
            virtuals: Arc::new((0..=groups).map(|group| group * virtual_nodes).collect()),
            places: (0..virtual_nodes).map(place).collect(),
            groups: RowChoice::new((0..rows).map(|row| (row / virtual_nodes) as u32).collect(), groups),
            samples_of: repeated(graphs * virtual_nodes, samples),
            readout: readout.into(),
        }
    }

    /// `sum over the nodes i of a graph of M_ic x_i` for every virtual node c: base rows to virtual rows.
    pub fn gather(&self, x: &Tensor<2>, mask: &Tensor<2>) -> Tensor<2> {
        let [rows, width] = x.dims();
        let columns: Vec<Tensor<2>> = (0..self.virtual_nodes)
            .map(|c| {
                let weighted = ops::scale_rows(x.clone(), mask.clone().slice([0..rows, c..c + 1]));
                ops::readout(weighted, &self.nodes, Reduction::Sum)
            })
            .collect();
        ops::concat(columns).reshape([self.samples * self.graphs * self.virtual_nodes, width])
    }

    /// `sum over c of M_ic x_c` for every node i: virtual rows to base rows.
    pub fn scatter(&self, x: &Tensor<2>, mask: &Tensor<2>) -> Tensor<2> {
        let parts = self.places.iter().map(|place| ops::take_rows(x.clone(), place)).collect();
        ops::mix(mask.clone(), parts)
    }

    /// The sum of the other virtual nodes of the graph.
    pub fn others(&self, x: &Tensor<2>) -> Tensor<2> {
        let sums = ops::readout(x.clone(), &self.virtuals, Reduction::Sum);
        ops::sum(vec![(ops::take_rows(sums, &self.groups), 1.0), (x.clone(), -1.0)])
    }

    /// The mean of x over the nodes that chose a virtual node: x and `member` (`[.., 1]`, 1 or 0) have rows `[R, C,
    /// N]`. Their number counts as a constant.
    pub fn means(&self, x: Tensor<2>, member: Tensor<2>, batch: &Batch) -> Tensor<2> {
        let (graphs, virtual_nodes, nodes) = (self.graphs, self.virtual_nodes, batch.nodes());
        let starts = &self.nodes[..graphs];
        let copies = self.samples * virtual_nodes;
        let mut offsets: Vec<usize> =
            (0..copies).flat_map(|copy| starts.iter().map(move |start| copy * nodes + start)).collect();
        offsets.push(copies * nodes);
        let values = bridge::into_vec(member.clone());
        let shares = offsets.windows(2).map(|range| 1.0 / (values[range[0]..range[1]].iter().sum::<f32>() + 1e-7));
        let shares: Tensor<2> = bridge::from_vec(shares.collect(), [copies * graphs, 1]);
        let sums = ops::readout(ops::scale_rows(x, member), &offsets.into(), Reduction::Sum);
        // [R, C, G] to [R, G, C].
        let from = |row: usize| {
            let (group, c) = (row / virtual_nodes, row % virtual_nodes);
            ((group / graphs * virtual_nodes + c) * graphs + group % graphs) as u32
        };
        let order = RowChoice::new((0..copies * graphs).map(from).collect(), copies * graphs);
        ops::take_rows(ops::scale_rows(sums, shares), &order)
    }

    /// The mean over the samples of a virtual node.
    pub fn mean_virtual(&self, x: Tensor<2>) -> Tensor<2> {
        if self.samples == 1 { x } else { ops::sum_rows(x, &self.samples_of) / self.samples as f32 }
    }
}
