//! Edge lists as they lie on the web: two ids on a line, perhaps a weight, comments, no header.
//!
//! Cells are separated by white space, commas or semicolons. Lines that start with `#` or `%` are comments. A file that starts with
//! `%%MatrixMarket` is a matrix of coordinates: its first line of numbers gives the size, ids count from 1.

use std::collections::HashMap;
use std::path::Path;

use farhop_graph::{Built, Direction};

use crate::dataset::entry_rows::{Spread, build_graph, spread};
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::number_text::{parse_f32, parse_i64};
use crate::formats::text_file::TextFile;
use crate::tables::scan::MOST_NODES;
use crate::text::{counted, quoted, thousands};

/// What the ids of an edge list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdKind {
    /// Numbers from 0 if the smallest id is 0, numbers from 1 if it is not, and names if there are much larger numbers than
    /// nodes, or anything but whole numbers.
    #[default]
    Automatic,
    /// Numbers, the first node is 0.
    FromZero,
    /// Numbers, the first node is 1.
    FromOne,
    /// Names: every different text is a node, in the order of appearance.
    Names,
}

/// How to read an edge list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EdgeListOptions {
    /// What the ids are.
    pub ids: IdKind,
    /// Keep edges directed: the second id receives from the first.
    pub directed: bool,
    /// The third cell of a line is the weight of the edge; without one that is an error.
    pub weights: bool,
    /// How many nodes there are. Default: as many as the ids tell.
    pub nodes: Option<usize>,
}

/// An edge list that was read.
#[derive(Debug)]
pub struct EdgeList {
    /// `(source, target)` of each line.
    pub rows: Vec<(u32, u32)>,
    /// The weight of each line, if weights were asked for.
    pub weights: Option<Vec<f32>>,
    /// The graph, how many lines were merged or set apart, and the entry of each line.
    pub built: Built,
    /// The names of the nodes; empty if ids are numbers.
    pub names: Vec<String>,
    /// What the ids turned out to be; never automatic.
    pub ids: IdKind,
    /// What is unusual about the file, a line each.
    pub notes: Vec<String>,
    /// What was read, with its hash.
    pub source: SourceFile,
}

impl EdgeList {
    /// Reads a file, or standard input for `-`.
    pub fn open(path: &Path, options: EdgeListOptions) -> Result<EdgeList, DataError> {
        EdgeList::read(&TextFile::open(path)?, options)
    }

    /// An edge list from bytes that were read elsewhere; they may be compressed.
    pub fn from_bytes(path: &str, bytes: Vec<u8>, options: EdgeListOptions) -> Result<EdgeList, DataError> {
        EdgeList::read(&TextFile::from_bytes(path, bytes)?, options)
    }

    /// The weight of every entry of the graph, `[entries]`; `None` if weights were not asked for.
    pub fn entry_weights(&self) -> Option<Vec<f32>> {
        let weights = self.weights.as_ref()?;
        Some(spread(&self.built, 1, weights, 0.0).values)
    }

    fn read(file: &TextFile, options: EdgeListOptions) -> Result<EdgeList, DataError> {
        file.text()?;
        let lines = Lines::read(file, options)?;
        let Numbered { rows, names, ids, nodes } = lines.numbered(file, options)?;
        let direction = if options.directed { Direction::Directed } else { Direction::Undirected };
        let built = build_graph(file.name(), nodes, &rows, direction)?;
        let mut notes = lines.notes;
        if options.ids == IdKind::Automatic && ids == IdKind::FromOne && !lines.matrix {
            notes.push(format!("{}: no node is called 0, so ids count from 1", file.name()));
        }
        if let Some(weights) = &lines.weights {
            let Spread { conflicts, .. } = spread(&built, 1, weights, 0.0);
            if conflicts > 0 {
                let repeated = counted(conflicts as u64, "line repeats", "lines repeat");
                notes.push(format!("{}: {repeated} an edge with another weight; the first one counts", file.name()));
            }
        }
        Ok(EdgeList { rows, weights: lines.weights, built, names, ids, notes, source: file.source().clone() })
    }
}

/// Lines whose ids have become node numbers.
struct Numbered {
    rows: Vec<(u32, u32)>,
    names: Vec<String>,
    ids: IdKind,
    nodes: usize,
}

/// The lines as they stand.
struct Lines<'a> {
    /// Both ids of each line.
    ends: Vec<[&'a [u8]; 2]>,
    /// The line number of each.
    numbers: Vec<u64>,
    weights: Option<Vec<f32>>,
    /// Whether the file is a matrix of coordinates, and how many rows and columns it has at most.
    matrix: bool,
    size: Option<usize>,
    notes: Vec<String>,
}

impl<'a> Lines<'a> {
    fn read(file: &'a TextFile, options: EdgeListOptions) -> Result<Lines<'a>, DataError> {
        let matrix = file.bytes().starts_with(b"%%MatrixMarket");
        if matrix && !file.bytes().starts_with(b"%%MatrixMarket matrix coordinate") {
            let reason = "only matrices of the kind \"matrix coordinate\" are edge lists.".to_string();
            return Err(file.wrong_at(1, reason));
        }
        let mut lines = Lines {
            ends: Vec::new(),
            numbers: Vec::new(),
            weights: options.weights.then(Vec::new),
            matrix,
            size: None,
            notes: Vec::new(),
        };
        let mut more = 0u64;
        for (number, line) in file.lines() {
            if line.is_empty() || matches!(line[0], b'#' | b'%') {
                continue;
            }
            let mut cells = line
                .split(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';'))
                .filter(|cell| !cell.is_empty());
            let (Some(source), Some(target)) = (cells.next(), cells.next()) else {
                let cell = quoted(&String::from_utf8_lossy(line));
                return Err(file.wrong_at(number, format!("{cell} is one cell. An edge needs two ids on its line.")));
            };
            if matrix && lines.size.is_none() {
                lines.size = Some(matrix_size(file, number, source, target)?);
                continue;
            }
            if let Some(weights) = &mut lines.weights {
                weights.push(weight(file, number, cells.next())?);
            }
            more += u64::from(cells.next().is_some());
            lines.ends.push([source, target]);
            lines.numbers.push(number);
        }
        if lines.ends.is_empty() && lines.size.is_none() {
            return Err(file.wrong("there is no edge in the file. An edge is a line with two ids.".to_string()));
        }
        if more > 0 {
            let found = counted(more, "line has", "lines have");
            lines.notes.push(format!("{}: {found} more cells than are used", file.name()));
        }
        Ok(lines)
    }

