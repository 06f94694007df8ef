//! Graphs as named arrays: npz archives, objects of PyTorch Geometric, dictionaries that Python saved.
//!
//! Arrays are known by the names that are common for them; what has another name is not used, and named in a note:
//!
//! | what | names | shape |
//! |---|---|---|
//! | edges | `edge_index`, `edges`, `edge_list` | `[2, E]` or `[E, 2]` |
//! | or adjacency | `adj_data` .. `adj_shape`, `adj_matrix`, `adj`, `A`, the arrays of `scipy.sparse.save_npz` | `[N, N]` |
//! | features of nodes | `x`, `node_features`, `features`, `attr_data` .. `attr_shape`, `attr_matrix` | `[N]` or `[N, F]` |
//! | features of edges | `edge_attr`, `edge_features`, `edge_weight` | `[E]` or `[E, F]` |
//! | targets | `y`, `node_labels`, `labels`, `label` | `[N]`, `[N, T]`, `[G]` or `[G, T]` |
//! | graph of each node | `batch`, `ptr` | `[N]`, `[G + 1]` |
//! | splits | `train_mask`, `train_masks`, `train_idx`, `train` and the like | masks or row numbers, one split or several |

mod bag;
mod features;
mod joined;
mod links;
mod npz_source;
mod one_array;
mod python_source;
mod scipy;
mod splits;
mod target;

use farhop_graph::{Built, Direction};

pub(crate) use bag::ArraySource;
use bag::Bag;
pub(crate) use joined::JoinedSource;
pub(crate) use links::LinksAs;
pub(crate) use one_array::OneArray;
pub(crate) use python_source::PythonSource;
pub(crate) use splits::{FileSplits, no_split};
pub(crate) use target::{Answers, class_target};

use crate::dataset::entry_rows::{build_graph, spread};
use crate::dataset::{Columns, Level, Numbers};
use crate::error::DataError;
use crate::formats::npy::Array;
use crate::tables::scan::MOST_NODES;
use crate::text::{counted, listed, quoted, thousands};
use links::Links;

/// What a user may say about named arrays.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ArrayOptions<'a> {
    /// Keep edges directed.
    pub directed: bool,
    /// The array to predict; none: the one with a usual name.
    pub targets: &'a [String],
    /// Arrays of features that are categories.
    pub categories: &'a [String],
}

/// A graph, or many, from named arrays.
pub(crate) struct GraphArrays {
    /// The graph, and what became of the rows.
    pub built: Built,
    /// Where the nodes of each graph begin, `[G + 1]`.
    pub offsets: Vec<usize>,
    /// Features of the nodes; empty if there are none.
    pub nodes: Columns,
    /// Features of the entries; empty if there are none.
    pub edges: Columns,
    /// What to predict.
    pub answers: Option<Answers>,
    /// What the answers are about.
    pub level: Level,
    /// The splits of nodes (of a single graph whose nodes are predicted) or graphs.
    pub splits: FileSplits,
    /// What is unusual, a line each.
    pub notes: Vec<String>,
}

impl GraphArrays {
    /// Reads a graph; the arrays that were not used become a note.
    pub fn read(source: &mut dyn ArraySource, options: &ArrayOptions<'_>) -> Result<GraphArrays, DataError> {
        let mut bag = Bag::new(source);
        let file = bag.file().to_string();
        let wrong = |reason: String| DataError::Array { file: file.clone(), reason };
        let Some(how) = LinksAs::of(|name| bag.has(name)) else {
            let names = listed(bag.names().iter().map(String::as_str));
            return Err(wrong(format!("no array of edges among {names}. {REMEDY}")));
        };
        let mut notes = Vec::new();
        let features = features::of_nodes(&mut bag, options.categories)?;
        let links = Links::read(&mut bag, how)?;
        let answers = Answers::read(&mut bag, options.targets)?;
        let batch = Batch::read(&mut bag)?;
        let nodes = node_count(&mut bag, &links, features.as_ref().map(|rows| rows.rows), answers.as_ref(), &batch)?;
        if let Some(rows) = features.as_ref().filter(|rows| rows.rows != nodes) {
            let reason = format!("{} rows for {} nodes.", thousands(rows.rows as u64), thousands(nodes as u64));
            return Err(bag.wrong(rows.name, reason));
        }
        let offsets = batch.offsets(&bag, nodes)?;
        let rows = links.rows(nodes)?;
        let direction = if options.directed { Direction::Directed } else { Direction::Undirected };
        let built = build_graph(&format!("{file}, array {}", quoted(links.name)), nodes, &rows, direction)?;
        let edges = edge_features(&mut bag, &built, &links, rows.len(), options.categories, &mut notes)?;
        let level = level_of(&bag, answers.as_ref(), nodes, offsets.len() - 1)?;
        let units = if level == Level::Node && offsets.len() == 2 { nodes } else { offsets.len() - 1 };
        let splits = match level == Level::Node && offsets.len() > 2 {
            // Parts of nodes in many graphs: graphs are divided, not nodes.
            true => FileSplits::default(),
            false => FileSplits::read(&mut bag, units)?,
        };
        let nodes = match features {
            Some(rows) => {
                notes.extend(rows.note);
                rows.columns
            }
            None => Columns::none(),
        };
        let loops = built.report.self_loops as u64;
        if loops > 0 {
            notes.push(format!("{} left out", counted(loops, "self-loop", "self-loops")));
        }
        let unused = bag.unused();
        if unused.len() > 0 {
            notes.push(format!("not used: {}", listed(unused)));
        }
        Ok(GraphArrays { built, offsets, nodes, edges, answers, level, splits, notes })
    }
}

