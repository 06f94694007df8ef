//! Collections of graphs in the layout of the TU datasets.
//!
//! A folder holds `<name>_A.txt` (`row, column` of every directed edge, ids from 1), `<name>_graph_indicator.txt` (the graph
//! of every node, from 1) and `<name>_graph_labels.txt`; perhaps `_node_labels`, `_node_attributes`, `_edge_labels`,
//! `_edge_attributes` and `_graph_attributes`. Labels become categories, attributes numbers. Files may be compressed (`.gz`).

use std::path::{Path, PathBuf};

use farhop_graph::{Built, Direction, GraphSet};
use serde::{Deserialize, Serialize};

use crate::dataset::categories::{Categories, number_categories};
use crate::dataset::entry_rows::{build_graph, spread};
use crate::dataset::split::Split;
use crate::dataset::split_choice::chosen_split;
use crate::dataset::{Columns, Dataset, Level, Numbers, Target};
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::text_file::{Rows, TextFile};
use crate::tables::options::SplitChoice;
use crate::tables::scan::MOST_NODES;
use crate::text::{counted, listed, one_line, quoted, thousands};

/// How to read a TU collection.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TuOptions {
    /// Predict numbers: the graph attributes, or the graph labels if there are none. Default: classes, unless there are
    /// no graph labels.
    pub regression: bool,
    /// Node labels as numbers, 1 for the label and 0 for the others, after the node attributes; not as categories.
    pub one_hot: bool,
    /// Which graphs are for what.
    pub split: SplitChoice,
}

/// Reads the collection `name` in `folder`: a graph-level dataset, undirected.
///
/// # Errors
/// Names file and line of the first thing that does not fit.
pub fn read(folder: &Path, name: &str, options: &TuOptions) -> Result<Dataset, DataError> {
    read_with_labels(folder, name, options, None).map(|(dataset, _)| dataset)
}

/// The labels of nodes and of edges that became categories, column by column: the place of a label is its category.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuLabels {
    /// Of nodes.
    pub nodes: Vec<Vec<i64>>,
    /// Of edges.
    pub edges: Vec<Vec<i64>>,
}

/// As [`read`], with the labels. With those of another collection (`known`) labels become the same categories as there, and
/// graph labels need not be there.
///
/// # Errors
/// As [`read`]; and a label that is not `known`.
pub fn read_with_labels(
    folder: &Path,
    name: &str,
    options: &TuOptions,
    known: Option<&TuLabels>,
) -> Result<(Dataset, TuLabels), DataError> {
    let mut labels = known.cloned().unwrap_or_default();
    let learn = known.is_none();
    let mut files = Files { folder, name, sources: Vec::new() };
    let (graph_of, offsets) = read_indicator(&mut files)?;
    let edges_file = files.required("A")?;
    let built = read_edges(&edges_file, &graph_of)?;
    let mut notes = Vec::new();
    let nodes = read_nodes(&mut files, graph_of.len(), options.one_hot, Labels { learn, of: &mut labels.nodes })?;
    let edges = read_edge_features(&mut files, &built, Labels { learn, of: &mut labels.edges }, &mut notes)?;
    let graphs = offsets.len() - 1;
    let target = read_target(&mut files, graphs, options.regression, learn)?;
    let split = chosen_split(graphs, &target, &options.split)?;
    if built.report.self_loops > 0 {
        let loops = counted(built.report.self_loops as u64, "self-loop", "self-loops");
        notes.push(format!("{}: {loops} left out", edges_file.name()));
    }
    let graphs = GraphSet::new(built.graph, offsets).map_err(|error| edges_file.wrong(error.to_string()))?;
    let dataset = Dataset {
        nodes,
        edges,
        split,
        notes,
        sources: files.sources,
        ..Dataset::new(name, graphs, Level::Graph, target)
    };
    Ok((dataset.check()?, labels))
}

