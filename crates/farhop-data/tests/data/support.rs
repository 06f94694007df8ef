//! Small helpers that the tests share.

use std::path::PathBuf;

use farhop_data::{DataError, NodeDataset, NodeTableOptions};

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

    pub fn load(&self, options: &NodeTableOptions) -> Result<NodeDataset, DataError> {
        NodeDataset::load(&self.nodes(), &self.edges(), options)
    }
}

/// The message without the folder of the tables.
pub fn message(tables: &Tables, error: &DataError) -> String {
    let folder = format!("{}/", tables.folder.path().display());
    error.to_string().replace(&folder, "")
}

/// Options with a target.
pub fn target(name: &str) -> NodeTableOptions {
    NodeTableOptions { target: Some(name.to_string()), ..NodeTableOptions::default() }
}
