//! Batches of graphs that several processes share: the batches of an epoch are those of one process, and each process takes a run of every one.

use std::ops::Range;
use std::sync::Arc;

use farhop_nn::exchange::Group;
use farhop_nn::{Counts, Share, Targets};

use super::Task;
use super::collection::Collection;
use super::feed::Loaded;

/// Which of so many pieces of work each process takes: runs, as even as they can be. `[ranks + 1]`.
fn bounds(work: &[usize], ranks: usize) -> Vec<usize> {
    let total: usize = work.iter().sum();
    let mut bounds = vec![0; ranks + 1];
    let (mut done, mut rank) = (0, 1);
    for (at, &work) in work.iter().enumerate() {
        // A piece belongs where its middle lies.
        while rank < ranks && (2 * done + work) * ranks >= 2 * total * rank {
            bounds[rank] = at;
            rank += 1;
        }
        done += work;
    }
    bounds[rank..].fill(work.len());
    bounds
}

/// The run of this process.
pub(super) fn own_run(work: &[usize], group: &Group) -> Range<usize> {
    let bounds = bounds(work, group.ranks());
    bounds[group.rank()]..bounds[group.rank() + 1]
}

impl Collection {
    /// What a graph costs: its nodes and entries.
    pub fn work(&self, graph: u32) -> usize {
        self.size(graph) + self.graphs.entries_of(graph as usize).len()
    }

    fn counts(&self, graphs: &[u32]) -> Counts {
        Counts {
            nodes: graphs.iter().map(|graph| self.size(*graph)).sum(),
            entries: graphs.iter().map(|graph| self.graphs.entries_of(*graph as usize).len()).sum(),
            graphs: graphs.len(),
        }
    }

    /// The run of the batch that this process takes, and who else has what. Where it takes nothing, a graph of the batch that does not count.
    fn share(&self, graphs: &[u32], group: &Arc<Group>) -> (Vec<u32>, Share) {
        let work: Vec<usize> = graphs.iter().map(|graph| self.work(*graph)).collect();
        let mut bounds = bounds(&work, group.ranks());
        let total = self.counts(graphs);
        // A network does without its maps of entries where there are none, and without what they say to others: all have some, or none.
        let lacks = |run: &[usize]| run[0] < run[1] && self.counts(&graphs[run[0]..run[1]]).entries == 0;
        if total.entries > 0 && bounds.windows(2).any(lacks) {
            bounds[1..].fill(graphs.len());
        }
        let run = bounds[group.rank()]..bounds[group.rank() + 1];
        let before = self.counts(&graphs[..run.start]);
        let idle = run.is_empty();
        let mut own = graphs[run].to_vec();
        if idle {
            own.extend(graphs.iter().copied().max_by_key(|graph| self.counts(&[*graph]).entries));
        }
        (own, Share { group: group.clone(), before, total, idle })
    }
}

impl Task {
    /// These graphs as a batch to learn from, or this process's share of it.
    pub(super) fn load(&self, collection: &Collection, graphs: Vec<u32>) -> Loaded {
        let Some(group) = &self.shared else { return self.load_all(collection, graphs) };
        let (own, share) = collection.share(&graphs, group);
        let idle = share.idle;
        let mut loaded = self.load_all(collection, own);
        loaded.batch = loaded.batch.shared(share);
        if idle {
            loaded.targets = collection.targets(&self.truth, &[]);
        }
        loaded
    }

    /// These graphs as a batch.
    pub(super) fn load_all(&self, collection: &Collection, graphs: Vec<u32>) -> Loaded {
        let batch = collection.batch(&graphs, &self.input);
        let targets: Targets = collection.targets(&self.truth, &graphs);
        Loaded { units: graphs, batch, own: Vec::new(), nodes: Vec::new(), targets }
    }

    /// Those of the units that this process answers for.
    pub(super) fn own_units<'a>(&self, collection: &Collection, units: &'a [u32]) -> &'a [u32] {
        let Some(group) = &self.shared else { return units };
        let work: Vec<usize> = units.iter().map(|graph| collection.work(*graph)).collect();
        &units[own_run(&work, group)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::mix;

    #[test]
    fn runs_are_whole_and_even() {
        for ranks in 1..9 {
            for count in [0, 1, 3, 8, 50, 333] {
                let work: Vec<usize> = (0..count).map(|at| 1 + (mix(ranks as u64, at) % 40) as usize).collect();
                let bounds = bounds(&work, ranks);
                assert_eq!((bounds.len(), bounds[0], bounds[ranks]), (ranks + 1, 0, work.len()));
                assert!(bounds.is_sorted());
                let mean = work.iter().sum::<usize>() / ranks;
                for run in bounds.windows(2) {
                    let own: usize = work[run[0]..run[1]].iter().sum();
                    assert!(own <= mean + 41, "{ranks} processes, {count} graphs: {own} for {mean}");
                }
            }
        }
        assert_eq!(bounds(&[0, 0, 0], 2)[2], 3, "graphs without anything");
    }
}