/// The names of the collections in a folder: `X` for every `X_graph_indicator.txt` that has an `X_A.txt`, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| {
            let file = file.strip_suffix(".gz").unwrap_or(&file);
            file.strip_suffix("_graph_indicator.txt").map(str::to_string)
        })
        .filter(|name| Files { folder, name, sources: Vec::new() }.path("A").exists())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Reads folds of graph numbers: a JSON list of `{"test": [...], "model_selection": [{"train": [...], "validation":
/// [...]}]}`. `graphs` is how many graphs there are.
pub fn read_folds(path: &Path, graphs: usize) -> Result<Vec<Split>, DataError> {
    #[derive(Deserialize)]
    struct Fold {
        test: Vec<u32>,
        model_selection: Vec<Selection>,
    }
    #[derive(Deserialize)]
    struct Selection {
        train: Vec<u32>,
        validation: Vec<u32>,
    }
    let file = TextFile::open(path)?;
    let folds: Vec<Fold> = serde_json::from_slice(file.bytes()).map_err(|error| {
        file.wrong_at(error.line() as u64, format!("not a list of folds ({}).", one_line(&error.to_string())))
    })?;
    let split = |(number, fold): (usize, Fold)| {
        let Some(inner) = fold.model_selection.into_iter().next() else {
            return Err(file.wrong(format!("fold {number} has no \"model_selection\".")));
        };
        Split::from_lists(graphs, inner.train, inner.validation, fold.test)
            .map_err(|error| file.wrong(format!("fold {number}: {error}")))
    };
    folds.into_iter().enumerate().map(split).collect()
}

struct Files<'a> {
    folder: &'a Path,
    name: &'a str,
    sources: Vec<SourceFile>,
}

impl Files<'_> {
    fn path(&self, part: &str) -> PathBuf {
        let plain = self.folder.join(format!("{}_{part}.txt", self.name));
        let packed = self.folder.join(format!("{}_{part}.txt.gz", self.name));
        if !plain.exists() && packed.exists() { packed } else { plain }
    }

    fn required(&mut self, part: &str) -> Result<TextFile, DataError> {
        let path = self.path(part);
        if !path.exists() {
            let known = names_in(self.folder);
            let names = listed(known.iter().map(String::as_str));
            let found = if known.is_empty() { "none".to_string() } else { names };
            return Err(DataError::Array {
                file: path.display().to_string(),
                reason: format!("there is no such file. Collections in this folder: {found}."),
            });
        }
        let file = TextFile::open(&path)?;
        self.sources.push(file.source().clone());
        Ok(file)
    }

    fn optional(&mut self, part: &str) -> Result<Option<TextFile>, DataError> {
        let file = TextFile::open_if_there(&self.path(part))?;
        self.sources.extend(file.as_ref().map(|file| file.source().clone()));
        Ok(file)
    }
}

/// The graph of every node, from 0, and where the nodes of each graph start.
fn read_indicator(files: &mut Files<'_>) -> Result<(Vec<u32>, Vec<usize>), DataError> {
    let file = files.required("graph_indicator")?;
    let numbers = file.integer_column()?;
    if numbers.is_empty() {
        return Err(file.wrong("the file is empty. It names the graph of every node, one per line.".to_string()));
    }
    let mut graph_of = Vec::with_capacity(numbers.len());
    let mut offsets = vec![0];
    for (node, &graph) in numbers.iter().enumerate() {
        let line = node as u64 + 1;
        // A graph needs a node, or at least a label, so that there cannot be many more graphs than nodes.
        if graph < 1 || graph as u64 > MOST_NODES as u64 || graph as usize > 2 * numbers.len() {
            return Err(file.wrong_at(line, format!("graph {graph} cannot be: graphs are counted from 1.")));
        }
        let graph = graph as usize - 1;
        if graph + 1 < offsets.len() {
            let before = offsets.len();
            let reason =
                format!("graph {} after graph {before}. Nodes of one graph must stand together, in order.", graph + 1);
            return Err(file.wrong_at(line, reason));
        }
        offsets.resize(graph + 1, node);
        graph_of.push(graph as u32);
    }
    let labels = files.optional_count()?;
    let graphs = labels.unwrap_or(offsets.len()).max(offsets.len());
    offsets.resize(graphs + 1, numbers.len());
    Ok((graph_of, offsets))
}

