//! What is wrong with a SMILES string.

/// Why a SMILES string is not a molecule, on one line: column, what stands there, what is allowed,
/// what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("SMILES, column {column}: {reason}")]
pub struct SmilesError {
    column: usize,
    reason: String,
}

impl SmilesError {
    /// `place` is a byte offset into `text`; the message counts characters from 1.
    pub(super) fn at(text: &str, place: usize, reason: String) -> Self {
        let column = text.char_indices().take_while(|(start, _)| *start < place).count() + 1;
        Self { column, reason }
    }

    /// The same problem in a longer text, whose first `offset` bytes are blank.
    pub(super) fn shifted(self, text: &str, offset: usize) -> Self {
        let blank = text.get(..offset).map_or(0, |blank| blank.chars().count());
        Self { column: self.column + blank, ..self }
    }

    /// The column in the string, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What is wrong there, without the column.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Why a molfile is not a molecule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("molfile, line {}: {reason}", line + 1)]
pub struct MolfileError {
    /// The line in the molfile, from 0.
    pub line: usize,
    /// What is wrong there and what to do.
    pub reason: String,
}

/// A problem with an atom, before it is known where in the string that atom was written.
#[derive(Debug)]
pub(super) struct AtomProblem {
    /// The atom.
    pub atom: u32,
    /// What is wrong with it and what to do.
    pub reason: String,
}

impl AtomProblem {
    pub fn new(atom: u32, reason: String) -> Self {
        Self { atom, reason }
    }
}
