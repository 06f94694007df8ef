//! What Python gives, as the parts of a dataset.

use std::sync::Arc;

use farhop_data::{Columns, Level, Split, Target};
use farhop_graph::{GraphSet, disjoint_union};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::view;
use crate::columns::joined;
use crate::errors::Failure;
use crate::graph::{Graph, Parts};

/// `node`, `graph` or `pair`.
pub fn level_of(level: &str) -> Result<Level, Failure> {
    match level {
        "node" => Ok(Level::Node),
        "graph" => Ok(Level::Graph),
        "pair" => Ok(Level::Pair),
        other => Err(Failure::data(format!("level is \"{other}\": node, graph or pair is needed."))),
    }
}

/// Where the nodes of each graph begin, and where those of the last one end.
pub fn starts_of(graphs: &[Graph]) -> Vec<usize> {
    let ends = graphs.iter().scan(0, |sum, graph| {
        *sum += graph.parts().built.graph.nodes();
        Some(*sum)
    });
    std::iter::once(0).chain(ends).collect()
}

/// All graphs as one, with their features and the ids of their nodes, if all have some.
pub fn united(graphs: &[Graph]) -> Result<(GraphSet, Columns, Columns, Vec<String>), Failure> {
    let parts: Vec<&Arc<Parts>> = graphs.iter().map(Graph::parts).collect();
    let structures: Vec<_> = parts.iter().map(|part| &part.built.graph).collect();
    let set = match structures.as_slice() {
        [] => return Err(Failure::data("there is no graph. Give at least one.")),
        [only] => GraphSet::single((*only).clone()),
        several => {
            let union = disjoint_union(several)?;
            GraphSet::new(union.graph, union.node_offsets)?
        }
    };
    let nodes: Vec<&Columns> = parts.iter().map(|part| &part.nodes).collect();
    let edges: Vec<&Columns> = parts.iter().map(|part| &part.edges).collect();
    let rows: Vec<usize> = structures.iter().map(|graph| graph.nodes()).collect();
    let named = parts.iter().all(|part| !part.ids.is_empty());
    let ids = if named { parts.iter().flat_map(|part| part.ids.iter().cloned()).collect() } else { Vec::new() };
    Ok((set, joined(&nodes, &rows, "x")?, joined(&edges, &rows, "edge_attr")?, ids))
}

/// The answers: a kind, an array and the names of classes, labels or numbers.
pub fn target_of(given: &Bound<'_, PyTuple>, starts: &[usize]) -> PyResult<Target> {
    let kind: String = given.get_item(0)?.extract()?;
    let names = || given.get_item(2)?.extract::<Vec<String>>();
    let values = given.get_item(1)?;
    Ok(match kind.as_str() {
        "classes" => {
            let labels = view::<i64>(&values, "y")?.data.iter().map(|label| u32::try_from(*label).ok()).collect();
            Target::Class { labels, classes: names()? }
        }
        "labels" => Target::Binary { values: view::<f32>(&values, "y")?.data.to_vec(), names: names()? },
        "numbers" => Target::Number { values: view::<f32>(&values, "y")?.data.to_vec(), names: names()? },
        _ => pairs_of(&values, starts)?,
    })
}

/// Pairs come as rows of graph, two nodes of it, and whether they belong together; the graphs ascend.
fn pairs_of(values: &Bound<'_, PyAny>, starts: &[usize]) -> PyResult<Target> {
    let rows = view::<i64>(values, "pairs")?;
    let (mut pairs, mut together) = (Vec::new(), Vec::new());
    let mut offsets = vec![0; starts.len()];
    for (row, pair) in rows.data.chunks_exact(4).enumerate() {
        let (graph, ends) = (pair[0] as usize, [pair[1], pair[2]]);
        let nodes = starts.get(graph + 1).zip(starts.get(graph)).map_or(0, |(end, start)| end - start);
        let node = |value: i64| {
            u32::try_from(value).ok().filter(|node| (*node as usize) < nodes).ok_or_else(|| {
                let last = nodes.saturating_sub(1);
                Failure::data(format!(
                    "pairs[{row}] names node {value}: nodes are numbered from 0 to {last}. Correct it."
                ))
            })
        };
        let first = starts.get(graph).copied().unwrap_or(0) as u32;
        pairs.push([first + node(ends[0])?, first + node(ends[1])?]);
        together.push(pair[3] != 0);
        offsets[graph + 1] += 1;
    }
    for graph in 1..offsets.len() {
        offsets[graph] += offsets[graph - 1];
    }
    Ok(Target::Pair { pairs, together, offsets })
}

/// Numbers of rows, as they come from Python.
pub fn units(rows: &[i64], what: &str) -> Result<Vec<u32>, Failure> {
    let unit = |row: &i64| {
        u32::try_from(*row).map_err(|_| Failure::data(format!("{what} names row {row}. Rows are numbered from 0.")))
    };
    rows.iter().map(unit).collect()
}

/// The split that is given; without a training part, all rows that are known and in no other part are for training.
pub fn split_of(
    target: &Target,
    count: usize,
    parts: Vec<Option<Vec<u32>>>,
    held_out: Option<(f64, u64)>,
) -> Result<Split, Failure> {
    let mut parts = parts.into_iter();
    let mut next = || parts.next().flatten();
    let (train, valid, test) = (next(), next().unwrap_or_default(), next().unwrap_or_default());
    let rows = match target {
        Target::Class { labels, .. } => labels.len(),
        Target::Binary { values, names } | Target::Number { values, names } => values.len() / names.len().max(1),
        Target::Pair { .. } => count,
    };
    let known = |row: u32| rows != count || matches!(target, Target::Pair { .. }) || target.is_known(row as usize);
    let other = |row: u32| valid.contains(&row) || test.contains(&row);
    let given = train.is_some();
    let train = train.unwrap_or_else(|| (0..count as u32).filter(|row| !other(*row)).collect());
    let train: Vec<u32> = train.into_iter().filter(|row| given && *row as usize >= count || known(*row)).collect();
    let mut split = Split::from_lists(count, train, valid, test).map_err(farhop_data::DataError::from)?;
    if let Some((share, seed)) = held_out.filter(|_| split.valid.is_empty()) {
        split.hold_out(target, count, share, seed);
    }
    Ok(split)
}
