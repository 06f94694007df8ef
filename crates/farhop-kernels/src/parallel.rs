//! Rows over threads, with the same bits for any number of threads.
//!
//! Work is cut into blocks of rows whose bounds depend on the data only, never on the number of threads. A block is one task;
//! whatever is summed over blocks is summed in the order of the blocks. The pool is rayon's current one.

use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;

/// Element operations from which a pass is shared among threads. Below, a few microseconds, handing work over costs what it saves.
pub const PARALLEL_FROM: usize = 1 << 14;

/// Element operations that a few blocks have together: smaller blocks would not be worth a task.
const WORTH_BLOCKS: usize = 1 << 17;

/// Consecutive ranges of rows.
#[derive(Clone, Debug)]
pub struct Blocks {
    bounds: Vec<usize>,
    parallel: bool,
}

impl Blocks {
    /// Blocks of about equal work for rows of a graph: a row costs its entries plus `row_cost`, an entry costs `width` operations.
    pub fn by_entries(offsets: &[usize], row_cost: usize, width: usize) -> Self {
        Blocks::some_by_entries(offsets, 0..offsets.len().saturating_sub(1), row_cost, width)
    }

    /// As [`Blocks::by_entries`] for some of the rows.
    pub fn some_by_entries(offsets: &[usize], rows: Range<usize>, row_cost: usize, width: usize) -> Self {
        let entries = if rows.is_empty() { 0 } else { offsets[rows.end] - offsets[rows.start] };
        let total = entries + rows.len() * row_cost;
        // Enough blocks to balance, each large enough to be worth a task.
        let target = (total / 256).max(WORTH_BLOCKS / width.max(1) / 8).max(1);
        let mut bounds = vec![rows.start];
        let mut work = 0;
        for i in rows.clone() {
            work += offsets[i + 1] - offsets[i] + row_cost;
            if work >= target {
                bounds.push(i + 1);
                work = 0;
            }
        }
        if *bounds.last().unwrap_or(&0) != rows.end {
            bounds.push(rows.end);
        }
        Blocks { bounds, parallel: total.saturating_mul(width) >= PARALLEL_FROM }.checked(rows)
    }

    /// Blocks of equally many rows of `width` element operations each.
    pub fn by_rows(rows: usize, width: usize) -> Self {
        let step = (WORTH_BLOCKS / 4 / width.max(1)).clamp(16, 4096);
        let mut bounds: Vec<usize> = (0..rows).step_by(step).collect();
        bounds.push(rows);
        if rows == 0 {
            bounds = vec![0];
        }
        Blocks { bounds, parallel: rows.saturating_mul(width) >= PARALLEL_FROM }.checked(0..rows)
    }

    /// What every `SharedMut` of a kernel relies on: no row is in two blocks, and none is left out.
    fn checked(self, rows: Range<usize>) -> Self {
        debug_assert!(self.bounds.is_sorted_by(|a, b| a < b), "blocks are disjoint");
        let ends = (self.bounds.first(), self.bounds.last());
        debug_assert_eq!(ends, (Some(&rows.start), Some(&rows.end)), "blocks cover all rows");
        self
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// True when there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `task` with the rows of each block.
    pub fn run(&self, task: impl Fn(Range<usize>) + Sync + Send) {
        self.map(task);
    }

    /// Calls `task` with the rows of each block and returns the results in the order of the blocks.
    pub fn map<R: Send>(&self, task: impl Fn(Range<usize>) -> R + Sync + Send) -> Vec<R> {
        let range = |b: usize| self.bounds[b]..self.bounds[b + 1];
        if self.parallel && self.len() > 1 {
            (0..self.len()).into_par_iter().map(|b| task(range(b))).collect()
        } else {
            (0..self.len()).map(|b| task(range(b))).collect()
        }
    }
}

/// Calls `task` with 0 to `count`, exclusive, on several threads if `parallel`; results in order.
pub fn in_order<R: Send>(count: usize, parallel: bool, task: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if parallel && count > 1 { (0..count).into_par_iter().map(task).collect() } else { (0..count).map(task).collect() }
}

/// Sets all numbers to zero.
pub fn clear(values: &mut [f32]) {
    each_part(values, |_, part| part.fill(0.0));
}

/// `sums += values`, element by element.
pub fn add(values: &[f32], sums: &mut [f32]) {
    assert_eq!(values.len(), sums.len(), "what is added is as long as its sum");
    each_part(sums, |range, part| part.iter_mut().zip(&values[range]).for_each(|(sum, value)| *sum += value));
}

/// Calls `task` with the parts of a slice and their places.
pub(crate) fn each_part<T: Send + Sync>(values: &mut [T], task: impl Fn(Range<usize>, &mut [T]) + Sync + Send) {
    const PART: usize = 1 << 14;
    let count = values.len();
    let shared = SharedMut::new(values);
    Blocks::by_rows(count.div_ceil(PART), PART).run(|parts| {
        let range = parts.start * PART..(parts.end * PART).min(count);
        // SAFETY: blocks are disjoint ranges.
        task(range.clone(), unsafe { shared.part(range) });
    });
}

/// Adds up equally long vectors in their order, in f64, so that the sum of many blocks loses nothing.
pub fn sum_in_order(parts: Vec<Vec<f32>>, len: usize) -> Vec<f32> {
    let mut total = vec![0.0f64; len];
    for part in &parts {
        for (t, v) in total.iter_mut().zip(part) {
            *t += f64::from(*v);
        }
    }
    total.into_iter().map(|v| v as f32).collect()
}

/// A slice that several tasks write to, each to its own part. Elements that threads may not share can't be in it:
///
/// ```compile_fail,E0277
/// fn on_threads<T: Send + Sync>(_: T) {}
/// let mut cells = [std::cell::Cell::new(0)];
/// on_threads(farhop_kernels::parallel::SharedMut::new(&mut cells));
/// ```
#[derive(Clone, Copy)]
pub struct SharedMut<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: the callers of `part` promise that parts taken at the same time do not overlap, so sending the pointer to other
// threads is no different from sending the sub-slices themselves.
//
// Copies of the pointer are on several threads at once, and `view` lets them read the same elements: `T` has to be `Sync` for
// both, too.
unsafe impl<T: Send + Sync> Send for SharedMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for SharedMut<'_, T> {}

impl<'a, T> SharedMut<'a, T> {
    /// Shares `slice`.
    pub fn new(slice: &'a mut [T]) -> Self {
        SharedMut { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// True when the slice has no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The part `range`, writable.
    ///
    /// # Safety
    /// No other part that is in use at the same time, on any thread, may overlap `range`.
    #[inline(always)]
    pub unsafe fn part(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "part outside of the slice");
        // SAFETY: in bounds by the assertion; exclusive by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.end - range.start) }
    }

    /// The part `range`, to read.
    ///
    /// # Safety
    /// No writable part that is in use at the same time, on any thread, may overlap `range`.
    #[inline(always)]
    pub unsafe fn view(&self, range: Range<usize>) -> &'a [T] {
        assert!(range.start <= range.end && range.end <= self.len, "part outside of the slice");
        // SAFETY: in bounds by the assertion; not written to by the caller's promise.
        unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.end - range.start) }
    }
}
