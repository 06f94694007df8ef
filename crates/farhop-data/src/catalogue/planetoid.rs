//! Cora, CiteSeer and PubMed as Planetoid publishes them: eight files, most of them pickles of Python 2.
//!
//! `allx` and `ally` are the nodes before the test nodes; row `i` of `tx` and `ty` belongs to node `test.index[i]`. Numbers that
//! `test.index` leaves out are isolated nodes without features and label. The public split is the rows of `x`, the 500 nodes
//! that follow, and the nodes of `test.index`.

use std::path::Path;

use farhop_graph::{Direction, GraphSet};

use super::folders::Located;
use super::unsplit_dataset::{Splits, UnsplitDataset, bytes_of};
use crate::dataset::csr::Csr;
use crate::dataset::entry_rows::build_graph;
use crate::dataset::split::Split;
use crate::dataset::{Columns, Target};
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::pickle::{self, Value};
use crate::formats::text_file::TextFile;

/// Validation nodes of the public split.
const PUBLIC_VALID: usize = 500;

/// Reads the dataset whose files are called `ind.<name>.*`.
pub(super) fn read(name: &str, files: &Located) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let path = |part: &str| files.path(&format!("ind.{name}.{part}")).map(Path::to_path_buf);
    let mut load = |part: &str| -> Result<Value, DataError> {
        let path = path(part)?;
        pickle::from_bytes(&path.display().to_string(), bytes_of(&path, &mut sources)?)
    };
    let (before, test) = (load("allx")?.csr()?, load("tx")?.csr()?);
    let (before_labels, test_labels) = (one_hot(&load("ally")?)?, one_hot(&load("ty")?)?);
    let train = one_hot(&load("y")?)?.len();
    load("x")?;
    let graph = load("graph")?;
    let order = read_test_index(&path("test.index")?, before.rows, &mut sources)?;
    let nodes = before.rows.max(order.iter().map(|&node| node as usize + 1).max().unwrap_or(0));
    let file = graph.place();
    let place = Placing { file: &file, nodes, order: &order };
    let labels = place.labels(before_labels, &test_labels)?;
    let features = place.features(&before, &test)?;
    let target = {
        let classes = labels.iter().flatten().max().map_or(0, |largest| largest + 1);
        Target::Class { labels, classes: (0..classes).map(|class| class.to_string()).collect() }
    };
    let rows = read_graph(&graph, nodes)?;
    let built = build_graph(&file, nodes, &rows, Direction::Undirected)?;
    let public = Split::from_lists(
        nodes,
        (0..train as u32).collect(),
        (train as u32..(train + PUBLIC_VALID) as u32).collect(),
        order,
    )?;
    Ok(UnsplitDataset {
        graphs: GraphSet::single(built.graph),
        nodes: Columns::sparse(features),
        edges: Columns::none(),
        target,
        splits: Splits { standard: Some(public), ..Splits::default() },
        ids: Vec::new(),
        notes: Vec::new(),
        sources,
    })
}

/// The class of each row of a one-hot matrix; `None` for a row of zeros.
fn one_hot(value: &Value) -> Result<Vec<Option<u32>>, DataError> {
    let array = value.array()?;
    array.require_dimensions(2)?;
    let classes = array.shape[1].max(1);
    let class = |row: &[i64]| row.iter().position(|&mark| mark != 0).map(|class| class as u32);
    Ok(array.to_i64()?.chunks_exact(classes).map(class).collect())
}

/// The test nodes in the order of their rows. Each is once there, and no node before them is.
fn read_test_index(path: &Path, before: usize, sources: &mut Vec<SourceFile>) -> Result<Vec<u32>, DataError> {
    let file = TextFile::open(path)?;
    sources.push(file.source().clone());
    let numbers = file.integer_column()?;
    // There are a few gaps at most: nodes cannot be many more than the rows that are given.
    let limit = before + 2 * numbers.len();
    let mut seen = vec![false; limit - before];
    let mut order = Vec::with_capacity(numbers.len());
    for (row, &number) in numbers.iter().enumerate() {
        let place = usize::try_from(number).ok().and_then(|node| node.checked_sub(before));
        match place.and_then(|place| seen.get_mut(place)) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                let reason = format!("test node {number} is there twice or is not one of {before} to {}.", limit - 1);
                return Err(file.wrong_at(row as u64 + 1, reason));
            }
        }
        order.push(number as u32);
    }
    Ok(order)
}

/// `(node, neighbour)` of every entry of the dictionary.
fn read_graph(graph: &Value, nodes: usize) -> Result<Vec<(u32, u32)>, DataError> {
    let mut rows = Vec::new();
    for (node, neighbours) in graph.entries()? {
        let node = u32::try_from(node.integer()?).ok().filter(|&node| (node as usize) < nodes);
        let Some(node) = node else {
            return Err(neighbours.error(format!("there is no such node; nodes are 0 to {}.", nodes.saturating_sub(1))));
        };
        rows.extend(neighbours.ids(nodes)?.into_iter().map(|neighbour| (node, neighbour)));
    }
    Ok(rows)
}

/// Brings the rows of the test nodes to their places behind the others.
struct Placing<'a> {
    file: &'a str,
    nodes: usize,
    order: &'a [u32],
}

impl Placing<'_> {
    fn wrong(&self, what: &str, found: usize) -> DataError {
        let reason = format!("{found} rows of {what} for {} test nodes.", self.order.len());
        DataError::Array { file: self.file.to_string(), reason }
    }

    fn labels(&self, before: Vec<Option<u32>>, test: &[Option<u32>]) -> Result<Vec<Option<u32>>, DataError> {
        if test.len() != self.order.len() || before.len() > self.nodes {
            return Err(self.wrong("ty", test.len()));
        }
        let mut labels = before;
        labels.resize(self.nodes, None);
        for (&node, &label) in self.order.iter().zip(test) {
            labels[node as usize] = label;
        }
        Ok(labels)
    }

    fn features(&self, before: &Csr, test: &Csr) -> Result<Csr, DataError> {
        if test.rows != self.order.len() || test.columns != before.columns {
            return Err(self.wrong("tx", test.rows));
        }
        let mut row_of = vec![None; self.nodes - before.rows];
        for (row, &node) in self.order.iter().enumerate() {
            row_of[node as usize - before.rows] = Some(row);
        }
        let (mut offsets, mut indices, mut values) =
            (before.offsets.clone(), before.indices.clone(), before.values.clone());
        for row in row_of {
            if let Some(row) = row {
                let (columns, numbers) = test.row(row);
                indices.extend_from_slice(columns);
                values.extend_from_slice(numbers);
            }
            offsets.push(indices.len());
        }
        Csr::new(self.file, [self.nodes, before.columns], offsets, indices, values)
    }
}
