//! What a path holds, told by its content.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::{GraphFormat, wrong};
use crate::error::DataError;
use crate::formats::delimiter::delimiter_of;
use crate::formats::npz::Npz;
use crate::formats::torch;
use crate::layouts::graph_arrays::LinksAs;
use crate::layouts::{ogb, tu};
use crate::text::listed;

/// What a path holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A folder of TU collections.
    TuFolder {
        /// Their names, sorted.
        names: Vec<String>,
    },
    /// A folder in the layout of the Open Graph Benchmark.
    OgbFolder,
    /// A folder of Planetoid files.
    Planetoid {
        /// The name in `ind.<name>.x`.
        name: String,
    },
    /// A dataset that farhop saved.
    Farhop,
    /// An archive with a graph.
    GraphArchive,
    /// Another archive of arrays.
    Archive {
        /// The names of its arrays.
        arrays: Vec<String>,
    },
    /// One NumPy array.
    Array,
    /// A table with a column of SMILES.
    Molecules,
    /// A SMILES on each line.
    SmilesLines,
    /// An SDF: molfiles with data items.
    Sdf,
    /// Graphs whose nodes and edges have attributes.
    Graphs(GraphFormat),
    /// The JSON file of Wiki-CS.
    WikiCs,
    /// A table with columns such as `source,target`.
    EdgesTable,
    /// Another table with a header.
    NodesTable,
    /// Lines of two ids.
    EdgeList,
    /// A Parquet table.
    Parquet,
    /// A file that PyTorch saved.
    Torch,
    /// A Python pickle.
    Pickle,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Kind::TuFolder { names } => {
                return write!(f, "the TU collections {}", listed(names.iter().map(String::as_str)));
            }
            Kind::OgbFolder => "a dataset in the layout of the Open Graph Benchmark",
            Kind::Planetoid { .. } => "files of Planetoid",
            Kind::Farhop => "a farhop dataset",
            Kind::GraphArchive => "an archive with a graph",
            Kind::Archive { arrays } => {
                return write!(f, "an archive of the arrays {}", listed(arrays.iter().map(String::as_str)));
            }
            Kind::Array => "a NumPy array",
            Kind::Molecules => "a table of molecules",
            Kind::SmilesLines => "a list of SMILES",
            Kind::Sdf => "an SDF of molecules",
            Kind::Graphs(format) => format.name(),
            Kind::WikiCs => "the file of Wiki-CS",
            Kind::EdgesTable => "an edges table",
            Kind::NodesTable => "a table",
            Kind::EdgeList => "an edge list",
            Kind::Parquet => "a Parquet table",
            Kind::Torch => "a file of PyTorch",
            Kind::Pickle => "a Python pickle",
        };
        f.write_str(text)
    }
}

/// How much of a file is looked at.
const LOOKED_AT: u64 = 64 << 10;

const KNOWN: &str = "Known are tables (CSV, TSV, Parquet), tables of molecules with a column smiles, .smi lists, SDF, TU folders, OGB folders, GraphML, GEXF, GML, node-link JSON, edge lists, adjacency lists, npz archives, files of PyTorch, pickles of networkx and .farhop files";

/// Tells what a path holds, by its content; names only help where lines alone would not tell.
///
/// # Errors
/// The path cannot be read, or holds nothing that is known.
pub fn detect(path: &Path) -> Result<Kind, DataError> {
    if path.is_dir() {
        return folder(path);
    }
    let failed = |source| DataError::Read { file: path.display().to_string(), source };
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut start)).map_err(failed)?;
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return archive(path);
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        // The file may well end in the middle: only its beginning was read.
        let _ = MultiGzDecoder::new(start.as_slice()).take(LOOKED_AT).read_to_end(&mut plain);
        start = plain;
    }
    content(path, &start).ok_or_else(|| {
        let what = if start.is_empty() { "the file is empty" } else { "it is not clear what the file holds" };
        wrong(path, format!("{what}. {KNOWN}."))
    })
}

fn folder(path: &Path) -> Result<Kind, DataError> {
    if ogb::looks_like(path) {
        return Ok(Kind::OgbFolder);
    }
    let names = tu::names_in(path);
    if !names.is_empty() {
        return Ok(Kind::TuFolder { names });
    }
    let mut planetoid: Vec<String> = std::fs::read_dir(path)
        .map_err(|source| DataError::Read { file: path.display().to_string(), source })?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_prefix("ind.")?.strip_suffix(".allx")?.to_string()))
        .collect();
    planetoid.sort();
    match planetoid.into_iter().next() {
        Some(name) => Ok(Kind::Planetoid { name }),
        None => Err(wrong(path, format!("it is not clear what the folder holds. {KNOWN}."))),
    }
}

fn archive(path: &Path) -> Result<Kind, DataError> {
    let npz = Npz::open(path)?;
    if npz.holds_torch() {
        return Ok(Kind::Torch);
    }
    let arrays = npz.names();
    match (LinksAs::of(|name| npz.contains(name)), arrays.is_empty()) {
        _ if npz.contains("metadata") && npz.contains("row_starts") => Ok(Kind::Farhop),
        (Some(_), _) => Ok(Kind::GraphArchive),
        (None, false) => Ok(Kind::Archive { arrays }),
        (None, true) => Err(wrong(path, format!("the archive holds no array. {KNOWN}."))),
    }
}

