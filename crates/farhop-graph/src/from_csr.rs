//! A graph from rows that were stored before, checked as if a stranger had written them.

use crate::error::GraphError;
use crate::graph::{Direction, Graph, check_nodes};

impl Graph {
    /// A graph from the arrays of another one: [`offsets`](Graph::offsets) `[N + 1]` and [`sources`](Graph::sources)
    /// `[E]`. Everything that makes a graph valid is checked; nothing is sorted, so this costs one pass over the arrays.
    ///
    /// # Errors
    /// Offsets that do not ascend from 0 to `E`; a row that does not ascend strictly, names a node that does not exist or
    /// its own node; an entry without its opposite in an undirected graph; more nodes or entries than `u32` counts.
    pub fn from_csr(direction: Direction, offsets: Vec<usize>, sources: Vec<u32>) -> Result<Graph, GraphError> {
        let wrong = |row: usize, reason: &'static str| Err(GraphError::StoredRow { row, reason });
        if offsets.first() != Some(&0) || offsets.last() != Some(&sources.len()) {
            return wrong(0, "the offsets must run from 0 to the number of entries");
        }
        let nodes = offsets.len() - 1;
        check_nodes(nodes)?;
        if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return wrong(row, "the offsets descend");
        }
        for (row, range) in offsets.windows(2).enumerate() {
            let senders = &sources[range[0]..range[1]];
            if senders.windows(2).any(|pair| pair[0] >= pair[1]) {
                return wrong(row, "the sources do not ascend");
            }
            // Rows ascend, so the last source is the largest.
            if senders.last().is_some_and(|&last| last as usize >= nodes) {
                return wrong(row, "a source does not exist");
            }
            if senders.binary_search(&(row as u32)).is_ok() {
                return wrong(row, "a node is its own source");
            }
        }
        let graph = Graph::from_rows(direction, offsets, sources)?;
        match direction {
            Direction::Undirected => graph.check_symmetric(),
            Direction::Directed => Ok(()),
        }?;
        Ok(graph)
    }

    /// The reverse index of rows that are not symmetric leads somewhere else.
    fn check_symmetric(&self) -> Result<(), GraphError> {
        for (row, range) in self.offsets().windows(2).enumerate() {
            for entry in range[0]..range[1] {
                let (source, back) = (self.sources()[entry] as usize, self.reverse()[entry] as usize);
                let inside = self.offsets()[source] <= back && back < self.offsets()[source + 1];
                if !inside || self.sources()[back] as usize != row {
                    return Err(GraphError::StoredRow {
                        row,
                        reason: "an entry has no opposite in an undirected graph",
                    });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use crate::random::Stream;

    #[test]
    fn what_was_stored_comes_back() {
        let mut random = Stream::new(3);
        for round in 0..200 {
            let nodes = 1 + random.below(20);
            let rows: Vec<(u32, u32)> =
                (0..random.below(60)).map(|_| (random.below(nodes) as u32, random.below(nodes) as u32)).collect();
            let direction = [Direction::Undirected, Direction::Directed][round % 2];
            let graph = build(nodes as usize, &rows, direction).unwrap().graph;
            let stored = Graph::from_csr(direction, graph.offsets().to_vec(), graph.sources().to_vec());
            assert_eq!(stored, Ok(graph));
        }
    }

    #[test]
    fn one_wrong_number_is_found() {
        // Any change of one source of an undirected graph makes it asymmetric, unsorted, or out of range.
        let graph = build(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3)], Direction::Undirected).unwrap().graph;
        for entry in 0..graph.entries() {
            for value in 0..7 {
                let mut sources = graph.sources().to_vec();
                if sources[entry] != value {
                    sources[entry] = value;
                    assert!(Graph::from_csr(Direction::Undirected, graph.offsets().to_vec(), sources).is_err());
                }
            }
        }
        for offsets in [vec![], vec![0], vec![0, 3, 2, 12], vec![1, 12]] {
            assert!(Graph::from_csr(Direction::Directed, offsets, graph.sources().to_vec()).is_err());
        }
        let own = Graph::from_csr(Direction::Directed, vec![0, 1, 1], vec![0]).unwrap_err();
        assert_eq!(own.to_string(), "stored row 0: a node is its own source");
    }
}
