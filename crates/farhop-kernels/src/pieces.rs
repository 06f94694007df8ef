//! Segments of rows (graphs, sequences) cut into pieces, and pieces gathered into tasks of about equal work. Where the
//! cuts are depends on the segments only, never on the number of threads.

use crate::parallel::{PARALLEL_FROM, in_order};
use std::ops::Range;

/// Element operations that are worth a task.
const WORTH_TASK: usize = 1 << 16;

/// No more tasks than about this many.
const MOST_TASKS: usize = 256;

/// Consecutive rows of one segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Which segment.
    pub segment: usize,
    /// The rows, counted from the first row of all.
    pub rows: Range<usize>,
}

/// All rows in order, as pieces.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    pieces: Vec<Piece>,
    /// Bounds of the tasks in the list of pieces.
    bounds: Vec<usize>,
    parallel: bool,
}

impl Pieces {
    /// Pieces of at most `step` rows; a row of a segment of n rows costs `cost(n)` operations. Segments without rows
    /// have none.
    pub fn new(offsets: &[usize], step: usize, cost: impl Fn(usize) -> usize) -> Self {
        let mut pieces = Vec::new();
        let mut costs = Vec::new();
        for (segment, bounds) in offsets.windows(2).enumerate() {
            let each = cost(bounds[1] - bounds[0]);
            for start in (bounds[0]..bounds[1]).step_by(step.max(1)) {
                let rows = start..(start + step.max(1)).min(bounds[1]);
                costs.push(rows.len().saturating_mul(each));
                pieces.push(Piece { segment, rows });
            }
        }
        let total = costs.iter().fold(0usize, |sum, c| sum.saturating_add(*c));
        let worth = (total / MOST_TASKS).max(WORTH_TASK);
        let mut bounds = vec![0];
        let mut work = 0usize;
        for (at, cost) in costs.iter().enumerate() {
            work = work.saturating_add(*cost);
            if work >= worth {
                bounds.push(at + 1);
                work = 0;
            }
        }
        if bounds.last() != Some(&pieces.len()) {
            bounds.push(pieces.len());
        }
        Pieces { pieces, bounds, parallel: total >= PARALLEL_FROM }
    }

    /// Calls `task` with the pieces of each task and with the rows from the first of them to the last; results in
    /// order.
    pub fn map<R: Send>(&self, task: impl Fn(&[Piece], Range<usize>) -> R + Sync + Send) -> Vec<R> {
        in_order(self.bounds.len() - 1, self.parallel, |at| {
            let pieces = &self.pieces[self.bounds[at]..self.bounds[at + 1]];
            let rows = match pieces {
                [] => 0..0,
                [first, .., last] => first.rows.start..last.rows.end,
                [only] => only.rows.clone(),
            };
            task(pieces, rows)
        })
    }

    /// Calls `task` for every task, as [`Pieces::map`].
    pub fn run(&self, task: impl Fn(&[Piece], Range<usize>) + Sync + Send) {
        self.map(task);
    }
}

/// Fails unless `offsets` start at 0 and ascend; returns how many rows they cut.
///
/// # Panics
/// As said.
pub(crate) fn rows_of(offsets: &[usize]) -> usize {
    assert!(offsets.is_sorted(), "offsets ascend");
    assert_eq!(offsets.first().copied().unwrap_or(0), 0, "offsets start at 0");
    offsets.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_piece_of_its_segment() {
        let offsets = [0, 3, 3, 10, 11, 2000];
        let pieces = Pieces::new(&offsets, 4, |n| n * 50);
        let seen: Vec<Piece> = pieces.map(|pieces, _| pieces.to_vec()).concat();
        let mut next = 0;
        for piece in &seen {
            assert_eq!(piece.rows.start, next);
            assert!(!piece.rows.is_empty() && piece.rows.len() <= 4);
            assert!(offsets[piece.segment] <= next && piece.rows.end <= offsets[piece.segment + 1]);
            next = piece.rows.end;
        }
        assert_eq!(next, 2000);
        let spans = pieces.map(|_, rows| rows);
        assert!(spans.len() > 10 && spans.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(Pieces::new(&[], 4, |_| 1).map(|_, rows| rows).is_empty());
    }
}
