//! How many threads compute.

use std::num::NonZeroUsize;

use crate::failure::Failure;

/// Starts the pool that every kernel works in; without a number, one thread per core that this process may use.
pub fn start(asked: Option<NonZeroUsize>) -> Result<usize, Failure> {
    let threads = asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, usize::from);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|error| {
        Failure::failed(format!("can't start {threads} threads: {error}. Pass a smaller --threads."))
    })?;
    Ok(threads)
}
