//! Datasets in the layout of the Open Graph Benchmark: node datasets and graph datasets.
//!
//! `raw/` holds tables without a header, compressed or not: `num-node-list` and `num-edge-list` (one number per graph),
//! `edge` (`source,target`, ids from 0 within each graph), perhaps `node-feat` and `edge-feat`, and `node-label` or
//! `graph-label` (cells may be empty). `split/<kind>/` holds `train`, `valid` and `test`, one row number per line.

mod given_split;
mod labels;

use std::path::{Path, PathBuf};

use farhop_graph::{Built, Direction, GraphSet};

use crate::dataset::categories::MOST_CATEGORIES;
use crate::dataset::entry_rows::{build_graph, spread};
use crate::dataset::parts::{EdgeSorter, RowOfEntry, SortedRows, edgeless};
use crate::dataset::split::Split;
use crate::dataset::split_choice::chosen_split;
use crate::dataset::{Columns, Dataset, Level, NumbersOnDisk, Target};
use crate::error::DataError;
use crate::files::scratch::Scratch;
use crate::files::source::SourceFile;
use crate::files::text_store::Text;
use crate::formats::text_file::{Rows, TextFile};
use crate::tables::options::SplitChoice;
use crate::tables::scan::MOST_NODES;
use crate::tables::targets::TargetKind;
use crate::text::{counted, thousands};
use given_split::read_split;
use labels::{Labels, class_names};

/// How to read a folder in the layout of the Open Graph Benchmark.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OgbOptions {
    /// Keep edges directed: the target receives from the source. Default: both receive.
    pub directed: bool,
    /// What the labels are. Default: 0 and 1 are answers, other whole numbers in one column are classes, the rest are
    /// numbers.
    pub task: Option<TargetKind>,
    /// The folder in `split/`. Default: the only one there is; without any, `draw` decides.
    pub split: Option<String>,
    /// The split if the folder has none.
    pub draw: SplitChoice,
    /// How many categories the columns of node features have. Default: in graph datasets columns of small whole numbers
    /// are categories, one more than the largest number of each; node datasets have numbers.
    pub node_sizes: Option<Vec<u32>>,
    /// The same for edge features.
    pub edge_sizes: Option<Vec<u32>>,
}

/// Reads a folder: a node dataset if there is a `raw/node-label` table, a graph dataset if there is a `raw/graph-label`.
///
/// # Errors
/// Names file and line of the first thing that does not fit.
pub fn read(folder: &Path, options: &OgbOptions) -> Result<Dataset, DataError> {
    let files = Files::of(folder, None);
    let (around, graph) = files.read(options, |files, sizes, level| {
        let categories = level == Level::Graph;
        let nodes = match files.optional("node-feat")? {
            Some(file) => {
                let rows = file.numbers()?;
                file.require_rows(rows.len(), sizes.nodes(), "nodes")?;
                columns(&file, rows, categories, options.node_sizes.as_deref())?
            }
            None => Columns::none(),
        };
        let (built, file) = read_edges(files, sizes, options.directed)?;
        let edges = read_edge_features(files, &built, categories, options.edge_sizes.as_deref())?;
        Ok(Arrays { nodes, edges, self_loops: built.report.self_loops, graph: built.graph, file })
    })?;
    let graphs = GraphSet::new(graph, around.offsets).map_err(|error| around.file.wrong(error.to_string()))?;
    around.dataset.with(graphs)
}

/// As [`read`], of a node dataset, with nothing of the size of the edges or of the features in memory: the dataset has an edgeless graph and
/// features that lie in a file of `scratch`, and rows with the features of edges are beside it. None for graph datasets, and where features are
/// categories.
pub(crate) fn read_on_disk(
    folder: &Path,
    options: &OgbOptions,
    scratch: &Scratch,
) -> Result<Option<(Dataset, SortedRows, Option<NumbersOnDisk>)>, DataError> {
    let files = Files::of(folder, Some(scratch));
    if files.path("node-label").is_none() || options.node_sizes.is_some() || options.edge_sizes.is_some() {
        return Ok(None);
    }
    let mut edge_numbers = None;
    let (around, rows) = files.read(options, |files, sizes, _| {
        let nodes = match files.optional("node-feat")? {
            Some(file) => Columns::on_disk(numbers_on_disk(&file, sizes.nodes(), "nodes", scratch)?),
            None => Columns::none(),
        };
        let (rows, file) = sorted_edges(files, sizes, options.directed, scratch)?;
        if let Some(file) = files.optional("edge-feat")? {
            edge_numbers = Some(numbers_on_disk(&file, rows.report.rows, "edges", scratch)?);
        }
        Ok(Arrays { nodes, edges: Columns::none(), self_loops: rows.report.self_loops, graph: rows, file })
    })?;
    let graphs = edgeless(around.file.name(), rows.nodes())?;
    Ok(Some((around.dataset.with(graphs)?, rows, edge_numbers)))
}

