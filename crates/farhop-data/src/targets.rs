//! Target columns: what kind they are, and their cells as classes, answers or numbers.

use std::collections::HashMap;

use crate::dataset::Target;
use crate::error::DataError;
use crate::labels::{known_classes, sorted_classes};
use crate::place::Cell;
use crate::scan::is_missing_number;
use crate::schema::TargetColumn;
use crate::table::Table;
use crate::target_kind::TargetKind;
use crate::text::{counted, listed, thousands};

/// Whole numbers with more different values than this are not taken for classes.
const MOST_CLASSES: usize = 500;
/// Up to here whole numbers are classes even if some occur only once.
const FEW_CLASSES: usize = 20;

/// The cells of a target column, each different value kept once.
#[derive(Debug, Default)]
pub struct TargetCells {
    /// The column; `None` if the table does not have it.
    pub column: Option<usize>,
    /// The value of each row, as a position in `values`; `None` where the cell is empty.
    pub cells: Vec<Option<u32>>,
    /// The different values in the order of their first row.
    pub values: Vec<String>,
    number_of: HashMap<String, u32>,
}

/// What the values of a target column look like; counts are of rows.
struct Look {
    present: usize,
    numbers: usize,
    once: usize,
    different: usize,
    /// Whether there is a number that is not whole.
    fraction: bool,
    /// Whether every value is 0, 1 or missing.
    binary: bool,
}

impl TargetCells {
    /// No cells yet.
    pub fn of(column: Option<usize>) -> Self {
        TargetCells { column, ..TargetCells::default() }
    }

    /// Takes in the cell of the next row.
    pub fn see(&mut self, cell: &str) {
        let value = match (cell, self.number_of.get(cell)) {
            ("", _) => None,
            (_, Some(&number)) => Some(number),
            _ => {
                let number = self.values.len() as u32;
                self.values.push(cell.to_string());
                self.number_of.insert(cell.to_string(), number);
                Some(number)
            }
        };
        self.cells.push(value);
    }

    fn look(&self) -> Look {
        let mut rows = vec![0usize; self.values.len()];
        for &value in self.cells.iter().flatten() {
            rows[value as usize] += 1;
        }
        let mut look = Look { present: 0, numbers: 0, once: 0, different: 0, fraction: false, binary: true };
        for (value, rows) in self.values.iter().zip(rows) {
            if is_missing_number(value) {
                continue;
            }
            look.present += rows;
            look.different += 1;
            look.once += usize::from(rows == 1);
            let number = value.parse::<f64>().ok();
            look.numbers += if number.is_some() { rows } else { 0 };
            look.fraction |= number.is_some_and(|number| number.is_finite() && number.fract() != 0.0);
            look.binary &= number == Some(0.0) || number == Some(1.0);
        }
        look
    }

    /// The place of the first cell that has a value.
    fn cell(&self, table: &Table, value: usize) -> Box<Cell> {
        let row = self.cells.iter().position(|cell| *cell == Some(value as u32));
        let place = table.place_of_row(row.unwrap_or(0));
        let column = self.column.and_then(|column| table.header().get(column)).cloned().unwrap_or_default();
        Box::new(Cell { file: place.file, line: place.line, column, value: self.values[value].clone() })
    }
}

/// Decides what the target columns hold, if the user did not say; what was decided becomes a note unless it is plain.
///
/// One column: numbers if most of its cells are numbers and one of them is not whole, or if they are whole but more
/// than make sense as classes; otherwise classes. Several columns: answers if all are 0, 1 or empty, otherwise numbers.
pub fn infer_kind(table: &Table, columns: &[TargetCells], notes: &mut Vec<String>) -> Result<TargetKind, DataError> {
    let names = || columns.iter().filter_map(|c| table.header().get(c.column?)).map(String::as_str).collect::<Vec<_>>();
    let mut note = |text: String| notes.push(format!("target {} {text}", listed(names().into_iter())));
    if let [column] = columns {
        let look = column.look();
        let different = thousands(look.different as u64);
        if look.numbers * 2 <= look.present {
            return Ok(TargetKind::Classes);
        }
        if look.fraction {
            note(
                "has numbers that are not whole: read as numbers. Pass --task classes if they are classes.".to_string(),
            );
            return Ok(TargetKind::Numbers);
        }
        let whole = look.numbers == look.present;
        let nearly_unique = look.present >= 20 && look.different * 2 > look.present;
        let rare = look.different > FEW_CLASSES && look.once > 0;
        if whole && (nearly_unique || rare || look.different > MOST_CLASSES) {
            note(format!(
                "has {different} different whole numbers: read as numbers. Pass --task classes if they are classes."
            ));
            return Ok(TargetKind::Numbers);
        }
        if look.different > FEW_CLASSES {
            note(format!(
                "has {different} different values: read as classes. Pass --task numbers if they are numbers."
            ));
        }
        return Ok(TargetKind::Classes);
    }
    let looks: Vec<Look> = columns.iter().map(TargetCells::look).collect();
    if looks.iter().all(|look| look.binary) {
        note("are 0, 1 or empty: read as labels. Pass --task numbers if they are numbers.".to_string());
        return Ok(TargetKind::Labels);
    }
    if let Some(text) = looks.iter().position(|look| look.numbers * 2 <= look.present && look.present > 0) {
        let column = columns[text].column.map_or(String::new(), |column| table.header()[column].clone());
        let reason =
            "holds text. Of several targets each is 0, 1 or empty, or a number; classes need a --target alone.";
        return Err(DataError::Target { file: table.name().to_string(), column, reason: reason.to_string() });
    }
    note("hold numbers: read as numbers.".to_string());
    Ok(TargetKind::Numbers)
}

