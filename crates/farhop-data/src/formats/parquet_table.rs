//! Parquet tables, with the cargo feature `parquet`: compressed with Snappy or gzip, or not at all.
//!
//! A row of the file is a row of the table; messages call row `r` (from 1) line `r + 1`, as if it stood below a header.

use std::collections::HashMap;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::table::Table;
use crate::formats::table_rows::TableRows;
use crate::memory::Budget;
use crate::text::{one_line, quoted};

/// A Parquet file as a table of cells.
pub(crate) fn read(source: SourceFile, budget: Budget, bytes: Vec<u8>) -> Result<Table, DataError> {
    let file = source.name().to_string();
    let damaged = |reason: String| DataError::Array {
        file: file.clone(),
        reason: format!(
            "the Parquet file cannot be read ({}). Write it again, with Snappy or gzip.",
            one_line(&reason)
        ),
    };
    // The decoder is another's code: whatever it meets in a broken file, the answer is a message.
    let table = std::panic::catch_unwind(|| table(source, budget, bytes));
    table.unwrap_or_else(|_| Err(Fault::Damaged("it is damaged".to_string()))).map_err(|fault| match fault {
        Fault::Damaged(reason) => damaged(reason),
        Fault::Wrong(error) => error,
    })
}

/// Why there is no table.
enum Fault {
    /// The decoder said so.
    Damaged(String),
    Wrong(DataError),
}

impl From<DataError> for Fault {
    fn from(error: DataError) -> Self {
        Fault::Wrong(error)
    }
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Self {
        Fault::Damaged(error.to_string())
    }
}

fn table(source: SourceFile, budget: Budget, bytes: Vec<u8>) -> Result<Table, Fault> {
    let reader = SerializedFileReader::new(Bytes::from(bytes))?;
    let schema = reader.metadata().file_metadata().schema();
    let header: Vec<String> = schema.get_fields().iter().map(|field| field.name().trim().to_string()).collect();
    if header.is_empty() {
        return Err(Fault::Damaged("it has no columns".to_string()));
    }
    let mut seen = HashMap::new();
    for (number, name) in header.iter().enumerate() {
        if let Some(first) = seen.insert(name, number) {
            let (file, first, second) = (source.name().to_string(), first + 1, number + 1);
            return Err(DataError::DuplicateColumn { file, name: name.clone(), first, second }.into());
        }
    }
    let mut rows = TableRows::new(source, budget, header)?;
    let mut cells: Vec<String> = Vec::new();
    for (number, row) in reader.get_row_iter(None)?.enumerate() {
        cells.clear();
        for (name, field) in row?.get_column_iter() {
            let text = cell(field);
            let wrong = || Fault::Damaged(format!("column {} holds lists, dates or other compounds", quoted(name)));
            cells.push(text.ok_or_else(wrong)?);
        }
        rows.push(number as u64 + 2, cells.iter().map(String::as_str))?;
    }
    Ok(rows.table()?)
}

fn cell(field: &Field) -> Option<String> {
    Some(match field {
        Field::Null => String::new(),
        Field::Bool(value) => u8::from(*value).to_string(),
        Field::Byte(value) => value.to_string(),
        Field::Short(value) => value.to_string(),
        Field::Int(value) => value.to_string(),
        Field::Long(value) => value.to_string(),
        Field::UByte(value) => value.to_string(),
        Field::UShort(value) => value.to_string(),
        Field::UInt(value) => value.to_string(),
        Field::ULong(value) => value.to_string(),
        Field::Float16(value) => value.to_f32().to_string(),
        Field::Float(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        Field::Str(value) => value.clone(),
        _ => return None,
    })
}