impl Files<'_> {
    /// How many graphs the labels tell of: the last graphs may have no nodes.
    fn optional_count(&self) -> Result<Option<usize>, DataError> {
        let file = TextFile::open_if_there(&self.path("graph_labels"))?;
        Ok(file.map(|file| file.lines().count()))
    }
}

fn read_edges(file: &TextFile, graph_of: &[u32]) -> Result<Built, DataError> {
    let numbers = file.integers()?;
    file.require_width(numbers.width, 2)?;
    let nodes = graph_of.len();
    let mut rows = Vec::with_capacity(numbers.len());
    for (row, ends) in numbers.values.chunks_exact(2).enumerate() {
        let line = row as u64 + 1;
        let mut node = [0; 2];
        for (place, &end) in node.iter_mut().zip(ends) {
            if end < 1 || end as u64 > nodes as u64 {
                let reason = format!("node {end} does not exist: nodes are 1 to {}.", thousands(nodes as u64));
                return Err(file.wrong_at(line, reason));
            }
            *place = end as usize - 1;
        }
        let [source, target] = node;
        let graphs = [graph_of[source] + 1, graph_of[target] + 1];
        if graphs[0] != graphs[1] {
            let reason = format!(
                "an edge between node {} of graph {} and node {} of graph {}. Edges stay within a graph.",
                ends[0], graphs[0], ends[1], graphs[1]
            );
            return Err(file.wrong_at(line, reason));
        }
        rows.push((source as u32, target as u32));
    }
    build_graph(file.name(), nodes, &rows, Direction::Undirected)
}

/// Labels that are learned, or that are known from another collection.
struct Labels<'a> {
    learn: bool,
    of: &'a mut Vec<Vec<i64>>,
}

fn read_labels(file: &TextFile, rows: usize, of: &str, known: Labels<'_>) -> Result<Categories, DataError> {
    let labels = file.integers()?;
    file.require_rows(labels.len(), rows, of)?;
    if known.learn {
        let categories = number_categories(file.name(), labels.width, &labels.values)?;
        known.of.clone_from(&categories.meanings);
        return Ok(categories);
    }
    file.require_width(labels.width, known.of.len())?;
    let place = |(cell, label): (usize, &i64)| match known.of[cell % labels.width].binary_search(label) {
        Ok(place) => Ok(place as u16),
        Err(_) => {
            let reason = format!("label {label} of {of} was never seen in training. Take it out.");
            Err(file.wrong_at((cell / labels.width) as u64 + 1, reason))
        }
    };
    let values = labels.values.iter().enumerate().map(place).collect::<Result<_, _>>()?;
    let sizes = known.of.iter().map(|column| column.len() as u32).collect();
    Ok(Categories { sizes, values, meanings: known.of.clone() })
}

fn read_attributes(file: &TextFile, rows: usize, of: &str) -> Result<Rows<f32>, DataError> {
    let numbers = file.numbers()?;
    file.require_rows(numbers.len(), rows, of)?;
    Ok(numbers)
}

fn read_nodes(files: &mut Files<'_>, nodes: usize, one_hot: bool, known: Labels<'_>) -> Result<Columns, DataError> {
    let mut columns = Columns::none();
    if let Some(file) = files.optional("node_attributes")? {
        let numbers = read_attributes(&file, nodes, "nodes")?;
        columns = Columns::dense(numbers.width, numbers.values);
    }
    if let Some(file) = files.optional("node_labels")? {
        let labels = read_labels(&file, nodes, "nodes", known)?;
        if one_hot {
            columns = with_one_hot(&file, columns, &labels, nodes)?;
        } else {
            columns.sizes = labels.sizes;
            columns.categories = labels.values;
        }
    }
    Ok(columns)
}

