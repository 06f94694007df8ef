//! The split that a dataset of OGB's layout comes with.

use super::Files;
use crate::dataset::split::Split;
use crate::error::DataError;
use crate::text::listed;

/// The split of that kind, or the only one there is; none where there is none. `rows` are what it divides.
pub(super) fn read_split(files: &mut Files<'_>, rows: usize, kind: Option<&str>) -> Result<Option<Split>, DataError> {
    let folder = files.folder.join("split");
    let mut kinds: Vec<String> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_dir())?.file_name().into_string().ok())
        .collect();
    kinds.sort();
    let kind = match (kind, kinds.as_slice()) {
        (None, []) => return Ok(None),
        (None, [only]) => only.clone(),
        (Some(kind), _) if kinds.iter().any(|known| known == kind) => kind.to_string(),
        _ => {
            let known = listed(kinds.iter().map(String::as_str));
            let reason =
                format!("name the split to use. There are {}.", if kinds.is_empty() { "none" } else { &known });
            return Err(DataError::Array { file: folder.display().to_string(), reason });
        }
    };
    let mut part = |name: &str| -> Result<Vec<u32>, DataError> {
        let packed = folder.join(&kind).join(format!("{name}.csv.gz"));
        let path = if packed.exists() { packed } else { folder.join(&kind).join(format!("{name}.csv")) };
        let file = files.open(&path)?;
        let numbers = file.integer_column()?;
        let check = |(row, &number): (usize, &i64)| match u32::try_from(number) {
            Ok(number) if (number as usize) < rows => Ok(number),
            _ => {
                let reason = format!("row {number} does not exist: rows are 0 to {}.", rows.saturating_sub(1));
                Err(file.wrong_at(row as u64 + 1, reason))
            }
        };
        numbers.iter().enumerate().map(check).collect()
    };
    let (train, valid, test) = (part("train")?, part("valid")?, part("test")?);
    let named = |error| DataError::Array { file: folder.join(&kind).display().to_string(), reason: format!("{error}") };
    Split::from_lists(rows, train, valid, test).map(Some).map_err(named)
}
