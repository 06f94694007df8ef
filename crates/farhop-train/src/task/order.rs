//! In which order graphs are seen, and which of them together.

use farhop_graph::random::{Stream, mix};

/// How graphs become batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batching {
    /// Graphs in a batch.
    pub size: usize,
    /// Whether graphs of like size go together.
    pub by_size: bool,
}

/// Batches that are sorted together when graphs of like size go together.
const POOL: usize = 16;

impl Batching {
    /// All graphs, shuffled, in batches. The same (seed, epoch) gives the same batches.
    pub fn shuffled(self, graphs: &[u32], size_of: impl Fn(u32) -> usize, seed: u64, epoch: usize) -> Vec<Vec<u32>> {
        let mut random = Stream::new(mix(seed, epoch as u64));
        let mut order = graphs.to_vec();
        random.shuffle(&mut order);
        if !self.by_size {
            return self.in_order(&order);
        }
        // Sorting pools rather than everything keeps batches different from epoch to epoch.
        for pool in order.chunks_mut(self.size * POOL) {
            pool.sort_by_key(|graph| size_of(*graph));
        }
        let mut batches = self.in_order(&order);
        random.shuffle(&mut batches);
        batches
    }

    /// All graphs as they come, in batches.
    pub fn in_order(self, graphs: &[u32]) -> Vec<Vec<u32>> {
        graphs.chunks(self.size.max(1)).map(<[u32]>::to_vec).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_graph_is_seen_once_an_epoch_and_the_seed_decides_the_order() {
        let graphs: Vec<u32> = (5..105).collect();
        let size_of = |graph: u32| (graph as usize * 37) % 50;
        for by_size in [false, true] {
            let batching = Batching { size: 8, by_size };
            let batches = batching.shuffled(&graphs, size_of, 3, 7);
            assert_eq!(batches.len(), 13);
            let mut seen = batches.concat();
            seen.sort_unstable();
            assert_eq!(seen, graphs);
            assert_eq!(batches, batching.shuffled(&graphs, size_of, 3, 7));
            assert_ne!(batches, batching.shuffled(&graphs, size_of, 3, 8));
            assert_ne!(batches, batching.shuffled(&graphs, size_of, 4, 7));
        }
    }

    #[test]
    fn graphs_of_like_size_go_together_when_asked() {
        let graphs: Vec<u32> = (0..128).collect();
        let size_of = |graph: u32| graph as usize;
        let spread = |batches: &[Vec<u32>]| -> u32 {
            batches.iter().map(|batch| batch.iter().max().unwrap() - batch.iter().min().unwrap()).sum()
        };
        let mixed = Batching { size: 8, by_size: false }.shuffled(&graphs, size_of, 1, 1);
        let sorted = Batching { size: 8, by_size: true }.shuffled(&graphs, size_of, 1, 1);
        assert!(spread(&sorted) * 4 < spread(&mixed));
    }
}
