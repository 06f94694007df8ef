//! Columns of an edges table as features of the entries.

use std::collections::BTreeMap;

use farhop_graph::Built;

use crate::categories::MOST_CATEGORIES;
use crate::dataset::Columns;
use crate::entry_rows::spread;
use crate::error::DataError;
use crate::scan::is_missing_number;
use crate::table::Table;
use crate::text::{counted, quoted};

/// The features of the entries from these columns: numbers where every cell is one, else categories. A missing number is 0,
/// a missing category is a category of its own. Columns without any value are left out with a note.
pub(super) fn read(
    table: &Table,
    columns: &[usize],
    built: &Built,
    notes: &mut Vec<String>,
) -> Result<Columns, DataError> {
    let mut numbers: Vec<Vec<f32>> = Vec::new();
    let mut categories: Vec<(u32, Vec<u16>)> = Vec::new();
    for &column in columns {
        let name = quoted(&table.header()[column]);
        let mut cells = Vec::new();
        let mut walk = table.rows();
        while let Some(row) = walk.next_row()? {
            cells.push(row.cell(column).to_string());
        }
        let missing = cells.iter().filter(|cell| is_missing_number(cell)).count();
        if missing == cells.len() {
            notes.push(format!("column {name} of {} has no value; left out", table.name()));
        } else if let Some(values) = as_numbers(&cells) {
            if missing > 0 {
                let cells = counted(missing as u64, "missing cell", "missing cells");
                notes.push(format!("column {name} of {}: {cells} filled with 0", table.name()));
            }
            numbers.push(values);
        } else {
            categories.push(as_categories(table, &name, &cells)?);
        }
    }
    let rows = built.report.rows;
    let width = numbers.len();
    let by_row = |row: usize| numbers.iter().map(move |column| column[row]);
    let flat: Vec<f32> = (0..rows).flat_map(by_row).collect();
    let flat_categories: Vec<u16> =
        (0..rows).flat_map(|row| categories.iter().map(move |(_, column)| column[row])).collect();
    let sizes: Vec<u32> = categories.iter().map(|(size, _)| *size).collect();
    let dense = spread(built, width, &flat, 0.0);
    let chosen = spread(built, sizes.len(), &flat_categories, 0);
    let conflicts = dense.conflicts.max(chosen.conflicts);
    if conflicts > 0 {
        let lines = counted(conflicts as u64, "row repeats", "rows repeat");
        notes.push(format!("{}: {lines} an edge with other values; the first one counts", table.name()));
    }
    let mut features = Columns::dense(width, dense.values);
    (features.sizes, features.categories) = (sizes, chosen.values);
    Ok(features)
}

fn as_numbers(cells: &[String]) -> Option<Vec<f32>> {
    let number = |cell: &String| match cell.parse::<f32>() {
        Ok(number) => number.is_finite().then_some(number),
        Err(_) => is_missing_number(cell).then_some(0.0),
    };
    cells.iter().map(number).collect()
}

fn as_categories(table: &Table, name: &str, cells: &[String]) -> Result<(u32, Vec<u16>), DataError> {
    let mut number_of: BTreeMap<&str, u16> = cells.iter().map(|cell| (cell.as_str(), 0)).collect();
    if number_of.len() > MOST_CATEGORIES {
        return Err(DataError::TooMany {
            file: table.name().to_string(),
            what: format!("column {name} has more than 65,536 categories"),
            remedy: "Leave it out.",
        });
    }
    for (position, number) in number_of.values_mut().enumerate() {
        *number = position as u16;
    }
    Ok((number_of.len() as u32, cells.iter().map(|cell| number_of.get(cell.as_str()).copied().unwrap_or(0)).collect()))
}
