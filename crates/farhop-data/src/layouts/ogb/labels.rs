//! What a dataset of OGB's layout predicts, and the names of its classes.

use std::path::{Path, PathBuf};

use crate::dataset::Target;
use crate::dataset::categories::MOST_CATEGORIES;
use crate::error::DataError;
use crate::files::text_store::Text;
use crate::formats::table::Table;
use crate::formats::text_file::{Rows, TextFile};
use crate::tables::targets::TargetKind;

/// A table of labels.
pub(super) struct Labels<'a> {
    /// Where it is from.
    pub file: &'a TextFile<Text>,
    /// A row for each node or graph; NaN where nothing is known.
    pub values: Rows<f32>,
}

impl Labels<'_> {
    /// The target, as what the values look like if `task` does not say it.
    pub fn target(self, task: Option<TargetKind>, names: Vec<(i64, String)>) -> Result<Target, DataError> {
        let known = || self.values.values.iter().filter(|value| !value.is_nan());
        let answers = known().all(|&value| value == 0.0 || value == 1.0);
        let whole = known().all(|&value| value.fract() == 0.0 && value >= 0.0);
        let task = task.unwrap_or(match self.values.width {
            _ if answers => TargetKind::Labels,
            1 if whole => TargetKind::Classes,
            _ => TargetKind::Numbers,
        });
        let columns = |word: &str| match self.values.width {
            1 => vec![word.to_string()],
            width => (0..width).map(|column| format!("{word} {column}")).collect(),
        };
        match task {
            TargetKind::Numbers => Ok(Target::Number { names: columns("target"), values: self.values.values }),
            TargetKind::Labels => {
                self.require(answers, |value| value == 0.0 || value == 1.0, "0, 1 or empty")?;
                Ok(Target::Binary { names: columns("label"), values: self.values.values })
            }
            TargetKind::Classes => self.classes(&names),
        }
    }

    fn classes(self, names: &[(i64, String)]) -> Result<Target, DataError> {
        self.file.require_width(self.values.width, 1)?;
        let fits = |value: f32| value.fract() == 0.0 && value >= 0.0 && (value as usize) < MOST_CATEGORIES;
        self.require(false, fits, "a class from 0 to 65,535")?;
        let largest = self.values.values.iter().fold(-1.0f32, |largest, &value| largest.max(value));
        let name = |class: i64| {
            let place = names.partition_point(|(number, _)| *number < class);
            names.get(place).filter(|(number, _)| *number == class).map_or(class.to_string(), |(_, name)| name.clone())
        };
        let classes = (0..=largest as i64).map(name).collect();
        let labels = self.values.values.iter().map(|value| (!value.is_nan()).then_some(*value as u32)).collect();
        Ok(Target::Class { labels, classes })
    }

    fn require(&self, checked: bool, fits: impl Fn(f32) -> bool, allowed: &str) -> Result<(), DataError> {
        if checked {
            return Ok(());
        }
        match self.values.values.iter().position(|&value| !value.is_nan() && !fits(value)) {
            None => Ok(()),
            Some(at) => {
                let line = (at / self.values.width.max(1)) as u64 + 1;
                Err(self.file.wrong_at(line, format!("label {} is not {allowed}.", self.values.values[at])))
            }
        }
    }
}

/// The names of the classes if `mapping/` tells them, by number. Names are a courtesy: a table that does not fit is not used.
pub(super) fn class_names(folder: &Path) -> Vec<(i64, String)> {
    let Ok(entries) = std::fs::read_dir(folder.join("mapping")) else {
        return Vec::new();
    };
    let mut tables: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("labelidx2")))
        .collect();
    tables.sort();
    let Some(Ok(table)) = tables.first().map(|path| Table::open(path, "label idx,name")) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let mut rows = table.rows();
    while let Ok(Some(row)) = rows.next_row() {
        let (Ok(number), name) = (row.cell(0).parse(), row.cell(1)) else {
            return Vec::new();
        };
        if name.is_empty() {
            return Vec::new();
        }
        names.push((number, name.to_string()));
    }
    names.sort();
    let unique = names.windows(2).all(|pair| pair[0].0 != pair[1].0);
    if unique { names } else { Vec::new() }
}
