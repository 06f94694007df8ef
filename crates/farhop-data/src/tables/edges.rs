//! Edge tables: rows `source,target[,weight]`.

mod lookup;

use std::collections::HashSet;
use std::path::Path;

use farhop_graph::{Built, Direction, Graph, NO_EDGE};

use crate::dataset::entry_rows::build_graph;
use crate::dataset::parts::{EdgeSorter, RowOfEntry, SortedRows};
use crate::error::DataError;
use crate::error::problems::Problems;
use crate::error::setting::Setting;
use crate::files::scratch::Scratch;
use crate::files::source::SourceFile;
use crate::formats::table::{Row, Table};
use crate::tables::graph_features::Degrees;
use lookup::Lookup;

/// A header that would do.
pub(crate) const EXAMPLE: &str = "source,target";
const SOURCE_NAMES: [&str; 3] = ["source", "src", "from"];
const TARGET_NAMES: [&str; 3] = ["target", "dst", "to"];
const WEIGHT_NAMES: [&str; 1] = ["weight"];

/// What the ends of an edge may be.
#[derive(Debug, Clone, Copy)]
pub enum NodeIds<'a> {
    /// Ids of a nodes table.
    Table {
        /// The ids; their position is the number of the node.
        ids: &'a [String],
        /// The name of the nodes table.
        file: &'a str,
        /// Whether other ids become new nodes.
        add_missing: bool,
    },
    /// Ids of a nodes table, and of nodes that are known from before: an edge may name both.
    Joined {
        /// The ids; their position is the number of the node.
        ids: &'a [String],
        /// The name of the nodes table.
        file: &'a str,
        /// Those that are known. One that is named becomes a node after those of the table.
        known: &'a KnownIds<'a>,
        /// Whether other ids become new nodes.
        add_missing: bool,
    },
    /// Row numbers `0..count` of a feature array.
    Rows {
        /// How many rows there are.
        count: usize,
        /// The name of the array.
        file: &'a str,
    },
}

impl NodeIds<'_> {
    /// How many there are before any is added.
    fn count(&self) -> usize {
        match self {
            NodeIds::Table { ids, .. } | NodeIds::Joined { ids, .. } => ids.len(),
            NodeIds::Rows { count, .. } => *count,
        }
    }
}

/// Ids of nodes that are known from before.
#[derive(Debug, Clone)]
pub struct KnownIds<'a> {
    /// The ids.
    pub ids: HashSet<&'a str>,
    /// The table they come from.
    pub file: &'a str,
}

/// How to read an edges table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EdgeOptions {
    /// Keep edges directed: the target receives from the source.
    pub directed: bool,
    /// Read the weight column; without one that is an error.
    pub weights: bool,
}

/// An edges table that was read.
#[derive(Debug)]
pub struct EdgeTable {
    /// `(source, target)` of each row.
    pub rows: Vec<(u32, u32)>,
    /// The weight of each row, if weights were asked for.
    pub weights: Option<Vec<f32>>,
    /// The graph, how many rows were merged or set apart, and the entry of each row.
    pub built: Built,
    /// Ids that became new nodes, numbered after those of the nodes table.
    pub added: Vec<String>,
    /// Columns that were not read.
    pub unused: Vec<String>,
    /// What was read, with its hash.
    pub source: SourceFile,
}

impl EdgeTable {
    /// Opens and reads an edges table.
    pub fn open(path: &Path, ids: NodeIds<'_>, options: EdgeOptions) -> Result<EdgeTable, DataError> {
        EdgeTable::read(&Table::open(path, EXAMPLE)?, ids, options)
    }

    /// An edges table from bytes that were read elsewhere.
    pub fn from_bytes(
        path: &str,
        bytes: Vec<u8>,
        ids: NodeIds<'_>,
        options: EdgeOptions,
    ) -> Result<EdgeTable, DataError> {
        EdgeTable::read(&Table::from_bytes(path, bytes, EXAMPLE)?, ids, options)
    }

