//! Batches made on a thread of their own while the model works on the one before.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use farhop_nn::{Batch, Targets};

/// Batches that wait ready: one is enough to keep the model busy, two even out unlike sizes.
const READY: usize = 2;
/// Batches alive at once beside the one that is worked on: those that wait and the one being made.
pub(super) const ALIVE: usize = READY + 1;

/// A batch of graphs.
pub(crate) struct Loaded {
    /// Which graphs.
    pub graphs: Vec<u32>,
    /// Graphs and features.
    pub batch: Batch,
    /// What is known about them.
    pub targets: Targets,
}

/// What loading cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadTime {
    /// Time in which the model had to wait for a batch.
    pub waited: Duration,
}

/// Makes `batches` one after the other on another thread, and gives each to `work` with its number. Ends early when
/// `work` says so by an error.
pub(super) fn prefetch<E>(
    batches: Vec<Vec<u32>>,
    load: impl Fn(Vec<u32>) -> Loaded + Send,
    mut work: impl FnMut(usize, Loaded) -> Result<(), E>,
) -> Result<LoadTime, E> {
    thread::scope(|scope| {
        let (sender, receiver): (_, Receiver<Loaded>) = sync_channel(READY);
        scope.spawn(move || {
            for graphs in batches {
                // The receiver is gone when the work ended early.
                if sender.send(load(graphs)).is_err() {
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
            work(number, loaded)?;
        }
        Ok(time)
    })
}
