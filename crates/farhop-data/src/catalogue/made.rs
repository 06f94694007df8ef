//! Tasks that are made, with the distance that matters as a parameter.

use super::entry::Made;
use super::options::LoadOptions;
use super::unsplit_dataset::{Splits, UnsplitDataset};
use crate::catalogue::synthetic::{
    HopMajorityOptions, RingTransferOptions, TreeNeighboursOptions, hop_majority, ring_transfer, tree_neighbours,
};
use crate::dataset::Dataset;
use crate::error::DataError;

/// Makes the data of an entry.
pub(super) fn make(made: Made, options: &LoadOptions) -> Result<UnsplitDataset, DataError> {
    match made {
        Made::RingTransfer => {
            let usual = RingTransferOptions::default();
            let distance = options.distance.unwrap_or(usual.distance);
            let graphs = options.size.unwrap_or(usual.graphs);
            of_graphs(ring_transfer(&RingTransferOptions { distance, graphs, seed: options.seed, ..usual })?, distance)
        }
        Made::TreeNeighbours => {
            let usual = TreeNeighboursOptions::default();
            let depth = options.distance.unwrap_or(usual.depth);
            let graphs = options.size.unwrap_or(usual.graphs);
            of_graphs(tree_neighbours(&TreeNeighboursOptions { depth, graphs, seed: options.seed })?, depth)
        }
        Made::HopMajority => of_hop_majority(options),
    }
}

fn of_graphs(data: Dataset, distance: usize) -> Result<UnsplitDataset, DataError> {
    let Dataset { graphs, nodes, edges, target, ids, mut notes, sources, .. } = data;
    notes.push(format!("The distance is {distance}."));
    Ok(UnsplitDataset { graphs, nodes, edges, target, splits: Splits::default(), ids, notes, sources })
}

fn of_hop_majority(options: &LoadOptions) -> Result<UnsplitDataset, DataError> {
    let usual = HopMajorityOptions::default();
    let distance = options.distance.unwrap_or(usual.distance);
    let nodes = options.size.unwrap_or(usual.nodes);
    let made = hop_majority(&HopMajorityOptions { distance, nodes, seed: options.seed, ..usual })?;
    let Dataset { graphs, nodes, edges, target, split, ids, sources, .. } = made;
    let splits = Splits { standard: Some(split), ..Splits::default() };
    let notes = vec![format!("The distance is {distance}.")];
    Ok(UnsplitDataset { graphs, nodes, edges, target, splits, ids, notes, sources })
}
