//! Batches made on a thread of their own while the model works on the one before.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use farhop_nn::{Batch, Targets};

use crate::TrainError;

/// Batches of graphs that wait ready: one is enough to keep the model busy, two even out unlike sizes.
pub(super) const READY_GRAPHS: usize = 2;
/// Parts of one graph are large and of like size.
pub(crate) const READY_PARTS: usize = 1;

/// Batches alive at once beside the one that is worked on: those that wait and the one being made.
pub(crate) const fn alive(ready: usize) -> usize {
    ready + 1
}

/// A batch with what is known about it.
pub(crate) struct Loaded {
    /// Which graphs, or which parts of the only graph.
    pub units: Vec<u32>,
    /// Graphs and features.
    pub batch: Batch,
    /// For parts of a graph, the nodes that the batch answers for, ascending, each with its place in the batch.
    pub own: Vec<(u32, u32)>,
    /// What is to be learned from it.
    pub targets: Targets,
}

/// What loading cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadTime {
    /// Time in which the model had to wait for a batch.
    pub waited: Duration,
}

/// Makes `batches` one after the other on another thread, with `ready` of them waiting, and gives each to `work` with its
/// number. Ends early when a batch can't be made or `work` says so by an error.
pub(super) fn prefetch<E: From<TrainError>>(
    batches: Vec<Vec<u32>>,
    ready: usize,
    mut load: impl FnMut(Vec<u32>) -> Result<Loaded, TrainError> + Send,
    mut work: impl FnMut(usize, Loaded) -> Result<(), E>,
) -> Result<LoadTime, E> {
    thread::scope(|scope| {
        let (sender, receiver): (_, Receiver<Result<Loaded, TrainError>>) = sync_channel(ready);
        scope.spawn(move || {
            for units in batches {
                let loaded = load(units);
                let failed = loaded.is_err();
                // The receiver is gone when the work ended early.
                if sender.send(loaded).is_err() || failed {
                    break;
                }
            }
        });
        let mut time = LoadTime::default();
        for number in 0.. {
            let start = Instant::now();
            let Ok(loaded) = receiver.recv() else {
                break;
            };
            time.waited += start.elapsed();
            work(number, loaded?)?;
        }
        Ok(time)
    })
}
