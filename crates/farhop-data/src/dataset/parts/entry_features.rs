//! Features of edges that lie in a file, row by row of the list of edges, and which row every entry has.

use crate::dataset::{Columns, NumbersOnDisk};
use crate::error::DataError;
use crate::files::by_place::read_exact_at;
use crate::files::scratch::ScratchFile;

/// Entries whose rows are read together.
const WINDOW: usize = 1 << 18;
/// Rows of features that are read together.
const TOGETHER: usize = 1 << 16;

/// Features of the entries of a graph, in files.
#[derive(Debug)]
pub(super) struct EntryFeatures {
    /// The row of every entry.
    pub of_entry: ScratchFile,
    /// The rows.
    pub numbers: NumbersOnDisk,
}

impl EntryFeatures {
    /// Those of some entries.
    pub fn of(&self, entries: &[u32]) -> Result<Columns, DataError> {
        let width = self.numbers.width();
        // Every entry's row and place: entries in their order, then rows in theirs, so that files are read forwards.
        let mut places: Vec<(u32, u32)> = entries.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let (mut window, mut first) = (Vec::new(), 0);
        let all = (self.of_entry.length()? / 4) as usize;
        for (entry, _) in &mut places {
            let at = *entry as usize;
            if at >= first + window.len() / 4 {
                first = at;
                window.resize(4 * WINDOW.min(all.saturating_sub(first)), 0);
                read_exact_at(self.of_entry.file(), &mut window, 4 * first as u64)
                    .map_err(|source| DataError::Read { file: self.of_entry.name(), source })?;
            }
            *entry = u32::from_le_bytes(window.as_chunks::<4>().0[at - first]);
        }
        drop(window);
        places.sort_unstable();
        let mut numbers = vec![0.0; entries.len() * width];
        for some in places.chunks(TOGETHER) {
            let mut rows: Vec<u32> = some.iter().map(|(row, _)| *row).collect();
            rows.dedup();
            let found = self.numbers.gather(&rows)?;
            let mut at = 0;
            for &(row, place) in some {
                at += usize::from(rows[at] != row);
                numbers[place as usize * width..][..width].copy_from_slice(&found[at * width..][..width]);
            }
        }
        Ok(Columns::dense(width, numbers))
    }
}
