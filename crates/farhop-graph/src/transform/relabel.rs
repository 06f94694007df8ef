//! The same graph under other node ids.

use rayon::prelude::*;

use crate::error::GraphError;
use crate::graph::Graph;
use crate::rows::{for_each_row, running_sum};

/// Gives node `v` the id `new_id_of[v]`: entry `i <- j` becomes `new_id_of[i] <- new_id_of[j]`.
///
/// # Errors
/// `new_id_of` must hold every id `0..N` exactly once; the first row that breaks this is named.
pub fn relabel(graph: &Graph, new_id_of: &[u32]) -> Result<Graph, GraphError> {
    let old_id_of = inverse(new_id_of, graph.nodes())?;
    let mut offsets = vec![0usize; graph.nodes() + 1];
    for (new, &old) in old_id_of.iter().enumerate() {
        offsets[new + 1] = graph.degree(old as usize);
    }
    running_sum(&mut offsets);
    let mut sources = vec![0u32; graph.entries()];
    for_each_row(&offsets, &mut sources, &|new, row: &mut [u32]| {
        let old_row = graph.neighbours(old_id_of[new] as usize);
        for (place, &source) in row.iter_mut().zip(old_row) {
            *place = new_id_of[source as usize];
        }
        row.sort_unstable();
    });
    Graph::from_rows(graph.direction(), offsets, sources)
}

/// The inverse of a permutation, which is checked on the way.
fn inverse(new_id_of: &[u32], nodes: usize) -> Result<Vec<u32>, GraphError> {
    if new_id_of.len() != nodes {
        return Err(GraphError::RelabelLength { length: new_id_of.len(), nodes });
    }
    let out_of_range = new_id_of.par_iter().position_first(|&new| new as usize >= nodes);
    if let Some(row) = out_of_range {
        return Err(GraphError::RelabelOutOfRange { row, value: new_id_of[row], nodes });
    }
    // u32::MAX is never a node, since ids are below `nodes`.
    let mut old_id_of = vec![u32::MAX; nodes];
    for (old, &new) in new_id_of.iter().enumerate() {
        let place = &mut old_id_of[new as usize];
        if *place != u32::MAX {
            return Err(GraphError::RelabelRepeated { row: old, value: new, taken_by: *place as usize });
        }
        *place = old as u32;
    }
    Ok(old_id_of)
}