/// The target of training, and the columns as the schema keeps them. No columns: a target of no classes.
pub fn learn(
    table: &Table,
    kind: TargetKind,
    columns: &[TargetCells],
    rows: usize,
) -> Result<(Target, Option<TargetColumn>), DataError> {
    let names: Vec<String> = columns.iter().filter_map(|c| table.header().get(c.column?).cloned()).collect();
    let Some((name, others)) = names.split_first() else {
        return Ok((Target::Class { labels: vec![None; rows], classes: Vec::new() }, None));
    };
    let mut kept = TargetColumn { name: name.clone(), others: others.to_vec(), kind, classes: Vec::new() };
    let target = match (kind, columns) {
        (TargetKind::Classes, [only]) => {
            let (labels, classes) = sorted_classes(&only.cells, &only.values);
            kept.classes = classes.clone();
            Target::Class { labels, classes }
        }
        (TargetKind::Classes, _) => {
            let reason = format!(
                "is one of {}, but there can be classes of one column only. Pass one --target, or --task labels or numbers.",
                counted(columns.len() as u64, "target", "targets")
            );
            return Err(DataError::Target { file: table.name().to_string(), column: name.clone(), reason });
        }
        (TargetKind::Labels, _) => Target::Binary { values: numbers(table, columns, kind, rows)?, names },
        (TargetKind::Numbers, _) => Target::Number { values: numbers(table, columns, kind, rows)?, names },
    };
    Ok((target, Some(kept)))
}

/// The target of new tables, as the schema reads it; the second result counts rows of a class that training never saw.
/// Columns that the table does not have are unknown everywhere.
pub fn apply(
    table: &Table,
    schema: Option<&TargetColumn>,
    columns: &[TargetCells],
    rows: usize,
) -> Result<(Target, u64), DataError> {
    let Some(schema) = schema else {
        return Ok((Target::Class { labels: vec![None; rows], classes: Vec::new() }, 0));
    };
    let names: Vec<String> = schema.names().map(str::to_string).collect();
    Ok(match (schema.kind, columns) {
        (TargetKind::Classes, [only, ..]) => {
            let (labels, unknown) = known_classes(&only.cells, &only.values, &schema.classes);
            (Target::Class { labels, classes: schema.classes.clone() }, unknown)
        }
        (TargetKind::Classes, []) => (Target::Class { labels: vec![None; rows], classes: schema.classes.clone() }, 0),
        (TargetKind::Labels, _) => (Target::Binary { values: numbers(table, columns, schema.kind, rows)?, names }, 0),
        (TargetKind::Numbers, _) => (Target::Number { values: numbers(table, columns, schema.kind, rows)?, names }, 0),
    })
}

/// `[rows, columns]`, NaN where the cell is missing; the first cell that cannot be a number is an error.
fn numbers(table: &Table, columns: &[TargetCells], kind: TargetKind, rows: usize) -> Result<Vec<f32>, DataError> {
    let mut values = vec![f32::NAN; rows * columns.len()];
    for (place, column) in columns.iter().enumerate() {
        let mut of_value = Vec::with_capacity(column.values.len());
        for (value, text) in column.values.iter().enumerate() {
            let number = match text.parse::<f64>() {
                _ if is_missing_number(text) => Some(f32::NAN),
                Ok(number) if kind == TargetKind::Labels => (number == 0.0 || number == 1.0).then_some(number as f32),
                Ok(number) => Some(number as f32).filter(|number| number.is_finite()),
                Err(_) => None,
            };
            of_value.push(number.ok_or_else(|| DataError::TargetCell {
                cell: column.cell(table, value),
                wanted: if kind == TargetKind::Labels { "0, 1 or empty" } else { "a finite 32-bit number" },
                kind: kind.name(),
            })?);
        }
        if column.column.is_some() && of_value.iter().all(|value| value.is_nan()) {
            let name = column.column.and_then(|column| table.header().get(column)).map_or("", String::as_str);
            return Err(DataError::Target {
                file: table.name().to_string(),
                column: name.to_string(),
                reason: "has no value in any row. Pass another --target.".to_string(),
            });
        }
        for (row, cell) in column.cells.iter().enumerate() {
            if let Some(value) = cell {
                values[row * columns.len() + place] = of_value[*value as usize];
            }
        }
    }
    Ok(values)
}

/// A class per known row for splits: its own, or 0 if the target has none.
pub fn strata(target: &Target, rows: usize) -> Vec<Option<u32>> {
    match target {
        Target::Class { labels, .. } => labels.clone(),
        other => (0..rows).map(|row| other.is_known(row).then_some(0)).collect(),
    }
}
