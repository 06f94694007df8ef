//! Which split a training table gets, with file and line when there can be none.

use crate::error::DataError;
use crate::labels::class_counts;
use crate::node_dataset::split_column_origin;
use crate::options::{NodeTableOptions, SplitChoice};
use crate::roles::Roles;
use crate::split::{Part, Split, SplitError};
use crate::table::Table;

/// The labels of a table on their way to a split.
pub(crate) struct Labelled<'a> {
    pub table: &'a Table,
    pub roles: &'a Roles,
    /// The target column.
    pub target: usize,
    pub labels: &'a [Option<u32>],
    pub classes: &'a [String],
    /// The split column; empty without one.
    pub parts: &'a [Option<Part>],
}

impl Labelled<'_> {
    /// The split, and where it comes from in words. What is unusual about it becomes a warning.
    pub fn split(&self, options: &NodeTableOptions, warnings: &mut Vec<String>) -> Result<(Split, String), DataError> {
        self.check_classes()?;
        let (split, origin) = match &options.split {
            SplitChoice::Given(Split { train, valid, test }) => {
                let (train, valid, test) = (train.clone(), valid.clone(), test.clone());
                let split = Split::from_lists(self.labels.len(), train, valid, test)?;
                (split, "given".to_string())
            }
            SplitChoice::Automatic { .. } if self.roles.split.is_some() => {
                let split = Split::from_parts(self.parts, self.labels);
                let marked = self.parts.iter().flatten().count();
                let used: usize = Part::ALL.iter().map(|&part| split.part(part).len()).sum();
                if marked > used {
                    warnings.push(format!(
                        "{} rows are in a part of the split but have no label; they are in none",
                        marked - used
                    ));
                }
                (split, split_column_origin(self.table, self.roles))
            }
            SplitChoice::Automatic { fractions, seed } => {
                let split = Split::stratified(self.labels, self.classes.len(), *fractions, *seed)
                    .map_err(|error| self.located(error))?;
                (split, format!("stratified, seed {seed}"))
            }
        };
        self.check_train(&split)?;
        for part in [Part::Valid, Part::Test] {
            if split.part(part).is_empty() {
                warnings.push(format!("no node is in {}", part.name()));
            }
        }
        Ok((split, origin))
    }

    fn file(&self) -> String {
        self.table.name().to_string()
    }

    fn column(&self) -> String {
        self.table.header()[self.target].clone()
    }

    fn check_classes(&self) -> Result<(), DataError> {
        let (file, column) = (self.file(), self.column());
        let classes = self.classes.len();
        if classes < 2 {
            return Err(DataError::TooFewClasses { file, column, classes });
        }
        let labelled = self.labels.iter().flatten().count();
        if labelled >= 20 && classes * 2 > labelled {
            return Err(DataError::TooManyClasses { file, column, classes, labelled });
        }
        Ok(())
    }

    /// Training must see every class that is scored.
    fn check_train(&self, split: &Split) -> Result<(), DataError> {
        if split.train.is_empty() {
            return Err(DataError::EmptyTrain {
                file: self.file(),
                column: self.roles.split.map_or("split".to_string(), |c| self.table.header()[c].clone()),
            });
        }
        let of_rows = |rows: &[u32]| {
            let labels: Vec<_> = rows.iter().map(|&row| self.labels[row as usize]).collect();
            class_counts(&labels, self.classes.len())
        };
        let train = of_rows(&split.train);
        match train.iter().position(|&count| count == 0) {
            None => Ok(()),
            Some(class) => {
                let wanted = Some(class as u32);
                let row = self.labels.iter().position(|&label| label == wanted);
                Err(DataError::ClassNotInTrain {
                    place: self.table.place_of_row(row.unwrap_or(0)),
                    class: self.classes[class].clone(),
                    column: self.column(),
                })
            }
        }
    }

    fn located(&self, error: SplitError) -> DataError {
        match error {
            SplitError::Lonely { class, row } => DataError::LonelyClass {
                place: self.table.place_of_row(row as usize),
                class: self.classes[class as usize].clone(),
                column: self.column(),
            },
            SplitError::TooFew { labelled } => DataError::TooFewLabels { file: self.file(), labelled },
            other => DataError::Split(other),
        }
    }
}
