//! Writing.

use std::io;
use std::path::Path;

use super::{FORMAT, Layout, Metadata, StoredTarget, VERSION};
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Numbers, Target};
use crate::error::DataError;
use crate::formats::npz::{NpzWriter, WriteAndSeek, write_npz};

type Writer<'a> = NpzWriter<&'a mut dyn WriteAndSeek>;

impl Dataset {
    /// Saves the dataset as a `.farhop` file, atomically: what was there before stays until the new file is complete. The
    /// same dataset gives the same bytes.
    pub fn save(&self, path: &Path) -> Result<(), DataError> {
        write_npz(path, |writer| write_dataset(self, writer))
    }

    fn metadata(&self) -> Metadata {
        Metadata {
            format: FORMAT.to_string(),
            version: VERSION,
            name: self.name.clone(),
            level: self.level,
            metric: self.metric,
            directed: self.graphs.union().is_directed(),
            nodes: Layout::of(&self.nodes),
            edges: Layout::of(&self.edges),
            target: match &self.target {
                Target::Class { classes, .. } => StoredTarget::Class { classes: classes.clone() },
                Target::Binary { names, .. } => StoredTarget::Binary { names: names.clone() },
                Target::Number { names, .. } => StoredTarget::Number { names: names.clone() },
                Target::Pair { .. } => StoredTarget::Pair,
            },
            ids: !self.ids.is_empty(),
            weights: !self.weights.is_empty(),
            notes: self.notes.clone(),
            sources: self.sources.clone(),
        }
    }

    fn write_graphs(&self, writer: &mut Writer<'_>) -> io::Result<()> {
        // Nodes and entries are counted by `u32`, so the places fit.
        let places = |offsets: &[usize]| offsets.iter().map(|&offset| offset as u32).collect::<Vec<u32>>();
        let union = self.graphs.union();
        writer.u32("row_starts", &[union.nodes() + 1], &places(union.offsets()))?;
        writer.u32("sources", &[union.entries()], union.sources())?;
        writer.u32("graph_starts", &[self.graphs.len() + 1], &places(self.graphs.offsets()))
    }

    fn write_target(&self, writer: &mut Writer<'_>) -> io::Result<()> {
        match &self.target {
            Target::Class { labels, .. } => {
                let numbers: Vec<i64> = labels.iter().map(|label| label.map_or(-1, i64::from)).collect();
                writer.i64("labels", &[numbers.len()], &numbers)
            }
            Target::Binary { values, names } | Target::Number { values, names } => {
                writer.f32("values", &[self.rows(), names.len()], values)
            }
            Target::Pair { pairs, together, offsets } => {
                let answers: Vec<u8> = together.iter().map(|&together| u8::from(together)).collect();
                writer.u32("pairs", &[pairs.len(), 2], pairs.as_flattened())?;
                writer.u8("together", &[answers.len()], &answers)?;
                writer.i64("pair_starts", &[offsets.len()], &wide(offsets))
            }
        }
    }

    fn write_ids(&self, writer: &mut Writer<'_>) -> io::Result<()> {
        if self.ids.is_empty() {
            return Ok(());
        }
        let mut end = 0;
        let ends: Vec<i64> = self
            .ids
            .iter()
            .map(|id| {
                end += id.len() as i64;
                end
            })
            .collect();
        writer.u8("id_bytes", &[end as usize], self.ids.concat().as_bytes())?;
        writer.i64("id_ends", &[ends.len()], &ends)
    }
}

/// Copying numbers can fail at both ends.
enum Failure {
    Read(DataError),
    Write(io::Error),
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Failure::Read(error)
    }
}

impl Failure {
    fn into_io(self) -> io::Error {
        match self {
            Failure::Read(error) => io::Error::other(error.to_string()),
            Failure::Write(error) => error,
        }
    }
}

fn wide(offsets: &[usize]) -> Vec<i64> {
    offsets.iter().map(|&offset| offset as i64).collect()
}

pub(in crate::dataset) fn write_columns(
    writer: &mut Writer<'_>,
    what: &str,
    rows: usize,
    columns: &Columns,
) -> io::Result<()> {
    match &columns.numbers {
        Numbers::Dense(_) if columns.width == 0 => {}
        Numbers::Dense(numbers) => writer.f32(&format!("{what}_numbers"), &[rows, columns.width], numbers)?,
        Numbers::OnDisk(numbers) => writer.f32_rows(&format!("{what}_numbers"), &[rows, columns.width], |write| {
            // The file that is read says what is wrong with it.
            numbers.for_each(|_, rows| write(rows).map_err(Failure::Write)).map_err(Failure::into_io)
        })?,
        Numbers::Sparse(csr) => {
            writer.i64(&format!("{what}_sparse_offsets"), &[csr.offsets.len()], &wide(&csr.offsets))?;
            writer.u32(&format!("{what}_sparse_indices"), &[csr.indices.len()], &csr.indices)?;
            writer.f32(&format!("{what}_sparse_values"), &[csr.values.len()], &csr.values)?;
        }
    }
    if columns.sizes.is_empty() {
        return Ok(());
    }
    writer.u16(&format!("{what}_categories"), &[rows, columns.sizes.len()], &columns.categories)
}

/// All arrays of a dataset.
pub(in crate::dataset) fn write_dataset(dataset: &Dataset, writer: &mut Writer<'_>) -> io::Result<()> {
    let metadata = serde_json::to_vec(&dataset.metadata())?;
    writer.u8("metadata", &[metadata.len()], &metadata)?;
    dataset.write_graphs(writer)?;
    write_columns(writer, "node", dataset.graphs.union().nodes(), &dataset.nodes)?;
    write_columns(writer, "edge", dataset.graphs.union().entries(), &dataset.edges)?;
    dataset.write_target(writer)?;
    let Split { train, valid, test } = &dataset.split;
    for (name, rows) in [("train", train), ("valid", valid), ("test", test)] {
        writer.u32(name, &[rows.len()], rows)?;
    }
    if !dataset.weights.is_empty() {
        writer.f32("weights", &[dataset.weights.len()], &dataset.weights)?;
    }
    dataset.write_ids(writer)
}
