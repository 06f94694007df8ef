//! New nodes that link to known ones: the tables of training and new ones as one graph.
//!
//! The result is bit for bit that of appending the new tables to those of training and reading both with the schema of
//! training: known nodes first, then the new ones, and the first row of an edge counts.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use farhop_graph::{Built, Graph, GraphSet};

use crate::dataset::entry_rows::build_graph;
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Numbers, Target};
use crate::error::DataError;
use crate::error::place::Place;
use crate::files::source::is_standard_input;
use crate::formats::table::Table;
use crate::tables::edges::KnownIds;
use crate::tables::graph_features::graph_feature;
use crate::tables::node_tables::NodeTables;
use crate::tables::options::ApplyOptions;
use crate::tables::scan::MOST_NODES;

/// How new tables are joined to known ones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JoinOptions {
    /// How the new tables are read.
    pub apply: ApplyOptions,
    /// Whether a row of a known id takes the place of the known one; if not, it is an error.
    pub replace_known: bool,
}

/// New tables, read beside known ones.
#[derive(Debug, Clone)]
pub enum NewNodes {
    /// No edge goes to a known node, or all known nodes are in the new tables: they are a graph by themselves.
    ByThemselves(Box<NodeTables>),
    /// One graph of known and new nodes.
    Joined(Box<Joined>),
}

/// One graph of known and new nodes.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Everything that predicting and scoring need. The split is that of the new tables.
    pub dataset: Dataset,
    /// The nodes of the new tables in their order.
    pub new_nodes: Vec<u32>,
    /// How many nodes were known.
    pub known: usize,
    /// How many of them have a new row.
    pub replaced: usize,
    /// Edges of the new tables between a new node and a known one.
    pub links: usize,
}

impl NodeTables {
    /// Reads new tables as these were read, and joins them to these where an edge or an id asks for it.
    ///
    /// # Errors
    /// When the new tables can't be read, an edge names a node that is neither new nor known, or a row has an id that is
    /// known, unless rows may be replaced.
    pub fn join(&self, nodes: &Path, edges: &Path, options: &JoinOptions) -> Result<NewNodes, DataError> {
        let known_file = self.summary.nodes_file.as_str();
        let known_ids = self.dataset.ids.iter().map(String::as_str).collect();
        let known = KnownIds { ids: known_ids, file: known_file };
        let new = NodeTables::load_beside(nodes, edges, &self.schema, &options.apply, Some(&known))?;
        let with_row: HashSet<&str> = self.dataset.ids[..self.rows()].iter().map(String::as_str).collect();
        let (new_rows, named) = new.dataset.ids.split_at(new.rows());
        let shared = || new_rows.iter().enumerate().filter(|(_, id)| with_row.contains(id.as_str()));
        let replaced = shared().count();
        let linked = named.iter().any(|id| known.ids.contains(id.as_str()));
        // A table of all known nodes is the graph as it is now.
        if replaced == with_row.len() || (replaced == 0 && !linked) {
            return Ok(NewNodes::ByThemselves(Box::new(new)));
        }
        match shared().next() {
            Some((row, id)) if !options.replace_known => Err(DataError::KnownId {
                place: place_of(nodes, row)?,
                id: id.clone(),
                shared: replaced,
                known_file: known_file.to_string(),
            }),
            _ => {
                Numbering::new(self, &new)?.joined(self, new, replaced).map(|joined| NewNodes::Joined(Box::new(joined)))
            }
        }
    }

    /// Nodes that have a row in the nodes table; those that only edges name come after them.
    fn rows(&self) -> usize {
        self.dataset.ids.len() - self.summary.added_nodes
    }
}

/// The place of a row of a table that was read before.
fn place_of(nodes: &Path, row: usize) -> Result<Place, DataError> {
    if is_standard_input(nodes) {
        // It can't be read again: the header is line 1.
        return Ok(Place { file: "standard input".to_string(), line: row as u64 + 2 });
    }
    Ok(Table::open(nodes, "id")?.place_of_row(row))
}

/// Where a node of the joined graph comes from: the known tables or the new ones, and its number there.
#[derive(Debug, Clone, Copy)]
enum Origin {
    Known(u32),
    New(u32),
}

