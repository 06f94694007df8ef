//! Checked sparse graphs: builders, transforms, generators, encodings.
//!
//! A [`Graph`] is a list of rows. Row `i` holds the nodes `j` that `i` receives from, in ascending
//! order; the position of `j` in the joined rows is the id of the entry `i <- j`. Graphs come from
//! [`build`], from the transforms [`relabel()`] and [`disjoint_union`], or from [`generate`].
//! A graph that exists is valid: ids in range, rows sorted, no duplicates, no self-loops. A [`GraphSet`] holds
//! many of them as one, and [`encodings`] tells their nodes where they are. A graph that is too large for one batch is
//! split by [`cluster()`], and [`halo()`] and [`induce()`] make a graph of a part with what lies around it; [`order`] puts
//! nodes that are used together close together.
//!
//! ```
//! use farhop_graph::{Direction, build};
//!
//! // Three rows in any order; the last one repeats the first edge.
//! let built = build(4, &[(2, 0), (1, 2), (0, 2)], Direction::Undirected)?;
//! assert_eq!(built.graph.edges(), 2);
//! assert_eq!(built.graph.neighbours(2), &[0, 1]);
//! assert_eq!(built.graph.degree(3), 0);
//! assert_eq!(built.report.duplicates, 1);
//! # Ok::<(), farhop_graph::GraphError>(())
//! ```

mod build;
mod cluster;
pub mod encodings;
mod error;
mod from_csr;
pub mod generate;
mod graph;
mod graph_set;
mod level;
pub mod order;
mod partition;
pub mod random;
mod rows;
mod transform;

pub use build::{BuildReport, Built, build};
pub use cluster::{ClusterOptions, Clusters, NodeWeight, Partitioner, cluster, cluster_with};
pub use error::GraphError;
pub use graph::{Direction, Graph, NO_EDGE, Transposed};
pub use graph_set::GraphSet;
pub use level::Level;
pub use transform::{
    BreadthFirst, Components, HaloFinder, InduceScratch, LocalPart, PartCutter, Reached, Subgraph, UNREACHED, Union,
    connected_components, count_within_two_steps, degree_classes, disjoint_union, distances, halo, induce, relabel,
    second_ring, within_two_steps,
};
