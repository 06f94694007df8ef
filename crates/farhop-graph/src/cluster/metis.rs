//! The same task given to METIS (Karypis and Kumar, 1998), which is C and comes with the feature `metis`.

use metis::option::{Seed, UFactor};
use metis::{Graph as MetisGraph, Idx};

use crate::cluster::level::Level;
use crate::error::GraphError;

/// The part of every node by METIS' k-way method.
pub(super) fn partition(finest: &Level<'_>, parts: usize, slack: f64, seed: u64) -> Result<Vec<u32>, GraphError> {
    let failed = |reason: String| GraphError::Metis { reason };
    let number = |value: usize| {
        Idx::try_from(value).map_err(|_| failed(format!("{value} is more than its numbers hold, {}", Idx::MAX)))
    };
    let offsets = finest.offsets().iter().map(|&offset| number(offset)).collect::<Result<Vec<Idx>, _>>()?;
    let targets: Vec<Idx> = finest.targets().iter().map(|&target| target as Idx).collect();
    let mut entry_weights = Vec::with_capacity(targets.len());
    let mut node_weights = Vec::with_capacity(finest.nodes());
    number(finest.nodes())?;
    number(finest.total() as usize)?;
    for node in 0..finest.nodes() as u32 {
        node_weights.push(finest.weight(node) as Idx);
        finest.each_neighbour(node, |_, weight| entry_weights.push(weight as Idx));
    }
    let mut part_of = vec![0 as Idx; finest.nodes()];
    MetisGraph::new(1, number(parts)?, &offsets, &targets)
        .map_err(|error| failed(error.to_string()))?
        .set_vwgt(&node_weights)
        .set_adjwgt(&entry_weights)
        .set_option(Seed((seed % Idx::MAX as u64) as Idx))
        .set_option(UFactor((slack * 1_000.0) as Idx))
        .part_kway(&mut part_of)
        .map_err(|error| failed(error.to_string()))?;
    Ok(part_of.into_iter().map(|part| part as u32).collect())
}
