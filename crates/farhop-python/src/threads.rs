//! Who computes: a pool of threads, with the interpreter lock released.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::Failure;

/// Stack of a thread.
const STACK: usize = 16 << 20;

/// More threads than this are a slip: they would only take memory and time to start.
const MOST: usize = 1024;

/// Pools by process and number of threads. A process that was forked has none of the threads of the one it came from.
static POOLS: Mutex<BTreeMap<(u32, usize), Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// How many threads are meant; none: one for each core that this process may use.
pub fn count(asked: Option<usize>) -> Result<usize, Failure> {
    match asked {
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        Some(threads) if (1..=MOST).contains(&threads) => Ok(threads),
        Some(threads) => Err(Failure::setting(format!("n_threads is {threads}: give 1 to 1,024, or None."))),
    }
}

/// The pool of that many threads.
pub fn pool(threads: usize) -> Result<Arc<ThreadPool>, Failure> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(pool.clone());
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = built.map_err(|error| {
        Failure::setting(format!("can't start {threads} threads: {error}. Give a smaller n_threads."))
    })?;
    let pool = Arc::new(pool);
    pools.insert(key, pool.clone());
    Ok(pool)
}

/// Does the work in a pool. A panic becomes a failure.
pub fn guarded<R: Send>(threads: usize, work: impl FnOnce() -> Result<R, Failure> + Send) -> Result<R, Failure> {
    let pool = pool(threads)?;
    let done = catch_unwind(AssertUnwindSafe(|| pool.install(work)));
    done.unwrap_or_else(|payload| Err(Failure::panic(payload.as_ref())))
}

/// Does the work while Python goes on with other threads.
pub fn compute<R: Send>(
    py: Python<'_>,
    asked: Option<usize>,
    work: impl FnOnce() -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let threads = count(asked)?;
    py.detach(|| guarded(threads, work)).map_err(PyErr::from)
}
