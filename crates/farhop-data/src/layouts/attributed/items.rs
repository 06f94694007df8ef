//! Nodes, edges and graphs with their attributes, on the way to tables.

use std::collections::{HashMap, HashSet};

use super::{AttributedGraphs, GRAPH_COLUMN, ID_COLUMN};
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::table::Table;
use crate::formats::table_rows::TableRows;
use crate::memory::Budget;
use crate::text::listed;

/// The longest list that becomes a column for each of its numbers.
const LONGEST_LIST: usize = 4096;

/// What an attribute is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    Node,
    Edge,
    Graph,
}

impl Domain {
    fn head(self) -> &'static [&'static str] {
        match self {
            Domain::Node => &[ID_COLUMN, GRAPH_COLUMN],
            Domain::Edge => &["source", "target", GRAPH_COLUMN],
            Domain::Graph => &[ID_COLUMN],
        }
    }
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Attribute {
    /// A number or a text; empty if it is missing.
    One(String),
    /// Several: a column each.
    Many(Vec<String>),
    /// Something that is no cell, such as a list of lists.
    Other,
}

/// A column of attributes.
#[derive(Debug)]
pub(super) struct Column {
    pub name: String,
    /// What tells it from another of the same name.
    pub key: String,
    /// The value of items that have none.
    pub default: String,
}

/// An item and what is known about it.
#[derive(Debug)]
struct Item {
    line: u64,
    /// Its own id, or those of its ends.
    head: Vec<String>,
    /// The number of the graph that it is in, or that it is.
    graph: usize,
    /// Column number and value.
    cells: Vec<(usize, String)>,
}

/// Items of one kind.
#[derive(Debug, Default)]
pub(super) struct Items {
    columns: Vec<Column>,
    items: Vec<Item>,
}

impl Items {
    pub fn add_column(&mut self, column: Column) -> usize {
        self.columns.push(column);
        self.columns.len() - 1
    }

    pub fn add(&mut self, line: u64, head: Vec<String>, graph: usize, cells: Vec<(usize, String)>) {
        self.items.push(Item { line, head, graph, cells });
    }

    fn table(
        &self,
        source: &SourceFile,
        budget: &Budget,
        domain: Domain,
        graphs: &[String],
    ) -> Result<Table, DataError> {
        let head = domain.head();
        let header = head.iter().map(|name| name.to_string()).chain(self.names(head)).collect();
        let mut rows = TableRows::new(source.clone(), budget.clone(), header)?;
        // What an item has in every column, unless it says otherwise.
        let blank = head.iter().map(|_| "");
        let usual: Vec<&str> = blank.chain(self.columns.iter().map(|column| plain(&column.default))).collect();
        let mut cells = usual.clone();
        for item in &self.items {
            let graph = graphs.get(item.graph).filter(|_| domain != Domain::Graph);
            let own = item.head.iter().chain(graph);
            cells.iter_mut().zip(own).for_each(|(cell, head)| *cell = head.trim());
            item.cells.iter().for_each(|(column, value)| cells[head.len() + column] = plain(value));
            rows.push(item.line, cells.iter().copied())?;
            item.cells.iter().for_each(|(column, _)| cells[head.len() + column] = usual[head.len() + column]);
        }
        rows.table()
    }

    /// Names of the columns: as declared, with what tells them apart behind a name that is taken.
    fn names(&self, head: &[&str]) -> Vec<String> {
        let mut taken: HashSet<String> = head.iter().map(|name| name.to_string()).collect();
        let name = |Column { name, key, .. }: &Column| {
            let mut unique = if name.trim().is_empty() { key.clone() } else { name.trim().to_string() };
            while !taken.insert(unique.clone()) {
                unique = format!("{unique} ({key})");
            }
            unique
        };
        self.columns.iter().map(name).collect()
    }
}

/// A value as a cell: `true` and `false` are 1 and 0.
fn plain(value: &str) -> &str {
    match value.trim() {
        "true" | "True" => "1",
        "false" | "False" => "0",
        other => other,
    }
}

/// Takes in graphs one after the other, each with its nodes and then its edges, in any order of attributes.
#[derive(Debug, Default)]
pub(crate) struct GraphBuilder {
    items: [Items; 3],
    number_of: [HashMap<String, usize>; 3],
    directed: Option<bool>,
    left_out: Vec<String>,
    pub notes: Vec<String>,
}

impl GraphBuilder {
    /// Says whether the edges of the present graph are directed.
    pub fn direct(&mut self, directed: bool) -> Result<(), String> {
        if self.directed.is_some_and(|before| before != directed) {
            return Err("a graph of another direction than the graph before. All must have the same.".to_string());
        }
        self.directed = Some(directed);
        Ok(())
    }

    /// A new graph; what comes now belongs to it. Without an id it gets its number.
    pub fn graph(&mut self, line: u64, id: Option<String>) {
        let graphs = &mut self.items[Domain::Graph as usize];
        let id = id.unwrap_or_else(|| graphs.items.len().to_string());
        let number = graphs.items.len();
        graphs.add(line, vec![id], number, Vec::new());
    }

