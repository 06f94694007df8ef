//! How much memory was asked for, from the process files of Linux; nothing is known elsewhere.

use std::sync::atomic::{AtomicU64, Ordering};

use farhop_data::memory::field_bytes;

/// The largest address space that this process has had when it was looked at last.
static BEFORE: AtomicU64 = AtomicU64::new(0);

/// By how many bytes the largest address space that this process has had has grown since it was looked at last. Memory
/// that is asked for and not used shows a length that was believed, and counts as well.
pub fn grown() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let now = field_bytes(&status, "VmPeak:").unwrap_or(0);
    match BEFORE.swap(now, Ordering::Relaxed) {
        0 => 0,
        before => now.saturating_sub(before),
    }
}
