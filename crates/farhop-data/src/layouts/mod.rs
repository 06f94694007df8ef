//! Whole graphs in the layouts of those who publish them: collections, archives of arrays, graphs with attributes, edge
//! lists.

pub(crate) mod attributed;
pub mod bench_graph;
pub mod edge_list;
pub(crate) mod graph_arrays;
pub mod ogb;
pub mod tu;
pub mod wikics;
