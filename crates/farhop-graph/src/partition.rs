//! Edge rows dealt into buckets of neighbouring targets, in parallel and in order.
//!
//! A large graph does not fit into the cache, and walking it in the order of the rows misses the cache at every
//! step. A bucket fits. Dealing rows out, and collecting answers for them afterwards, only ever appends to or
//! reads on in a few hundred places at once.

use std::slice::IterMut;

use rayon::prelude::*;

/// Rows per bucket to aim at: their keys fill about the second-level cache of one core.
const BUCKET_KEYS: usize = 1 << 15;
/// More buckets than this cost more in page look-ups than they save.
const MOST_BUCKETS: usize = 1 << 11;
/// Fewer rows than this are not worth a chunk of their own.
const LEAST_CHUNK: usize = 1 << 15;

/// Which keys an edge row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// One for `target <- source`, whether or not it is a self-loop.
    One,
    /// One for `target <- source`; none for a self-loop.
    OneUnlessLoop,
    /// One for `target <- source` and one for `source <- target`; none for a self-loop.
    BothUnlessLoop,
}

/// The entry `target <- source` as one number that sorts by target, then by source.
pub(crate) fn key_of(source: u32, target: u32) -> u64 {
    u64::from(target) << 32 | u64::from(source)
}

/// Source and target of a key.
pub(crate) fn ends_of(key: u64) -> (u32, u32) {
    (key as u32, (key >> 32) as u32)
}

/// Where the keys of every chunk of rows go.
pub(crate) struct Partition<'a> {
    rows: &'a [(u32, u32)],
    keys: Keys,
    chunk: usize,
    /// Bucket of a key: the key shifted right by this.
    shift: u32,
    /// `[chunks][buckets]`: position of the first key of the chunk in the bucket.
    starts: Vec<Vec<usize>>,
    /// `[buckets + 1]`: where the buckets begin and end.
    bounds: Vec<usize>,
}

impl<'a> Partition<'a> {
    /// Plans the buckets of a graph of `nodes` nodes, by counting.
    pub(crate) fn new(nodes: usize, rows: &'a [(u32, u32)], keys: Keys) -> Self {
        let wanted = (rows.len() / BUCKET_KEYS).clamp(1, MOST_BUCKETS);
        let node_bits = usize::BITS - nodes.leading_zeros();
        // Ids have 32 bits; a graph that needs all of them has two buckets at least, so that the shift stays below 64.
        let node_bits = node_bits.min(32);
        let shift = (32 + node_bits.saturating_sub(wanted.ilog2())).min(63);
        let buckets = (key_of(0, nodes.saturating_sub(1) as u32) >> shift) as usize + 1;
        let chunk = rows.len().div_ceil(4 * rayon::current_num_threads()).max(LEAST_CHUNK);
        let mut starts: Vec<Vec<usize>> = rows
            .par_chunks(chunk)
            .map(|rows| {
                let mut counts = vec![0usize; buckets];
                for &row in rows {
                    each_key(row, keys, |key| counts[(key >> shift) as usize] += 1);
                }
                counts
            })
            .collect();
        let mut bounds = vec![0usize; buckets + 1];
        let mut position = 0;
        for bucket in 0..buckets {
            for counts in &mut starts {
                let count = counts[bucket];
                counts[bucket] = position;
                position += count;
            }
            bounds[bucket + 1] = position;
        }
        Self { rows, keys, chunk, shift, starts, bounds }
    }

    /// The keys of all rows, bucket after bucket; within a bucket in the order of the rows.
    pub(crate) fn deal(&self) -> Vec<u64> {
        let buckets = self.bounds.len() - 1;
        let mut dealt = vec![0u64; self.bounds[buckets]];
        let mut places: Vec<Vec<IterMut<'_, u64>>> = self.starts.iter().map(|_| Vec::with_capacity(buckets)).collect();
        let mut rest = dealt.as_mut_slice();
        for bucket in 0..buckets {
            for (chunk, places) in places.iter_mut().enumerate() {
                let end = match self.starts.get(chunk + 1) {
                    Some(next) => next[bucket],
                    None => self.bounds[bucket + 1],
                };
                let (piece, others) = rest.split_at_mut(end - self.starts[chunk][bucket]);
                places.push(piece.iter_mut());
                rest = others;
            }
        }
        self.rows.par_chunks(self.chunk).zip(places).for_each(|(rows, mut places)| {
            for &row in rows {
                each_key(row, self.keys, |key| {
                    if let Some(place) = places[(key >> self.shift) as usize].next() {
                        *place = key;
                    }
                });
            }
        });
        dealt
    }

    /// The slices of the buckets of an array in the order of [`deal`](Self::deal).
    pub(crate) fn buckets_mut<'b, T>(&self, mut dealt: &'b mut [T]) -> Vec<&'b mut [T]> {
        let mut buckets = Vec::with_capacity(self.bounds.len() - 1);
        for range in self.bounds.windows(2) {
            let (bucket, rest) = dealt.split_at_mut(range[1] - range[0]);
            buckets.push(bucket);
            dealt = rest;
        }
        buckets
    }

    /// Brings one answer per key, in the order of [`deal`](Self::deal), back into the order of the rows.
    /// For [`Keys::One`], where every row has its key.
    pub(crate) fn collect(&self, answers: &[u32]) -> Vec<u32> {
        let mut collected = vec![0u32; self.rows.len()];
        collected.par_chunks_mut(self.chunk).zip(self.rows.par_chunks(self.chunk)).zip(&self.starts).for_each(
            |((collected, rows), starts)| {
                let mut next = starts.clone();
                for (place, &(source, target)) in collected.iter_mut().zip(rows) {
                    let bucket = (key_of(source, target) >> self.shift) as usize;
                    *place = answers[next[bucket]];
                    next[bucket] += 1;
                }
            },
        );
        collected
    }
}

#[inline]
fn each_key((source, target): (u32, u32), keys: Keys, mut visit: impl FnMut(u64)) {
    if source != target || keys == Keys::One {
        visit(key_of(source, target));
        if keys == Keys::BothUnlessLoop {
            visit(key_of(target, source));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_graphs_can_be_planned() {
        for nodes in [1, 2, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 2] {
            let last = (nodes - 1) as u32;
            let rows = [(0, last), (last, 0), (last, last)];
            let partition = Partition::new(nodes, &rows, Keys::One);
            let mut dealt = partition.deal();
            partition.buckets_mut(&mut dealt).into_iter().for_each(<[u64]>::sort_unstable);
            let mut expected = rows.map(|(source, target)| key_of(source, target));
            expected.sort_unstable();
            assert_eq!(dealt, expected, "{nodes} nodes");
        }
    }
}
