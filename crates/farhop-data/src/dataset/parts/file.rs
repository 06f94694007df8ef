//! The file of a part: a `.farhop` file of own nodes, with further arrays.
//!
//! | array | type | shape |
//! |---|---|---|
//! | `part` | u8 | JSON: [`PartPlace`], and what there is of entries |
//! | `part_row_starts`, `part_sources` | u32 | rows of own nodes, then of the others |
//! | `part_nodes`, `part_entries` | u32 | the number of every node and entry in the whole graph |
//! | `part_owners`, `part_degrees` | u32 | owner and degree of every node that is not own |
//! | `part_edge_numbers`, `part_edge_categories` | f32, u16 | features of entries |

use std::path::Path;

use farhop_graph::{Direction, Graph, LocalPart};
use serde::{Deserialize, Serialize};

use super::{DatasetPart, PartPlace};
use crate::dataset::dataset_file::{Layout, Stored, write_columns, write_dataset};
use crate::error::DataError;
use crate::formats::npz::{Npz, write_npz};

/// What is written into the array `part`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Heading {
    place: PartPlace,
    directed: bool,
    edges: Layout,
}

impl DatasetPart {
    /// Saves the part, atomically.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self, path: &Path) -> Result<(), DataError> {
        let heading = Heading {
            place: self.place.clone(),
            directed: self.local.graph.is_directed(),
            edges: Layout::of(&self.edges),
        };
        let heading = serde_json::to_vec(&heading)
            .map_err(|error| DataError::Write { file: path.display().to_string(), source: error.into() })?;
        let LocalPart { graph, nodes, entries, owners, degrees, own: _ } = &self.local;
        let starts: Vec<u32> = graph.offsets().iter().map(|&offset| offset as u32).collect();
        let arrays: [(&str, &[u32]); 6] = [
            ("part_row_starts", &starts),
            ("part_sources", graph.sources()),
            ("part_nodes", nodes),
            ("part_entries", entries),
            ("part_owners", owners),
            ("part_degrees", degrees),
        ];
        write_npz(path, |writer| {
            write_dataset(&self.dataset, writer)?;
            writer.u8("part", &[heading.len()], &heading)?;
            for (name, array) in arrays {
                writer.u32(name, &[array.len()], array)?;
            }
            write_columns(writer, "part_edge", graph.entries(), &self.edges)
        })
    }

    /// Loads a part and checks everything in it.
    ///
    /// # Errors
    /// When the file can't be read, or is not a part.
    pub fn load(path: &Path) -> Result<Self, DataError> {
        let mut stored = Stored { npz: Npz::open(path)?, file: path.display().to_string(), left: None };
        let dataset = stored.dataset()?;
        if !stored.npz.contains("part") {
            return Err(stored.wrong("a dataset, but not a part of one. Divide it: farhop data partition.".to_string()));
        }
        let heading: Heading = serde_json::from_slice(&stored.u8("part")?)
            .map_err(|error| stored.wrong(format!("what it says of its part is damaged ({error}).")))?;
        let offsets = stored.u32("part_row_starts")?.into_iter().map(|start| start as usize).collect();
        let direction = if heading.directed { Direction::Directed } else { Direction::Undirected };
        let graph = Graph::from_csr(direction, offsets, stored.u32("part_sources")?)
            .map_err(|error| stored.wrong(format!("{error}.")))?;
        let local = LocalPart {
            own: dataset.graphs.union().nodes(),
            nodes: stored.u32("part_nodes")?,
            entries: stored.u32("part_entries")?,
            owners: stored.u32("part_owners")?,
            degrees: stored.u32("part_degrees")?,
            graph,
        };
        let edges = stored.columns("part_edge", local.graph.entries(), heading.edges)?;
        edges.check(if edges.is_empty() { 0 } else { local.graph.entries() }, "edges")?;
        Ok(DatasetPart { dataset, local, edges, place: heading.place })
    }
}
