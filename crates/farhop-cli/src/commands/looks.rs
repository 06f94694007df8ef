//! What `farhop predict` writes beside predictions: embeddings, and how nodes weigh their hops.

use std::path::Path;

use farhop_data::{Level, RowFile};
use farhop_train::{Task, TrainedRun};

use crate::failure::Failure;

/// Writes what goes into the head, a row for every id of the predictions.
pub fn write_embeddings(path: &Path, run: &TrainedRun, task: &Task, units: &[u32]) -> Result<(), Failure> {
    let found = run.embeddings(task, units)?;
    let rows = found.values.len().checked_div(found.width).unwrap_or(0);
    let columns: Vec<String> = (0..found.width).map(|channel| format!("channel_{channel}")).collect();
    // Of many graphs all are asked for, in order: their nodes are then numbered as they come.
    let asked = task.level() == Level::Node && rows == units.len();
    let row_of = |row: usize| if asked { units[row] } else { row as u32 };
    let file = RowFile {
        shape: &[rows, found.width],
        keys: &["id"],
        key_of: &|row| vec![task.row_id(row_of(row))],
        columns: &columns,
        values: &found.values,
    };
    Ok(file.save(path)?)
}

/// Writes the weights of the hops of every node, layer and head.
pub fn write_hop_attention(path: &Path, run: &TrainedRun, task: &Task, units: &[u32]) -> Result<(), Failure> {
    let found = run.hop_weights(task, units)?;
    let (hops, nodes) = (found.hops, found.nodes.len());
    let columns: Vec<String> = (hops.first..hops.first + hops.hops).map(|hop| format!("hop_{hop}")).collect();
    let keys: Vec<&str> = task.node_keys().iter().copied().chain(["layer", "head"]).collect();
    let file = RowFile {
        shape: &[hops.layers, nodes, hops.heads, hops.hops],
        keys: &keys,
        key_of: &|row| {
            let (layer, rest) = (row / (nodes * hops.heads), row % (nodes * hops.heads));
            let mut key = task.node_key(found.nodes[rest / hops.heads]);
            key.extend([layer + 1, rest % hops.heads + 1].map(|number| number.to_string()));
            key
        },
        columns: &columns,
        values: &found.weights,
    };
    Ok(file.save(path)?)
}
