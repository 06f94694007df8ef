//! The peptides of the Long Range Graph Benchmark: SMILES in a table, the split in a pickle.

use std::path::Path;

use super::entry::Entry;
use super::folders::Located;
use super::molecules::parse_all;
use super::unsplit_dataset::{Splits, UnsplitDataset, bytes_of};
use crate::dataset::Target;
use crate::dataset::split::Split;
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::pickle;
use crate::formats::table::Table;
use crate::molecules::joined;

/// What Peptides-func asks, in the order of its labels.
const FUNCTIONS: [&str; 10] = [
    "antifungal",
    "cell-cell communication",
    "anticancer",
    "drug delivery vehicle",
    "antimicrobial",
    "antiviral",
    "antihypertensive",
    "antibacterial",
    "antiparasitic",
    "toxic",
];

/// What Peptides-struct asks: columns of its table.
const SHAPES: [&str; 11] = [
    "Inertia_mass_a",
    "Inertia_mass_b",
    "Inertia_mass_c",
    "Inertia_valence_a",
    "Inertia_valence_b",
    "Inertia_valence_c",
    "length_a",
    "length_b",
    "length_c",
    "Spherocity",
    "Plane_best_fit",
];

/// Peptides-func: a list of ten answers, such as `[0, 1, ...]`, in the column `labels`.
pub(super) fn read_func(entry: &Entry, files: &Located) -> Result<UnsplitDataset, DataError> {
    let target = |values| Target::Binary { values, names: FUNCTIONS.map(String::from).to_vec() };
    read(entry, files, &["labels"], target, |values, cells| {
        let text = cells[0].trim().trim_start_matches('[').trim_end_matches(']');
        let before = values.len();
        for answer in text.split(',') {
            match answer.trim() {
                "0" => values.push(0.0),
                "1" => values.push(1.0),
                other => return Err(format!("answer \"{other}\" is neither 0 nor 1.")),
            }
        }
        match values.len() - before {
            10 => Ok(()),
            found => Err(format!("{found} answers where ten are needed.")),
        }
    })
}

/// Peptides-struct: a column of numbers for each of the eleven shapes.
pub(super) fn read_struct(entry: &Entry, files: &Located) -> Result<UnsplitDataset, DataError> {
    let target = |values| Target::Number { values, names: SHAPES.map(String::from).to_vec() };
    read(entry, files, &SHAPES, target, |values, cells| {
        for cell in cells {
            let number = cell.trim().parse::<f32>().ok().filter(|number| number.is_finite());
            values.push(number.ok_or_else(|| format!("\"{cell}\" is not a finite number."))?);
        }
        Ok(())
    })
}

/// Reads both files; `value` turns the cells of the `columns` of a row into targets.
fn read(
    entry: &Entry,
    files: &Located,
    columns: &[&str],
    target: impl FnOnce(Vec<f32>) -> Target,
    value: impl Fn(&mut Vec<f32>, &[&str]) -> Result<(), String>,
) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let table = Table::open(files.path(entry.files[0].names[0])?, "smiles,labels")?;
    sources.push(table.source().clone());
    let smiles_column = table.require("smiles", "the SMILES")?;
    let columns: Vec<usize> = columns.iter().map(|name| table.require(name, "a target")).collect::<Result<_, _>>()?;
    let (mut smiles, mut values) = (Vec::new(), Vec::new());
    let mut rows = table.rows();
    while let Some(row) = rows.next_row()? {
        smiles.push(row.cell(smiles_column).to_string());
        let cells: Vec<&str> = columns.iter().map(|&column| row.cell(column)).collect();
        value(&mut values, &cells).map_err(|reason| DataError::Line { place: row.place(), reason })?;
    }
    let molecules = parse_all(&smiles, |row| table.place_of_row(row))?;
    let (graphs, nodes, edges) = joined(table.name(), &molecules)?;
    let split = read_split(files.path(entry.files[1].names[0])?, molecules.len(), &mut sources)?;
    let splits = Splits { standard: Some(split), ..Splits::default() };
    let (ids, notes) = (Vec::new(), Vec::new());
    Ok(UnsplitDataset { graphs, nodes, edges, target: target(values), splits, ids, notes, sources })
}

/// A dictionary of `train`, `val` and `test`, arrays of row numbers.
fn read_split(path: &Path, rows: usize, sources: &mut Vec<SourceFile>) -> Result<Split, DataError> {
    let value = pickle::from_bytes(&path.display().to_string(), bytes_of(path, sources)?)?;
    let part = |name: &str| value.get(name)?.ids(rows);
    Ok(Split::from_lists(rows, part("train")?, part("val")?, part("test")?)?)
}
