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

/// Set when somebody asked to stop: training looks at it and stops by itself.
pub fn asked() -> &'static AtomicBool {
    &ASKED
}

/// As long as it is there, the first Ctrl-C is left to training.
pub struct Saving;

impl Saving {
    /// From now on.
    pub fn begin() -> Self {
        TRAINING.store(true, Ordering::SeqCst);
        Saving
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        TRAINING.store(false, Ordering::SeqCst);
    }
}
