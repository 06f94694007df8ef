//! A batch of graphs that several processes share.

use std::sync::Arc;

use farhop_kernels::dense::RowNames;
use farhop_kernels::exchange::Group;

/// How many nodes, entries and graphs there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes.
    pub nodes: usize,
    /// Entries.
    pub entries: usize,
    /// Graphs.
    pub graphs: usize,
}

/// Which of a batch's graphs a process has: a run of them. The runs of all processes, in the order of the ranks, are the batch.
#[derive(Clone, Debug)]
pub struct Share {
    /// All processes.
    pub group: Arc<Group>,
    /// What the processes before this one have.
    pub before: Counts,
    /// The whole batch.
    pub total: Counts,
    /// There was nothing left for this process: its graph is another's, so that it takes part in every exchange, and does not count.
    pub idle: bool,
}

/// What the rows of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsOf {
    /// Nodes.
    Nodes,
    /// So many rows for each node.
    Heads(usize),
    /// Entries of a graph with so many of them, then nodes.
    Entries(usize),
}

impl Share {
    /// What rows are called in the whole batch.
    pub fn names(&self, rows: RowsOf) -> RowNames {
        let run = |first: usize| RowNames::Shifted { split: usize::MAX, first: first as u64, then: 0 };
        match rows {
            RowsOf::Nodes => run(self.before.nodes),
            RowsOf::Heads(heads) => run(self.before.nodes * heads),
            RowsOf::Entries(split) => {
                let [first, then] = self.first_of_entries_and_nodes();
                RowNames::Shifted { split, first, then }
            }
        }
    }

    /// What the first entry and the first node are called where nodes are counted behind all entries.
    pub fn first_of_entries_and_nodes(&self) -> [u64; 2] {
        [self.before.entries as u64, (self.total.entries + self.before.nodes) as u64]
    }
}