/// What was read of nodes and edges.
struct Arrays<G> {
    nodes: Columns,
    edges: Columns,
    graph: G,
    self_loops: usize,
    /// The table of edges.
    file: TextFile<Text>,
}

/// A dataset but for its graphs.
struct Around {
    dataset: WithoutGraphs,
    /// Where the nodes of each graph start.
    offsets: Vec<usize>,
    /// The table of edges.
    file: TextFile<Text>,
}

/// A dataset that waits for its graphs.
struct WithoutGraphs {
    name: String,
    level: Level,
    target: Target,
    nodes: Columns,
    edges: Columns,
    split: Split,
    notes: Vec<String>,
    sources: Vec<SourceFile>,
}

impl WithoutGraphs {
    fn with(self, graphs: GraphSet) -> Result<Dataset, DataError> {
        let WithoutGraphs { name, level, target, nodes, edges, split, notes, sources } = self;
        Dataset { nodes, edges, split, notes, sources, ..Dataset::new(name, graphs, level, target) }.check()
    }
}

/// Reads a table of `raw/` with one whole number per line, such as `node_year`.
pub fn read_column(folder: &Path, table: &str) -> Result<Vec<i64>, DataError> {
    Files::of(folder, None).required(table)?.integer_column()
}

/// Reads the labels of the nodes: the class of each, `None` where it is missing, and the names of the classes.
pub fn read_node_classes(folder: &Path) -> Result<(Vec<Option<u32>>, Vec<String>), DataError> {
    let file = Files::of(folder, None).required("node-label")?;
    let values = file.optional_numbers()?;
    match (Labels { file: &file, values }).target(Some(TargetKind::Classes), class_names(folder))? {
        Target::Class { labels, classes } => Ok((labels, classes)),
        _ => Err(file.wrong("there are no classes.".to_string())),
    }
}

/// Whether a folder looks like this layout.
pub fn looks_like(folder: &Path) -> bool {
    let files = Files::of(folder, None);
    files.path("edge").is_some() && (files.path("node-label").is_some() || files.path("graph-label").is_some())
}

struct Files<'a> {
    folder: &'a Path,
    sources: Vec<SourceFile>,
    /// Where text is unpacked to that is not read into memory.
    scratch: Option<&'a Scratch>,
}

impl<'a> Files<'a> {
    fn of(folder: &'a Path, scratch: Option<&'a Scratch>) -> Self {
        Files { folder, sources: Vec::new(), scratch }
    }

    /// Reads a dataset; its nodes and edges by `arrays`.
    fn read<G>(
        mut self,
        options: &OgbOptions,
        arrays: impl FnOnce(&mut Self, &Sizes, Level) -> Result<Arrays<G>, DataError>,
    ) -> Result<(Around, G), DataError> {
        let level = if self.path("node-label").is_some() { Level::Node } else { Level::Graph };
        let labels = self.required(if level == Level::Node { "node-label" } else { "graph-label" })?;
        let sizes = Sizes::read(&mut self, level)?;
        // What the counts promise is compared with every table that has a row for each before anything is made of them.
        let values = labels.optional_numbers()?;
        let rows = if level == Level::Node { sizes.nodes() } else { sizes.graphs() };
        labels.require_rows(values.len(), rows, if level == Level::Node { "nodes" } else { "graphs" })?;
        let Arrays { nodes, edges, graph, self_loops, file } = arrays(&mut self, &sizes, level)?;
        let target = Labels { file: &labels, values }.target(options.task, class_names(self.folder))?;
        let split = match read_split(&mut self, rows, options.split.as_deref())? {
            Some(split) => split,
            None => chosen_split(rows, &target, &options.draw)?,
        };
        let notes = notes(self_loops, &file);
        let name =
            self.folder.file_name().map_or_else(|| "ogb".to_string(), |name| name.to_string_lossy().into_owned());
        let sources = self.sources;
        let dataset = WithoutGraphs { name, level, target, nodes, edges, split, notes, sources };
        Ok((Around { dataset, offsets: sizes.offsets, file }, graph))
    }

