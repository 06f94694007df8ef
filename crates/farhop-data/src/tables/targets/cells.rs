//! The cells of a target column.

use std::collections::HashMap;

use super::answer;
use crate::tables::scan::is_missing_number;

/// The cells of a target column, each different value kept once.
#[derive(Debug, Default)]
pub struct TargetCells {
    /// The name of the column.
    pub name: String,
    /// Its place in the table; `None` if the table does not have it.
    pub column: Option<usize>,
    /// The value of each row, as a position in `values`; `None` where the cell is empty.
    pub cells: Vec<Option<u32>>,
    /// The different values in the order of their first row.
    pub values: Vec<String>,
    number_of: HashMap<String, u32>,
}

/// What the values of a target column look like; counts are of rows.
pub(super) struct Look {
    pub present: usize,
    pub numbers: usize,
    /// Values that only one row has.
    pub once: usize,
    /// Different values.
    pub different: usize,
    /// Whether there is a number that is not whole, or not finite.
    pub fraction: bool,
    /// Whether every value is an answer, such as 0 or yes, or missing.
    pub binary: bool,
}

impl TargetCells {
    /// No cells yet.
    pub fn of(name: &str, column: Option<usize>) -> Self {
        TargetCells { name: name.to_string(), column, ..TargetCells::default() }
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

    /// The first row that has a value, by its position in `values`.
    pub(super) fn first_row(&self, value: usize) -> usize {
        self.cells.iter().position(|cell| *cell == Some(value as u32)).unwrap_or(0)
    }

    /// Whether a cell is a list such as `[0, 1]`.
    pub(super) fn has_lists(&self) -> bool {
        self.values.iter().any(|value| value.starts_with('['))
    }

    pub(super) fn look(&self) -> Look {
        let mut rows = vec![0usize; self.values.len()];
        for &value in self.cells.iter().flatten() {
            rows[value as usize] += 1;
        }
        let mut look = Look { present: 0, numbers: 0, once: 0, different: 0, fraction: false, binary: true };
        for (value, rows) in self.values.iter().zip(rows) {
            if is_missing_target(value) {
                continue;
            }
            look.present += rows;
            look.different += 1;
            look.once += usize::from(rows == 1);
            let number = value.parse::<f64>().ok();
            look.numbers += if number.is_some() { rows } else { 0 };
            look.fraction |= number.is_some_and(|number| number.fract() != 0.0);
            look.binary &= answer(value).is_some();
        }
        look
    }
}

/// Whether a cell of a target of numbers or answers says that nothing is known.
pub(super) fn is_missing_target(cell: &str) -> bool {
    is_missing_number(cell) || cell.eq_ignore_ascii_case("nan")
}
