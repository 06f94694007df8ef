//! How many threads compute.

use std::num::NonZeroUsize;

use farhop_data::text::thousands;

use crate::failure::Failure;

/// Stack of a thread: a command runs on one of them, not on the main thread.
const STACK: usize = 16 << 20;

/// More threads than this are a slip: they would only take memory and time to start.
const MOST: usize = 1024;

/// Starts the pool that every kernel works in (without a number, one thread per core that this process may use) and runs
/// `task` on one of its threads: handing each small piece of work over from outside would cost more than the work.
pub fn inside<R: Send>(
    asked: Option<NonZeroUsize>,
    task: impl FnOnce(usize) -> Result<R, Failure> + Send,
) -> Result<R, Failure> {
    let threads = asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, usize::from);
    if asked.is_some() && threads > MOST {
        return Err(Failure::usage(format!("--threads {threads}: give 1 to {}.", thousands(MOST as u64))));
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build_global().map_err(|error| {
        Failure::failed(format!("can't start {threads} threads: {error}. Pass a smaller --threads."))
    })?;
    rayon::scope(|_| task(threads))
}
