//! Tables made row by row of what came in another format.

use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::table::Table;
use crate::memory::Budget;

/// A table that is being made. Its text is counted before it is written.
pub(crate) struct TableRows {
    source: SourceFile,
    budget: Budget,
    header: Vec<String>,
    lines: Vec<u64>,
    writer: csv::Writer<Vec<u8>>,
}

impl TableRows {
    /// A table without rows. The columns are different ones.
    pub fn new(source: SourceFile, budget: Budget, header: Vec<String>) -> Result<TableRows, DataError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).map_err(|error| failed(&source, error))?;
        Ok(TableRows { source, budget, header, lines: Vec::new(), writer })
    }

    /// Adds a row that stands on this line of the file: a cell for every column.
    pub fn push<'c>(&mut self, line: u64, cells: impl Iterator<Item = &'c str> + Clone) -> Result<(), DataError> {
        // A delimiter behind every cell, the quotes that it may need, the number of the line.
        self.budget.charge(cells.clone().map(|cell| cell.len() as u64 + 3).sum::<u64>() + 8)?;
        self.writer.write_record(cells).map_err(|error| failed(&self.source, error))?;
        self.lines.push(line);
        Ok(())
    }

    /// The table.
    pub fn table(self) -> Result<Table, DataError> {
        let bytes = self.writer.into_inner().map_err(|error| failed(&self.source, error.into_error().into()))?;
        Ok(Table::of_rows(self.source, self.budget, self.header, bytes, self.lines))
    }
}

fn failed(source: &SourceFile, error: csv::Error) -> DataError {
    let reason = std::io::Error::other(error.to_string());
    DataError::Read { file: source.name().to_string(), source: reason }
}
