//! Many graphs that PyTorch Geometric saved, one by one or collated, as the arrays of their union.

use std::collections::BTreeMap;

use super::bag::{ArraySource, Stored};
use super::python_source::PythonSource;
use crate::error::DataError;
use crate::formats::npy::Array;
use crate::formats::pickle::Value;
use crate::text::{counted, quoted};

/// The arrays of the union of many graphs.
pub(crate) struct JoinedSource {
    file: String,
    /// In the order of the file.
    names: Vec<String>,
    values: BTreeMap<String, Stored>,
}

/// Names whose arrays hold node numbers, a column for each edge.
const OF_EDGES: &str = "edge_index";

impl JoinedSource {
    /// Graphs in a list, each an object or a dictionary with the same names.
    pub fn of_list(file: &str, graphs: impl Iterator<Item = Value>) -> Result<JoinedSource, DataError> {
        let mut sources: Vec<PythonSource> = graphs.map(|graph| PythonSource::new(file, graph, true)).collect();
        let names = sources.first().map(|first| first.names()).unwrap_or_default();
        let mut joined = JoinedSource { file: file.to_string(), names: Vec::new(), values: BTreeMap::new() };
        let starts = starts_of(&mut sources)?;
        for name in names.iter().filter(|name| *name != "num_nodes") {
            let mut pieces = Vec::with_capacity(sources.len());
            for source in &mut sources {
                // What a graph lacks, or is no array in one of them, is not data of all.
                pieces.extend(source.read_array(name).ok());
            }
            if pieces.len() != sources.len() {
                continue;
            }
            let array = match name == OF_EDGES {
                true => joined_edges(file, &pieces, &starts)?,
                false => match Array::stacked(&label(file, name), &as_rows(pieces, &starts)) {
                    Some(array) => array,
                    None => continue,
                },
            };
            joined.add(name, array);
        }
        joined.add_starts(&starts);
        Ok(joined)
    }

    /// Graphs that were collated: one object with all arrays, and where the rows of each graph begin in them.
    pub fn of_slices(file: &str, data: Value, slices: &Value) -> Result<JoinedSource, DataError> {
        let mut source = PythonSource::new(file, data, true);
        let slice = |name: &str| -> Result<Option<Vec<usize>>, DataError> {
            let Some(value) = slices.find(name) else { return Ok(None) };
            let numbers = match value.array() {
                Ok(array) => array.to_i64()?,
                Err(_) => value.integers()?,
            };
            let starts: Option<Vec<usize>> = numbers.into_iter().map(|start| usize::try_from(start).ok()).collect();
            match starts.filter(|starts| starts.first() == Some(&0) && starts.is_sorted()) {
                Some(starts) => Ok(Some(starts)),
                None => Err(value.error("numbers that begin with 0 and ascend are needed.")),
            }
        };
        let Some(edges) = slice(OF_EDGES)? else {
            return Err(slices.error("there is no \"edge_index\". Save the graphs as a list of Data."));
        };
        let starts = match slice("x")? {
            Some(starts) => starts,
            None => counts_as_starts(&mut source, edges.len() - 1)?,
        };
        if starts.len() != edges.len() {
            let graphs = counted(starts.len() as u64 - 1, "graph", "graphs");
            return Err(slices.error(format!("{graphs} in \"x\", {} in \"edge_index\".", edges.len() - 1)));
        }
        let mut joined = JoinedSource { file: file.to_string(), names: Vec::new(), values: BTreeMap::new() };
        for name in source.names().iter().filter(|name| *name != "num_nodes") {
            match source.read(name)? {
                Stored::Array(array) if name == OF_EDGES => {
                    joined.add(name, moved_edges(file, &array, &edges, &starts)?);
                }
                stored => {
                    joined.names.push(name.clone());
                    joined.values.insert(name.clone(), stored);
                }
            }
        }
        joined.add_starts(&starts);
        Ok(joined)
    }

    fn add(&mut self, name: &str, array: Array) {
        self.names.push(name.to_string());
        self.values.insert(name.to_string(), Stored::Array(array));
    }

    fn add_starts(&mut self, starts: &[usize]) {
        let numbers: Vec<i64> = starts.iter().map(|&start| start as i64).collect();
        self.names.retain(|name| name != "ptr");
        self.add("ptr", Array::of_i64(&label(&self.file, "ptr"), vec![numbers.len()], &numbers));
    }
}