fn content(path: &Path, start: &[u8]) -> Option<Kind> {
    let lower = path.display().to_string().to_lowercase();
    let plain = lower.strip_suffix(".gz").unwrap_or(&lower);
    let named = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    if start.starts_with(b"\x93NUMPY") {
        return Some(Kind::Array);
    }
    if start.starts_with(b"PAR1") {
        return Some(Kind::Parquet);
    }
    if let [0x80, 1..=5, ..] = start {
        return Some(if torch::is_torch_file(start) { Kind::Torch } else { Kind::Pickle });
    }
    // The oldest pickles are text.
    if named(&[".pkl", ".pickle", ".gpickle"]) && start.starts_with(b"c") {
        return Some(Kind::Pickle);
    }
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let text = String::from_utf8_lossy(start);
    if text.contains('\0') || text.trim().is_empty() {
        return None;
    }
    let trimmed = text.trim_start();
    if trimmed.starts_with('<') {
        let formats = [("<graphml", GraphFormat::GraphMl), ("<gexf", GraphFormat::Gexf)];
        return formats.into_iter().find(|(root, _)| trimmed.contains(root)).map(|(_, format)| Kind::Graphs(format));
    }
    if trimmed.starts_with(['{', '[']) && trimmed.contains("\"nodes\"") {
        return Some(Kind::Graphs(GraphFormat::NodeLink));
    }
    if trimmed.starts_with('{') {
        let wikics = ["\"features\"", "\"links\"", "\"labels\"", "\"train_masks\""];
        return wikics.iter().any(|key| trimmed.contains(key)).then_some(Kind::WikiCs);
    }
    if text.contains("\nM  END") && ["V2000", "V3000"].iter().any(|version| text.contains(version)) {
        return Some(Kind::Sdf);
    }
    if named(&[".gml"]) || is_gml(trimmed) {
        return Some(Kind::Graphs(GraphFormat::Gml));
    }
    if named(&[".adjlist"]) {
        return Some(Kind::Graphs(GraphFormat::AdjacencyList));
    }
    if named(&[".smi", ".smiles"]) {
        return Some(Kind::SmilesLines);
    }
    lines(plain, &text)
}

/// Whether a text has a list of graphs with lists of nodes, as GML does.
fn is_gml(text: &str) -> bool {
    let opens = |key: &str| {
        text.match_indices(key).any(|(at, _)| {
            let before = text[..at].chars().next_back().is_none_or(char::is_whitespace);
            before && text[at + key.len()..].trim_start().starts_with('[')
        })
    };
    opens("graph") && opens("node")
}

/// Whether every line is whole numbers, not as many on each: a node and its neighbours.
fn are_neighbours(text: &str) -> bool {
    // The last line may be cut off.
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')).take(100);
    let counts: Option<Vec<usize>> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            cells.iter().all(|cell| cell.parse::<u64>().is_ok()).then_some(cells.len())
        })
        .collect();
    counts
        .is_some_and(|counts| counts.len() > 1 && counts[..counts.len() - 1].windows(2).any(|pair| pair[0] != pair[1]))
}

/// What lines of text are.
fn lines(name: &str, text: &str) -> Option<Kind> {
    if text.starts_with("%%MatrixMarket") {
        return Some(Kind::EdgeList);
    }
    if are_neighbours(text) {
        return Some(Kind::Graphs(GraphFormat::AdjacencyList));
    }
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '%']))?;
    let commented = text.trim_start().starts_with(['#', '%']);
    let cells: Vec<&str> =
        first.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).filter(|cell| !cell.is_empty()).collect();
    let numbers = cells.iter().filter(|cell| cell.parse::<f64>().is_ok()).count();
    if (2..=4).contains(&cells.len()) && (numbers == cells.len() || commented) {
        return Some(Kind::EdgeList);
    }
    let delimiter = char::from(delimiter_of(name, || text.as_bytes()));
    let header: Vec<String> = first.split(delimiter).map(|cell| cell.trim().trim_matches('"').to_lowercase()).collect();
    let has = |names: &[&str]| header.iter().any(|cell| names.contains(&cell.as_str()));
    if has(&["smiles"]) {
        return Some(Kind::Molecules);
    }
    if has(&["source", "src", "from"]) && has(&["target", "dst", "to"]) {
        return Some(Kind::EdgesTable);
    }
    if header.len() > 1 {
        return Some(Kind::NodesTable);
    }
    // One cell on a line, of which every one is a molecule.
    let molecules = text.lines().take(5).filter_map(|line| line.split_whitespace().next());
    let mut found = molecules.peekable();
    (found.peek().is_some() && found.all(|smiles| crate::molecules::smiles::parse(smiles).is_ok()))
        .then_some(Kind::SmilesLines)
}
