//! What is to be predicted, among named arrays.

use super::bag::{Bag, Stored};
use crate::dataset::labels::sorted_classes;
use crate::dataset::{Level, Target};
use crate::error::DataError;
use crate::error::setting::Setting;
use crate::formats::npy::{Array, Dtype};
use crate::formats::pickle::Kind;
use crate::tables::targets::TargetKind;
use crate::text::{listed, quoted, thousands};

const TARGETS: [&str; 8] = ["y", "node_labels", "labels", "label", "node_label", "targets", "target", "classes"];
const CLASS_NAMES: [&str; 2] = ["class_names", "label_names"];

/// Classes are few, and each has a name.
const MOST_CLASSES: i64 = 1 << 16;

/// An array of answers, as it stands in the file.
pub(crate) struct Answers {
    /// The name of the array.
    pub name: String,
    shape: Vec<usize>,
    cells: Cells,
    /// Names of the classes, if the file has them.
    class_names: Vec<String>,
    /// For messages.
    label: String,
}

enum Cells {
    Whole(Vec<i64>),
    Real(Vec<f32>),
    Text(Vec<String>),
}

impl Answers {
    /// The array that the user names, or the first that has a usual name.
    pub fn read(bag: &mut Bag<'_>, wanted: &[String]) -> Result<Option<Answers>, DataError> {
        let name = match wanted {
            [] => bag.first_of(&TARGETS).map(str::to_string),
            [name] if bag.has(name) => Some(name.clone()),
            [name] => {
                let names = listed(bag.names().iter().map(String::as_str));
                let reason = format!("no array {} (the target). Its arrays are {names}.", quoted(name));
                return Err(DataError::Array { file: bag.file().to_string(), reason });
            }
            _ => {
                let reason =
                    format!("one array holds all targets, a column each. Name one {}.", Setting::named("target"));
                return Err(DataError::Array { file: bag.file().to_string(), reason });
            }
        };
        let Some(name) = name else { return Ok(None) };
        let stored = bag.take(&name)?;
        let (label, shape, cells) = match texts(&stored)? {
            Some(texts) => (format!("{}, array {}", bag.file(), quoted(&name)), vec![texts.len()], Cells::Text(texts)),
            None => {
                let array = bag.source().as_array(&name, stored)?;
                (array.name.clone(), array.shape.clone(), cells_of(&array)?)
            }
        };
        if !(1..=2).contains(&shape.len()) || shape.get(1) == Some(&0) {
            return Err(bag.wrong(&name, format!("the array has shape {shape:?}; one or two dimensions are needed.")));
        }
        let class_names = match bag.first_of(&CLASS_NAMES) {
            // Names are a courtesy: what is no list of texts is named among what was not used.
            Some(names) => bag.take(names).and_then(|stored| texts(&stored)).ok().flatten().unwrap_or_else(|| {
                bag.put_back(names);
                Vec::new()
            }),
            None => Vec::new(),
        };
        Ok(Some(Answers { name, shape, cells, class_names, label }))
    }

    /// Rows of the array.
    pub fn rows(&self) -> usize {
        self.shape[0]
    }

    fn width(&self) -> usize {
        self.shape.get(1).copied().unwrap_or(1)
    }

    /// Classes as numbers; negative where they are unknown.
    pub fn class_numbers(&self) -> Result<Vec<i64>, DataError> {
        match &self.cells {
            Cells::Whole(numbers) if self.width() == 1 => Ok(numbers.clone()),
            Cells::Real(numbers) if self.width() == 1 && numbers.iter().all(|n| n.is_nan() || n.fract() == 0.0) => {
                Ok(numbers.iter().map(|number| if number.is_nan() { -1 } else { *number as i64 }).collect())
            }
            _ => Err(self.wrong("one whole number for each row is needed for classes.")),
        }
    }

    /// The target of rows that are nodes or graphs. `task` decides what the numbers are; without it their type does:
    /// whole numbers in one column, one-hot rows and texts are classes, columns of 0 and 1 are labels, others numbers.
    pub fn target(&self, task: Option<TargetKind>, level: Level, notes: &mut Vec<String>) -> Result<Target, DataError> {
        let kind = task.unwrap_or_else(|| self.kind(level));
        if task.is_none() && matches!(self.cells, Cells::Real(_)) && kind == TargetKind::Labels {
            notes.push(format!(
                "{} holds 0 and 1: read as labels. {} or numbers decides.",
                self.name,
                Setting::to("task", "classes")
            ));
        }
        match (kind, &self.cells) {
            (TargetKind::Classes, Cells::Text(texts)) => {
                let mut cells = crate::tables::targets::TargetCells::of(&self.name, None);
                texts.iter().for_each(|text| cells.see(text));
                let (labels, classes) = sorted_classes(&cells.cells, &cells.values);
                Ok(Target::Class { labels, classes })
            }
            (TargetKind::Classes, _) => {
                let numbers = match self.one_hot() {
                    Some(classes) if self.width() > 1 => classes,
                    _ => self.class_numbers()?,
                };
                let target = class_target(&self.label, &numbers, None)?;
                Ok(named(target, &self.class_names))
            }
            (_, Cells::Text(_)) => {
                Err(self
                    .wrong(&format!("texts are classes, not labels or numbers. Take {} out.", Setting::named("task"))))
            }
            (kind, cells) => {
                let values = match cells {
                    Cells::Whole(numbers) => numbers.iter().map(|&number| number as f32).collect(),
                    Cells::Real(numbers) => numbers.clone(),
                    Cells::Text(_) => Vec::new(),
                };
                let names = match self.width() {
                    1 => vec![self.name.clone()],
                    width => (0..width).map(|column| format!("{} {column}", self.name)).collect(),
                };
                if kind == TargetKind::Numbers {
                    return Ok(Target::Number { values, names });
                }
                // A negative number is how answers that are not known are often written.
                if let Some(other) = values.iter().find(|value| !(value.is_nan() || matches!(**value, 0.0 | 1.0))) {
                    return Err(self.wrong(&format!(
                        "{other} is no answer; 0, 1 and NaN are. Pass {}.",
                        Setting::to("task", "numbers")
                    )));
                }
                Ok(Target::Binary { values, names })
            }
        }
    }

