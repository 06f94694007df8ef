//! Byte counts for people.

/// `21.4 GiB`, `340 MiB`, `12 KiB`: three digits are enough to decide.
pub fn bytes_text(bytes: u64) -> String {
    const KIB: f64 = 1024.0;
    let bytes = bytes as f64;
    if bytes >= KIB * KIB * KIB {
        format!("{:.1} GiB", bytes / (KIB * KIB * KIB))
    } else if bytes >= KIB * KIB {
        format!("{:.0} MiB", bytes / (KIB * KIB))
    } else {
        format!("{:.0} KiB", (bytes / KIB).ceil())
    }
}