impl ArraySource for JoinedSource {
    fn file(&self) -> &str {
        &self.file
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn read(&mut self, name: &str) -> Result<Stored, DataError> {
        match self.values.get(name) {
            Some(stored) => Ok(stored.clone()),
            None => Err(self.wrong(name, "it is not there.".to_string())),
        }
    }

    fn whole_numbers_are_categories(&self) -> bool {
        true
    }
}

fn label(file: &str, name: &str) -> String {
    format!("{file}, array {}", quoted(name))
}

/// Where the nodes of each graph begin: as many as rows of `x`, as `num_nodes` says, or as its edges name.
fn starts_of(sources: &mut [PythonSource]) -> Result<Vec<usize>, DataError> {
    let mut starts = vec![0usize];
    for (number, source) in sources.iter_mut().enumerate() {
        let Ok(edges) = source.read_array(OF_EDGES) else {
            return Err(source.wrong(OF_EDGES, format!("graph {number} has no array of edges.")));
        };
        let counted = match (source.read_array("x"), source.read_array("num_nodes")) {
            (Ok(x), _) => x.shape.first().copied(),
            (_, Ok(count)) => count.to_i64()?.first().and_then(|&count| usize::try_from(count).ok()),
            _ => edges.to_i64()?.iter().max().map_or(Some(0), |&last| usize::try_from(last + 1).ok()),
        };
        let count = counted.filter(|&count| count <= (1 << 24) + 1024 * edges.len());
        let Some(count) = count else {
            return Err(source.wrong(OF_EDGES, format!("graph {number} has no sensible number of nodes.")));
        };
        starts.push(starts[number] + count);
    }
    Ok(starts)
}

/// `num_nodes` of collated graphs: a list, or an array.
fn counts_as_starts(source: &mut PythonSource, graphs: usize) -> Result<Vec<usize>, DataError> {
    let array = source.read_array("num_nodes").map_err(|_| {
        let reason = "neither \"x\" nor \"num_nodes\" says how many nodes each graph has.".to_string();
        source.wrong("num_nodes", reason)
    })?;
    let mut starts = vec![0usize];
    for count in array.to_i64()? {
        let next = usize::try_from(count).ok().and_then(|count| starts[starts.len() - 1].checked_add(count));
        starts.push(next.ok_or_else(|| source.wrong("num_nodes", format!("{count} nodes.")))?);
    }
    match starts.len() == graphs + 1 {
        true => Ok(starts),
        false => Err(source.wrong("num_nodes", format!("{} numbers for {graphs} graphs.", starts.len() - 1))),
    }
}

/// Arrays of one graph each, with a first dimension to be joined along: a number for a graph becomes a row, and so do
/// several that are the same number in every graph but not one for each node.
fn as_rows(mut pieces: Vec<Array>, starts: &[usize]) -> Vec<Array> {
    let of_nodes = |(piece, range): (&Array, &[usize])| piece.shape.first() == Some(&(range[1] - range[0]));
    let several = pieces.first().is_some_and(|first| first.shape.len() == 1 && first.shape[0] > 1)
        && pieces.iter().all(|piece| piece.shape == pieces[0].shape)
        && !pieces.iter().zip(starts.windows(2)).all(of_nodes);
    for piece in pieces.iter_mut().filter(|piece| several || piece.shape.is_empty()) {
        piece.shape.insert(0, 1);
    }
    pieces
}

/// The edges of each graph, one after the other, as edges of the union.
fn joined_edges(file: &str, pieces: &[Array], starts: &[usize]) -> Result<Array, DataError> {
    let mut ends = [Vec::new(), Vec::new()];
    for (piece, range) in pieces.iter().zip(starts.windows(2)) {
        if piece.shape.first() != Some(&2) || piece.shape.len() != 2 {
            let reason = format!("the array has shape {:?}; [2, edges] is needed.", piece.shape);
            return Err(DataError::Array { file: piece.name.clone(), reason });
        }
        let ids = piece.to_ids(range[1] - range[0])?;
        let (sources, targets) = ids.split_at(ids.len() / 2);
        for (ends, ids) in ends.iter_mut().zip([sources, targets]) {
            ends.extend(ids.iter().map(|&id| i64::from(id) + range[0] as i64));
        }
    }
    Ok(Array::of_i64(&label(file, OF_EDGES), vec![2, ends[0].len()], &ends.concat()))
}

/// Edges that were collated, each graph's from 0, as edges of the union.
fn moved_edges(file: &str, array: &Array, edges: &[usize], starts: &[usize]) -> Result<Array, DataError> {
    let wrong = |reason: String| DataError::Array { file: label(file, OF_EDGES), reason };
    let count = *edges.last().unwrap_or(&0);
    if array.shape != [2, count] {
        return Err(wrong(format!("the array has shape {:?}; [2, {count}] is needed.", array.shape)));
    }
    let mut ids = array.to_i64()?;
    for (graph, (range, nodes)) in edges.windows(2).zip(starts.windows(2)).enumerate() {
        let size = (nodes[1] - nodes[0]) as i64;
        for place in (range[0]..range[1]).flat_map(|edge| [edge, count + edge]) {
            if !(0..size).contains(&ids[place]) {
                return Err(wrong(format!("graph {graph} has {size} nodes; an edge names node {}.", ids[place])));
            }
            ids[place] += nodes[0] as i64;
        }
    }
    Ok(Array::of_i64(&label(file, OF_EDGES), vec![2, count], &ids))
}
