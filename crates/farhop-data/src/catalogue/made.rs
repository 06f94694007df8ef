//! Tasks that are made, with the distance that matters as a parameter.

use farhop_graph::GraphSet;

use super::entry::{Entry, Reader};
use super::options::LoadOptions;
use super::parts::{Parts, Splits, columns_of};
use crate::dataset::{Columns, Dataset, Target};
use crate::error::DataError;
use crate::synthetic::{
    HopMajorityOptions, RingTransferOptions, TreeNeighboursOptions, hop_majority, ring_transfer, tree_neighbours,
};

/// Makes the data of an entry.
pub(super) fn make(entry: &Entry, options: &LoadOptions) -> Result<Parts, DataError> {
    match entry.reader {
        Reader::RingTransfer => {
            let usual = RingTransferOptions::default();
            let distance = options.distance.unwrap_or(usual.distance);
            let graphs = options.size.unwrap_or(usual.graphs);
            of_graphs(ring_transfer(&RingTransferOptions { distance, graphs, seed: options.seed, ..usual })?, distance)
        }
        Reader::TreeNeighbours => {
            let usual = TreeNeighboursOptions::default();
            let depth = options.distance.unwrap_or(usual.depth);
            let graphs = options.size.unwrap_or(usual.graphs);
            of_graphs(tree_neighbours(&TreeNeighboursOptions { depth, graphs, seed: options.seed })?, depth)
        }
        _ => of_hop_majority(options),
    }
}

fn of_graphs(data: Dataset, distance: usize) -> Result<Parts, DataError> {
    let Dataset { graphs, nodes, edges, target, ids, mut notes, sources, .. } = data;
    notes.push(format!("The distance is {distance}."));
    Ok(Parts { graphs, nodes, edges, target, splits: Splits::default(), ids, notes, sources })
}

fn of_hop_majority(options: &LoadOptions) -> Result<Parts, DataError> {
    let usual = HopMajorityOptions::default();
    let distance = options.distance.unwrap_or(usual.distance);
    let nodes = options.size.unwrap_or(usual.nodes);
    let made = hop_majority(&HopMajorityOptions { distance, nodes, seed: options.seed, ..usual })?;
    let width = usual.colours;
    Ok(Parts {
        graphs: GraphSet::single(made.graph),
        nodes: columns_of("hop-majority", nodes, width, made.features)?,
        edges: Columns::none(),
        target: Target::Class { labels: made.labels, classes: made.schema.classes().to_vec() },
        splits: Splits { standard: made.split, ..Splits::default() },
        ids: Vec::new(),
        notes: vec![format!("The distance is {distance}.")],
        sources: Vec::new(),
    })
}
