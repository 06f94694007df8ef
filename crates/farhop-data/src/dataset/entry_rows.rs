//! From rows of an edge list to entries of a graph.

use farhop_graph::{Built, Direction, Graph, GraphSet, NO_EDGE, build};

use crate::error::DataError;
use crate::error::setting::Setting;
use crate::memory::{Budget, bytes_text};
use crate::text::thousands;

/// Values of edge rows, brought to the entries of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread<T> {
    /// `[entries, width]`.
    pub values: Vec<T>,
    /// Rows that repeat an entry with other values; the first row counts.
    pub conflicts: usize,
}

/// Brings the values of edge rows (`[rows, width]`) to the entries of the graph. The first row of an entry counts. In an
/// undirected graph an entry without a row of its own takes the values of the opposite one.
pub fn spread<T: Copy + PartialEq>(built: &Built, width: usize, rows: &[T], empty: T) -> Spread<T> {
    let graph = &built.graph;
    let mut row_of_entry = vec![u32::MAX; graph.entries()];
    let mut conflicts = 0;
    let row_values = |row: u32| rows.get(row as usize * width..(row as usize + 1) * width).unwrap_or(&[]);
    for (row, &entry) in built.entry_of_row.iter().enumerate() {
        if entry == NO_EDGE {
            continue;
        }
        let first = &mut row_of_entry[entry as usize];
        if *first == u32::MAX {
            *first = row as u32;
        } else if row_values(*first) != row_values(row as u32) {
            conflicts += 1;
        }
    }
    let mut values = Vec::with_capacity(graph.entries() * width);
    for (entry, &row) in row_of_entry.iter().enumerate() {
        let row = match row {
            u32::MAX => graph.reverse().get(entry).and_then(|&back| row_of_entry.get(back as usize)).copied(),
            own => Some(own),
        };
        let found = row.filter(|&row| row != u32::MAX).map_or(&[][..], row_values);
        values.extend_from_slice(found);
        values.resize((entry + 1) * width, empty);
    }
    Spread { values, conflicts }
}

/// Builds a graph; what the builder refuses is said of `file`.
///
/// # Errors
/// An id that is out of range, or more nodes than the edges or the memory make likely.
pub fn build_graph(file: &str, nodes: usize, rows: &[(u32, u32)], direction: Direction) -> Result<Built, DataError> {
    let wrong = |reason: String| DataError::Graph { file: file.to_string(), reason };
    // A number of nodes is easily written; what it costs must be in proportion to the edges, or small.
    let budget = Budget::new(file, size_of_val(rows) as u64);
    let needed = (nodes as u64).saturating_mul(BYTES_OF_NODE).saturating_add(rows.len() as u64 * BYTES_OF_ROW);
    budget.charge(needed).map_err(|_| {
        let (nodes, rows) = (thousands(nodes as u64), thousands(rows.len() as u64));
        let needed = bytes_text(needed);
        wrong(format!(
            "a graph of {nodes} nodes with {rows} edges needs {needed} of memory, more than may be used for it. Correct the number of nodes, or pass a larger {}.",
            Setting::named("limit")
        ))
    })?;
    build(nodes, rows, direction).map_err(|error| wrong(error.to_string()))
}

/// Memory that a node takes in a graph, and while it is built.
const BYTES_OF_NODE: u64 = 24;
/// The same for an edge row: its key, two entries with their opposites, the entry of the row.
const BYTES_OF_ROW: u64 = 32;

/// Graphs whose nodes begin at `offsets`; what does not fit is said of `file`.
///
/// # Errors
/// Offsets that do not cut the graph between its nodes, or an edge from one graph to another.
pub fn graph_set(file: &str, union: Graph, offsets: Vec<usize>) -> Result<GraphSet, DataError> {
    GraphSet::new(union, offsets)
        .map_err(|error| DataError::Graph { file: file.to_string(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_gets_its_row_or_the_opposite_one() {
        let rows = [(0, 1), (1, 0), (1, 2), (3, 3), (1, 2)];
        let built = build(4, &rows, Direction::Undirected).unwrap();
        let spread = spread(&built, 2, &[1, 10, 2, 20, 3, 30, 4, 40, 5, 50], 0);
        // Entries in order: 0 <- 1, 1 <- 0, 1 <- 2, 2 <- 1.
        assert_eq!(spread.values, [2, 20, 1, 10, 3, 30, 3, 30]);
        assert_eq!(spread.conflicts, 1);
    }

    #[test]
    fn directed_entries_have_their_own_rows_only() {
        let built = build(3, &[(2, 0), (0, 1)], Direction::Directed).unwrap();
        assert_eq!(super::spread(&built, 1, &[7, 8], 0).values, [7, 8]);
    }
}
