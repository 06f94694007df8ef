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
        _ => panic!("not dense"),
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

/// A folder with these files; a name that ends in `.gz` is compressed.
pub fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = text.as_bytes().to_vec();
        if name.ends_with(".gz") {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&bytes).unwrap();
            bytes = encoder.finish().unwrap();
        }
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

/// The text of an error without the folder it names.
pub fn short<T>(folder: &tempfile::TempDir, result: Result<T, DataError>) -> String {
    let folder = format!("{}/", folder.path().display());
    result.err().expect("an error").to_string().replace(&folder, "")
}
