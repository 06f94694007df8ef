//! Which split a training table gets, with file and line when there can be none.

use crate::error::DataError;
use crate::labels::class_counts;
use crate::options::{NodeTableOptions, SplitChoice};
use crate::roles::Roles;
use crate::split::{Part, Split, SplitError};
use crate::table::Table;
use crate::target_kind::TargetKind;
use crate::text::quoted;

/// Where a split comes from that a column of the table gives.
pub(crate) fn split_column_origin(table: &Table, roles: &Roles) -> String {
    let name = roles.split.map_or("split", |column| &table.header()[column]);
    format!("column {}", quoted(name))
}

/// The labels of a table on their way to a split.
pub(crate) struct Labelled<'a> {
    pub table: &'a Table,
    pub roles: &'a Roles,
    /// The name of the target column, or of the first one.
    pub target: &'a str,
    pub kind: TargetKind,
    /// The class of each row, 0 if the target has no classes; `None` where nothing is known.
    pub labels: &'a [Option<u32>],
    /// The classes; empty if the target has none.
    pub classes: &'a [String],
    /// The split column; empty without one.
    pub parts: &'a [Option<Part>],
}

impl Labelled<'_> {
    /// The split, and where it comes from in words. What is unusual about it becomes a warning.
    pub fn split(&self, options: &NodeTableOptions, warnings: &mut Vec<String>) -> Result<(Split, String), DataError> {
        if self.kind == TargetKind::Classes {
            self.check_classes()?;
        }
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
            SplitChoice::Automatic { fractions, seed } if self.kind != TargetKind::Classes => {
                let rows: Vec<u32> =
                    (0u32..).zip(self.labels).filter(|(_, l)| l.is_some()).map(|(row, _)| row).collect();
                let drawn = Split::random(rows.len(), *fractions, *seed).map_err(|error| self.located(error))?;
                let named = |part: &[u32]| part.iter().map(|&place| rows[place as usize]).collect();
                let split = Split { train: named(&drawn.train), valid: named(&drawn.valid), test: named(&drawn.test) };
                (split, format!("at random, seed {seed}"))
            }
            SplitChoice::Automatic { fractions, seed } => {
                let split = Split::stratified(self.labels, self.classes.len(), *fractions, *seed)
                    .map_err(|error| self.located(error))?;
                (split, format!("stratified, seed {seed}"))
            }
        };
        self.check_train(&split)?;
        Ok((split, origin))
    }

    fn file(&self) -> String {
        self.table.name().to_string()
    }

    fn column(&self) -> String {
        self.target.to_string()
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
        if self.kind != TargetKind::Classes {
            return Ok(());
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