impl GraphArrays {
    /// The class of every row as a number; negative where it is unknown.
    pub fn class_numbers(&self, file: &str) -> Result<Vec<i64>, DataError> {
        match &self.answers {
            Some(answers) => answers.class_numbers(),
            None => Err(DataError::Array { file: file.to_string(), reason: "no array of labels.".to_string() }),
        }
    }
}

/// What works where nothing is recognised.
pub(crate) const REMEDY: &str = "Save it as numpy.savez(\"mine.npz\", edge_index=..., x=..., y=...): \
    edge_index of shape [2, edges], x of shape [nodes, features], y of shape [nodes].";

/// Memory is given out by the number of nodes: a slip in it must not cost all of it.
fn refuse_gaps(file: &str, nodes: usize, edges: usize) -> Result<(), DataError> {
    if nodes <= (1 << 24) + 1024 * edges && nodes <= MOST_NODES {
        return Ok(());
    }
    let (nodes, edges) = (thousands(nodes as u64), counted(edges as u64, "edge", "edges"));
    let reason = format!("{nodes} nodes for {edges}. Number the nodes from 0 without gaps.");
    Err(DataError::Array { file: file.to_string(), reason })
}

/// How many nodes there are: as many as rows of features or of an adjacency, as the file says, or as the edges name.
fn node_count(
    bag: &mut Bag<'_>,
    links: &Links,
    rows: Option<usize>,
    answers: Option<&Answers>,
    batch: &Batch,
) -> Result<usize, DataError> {
    let named = links.nodes_named()?;
    let said = features::node_count(bag, named)?;
    let of_batch = batch.nodes();
    let count = rows.or(links.nodes).or(said).or(of_batch).unwrap_or_else(|| {
        let answered = answers.map_or(0, Answers::rows);
        named.max(answered)
    });
    if count == 0 || count > MOST_NODES {
        let reason = format!("{} nodes; 1 to {} are allowed.", thousands(count as u64), thousands(MOST_NODES as u64));
        return Err(DataError::Array { file: bag.file().to_string(), reason });
    }
    refuse_gaps(bag.file(), count, named.max(rows.unwrap_or(0)).max(batch.length()))?;
    match links.nodes {
        Some(nodes) if nodes != count => {
            let reason = format!("{} rows for {} nodes.", thousands(nodes as u64), thousands(count as u64));
            Err(bag.wrong(links.name, reason))
        }
        _ => Ok(count),
    }
}

/// Features of the entries of the graph: those of the edges in the file, or the weights of its adjacency.
fn edge_features(
    bag: &mut Bag<'_>,
    built: &Built,
    links: &Links,
    rows: usize,
    categories: &[String],
    notes: &mut Vec<String>,
) -> Result<Columns, DataError> {
    if let Some(weights) = &links.weights {
        notes.push("the values of the adjacency are features of the edges".to_string());
        let spread = spread(built, 1, weights, 0.0);
        notes.extend(conflict_note(links.name, spread.conflicts));
        return Ok(Columns::dense(1, spread.values));
    }
    let Some(features) = features::of_edges(bag, categories)? else { return Ok(Columns::none()) };
    if features.rows != rows {
        let reason = format!("{} rows for {} edges.", thousands(features.rows as u64), thousands(rows as u64));
        return Err(bag.wrong(features.name, reason));
    }
    notes.extend(features.note);
    if !features.columns.sizes.is_empty() {
        let spread = spread(built, features.columns.sizes.len(), &features.columns.categories, 0);
        notes.extend(conflict_note(features.name, spread.conflicts));
        return Ok(Columns::categories(features.columns.sizes, spread.values));
    }
    let width = features.columns.width;
    let spread = spread(built, width, &features.columns.numbers.into_dense()?, 0.0);
    notes.extend(conflict_note(features.name, spread.conflicts));
    Ok(Columns { width, numbers: Numbers::Dense(spread.values), ..Columns::none() })
}

