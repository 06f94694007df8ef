//! Dropout whose mask is a function of a seed and the element's place, so that it never has to be stored: the backward pass
//! and any number of threads compute the same one.

use farhop_graph::random::mix;

/// Zeroes each element with a probability and divides the others by what is left, so that the mean stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropout {
    seed: u64,
    threshold: u32,
    scale: f32,
    rows: RowNames,
}

/// What rows are called, which masks go by. A mask is copied into every kernel, so names are a plain reference, to what stays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RowNames {
    /// By their places.
    #[default]
    Places,
    /// Row i is row `names[i]` of many.
    Names(&'static [u32]),
    /// Row i is row `first + i` of many, and from row `split` on row `then + (i - split)`.
    Shifted {
        /// The first row of the second run.
        split: usize,
        /// What the first row is called.
        first: u64,
        /// What row `split` is called.
        then: u64,
    },
    /// Row i is row `entries[i]` of many, and the rows behind these are called `total + nodes[..]`: entries and nodes of a part of a graph.
    OfPart {
        /// Of every entry.
        entries: &'static [u32],
        /// Of every node.
        nodes: &'static [u32],
        /// Entries of the whole graph.
        total: u64,
    },
}

impl RowNames {
    #[inline(always)]
    fn of(self, row: usize) -> u64 {
        match self {
            RowNames::Places => row as u64,
            RowNames::Names(names) => u64::from(names[row]),
            RowNames::Shifted { split, first, .. } if row < split => first + row as u64,
            RowNames::Shifted { split, then, .. } => then + (row - split) as u64,
            RowNames::OfPart { entries, nodes, total } => match row.checked_sub(entries.len()) {
                None => u64::from(entries[row]),
                Some(node) => total + u64::from(nodes[node]),
            },
        }
    }
}

/// The key of one row's mask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowKey {
    low: u32,
    high: u32,
}

impl Dropout {
    /// Leaves everything as it is.
    pub const NONE: Dropout = Dropout { seed: 0, threshold: 0, scale: 1.0, rows: RowNames::Places };

    /// Drops with `probability`, to a resolution of 2^-32. A probability of 0 or less, or NaN, drops nothing; 1 or more drops
    /// everything.
    pub fn new(probability: f32, seed: u64) -> Self {
        if probability >= 1.0 {
            return Dropout { seed, threshold: u32::MAX, scale: 0.0, rows: RowNames::Places };
        }
        if probability > 0.0 {
            let threshold = (f64::from(probability) * 4_294_967_296.0) as u32;
            return Dropout {
                seed,
                threshold,
                scale: (1.0 / (1.0 - f64::from(probability))) as f32,
                rows: RowNames::Places,
            };
        }
        Dropout::NONE
    }

    /// The same for rows that are some of many: every row has the mask of what it is called.
    pub fn for_rows(self, rows: RowNames) -> Self {
        Dropout { rows, ..self }
    }

    /// True if nothing is dropped.
    pub fn is_none(&self) -> bool {
        self.threshold == 0
    }

    /// What element (row, column) is multiplied with: 0 or `1 / (1 - probability)`.
    pub fn factor(&self, row: usize, column: usize) -> f32 {
        if self.is_none() { 1.0 } else { self.factor_in(self.row_key(row), column as u32) }
    }

    /// The key of a row: one strong hash a row, so that the hash per element can be short.
    #[inline(always)]
    pub(crate) fn row_key(&self, row: usize) -> RowKey {
        let name = if self.is_none() { row as u64 } else { self.rows.of(row) };
        let word = mix(self.seed, name);
        RowKey { low: word as u32, high: (word >> 32) as u32 }
    }

    /// 32-bit multiplications and shifts only: a vector register's worth of elements at a time.
    #[inline(always)]
    fn factor_in(&self, key: RowKey, column: u32) -> f32 {
        let mut word = column.wrapping_mul(0x9E37_79B9).wrapping_add(key.low);
        word = (word ^ (word >> 16)).wrapping_mul(0x7FEB_352D) ^ key.high;
        word = (word ^ (word >> 15)).wrapping_mul(0x846C_A68B);
        word ^= word >> 16;
        if word >= self.threshold { self.scale } else { 0.0 }
    }

    /// Multiplies the elements of a row with their factors.
    #[inline(always)]
    pub(crate) fn apply(&self, key: RowKey, values: &mut [f32]) {
        self.apply_from(key, 0, values);
    }

    /// Multiplies the elements of a row from column `first` on with their factors.
    #[inline(always)]
    pub(crate) fn apply_from(&self, key: RowKey, first: usize, values: &mut [f32]) {
        if self.is_none() {
            return;
        }
        for (column, value) in values.iter_mut().enumerate() {
            // A dropped infinity is 0, not NaN: a select, not a product.
            let factor = self.factor_in(key, (first as u32).wrapping_add(column as u32));
            *value = if factor == 0.0 { 0.0 } else { *value * factor };
        }
    }
}
