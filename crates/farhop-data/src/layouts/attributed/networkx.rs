//! Graphs of networkx in a pickle: their nodes, neighbours and attributes are dictionaries of dictionaries.

use std::collections::HashMap;

use super::items::{Attribute, Domain, GraphBuilder};
use crate::error::DataError;
use crate::formats::pickle::{Kind, Value};

/// Whether a value is a graph of networkx.
pub(crate) fn is_graph(value: &Value) -> bool {
    matches!(value.kind(), Kind::Object(object) if object.class.starts_with("networkx."))
}

/// Takes in a graph, or a list of graphs.
pub(super) fn read(value: &Value) -> Result<GraphBuilder, DataError> {
    let mut builder = GraphBuilder::default();
    if is_graph(value) {
        take(&mut builder, value, 0)?;
        return Ok(builder);
    }
    for (number, graph) in value.items()?.enumerate() {
        if !is_graph(&graph) {
            return Err(graph.error(format!("a graph of networkx is needed; found {}.", graph.described())));
        }
        take(&mut builder, &graph, number)?;
    }
    Ok(builder)
}

fn take(builder: &mut GraphBuilder, graph: &Value, number: usize) -> Result<(), DataError> {
    let class = graph.described();
    let (directed, several) = (class.contains("Di"), class.contains("Multi"));
    builder.direct(directed).map_err(|reason| graph.error(reason))?;
    builder.graph(number as u64 + 1, None);
    if let Some(attributes) = graph.find("graph") {
        add(builder, Domain::Graph, &attributes)?;
    }
    let mut place_of: HashMap<String, usize> = HashMap::new();
    for (place, (key, attributes)) in graph.get("_node")?.entries()?.enumerate() {
        let id = identifier(key.kind(), place);
        place_of.insert(id.clone(), place);
        builder.node(place as u64 + 1, id);
        add(builder, Domain::Node, &attributes)?;
    }
    let mut edges = 0;
    for (place, (key, neighbours)) in graph.get("_adj")?.entries()?.enumerate() {
        let from = identifier(key.kind(), place);
        for (key, attributes) in neighbours.entries()? {
            let to = identifier(key.kind(), usize::MAX);
            // An edge that is not directed stands at both of its ends.
            if !directed && place_of.get(&to) < place_of.get(&from) {
                continue;
            }
            let parallel: Vec<Value> = match several {
                true => attributes.entries()?.map(|(_, attributes)| attributes).collect(),
                false => vec![attributes],
            };
            for attributes in parallel {
                edges += 1;
                builder.edge(edges, from.clone(), to.clone());
                add(builder, Domain::Edge, &attributes)?;
            }
        }
    }
    Ok(())
}

fn add(builder: &mut GraphBuilder, domain: Domain, attributes: &Value) -> Result<(), DataError> {
    for (key, value) in attributes.entries()? {
        builder.attribute(domain, &identifier(key.kind(), usize::MAX), attribute(&value));
    }
    Ok(())
}

/// What a node is called. One that has no name in text is called by its place.
fn identifier(kind: &Kind, place: usize) -> String {
    match kind {
        Kind::Text(text) => text.to_string(),
        Kind::Int(number) => number.to_string(),
        Kind::Float(number) => number.to_string(),
        Kind::Bool(truth) => truth.to_string(),
        Kind::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Kind::Tuple(parts) => parts.iter().map(|part| identifier(part, place)).collect::<Vec<_>>().join(", "),
        Kind::None => "None".to_string(),
        _ => format!("node {place}"),
    }
}

fn attribute(value: &Value) -> Attribute {
    let one = |kind: &Kind| match kind {
        Kind::None => Some(String::new()),
        Kind::Text(_) | Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Bytes(_) => Some(identifier(kind, 0)),
        _ => None,
    };
    match value.kind() {
        Kind::List(kinds) | Kind::Tuple(kinds) => {
            kinds.iter().map(one).collect::<Option<_>>().map_or(Attribute::Other, Attribute::Many)
        }
        Kind::Array(_) | Kind::Tensor(_) => match value.array().and_then(|array| Ok((array.to_f64()?, array.shape))) {
            Ok((numbers, shape)) if shape.is_empty() => Attribute::One(numbers[0].to_string()),
            Ok((numbers, _)) => Attribute::Many(numbers.iter().map(f64::to_string).collect()),
            Err(_) => Attribute::Other,
        },
        kind => one(kind).map_or(Attribute::Other, Attribute::One),
    }
}