    pub fn node(&mut self, line: u64, id: String) {
        let graph = self.present_graph();
        self.items[Domain::Node as usize].add(line, vec![id], graph, Vec::new());
    }

    pub fn edge(&mut self, line: u64, source: String, target: String) {
        let graph = self.present_graph();
        self.items[Domain::Edge as usize].add(line, vec![source, target], graph, Vec::new());
    }

    fn present_graph(&self) -> usize {
        self.items[Domain::Graph as usize].items.len().saturating_sub(1)
    }

    /// Declares an attribute: its key, its name, and the value of items that have none.
    pub fn declare(&mut self, domain: Domain, key: &str, name: &str, default: String) {
        let column = Column { name: name.to_string(), key: key.to_string(), default };
        let number = self.items[domain as usize].add_column(column);
        self.number_of[domain as usize].insert(key.to_string(), number);
    }

    /// An attribute of the last item. One that was not declared is, by this.
    pub fn attribute(&mut self, domain: Domain, key: &str, value: Attribute) {
        match value {
            Attribute::One(value) => self.cell(domain, key, value),
            Attribute::Many(values) if values.len() <= LONGEST_LIST => {
                for (place, value) in values.into_iter().enumerate() {
                    self.cell(domain, &format!("{key} {place}"), value);
                }
            }
            _ => {
                if !self.left_out.iter().any(|name| name == key) {
                    self.left_out.push(key.to_string());
                }
            }
        }
    }

    fn cell(&mut self, domain: Domain, key: &str, value: String) {
        let number = match self.number_of[domain as usize].get(key) {
            Some(&number) => number,
            None => {
                self.declare(domain, key, key, String::new());
                self.items[domain as usize].columns.len() - 1
            }
        };
        if let Some(item) = self.items[domain as usize].items.last_mut() {
            item.cells.push((number, value));
        }
    }

    /// Names the nodes by their attribute `label` if every node has one and none of a graph has that of another; ids
    /// are then only numbers that the file needs. Otherwise labels stay an attribute.
    pub fn name_by_label(&mut self) {
        let nodes = &self.items[Domain::Node as usize];
        let Some(&column) = self.number_of[Domain::Node as usize].get("label") else { return };
        let mut label_of: HashMap<(usize, String), String> = HashMap::new();
        let mut seen = HashSet::new();
        for item in &nodes.items {
            let label = item.cells.iter().find(|(number, _)| *number == column).map(|(_, label)| label.trim());
            let Some(label) = label.filter(|label| !label.is_empty()) else { return };
            if !seen.insert((item.graph, label.to_string())) {
                return;
            }
            label_of.insert((item.graph, item.head[0].trim().to_string()), label.to_string());
        }
        for item in &mut self.items[Domain::Node as usize].items {
            item.cells.retain(|(number, _)| *number != column);
            item.cells.iter_mut().for_each(|(number, _)| *number -= usize::from(*number > column));
        }
        for item in self.items[..2].iter_mut().flat_map(|items| &mut items.items) {
            for id in &mut item.head {
                if let Some(label) = label_of.get(&(item.graph, id.trim().to_string())) {
                    id.clone_from(label);
                }
            }
        }
        self.items[Domain::Node as usize].columns.remove(column);
    }

    /// The tables.
    pub fn finish(mut self, source: &SourceFile, budget: &Budget) -> Result<AttributedGraphs, DataError> {
        if !self.left_out.is_empty() {
            let names = listed(self.left_out.iter().map(String::as_str));
            self.notes.push(format!("attributes that are neither numbers nor texts are not used: {names}"));
        }
        let [nodes, edges, graphs] = self.items;
        tables(source, budget, self.directed, [nodes, edges, graphs], self.notes)
    }
}

/// The tables of nodes, edges and graphs.
pub(super) fn tables(
    source: &SourceFile,
    budget: &Budget,
    directed: Option<bool>,
    [nodes, edges, graphs]: [Items; 3],
    notes: Vec<String>,
) -> Result<AttributedGraphs, DataError> {
    if graphs.items.is_empty() || nodes.items.is_empty() {
        let what = if graphs.items.is_empty() { "graph" } else { "node" };
        let reason = format!("there is no {what} in the file.");
        return Err(DataError::Array { file: source.name().to_string(), reason });
    }
    let ids: Vec<String> = graphs.items.iter().map(|graph| graph.head[0].clone()).collect();
    Ok(AttributedGraphs {
        directed,
        graphs: graphs.items.len(),
        nodes: nodes.table(source, budget, Domain::Node, &ids)?,
        edges: edges.table(source, budget, Domain::Edge, &ids)?,
        graph_table: graphs.table(source, budget, Domain::Graph, &ids)?,
        notes,
    })
}
