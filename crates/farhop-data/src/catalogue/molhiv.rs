//! ogbg-molhiv from MoleculeNet's table and the published lists of rows.

use std::collections::HashSet;

use super::entry::Entry;
use super::folders::Located;
use super::molecules::parse_all_leniently;
use super::unsplit_dataset::{Splits, UnsplitDataset, row_numbers};
use crate::dataset::Target;
use crate::dataset::split::Split;
use crate::error::DataError;
use crate::formats::table::Table;
use crate::formats::text_file::TextFile;
use crate::molecules::joined;

/// Reads the table without the rows that repeat an earlier SMILES; the lists of the split count what is left.
pub(super) fn read(entry: &Entry, files: &Located) -> Result<UnsplitDataset, DataError> {
    let table = Table::open(files.path(entry.files[0].names[0])?, "smiles,activity,HIV_active")?;
    let smiles_column = table.require("smiles", "the SMILES")?;
    let label_column = table.require("HIV_active", "the target")?;
    let (mut seen, mut smiles, mut values, mut kept) = (HashSet::new(), Vec::new(), Vec::new(), Vec::new());
    let mut number = 0;
    let mut rows = table.rows();
    while let Some(row) = rows.next_row()? {
        let text = row.cell(smiles_column);
        if seen.insert(text.to_string()) {
            smiles.push(text.to_string());
            kept.push(number);
            values.push(match row.cell(label_column) {
                "0" => 0.0,
                "1" => 1.0,
                other => {
                    let reason = format!("answer \"{other}\" is neither 0 nor 1.");
                    return Err(DataError::Line { place: row.place(), reason });
                }
            });
        }
        number += 1;
    }
    let molecules = parse_all_leniently(&smiles, |row| table.place_of_row(kept[row]))?;
    let (graphs, nodes, edges) = joined(table.name(), &molecules)?;
    let mut sources = vec![table.source().clone()];
    let mut part = |file: usize| {
        let list = TextFile::open(files.path(entry.files[file].names[0])?)?;
        sources.push(list.source().clone());
        row_numbers(list.name(), &list.integer_column()?)
    };
    let split = Split::from_lists(molecules.len(), part(1)?, part(2)?, part(3)?)?;
    Ok(UnsplitDataset {
        graphs,
        nodes,
        edges,
        target: Target::Binary { values, names: vec!["HIV_active".to_string()] },
        splits: Splits { standard: Some(split), ..Splits::default() },
        ids: kept.iter().map(usize::to_string).collect(),
        notes: Vec::new(),
        sources,
    })
}
