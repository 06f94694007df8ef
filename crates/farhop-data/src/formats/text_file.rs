//! Text files without a header: lines of cells, with the line number at hand for messages.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::error::DataError;
use crate::error::place::Place;
use crate::files::scratch::Scratch;
use crate::files::source::{self, SourceFile};
use crate::files::text_store::Text;
use crate::formats::number_text::{parse_f32, parse_i64};
use crate::memory::Budget;
use crate::text::{counted, quoted};

/// A text file, unpacked if it was compressed: its bytes, or where they lie.
#[derive(Debug)]
pub struct TextFile<B = Vec<u8>> {
    source: SourceFile,
    budget: Budget,
    bytes: B,
}

/// What every line is given to, with its number.
type EachLine<'a> = &'a mut dyn FnMut(u64, &[u8]) -> Result<(), DataError>;

/// Bytes that are lines of text.
pub trait Lines {
    /// Bytes in all.
    fn length(&self) -> usize;

    /// Gives every line to `each` with its number, from 1, without its end. Blank lines at the end are left out.
    ///
    /// # Errors
    /// When they can't be read (`failed` names the file), or what `each` says.
    fn each_line(&self, failed: &dyn Fn(io::Error) -> DataError, each: EachLine<'_>) -> Result<(), DataError>;
}

impl Lines for Vec<u8> {
    fn length(&self) -> usize {
        self.len()
    }

    fn each_line(&self, _: &dyn Fn(io::Error) -> DataError, each: EachLine<'_>) -> Result<(), DataError> {
        lines(without_mark(self)).try_for_each(|(number, line)| each(number, line))
    }
}

impl Lines for Text {
    fn length(&self) -> usize {
        self.len()
    }

    fn each_line(&self, failed: &dyn Fn(io::Error) -> DataError, each: EachLine<'_>) -> Result<(), DataError> {
        let start = self.head(BYTE_ORDER_MARK.len());
        let start = start.len() - without_mark(&start).len();
        let mut reader = BufReader::with_capacity(1 << 20, self.reader(start));
        let (mut line, mut number, mut blank) = (Vec::new(), 0, 0);
        while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            number += 1;
            if line.trim_ascii().is_empty() {
                // Left out unless another line follows.
                blank += 1;
            } else {
                (number - blank..number).try_for_each(|number| each(number, b""))?;
                blank = 0;
                each(number, line.trim_ascii())?;
            }
            line.clear();
        }
        Ok(())
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let lines = bytes.trim_ascii_end();
    let some = if lines.is_empty() { 0 } else { usize::MAX };
    lines.split(|&byte| byte == b'\n').take(some).zip(1..).map(|(line, number)| (number, line.trim_ascii()))
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

    /// What may be made of the file.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The bytes, unpacked, without a byte-order mark.
    pub fn bytes(&self) -> &[u8] {
        without_mark(&self.bytes)
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
        lines(self.bytes())
    }
}

impl TextFile<Text> {
    /// As [`TextFile::open`]; with `scratch` the text stays in its file, or is unpacked to one there.
    pub fn open_anywhere(path: &Path, scratch: Option<&Scratch>) -> Result<Self, DataError> {
        let Some(scratch) = scratch else {
            let TextFile { source, budget, bytes } = TextFile::open(path)?;
            return Ok(TextFile { source, budget, bytes: Text::Memory(bytes) });
        };
        let (source, bytes) = Text::on_disk(path, scratch)?;
        let budget = source.budget();
        Ok(TextFile { source, budget, bytes })
    }
}

impl<B: Lines> TextFile<B> {
    /// The name that messages use.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// What was read, with its hash.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Bytes of the text.
    pub fn length(&self) -> usize {
        self.bytes.length()
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

    /// Gives rows of finite numbers to `each`, with the number of the line.
    pub fn each_numbers(&self, mut each: impl FnMut(u64, &[f32]) -> Result<(), DataError>) -> Result<(), DataError> {
        self.each_row(
            "a finite number",
            |cell| parse_f32(cell).filter(|number| number.is_finite()),
            |line, _, row| each(line, row),
        )
    }

    /// Gives rows of whole numbers to `each`, with the number of the line.
    pub fn each_integers(&self, mut each: impl FnMut(u64, &[i64]) -> Result<(), DataError>) -> Result<(), DataError> {
        self.each_row("a whole number", parse_i64, |line, _, row| each(line, row))
    }

    fn rows<T: Copy>(&self, allowed: &str, parse: impl Fn(&[u8]) -> Option<T>) -> Result<Rows<T>, DataError> {
        let mut rows = Rows { width: 0, values: Vec::new() };
        self.each_row(allowed, parse, |_, line, row| {
            if rows.width == 0 {
                rows.width = row.len();
                // Lines are about as long as the first one, line end included.
                let lines = self.bytes.length() / (line + 1);
                self.budget.grow(&mut rows.values, lines.saturating_mul(row.len()))?;
            }
            rows.values.extend_from_slice(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Gives every row of cells to `each`, with number and length of the line; all have as many cells as the first.
    fn each_row<T>(
        &self,
        allowed: &str,
        parse: impl Fn(&[u8]) -> Option<T>,
        mut each: impl FnMut(u64, usize, &[T]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let failed = |source| DataError::Read { file: self.name().to_string(), source };
        let (mut width, mut values) = (0, Vec::new());
        self.bytes.each_line(&failed, &mut |number, line| {
            values.clear();
            for cell in line.split(|&byte| byte == b',') {
                let cell = cell.trim_ascii();
                match parse(cell) {
                    Some(value) => values.push(value),
                    None => {
                        let value = quoted(&String::from_utf8_lossy(cell));
                        return Err(self.wrong_at(number, format!("{value} is not {allowed}. Correct the cell.")));
                    }
                }
            }
            let found = values.len();
            if width == 0 {
                width = found;
            } else if found != width {
                let cells = counted(found as u64, "cell", "cells");
                let reason = format!("{cells} where line 1 has {width}. Add or remove cells.");
                return Err(self.wrong_at(number, reason));
            }
            each(number, line.len(), &values)
        })
    }
}
