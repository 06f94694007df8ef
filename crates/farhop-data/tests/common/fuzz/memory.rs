//! How much memory was asked for, from the process files of Linux; nothing is known elsewhere.

use farhop_data::memory::field_bytes;

/// The largest address space that this process has had: memory that is asked for and not used shows a length that was
/// believed, and counts as well.
pub struct Peak(u64);

impl Peak {
    /// So far.
    pub fn now() -> Peak {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        Peak(field_bytes(&status, "VmPeak:").unwrap_or(0))
    }

    /// How much larger it is now.
    pub fn grown(&self) -> u64 {
        Peak::now().0.saturating_sub(self.0)
    }
}
