//! Ctrl-C: training saves and stops after the epoch it is in; anything else stops at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Failure, INTERRUPTED};

static ASKED: AtomicBool = AtomicBool::new(false);
static TRAINING: AtomicBool = AtomicBool::new(false);

/// Begins to listen for Ctrl-C and for the termination signal.
pub fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        let again = ASKED.swap(true, Ordering::SeqCst);
        // Files are written beside their place and renamed, so that stopping here leaves the old ones whole.
        if again || !TRAINING.load(Ordering::SeqCst) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|error| Failure::failed(format!("can't listen for Ctrl-C: {error}.")))
}

/// Runs something that looks at the flag it is given and stops by itself when the flag is set.
pub fn stoppable<T>(work: impl FnOnce(&AtomicBool) -> T) -> T {
    TRAINING.store(true, Ordering::SeqCst);
    let done = work(&ASKED);
    TRAINING.store(false, Ordering::SeqCst);
    done
}