fn conflict_note(name: &str, conflicts: usize) -> Option<String> {
    let repeated = counted(conflicts as u64, "edge is there again", "edges are there again");
    (conflicts > 0).then(|| format!("{}: {repeated} with other values; the first ones count", quoted(name)))
}

/// Whether the answers are about nodes or graphs.
fn level_of(bag: &Bag<'_>, answers: Option<&Answers>, nodes: usize, graphs: usize) -> Result<Level, DataError> {
    let Some(answers) = answers else {
        return Ok(if graphs == 1 { Level::Node } else { Level::Graph });
    };
    match answers.rows() {
        rows if rows == graphs && (graphs > 1 || rows != nodes) => Ok(Level::Graph),
        rows if rows == nodes => Ok(Level::Node),
        rows => {
            let graphs = if graphs > 1 { format!(" in {graphs} graphs") } else { String::new() };
            let reason = format!("{rows} rows for {nodes} nodes{graphs}; one for each is needed.");
            Err(bag.wrong(&answers.name, reason))
        }
    }
}

/// The graph of each node.
enum Batch {
    One,
    /// The number of the graph of each node.
    Numbers(Vec<u32>),
    /// Where the nodes of each graph begin.
    Starts(Vec<usize>),
}

impl Batch {
    fn read(bag: &mut Bag<'_>) -> Result<Batch, DataError> {
        let both = bag.has("ptr") && bag.has("batch");
        if bag.has("ptr") {
            let array = bag.array("ptr")?;
            if both {
                bag.mark("batch");
            }
            array.require_dimensions(1)?;
            let starts: Option<Vec<usize>> =
                array.to_i64()?.into_iter().map(|start| usize::try_from(start).ok()).collect();
            let good = |starts: &Vec<usize>| starts.first() == Some(&0) && starts.len() > 1 && starts.is_sorted();
            return match starts.filter(good) {
                Some(starts) => Ok(Batch::Starts(starts)),
                None => Err(bag.wrong("ptr", "numbers that begin with 0 and ascend are needed.".to_string())),
            };
        }
        if !bag.has("batch") {
            return Ok(Batch::One);
        }
        let array: Array = bag.array("batch")?;
        array.require_dimensions(1)?;
        let graph_of = array.to_ids(array.len())?;
        if !graph_of.is_sorted() {
            return Err(bag.wrong("batch", "nodes of one graph must stand together, graphs in order.".to_string()));
        }
        Ok(Batch::Numbers(graph_of))
    }

    fn nodes(&self) -> Option<usize> {
        match self {
            Batch::One => None,
            Batch::Numbers(graph_of) => Some(graph_of.len()),
            Batch::Starts(starts) => starts.last().copied(),
        }
    }

    /// Elements of the array.
    fn length(&self) -> usize {
        match self {
            Batch::One => 0,
            Batch::Numbers(numbers) => numbers.len(),
            Batch::Starts(starts) => starts.len(),
        }
    }

    fn offsets(self, bag: &Bag<'_>, nodes: usize) -> Result<Vec<usize>, DataError> {
        if let Some(found) = self.nodes().filter(|&found| found != nodes) {
            let name = if matches!(self, Batch::Starts(_)) { "ptr" } else { "batch" };
            let (found, nodes) = (thousands(found as u64), thousands(nodes as u64));
            return Err(bag.wrong(name, format!("the graph of {found} nodes where there are {nodes}.")));
        }
        Ok(match self {
            Batch::One => vec![0, nodes],
            Batch::Starts(starts) => starts,
            Batch::Numbers(graph_of) => {
                let graphs = graph_of.last().map_or(0, |&last| last as usize + 1);
                (0..=graphs).map(|graph| graph_of.partition_point(|&of| (of as usize) < graph)).collect()
            }
        })
    }
}
