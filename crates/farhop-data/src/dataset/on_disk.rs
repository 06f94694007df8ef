//! Numbers that stay in their file.
//!
//! Rows are read by their position when they are asked for, and nothing is kept: the system's file cache holds what was
//! read lately and gives way to anything else. Reading by position rather than mapping the file into memory costs a copy
//! that a batch makes anyway; in return a file that is cut short is an error and not the end of the process, the address
//! space stays free (`ulimit -v`), resident memory is what the program itself uses, and no line of it is unsafe.

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use crate::error::DataError;
use crate::files::by_place::read_exact_at;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;
/// Rows that lie at most this many bytes apart are read in one go, and what is between them is left out: a call of the
/// system costs about as much as copying this much.
const GAP: usize = 1 << 12;

/// A matrix of finite 32-bit floats, row after row, in a file. Clones share the open file.
#[derive(Clone)]
pub struct NumbersOnDisk {
    file: Arc<File>,
    name: Arc<str>,
    /// Where the first number lies.
    start: u64,
    rows: usize,
    width: usize,
    /// What every row is brought to on its way.
    scale: Option<Arc<Scale>>,
}

/// What rows are brought to.
#[derive(PartialEq)]
enum Scale {
    /// What is subtracted from each column, and what is then divided by.
    OfColumns([Vec<f32>; 2]),
    /// Divided by the sum of the row; rows that add up to 0 stay.
    SumOfRow,
}

impl NumbersOnDisk {
    /// `rows * width` numbers that begin at byte `start`. Whoever calls this has looked at all of them.
    pub(crate) fn new(name: &str, file: File, start: u64, [rows, width]: [usize; 2]) -> Self {
        NumbersOnDisk { file: Arc::new(file), name: name.into(), start, rows, width, scale: None }
    }

    /// The same numbers read as `(value - shift) / factor`, column by column.
    ///
    /// # Panics
    /// If there is not one of each for every column.
    pub fn scaled(self, shift: Vec<f32>, factor: Vec<f32>) -> Self {
        assert_eq!([shift.len(), factor.len()], [self.width; 2], "a shift and a factor for every column");
        assert!(self.scale.is_none(), "scaled twice");
        NumbersOnDisk { scale: Some(Arc::new(Scale::OfColumns([shift, factor]))), ..self }
    }

