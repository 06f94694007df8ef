//! How messages name a row or a cell of a file. Line numbers are printed plainly, without
//! separators, so that they can be pasted into an editor.

use crate::text::quoted;

/// A cell of a table, as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The file, as the user gave it.
    pub file: String,
    /// The line of the file on which the row starts, counted from 1.
    pub line: u64,
    /// The name of the column.
    pub column: String,
    /// What stands in the cell.
    pub value: String,
}

/// A row of a table, as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user gave it.
    pub file: String,
    /// The line of the file on which the row starts, counted from 1.
    pub line: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, line {}, column {}", self.file, self.line, quoted(&self.column))
    }
}
