//! Node-link JSON, as networkx and d3 write it: `{"directed": .., "nodes": [{"id": ..}], "links": [{"source": ..}]}`.
//!
//! `links` may be called `edges`. Nodes without an id are named by their place, as links of d3 name them. A file may hold a
//! list of such graphs.

use serde_json::{Map, Value};

use super::items::{Attribute, Domain, GraphBuilder};
use crate::error::DataError;
use crate::formats::json_lines::{ListLines, list_lines};
use crate::formats::text_file::TextFile;
use crate::text::{one_line, quoted};

/// Reads a file.
pub(super) fn read(file: &TextFile) -> Result<GraphBuilder, DataError> {
    // What JSON becomes in memory: a few bytes of text can be a number of many.
    file.budget().charge(16 * file.bytes().len() as u64)?;
    let value: Value = serde_json::from_slice(file.bytes()).map_err(|error| {
        let reason = one_line(&error.to_string());
        file.wrong_at(error.line() as u64, format!("not JSON ({reason}). Save it again."))
    })?;
    let mut builder = GraphBuilder::default();
    let graphs = match &value {
        Value::Array(graphs) => graphs.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut lines = list_lines(file.bytes()).into_iter();
    for (number, graph) in graphs.iter().enumerate() {
        let lines = lines.next().unwrap_or((1, ListLines::new()));
        let wrong = |(line, reason): (u64, String)| match graphs.len() {
            1 => file.wrong_at(line, reason),
            _ => file.wrong_at(line, format!("graph {number}: {reason}")),
        };
        take(&mut builder, graph, &lines).map_err(wrong)?;
    }
    Ok(builder)
}

/// Takes in a graph; the error says on which line something is wrong, and what.
fn take(builder: &mut GraphBuilder, graph: &Value, (line, lists): &(u64, ListLines)) -> Result<(), (u64, String)> {
    let empty = Vec::new();
    let list = |name: &str| graph.get(name).and_then(Value::as_array);
    let line_of =
        |name: &str, place: usize| lists.get(name).and_then(|lines| lines.get(place)).copied().unwrap_or(*line);
    let nodes = list("nodes").ok_or((*line, "there is no list \"nodes\".".to_string()))?;
    let links_name = if list("links").is_some() { "links" } else { "edges" };
    let links = list(links_name).unwrap_or(&empty);
    builder
        .direct(graph.get("directed").and_then(Value::as_bool).unwrap_or(false))
        .map_err(|reason| (*line, reason))?;
    builder.graph(*line, None);
    if let Some(attributes) = graph.get("graph").and_then(Value::as_object) {
        add(builder, Domain::Graph, attributes, &[]);
    }
    for (place, node) in nodes.iter().enumerate() {
        // A list of plain ids has no attributes.
        let id = match node.as_object() {
            None => identifier(node),
            Some(node) => node.get("id").map_or_else(|| Some(place.to_string()), identifier),
        };
        let line = line_of("nodes", place);
        builder.node(line, id.ok_or_else(|| (line, format!("the id of node {place} is no number or text.")))?);
        if let Some(node) = node.as_object() {
            add(builder, Domain::Node, node, &["id"]);
        }
    }
    for (place, link) in links.iter().enumerate() {
        let line = line_of(links_name, place);
        let end = |name: &str| {
            let found = link.get(name).and_then(identifier);
            found.ok_or_else(|| (line, format!("link {place} has no {}.", quoted(name))))
        };
        builder.edge(line, end("source")?, end("target")?);
        if let Some(link) = link.as_object() {
            // The key tells the edges of a multigraph apart.
            add(builder, Domain::Edge, link, &["source", "target", "key"]);
        }
    }
    Ok(())
}

fn add(builder: &mut GraphBuilder, domain: Domain, attributes: &Map<String, Value>, used: &[&str]) {
    for (name, value) in attributes.iter().filter(|(name, _)| !used.contains(&name.as_str())) {
        builder.attribute(domain, name, attribute(value));
    }
}

fn identifier(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        // networkx writes tuples as lists.
        Value::Array(parts) => parts.iter().map(identifier).collect::<Option<Vec<_>>>().map(|parts| parts.join(", ")),
        Value::Null | Value::Object(_) => None,
    }
}

fn attribute(value: &Value) -> Attribute {
    let one = |value: &Value| match value {
        Value::Null => Some(String::new()),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => identifier(value),
        Value::Array(_) | Value::Object(_) => None,
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect::<Option<_>>().map_or(Attribute::Other, Attribute::Many),
        value => one(value).map_or(Attribute::Other, Attribute::One),
    }
}
