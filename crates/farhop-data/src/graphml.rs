//! GraphML: graphs as XML, with typed keys as features.
//!
//! A file becomes up to three tables, whose rows remember the lines they came from: nodes, edges, and (with more than one
//! graph, or data on graphs) graphs. [`crate::import`] makes a dataset of them as it does of tables that were read.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::error::DataError;
use crate::table::Table;
use crate::table_rows::TableRows;
use crate::text::quoted;
use crate::text_file::TextFile;
use crate::xml::{Piece, Reader};

/// A GraphML file as tables.
#[derive(Debug)]
pub struct GraphMl {
    /// Whether edges are directed.
    pub directed: bool,
    /// How many graphs there are.
    pub graphs: usize,
    /// Columns: the id of the node, the id of its graph, then the keys of nodes.
    pub nodes: Table,
    /// Columns: source, target, the id of the graph, then the keys of edges.
    pub edges: Table,
    /// Columns: the id of the graph, then the keys of graphs.
    pub graph_table: Table,
}

/// The column of ids in the nodes table and in the table of graphs.
pub const ID_COLUMN: &str = "graphml id";
/// The column of the graph in the nodes table and in the edges table.
pub const GRAPH_COLUMN: &str = "graphml graph";

impl GraphMl {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<GraphMl, DataError> {
        GraphMl::read(&TextFile::open(path)?)
    }

    /// Reads bytes that were read elsewhere; they may be compressed.
    pub fn from_bytes(path: &str, bytes: Vec<u8>) -> Result<GraphMl, DataError> {
        GraphMl::read(&TextFile::from_bytes(path, bytes)?)
    }

    fn read(file: &TextFile) -> Result<GraphMl, DataError> {
        let mut reader = Reader::new(file.text()?);
        let mut document = Document::default();
        loop {
            let piece = reader.next_piece();
            let line = reader.line();
            let outcome = match piece {
                Ok(Some(piece)) => document.take(piece, line),
                Ok(None) => break,
                Err(reason) => Err(reason),
            };
            outcome.map_err(|reason| file.wrong_at(line, reason))?;
        }
        document.finish(file)
    }
}

/// What data may be about.
const DOMAINS: [&str; 3] = ["node", "edge", "graph"];

struct Key {
    id: String,
    name: String,
    /// Which of the [`DOMAINS`] it is for.
    domains: [bool; 3],
    default: String,
    /// For each domain the number of the last item, from 1, that gives it; 0 if none does.
    given: [usize; 3],
}

struct Item {
    line: u64,
    /// Its own id, or those of its ends.
    head: Vec<String>,
    /// The number of the graph that it is in, or that it is.
    graph: usize,
    /// Key number and value.
    data: Vec<(usize, String)>,
}

#[derive(Default)]
struct Document {
    keys: Vec<Key>,
    number_of_key: HashMap<String, usize>,
    /// Nodes, edges and graphs.
    items: [Vec<Item>; 3],
    directed: Option<bool>,
    /// The element that data belongs to, from the outside in.
    open: Vec<Open>,
    /// Elements within something that is not read.
    skipped: usize,
}

#[derive(PartialEq)]
enum Open {
    Root,
    Key,
    Default,
    /// An item of this domain.
    Item(usize),
    /// Data of the item around it: the key, if it is one that is read.
    Data(Option<usize>),
}

impl Document {
    fn take(&mut self, piece: Piece<'_>, line: u64) -> Result<(), String> {
        match piece {
            Piece::Start { .. } if self.skipped > 0 => self.skipped += 1,
            Piece::End(_) if self.skipped > 0 => self.skipped -= 1,
            Piece::Text(_) if self.skipped > 0 => {}
            Piece::Start { name, attributes } => self.start(name, &attributes, line)?,
            Piece::End(_) => drop(self.open.pop()),
            Piece::Text(text) => self.text(&text),
        }
        Ok(())
    }

