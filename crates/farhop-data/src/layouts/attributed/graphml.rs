//! GraphML: graphs as XML, with typed keys as attributes.

use std::collections::HashMap;

use super::AttributedGraphs;
use super::items::{Column, Items, tables};
use crate::error::DataError;
use crate::formats::text_file::TextFile;
use crate::formats::xml::{Piece, each_piece};
use crate::text::quoted;

/// Reads a file.
pub(super) fn read(file: &TextFile) -> Result<AttributedGraphs, DataError> {
    let mut document = Document::default();
    each_piece(file, |piece, line| document.take(piece, line))?;
    document.finish(file)
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

    fn finish(self, file: &TextFile) -> Result<AttributedGraphs, DataError> {
        let graphs = self.items[2].len();
        if graphs == 0 || self.items[0].is_empty() {
            let what = if graphs == 0 { "graph" } else { "node" };
            return Err(file.wrong(format!("there is no <{what}> in the file.")));
        }
        let mut domain = 0;
        let items = self.items.map(|of_domain| {
            let mut items = Items::default();
            let mut place_of = HashMap::new();
            for (number, Key { id, name, domains, default, .. }) in self.keys.iter().enumerate() {
                if domains[domain] {
                    let (name, key, default) = (name.clone(), id.clone(), default.clone());
                    place_of.insert(number, items.add_column(Column { name, key, default }));
                }
            }
            for Item { line, head, graph, data } in of_domain {
                let cells = data.into_iter().filter_map(|(key, value)| Some((*place_of.get(&key)?, value)));
                items.add(line, head, graph, cells.collect());
            }
            domain += 1;
            items
        });
        tables(file.source(), file.budget(), Some(self.directed.unwrap_or(false)), items, Vec::new())
    }
}