    /// Node numbers for the ids.
    fn numbered(&self, file: &TextFile, options: EdgeListOptions) -> Result<Numbered, DataError> {
        let kind = match options.ids {
            _ if self.matrix => IdKind::FromOne,
            IdKind::Automatic => self.kind(),
            chosen => chosen,
        };
        if kind == IdKind::Names {
            let numbered = self.by_name(file)?;
            if let Some(nodes) = options.nodes.filter(|&nodes| nodes != numbered.nodes) {
                let found = counted(numbered.nodes as u64, "different id", "different ids");
                return Err(file.wrong(format!("{found} for {} nodes.", thousands(nodes as u64))));
            }
            return Ok(numbered);
        }
        let first = i64::from(kind == IdKind::FromOne);
        let limit = options.nodes.or(self.size).unwrap_or(MOST_NODES).min(MOST_NODES);
        let mut rows = Vec::with_capacity(self.ends.len());
        let mut largest = -1i64;
        for (ends, &line) in self.ends.iter().zip(&self.numbers) {
            let mut row = [0u32; 2];
            for (place, end) in row.iter_mut().zip(ends) {
                let number =
                    parse_i64(end).map(|id| id.saturating_sub(first)).filter(|id| (0..limit as i64).contains(id));
                let Some(number) = number else {
                    let id = quoted(&String::from_utf8_lossy(end));
                    let last = thousands((limit as i64 - 1 + first).max(0) as u64);
                    return Err(file.wrong_at(line, format!("id {id} is not a number from {first} to {last}.")));
                };
                largest = largest.max(number);
                *place = number as u32;
            }
            rows.push((row[0], row[1]));
        }
        let nodes = options.nodes.or(self.size).unwrap_or((largest + 1) as usize);
        self.refuse_gaps(file, nodes, options)?;
        Ok(Numbered { rows, names: Vec::new(), ids: kind, nodes })
    }

    /// Memory is given out by the largest id: a slip in one must not cost all of it.
    fn refuse_gaps(&self, file: &TextFile, nodes: usize, options: EdgeListOptions) -> Result<(), DataError> {
        if options.nodes.is_some() || nodes <= (1 << 24) + 1024 * self.ends.len() {
            return Ok(());
        }
        let (nodes, edges) = (thousands(nodes as u64), counted(self.ends.len() as u64, "edge", "edges"));
        Err(file
            .wrong(format!("{nodes} nodes for {edges}: the ids are names rather than numbers. Read them as names.")))
    }

    fn kind(&self) -> IdKind {
        let (mut smallest, mut largest) = (i64::MAX, 0);
        for end in self.ends.iter().flatten() {
            match parse_i64(end) {
                Some(id) if id >= 0 => (smallest, largest) = (smallest.min(id), largest.max(id)),
                _ => return IdKind::Names,
            }
        }
        if largest as u64 > 1_000 + 8 * self.ends.len() as u64 {
            return IdKind::Names;
        }
        if smallest == 0 { IdKind::FromZero } else { IdKind::FromOne }
    }

    fn by_name(&self, file: &TextFile) -> Result<Numbered, DataError> {
        let mut number_of: HashMap<&[u8], u32> = HashMap::new();
        let mut names: Vec<String> = Vec::new();
        let mut rows = Vec::with_capacity(self.ends.len());
        for ends in &self.ends {
            let number = ends.map(|end| {
                *number_of.entry(end).or_insert_with(|| {
                    names.push(String::from_utf8_lossy(end).into_owned());
                    names.len() as u32 - 1
                })
            });
            if names.len() > MOST_NODES {
                return Err(file.wrong("more than 4,294,967,294 different ids.".to_string()));
            }
            rows.push((number[0], number[1]));
        }
        Ok(Numbered { rows, nodes: names.len(), names, ids: IdKind::Names })
    }
}

fn matrix_size(file: &TextFile, line: u64, rows: &[u8], columns: &[u8]) -> Result<usize, DataError> {
    let mut largest = 0;
    for length in [rows, columns] {
        match parse_i64(length).map(usize::try_from) {
            Some(Ok(length)) if length <= MOST_NODES => largest = largest.max(length),
            _ => {
                let value = quoted(&String::from_utf8_lossy(length));
                return Err(file.wrong_at(line, format!("{value} is not a number of rows or columns.")));
            }
        }
    }
    Ok(largest)
}

fn weight(file: &TextFile, line: u64, cell: Option<&[u8]>) -> Result<f32, DataError> {
    let Some(cell) = cell else {
        return Err(file.wrong_at(line, "the edge has no weight. Give every edge a third cell.".to_string()));
    };
    parse_f32(cell).filter(|weight| weight.is_finite()).ok_or_else(|| {
        let value = quoted(&String::from_utf8_lossy(cell));
        file.wrong_at(line, format!("weight {value} is not a finite number."))
    })
}
