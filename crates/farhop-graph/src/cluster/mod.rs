//! Graphs split into clusters: parts of even size with few edges between them.

mod assignment;
mod balance;
mod bisect;
mod coarsen;
mod level;
#[cfg(feature = "metis")]
mod metis;
mod multilevel;
mod refine;

use rayon::prelude::*;

use crate::cluster::level::Level;
use crate::error::GraphError;
use crate::graph::Graph;
use crate::rows::running_sum;

/// Who splits the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Partitioner {
    /// The multilevel method of this crate.
    #[default]
    BuiltIn,
    /// METIS. It is written in C and comes with the cargo feature `metis` only. It does not promise that no part
    /// is empty, nor its balance.
    Metis,
}

/// What parts have an even amount of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NodeWeight {
    /// Nodes: every node weighs 1. What a batch keeps is mostly numbers per node.
    #[default]
    Nodes,
    /// Nodes and entries alike: a node weighs its entries plus the mean number of entries per node (rounded up, at
    /// least 1), so that half of the weight of the graph lies in each. For graphs of high and uneven degree, whose time is spent
    /// in entries.
    NodesAndEntries,
}

/// How to split a graph; [`cluster`] takes the defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterOptions {
    /// Who splits the graph.
    pub partitioner: Partitioner,
    /// What is even.
    pub weight: NodeWeight,
    /// How far the weight of a part may lie from the mean, as a share of it: above 0, at most 1. Default 0.05.
    pub slack: f64,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self { partitioner: Partitioner::BuiltIn, weight: NodeWeight::Nodes, slack: 0.05, seed: 0 }
    }
}

/// The nodes of a graph in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    of_node: Vec<u32>,
    /// `[parts + 1]`.
    starts: Vec<usize>,
    /// `[N]`: part after part, ascending in each.
    members: Vec<u32>,
    cut: usize,
    entries: usize,
}

impl Clusters {
    fn new(graph: &Graph, of_node: Vec<u32>, parts: usize) -> Self {
        let mut starts = vec![0usize; parts + 1];
        of_node.iter().for_each(|&part| starts[part as usize + 1] += 1);
        running_sum(&mut starts);
        let mut next = starts.clone();
        let mut members = vec![0; of_node.len()];
        for (node, &part) in of_node.iter().enumerate() {
            members[next[part as usize]] = node as u32;
            next[part as usize] += 1;
        }
        let cut_in_row = |node: usize| {
            graph.neighbours(node).iter().filter(|&&other| of_node[other as usize] != of_node[node]).count()
        };
        let cut = (0..graph.nodes()).into_par_iter().map(cut_in_row).sum();
        Self { of_node, starts, members, cut, entries: graph.entries() }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// The part of every node, `[N]`.
    pub fn of_node(&self) -> &[u32] {
        &self.of_node
    }

    /// The nodes of a part, ascending.
    ///
    /// # Panics
    /// If `part` is not below [`parts`](Self::parts), as indexing a slice does.
    pub fn members(&self, part: usize) -> &[u32] {
        &self.members[self.starts[part]..self.starts[part + 1]]
    }

    /// Number of nodes of a part.
    ///
    /// # Panics
    /// If `part` is not below [`parts`](Self::parts), as indexing a slice does.
    pub fn size(&self, part: usize) -> usize {
        self.starts[part + 1] - self.starts[part]
    }

    /// Number of nodes of every part.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.starts.windows(2).map(|range| range[1] - range[0])
    }

    /// Entries `i <- j` whose ends lie in different parts: twice the cut edges of an undirected graph.
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// Share of the entries that are cut; 0 for a graph without entries.
    pub fn cut_share(&self) -> f64 {
        self.cut as f64 / self.entries.max(1) as f64
    }
}

/// Splits the nodes into `parts` parts with nearly the same number of nodes (5 % from the mean at most, or the whole
/// numbers next to it) and few entries between them. No part is empty.
///
/// Edges of a directed graph count both ways. The same seed gives the same parts for any number of threads.
///
/// The method is multilevel (Karypis and Kumar, 1998): groups of up to three nodes joined by heavy edges become one
/// (first choice by `weight^2 / size`; nodes that find all neighbours full join others with the same favourite, and
/// nodes without edges each other), until some thirty nodes per part are left; these are halved and halved again;
/// and on the way back nodes move between parts wherever that cuts fewer edges, with hill climbing (Fiduccia and
/// Mattheyses, 1982). Time grows with the entries, and memory on the way stays below about twice that of the graph:
/// coarse graphs of many entries that would become denser are thinned at random, light edges first. Where nearly
/// everything is at a boundary (large random graphs), hill climbing is left out.
///
/// ```
/// use farhop_graph::{cluster, generate};
///
/// let clusters = cluster(&generate::grid(20, 20)?, 4, 1)?;
/// assert!((0..4).all(|part| (95..=105).contains(&clusters.size(part))));
/// assert!(clusters.cut_share() < 0.1);
/// # Ok::<(), farhop_graph::GraphError>(())
/// ```
///
/// # Errors
/// `parts` outside `1..=N` (1 is always allowed).
pub fn cluster(graph: &Graph, parts: usize, seed: u64) -> Result<Clusters, GraphError> {
    cluster_with(graph, parts, &ClusterOptions { seed, ..ClusterOptions::default() })
}

/// Splits the nodes as [`cluster`] does, by other rules.
///
/// With [`NodeWeight::NodesAndEntries`] the bounds are twice as wide where single nodes are heavy, and a goal rather
/// than a promise: a hub that is heavier than a part should be has a part nearly for itself, and the others are even
/// among each other.
///
/// # Errors
/// `parts` outside `1..=N` (1 is always allowed), a slack that is not above 0 and at most 1, METIS without the
/// feature `metis`, or a failure of METIS.
pub fn cluster_with(graph: &Graph, parts: usize, options: &ClusterOptions) -> Result<Clusters, GraphError> {
    let most = graph.nodes().max(1);
    if parts == 0 || parts > most {
        return Err(not_possible("parts", parts, format!("1 to {most} for {} nodes", graph.nodes())));
    }
    if !(options.slack > 0.0 && options.slack <= 1.0) {
        return Err(not_possible("slack", options.slack, "above 0, at most 1"));
    }
    if parts == 1 {
        return Ok(Clusters::new(graph, vec![0; graph.nodes()], 1));
    }
    let finest = Level::finest(graph, options.weight);
    let of_node = match options.partitioner {
        Partitioner::BuiltIn => multilevel::partition(finest, parts, options.slack, options.seed),
        Partitioner::Metis => with_metis(&finest, parts, options)?,
    };
    Ok(Clusters::new(graph, of_node, parts))
}

#[cfg(feature = "metis")]
fn with_metis(finest: &Level<'_>, parts: usize, options: &ClusterOptions) -> Result<Vec<u32>, GraphError> {
    metis::partition(finest, parts, options.slack, options.seed)
}

#[cfg(not(feature = "metis"))]
fn with_metis(_: &Level<'_>, _: usize, _: &ClusterOptions) -> Result<Vec<u32>, GraphError> {
    Err(GraphError::MissingFeature { what: "METIS", feature: "metis", instead: "the built-in partitioner" })
}

fn not_possible(parameter: &'static str, value: impl ToString, allowed: impl ToString) -> GraphError {
    GraphError::Parameter { generator: "cluster", parameter, value: value.to_string(), allowed: allowed.to_string() }
}
