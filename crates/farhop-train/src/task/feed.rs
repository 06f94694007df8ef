//! Batches made on a thread of their own while the model works on the one before.
//!
//! Whoever waits for a batch is most likely a thread of the pool that kernels work in. So the loader must never need that
//! pool: it has one of its own, of one thread, and whatever it calls that would be shared among threads is done there.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use farhop_nn::{Batch, Targets};

use crate::TrainError;

/// Batches of graphs that wait ready: one is enough to keep the model busy, two even out unlike sizes.
pub(super) const READY_GRAPHS: usize = 2;
/// Parts of one graph are large and of like size.
pub(crate) const READY_PARTS: usize = 1;

/// Time between two looks at whether the wait for a batch is still wanted. Batches of memory come much faster; those of a disk
/// that does not answer never do.
const LOOK_EVERY: Duration = Duration::from_secs(2);

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
    /// For parts of a graph, all nodes of the batch in its order; empty where the order is that of the data.
    pub nodes: Vec<u32>,
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
/// number. Ends early when a batch can't be made, `work` says so by an error, or `wanted` does while a batch is waited for.
pub(super) fn prefetch<E: From<TrainError>>(
    batches: Vec<Vec<u32>>,
    ready: usize,
    mut load: impl FnMut(Vec<u32>) -> Result<Loaded, TrainError> + Send,
    wanted: impl Fn() -> Result<(), E>,
    mut work: impl FnMut(usize, Loaded) -> Result<(), E>,
) -> Result<LoadTime, E> {
    let loader = rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "farhop-loader".to_string()).build();
    let loader =
        loader.map_err(|error| TrainError::Task(format!("can't start a thread that makes batches: {error}.")))?;
    loader.in_place_scope(|scope| {
        let (sender, receiver): (_, Receiver<Result<Loaded, TrainError>>) = sync_channel(ready);
        scope.spawn(move |_| {
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
            let loaded = loop {
                match receiver.recv_timeout(LOOK_EVERY) {
                    Ok(loaded) => break loaded?,
                    Err(RecvTimeoutError::Timeout) => wanted()?,
                    Err(RecvTimeoutError::Disconnected) => return Ok(time),
                }
            };
            time.waited += start.elapsed();
            work(number, loaded)?;
        }
        Ok(time)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slow disk, or none that answers: whoever is asked to stop does not wait for it.
    #[test]
    fn a_wait_that_is_no_longer_wanted_ends() {
        let (release, blocked) = std::sync::mpsc::channel::<()>();
        let load = move |_| {
            let _ = blocked.recv();
            Err(TrainError::Task("the disk gave up".to_string()))
        };
        let wanted = || {
            // Only now can the loader end: the wait was over before.
            let _ = release.send(());
            Err(TrainError::Task("asked to stop".to_string()))
        };
        let ended = prefetch(vec![vec![0]], 1, load, wanted, |_, _| Ok(()));
        assert_eq!(ended.unwrap_err().to_string(), "asked to stop");
    }
}
