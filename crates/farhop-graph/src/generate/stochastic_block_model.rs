//! Random graphs with communities.

use super::not_possible;
use crate::build::graph_from_rows;
use crate::error::GraphError;
use crate::graph::{Direction, Graph, check_entries, check_nodes};
use crate::random::{Stream, mix};

/// A graph of the stochastic block model and the block of each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockGraph {
    /// The graph.
    pub graph: Graph,
    /// Block of every node, `[N]`.
    pub blocks: Vec<u32>,
}

/// A stochastic block model (Holland, Laskey and Leinhardt, 1983): block `b` has `sizes[b]` nodes, and every
/// pair of nodes is joined independently, with probability `within` inside a block and `between` across.
///
/// Nodes are numbered block after block. The work is proportional to nodes times blocks plus edges, not to
/// pairs: pairs that are not joined are skipped by the geometric distribution (Batagelj and Brandes, 2005).
///
/// # Errors
/// A probability outside `[0, 1]`, or more nodes or expected entries than `u32` counts.
pub fn stochastic_block_model(sizes: &[usize], within: f64, between: f64, seed: u64) -> Result<BlockGraph, GraphError> {
    for (parameter, value) in [("within", within), ("between", between)] {
        if !(0.0..=1.0).contains(&value) {
            let allowed = "a probability from 0 to 1";
            return Err(not_possible("stochastic_block_model", parameter, value, allowed));
        }
    }
    let nodes = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
    check_nodes(nodes)?;
    check_nodes(sizes.len())?;
    check_entries(expected_entries(sizes, nodes, within, between))?;

    let mut rows = Vec::new();
    let mut first_start = 0;
    for (first, &first_size) in sizes.iter().enumerate() {
        let block_seed = mix(seed, first as u64);
        let mut stream = Stream::new(mix(block_seed, first as u64));
        joined_pairs(
            &mut stream,
            within,
            first_size,
            |row| row,
            |row, column| {
                rows.push(((first_start + column) as u32, (first_start + row) as u32));
            },
        );
        let mut second_start = 0;
        for (second, &second_size) in sizes[..first].iter().enumerate() {
            let mut stream = Stream::new(mix(block_seed, second as u64));
            joined_pairs(
                &mut stream,
                between,
                first_size,
                |_| second_size,
                |row, column| {
                    rows.push(((second_start + column) as u32, (first_start + row) as u32));
                },
            );
            second_start += second_size;
        }
        first_start += first_size;
    }
    let graph = graph_from_rows(nodes, &rows, Direction::Undirected)?;
    let blocks = sizes.iter().enumerate().flat_map(|(block, &size)| std::iter::repeat_n(block as u32, size)).collect();
    Ok(BlockGraph { graph, blocks })
}

/// Twice the mean number of edges, to refuse what cannot fit before drawing it.
fn expected_entries(sizes: &[usize], nodes: usize, within: f64, between: f64) -> usize {
    let inside: f64 = sizes.iter().map(|&size| size as f64 * (size as f64 - 1.0)).sum();
    let all = nodes as f64 * (nodes as f64 - 1.0);
    (inside * within + (all - inside) * between) as usize
}

/// Visits the joined cells of a table whose row `r` has `columns(r)` cells, each joined with `probability`.
///
/// The number of cells skipped before the next joined one is `floor(ln(1 - u) / ln(1 - probability))`.
fn joined_pairs(
    stream: &mut Stream,
    probability: f64,
    rows: usize,
    columns: impl Fn(usize) -> usize,
    mut visit: impl FnMut(usize, usize),
) {
    if probability == 0.0 {
        return;
    }
    // Minus infinity for probability 1: nothing is skipped.
    let log_apart = (-probability).ln_1p();
    let mut skip = || ((1.0 - stream.uniform()).ln() / log_apart) as usize;
    let mut row = 0;
    let mut column = skip();
    while row < rows {
        let width = columns(row);
        if column < width {
            visit(row, column);
            column = column.saturating_add(1).saturating_add(skip());
        } else {
            column -= width;
            row += 1;
        }
    }
}