    fn path(&self, table: &str) -> Option<PathBuf> {
        let raw = self.folder.join("raw");
        ["csv.gz", "csv"].map(|end| raw.join(format!("{table}.{end}"))).into_iter().find(|path| path.exists())
    }

    fn open(&mut self, path: &Path) -> Result<TextFile<Text>, DataError> {
        let file = TextFile::open_anywhere(path, self.scratch)?;
        self.sources.push(file.source().clone());
        Ok(file)
    }

    fn required(&mut self, table: &str) -> Result<TextFile<Text>, DataError> {
        match self.path(table) {
            Some(path) => self.open(&path),
            None => Err(DataError::Array {
                file: self.folder.join("raw").join(format!("{table}.csv.gz")).display().to_string(),
                reason: "there is no such file, and the dataset cannot be read without it. Download it again."
                    .to_string(),
            }),
        }
    }

    fn optional(&mut self, table: &str) -> Result<Option<TextFile<Text>>, DataError> {
        self.path(table).map(|path| self.open(&path)).transpose()
    }
}

/// How many nodes and edges each graph has.
struct Sizes {
    /// `[graphs + 1]`: where the nodes of each graph start.
    offsets: Vec<usize>,
    /// `[graphs]`.
    edges: Vec<usize>,
}

impl Sizes {
    fn graphs(&self) -> usize {
        self.edges.len()
    }