/// The numbers of every row followed by one number per category.
fn with_one_hot(file: &TextFile, columns: Columns, labels: &Categories, nodes: usize) -> Result<Columns, DataError> {
    let Numbers::Dense(before) = &columns.numbers else {
        return Ok(columns);
    };
    let width = columns.width + labels.sizes.iter().sum::<u32>() as usize;
    let mut numbers = file.budget().filled(0.0, nodes.saturating_mul(width))?;
    for (node, row) in numbers.chunks_exact_mut(width).enumerate() {
        let (old, mut hot) = row.split_at_mut(columns.width);
        old.copy_from_slice(&before[node * columns.width..(node + 1) * columns.width]);
        let of_node = &labels.values[node * labels.sizes.len()..(node + 1) * labels.sizes.len()];
        for (&label, &size) in of_node.iter().zip(&labels.sizes) {
            let (here, rest) = hot.split_at_mut(size as usize);
            here[usize::from(label)] = 1.0;
            hot = rest;
        }
    }
    Ok(Columns::dense(width, numbers))
}

fn read_edge_features(
    files: &mut Files<'_>,
    built: &Built,
    known: Labels<'_>,
    notes: &mut Vec<String>,
) -> Result<Columns, DataError> {
    let rows = built.report.rows;
    let mut columns = Columns::none();
    let mut note = |file: &TextFile, conflicts: usize| {
        if conflicts > 0 {
            let lines = counted(conflicts as u64, "line repeats", "lines repeat");
            notes.push(format!("{}: {lines} an edge with another value; the first one counts", file.name()));
        }
    };
    if let Some(file) = files.optional("edge_attributes")? {
        let numbers = read_attributes(&file, rows, "edges")?;
        let entries = spread(built, numbers.width, &numbers.values, 0.0);
        note(&file, entries.conflicts);
        columns = Columns::dense(numbers.width, entries.values);
    }
    if let Some(file) = files.optional("edge_labels")? {
        let labels = read_labels(&file, rows, "edges", known)?;
        let entries = spread(built, labels.sizes.len(), &labels.values, 0);
        note(&file, entries.conflicts);
        columns.sizes = labels.sizes;
        columns.categories = entries.values;
    }
    Ok(columns)
}

fn read_target(files: &mut Files<'_>, graphs: usize, regression: bool, required: bool) -> Result<Target, DataError> {
    let labels = files.optional("graph_labels")?;
    let attributes = files.optional("graph_attributes")?;
    let numbers = |file: &TextFile, name: &str| {
        let numbers = read_attributes(file, graphs, "graphs")?;
        let names = match numbers.width {
            1 => vec![name.to_string()],
            width => (0..width).map(|column| format!("{name} {column}")).collect(),
        };
        Ok(Target::Number { values: numbers.values, names })
    };
    match (labels, attributes) {
        (_, Some(file)) if regression => numbers(&file, "attribute"),
        (Some(file), _) if regression => numbers(&file, "label"),
        (None, Some(file)) => numbers(&file, "attribute"),
        (Some(file), _) => classes(&file, graphs),
        (None, None) if !required => Ok(Target::none(graphs)),
        (None, None) => Err(files
            .required("graph_labels")
            .err()
            .unwrap_or(DataError::Mismatch { what: format!("{}: there are no graph labels.", quoted(files.name)) })),
    }
}

fn classes(file: &TextFile, graphs: usize) -> Result<Target, DataError> {
    let labels = file.integers().map_err(|error| match error {
        DataError::Line { place, reason } => {
            let reason = reason.replace("Correct the cell.", "Correct the cell, or ask for regression.");
            DataError::Line { place, reason }
        }
        other => other,
    })?;
    file.require_width(labels.width, 1)?;
    file.require_rows(labels.len(), graphs, "graphs")?;
    let numbered = number_categories(file.name(), 1, &labels.values)?;
    let classes = numbered.meanings.concat().iter().map(i64::to_string).collect();
    Ok(Target::Class { labels: numbered.values.iter().map(|&class| Some(u32::from(class))).collect(), classes })
}
