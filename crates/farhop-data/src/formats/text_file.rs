//! Text files without a header: lines of cells, with the line number at hand for messages.

use std::path::Path;

use crate::error::DataError;
use crate::error::place::Place;
use crate::files::source::{self, SourceFile};
use crate::formats::number_text::{parse_f32, parse_i64};
use crate::memory::Budget;
use crate::text::{counted, quoted};

/// The bytes of a text file, unpacked if they were compressed.
#[derive(Debug)]
pub struct TextFile {
    source: SourceFile,
    budget: Budget,
    bytes: Vec<u8>,
}

/// Rows of equal width, row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<T> {
    /// Cells in a row; 0 if there is no row.
    pub width: usize,
    /// `[rows, width]`.
    pub values: Vec<T>,
}

impl<T> Rows<T> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }
}

impl TextFile {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<TextFile, DataError> {
        let bytes = source::read_bytes(path)?;
        TextFile::from_bytes(&path.display().to_string(), bytes)
    }

    /// Reads a file if it is there.
    pub fn open_if_there(path: &Path) -> Result<Option<TextFile>, DataError> {
        if path.exists() { TextFile::open(path).map(Some) } else { Ok(None) }
    }

    /// A file from bytes that were read elsewhere; they may be compressed.
    pub fn from_bytes(path: &str, bytes: Vec<u8>) -> Result<TextFile, DataError> {
        let source = SourceFile::of(path, &bytes);
        let budget = source.budget();
        let bytes = source::decompressed(&budget, bytes)?;
        Ok(TextFile { source, budget, bytes })
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// What was read, with its hash.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// What may be made of the file.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The bytes, unpacked, without a byte-order mark.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes)
    }

    /// The text; an error that names the line if it is not UTF-8.
    pub fn text(&self) -> Result<&str, DataError> {
        let bytes = self.bytes();
        std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u64;
            let wrong = &bytes[at..(at + error.error_len().unwrap_or(1)).min(bytes.len())];
            let digits: Vec<String> = wrong.iter().map(|byte| format!("{byte:02x}")).collect();
            DataError::NotUtf8 { place: self.place(line), value: digits.join(" ") }
        })
    }

    /// The lines with their numbers, from 1, without their ends. Blank lines at the end are left out.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let lines = self.bytes().trim_ascii_end();
        let some = if lines.is_empty() { 0 } else { usize::MAX };
        lines.split(|&byte| byte == b'\n').take(some).zip(1..).map(|(line, number)| (number, line.trim_ascii()))
    }

    /// A line of this file, for messages.
    pub fn place(&self, line: u64) -> Place {
        Place { file: self.name().to_string(), line }
    }

    /// What is wrong on a line.
    pub fn wrong_at(&self, line: u64, reason: String) -> DataError {
        DataError::Line { place: self.place(line), reason }
    }

    /// What is wrong with the file as a whole.
    pub fn wrong(&self, reason: String) -> DataError {
        DataError::Array { file: self.name().to_string(), reason }
    }

    /// Rows of finite numbers.
    pub fn numbers(&self) -> Result<Rows<f32>, DataError> {
        self.rows("a finite number", |cell| parse_f32(cell).filter(|number| number.is_finite()))
    }

    /// Rows of whole numbers.
    pub fn integers(&self) -> Result<Rows<i64>, DataError> {
        self.rows("a whole number", parse_i64)
    }

    /// Rows of finite numbers that may be missing: empty cells, `""`, `nan` and `NA` become NaN.
    pub fn optional_numbers(&self) -> Result<Rows<f32>, DataError> {
        self.rows("a finite number", |cell| match cell {
            b"" | b"\"\"" | b"NA" => Some(f32::NAN),
            _ if cell.eq_ignore_ascii_case(b"nan") => Some(f32::NAN),
            _ => parse_f32(cell).filter(|number| number.is_finite()),
        })
    }

    /// One whole number on each line.
    pub fn integer_column(&self) -> Result<Vec<i64>, DataError> {
        let rows = self.integers()?;
        self.require_width(rows.width, 1)?;
        Ok(rows.values)
    }

    /// An error unless rows have this width; a file without rows has any.
    pub fn require_width(&self, found: usize, wanted: usize) -> Result<(), DataError> {
        if found == wanted || found == 0 {
            return Ok(());
        }
        let found = counted(found as u64, "cell", "cells");
        Err(self.wrong_at(1, format!("{found} on a line; {wanted} are needed.")))
    }

    /// An error unless there are this many rows; `of` says what they belong to.
    pub fn require_rows(&self, found: usize, wanted: usize, of: &str) -> Result<(), DataError> {
        if found == wanted {
            return Ok(());
        }
        let found = counted(found as u64, "line", "lines");
        let wanted = crate::text::thousands(wanted as u64);
        Err(self.wrong(format!("{found} for {wanted} {of}. The file is cut short, or belongs to other data.")))
    }

    fn rows<T>(&self, allowed: &str, parse: impl Fn(&[u8]) -> Option<T>) -> Result<Rows<T>, DataError> {
        let mut rows = Rows { width: 0, values: Vec::new() };
        for (number, line) in self.lines() {
            let before = rows.values.len();
            for cell in line.split(|&byte| byte == b',') {
                let cell = cell.trim_ascii();
                match parse(cell) {
                    Some(value) => rows.values.push(value),
                    None => {
                        let value = quoted(&String::from_utf8_lossy(cell));
                        return Err(self.wrong_at(number, format!("{value} is not {allowed}. Correct the cell.")));
                    }
                }
            }
            let found = rows.values.len() - before;
            if before == 0 {
                rows.width = found;
                // Lines are about as long as the first one, line end included.
                let lines = self.bytes.len() / (line.len() + 1);
                self.budget.grow(&mut rows.values, lines.saturating_mul(found))?;
            } else if found != rows.width {
                let cells = counted(found as u64, "cell", "cells");
                let reason = format!("{cells} where line 1 has {}. Add or remove cells.", rows.width);
                return Err(self.wrong_at(number, reason));
            }
        }
        Ok(rows)
    }
}
