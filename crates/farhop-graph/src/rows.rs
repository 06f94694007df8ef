//! Parallel work on the rows of a CSR array.

/// Below this many values a stretch of rows is not worth splitting between threads.
const GRAIN: usize = 1 << 14;

/// Calls `work(row, values of the row)` for every row, in parallel.
///
/// `offsets` has one more element than there are rows; row `r` is
/// `values[offsets[r] - offsets[0]..offsets[r + 1] - offsets[0]]`. Stretches are split at half of their
/// values, not of their rows, so that one row of a million values keeps one thread busy and not all of
/// its neighbours waiting.
pub(crate) fn for_each_row<W>(offsets: &[usize], values: &mut [u32], work: &W)
where
    W: Fn(usize, &mut [u32]) + Sync,
{
    if offsets.len() > 1 {
        stretch(0, offsets, values, work);
    }
}

fn stretch<W>(first: usize, offsets: &[usize], values: &mut [u32], work: &W)
where
    W: Fn(usize, &mut [u32]) + Sync,
{
    let rows = offsets.len() - 1;
    if rows == 1 || values.len() <= GRAIN {
        let mut rest = values;
        for row in 0..rows {
            let (head, tail) = rest.split_at_mut(offsets[row + 1] - offsets[row]);
            work(first + row, head);
            rest = tail;
        }
        return;
    }
    let half = offsets[0] + values.len() / 2;
    let middle = offsets.partition_point(|&offset| offset < half).clamp(1, rows - 1);
    let (left, right) = values.split_at_mut(offsets[middle] - offsets[0]);
    rayon::join(
        || stretch(first, &offsets[..=middle], left, work),
        || stretch(first + middle, &offsets[middle..], right, work),
    );
}

/// Replaces counts stored at `offsets[i + 1]` by the offsets of the rows (a running sum).
pub(crate) fn running_sum(offsets: &mut [usize]) {
    let mut sum = 0;
    for offset in offsets {
        sum += *offset;
        *offset = sum;
    }
}