/// The nodes of both tables in the order of tables that are appended: rows of the known one, rows of the new one, then
/// those that only edges name.
struct Numbering {
    of_known: Vec<u32>,
    of_new: Vec<u32>,
    origins: Vec<Origin>,
}

impl Numbering {
    fn new(known: &NodeTables, new: &NodeTables) -> Result<Self, DataError> {
        let (known_ids, new_ids) = (&known.dataset.ids, &new.dataset.ids);
        if known_ids.len() + new_ids.len() > MOST_NODES {
            return Err(DataError::TooMany {
                file: new.summary.nodes_file.clone(),
                what: format!("{} rows with those of training", known_ids.len() + new_ids.len()),
                remedy: "At most 4,294,967,294 nodes can be read.".to_string(),
            });
        }
        let known_number: HashMap<&str, u32> = known_ids.iter().map(String::as_str).zip(0..).collect();
        let (known_rows, new_rows) = (known.rows(), new.rows());
        let mut numbering = Numbering {
            of_known: vec![u32::MAX; known_ids.len()],
            of_new: vec![u32::MAX; new_ids.len()],
            origins: Vec::with_capacity(known_ids.len() + new_ids.len()),
        };
        for node in 0..known_rows {
            numbering.add(Some(node), None);
        }
        for (node, id) in new_ids[..new_rows].iter().enumerate() {
            match known_number.get(id.as_str()).map(|known| *known as usize) {
                Some(known) if known < known_rows => {
                    let place = numbering.of_known[known];
                    numbering.origins[place as usize] = Origin::New(node as u32);
                    numbering.of_new[node] = place;
                }
                // A node that only edges named so far has its row now.
                named => numbering.add(named, Some(node)),
            }
        }
        for node in known_rows..known_ids.len() {
            if numbering.of_known[node] == u32::MAX {
                numbering.add(Some(node), None);
            }
        }
        for (node, id) in new_ids.iter().enumerate().skip(new_rows) {
            match known_number.get(id.as_str()) {
                Some(known) => numbering.of_new[node] = numbering.of_known[*known as usize],
                None => numbering.add(None, Some(node)),
            }
        }
        Ok(numbering)
    }

    /// The next node; a new row goes before a known one.
    fn add(&mut self, known: Option<usize>, new: Option<usize>) {
        let number = self.origins.len() as u32;
        if let Some(known) = known {
            self.of_known[known] = number;
        }
        if let Some(new) = new {
            self.of_new[new] = number;
        }
        let known = Origin::Known(known.unwrap_or_default() as u32);
        self.origins.push(new.map_or(known, |new| Origin::New(new as u32)));
    }

    fn joined(&self, known: &NodeTables, new: NodeTables, replaced: usize) -> Result<Joined, DataError> {
        let schema = &known.schema;
        let (old, fresh) = (&known.dataset, &new.dataset);
        let edges = [(old.graphs.union(), &self.of_known), (fresh.graphs.union(), &self.of_new)].map(renumbered);
        let rows: Vec<(u32, u32)> = edges.iter().flatten().map(|edge| edge.ends).collect();
        let direction = old.graphs.union().direction();
        let built = build_graph(&new.summary.edges_file, self.origins.len(), &rows, direction)?;
        let edge_columns = entry_features(&built, &edges, [&old.edges, &fresh.edges])?;
        let mut features = self.gathered(schema.width(), dense(&old.nodes)?, dense(&fresh.nodes)?);
        graph_feature(&schema.features, &built.graph, &mut features);
        let links = edges[1].iter().filter(|edge| self.is_new(edge.ends.0) != self.is_new(edge.ends.1)).count();
        let moved = |nodes: &[u32]| -> Vec<u32> { nodes.iter().map(|node| self.of_new[*node as usize]).collect() };
        let Split { train, valid, test } = &fresh.split;
        let split = Split::from_lists(self.origins.len(), moved(train), moved(valid), moved(test))?;
        let id = |origin: &Origin| match *origin {
            Origin::Known(node) => old.ids[node as usize].clone(),
            Origin::New(node) => fresh.ids[node as usize].clone(),
        };
        // Nodes that only edges name are new unless they are known.
        let new_nodes = (0..fresh.ids.len()).filter(|&node| node < new.rows() || self.is_new(self.of_new[node]));
        let new_nodes = new_nodes.map(|node| self.of_new[node]).collect();
        let dataset = Dataset {
            nodes: Columns::dense(schema.width(), features),
            edges: edge_columns,
            split,
            metric: fresh.metric,
            ids: self.origins.iter().map(id).collect(),
            notes: fresh.notes.clone(),
            sources: old.sources.iter().chain(&fresh.sources).cloned().collect(),
            ..Dataset::new(
                fresh.name.clone(),
                GraphSet::single(built.graph),
                fresh.level,
                self.target(&old.target, &fresh.target)?,
            )
        };
        Ok(Joined { dataset: dataset.check()?, new_nodes, known: self.of_known.len(), replaced, links })
    }

