//! Equal tiles of rows for dense passes. Bounds depend on the shape only, never on the number of threads.

use crate::parallel::{PARALLEL_FROM, in_order};
use std::ops::Range;

/// Rows that are in the cache at a time, per thread, where several products follow each other.
pub(crate) const TILE_ROWS: usize = 256;

/// Multiply-adds per tile of a matrix product: small enough to balance.
const PRODUCT_TILE: usize = 1 << 23;

/// Rows of a product's tile at least, where there are as many: each tile packs the weight anew, a copy that so many rows hide.
const PRODUCT_ROWS: usize = 512;

/// Rows cut into tiles of `step` rows, the last one shorter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiles {
    rows: usize,
    step: usize,
    parallel: bool,
}

impl Tiles {
    /// Tiles for a pass over `rows` rows of `width` elements.
    pub fn elementwise(rows: usize, width: usize) -> Self {
        let step = ((1 << 15) / width.max(1)).clamp(16, 4096);
        Tiles { rows, step, parallel: rows.saturating_mul(width) >= PARALLEL_FROM }
    }

    /// Tiles for a matrix product that costs `cost` multiply-adds a row.
    pub fn product(rows: usize, cost: usize) -> Self {
        // A short product still makes a dozen tiles, so that two or four threads end together.
        let few = rows.div_ceil(12).next_multiple_of(64).max(128);
        let step = (PRODUCT_TILE / cost.max(1)).next_multiple_of(64).clamp(PRODUCT_ROWS, 4096).min(few);
        Tiles { rows, step, parallel: rows.saturating_mul(cost) >= 16 * PARALLEL_FROM }
    }

    /// Few and large tiles, at most about two dozen, for sums over rows whose partial results are matrices.
    pub fn reduction(rows: usize, cost: usize) -> Self {
        let step = rows.div_ceil(24).next_multiple_of(64).max(256);
        Tiles { rows, step, parallel: rows.saturating_mul(cost) >= 16 * PARALLEL_FROM }
    }

    /// Number of tiles.
    pub fn len(&self) -> usize {
        self.rows.div_ceil(self.step)
    }

    /// Calls `task` with the rows of each tile.
    pub fn run(&self, task: impl Fn(Range<usize>) + Sync + Send) {
        self.map(task);
    }

    /// Calls `task` with place and rows of each of some tiles, the first place being 0.
    pub fn some(&self, tiles: Range<usize>, task: impl Fn(usize, Range<usize>) + Sync + Send) {
        in_order(tiles.len(), self.parallel, |place| task(place, self.range(tiles.start + place)));
    }

    /// Calls `task` with the rows of each tile; results in the order of the tiles.
    pub fn map<R: Send>(&self, task: impl Fn(Range<usize>) -> R + Sync + Send) -> Vec<R> {
        in_order(self.len(), self.parallel, |tile| task(self.range(tile)))
    }

    fn range(&self, tile: usize) -> Range<usize> {
        tile * self.step..((tile + 1) * self.step).min(self.rows)
    }
}
