//! Target cells that are lists: several answers or numbers in one column.

use super::cells::{TargetCells, is_missing_target};
use super::{TargetColumns, TargetKind, answer, value_of};
use crate::error::DataError;
use crate::error::setting::Setting;
use crate::text::{counted, quoted};

/// The longest list that a cell may hold.
const LONGEST_LIST: usize = 4096;

/// The lists of a column.
pub(super) struct Lists {
    /// Numbers in each list.
    pub width: usize,
    /// `[rows, width]`, NaN where nothing is known.
    pub values: Vec<f32>,
}

impl TargetColumns<'_> {
    /// What lists hold: answers if all numbers are 0 or 1, unless `task` says; they cannot be classes.
    pub(super) fn list_kind(&self, column: &TargetCells, task: Option<TargetKind>) -> Result<TargetKind, DataError> {
        let binary = || {
            let part = |part: &str| is_missing_target(part) || answer(part).is_some();
            column.values.iter().filter_map(|value| inside(value)).all(|list| list.split(',').map(str::trim).all(part))
        };
        match task {
            Some(TargetKind::Classes) => {
                let value = column.values.iter().position(|value| value.starts_with('[')).unwrap_or(0);
                Err(self.wrong_cell(
                    column,
                    value,
                    format!(
                        "a list is not a class. Pass another {} or {}.",
                        Setting::named("target"),
                        Setting::named("task")
                    ),
                ))
            }
            Some(task) => Ok(task),
            None if binary() => Ok(TargetKind::Labels),
            None => Ok(TargetKind::Numbers),
        }
    }

    /// Lists of equal length: of `width` numbers, or as many as the first has. A missing cell is a list of unknowns.
    pub(super) fn lists(
        &self,
        column: &TargetCells,
        kind: TargetKind,
        width: Option<usize>,
    ) -> Result<Lists, DataError> {
        let first = column.values.iter().position(|value| !is_missing_target(value)).unwrap_or(0);
        let found = || column.values.get(first).and_then(|value| inside(value)).map_or(0, length);
        let width = width.unwrap_or_else(found);
        if width == 0 || width > LONGEST_LIST {
            let reason = format!("a list of {width} numbers; 1 to {LONGEST_LIST} are allowed.");
            return Err(self.wrong_cell(column, first, reason));
        }
        let mut of_value = Vec::with_capacity(column.values.len());
        for value in 0..column.values.len() {
            of_value.push(self.list(column, value, kind, width)?);
        }
        let mut values = vec![f32::NAN; self.rows * width];
        for (row, cell) in values.chunks_exact_mut(width).zip(&column.cells) {
            if let Some(list) = cell.and_then(|value| of_value.get(value as usize)).and_then(Option::as_ref) {
                row.copy_from_slice(list);
            }
        }
        Ok(Lists { width, values })
    }

    fn list(
        &self,
        column: &TargetCells,
        value: usize,
        kind: TargetKind,
        width: usize,
    ) -> Result<Option<Vec<f32>>, DataError> {
        let text = &column.values[value];
        if is_missing_target(text) {
            return Ok(None);
        }
        let wrong = |reason: String| self.wrong_cell(column, value, reason);
        let list = inside(text).ok_or_else(|| wrong(format!("{} is not a list such as [0, 1, 0].", quoted(text))))?;
        if length(list) != width {
            let numbers = counted(length(list) as u64, "number", "numbers");
            return Err(wrong(format!("a list of {numbers}; the lists before have {width}.")));
        }
        let number = |part: &str| {
            value_of(part, kind).ok_or_else(|| {
                wrong(format!("{} in the list is not {}. Correct the cell.", quoted(part), super::wanted(kind)))
            })
        };
        list.split(',').map(str::trim).map(number).collect::<Result<_, _>>().map(Some)
    }
}

fn inside(cell: &str) -> Option<&str> {
    cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
}

fn length(list: &str) -> usize {
    if list.trim().is_empty() { 0 } else { list.split(',').count() }
}
