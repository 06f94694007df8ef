//! Target columns: what kind they are, and their cells as classes, answers or numbers. Tables of nodes, of graphs and of
//! molecules follow the same rule.

mod answers;
mod cells;
mod infer;
mod kind;
mod lists;

pub(crate) use answers::answer;
pub use cells::TargetCells;
use cells::is_missing_target;
pub use kind::TargetKind;

use crate::dataset::labels::{known_classes, sorted_classes};
use crate::dataset::{Level, Target};
use crate::error::DataError;
use crate::error::place::{Cell, Place};
use crate::error::problems::Problems;
use crate::error::setting::Setting;
use crate::tables::schema::TargetColumn;
use crate::text::counted;

/// The target columns of a table.
pub(crate) struct TargetColumns<'a> {
    /// The name of the table.
    pub file: &'a str,
    /// The columns; those that the table does not have are unknown everywhere.
    pub columns: &'a [TargetCells],
    /// How many rows the target gets; those behind the last cell are unknown.
    pub rows: usize,
    /// Where a row of the cells stands.
    pub place: &'a dyn Fn(usize) -> Place,
}

impl TargetColumns<'_> {
    /// The target of training, and the columns as the schema keeps them. `task` goes before what the cells look like. No
    /// columns: a target of no classes.
    pub fn learn(
        &self,
        task: Option<TargetKind>,
        level: Level,
        notes: &mut Vec<String>,
    ) -> Result<(Target, Option<TargetColumn>), DataError> {
        let Some((first, others)) = self.columns.split_first() else {
            return Ok((Target::none(self.rows), None));
        };
        let listed = others.is_empty() && first.has_lists();
        let kind = match task {
            _ if listed => self.list_kind(first, task)?,
            Some(kind) => kind,
            None => self.infer(level, notes)?,
        };
        let mut kept = TargetColumn {
            name: first.name.clone(),
            others: others.iter().map(|column| column.name.clone()).collect(),
            kind,
            classes: Vec::new(),
            list: None,
        };
        if listed {
            let lists = self.lists(first, kind, None)?;
            kept.list = Some(lists.width);
            return Ok((kept.target_of(lists.values), Some(kept)));
        }
        if kind != TargetKind::Classes {
            let values = self.numbers(kind)?;
            self.check_numbers(&values)?;
            return Ok((kept.target_of(values), Some(kept)));
        }
        if !others.is_empty() {
            let reason = format!(
                "is one of {}, but there can be classes of one column only. Pass one {}, or {} or {}.",
                counted(self.columns.len() as u64, "target", "targets"),
                Setting::named("target"),
                Setting::to("task", "labels"),
                Setting::to("task", "numbers")
            );
            return Err(self.wrong(&first.name, reason));
        }
        let (mut labels, classes) = sorted_classes(&first.cells, &first.values);
        labels.resize(self.rows, None);
        self.check_classes(&first.name, &labels, classes.len())?;
        kept.classes.clone_from(&classes);
        Ok((Target::Class { labels, classes }, Some(kept)))
    }

    /// The target of new tables, as the schema reads it; the second result counts rows of a class that training never
    /// saw.
    pub fn apply(&self, schema: Option<&TargetColumn>) -> Result<(Target, u64), DataError> {
        let Some(schema) = schema else {
            return Ok((Target::none(self.rows), 0));
        };
        match (schema.kind, schema.list, self.columns) {
            (TargetKind::Classes, _, columns) => {
                let (mut labels, unknown) = match columns {
                    [] => (Vec::new(), 0),
                    [first, ..] => known_classes(&first.cells, &first.values, &schema.classes),
                };
                labels.resize(self.rows, None);
                Ok((Target::Class { labels, classes: schema.classes.clone() }, unknown))
            }
            (kind, Some(width), [first, ..]) => Ok((schema.target_of(self.lists(first, kind, Some(width))?.values), 0)),
            (kind, ..) => Ok((schema.target_of(self.numbers(kind)?), 0)),
        }
    }

    /// `[rows, columns]`, NaN where the cell is missing; cells that cannot be numbers are problems.
    fn numbers(&self, kind: TargetKind) -> Result<Vec<f32>, DataError> {
        let width = self.columns.len();
        let mut values = vec![f32::NAN; self.rows * width];
        let mut problems = Problems::default();
        for (place, column) in self.columns.iter().enumerate() {
            let of_value: Vec<Option<f32>> = column.values.iter().map(|text| value_of(text, kind)).collect();
            let wrong = || (0..of_value.len()).filter(|&value| of_value[value].is_none());
            // Where most are wrong the column is of another kind, which is one problem.
            let told = if wrong().count() * 2 > of_value.len() { 1 } else { usize::MAX };
            for value in wrong().take(told) {
                problems.add(|| {
                    let (cell, wanted) = (self.cell(column, value), wanted(kind));
                    DataError::TargetCell { cell, wanted, kind: kind.name() }
                });
            }
            for (row, cell) in column.cells.iter().enumerate() {
                if let Some(value) = cell {
                    values[row * width + place] = of_value[*value as usize].unwrap_or(f32::NAN);
                }
            }
        }
        problems.into_result()?;
        Ok(values)
    }

    /// There is something to learn in every column.
    fn check_numbers(&self, values: &[f32]) -> Result<(), DataError> {
        let width = self.columns.len();
        for (place, column) in self.columns.iter().enumerate() {
            if values.iter().skip(place).step_by(width).all(|value| value.is_nan()) {
                let reason = format!("has no value in any row. Pass another {}.", Setting::named("target"));
                return Err(self.wrong(&column.name, reason));
            }
        }
        Ok(())
    }

    /// Classes are at least two, and not nearly as many as rows.
    fn check_classes(&self, column: &str, labels: &[Option<u32>], classes: usize) -> Result<(), DataError> {
        let (file, column) = (self.file.to_string(), column.to_string());
        if classes < 2 {
            return Err(DataError::TooFewClasses { file, column, classes });
        }
        let labelled = labels.iter().flatten().count();
        if labelled >= 20 && classes * 2 > labelled {
            return Err(DataError::TooManyClasses { file, column, classes, labelled });
        }
        Ok(())
    }

    fn cell(&self, column: &TargetCells, value: usize) -> Box<Cell> {
        let Place { file, line } = (self.place)(column.first_row(value));
        let text = column.values.get(value).cloned().unwrap_or_default();
        Box::new(Cell { file, line, column: column.name.clone(), value: text })
    }

    fn wrong(&self, column: &str, reason: String) -> DataError {
        DataError::Target { file: self.file.to_string(), column: column.to_string(), reason }
    }

    fn wrong_cell(&self, column: &TargetCells, value: usize, reason: String) -> DataError {
        DataError::Cell { cell: self.cell(column, value), reason }
    }
}

/// The number that a cell holds, an answer as 0 or 1; NaN where it is missing, `None` where it can be neither.
fn value_of(text: &str, kind: TargetKind) -> Option<f32> {
    if is_missing_target(text) {
        return Some(f32::NAN);
    }
    match kind {
        TargetKind::Labels => answer(text).map(|yes| f32::from(u8::from(yes))),
        TargetKind::Numbers | TargetKind::Classes => {
            text.parse::<f64>().ok().map(|number| number as f32).filter(|number| number.is_finite())
        }
    }
}

fn wanted(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Labels => "0, 1 (or no, yes; false, true) or empty",
        TargetKind::Numbers | TargetKind::Classes => "a finite 32-bit number",
    }
}
