//! What can be wrong with the input of this crate.

use std::ops::Range;

use thiserror::Error;

/// An input that cannot become a graph. Every message is one line: where, the value, what is allowed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GraphError {
    /// An edge row names a node that does not exist.
    #[error(
        "edge row {row}: {end} {value} is out of range; {}; correct the row or raise the number of nodes",
        allowed_ids(*nodes)
    )]
    NodeOutOfRange {
        /// Position of the row in the edge list, counted from 0.
        row: usize,
        /// Which end of the edge: `source` or `target`.
        end: &'static str,
        /// The id found there.
        value: u32,
        /// Number of nodes of the graph.
        nodes: usize,
    },
    /// A single node id, outside an edge list, that does not exist.
    #[error("node {value} is out of range; {}", allowed_ids(*nodes))]
    UnknownNode {
        /// The id given.
        value: usize,
        /// Number of nodes of the graph.
        nodes: usize,
    },
    /// A node that occurs twice in a list of different nodes.
    #[error("node {value} occurs again at place {place} of the list of nodes; name every node once")]
    RepeatedNode {
        /// Its second place in the list, counted from 0.
        place: usize,
        /// The node.
        value: u32,
    },
    /// Rows that were stored as a graph and are none.
    #[error("stored row {row}: {reason}")]
    StoredRow {
        /// The row.
        row: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// More nodes than 32-bit ids can name.
    #[error("{nodes} nodes are too many; a graph holds at most {} nodes; split it into parts", u32::MAX)]
    TooManyNodes {
        /// The number asked for.
        nodes: usize,
    },
    /// More entries than 32-bit entry ids can name.
    #[error(
        "{entries} directed entries are too many; a graph holds at most {} (an undirected edge is two); split it into parts",
        u32::MAX
    )]
    TooManyEntries {
        /// The number of entries after merging duplicates.
        entries: usize,
    },
    /// A relabelling whose length is not the number of nodes.
    #[error("relabelling has {length} ids for a graph of {nodes} nodes; give exactly one new id per node")]
    RelabelLength {
        /// Length of the relabelling.
        length: usize,
        /// Number of nodes of the graph.
        nodes: usize,
    },
    /// A relabelling with an id outside the graph.
    #[error("relabelling row {row}: new id {value} is out of range; {}", allowed_ids(*nodes))]
    RelabelOutOfRange {
        /// The node (old id) whose new id is wrong.
        row: usize,
        /// The new id given.
        value: u32,
        /// Number of nodes of the graph.
        nodes: usize,
    },
    /// A relabelling that gives one new id to two nodes.
    #[error("relabelling row {row}: new id {value} is already taken by row {taken_by}; every new id must occur once")]
    RelabelRepeated {
        /// The second node (old id) with this new id.
        row: usize,
        /// The new id given twice.
        value: u32,
        /// The first node (old id) with this new id.
        taken_by: usize,
    },
    /// A union of directed and undirected graphs.
    #[error(
        "part {part} of the union is {}, but part 0 is {}; all parts must have the same direction",
        direction_word(*directed),
        direction_word(!*directed)
    )]
    MixedDirections {
        /// The first part that differs from part 0.
        part: usize,
        /// Whether that part is directed.
        directed: bool,
    },
    /// Offsets of a graph set that do not cut its nodes into ranges.
    #[error(
        "offset {place} of the graph set is {}; allowed is {allowed}; offsets ascend from 0 to the number of nodes, {nodes}",
        value.map_or("missing".to_string(), |value| value.to_string())
    )]
    SetOffset {
        /// Place of the offset, counted from 0.
        place: usize,
        /// The offset there.
        value: Option<usize>,
        /// What would have been accepted.
        allowed: &'static str,
        /// Number of nodes of the union.
        nodes: usize,
    },
    /// An entry between two graphs of a graph set.
    #[error(
        "entry {receiver} <- {sender} leaves graph {graph} of the set (nodes {} to {}); graphs of a set have no edges between them",
        nodes.start, nodes.end.saturating_sub(1)
    )]
    EntryLeavesGraph {
        /// The node outside the graph.
        sender: usize,
        /// The node in the graph.
        receiver: usize,
        /// The graph.
        graph: usize,
        /// Its nodes.
        nodes: Range<usize>,
    },
    /// Eigenvectors that were not found with the precision asked for.
    #[error(
        "graph {graph}, component of {nodes} nodes: {converged} of {count} eigenvectors converged in {iterations} iterations, \
         the largest residual is {residual:.1e}; ask for fewer, allow more iterations or raise the tolerance"
    )]
    NotConverged {
        /// The graph in its set.
        graph: usize,
        /// Number of nodes of the component.
        nodes: usize,
        /// Eigenvectors that did converge.
        converged: usize,
        /// Eigenvectors wanted.
        count: usize,
        /// The largest `|L v - lambda v|` of those wanted.
        residual: f64,
        /// Iterations spent.
        iterations: usize,
    },
    /// Something was asked for that this build leaves out.
    #[error("{what} is not part of this build; build with the cargo feature `{feature}`, or choose {instead}")]
    MissingFeature {
        /// What was asked for.
        what: &'static str,
        /// The cargo feature of this crate that brings it.
        feature: &'static str,
        /// What does the same here.
        instead: &'static str,
    },
    /// METIS could not split a graph.
    #[error("METIS failed: {reason}; choose the built-in partitioner")]
    Metis {
        /// What it said.
        reason: String,
    },
    /// A generator was asked for something that does not exist.
    #[error("{generator}: {parameter} = {value} is not possible; allowed is {allowed}")]
    Parameter {
        /// Name of the generator.
        generator: &'static str,
        /// Name of its parameter.
        parameter: &'static str,
        /// The value given.
        value: String,
        /// What would have been accepted.
        allowed: String,
    },
}

fn allowed_ids(nodes: usize) -> String {
    match nodes {
        0 => "no id is allowed (the graph has no nodes)".to_string(),
        _ => format!("allowed are 0 to {} ({nodes} nodes)", nodes - 1),
    }
}

fn direction_word(directed: bool) -> &'static str {
    if directed { "directed" } else { "undirected" }
}
