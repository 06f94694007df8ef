//! Splits among named arrays: masks, or lists of row numbers.

use super::bag::{Bag, Stored};
use crate::dataset::Target;
use crate::dataset::split::{Part, Split};
use crate::error::DataError;
use crate::error::setting::Setting;
use crate::formats::npy::{Array, Dtype};
use crate::formats::pickle::{Kind, Value};
use crate::text::{counted, quoted};

/// How the parts are spelled.
const SPELLINGS: [&[&str]; 3] = [&["train", "training"], &["val", "valid", "validation"], &["test", "testing"]];
/// What may follow a part's name. Only the first two say that the array is a mask.
const ENDINGS: [&str; 9] = ["_mask", "_masks", "_idx", "_index", "_indices", "_ids", "_id", "_nodes", ""];
/// Names of all parts in one: a dictionary of lists, or a list of such dictionaries.
const TOGETHER: [&str; 3] = ["split_idx", "splits", "split"];

/// The splits that a file brings, and how.
#[derive(Debug, Default)]
pub(crate) struct FileSplits {
    pub splits: Vec<Split>,
    /// What they were read from.
    pub names: Vec<String>,
}

/// The rows of a part in every split.
struct Lists {
    name: String,
    rows: Vec<Vec<u32>>,
}

impl FileSplits {
    /// Reads the splits of `rows` rows, if there are any. Rows in `known` have a target; others are in no part.
    pub fn read(bag: &mut Bag<'_>, rows: usize) -> Result<FileSplits, DataError> {
        if let Some(name) = bag.first_of(&TOGETHER)
            && let Stored::Value(value) = bag.take(name)?
        {
            return FileSplits::together(name, &value, rows);
        }
        let mut parts = [None, None, None];
        for (part, spellings) in parts.iter_mut().zip(SPELLINGS) {
            *part = find(bag, spellings);
        }
        let [Some(_), ..] = parts else { return Ok(FileSplits::default()) };
        let mut lists = Vec::with_capacity(parts.len());
        for name in &parts {
            lists.push(name.as_ref().map(|name| part(bag, name, rows)).transpose()?);
        }
        assemble(bag.file(), lists, rows)
    }

    fn together(name: &str, value: &Value, rows: usize) -> Result<FileSplits, DataError> {
        let one = |value: &Value| -> Result<Split, DataError> {
            let list = |part: usize| -> Result<Vec<u32>, DataError> {
                match SPELLINGS[part].iter().find_map(|name| value.find(name)) {
                    None => Ok(Vec::new()),
                    Some(list) => {
                        let array = match list.kind() {
                            Kind::Array(_) | Kind::Tensor(_) => list.array()?,
                            _ => list.list_as_array()?,
                        };
                        let mut found = rows_of(&array, false, rows)?;
                        match (found.pop(), found.is_empty()) {
                            (Some(rows), true) => Ok(rows),
                            _ => Err(list.error(format!("shape {:?}; one list of rows is needed.", array.shape))),
                        }
                    }
                }
            };
            let (train, valid, test) = (list(0)?, list(1)?, list(2)?);
            Split::from_lists(rows, train, valid, test).map_err(|error| value.error(error.to_string()))
        };
        let splits = match value.kind() {
            Kind::List(_) | Kind::Tuple(_) => value.items()?.map(|item| one(&item)).collect::<Result<_, _>>()?,
            _ => vec![one(value)?],
        };
        Ok(FileSplits { splits, names: vec![name.to_string()] })
    }

    /// The split of this number without the rows whose target is not known; what there is to say about it becomes a note.
    pub fn chosen(
        self,
        file: &str,
        number: Option<usize>,
        target: &Target,
        notes: &mut Vec<String>,
    ) -> Result<Option<Split>, DataError> {
        let count = self.splits.len();
        let Some(mut split) = self.splits.into_iter().nth(number.unwrap_or(0)) else {
            return match number {
                None => Ok(None),
                Some(number) => Err(DataError::Array { file: file.to_string(), reason: no_split(number, count) }),
            };
        };
        if count > 1 {
            notes.push(format!(
                "split {} of {count} in the file, numbered from 0; {} chooses another",
                number.unwrap_or(0),
                Setting::to("split", "N")
            ));
        }
        if target.rows().is_some() && target.outputs() > 0 {
            let before: usize = Part::ALL.iter().map(|&part| split.part(part).len()).sum();
            for list in [&mut split.train, &mut split.valid, &mut split.test] {
                list.retain(|&row| target.is_known(row as usize));
            }
            let after: usize = Part::ALL.iter().map(|&part| split.part(part).len()).sum();
            if after < before {
                let lost = counted((before - after) as u64, "row of the split has", "rows of the split have");
                notes.push(format!("{lost} no label and no part"));
            }
        }
        if split.train.is_empty() {
            let reason = format!(
                "no row with a label is in {}. Pass {} to have one drawn.",
                self.names[0],
                Setting::to("split", "seeded")
            );
            return Err(DataError::Array { file: file.to_string(), reason });
        }
        Ok(Some(split))
    }
}

/// What to say where a split is asked for that is not there.
pub(crate) fn no_split(number: usize, count: usize) -> String {
    match count {
        0 => format!(
            "there is no split {number}: the file has no splits of its own. Take {} out.",
            Setting::named("split")
        ),
        1 => format!("there is no split {number}; the file has one, number 0."),
        _ => format!("there is no split {number}; its splits are 0 to {}.", count - 1),
    }
}