    /// Reads an edges table that is open already.
    pub(crate) fn read(table: &Table, ids: NodeIds<'_>, options: EdgeOptions) -> Result<EdgeTable, DataError> {
        let mut rows = Vec::new();
        let ends = Ends::read(table, ids, options, |source, target| {
            rows.push((source, target));
            Ok(())
        })?;
        let direction = if options.directed { Direction::Directed } else { Direction::Undirected };
        let built = build_graph(table.name(), ends.nodes, &rows, direction)?;
        let columns = ends.columns;
        let read = EdgeTable {
            rows,
            weights: columns.weight.map(|_| ends.weights),
            built,
            added: ends.added,
            unused: columns.unused(table),
            source: table.source().clone(),
        };
        read.check_weights(table, options.directed, columns)?;
        Ok(read)
    }

    /// The weight of every entry of the graph, `[entries]`: a row of an undirected table sets
    /// both directions. `None` if weights were not asked for.
    pub fn entry_weights(&self) -> Option<Vec<f32>> {
        let weights = self.weights.as_ref()?;
        let graph = &self.built.graph;
        let mut of_entry = vec![0.0; graph.entries()];
        for (&entry, &weight) in self.built.entry_of_row.iter().zip(weights) {
            if entry == NO_EDGE {
                continue;
            }
            of_entry[entry as usize] = weight;
            if !graph.is_directed() {
                of_entry[graph.reverse()[entry as usize] as usize] = weight;
            }
        }
        Some(of_entry)
    }

    /// Rows that were merged into one edge must agree on its weight.
    fn check_weights(&self, table: &Table, directed: bool, columns: Columns) -> Result<(), DataError> {
        let Some(weights) = &self.weights else {
            return Ok(());
        };
        let graph = &self.built.graph;
        let mut first_row = vec![usize::MAX; graph.entries()];
        for (row, &entry) in self.built.entry_of_row.iter().enumerate() {
            if entry == NO_EDGE {
                continue;
            }
            let edge = if directed { entry } else { entry.min(graph.reverse()[entry as usize]) };
            let first = &mut first_row[edge as usize];
            if *first == usize::MAX {
                *first = row;
            } else if weights[*first] != weights[row] {
                return Err(self.conflict(table, columns, *first, row));
            }
        }
        Ok(())
    }

    fn conflict(&self, table: &Table, columns: Columns, first: usize, second: usize) -> DataError {
        let weights = self.weights.as_deref().unwrap_or(&[]);
        let opposite = self.rows[first] != self.rows[second];
        let mut edge = String::new();
        let mut walk = table.rows();
        while let Ok(Some(row)) = walk.next_row() {
            if row.index == second {
                let ends = [row.cell(columns.source), row.cell(columns.target)];
                edge = ends.map(crate::text::quoted).join(" to ");
                break;
            }
        }
        DataError::WeightConflict {
            place: table.place_of_row(second),
            edge,
            first: weights[first],
            first_line: table.place_of_row(first).line,
            second: weights[second],
            remedy: if opposite {
                format!("Give both directions the same weight, or pass {}.", Setting::on("directed"))
            } else {
                "Remove one of the rows.".to_string()
            },
        }
    }
}

/// Edges whose rows lie in a file.
#[derive(Debug)]
pub(crate) struct SortedEdges {
    /// The rows.
    pub rows: SortedRows,
    /// As in [`EdgeTable`].
    pub added: Vec<String>,
    /// As in [`EdgeTable`].
    pub unused: Vec<String>,
}

impl SortedEdges {
    /// Reads an edges table without keeping its rows in memory; `features` says whether other columns are to be used.
    pub fn read(
        table: &Table,
        ids: NodeIds<'_>,
        directed: bool,
        features: bool,
        scratch: &Scratch,
    ) -> Result<Self, DataError> {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let mut sorter = EdgeSorter::new(scratch, ids.count(), table.bytes(), direction)?;
        if features {
            sorter = sorter.with_features(RowOfEntry::FirstOfEdge)?;
        }
        let options = EdgeOptions { directed, weights: false };
        let ends = Ends::read(table, ids, options, |source, target| sorter.push(source, target))?;
        let rows = sorter.finish(ends.nodes, table.name())?;
        Ok(SortedEdges { rows, added: ends.added, unused: ends.columns.unused(table) })
    }
}

/// What a nodes table needs of the edges.
pub(crate) trait ReadEdges {
    /// What they are.
    type Graph: Degrees;

    /// The graph.
    fn graph(&self) -> &Self::Graph;

