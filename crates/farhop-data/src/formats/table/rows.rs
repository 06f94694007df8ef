//! A walk over the rows of a table of text.

use csv::StringRecord;

use super::{Table, parse_error};
use crate::error::DataError;
use crate::error::place::{Cell, Place};
use crate::error::problems::Problems;
use crate::files::text_store::TextReader;

/// A walk over the rows of a table. Not an `Iterator`: each row borrows the walk's one buffer.
pub struct Rows<'a> {
    table: &'a Table,
    reader: csv::Reader<TextReader<'a>>,
    record: StringRecord,
    next: usize,
    /// Where the row starts, or the line ends before it.
    offset: usize,
}

/// One row of a table.
pub struct Row<'r> {
    /// The number of the row, from 0, not counting the header.
    pub index: usize,
    table: &'r Table,
    record: &'r StringRecord,
    offset: usize,
}

impl<'a> Rows<'a> {
    /// The rows that `reader` has before it.
    pub(super) fn new(table: &'a Table, reader: csv::Reader<TextReader<'a>>) -> Self {
        Rows { table, reader, record: StringRecord::new(), next: 0, offset: 0 }
    }

    /// The next row, or `None` at the end.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, DataError> {
        match self.advance()? {
            false => Ok(None),
            true if self.is_whole() => Ok(Some(self.take_row())),
            true => Err(self.ragged()),
        }
    }

    /// As [`Rows::next_row`]; rows with more or fewer cells than the header become problems and are passed over.
    pub(crate) fn next_telling(&mut self, problems: &mut Problems) -> Result<Option<Row<'_>>, DataError> {
        self.next_showing(problems, |_| ())
    }

    /// As [`Rows::next_telling`]; the rows that are passed over are shown.
    pub(crate) fn next_showing(
        &mut self,
        problems: &mut Problems,
        mut show: impl FnMut(&Row<'_>),
    ) -> Result<Option<Row<'_>>, DataError> {
        while self.advance()? {
            if self.is_whole() {
                return Ok(Some(self.take_row()));
            }
            problems.add(|| self.ragged());
            show(&self.row(self.next));
        }
        Ok(None)
    }

    /// As [`Rows::next_row`], for a table whose first walk has told which rows are not whole: they are passed over.
    pub(crate) fn next_whole_row(&mut self) -> Result<Option<Row<'_>>, DataError> {
        while self.advance()? {
            if self.is_whole() {
                return Ok(Some(self.take_row()));
            }
        }
        Ok(None)
    }

    /// Goes to the next row that is not blank; `false` at the end.
    fn advance(&mut self) -> Result<bool, DataError> {
        loop {
            let more = self.reader.read_record(&mut self.record).map_err(|error| parse_error(self.table, error))?;
            if !more {
                return Ok(false);
            }
            let position = self.record.position().map_or(0, |p| p.byte() as usize);
            self.offset = self.table.start + position;
            self.check_quotes()?;
            let blank = self.record.len() == 1 && self.record[0].trim().is_empty();
            if !(blank && self.table.header.len() > 1) {
                return Ok(true);
            }
        }
    }

    fn is_whole(&self) -> bool {
        self.record.len() == self.table.header.len()
    }

    fn row(&self, index: usize) -> Row<'_> {
        Row { index, table: self.table, record: &self.record, offset: self.offset }
    }

    fn take_row(&mut self) -> Row<'_> {
        self.next += 1;
        self.row(self.next - 1)
    }

    fn ragged(&self) -> DataError {
        let (found, expected) = (self.record.len(), self.table.header.len());
        DataError::Ragged { place: self.row(self.next).place(), found, expected }
    }

    /// The parser takes an open quote to the end of the file; that is never what was meant.
    fn check_quotes(&self) -> Result<(), DataError> {
        let end = self.table.start + self.reader.position().byte() as usize;
        if end < self.table.text.len() {
            return Ok(());
        }
        let start = self.table.first_byte_of_row(self.offset);
        let text = self.table.text.slice(start, usize::MAX);
        let quotes = text.iter().filter(|&&byte| byte == b'"').count();
        let inner = text.trim_ascii_end();
        if quotes % 2 == 1 && inner.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Err(DataError::OpenQuote { place: self.table.place_at(start) });
        }
        Ok(())
    }
}

impl Row<'_> {
    /// The cell of a column, without white space around it. An unknown column is an empty cell.
    pub fn cell(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or("").trim()
    }

    /// Where the row is. Counts lines: meant for messages.
    pub fn place(&self) -> Place {
        match &self.table.lines {
            None => self.table.place_at(self.table.first_byte_of_row(self.offset)),
            Some(lines) => {
                let line = lines.get(self.index).copied().unwrap_or(1);
                Place { file: self.table.name().to_string(), line }
            }
        }
    }

    /// A cell with its place, for messages.
    pub fn named_cell(&self, column: usize) -> Box<Cell> {
        let place = self.place();
        Box::new(Cell {
            file: place.file,
            line: place.line,
            column: self.table.header.get(column).cloned().unwrap_or_default(),
            value: self.cell(column).to_string(),
        })
    }
}