    fn nodes(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The ends of an edge of a graph among all nodes, or why there is no such edge.
    fn ends(&self, graph: usize, pair: &[i64]) -> Result<(u32, u32), String> {
        let start = self.offsets[graph];
        let nodes = self.offsets[graph + 1] - start;
        let mut row = [0; 2];
        for (place, &end) in row.iter_mut().zip(pair) {
            if end < 0 || end as u64 >= nodes as u64 {
                let count = counted(nodes as u64, "node", "nodes");
                return Err(format!("node {end} does not exist: graph {graph} has {count}, numbered from 0."));
            }
            *place = (start + end as usize) as u32;
        }
        Ok((row[0], row[1]))
    }

    fn read(files: &mut Files<'_>, level: Level) -> Result<Sizes, DataError> {
        let nodes = files.required("num-node-list")?;
        let edges = files.required("num-edge-list")?;
        let node_counts = counts(&nodes)?;
        let edge_counts = counts(&edges)?;
        edges.require_rows(edge_counts.len(), node_counts.len(), "graphs")?;
        if level == Level::Node && node_counts.len() != 1 {
            let found = thousands(node_counts.len() as u64);
            return Err(nodes.wrong(format!("{found} graphs; a dataset with node labels has one.")));
        }
        let mut offsets = vec![0];
        let mut sum = 0usize;
        for count in node_counts {
            sum = sum.saturating_add(count);
            offsets.push(sum);
        }
        if sum > MOST_NODES {
            let (sum, most) = (thousands(sum as u64), thousands(MOST_NODES as u64));
            return Err(nodes.wrong(format!("{sum} nodes in all; at most {most} can be read.")));
        }
        Ok(Sizes { offsets, edges: edge_counts })
    }
}

fn counts(file: &TextFile<Text>) -> Result<Vec<usize>, DataError> {
    let numbers = file.integer_column()?;
    let check = |(row, &number): (usize, &i64)| match u32::try_from(number) {
        Ok(number) => Ok(number as usize),
        Err(_) => Err(file.wrong_at(row as u64 + 1, format!("{number} is not a count from 0 to 4,294,967,295."))),
    };
    numbers.iter().enumerate().map(check).collect()
}

fn read_edges(files: &mut Files<'_>, sizes: &Sizes, directed: bool) -> Result<(Built, TextFile<Text>), DataError> {
    let file = files.required("edge")?;
    let ends = file.integers()?;
    file.require_width(ends.width, 2)?;
    file.require_rows(ends.len(), sizes.edges.iter().fold(0, |all, &n| all.saturating_add(n)), "edges")?;
    let mut rows = Vec::with_capacity(ends.len());
    let mut pairs = ends.values.chunks_exact(2).zip(1..);
    for (graph, &edges) in sizes.edges.iter().enumerate() {
        for (pair, line) in pairs.by_ref().take(edges) {
            rows.push(sizes.ends(graph, pair).map_err(|reason| file.wrong_at(line, reason))?);
        }
    }
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    Ok((build_graph(file.name(), sizes.nodes(), &rows, direction)?, file))
}

/// As [`read_edges`], of one graph, with the rows in a file.
fn sorted_edges(
    files: &mut Files<'_>,
    sizes: &Sizes,
    directed: bool,
    scratch: &Scratch,
) -> Result<(SortedRows, TextFile<Text>), DataError> {
    let file = files.required("edge")?;
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let mut sorter = EdgeSorter::new(scratch, sizes.nodes(), file.length(), direction)?;
    if files.path("edge-feat").is_some() {
        sorter = sorter.with_features(RowOfEntry::OwnDirection)?;
    }
    let (mut rows, mut width, mut wrong) = (0, 0, None);
    // What is said first is what is wrong with the cells, then with their number: as if all were read before any is looked at.
    file.each_integers(|line, pair| {
        (rows, width) = (rows + 1, pair.len());
        if width == 2 && wrong.is_none() {
            match sizes.ends(0, pair) {
                Ok((source, target)) => sorter.push(source, target)?,
                Err(reason) => wrong = Some((line, reason)),
            }
        }
        Ok(())
    })?;
    file.require_width(width, 2)?;
    file.require_rows(rows, sizes.edges.iter().fold(0, |all, &n| all.saturating_add(n)), "edges")?;
    if let Some((line, reason)) = wrong {
        return Err(file.wrong_at(line, reason));
    }
    Ok((sorter.finish(sizes.nodes(), file.name())?, file))
}

/// The numbers of all nodes or edges, in a file.
fn numbers_on_disk(
    file: &TextFile<Text>,
    count: usize,
    of: &str,
    scratch: &Scratch,
) -> Result<NumbersOnDisk, DataError> {
    let mut numbers = scratch.file()?.writer();
    let (mut rows, mut width) = (0, 0);
    file.each_numbers(|_, row| {
        (rows, width) = (rows + 1, row.len());
        numbers.put_f32(row)
    })?;
    file.require_rows(rows, count, of)?;
    let numbers = numbers.finish()?.open_again()?;
    Ok(NumbersOnDisk::new(file.name(), numbers, 0, [count, width]))
}

fn read_edge_features(
    files: &mut Files<'_>,
    built: &Built,
    categories: bool,
    sizes: Option<&[u32]>,
) -> Result<Columns, DataError> {
    let Some(file) = files.optional("edge-feat")? else {
        return Ok(Columns::none());
    };
    let rows = file.numbers()?;
    file.require_rows(rows.len(), built.report.rows, "edges")?;
    let of_rows = columns(&file, rows, categories, sizes)?;
    let width = of_rows.sizes.len();
    Ok(match of_rows.numbers {
        crate::dataset::Numbers::Dense(numbers) if width == 0 => {
            Columns::dense(of_rows.width, spread(built, of_rows.width, &numbers, 0.0).values)
        }
        _ => Columns::categories(of_rows.sizes, spread(built, width, &of_rows.categories, 0).values),
    })
}

/// Numbers as they are, or as categories if they are asked for or look like it.
fn columns(file: &TextFile<Text>, rows: Rows<f32>, guess: bool, sizes: Option<&[u32]>) -> Result<Columns, DataError> {
    let small = |value: &f32| value.fract() == 0.0 && *value >= 0.0 && (*value as usize) < MOST_CATEGORIES;
    let sizes: Vec<u32> = match sizes {
        Some(sizes) => {
            file.require_width(rows.width, sizes.len())?;
            sizes.to_vec()
        }
        None if guess && rows.width > 0 && rows.values.iter().all(small) => {
            let largest = |column| rows.values.iter().skip(column).step_by(rows.width).fold(0.0f32, |a, &b| a.max(b));
            (0..rows.width).map(|column| largest(column) as u32 + 1).collect()
        }
        None => return Ok(Columns::dense(rows.width, rows.values)),
    };
    let mut categories = Vec::with_capacity(rows.values.len());
    for (row, values) in rows.values.chunks_exact(rows.width.max(1)).enumerate() {
        for (value, &size) in values.iter().zip(&sizes) {
            if !small(value) || *value as u32 >= size {
                return Err(file.wrong_at(
                    row as u64 + 1,
                    format!("{value} is not a category from 0 to {}.", size.saturating_sub(1)),
                ));
            }
            categories.push(*value as u16);
        }
    }
    Ok(Columns::categories(sizes, categories))
}

fn notes(self_loops: usize, edges: &TextFile<Text>) -> Vec<String> {
    match self_loops as u64 {
        0 => Vec::new(),
        loops => vec![format!("{}: {} left out", edges.name(), counted(loops, "self-loop", "self-loops"))],
    }
}
