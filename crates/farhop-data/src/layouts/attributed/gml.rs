//! The Graph Modelling Language: `graph [ node [ id 0 label "a" ] edge [ source 0 target 0 ] ]`.
//!
//! An attribute that comes several times in one item is a list. Text has the entities of XML.

use super::items::{Attribute, Domain, GraphBuilder};
use crate::error::DataError;
use crate::formats::text_file::TextFile;
use crate::formats::xml::resolved;
use crate::text::quoted;

/// How deep lists may lie in one another.
const DEEPEST: usize = 64;

/// Reads a file.
pub(super) fn read(file: &TextFile) -> Result<GraphBuilder, DataError> {
    let mut reader = Reader { text: file.text()?, at: 0, line: 1 };
    let mut builder = GraphBuilder::default();
    reader.file(&mut builder).map_err(|reason| file.wrong_at(reader.line, reason))?;
    builder.name_by_label();
    Ok(builder)
}

/// A value.
enum Value {
    One(String),
    /// A list of keys and values.
    List(Vec<(String, Value)>),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl<'a> Reader<'a> {
    fn file(&mut self, builder: &mut GraphBuilder) -> Result<(), String> {
        while let Some(key) = self.key()? {
            match key {
                "graph" => self.graph(builder)?,
                // Creator, Version and the like.
                _ => drop(self.value(0)?),
            }
        }
        Ok(())
    }

    fn graph(&mut self, builder: &mut GraphBuilder) -> Result<(), String> {
        self.open("graph")?;
        builder.graph(self.line, None);
        // What a graph says about itself may stand behind its nodes.
        let (mut directed, mut attributes, mut edges) = (false, Vec::new(), Vec::new());
        while let Some(key) = self.key_or_end()? {
            match key {
                "node" => self.node(builder)?,
                "edge" => edges.push((self.line, self.list_of("edge")?)),
                "directed" => directed = matches!(self.value(0)?, Value::One(text) if text == "1"),
                "multigraph" => drop(self.value(0)?),
                key => {
                    let value = self.value(0)?;
                    attributes.push((key.to_string(), value));
                }
            }
        }
        builder.direct(directed)?;
        add(builder, Domain::Graph, attributes, &[]);
        for (line, edge) in edges {
            let end = |name: &str| {
                let found = edge.iter().find_map(|(key, value)| match value {
                    Value::One(text) if key == name => Some(text.clone()),
                    _ => None,
                });
                found.ok_or_else(|| format!("an edge has no {}. Give it one.", quoted(name)))
            };
            builder.edge(line, end("source")?, end("target")?);
            add(builder, Domain::Edge, edge, &["source", "target", "key", "id"]);
        }
        Ok(())
    }

    fn node(&mut self, builder: &mut GraphBuilder) -> Result<(), String> {
        let line = self.line;
        let node = self.list_of("node")?;
        let id = node.iter().find_map(|(key, value)| match value {
            Value::One(id) if key == "id" => Some(id.clone()),
            _ => None,
        });
        builder.node(line, id.ok_or("a node has no \"id\". Give it one.")?);
        add(builder, Domain::Node, node, &["id"]);
        Ok(())
    }

    fn list_of(&mut self, what: &str) -> Result<Vec<(String, Value)>, String> {
        match self.value(0)? {
            Value::List(items) => Ok(items),
            Value::One(_) => Err(format!("{what} is followed by a list in brackets, \"[ .. ]\".")),
        }
    }

    fn open(&mut self, what: &str) -> Result<(), String> {
        self.skip();
        match self.rest().strip_prefix('[') {
            Some(_) => {
                self.at += 1;
                Ok(())
            }
            None => Err(format!("{what} is followed by a list in brackets, \"[ .. ]\".")),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over blanks and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.line += rest[..blank].bytes().filter(|&byte| byte == b'\n').count() as u64;
            self.at += blank;
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The next key; `None` at the end of the file.
    fn key(&mut self) -> Result<Option<&'a str>, String> {
        self.skip();
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(None);
        }
        let length =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))).unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            let found: String = rest.chars().take(12).collect();
            return Err(format!("a key is needed; found {}.", quoted(&found)));
        }
        self.at += length;
        Ok(Some(&rest[..length]))
    }

    /// The next key of a list; `None` at its end.
    fn key_or_end(&mut self) -> Result<Option<&'a str>, String> {
        self.skip();
        if self.rest().starts_with(']') {
            self.at += 1;
            return Ok(None);
        }
        match self.key()? {
            Some(key) => Ok(Some(key)),
            None => Err("the file ends within a list. It is cut short.".to_string()),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        self.skip();
        let rest = self.rest();
        if depth > DEEPEST {
            return Err(format!("lists lie in one another deeper than {DEEPEST}, the limit."));
        }
        if let Some(text) = rest.strip_prefix('"') {
            let length = text.find('"').ok_or("a text has no end.")?;
            self.at += length + 2;
            let text = resolved(&text[..length])?.into_owned();
            self.line += text.bytes().filter(|&byte| byte == b'\n').count() as u64;
            return Ok(Value::One(text));
        }
        if rest.starts_with('[') {
            self.at += 1;
            let mut items = Vec::new();
            while let Some(key) = self.key_or_end()? {
                items.push((key.to_string(), self.value(depth + 1)?));
            }
            return Ok(Value::List(items));
        }
        let length = rest.find(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '"')).unwrap_or(rest.len());
        if length == 0 {
            return Err("a key has no value.".to_string());
        }
        self.at += length;
        Ok(Value::One(rest[..length].to_string()))
    }
}

/// Adds the attributes of an item. A key that comes several times is a list.
fn add(builder: &mut GraphBuilder, domain: Domain, items: Vec<(String, Value)>, used: &[&str]) {
    let mut grouped: Vec<(String, Vec<Value>)> = Vec::new();
    for (key, value) in items.into_iter().filter(|(key, _)| !used.contains(&key.as_str())) {
        match grouped.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => grouped.push((key, vec![value])),
        }
    }
    for (key, values) in grouped {
        let cells = values.into_iter().map(|value| match value {
            Value::One(cell) => Some(cell),
            Value::List(_) => None,
        });
        let attribute = match cells.collect::<Option<Vec<String>>>() {
            None => Attribute::Other,
            Some(mut cells) if cells.len() == 1 => Attribute::One(cells.swap_remove(0)),
            // How networkx marks a list of one.
            Some(cells) => Attribute::Many(cells.into_iter().filter(|cell| cell != "_networkx_list_start").collect()),
        };
        builder.attribute(domain, &key, attribute);
    }
}
