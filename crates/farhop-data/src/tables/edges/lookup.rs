//! Which node the end of an edge names.

use std::collections::HashMap;

use super::{Columns, EXAMPLE, KnownIds, NodeIds};
use crate::error::DataError;
use crate::error::problems::Problems;
use crate::formats::table::{Row, Table};
use crate::tables::scan::MOST_NODES;
use crate::text::{counted, listed};

/// Ids to node numbers.
pub(super) struct Lookup<'a> {
    ids: NodeIds<'a>,
    number_of: HashMap<&'a str, u32>,
    number_of_added: HashMap<String, u32>,
    /// Ids that became nodes.
    pub added: Vec<String>,
}

impl<'a> Lookup<'a> {
    pub fn new(ids: NodeIds<'a>) -> Self {
        let number_of = match ids {
            NodeIds::Table { ids, .. } | NodeIds::Joined { ids, .. } => {
                let numbered = ids.iter().enumerate();
                numbered.map(|(n, id)| (id.as_str(), n as u32)).collect()
            }
            NodeIds::Rows { .. } => HashMap::new(),
        };
        Lookup { ids, number_of, number_of_added: HashMap::new(), added: Vec::new() }
    }

    pub fn nodes(&self) -> usize {
        match self.ids {
            NodeIds::Rows { count, .. } => count,
            other => other.count() + self.added.len(),
        }
    }

    pub fn find(&mut self, row: &Row<'_>, column: usize, end: &'static str, problems: &mut Problems) -> Option<u32> {
        let id = row.cell(column);
        match self.ids {
            NodeIds::Rows { count, file } => {
                let number = id.parse::<u32>().ok().filter(|number| (*number as usize) < count);
                if number.is_none() {
                    problems.add(|| DataError::UnknownRow {
                        place: row.place(),
                        end,
                        id: id.to_string(),
                        features_file: file.to_string(),
                        last: count.saturating_sub(1),
                    });
                }
                number
            }
            _ if id.is_empty() => {
                problems.add(|| DataError::EmptyId { place: row.place(), column: end.to_string() });
                None
            }
            NodeIds::Table { ids, file, add_missing } => {
                let found = self.find_id(id, None, add_missing);
                if found.is_none() {
                    problems.add(|| unknown(row, end, id, (ids.len(), file), None));
                }
                found
            }
            NodeIds::Joined { ids, file, known, add_missing } => {
                let found = self.find_id(id, Some(known), add_missing);
                if found.is_none() {
                    problems.add(|| unknown(row, end, id, (ids.len(), file), Some(known)));
                }
                found
            }
        }
    }

    /// The number of a node; one that may be added is.
    fn find_id(&mut self, id: &str, known: Option<&KnownIds<'_>>, add_missing: bool) -> Option<u32> {
        let found = self.number_of.get(id).or_else(|| self.number_of_added.get(id)).copied();
        let is_known = known.is_some_and(|known| known.ids.contains(id));
        if found.is_some() || !(is_known || add_missing) || self.nodes() >= MOST_NODES {
            return found;
        }
        let number = self.nodes() as u32;
        self.number_of_added.insert(id.to_string(), number);
        self.added.push(id.to_string());
        Some(number)
    }

    /// A table without a header would silently lose its first edge.
    pub fn refuse_data_as_header(&self, table: &Table, columns: &Columns) -> Result<(), DataError> {
        let ends = [columns.source, columns.target].map(|column| table.header()[column].as_str());
        let known = |end: &&str| match self.ids {
            NodeIds::Joined { known, .. } => known.ids.contains(*end),
            NodeIds::Table { .. } | NodeIds::Rows { .. } => false,
        };
        if ends.iter().all(|end| self.number_of.contains_key(end) || known(end)) {
            return Err(DataError::NoHeader {
                file: table.name().to_string(),
                row: listed(ends.into_iter()),
                example: EXAMPLE,
            });
        }
        Ok(())
    }
}

/// An edge names a node that is nowhere: neither among the `nodes` of its file nor among those that are known from before.
fn unknown(
    row: &Row<'_>,
    end: &'static str,
    id: &str,
    (nodes, file): (usize, &str),
    known: Option<&KnownIds<'_>>,
) -> DataError {
    let (place, id, nodes_file) = (row.place(), id.to_string(), file.to_string());
    let Some(known) = known else {
        return DataError::UnknownId { place, end, id, nodes_file, nodes };
    };
    let ids = |count: usize| counted(count as u64, "id", "ids");
    let (new, old) = (ids(nodes), ids(known.ids.len()));
    let neither = format!("neither in {nodes_file} ({new}) nor in {} of training ({old})", known.file);
    DataError::UnknownNewId { place, end, id, neither }
}
