//! Adjacency lists, as networkx writes them: a node and its neighbours on each line, `#` before comments.

use std::collections::HashSet;

use super::items::GraphBuilder;
use crate::error::DataError;
use crate::formats::text_file::TextFile;

/// Reads a file. It does not say whether edges are directed.
pub(super) fn read(file: &TextFile) -> Result<GraphBuilder, DataError> {
    file.text()?;
    let mut builder = GraphBuilder::default();
    builder.graph(1, None);
    let mut seen = HashSet::new();
    let mut edges = Vec::new();
    for (number, line) in file.lines() {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let cells = line.split(u8::is_ascii_whitespace).filter(|cell| !cell.is_empty());
        let mut ids = cells.map(|cell| String::from_utf8_lossy(cell).into_owned()).peekable();
        let Some(node) = ids.peek().cloned() else { continue };
        for (place, id) in ids.enumerate() {
            if seen.insert(id.clone()) {
                builder.node(number, id.clone());
            }
            if place > 0 {
                edges.push((number, node.clone(), id));
            }
        }
    }
    for (line, source, target) in edges {
        builder.edge(line, source, target);
    }
    Ok(builder)
}
