//! How many threads compute.

use std::num::NonZeroUsize;

use crate::failure::Failure;

/// Stack of a thread: a command runs on one of them, not on the main thread.
const STACK: usize = 16 << 20;

/// Starts the pool that every kernel works in (without a number, one thread per core that this process may use) and runs
/// `task` on one of its threads: handing each small piece of work over from outside would cost more than the work.
pub fn inside<R: Send>(
    asked: Option<NonZeroUsize>,
    task: impl FnOnce(usize) -> Result<R, Failure> + Send,
) -> Result<R, Failure> {
    let threads = asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, usize::from);
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build_global().map_err(|error| {
        Failure::failed(format!("can't start {threads} threads: {error}. Pass a smaller --threads."))
    })?;
    rayon::scope(|_| task(threads))
}
