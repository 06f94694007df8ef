//! A split that a file says, by the user's own ids.

use std::collections::HashMap;
use std::path::Path;

use super::split::{Part, Split};
use crate::error::DataError;
use crate::error::place::Place;
use crate::files::source::{SourceFile, read_bytes};
use crate::formats::npy::{Array, Dtype};
use crate::formats::npz::Npz;
use crate::formats::table::Table;
use crate::tables::scan::part_of;
use crate::text::{counted, quoted, thousands};

/// A header that would do.
const EXAMPLE: &str = "id,split";
/// What the part of choosing is called in archives.
const VALID_NAMES: [&str; 3] = ["valid", "val", "validation"];

/// Which ids are in which part: a table with the columns `id` and `split`, or an archive with the arrays `train`, `valid` and `test`, of ids,
/// of row numbers where rows have no ids, or of masks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitFile {
    source: SourceFile,
    members: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    part: Part,
    name: Name,
    /// In a table.
    line: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Id(String),
    /// A place in a mask.
    Row(u32),
}

impl SplitFile {
    /// Reads a table (CSV, TSV) or an archive (npz).
    ///
    /// # Errors
    /// When it is neither, or a part has another name.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let (name, bytes) = (path.display().to_string(), read_bytes(path)?);
        let source = SourceFile::of(&name, &bytes);
        let members = if bytes.starts_with(b"PK") { of_archive(&name, bytes)? } else { of_table(&name, bytes)? };
        Ok(SplitFile { source, members })
    }

    /// The file.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// The split of so many rows. Without ids of their own, or with ids that repeat, rows are called by their numbers from 0.
    ///
    /// # Errors
    /// When an id is not one of the data, or is in two parts, or nothing is for training.
    pub fn split(&self, rows: usize, ids: &[String]) -> Result<Split, DataError> {
        let mut places: HashMap<&str, u32> = HashMap::with_capacity(ids.len());
        let named = ids.len() == rows && (0u32..).zip(ids).all(|(row, id)| places.insert(id, row).is_none());
        let mut lists = [Vec::new(), Vec::new(), Vec::new()];
        for member in &self.members {
            let row = match &member.name {
                Name::Row(row) => Some(*row),
                Name::Id(id) if named => places.get(id.as_str()).copied(),
                Name::Id(id) => id.parse().ok(),
            };
            match row.filter(|row| (*row as usize) < rows) {
                Some(row) => lists[member.part as usize].push(row),
                None => return Err(self.unknown(member, rows, named)),
            }
        }
        let [train, valid, test] = lists;
        if train.is_empty() {
            return Err(self.wrong("nothing is in train. Put some rows there.".to_string()));
        }
        Split::from_lists(rows, train, valid, test).map_err(|error| self.wrong(error.to_string()))
    }

    fn wrong(&self, reason: String) -> DataError {
        DataError::Array { file: self.source.name().to_string(), reason }
    }

    fn unknown(&self, member: &Member, rows: usize, named: bool) -> DataError {
        let part = member.part.name();
        let reason = match &member.name {
            Name::Id(id) if named => {
                let known = counted(rows as u64, "id", "ids");
                format!("{} of {part} is not in the data ({known}). Take it out, or correct it.", quoted(id))
            }
            Name::Id(id) => {
                let known = thousands(rows as u64);
                format!("{} of {part} is not a row number below {known}, and rows have no other ids.", quoted(id))
            }
            Name::Row(_) => {
                format!("the mask of {part} is longer than the data ({}).", counted(rows as u64, "row", "rows"))
            }
        };
        match member.line {
            Some(line) => DataError::Line { place: Place { file: self.source.name().to_string(), line }, reason },
            None => self.wrong(reason),
        }
    }
}

fn of_table(name: &str, bytes: Vec<u8>) -> Result<Vec<Member>, DataError> {
    let table = Table::from_bytes(name, bytes, EXAMPLE)?;
    let id = table.require("id", "the ids")?;
    let split = table.require("split", "train, valid or test")?;
    let mut members = Vec::new();
    let mut rows = table.rows();
    while let Some(row) = rows.next_row()? {
        if let Some(part) = part_of(&row, split)? {
            members.push(Member { part, name: Name::Id(row.cell(id).to_string()), line: Some(row.place().line) });
        }
    }
    Ok(members)
}

