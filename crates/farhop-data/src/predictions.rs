//! Predictions under the user's own ids.

use std::io::{self, Write};
use std::path::Path;

use crate::error::DataError;
use crate::metrics::largest;
use crate::save::write_atomically;

/// Predicted classes with their probabilities.
#[derive(Debug, Clone, Copy)]
pub struct Predictions<'a> {
    /// The ids.
    pub ids: &'a [String],
    /// The names of the classes.
    pub classes: &'a [String],
    /// `[ids, classes]`, row after row, finite.
    pub probabilities: &'a [f32],
}

impl Predictions<'_> {
    /// Writes `id,prediction,probability_<class>,...` atomically: the file is the old one or
    /// complete.
    pub fn save(&self, path: &Path) -> Result<(), DataError> {
        self.check()?;
        write_atomically(path, |file| self.write_rows(file))
    }

    /// Writes the same rows to any writer; `name` is for messages.
    pub fn write(&self, name: &str, writer: &mut dyn Write) -> Result<(), DataError> {
        self.check()?;
        self.write_rows(writer).map_err(|source| DataError::Write { file: name.to_string(), source })
    }

    fn check(&self) -> Result<(), DataError> {
        let (ids, classes) = (self.ids.len(), self.classes.len());
        if classes == 0 || self.probabilities.len() != ids * classes {
            return Err(DataError::Mismatch {
                what: format!("{} probabilities do not fit {ids} ids and {classes} classes.", self.probabilities.len()),
            });
        }
        match self.probabilities.iter().position(|p| !p.is_finite()) {
            None => Ok(()),
            Some(position) => Err(DataError::Mismatch {
                what: format!(
                    "the model gave {} for id {}, class {}. Nothing was written.",
                    self.probabilities[position],
                    crate::text::quoted(&self.ids[position / classes]),
                    crate::text::quoted(&self.classes[position % classes])
                ),
            }),
        }
    }

    fn write_rows(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(writer);
        let named = self.classes.iter().map(|class| format!("probability_{class}"));
        let header: Vec<String> = ["id", "prediction"].map(String::from).into_iter().chain(named).collect();
        csv.write_record(&header).map_err(as_io)?;
        let best = largest(self.probabilities, self.classes.len());
        let rows = self.probabilities.chunks_exact(self.classes.len());
        for ((id, row), best) in self.ids.iter().zip(rows).zip(best) {
            let shares: Vec<String> = row.iter().map(f32::to_string).collect();
            let names = [id.as_str(), &self.classes[best as usize]];
            let cells = names.into_iter().chain(shares.iter().map(String::as_str));
            csv.write_record(cells).map_err(as_io)?;
        }
        csv.flush()
    }
}

/// What the system said, as it said it: whoever writes to a pipe looks at the kind.
fn as_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