    /// The same numbers read as they are divided by the sum of their row; rows that add up to 0 stay.
    ///
    /// # Panics
    /// If they have another scale.
    pub fn row_normalised(self) -> Self {
        assert!(self.scale.is_none(), "scaled twice");
        NumbersOnDisk { scale: Some(Arc::new(Scale::SumOfRow)), ..self }
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Bytes that all numbers would take in memory.
    pub fn bytes(&self) -> u64 {
        4 * self.rows as u64 * self.width as u64
    }

    /// The numbers of these rows, one after the other. Fastest if the rows ascend.
    ///
    /// # Errors
    /// When the file can't be read any more, or no longer holds finite numbers.
    ///
    /// # Panics
    /// If there is no such row, as indexing a slice does.
    pub fn gather(&self, rows: &[u32]) -> Result<Vec<f32>, DataError> {
        let mut numbers = Vec::with_capacity(rows.len() * self.width);
        let mut bytes = Vec::new();
        let most = (CHUNK / (4 * self.width).max(1)).max(1);
        let gap = GAP / (4 * self.width).max(1);
        let mut rest = rows;
        while let Some(&first) = rest.first() {
            let near = |pair: &[u32]| pair[1] > pair[0] && (pair[1] - pair[0]) as usize <= gap + 1;
            let together =
                1 + rest.windows(2).take_while(|pair| near(pair) && (pair[1] - first) as usize <= most).count();
            let (run, others) = rest.split_at(together);
            let last = run.last().copied().unwrap_or(first);
            self.read(first as usize..last as usize + 1, &mut bytes)?;
            for &row in run {
                let from = 4 * self.width * (row - first) as usize;
                let before = numbers.len();
                numbers.extend(decoded(&bytes[from..from + 4 * self.width]));
                self.check(&numbers[before..], row as usize)?;
                self.bring_to_scale(&mut numbers[before..]);
            }
            rest = others;
        }
        Ok(numbers)
    }

    /// All numbers, in memory.
    ///
    /// # Errors
    /// As [`NumbersOnDisk::gather`].
    pub fn to_dense(&self) -> Result<Vec<f32>, DataError> {
        let mut numbers = Vec::with_capacity(self.rows * self.width);
        self.for_each(|_, rows| {
            numbers.extend_from_slice(rows);
            Ok::<(), DataError>(())
        })?;
        Ok(numbers)
    }

    /// All numbers, some rows at a time, with the number of the first of them.
    ///
    /// # Errors
    /// As [`NumbersOnDisk::gather`], or what `each` says.
    pub fn for_each<E: From<DataError>>(&self, mut each: impl FnMut(usize, &[f32]) -> Result<(), E>) -> Result<(), E> {
        let most = (CHUNK / (4 * self.width).max(1)).max(1);
        let (mut bytes, mut numbers) = (Vec::new(), Vec::new());
        let mut first = 0;
        while first < self.rows && self.width > 0 {
            let end = self.rows.min(first + most);
            self.read(first..end, &mut bytes)?;
            numbers.clear();
            numbers.extend(decoded(&bytes));
            self.check(&numbers, first)?;
            self.bring_to_scale(&mut numbers);
            each(first, &numbers)?;
            first = end;
        }
        Ok(())
    }

    fn read(&self, rows: Range<usize>, bytes: &mut Vec<u8>) -> Result<(), DataError> {
        assert!(rows.end <= self.rows, "row {} of {}", rows.end - 1, self.rows);
        bytes.resize(4 * self.width * rows.len(), 0);
        let place = self.start + 4 * self.width as u64 * rows.start as u64;
        read_exact_at(&self.file, bytes, place)
            .map_err(|source| DataError::Read { file: self.name.to_string(), source })
    }

    /// The numbers were finite when the file was opened; a file that was written over since then may hold anything.
    fn check(&self, numbers: &[f32], first: usize) -> Result<(), DataError> {
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(()),
            Some(at) => Err(DataError::Array {
                file: self.name.to_string(),
                reason: format!(
                    "{} The file changed while it was read: start again.",
                    self.not_finite(first, at, numbers[at])
                ),
            }),
        }
    }

    fn bring_to_scale(&self, numbers: &mut [f32]) {
        for row in numbers.chunks_exact_mut(self.width.max(1)) {
            match self.scale.as_deref() {
                None => return,
                Some(Scale::SumOfRow) => divide_by_sum(row),
                Some(Scale::OfColumns([shift, factor])) => {
                    for (value, (shift, factor)) in row.iter_mut().zip(shift.iter().zip(factor)) {
                        *value = (*value - shift) / factor;
                    }
                }
            }
        }
    }

    fn not_finite(&self, first: usize, at: usize, number: f32) -> String {
        not_finite("nodes", self.width, first * self.width + at, number)
    }
}

/// Divides the numbers of a row by their sum, unless that is 0.
pub(super) fn divide_by_sum(row: &mut [f32]) {
    let sum: f32 = row.iter().sum();
    if sum != 0.0 {
        row.iter_mut().for_each(|value| *value /= sum);
    }
}

/// Says which number is not finite.
pub(crate) fn not_finite(what: &str, width: usize, at: usize, number: f32) -> String {
    format!("{what} row {}, column {} is {number}, not a finite number.", at / width.max(1), at % width.max(1))
}

/// Numbers from their bytes, little-endian.
pub(crate) fn decoded(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks::<4>().0.iter().map(|&chunk| f32::from_le_bytes(chunk))
}

impl fmt::Debug for NumbersOnDisk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("NumbersOnDisk");
        debug.field("name", &self.name).field("rows", &self.rows).field("width", &self.width).finish_non_exhaustive()
    }
}

impl PartialEq for NumbersOnDisk {
    /// Whether they are the same numbers of the same open file, on the same scale.
    fn eq(&self, other: &Self) -> bool {
        let place = |numbers: &Self| (numbers.start, numbers.rows, numbers.width);
        Arc::ptr_eq(&self.file, &other.file) && place(self) == place(other) && self.scale == other.scale
    }
}
