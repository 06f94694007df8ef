//! Targets from the cells of a table: numbers, answers, classes, lists.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::dataset::Target;
use crate::error::DataError;
use crate::labels::{known_classes, sorted_classes};
use crate::place::Cell;
use crate::scan::is_missing_number;
use crate::target_kind::TargetKind;
use crate::text::{counted, quoted};

/// The longest list that a cell may hold.
const LONGEST_LIST: usize = 4096;

/// How the target columns of a table were read; kept, so that new tables are read the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSchema {
    /// What kind of answer it is.
    pub task: TargetKind,
    /// The columns of the table.
    pub columns: Vec<String>,
    /// The names of the outputs: classes, questions or numbers.
    pub names: Vec<String>,
    /// Whether a cell of the only column is a list such as `[0, 1, 0]`.
    pub list: bool,
}

/// The cells of the target columns.
pub(crate) struct TargetCells<'a> {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// `[rows, columns]`.
    pub cells: Vec<String>,
    /// Where a cell (row, column) stands, for messages.
    pub locate: &'a dyn Fn(usize, usize) -> Box<Cell>,
}

impl TargetCells<'_> {
    /// Decides what the target is, unless `task` says. Lists and numbers that are all 0 or 1 are answers; other numbers are
    /// numbers, and `whole` if they are all whole and stand in one column; text is classes. A column most of whose cells
    /// are numbers is one of numbers, so that a slip is found.
    pub fn decide(&self, task: Option<TargetKind>, whole: TargetKind) -> Result<(Target, TargetSchema), DataError> {
        if self.columns.len() == 1 && self.cells.iter().any(|cell| cell.starts_with('[')) {
            return self.decide_list(task);
        }
        let task = match task {
            Some(task) => task,
            None => self.look(whole),
        };
        if task == TargetKind::Classes {
            return self.decide_classes();
        }
        let values = self.numbers(task)?;
        let schema = TargetSchema { task, columns: self.columns.clone(), names: self.columns.clone(), list: false };
        Ok((target_of(&schema, values), schema))
    }

    /// Reads the cells as a schema says. The second result counts classes that training never saw; they become unknown.
    pub fn apply(&self, schema: &TargetSchema) -> Result<(Target, u64), DataError> {
        match schema.task {
            TargetKind::Classes => {
                let (labels, values) = self.texts();
                let (labels, unknown) = known_classes(&labels, &values, &schema.names);
                Ok((Target::Class { labels, classes: schema.names.clone() }, unknown))
            }
            task if schema.list => {
                let (values, _) = self.lists(task, Some(schema.names.len()))?;
                Ok((target_of(schema, values), 0))
            }
            task => Ok((target_of(schema, self.numbers(task)?), 0)),
        }
    }

    fn look(&self, whole: TargetKind) -> TargetKind {
        let (mut numbers, mut texts, mut answers, mut integers) = (0usize, 0usize, true, true);
        for cell in self.cells.iter().filter(|cell| !is_missing_number(cell)) {
            match cell.parse::<f64>() {
                Ok(number) => {
                    numbers += 1;
                    answers &= number == 0.0 || number == 1.0;
                    integers &= number.fract() == 0.0;
                }
                Err(_) => texts += 1,
            }
        }
        match (numbers, texts) {
            _ if texts >= numbers => TargetKind::Classes,
            (_, 0) if answers => TargetKind::Labels,
            (_, 0) if integers && self.columns.len() == 1 => whole,
            _ => TargetKind::Numbers,
        }
    }

    fn numbers(&self, task: TargetKind) -> Result<Vec<f32>, DataError> {
        let width = self.columns.len().max(1);
        let number = |(at, cell): (usize, &String)| {
            if is_missing_number(cell) || cell.eq_ignore_ascii_case("nan") {
                return Ok(f32::NAN);
            }
            match cell.parse::<f64>() {
                Ok(number) if fits(number, task) => Ok(number as f32),
                _ => Err(self.wrong(at / width, at % width, &refusal(cell, task))),
            }
        };
        self.cells.iter().enumerate().map(number).collect()
    }

    fn decide_list(&self, task: Option<TargetKind>) -> Result<(Target, TargetSchema), DataError> {
        let (values, width) = self.lists(task.unwrap_or(TargetKind::Numbers), None)?;
        let answers = values.iter().all(|value| value.is_nan() || *value == 0.0 || *value == 1.0);
        let task = match task {
            Some(TargetKind::Classes) => {
                let row = self.cells.iter().position(|cell| cell.starts_with('[')).unwrap_or(0);
                return Err(self.wrong(row, 0, "a list is not a class. Pass another column, or another task."));
            }
            Some(task) => task,
            None if answers => TargetKind::Labels,
            None => TargetKind::Numbers,
        };
        let names = (0..width).map(|place| format!("{} {place}", self.columns[0])).collect();
        let schema = TargetSchema { task, columns: self.columns.clone(), names, list: true };
        Ok((target_of(&schema, values), schema))
    }

    /// Lists of equal length, row after row, and their length. A missing cell is a list of unknowns.
    fn lists(&self, task: TargetKind, width: Option<usize>) -> Result<(Vec<f32>, usize), DataError> {
        let inside = |cell: &str| cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::to_string);
        let first = self.cells.iter().position(|cell| !is_missing_number(cell)).unwrap_or(0);
        let length = |text: &str| if text.trim().is_empty() { 0 } else { text.split(',').count() };
        let width =
            width.unwrap_or_else(|| self.cells.get(first).and_then(|cell| inside(cell)).map_or(0, |t| length(&t)));
        if width == 0 || width > LONGEST_LIST {
            return Err(self.wrong(first, 0, &format!("a list of {width} numbers; 1 to {LONGEST_LIST} are allowed.")));
        }
        let mut values = Vec::new();
        for (row, cell) in self.cells.iter().enumerate() {
            if is_missing_number(cell) {
                values.extend(std::iter::repeat_n(f32::NAN, width));
                continue;
            }
            let Some(text) = inside(cell) else {
                return Err(self.wrong(row, 0, &format!("{} is not a list such as [0, 1, 0].", quoted(cell))));
            };
            let found = length(&text);
            if found != width {
                let numbers = counted(found as u64, "number", "numbers");
                return Err(self.wrong(row, 0, &format!("a list of {numbers}; the lists before have {width}.")));
            }
            for part in text.split(',').map(str::trim) {
                values.push(match part.parse::<f64>() {
                    Ok(number) if fits(number, task) => number as f32,
                    _ if part.eq_ignore_ascii_case("nan") || part == "None" => f32::NAN,
                    _ => return Err(self.wrong(row, 0, &refusal(part, task))),
                });
            }
        }
        Ok((values, width))
    }

    fn decide_classes(&self) -> Result<(Target, TargetSchema), DataError> {
        if self.columns.len() != 1 {
            let width = self.columns.len().max(1);
            let text = |cell: &String| !is_missing_number(cell) && cell.parse::<f64>().is_err();
            let at = self.cells.iter().position(text).unwrap_or(0);
            let value = self.cells.get(at).map_or("", String::as_str);
            let reason = format!(
                "{} is a class, and classes are predicted from one column at a time. Pass one target.",
                quoted(value)
            );
            return Err(self.wrong(at / width, at % width, &reason));
        }
        let (labels, values) = self.texts();
        let (labels, classes) = sorted_classes(&labels, &values);
        let (different, labelled) = (classes.len(), labels.iter().flatten().count());
        if different < 2 || (labelled >= 20 && different * 2 > labelled) {
            let (file, column) = (self.file(), self.columns[0].clone());
            return Err(match different {
                0 | 1 => DataError::TooFewClasses { file, column, classes: different },
                _ => DataError::TooManyClasses { file, column, classes: different, labelled },
            });
        }
        let schema = TargetSchema {
            task: TargetKind::Classes,
            columns: self.columns.clone(),
            names: classes.clone(),
            list: false,
        };
        Ok((Target::Class { labels, classes }, schema))
    }

    /// Cells as positions in the list of different texts, in the order of their first row.
    fn texts(&self) -> (Vec<Option<u32>>, Vec<String>) {
        let mut number_of: HashMap<&str, u32> = HashMap::new();
        let mut values = Vec::new();
        let label = |cell: &'_ String| cell.is_empty();
        let labels = self
            .cells
            .iter()
            .map(|cell| {
                (!label(cell)).then(|| {
                    *number_of.entry(cell).or_insert_with(|| {
                        values.push(cell.clone());
                        values.len() as u32 - 1
                    })
                })
            })
            .collect();
        (labels, values)
    }

    fn file(&self) -> String {
        (self.locate)(0, 0).file
    }

    fn wrong(&self, row: usize, column: usize, reason: &str) -> DataError {
        DataError::Cell { cell: (self.locate)(row, column), reason: reason.to_string() }
    }
}

fn fits(number: f64, task: TargetKind) -> bool {
    match task {
        TargetKind::Labels => number == 0.0 || number == 1.0,
        TargetKind::Numbers | TargetKind::Classes => (number as f32).is_finite(),
    }
}

fn refusal(cell: &str, task: TargetKind) -> String {
    match task {
        TargetKind::Labels => format!("{} is not an answer. Allowed: 0, 1, or an empty cell.", quoted(cell)),
        _ => format!("{} is not a finite number. Correct or empty the cell, or pass --task classes.", quoted(cell)),
    }
}

fn target_of(schema: &TargetSchema, values: Vec<f32>) -> Target {
    let names = schema.names.clone();
    match schema.task {
        TargetKind::Labels => Target::Binary { values, names },
        TargetKind::Numbers | TargetKind::Classes => Target::Number { values, names },
    }
}
