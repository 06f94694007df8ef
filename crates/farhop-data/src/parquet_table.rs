//! Parquet tables, with the cargo feature `parquet`: compressed with Snappy or gzip, or not at all.
//!
//! A row of the file is a row of the table; messages call row `r` (from 1) line `r + 1`, as if it stood below a header.

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::error::DataError;
use crate::source::SourceFile;
use crate::table::Table;
use crate::text::{one_line, quoted};

/// A Parquet file as a table of cells.
pub(crate) fn read(source: SourceFile, bytes: Vec<u8>) -> Result<Table, DataError> {
    let file = source.name().to_string();
    let damaged = |reason: String| DataError::Array {
        file: file.clone(),
        reason: format!(
            "the Parquet file cannot be read ({}). Write it again, with Snappy or gzip.",
            one_line(&reason)
        ),
    };
    // The decoder is another's code: whatever it meets in a broken file, the answer is a message.
    let rows = std::panic::catch_unwind(|| cells(bytes)).unwrap_or_else(|_| Err("it is damaged".to_string()));
    let (header, cells, lines) = rows.map_err(damaged)?;
    for (number, name) in header.iter().enumerate() {
        if let Some(first) = header[..number].iter().position(|other| other == name) {
            let (first, second) = (first + 1, number + 1);
            return Err(DataError::DuplicateColumn { file, name: name.clone(), first, second });
        }
    }
    Table::from_cells(source, header, &cells, lines)
}

type Cells = (Vec<String>, Vec<String>, Vec<u64>);

fn cells(bytes: Vec<u8>) -> Result<Cells, String> {
    let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(|error| error.to_string())?;
    let schema = reader.metadata().file_metadata().schema();
    let header: Vec<String> = schema.get_fields().iter().map(|field| field.name().trim().to_string()).collect();
    if header.is_empty() {
        return Err("it has no columns".to_string());
    }
    let (mut cells, mut lines) = (Vec::new(), Vec::new());
    for (number, row) in reader.get_row_iter(None).map_err(|error| error.to_string())?.enumerate() {
        let row = row.map_err(|error| error.to_string())?;
        for (name, field) in row.get_column_iter() {
            cells.push(
                cell(field).ok_or_else(|| format!("column {} holds lists, dates or other compounds", quoted(name)))?,
            );
        }
        lines.push(number as u64 + 2);
    }
    Ok((header, cells, lines))
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
