//! What the tests share: random edge lists, and a dense table as the obviously right graph.

#![allow(dead_code, reason = "every test file is a crate of its own and uses a part of this")]

pub mod encodings;

use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, NO_EDGE};

pub const BOTH: [Direction; 2] = [Direction::Undirected, Direction::Directed];

/// Edge lists from empty to crowded, with duplicates and self-loops, as `(nodes, rows)`.
pub fn edge_lists() -> impl Iterator<Item = (usize, Vec<(u32, u32)>)> {
    (0..60).map(|seed| {
        let mut stream = Stream::new(seed);
        let nodes = 1 + stream.below(40) as usize;
        let rows = stream.below(4 * nodes as u64) as usize;
        (nodes, random_rows(&mut stream, nodes, rows))
    })
}

pub fn random_rows(stream: &mut Stream, nodes: usize, rows: usize) -> Vec<(u32, u32)> {
    (0..rows)
        .map(|_| {
            let source = stream.below(nodes as u64) as u32;
            (source, stream.below(nodes as u64) as u32)
        })
        .collect()
}

pub fn random_permutation(stream: &mut Stream, length: usize) -> Vec<u32> {
    let mut permutation: Vec<u32> = (0..length as u32).collect();
    stream.shuffle(&mut permutation);
    permutation
}

/// `table[i][j]`: whether `i` receives from `j`, straight from the definition.
pub fn dense(nodes: usize, rows: &[(u32, u32)], direction: Direction) -> Vec<Vec<bool>> {
    let mut table = vec![vec![false; nodes]; nodes];
    for &(source, target) in rows {
        let (source, target) = (source as usize, target as usize);
        if source != target {
            table[target][source] = true;
            if direction == Direction::Undirected {
                table[source][target] = true;
            }
        }
    }
    table
}

/// Checks every array of the graph against the dense table.
pub fn assert_is(graph: &Graph, table: &[Vec<bool>]) {
    let nodes = table.len();
    assert_eq!(graph.nodes(), nodes);
    assert_eq!(graph.offsets().len(), nodes + 1);
    assert_eq!(graph.offsets()[0], 0);
    assert_eq!(graph.offsets()[nodes], graph.entries());
    let mut id = vec![vec![NO_EDGE; nodes]; nodes];
    let mut next = 0;
    for i in 0..nodes {
        let expected: Vec<u32> = (0..nodes as u32).filter(|&j| table[i][j as usize]).collect();
        assert_eq!(graph.neighbours(i), expected, "row {i}");
        assert_eq!(graph.degree(i), expected.len());
        for j in expected {
            id[i][j as usize] = next;
            next += 1;
        }
    }
    assert_eq!(graph.entries(), next as usize);
    assert_eq!(graph.sources().len(), next as usize);
    let expected_edges = if graph.is_directed() { next } else { next / 2 };
    assert_eq!(graph.edges(), expected_edges as usize);

    let columns = graph.transposed();
    assert_eq!(columns.offsets.len(), nodes + 1);
    let mut reverse = vec![NO_EDGE; next as usize];
    for j in 0..nodes {
        let (mut targets, mut entries) = (Vec::new(), Vec::new());
        for i in (0..nodes).filter(|&i| table[i][j]) {
            targets.push(i as u32);
            entries.push(id[i][j]);
            reverse[id[i][j] as usize] = id[j][i];
        }
        let column = columns.offsets[j]..columns.offsets[j + 1];
        assert_eq!(columns.targets[column.clone()], targets, "column {j}");
        assert_eq!(columns.entries[column], entries, "column {j}");
    }
    assert_eq!(graph.reverse(), reverse);
}
