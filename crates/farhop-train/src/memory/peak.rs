//! What this process uses and used, from the Linux process files. Elsewhere there is no answer, and none is made up.

use std::fs;

use farhop_data::memory::field_bytes;

/// Largest resident memory of this process so far (or since [`reset_peak_rss`]), in bytes.
pub fn peak_rss_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// Resident memory of this process now, in bytes.
pub fn rss_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

/// Starts the peak anew from the present resident memory, so that several models can be measured in one process.
/// False where the system does not allow it; the peak then stays that of the whole process.
pub fn reset_peak_rss() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

fn status_bytes(field: &str) -> Option<u64> {
    field_bytes(&fs::read_to_string("/proc/self/status").ok()?, field)
}