    fn is_new(&self, node: u32) -> bool {
        matches!(self.origins[node as usize], Origin::New(_))
    }

    /// Rows of `width` numbers in the order of the joined nodes.
    fn gathered(&self, width: usize, known: &[f32], new: &[f32]) -> Vec<f32> {
        let row = |origin: &Origin| match *origin {
            Origin::Known(node) => &known[node as usize * width..][..width],
            Origin::New(node) => &new[node as usize * width..][..width],
        };
        self.origins.iter().flat_map(row).copied().collect()
    }

    fn target(&self, known: &Target, new: &Target) -> Result<Target, DataError> {
        Ok(match (known, new) {
            (Target::Class { labels: known, .. }, Target::Class { labels: new, classes }) => {
                let label = |origin: &Origin| match *origin {
                    Origin::Known(node) => known[node as usize],
                    Origin::New(node) => new[node as usize],
                };
                Target::Class { labels: self.origins.iter().map(label).collect(), classes: classes.clone() }
            }
            (Target::Binary { values: known, .. }, Target::Binary { values: new, names }) => {
                Target::Binary { values: self.gathered(names.len(), known, new), names: names.clone() }
            }
            (Target::Number { values: known, .. }, Target::Number { values: new, names }) => {
                Target::Number { values: self.gathered(names.len(), known, new), names: names.clone() }
            }
            _ => return Err(DataError::Mismatch { what: "the targets of two tables are of different kinds.".into() }),
        })
    }
}

/// An edge of one of the tables.
struct Edge {
    /// Source and target in the joined graph.
    ends: (u32, u32),
    /// Its entry in the graph of its own table.
    entry: usize,
}

/// The edges of a graph under other numbers; an undirected one once.
fn renumbered((graph, numbers): (&Graph, &Vec<u32>)) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(graph.edges());
    for target in 0..graph.nodes() {
        for (entry, &source) in (graph.offsets()[target]..).zip(graph.neighbours(target)) {
            if graph.is_directed() || (source as usize) < target {
                edges.push(Edge { ends: (numbers[source as usize], numbers[target]), entry });
            }
        }
    }
    edges
}

/// The features of the entries of the joined graph: where both tables have an edge, the known one counts.
fn entry_features(built: &Built, edges: &[Vec<Edge>; 2], columns: [&Columns; 2]) -> Result<Columns, DataError> {
    let width = columns[0].width;
    if width == 0 {
        return Ok(Columns::none());
    }
    let graph = &built.graph;
    let mut features = vec![0.0; graph.entries() * width];
    let mut put = |to: usize, from: &[f32]| features[to * width..][..width].copy_from_slice(from);
    let (known_rows, new_rows) = built.entry_of_row.split_at(edges[0].len());
    for (edges, rows, columns) in [(&edges[1], new_rows, columns[1]), (&edges[0], known_rows, columns[0])] {
        let numbers = dense(columns)?;
        for (edge, &entry) in edges.iter().zip(rows) {
            // An undirected edge has the same features in both directions.
            let own = &numbers[edge.entry * width..][..width];
            put(entry as usize, own);
            if !graph.is_directed() {
                put(graph.reverse()[entry as usize] as usize, own);
            }
        }
    }
    Ok(Columns::dense(width, features))
}

fn dense(columns: &Columns) -> Result<&[f32], DataError> {
    match &columns.numbers {
        Numbers::Dense(numbers) => Ok(numbers),
        // Tables are read into dense numbers.
        _ => Err(DataError::Mismatch { what: "the features of a table are not dense.".into() }),
    }
}