fn of_archive(name: &str, bytes: Vec<u8>) -> Result<Vec<Member>, DataError> {
    let mut npz = Npz::from_bytes(name, bytes)?;
    let valid = VALID_NAMES.into_iter().find(|name| npz.contains(name)).unwrap_or(VALID_NAMES[0]);
    let mut members = Vec::new();
    for (part, array) in [(Part::Train, "train"), (Part::Valid, valid), (Part::Test, "test")] {
        let names = names_of(&npz.array(array)?)?;
        members.extend(names.into_iter().map(|name| Member { part, name, line: None }));
    }
    Ok(members)
}

fn names_of(array: &Array) -> Result<Vec<Name>, DataError> {
    array.require_dimensions(1)?;
    Ok(match array.dtype {
        Dtype::Bool => {
            let marked = (0u32..).zip(array.to_bools()?).filter(|(_, inside)| *inside);
            marked.map(|(row, _)| Name::Row(row)).collect()
        }
        Dtype::Text(_) | Dtype::Bytes(_) => array.to_text()?.into_iter().map(Name::Id).collect(),
        _ => array.to_i64()?.into_iter().map(|number| Name::Id(number.to_string())).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::npz::write_npz;

    fn file(name: &str, write: impl FnOnce(&Path)) -> Result<SplitFile, DataError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write(&path);
        SplitFile::open(&path)
    }

    fn table(text: &str) -> Result<SplitFile, DataError> {
        file("split.csv", |path| std::fs::write(path, text).unwrap())
    }

    #[test]
    fn ids_of_a_table_find_their_rows() {
        let ids = ["a", "b", "c", "d"].map(String::from);
        let found = table("split,id\ntest,a\nTRAIN,c\n,b\nval,d\n").unwrap().split(4, &ids).unwrap();
        assert_eq!(found, Split { train: vec![2], valid: vec![3], test: vec![0] });
        let numbers = table("id,split\n3,train\n0,test\n").unwrap().split(4, &[]).unwrap();
        assert_eq!(numbers, Split { train: vec![3], valid: vec![], test: vec![0] });
        // Names that repeat say nothing; rows are numbers then.
        let twice = ["x", "x", "y", "z"].map(String::from);
        assert_eq!(table("id,split\n1,train\n").unwrap().split(4, &twice).unwrap().train, [1]);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let ids = ["a", "b"].map(String::from);
        let of = |text: &str| table(text).and_then(|file| file.split(2, &ids)).unwrap_err().to_string();
        assert!(of("id,split\na,train\nq,test\n").contains("line 3: \"q\" of test is not in the data (2 ids)"));
        assert!(of("id,split\na,train\na,test\n").contains("row 0 is in train and in test"));
        assert!(of("id,split\na,learn\n").contains("\"learn\" is not a part of the split"));
        assert!(of("id,split\na,test\n").contains("nothing is in train"));
        assert!(of("id,part\na,test\n").contains("no column \"split\""));
    }

    #[test]
    fn archives_hold_numbers_names_or_masks() {
        let numbers = file("split.npz", |path| {
            write_npz(path, |npz| {
                npz.i64("train", &[2], &[4, 1])?;
                npz.i64("val", &[1], &[0])?;
                npz.i64("test", &[1], &[3])
            })
            .unwrap();
        });
        let numbers = numbers.unwrap();
        assert_eq!(numbers.split(5, &[]).unwrap(), Split { train: vec![1, 4], valid: vec![0], test: vec![3] });
        assert!(numbers.split(4, &[]).unwrap_err().to_string().contains("\"4\" of train is not a row number below 4"));
        // Where rows have ids, numbers are those.
        let ids = ["3", "4", "0", "1"].map(String::from);
        assert_eq!(numbers.split(4, &ids).unwrap(), Split { train: vec![1, 3], valid: vec![2], test: vec![0] });
        let names = file("split.npz", |path| {
            write_npz(path, |npz| {
                npz.text("train", &["b".to_string()])?;
                npz.text("valid", &["a".to_string()])?;
                npz.text("test", &[])
            })
            .unwrap();
        });
        let ids = ["a", "b"].map(String::from);
        assert_eq!(names.unwrap().split(2, &ids).unwrap(), Split { train: vec![1], valid: vec![0], test: vec![] });
    }
}
