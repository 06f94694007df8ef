//! Small helpers that the tests share.

use std::path::PathBuf;

use farhop_data::{Columns, DataError, NodeTableOptions, NodeTables, Numbers, Target};
use farhop_graph::Graph;

/// A folder with a nodes and an edges table.
pub struct Tables {
    folder: tempfile::TempDir,
}

impl Tables {
    pub fn new(nodes: &str, edges: &str) -> Tables {
        let tables = Tables { folder: tempfile::tempdir().unwrap() };
        std::fs::write(tables.nodes(), nodes).unwrap();
        std::fs::write(tables.edges(), edges).unwrap();
        tables
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn nodes(&self) -> PathBuf {
        self.path("nodes.csv")
    }

    pub fn edges(&self) -> PathBuf {
        self.path("edges.csv")
    }

    pub fn load(&self, options: &NodeTableOptions) -> Result<NodeTables, DataError> {
        NodeTables::load(&self.nodes(), &self.edges(), options)
    }
}

/// The message without the folder of the tables.
pub fn message(tables: &Tables, error: &DataError) -> String {
    let folder = format!("{}/", tables.folder.path().display());
    error.to_string().replace(&folder, "")
}

/// Options with a target.
pub fn target(name: &str) -> NodeTableOptions {
    NodeTableOptions { targets: vec![name.to_string()], ..NodeTableOptions::default() }
}

/// The numbers of the features of nodes.
pub fn features(tables: &NodeTables) -> &[f32] {
    dense(&tables.dataset.nodes)
}

/// The numbers of columns without sparse ones.
pub fn dense(columns: &Columns) -> &[f32] {
    match &columns.numbers {
        Numbers::Dense(numbers) => numbers,
        Numbers::Sparse(_) => panic!("sparse"),
    }
}

/// The graph.
pub fn graph(tables: &NodeTables) -> &Graph {
    tables.dataset.graphs.union()
}

/// The classes of the nodes.
pub fn labels(tables: &NodeTables) -> &[Option<u32>] {
    match &tables.dataset.target {
        Target::Class { labels, .. } => labels,
        other => panic!("{other:?}"),
    }
}

/// What was noticed, in one text.
pub fn notes(tables: &NodeTables) -> String {
    tables.dataset.notes.join("; ")
}
