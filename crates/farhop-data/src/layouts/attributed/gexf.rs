//! GEXF, the format of Gephi: XML with declared attributes.

use std::borrow::Cow;
use std::collections::HashMap;

use super::items::{Attribute, Domain, GraphBuilder};
use crate::error::DataError;
use crate::formats::text_file::TextFile;
use crate::formats::xml::{Piece, each_piece};
use crate::text::quoted;

/// Reads a file.
pub(super) fn read(file: &TextFile) -> Result<GraphBuilder, DataError> {
    let mut document = Document::default();
    each_piece(file, |piece, line| {
        match piece {
            Piece::Start { name, attributes } => document.start(name, &attributes, line)?,
            Piece::End(name) => document.end(name),
            Piece::Text(text) if document.in_default => document.default.push_str(&text),
            Piece::Text(_) => {}
        }
        Ok(())
    })?;
    let mut builder = document.builder;
    builder.name_by_label();
    Ok(builder)
}

#[derive(Default)]
struct Document {
    builder: GraphBuilder,
    root: bool,
    directed: bool,
    /// What declared attributes are about.
    class: Option<Domain>,
    /// The name of each declared attribute, by what it is about and its id.
    names: [HashMap<String, String>; 2],
    /// The attribute that is being declared: id, name.
    declared: Option<(String, String)>,
    in_default: bool,
    default: String,
    /// The item that values belong to.
    item: Option<Domain>,
}

impl Document {
    fn start(&mut self, name: &str, attributes: &[(&str, Cow<'_, str>)], line: u64) -> Result<(), String> {
        let attribute = |wanted: &str| attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| &**value);
        let required = |wanted: &str| {
            attribute(wanted).ok_or_else(|| format!("<{name}> has no attribute \"{wanted}\". Give it one."))
        };
        if !std::mem::replace(&mut self.root, true) && name != "gexf" {
            return Err(format!("the outermost element is {}, not <gexf>.", quoted(name)));
        }
        match name {
            "graph" => {
                self.directed = match attribute("defaultedgetype") {
                    None | Some("undirected" | "mutual") => false,
                    Some("directed") => true,
                    Some(other) => return Err(format!("edges of type {} are not known.", quoted(other))),
                };
                self.builder.direct(self.directed)?;
                self.builder.graph(line, None);
            }
            "attributes" => {
                self.class = match attribute("class") {
                    Some("node") => Some(Domain::Node),
                    Some("edge") => Some(Domain::Edge),
                    _ => None,
                };
            }
            "attribute" => {
                let id = required("id")?.to_string();
                let title = attribute("title").unwrap_or(&id).to_string();
                self.declared = Some((id, title));
                self.default.clear();
            }
            "default" => self.in_default = self.declared.is_some(),
            "node" => {
                if self.item.is_some() {
                    return Err("a node within a node is not supported.".to_string());
                }
                self.item = Some(Domain::Node);
                self.builder.node(line, required("id")?.to_string());
                if let Some(label) = attribute("label") {
                    self.builder.attribute(Domain::Node, "label", Attribute::One(label.to_string()));
                }
            }
            "edge" => {
                if let Some(kind) = attribute("type")
                    && (kind == "directed") != self.directed
                {
                    let reason = "an edge of another direction than its graph. All edges must have the same.";
                    return Err(reason.to_string());
                }
                self.item = Some(Domain::Edge);
                self.builder.edge(line, required("source")?.to_string(), required("target")?.to_string());
                if let Some(weight) = attribute("weight") {
                    self.builder.attribute(Domain::Edge, "weight", Attribute::One(weight.to_string()));
                }
            }
            "attvalue" => {
                // Older versions write "id".
                let key = attribute("for").or_else(|| attribute("id")).ok_or("<attvalue> has no attribute \"for\".")?;
                if attribute("start").or_else(|| attribute("end")).is_some() {
                    return Err("values that change over time are not supported. Save one point in time.".to_string());
                }
                let value = required("value")?.to_string();
                if let Some(domain @ (Domain::Node | Domain::Edge)) = self.item {
                    let known = self.names[domain as usize].get(key).cloned();
                    let title = known.ok_or_else(|| format!("attribute {} is not declared.", quoted(key)))?;
                    self.builder.attribute(domain, &title, Attribute::One(value));
                }
            }
            // Positions, colours, descriptions.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        match name {
            "default" => self.in_default = false,
            "attributes" => self.class = None,
            "node" | "edge" => self.item = None,
            "attribute" => {
                if let (Some((id, title)), Some(domain)) = (self.declared.take(), self.class) {
                    // Two of the same title are told apart by their ids.
                    let names = &mut self.names[domain as usize];
                    let title = match names.values().any(|known| *known == title) {
                        true => format!("{title} ({id})"),
                        false => title,
                    };
                    self.builder.declare(domain, &title, &title, self.default.trim().to_string());
                    names.insert(id, title);
                }
            }
            _ => {}
        }
    }
}