    fn kind(&self, level: Level) -> TargetKind {
        let zero_or_one = |number: f32| number.is_nan() || number == 0.0 || number == 1.0;
        match &self.cells {
            Cells::Text(_) => TargetKind::Classes,
            Cells::Whole(numbers) => {
                let binary = numbers.iter().all(|number| matches!(number, 0 | 1));
                match self.width() {
                    1 if binary && level == Level::Graph && self.shape.len() == 2 => TargetKind::Labels,
                    1 => TargetKind::Classes,
                    _ if self.one_hot().is_some() => TargetKind::Classes,
                    _ if binary => TargetKind::Labels,
                    _ => TargetKind::Numbers,
                }
            }
            Cells::Real(_) if self.width() > 2 && self.one_hot().is_some() => TargetKind::Classes,
            Cells::Real(numbers) if numbers.iter().all(|&number| zero_or_one(number)) => TargetKind::Labels,
            Cells::Real(_) => TargetKind::Numbers,
        }
    }

    /// The place of the only 1 in every row, if all rows are such or, where nothing is known, all 0.
    fn one_hot(&self) -> Option<Vec<i64>> {
        let place = |row: &mut dyn Iterator<Item = f32>| {
            let mut found = None;
            for (place, number) in row.enumerate() {
                match number {
                    0.0 => {}
                    1.0 if found.is_none() => found = Some(place as i64),
                    _ => return None,
                }
            }
            Some(found.unwrap_or(-1))
        };
        let places: Option<Vec<i64>> = match &self.cells {
            Cells::Whole(numbers) => {
                numbers.chunks_exact(self.width()).map(|row| place(&mut row.iter().map(|&n| n as f32))).collect()
            }
            Cells::Real(numbers) => {
                numbers.chunks_exact(self.width()).map(|row| place(&mut row.iter().copied())).collect()
            }
            Cells::Text(_) => None,
        };
        // Answers that are all "no" are no classes.
        places.filter(|places| self.width() > 1 && places.iter().filter(|place| **place < 0).count() * 2 < places.len())
    }

    fn wrong(&self, reason: &str) -> DataError {
        DataError::Array { file: self.label.clone(), reason: format!("the array has shape {:?}; {reason}", self.shape) }
    }
}

fn cells_of(array: &Array) -> Result<Cells, DataError> {
    Ok(match array.dtype {
        Dtype::Float(_) => Cells::Real(array.to_f32()?),
        Dtype::Text(_) | Dtype::Bytes(_) => Cells::Text(array.to_text()?),
        _ => Cells::Whole(array.to_i64()?),
    })
}

/// Texts of an array or a list; `None` if it holds something else.
pub(super) fn texts(stored: &Stored) -> Result<Option<Vec<String>>, DataError> {
    match stored {
        Stored::Array(array) if matches!(array.dtype, Dtype::Text(_) | Dtype::Bytes(_)) => array.to_text().map(Some),
        Stored::Value(value) if matches!(value.kind(), Kind::List(_) | Kind::Tuple(_)) => {
            let text = |item: crate::formats::pickle::Value| item.text().ok().map(str::to_string);
            Ok(value.items()?.map(text).collect())
        }
        _ => Ok(None),
    }
}

/// The classes with names, if there is one for each.
fn named(target: Target, names: &[String]) -> Target {
    match target {
        Target::Class { labels, classes } if classes.len() <= names.len() => {
            Target::Class { labels, classes: names.to_vec() }
        }
        other => other,
    }
}

/// Classes named by their numbers, one more than the largest; negative labels are unknown.
pub(crate) fn class_target(file: &str, labels: &[i64], classes: Option<usize>) -> Result<Target, DataError> {
    let largest = labels.iter().copied().max().unwrap_or(-1);
    let classes = classes.unwrap_or((largest.saturating_add(1)).clamp(0, MOST_CLASSES) as usize);
    if largest >= classes as i64 {
        let last = thousands((classes as i64 - 1).max(0) as u64);
        let reason = format!("label {largest} where labels are 0 to {last}.");
        return Err(DataError::Array { file: file.to_string(), reason });
    }
    let labels = labels.iter().map(|&label| u32::try_from(label).ok()).collect();
    Ok(Target::Class { labels, classes: (0..classes).map(|class| class.to_string()).collect() })
}
