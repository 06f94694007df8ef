//! Mappings of their own, by the pages that the system has.

use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pages are at least as large.
pub const PAGE: usize = 4096;
/// A large page of x86-64; of aarch64 with pages of 4 KiB as well.
const LARGE_PAGE: usize = 2 << 20;

/// The size of the system's pages: 4 KiB, or more on some machines, where nothing smaller can be given back.
pub fn page() -> usize {
    static SIZE: AtomicUsize = AtomicUsize::new(0);
    match SIZE.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: a question about the system.
            let size = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(PAGE).max(PAGE);
            SIZE.store(size, Ordering::Relaxed);
            size
        }
        size => size,
    }
}

/// The whole pages of `page` bytes within an allocation: where they start, and how many bytes they have.
pub fn whole_pages(start: usize, bytes: usize, page: usize) -> (usize, usize) {
    let first = start.next_multiple_of(page);
    let end = (start + bytes) / page * page;
    (first, end.saturating_sub(first))
}

/// The size of a layout is below `isize::MAX`: this does not wrap around.
fn rounded(size: usize) -> usize {
    size.next_multiple_of(page())
}

/// Mappings up to this size wait a moment for the next one of their size: matrix products ask for the same ones again and again, and the system
/// would clear their pages every time.
const KEPT_BYTES: usize = 5 << 19;
/// So many wait at most; the oldest goes.
const KEPT_COUNT: usize = 4;

struct Kept {
    /// Start and bytes; 0 bytes where nothing waits.
    waiting: [(usize, usize); KEPT_COUNT],
    oldest: usize,
}

static KEPT: Mutex<Kept> = Mutex::new(Kept { waiting: [(0, 0); KEPT_COUNT], oldest: 0 });

impl Kept {
    fn take(&mut self, size: usize) -> Option<usize> {
        let found = self.waiting.iter_mut().find(|(_, bytes)| *bytes == size)?;
        Some(std::mem::take(found).0)
    }

    /// What has to go for it.
    fn put(&mut self, start: usize, size: usize) -> (usize, usize) {
        let place = self.waiting.iter().position(|(_, bytes)| *bytes == 0).unwrap_or_else(|| {
            self.oldest = (self.oldest + 1) % KEPT_COUNT;
            self.oldest
        });
        std::mem::replace(&mut self.waiting[place], (start, size))
    }
}

/// `size` bytes that start on a page, or on a large page if they hold one, and whether all are zeros; null if there is no memory.
pub fn map(size: usize) -> (*mut u8, bool) {
    let size = rounded(size);
    if size <= KEPT_BYTES
        && let Ok(mut kept) = KEPT.try_lock()
        && let Some(start) = kept.take(size)
    {
        return (std::ptr::with_exposed_provenance_mut(start), false);
    }
    let start = fresh(size);
    if start.is_null() {
        give_back();
        return (fresh(size), true);
    }
    (start, true)
}

/// Returns what waits to the system.
pub fn give_back() {
    let waiting = KEPT.try_lock().map_or_else(|_| Default::default(), |mut kept| std::mem::take(&mut kept.waiting));
    for (start, size) in waiting.into_iter().filter(|(_, size)| *size > 0) {
        // SAFETY: what waits is a whole mapping of ours, and nobody else has it.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(start), size) };
    }
}

/// `size` bytes of zeros, whole pages.
fn fresh(size: usize) -> *mut u8 {
    let spare = if size >= LARGE_PAGE { LARGE_PAGE } else { 0 };
    let Some(total) = size.checked_add(spare) else {
        return null_mut();
    };
    // SAFETY: a fresh private mapping touches nothing that exists.
    let start = unsafe {
        libc::mmap(
            null_mut(),
            total,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return null_mut();
    }
    let before = if spare > 0 { (start as usize).next_multiple_of(LARGE_PAGE) - start as usize } else { 0 };
    let aligned = start.cast::<u8>().wrapping_add(before);
    // SAFETY: the parts that are given back lie within the mapping, before and after what is kept; advice changes no content.
    unsafe {
        if before > 0 {
            libc::munmap(start, before);
        }
        if spare > before {
            libc::munmap(aligned.wrapping_add(size).cast(), spare - before);
        }
        if spare > 0 {
            libc::madvise(aligned.cast(), size, libc::MADV_HUGEPAGE);
        }
    }
    debug_assert!((aligned as usize).is_multiple_of(if spare > 0 { LARGE_PAGE } else { page() }));
    aligned
}

/// # Safety
/// `start` came from [`map`] or [`resize`] with `size`.
pub unsafe fn unmap(start: *mut u8, size: usize) {
    let mut goes = (start, rounded(size));
    if goes.1 <= KEPT_BYTES
        && let Ok(mut kept) = KEPT.try_lock()
    {
        let (start, size) = kept.put(goes.0.expose_provenance(), goes.1);
        goes = (std::ptr::with_exposed_provenance_mut(start), size);
    }
    if goes.1 > 0 {
        // SAFETY: by the caller's promise this is a whole mapping of ours, now or when it began to wait.
        unsafe { libc::munmap(goes.0.cast(), goes.1) };
    }
}

/// # Safety
/// As for [`unmap`].
pub unsafe fn resize(start: *mut u8, old: usize, new: usize) -> *mut u8 {
    if rounded(old) == rounded(new) {
        return start;
    }
    // SAFETY: by the caller's promise; the system moves the pages where they do not fit in place.
    let moved = unsafe { libc::mremap(start.cast(), rounded(old), rounded(new), libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED { null_mut() } else { moved.cast() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pages_lie_within_the_allocation_whatever_their_size() {
        for page in [4 << 10, 16 << 10, 64 << 10] {
            for (start, bytes) in
                [(0, 10 * page), (8, 10 * page), (page - 8, page + 8), (page + 1, page), (3 * page, 0)]
            {
                let (first, size) = whole_pages(start, bytes, page);
                assert!(size.is_multiple_of(page), "{start} {bytes} {page}");
                if size > 0 {
                    assert!(first.is_multiple_of(page) && first >= start && first + size <= start + bytes);
                    assert!(first - start < page && start + bytes - (first + size) < page, "none is left out");
                }
            }
        }
        assert_eq!(whole_pages(8, 10 << 14, 16 << 10), (16 << 10, 9 << 14));
        assert_eq!(whole_pages(8, 16 << 10, 16 << 10).1, 0);
    }

    #[test]
    fn what_waits_serves_its_size_and_the_oldest_goes() {
        let mut kept = Kept { waiting: [(0, 0); KEPT_COUNT], oldest: KEPT_COUNT - 1 };
        for n in 1..=KEPT_COUNT {
            assert_eq!(kept.put(n << 12, n << 20), (0, 0));
        }
        assert_eq!(kept.take(5 << 20), None);
        assert_eq!(kept.take(2 << 20), Some(2 << 12));
        assert_eq!(kept.take(2 << 20), None, "it was given away");
        assert_eq!(kept.put(7 << 12, 7 << 20), (0, 0), "there is a place again");
        assert_eq!(kept.put(8 << 12, 8 << 20), (1 << 12, 1 << 20), "the oldest");
    }

    #[test]
    fn the_system_says_how_large_its_pages_are() {
        assert!(page() >= PAGE && page().is_power_of_two());
    }
}