/// The name of a part: `train_mask`, `idx_train` and the like.
fn find(bag: &Bag<'_>, spellings: &[&str]) -> Option<String> {
    let after = ENDINGS.iter().flat_map(|ending| spellings.iter().map(move |name| format!("{name}{ending}")));
    let before = spellings.iter().map(|name| format!("idx_{name}"));
    after.chain(before).find(|name| bag.has(name))
}

fn part(bag: &mut Bag<'_>, name: &str, rows: usize) -> Result<Lists, DataError> {
    let mask = name.ends_with("_mask") || name.ends_with("_masks");
    let stored = bag.take(name)?;
    // A list of arrays: a split each.
    if let Stored::Value(value) = &stored
        && let Ok(kinds) = value.elements()
        && kinds.iter().any(|kind| !matches!(kind, Kind::Int(_) | Kind::Bool(_)))
    {
        let mut lists = Vec::new();
        for item in value.items()? {
            let array = match item.kind() {
                Kind::Array(_) | Kind::Tensor(_) => item.array()?,
                _ => item.list_as_array()?,
            };
            lists.extend(rows_of(&array, mask, rows)?);
        }
        return Ok(Lists { name: name.to_string(), rows: lists });
    }
    let array = bag.source().as_array(name, stored)?;
    Ok(Lists { name: name.to_string(), rows: rows_of(&array, mask, rows)? })
}

/// The rows of every split of an array: masks of shape `[rows]`, `[splits, rows]` or `[rows, splits]`, or row numbers of
/// shape `[count]` or `[splits, count]`.
fn rows_of(array: &Array, named_mask: bool, rows: usize) -> Result<Vec<Vec<u32>>, DataError> {
    let wrong = |reason: String| DataError::Array { file: array.name.clone(), reason };
    let numbers = match array.dtype {
        // Masks are sometimes saved as numbers.
        Dtype::Float(_) if named_mask => array.to_f32()?.iter().map(|&number| number as i64).collect(),
        _ => array.to_i64()?,
    };
    // So many row numbers, all 0 or 1, would name the same rows over and over.
    let looks_like_mask = || array.shape == [rows] && rows > 2 && numbers.iter().all(|number| matches!(number, 0 | 1));
    if named_mask || array.dtype == Dtype::Bool || looks_like_mask() {
        return masks(array, &numbers, rows);
    }
    let number = |number: &i64| {
        u32::try_from(*number)
            .ok()
            .filter(|&row| (row as usize) < rows)
            .ok_or_else(|| wrong(format!("{number} is not a row number; there are {rows} rows, counted from 0.")))
    };
    match array.shape[..] {
        [_] => Ok(vec![numbers.iter().map(number).collect::<Result<_, _>>()?]),
        [splits, width] if width > 0 => {
            let list = |split: usize| numbers[split * width..(split + 1) * width].iter().map(number).collect();
            (0..splits).map(list).collect()
        }
        _ => Err(wrong(format!("the array has shape {:?}; a list of row numbers is needed.", array.shape))),
    }
}

fn masks(array: &Array, numbers: &[i64], rows: usize) -> Result<Vec<Vec<u32>>, DataError> {
    // Where both ways would fit, one name each is what their authors use for either.
    let splits_first = array.name.contains("masks");
    let [splits, of_split, of_row] = match array.shape[..] {
        [length] if length == rows => [1, 0, 1],
        [splits, length] if length == rows && (splits != rows || splits_first) => [splits, rows, 1],
        [length, splits] if length == rows => [splits, 1, splits],
        _ => {
            let reason = format!(
                "the mask has shape {:?}; [{rows}], [{rows}, splits] or [splits, {rows}] is needed.",
                array.shape
            );
            return Err(DataError::Array { file: array.name.clone(), reason });
        }
    };
    let inside = |split: usize, row: usize| numbers[split * of_split + row * of_row] != 0;
    Ok((0..splits).map(|split| (0..rows as u32).filter(|&row| inside(split, row as usize)).collect()).collect())
}

/// Puts the parts together. A part that is there once goes with every split of the others.
fn assemble(file: &str, lists: Vec<Option<Lists>>, rows: usize) -> Result<FileSplits, DataError> {
    let count = lists.iter().flatten().map(|lists| lists.rows.len()).max().unwrap_or(0);
    let mut parts: Vec<Vec<Vec<u32>>> = Vec::with_capacity(lists.len());
    let mut names = Vec::new();
    for list in lists {
        let Some(Lists { name, rows }) = list else {
            parts.push(vec![Vec::new(); count]);
            continue;
        };
        if rows.len() != count && rows.len() != 1 {
            let reason = format!("{} splits in {}, but {count} in another part.", rows.len(), quoted(&name));
            return Err(DataError::Array { file: file.to_string(), reason });
        }
        names.push(name);
        parts.push(if rows.len() == count { rows } else { vec![rows[0].clone(); count] });
    }
    let mut splits = Vec::with_capacity(count);
    let mut parts = parts.into_iter().map(Vec::into_iter);
    let [Some(train), Some(valid), Some(test)] = [parts.next(), parts.next(), parts.next()] else {
        return Ok(FileSplits::default());
    };
    for (number, ((train, valid), test)) in train.zip(valid).zip(test).enumerate() {
        splits.push(Split::from_lists(rows, train, valid, test).map_err(|error| {
            let which = if count > 1 { format!("split {number}: ") } else { String::new() };
            DataError::Array { file: file.to_string(), reason: format!("{which}{error}") }
        })?);
    }
    Ok(FileSplits { splits, names })
}
