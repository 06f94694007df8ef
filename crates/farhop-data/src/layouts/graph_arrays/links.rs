//! The edges among named arrays.

use super::bag::{Bag, Stored};
use crate::dataset::csr::Csr;
use crate::error::DataError;
use crate::formats::npy::Array;
use crate::tables::scan::MOST_NODES;
use crate::text::thousands;

/// Names of arrays of edges: two node numbers each.
const EDGES: [&str; 4] = ["edge_index", "edges", "edge_list", "edge_indices"];
/// Names of adjacency matrices, dense or sparse.
const MATRICES: [&str; 9] =
    ["adj_matrix", "adj", "adjacency", "adjacency_matrix", "adj_mat", "A", "W", "network", UNNAMED];
/// What numpy.savez calls an array without a name.
const UNNAMED: &str = "arr_0";
/// What `scipy.sparse.save_npz` writes beside `data`, `format` and `shape`.
const SCIPY: [[&str; 2]; 2] = [["indices", "indptr"], ["row", "col"]];

/// How edges are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinksAs {
    /// An array of pairs, by its name.
    Pairs(&'static str),
    /// A sparse matrix in pieces, `adj_data` and so on.
    Pieces,
    /// A matrix, by its name.
    Matrix(&'static str),
    /// The arrays of `scipy.sparse.save_npz`.
    SciPy([&'static str; 2]),
}

impl LinksAs {
    /// How edges are given among these names; `None` if they are not.
    pub fn of(has: impl Fn(&str) -> bool) -> Option<LinksAs> {
        let find = |names: &[&'static str]| names.iter().copied().find(|name| has(name));
        let all = |names: &[&str]| names.iter().all(|name| has(name));
        if let Some(name) = find(&EDGES) {
            return Some(LinksAs::Pairs(name));
        }
        if all(&["adj_data", "adj_indices", "adj_indptr", "adj_shape"]) {
            return Some(LinksAs::Pieces);
        }
        if let Some(name) = find(&MATRICES) {
            return Some(LinksAs::Matrix(name));
        }
        SCIPY.into_iter().find(|names| all(names) && all(&["data", "format", "shape"])).map(LinksAs::SciPy)
    }
}

/// Edges as they stand in the file.
pub(super) struct Links {
    pub ends: Ends,
    /// A number for each edge, if they are not all the same.
    pub weights: Option<Vec<f32>>,
    /// Rows of an adjacency matrix, which are all the nodes.
    pub nodes: Option<usize>,
    /// What the array is called.
    pub name: &'static str,
}

/// The two nodes of each edge.
pub(super) enum Ends {
    /// Checked against the size of their matrix.
    Known(Vec<(u32, u32)>),
    /// As they stand in an array of pairs; the flag says that sources come first, then targets.
    Array(Array, bool),
}

impl Links {
    /// Reads the edges.
    pub fn read(bag: &mut Bag<'_>, how: LinksAs) -> Result<Links, DataError> {
        match how {
            LinksAs::Pairs(name) => {
                let array = bag.array(name)?;
                let sources_first = match array.shape[..] {
                    [2, 2] => name != "edges" && name != "edge_list",
                    [2, _] => true,
                    [_, 2] => false,
                    _ => {
                        let reason =
                            format!("the array has shape {:?}; [2, edges] or [edges, 2] is needed.", array.shape);
                        return Err(bag.wrong(name, reason));
                    }
                };
                Ok(Links { ends: Ends::Array(array, sources_first), weights: None, nodes: None, name })
            }
            LinksAs::Pieces => {
                let matrix = bag.pieces("adj")?;
                of_matrix(bag, "adj_data", &matrix)
            }
            LinksAs::Matrix(name) => match bag.take(name)? {
                Stored::Sparse(csr) => of_matrix(bag, name, &csr),
                stored => {
                    let array = bag.source().as_array(name, stored)?;
                    of_dense(bag, name, &array)
                }
            },
            LinksAs::SciPy(names) => {
                let matrix = super::scipy::read(bag, names)?;
                of_matrix(bag, "data", &matrix)
            }
        }
    }

    /// The largest node number of an edge, with one added.
    pub fn nodes_named(&self) -> Result<usize, DataError> {
        match &self.ends {
            Ends::Known(rows) => Ok(rows.iter().map(|&(from, to)| from.max(to) as usize + 1).max().unwrap_or(0)),
            Ends::Array(array, _) => {
                let ids = array.to_ids(MOST_NODES)?;
                Ok(ids.into_iter().max().map_or(0, |last| last as usize + 1))
            }
        }
    }

    /// `(source, target)` of each edge, all below `nodes`.
    pub fn rows(&self, nodes: usize) -> Result<Vec<(u32, u32)>, DataError> {
        match &self.ends {
            Ends::Known(rows) => Ok(rows.clone()),
            Ends::Array(array, sources_first) => {
                let ends = array.to_ids(nodes)?;
                if *sources_first {
                    let (sources, targets) = ends.split_at(ends.len() / 2);
                    return Ok(sources.iter().copied().zip(targets.iter().copied()).collect());
                }
                Ok(ends.as_chunks().0.iter().map(|&[from, to]| (from, to)).collect())
            }
        }
    }
}

/// A square array: every number that is not 0 is an edge.
pub(super) fn of_dense(bag: &Bag<'_>, name: &'static str, array: &Array) -> Result<Links, DataError> {
    let nodes = match array.shape[..] {
        [rows, columns] if rows == columns && rows > 0 => rows,
        _ => return Err(bag.wrong(name, not_square(&array.shape))),
    };
    let numbers = array.to_f32()?;
    if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
        let (row, column, number) = (at / nodes, at % nodes, numbers[at]);
        let reason = format!("row {row}, column {column} is {number}, not a finite 32-bit number.");
        return Err(bag.wrong(name, reason));
    }
    let filled = || numbers.iter().enumerate().filter(|(_, number)| **number != 0.0);
    let rows = filled().map(|(at, _)| ((at / nodes) as u32, (at % nodes) as u32)).collect();
    let weights = different(filled().map(|(_, &number)| number).collect());
    Ok(Links { ends: Ends::Known(rows), weights, nodes: Some(nodes), name })
}

fn of_matrix(bag: &Bag<'_>, name: &'static str, matrix: &Csr) -> Result<Links, DataError> {
    if matrix.rows != matrix.columns {
        return Err(bag.wrong(name, not_square(&[matrix.rows, matrix.columns])));
    }
    // An entry that is written down counts, even if its value is 0, as it does for all who read these files.
    let rows = matrix.entries().map(|[row, column]| (row, column)).collect();
    Ok(Links { ends: Ends::Known(rows), weights: different(matrix.values.clone()), nodes: Some(matrix.rows), name })
}

/// Weights, unless they are all the same.
fn different(weights: Vec<f32>) -> Option<Vec<f32>> {
    weights.windows(2).any(|pair| pair[0] != pair[1]).then_some(weights)
}

fn not_square(shape: &[usize]) -> String {
    let text: Vec<String> = shape.iter().map(|&length| thousands(length as u64)).collect();
    format!("an adjacency of shape [{}]; as many rows as columns are needed.", text.join(", "))
}