    fn start(&mut self, name: &str, attributes: &[(&str, std::borrow::Cow<'_, str>)], line: u64) -> Result<(), String> {
        let attribute = |wanted: &str| attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| &**value);
        let required = |wanted: &str| {
            attribute(wanted).ok_or_else(|| format!("<{name}> has no attribute \"{wanted}\". Give it one."))
        };
        match (self.open.last(), name) {
            (None, "graphml") => self.open.push(Open::Root),
            (None, other) => return Err(format!("the outermost element is {}, not <graphml>.", quoted(other))),
            (Some(Open::Root), "key") => {
                self.add_key(required("id")?, attribute("attr.name"), attribute("attr.type"), attribute("for"))?;
                self.open.push(Open::Key);
            }
            (Some(Open::Key), "default") => self.open.push(Open::Default),
            (Some(Open::Root), "graph") => {
                self.set_direction(attribute("edgedefault"))?;
                let id = attribute("id").map_or_else(|| self.items[2].len().to_string(), str::to_string);
                self.add_item(2, line, vec![id]);
            }
            (Some(Open::Item(2)), "node") => {
                let head = vec![required("id")?.to_string()];
                self.add_item(0, line, head);
            }
            (Some(Open::Item(2)), "edge") => {
                if let Some(directed) = attribute("directed")
                    && Some(directed == "true") != self.directed
                {
                    return Err(
                        "an edge of another direction than its graph. All edges must have the same.".to_string()
                    );
                }
                let head = vec![required("source")?.to_string(), required("target")?.to_string()];
                self.add_item(1, line, head);
            }
            (Some(Open::Item(0 | 1)), "graph") => {
                return Err("a graph within a node or edge is not supported.".to_string());
            }
            (Some(Open::Item(_)), "hyperedge") => {
                return Err("edges of more than two nodes are not supported.".to_string());
            }
            (Some(Open::Item(_)), "data") => {
                let key = required("key")?;
                let known = self.number_of_key.get(key).copied();
                let number = known.ok_or_else(|| format!("key {} is not declared. Add a <key>.", quoted(key)))?;
                self.add_data(number)?;
            }
            // Drawings, ports, descriptions and the like.
            _ => self.skipped = 1,
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        match self.open.last() {
            Some(Open::Default) => {
                if let Some(key) = self.keys.last_mut() {
                    key.default.push_str(text);
                }
            }
            Some(Open::Data(Some(_))) => {
                let around = self.open.iter().rev().find_map(|open| match open {
                    Open::Item(domain) => Some(*domain),
                    _ => None,
                });
                let item = around.and_then(|domain| self.items[domain].last_mut());
                if let Some((_, value)) = item.and_then(|item| item.data.last_mut()) {
                    value.push_str(text);
                }
            }
            _ => {}
        }
    }

    fn add_key(
        &mut self,
        id: &str,
        name: Option<&str>,
        kind: Option<&str>,
        domain: Option<&str>,
    ) -> Result<(), String> {
        let domain = domain.unwrap_or("all");
        // A key without a type holds a drawing; it is declared, but not read.
        let read = kind.is_none_or(|kind| ["boolean", "int", "long", "float", "double", "string"].contains(&kind))
            && (name.is_some() || kind.is_some());
        let domains = DOMAINS.map(|known| read && (domain == known || domain == "all"));
        let number = self.keys.len();
        if self.number_of_key.insert(id.to_string(), number).is_some() {
            return Err(format!("key {} is declared twice.", quoted(id)));
        }
        let name = name.unwrap_or(id).to_string();
        self.keys.push(Key { id: id.to_string(), name, domains, default: String::new(), given: [0; 3] });
        Ok(())
    }

    fn set_direction(&mut self, edges: Option<&str>) -> Result<(), String> {
        let directed = match edges {
            None | Some("undirected") => false,
            Some("directed") => true,
            Some(other) => return Err(format!("edgedefault {} is neither directed nor undirected.", quoted(other))),
        };
        if self.directed.is_some_and(|before| before != directed) {
            return Err("a graph of another direction than the graph before. All must have the same.".to_string());
        }
        self.directed = Some(directed);
        Ok(())
    }

    fn add_item(&mut self, domain: usize, line: u64, head: Vec<String>) {
        let graph = self.items[2].len() - usize::from(domain != 2 && !self.items[2].is_empty());
        self.items[domain].push(Item { line, head, graph, data: Vec::new() });
        self.open.push(Open::Item(domain));
    }

    fn add_data(&mut self, number: usize) -> Result<(), String> {
        let Some(Open::Item(domain)) = self.open.last() else {
            return Ok(());
        };
        let items = self.items[*domain].len();
        let Some(item) = self.items[*domain].last_mut() else {
            return Ok(());
        };
        let read = self.keys[number].domains[*domain];
        if read {
            if std::mem::replace(&mut self.keys[number].given[*domain], items) == items {
                return Err(format!("key {} is given twice here.", quoted(&self.keys[number].id)));
            }
            item.data.push((number, String::new()));
        }
        self.open.push(Open::Data(read.then_some(number)));
        Ok(())
    }

    fn finish(self, file: &TextFile) -> Result<GraphMl, DataError> {
        let graphs = self.items[2].len();
        if graphs == 0 || self.items[0].is_empty() {
            let what = if graphs == 0 { "graph" } else { "node" };
            return Err(file.wrong(format!("there is no <{what}> in the file.")));
        }
        let heads: [&[&str]; 3] = [&[ID_COLUMN, GRAPH_COLUMN], &["source", "target", GRAPH_COLUMN], &[ID_COLUMN]];
        let table = |domain: usize| {
            let keys: Vec<usize> = (0..self.keys.len()).filter(|&key| self.keys[key].domains[domain]).collect();
            let names = self.column_names(&keys, heads[domain]);
            let header = heads[domain].iter().map(|name| name.to_string()).chain(names).collect();
            let mut rows = TableRows::new(file.source().clone(), file.budget().clone(), header)?;
            // The place of every key among the cells, and what a row has there unless it says otherwise.
            let mut places = vec![0; self.keys.len()];
            let mut usual = vec![""; heads[domain].len()];
            for &key in &keys {
                places[key] = usual.len();
                usual.push(plain(&self.keys[key].default));
            }
            let mut cells = usual.clone();
            for item in &self.items[domain] {
                let head = item.head.iter().chain(if domain == 2 { &[] } else { &self.items[2][item.graph].head[..] });
                cells.iter_mut().zip(head).for_each(|(cell, head)| *cell = head.trim());
                item.data.iter().for_each(|(key, value)| cells[places[*key]] = plain(value));
                rows.push(item.line, cells.iter().copied())?;
                item.data.iter().for_each(|(key, _)| cells[places[*key]] = usual[places[*key]]);
            }
            rows.table()
        };
        let (nodes, edges, graph_table) = (table(0)?, table(1)?, table(2)?);
        let directed = self.directed.unwrap_or(false);
        Ok(GraphMl { directed, graphs, nodes, edges, graph_table })
    }

    /// Names of key columns: as declared, with the id of the key behind a name that is taken.
    fn column_names(&self, keys: &[usize], taken: &[&str]) -> Vec<String> {
        let mut known: HashSet<String> = taken.iter().map(|name| name.to_string()).collect();
        let mut names = Vec::with_capacity(keys.len());
        for &key in keys {
            let Key { id, name, .. } = &self.keys[key];
            let name = name.trim();
            let mut unique = if name.is_empty() { id.clone() } else { name.to_string() };
            while !known.insert(unique.clone()) {
                unique = format!("{unique} ({id})");
            }
            names.push(unique);
        }
        names
    }
}

/// A value as a cell: `true` and `false` are 1 and 0.
fn plain(value: &str) -> &str {
    match value.trim() {
        "true" => "1",
        "false" => "0",
        other => other,
    }
}
