//! The first walk over a nodes table: ids, labels, split, and what the feature columns look like.

use std::collections::{HashMap, HashSet};

use crate::dataset::split::Part;
use crate::error::DataError;
use crate::error::place::Place;
use crate::error::problems::Problems;
use crate::formats::table::{Row, Table};
use crate::tables::dates;
use crate::tables::roles::Roles;
use crate::tables::targets::{TargetCells, TargetColumns};

/// The most nodes there may be: ids are 32-bit and the last one is kept free.
pub const MOST_NODES: usize = u32::MAX as usize - 1;

/// What the first walk found.
#[derive(Debug)]
pub struct Scan {
    /// The id of each row.
    pub ids: Vec<String>,
    /// Ids of rows that are not whole, a problem each: edges may name them all the same.
    pub broken_ids: Vec<String>,
    /// The cells of the target columns.
    pub targets: Vec<TargetCells>,
    /// The part of the split of each row; empty without a split column.
    pub parts: Vec<Option<Part>>,
    /// What each feature column looks like.
    pub columns: Vec<ColumnLook>,
}

/// What the cells of a column look like.
#[derive(Debug, Default)]
pub struct ColumnLook {
    /// Cells that are numbers (also those that are not finite).
    pub numbers: usize,
    /// Cells that are missing, if the column is one of numbers.
    pub missing_numbers: usize,
    /// Cells that are numbers but not finite in 32 bits.
    pub not_finite: usize,
    /// Cells that are dates.
    pub dates: usize,
    /// Cells that are empty.
    pub empty: usize,
    /// The different values, until there are more than `most`.
    pub values: HashSet<String>,
    /// Whether there are more different values than `most`.
    pub many: bool,
}

/// Whether a cell of a column of numbers counts as missing.
pub fn is_missing_number(cell: &str) -> bool {
    matches!(cell, "" | "NA" | "N/A" | "null" | "NULL" | "None")
}

impl ColumnLook {
    /// Takes in one more cell; up to `most` different values are kept.
    pub fn see(&mut self, cell: &str, most: usize) {
        if is_missing_number(cell) {
            self.missing_numbers += 1;
        } else if let Ok(number) = cell.parse::<f64>() {
            self.numbers += 1;
            self.not_finite += usize::from(!(number as f32).is_finite());
        } else {
            self.dates += usize::from(dates::days(cell).is_some());
        }
        if cell.is_empty() {
            self.empty += 1;
        } else if !self.many && !self.values.contains(cell) {
            self.values.insert(cell.to_string());
            self.many = self.values.len() > most;
        }
    }
}

impl Scan {
    /// Walks the table. With `most_categories`, feature columns are looked at, and up to that
    /// many different values of each are kept. What is wrong with rows is added to the problems.
    pub(crate) fn of(
        table: &Table,
        roles: &Roles,
        most_categories: Option<usize>,
        problems: &mut Problems,
    ) -> Result<Scan, DataError> {
        let scan = Scan::with_any_ids(table, roles, most_categories, problems)?;
        scan.check_ids(table, problems);
        Ok(scan)
    }

    /// As [`Scan::of`], but ids may repeat.
    pub(crate) fn with_any_ids(
        table: &Table,
        roles: &Roles,
        most_categories: Option<usize>,
        problems: &mut Problems,
    ) -> Result<Scan, DataError> {
        let name = |column: Option<usize>| column.and_then(|column| table.header().get(column)).map_or("", |name| name);
        let mut scan = Scan {
            ids: Vec::new(),
            broken_ids: Vec::new(),
            targets: roles.targets.iter().map(|&column| TargetCells::of(name(column), column)).collect(),
            parts: Vec::new(),
            columns: Vec::new(),
        };
        scan.columns.resize_with(roles.features.len(), ColumnLook::default);
        let mut rows = table.rows();
        let broken_ids = &mut scan.broken_ids;
        while let Some(row) =
            rows.next_showing(problems, |broken| broken_ids.push(broken.cell(roles.id).to_string()))?
        {
            let id = row.cell(roles.id);
            if id.is_empty() {
                problems.add(|| DataError::EmptyId { place: row.place(), column: table.header()[roles.id].clone() });
            }
            scan.ids.push(id.to_string());
            for cells in &mut scan.targets {
                cells.see(cells.column.map_or("", |column| row.cell(column)));
            }
            if let Some(column) = roles.split {
                scan.parts.push(problems.hear(part_of(&row, column)).flatten());
            }
            if let Some(most) = most_categories {
                for (look, &column) in scan.columns.iter_mut().zip(&roles.features) {
                    look.see(row.cell(column), most);
                }
            }
        }
        if scan.ids.is_empty() && problems.is_empty() {
            return Err(DataError::NoRows { file: table.name().to_string() });
        }
        if scan.ids.len() > MOST_NODES {
            return Err(DataError::TooMany {
                file: table.name().to_string(),
                what: format!("{} rows", scan.ids.len()),
                remedy: "At most 4,294,967,294 nodes can be read.".to_string(),
            });
        }
        Ok(scan)
    }

    /// The target columns; `place` says where a row stands.
    pub(crate) fn target_columns<'a>(
        &'a self,
        table: &'a Table,
        place: &'a dyn Fn(usize) -> Place,
    ) -> TargetColumns<'a> {
        TargetColumns { file: table.name(), columns: &self.targets, rows: self.ids.len(), place }
    }

    /// Ids are unique; rows that repeat an id in another part of the split get their own message.
    fn check_ids(&self, table: &Table, problems: &mut Problems) {
        let mut row_of: HashMap<&str, usize> = HashMap::with_capacity(self.ids.len());
        // Empty ids were told before.
        for (row, id) in self.ids.iter().enumerate().filter(|(_, id)| !id.is_empty()) {
            let first = *row_of.entry(id).or_insert(row);
            if first == row {
                continue;
            }
            let part = |row: usize| self.parts.get(row).copied().flatten();
            problems.add(|| {
                let place = table.place_of_row(row);
                let first_line = table.place_of_row(first).line;
                match (part(first), part(row)) {
                    (Some(one), Some(two)) if one != two => DataError::OverlapRows {
                        place,
                        id: id.clone(),
                        first: one.name(),
                        first_line,
                        second: two.name(),
                    },
                    _ => DataError::DuplicateId { place, id: id.clone(), first: first_line },
                }
            });
        }
    }
}

/// The part of the split that a cell names; `None` if it is empty.
pub fn part_of(row: &Row<'_>, column: usize) -> Result<Option<Part>, DataError> {
    let cell = row.cell(column);
    if cell.is_empty() {
        return Ok(None);
    }
    match Part::from_name(cell) {
        Some(part) => Ok(Some(part)),
        None => Err(DataError::SplitValue { cell: row.named_cell(column) }),
    }
}