    /// Ids that became new nodes.
    fn added(&self) -> &[String];
}

impl ReadEdges for EdgeTable {
    type Graph = Graph;

    fn graph(&self) -> &Graph {
        &self.built.graph
    }

    fn added(&self) -> &[String] {
        &self.added
    }
}

impl ReadEdges for SortedEdges {
    type Graph = SortedRows;

    fn graph(&self) -> &SortedRows {
        &self.rows
    }

    fn added(&self) -> &[String] {
        &self.added
    }
}

/// What a walk over an edges table found beside the ends of its rows.
struct Ends {
    columns: Columns,
    /// Of each row, if they were asked for.
    weights: Vec<f32>,
    added: Vec<String>,
    /// Nodes in all.
    nodes: usize,
}

impl Ends {
    /// Gives source and target of every row to `each`; problems are told together.
    fn read(
        table: &Table,
        ids: NodeIds<'_>,
        options: EdgeOptions,
        mut each: impl FnMut(u32, u32) -> Result<(), DataError>,
    ) -> Result<Ends, DataError> {
        let columns = Columns::find(table, options.weights)?;
        let mut lookup = Lookup::new(ids);
        if !columns.named {
            lookup.refuse_data_as_header(table, &columns)?;
        }
        let mut weights = Vec::new();
        let mut problems = Problems::default();
        let mut walk = table.rows();
        while let Some(row) = walk.next_telling(&mut problems)? {
            let source = lookup.find(&row, columns.source, "source", &mut problems);
            let target = lookup.find(&row, columns.target, "target", &mut problems);
            if let (Some(source), Some(target)) = (source, target) {
                each(source, target)?;
            }
            if let Some(column) = columns.weight {
                weights.extend(problems.hear(weight(&row, column)));
            }
        }
        problems.into_result()?;
        let nodes = lookup.nodes();
        Ok(Ends { columns, weights, added: lookup.added, nodes })
    }
}

/// The columns of source and target.
pub(crate) fn end_columns(table: &Table) -> Result<[usize; 2], DataError> {
    Columns::find(table, false).map(|columns| [columns.source, columns.target])
}

/// Column numbers of an edges table.
#[derive(Debug, Clone, Copy)]
struct Columns {
    source: usize,
    target: usize,
    weight: Option<usize>,
    /// Whether the ends were found by name, not by position.
    named: bool,
}

impl Columns {
    fn find(table: &Table, weights: bool) -> Result<Columns, DataError> {
        let header = table.header();
        if header.len() < 2 {
            return Err(DataError::OneColumn { file: table.name().to_string() });
        }
        let named = |names: &[&str]| {
            header.iter().position(|column| names.iter().any(|name| column.eq_ignore_ascii_case(name)))
        };
        let weight = if weights {
            let role = "the weight of every edge";
            Some(match named(&WEIGHT_NAMES) {
                Some(column) => column,
                None => table.require(WEIGHT_NAMES[0], role)?,
            })
        } else {
            None
        };
        let (source, target, named) = match (named(&SOURCE_NAMES), named(&TARGET_NAMES)) {
            (Some(source), Some(target)) => (source, target, true),
            // One name alone must not be turned round by taking the first two columns.
            (Some(1..), None) => return Err(missing_end(table, "target")),
            (None, Some(0 | 2..)) => return Err(missing_end(table, "source")),
            _ => (0, 1, false),
        };
        Ok(Columns { source, target, weight, named })
    }

    fn unused(&self, table: &Table) -> Vec<String> {
        let used = [Some(self.source), Some(self.target), self.weight];
        let columns = table.header().iter().enumerate();
        columns.filter(|(number, _)| !used.contains(&Some(*number))).map(|(_, name)| name.clone()).collect()
    }
}

fn missing_end(table: &Table, name: &'static str) -> DataError {
    DataError::NoColumn {
        file: table.name().to_string(),
        name: name.to_string(),
        role: "one end of every edge".to_string(),
        nearest: None,
        columns: table.listed_columns(),
    }
}

fn weight(row: &Row<'_>, column: usize) -> Result<f32, DataError> {
    match row.cell(column).parse::<f32>() {
        Ok(weight) if weight.is_finite() => Ok(weight),
        _ => Err(DataError::Weight { cell: row.named_cell(column) }),
    }
}
