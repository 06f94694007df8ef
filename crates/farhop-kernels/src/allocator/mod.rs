//! An allocator for programs that work on large arrays.
//!
//! The system's allocator puts a header in front of every large allocation, so an array of feature rows starts 16 bytes into a
//! cache line and every row reaches into one line more: a gather of 512-byte rows reads nine lines instead of eight, and one
//! of them at the cost of a miss. Here arrays start on a cache line. The largest are mappings of their own, which start on a
//! large page; the system is asked to back them with such, so rows at random cost fewer look-ups of addresses.
//!
//! A program opts in:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: farhop_kernels::allocator::PageAligned = farhop_kernels::allocator::PageAligned;
//! ```
//!
//! A program may also ask to end with a line that says why when there is no memory left ([`end_when_exhausted`]), and to leave
//! small traces where its address space is limited ([`be_sparing`]).
//!
//! Results do not depend on it. All but the largest allocations, and all of them on other systems than Linux, go to the system's
//! allocator.

mod exhausted;
#[cfg(target_os = "linux")]
pub(crate) mod pages;
#[cfg(not(target_os = "linux"))]
#[path = "no_pages.rs"]
mod pages;

use std::alloc::{GlobalAlloc, Layout, System};

pub use exhausted::{doing, end_when_exhausted};

/// Arrays on cache lines, the largest on pages of their own; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct PageAligned;

/// Allocations from this many bytes on start on a cache line.
const ARRAY: usize = 4096;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Allocations from this many bytes on are mappings of their own: what is freed goes back to the system and does not stay in the process in
/// pieces, but for a few of the smallest, which wait for the next one of their size. What a step needs again and again waits in
/// [`crate::buffers`] instead, without fresh pages.
const LARGE: usize = 1 << 20;

// SAFETY: an allocation goes to the mapping or to the system by its size and alignment alone, which `dealloc` and `realloc` are
// told again; both give memory that is valid for the layout, and `realloc` keeps what fits.
unsafe impl GlobalAlloc for PageAligned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = if mapped(&layout) {
            pages::map(layout.size()).0
        } else {
            // SAFETY: the caller's promise.
            unsafe { System.alloc(on_line(layout)) }
        };
        exhausted::checked(start, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let start = if mapped(&layout) {
            let (start, zeros) = pages::map(layout.size());
            if !zeros {
                // SAFETY: the mapping has as many bytes.
                unsafe { start.write_bytes(0, layout.size()) };
            }
            start
        } else {
            // SAFETY: the caller's promise.
            unsafe { System.alloc_zeroed(on_line(layout)) }
        };
        exhausted::checked(start, layout.size())
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if mapped(&layout) {
            // SAFETY: `start` came from `map` with this size.
            return unsafe { pages::unmap(start, layout.size()) };
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(start, on_line(layout)) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that `size`, rounded up to the alignment, is a valid size.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let start = match (mapped(&layout), mapped(&wanted)) {
            // SAFETY: the caller's promise.
            (false, false) if on_line(layout).align() == on_line(wanted).align() => unsafe {
                System.realloc(start, on_line(layout), size)
            },
            // SAFETY: `start` came from `map` with this size.
            (true, true) => unsafe { pages::resize(start, layout.size(), size) },
            // SAFETY: both allocations hold what is copied, and they are different.
            _ => unsafe {
                let moved = self.alloc(wanted);
                if !moved.is_null() {
                    std::ptr::copy_nonoverlapping(start, moved, layout.size().min(size));
                    self.dealloc(start, layout);
                }
                moved
            },
        };
        exhausted::checked(start, size)
    }
}

/// Takes less address space where it is limited: the system's allocator then keeps one heap for all threads, instead of 64 MiB
/// of addresses for each. To be called before there are threads.
pub fn be_sparing() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if exhausted::address_space().is_some() {
        // SAFETY: sets a number that the allocator reads when a thread allocates for the first time.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Gives memory that is free back to the system, so that what the process holds is what it uses.
pub fn give_back() {
    pages::give_back();
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: only pages without a live allocation are given back.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The layout with the alignment that an allocation of its size gets.
fn on_line(layout: Layout) -> Layout {
    if layout.size() < ARRAY {
        return layout;
    }
    layout.align_to(LINE).unwrap_or(layout)
}

fn mapped(layout: &Layout) -> bool {
    cfg!(target_os = "linux") && layout.size() >= LARGE && layout.align() <= pages::PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills, moves and frees an allocation through a series of sizes, on both sides of every limit.
    #[test]
    fn content_survives_growing_and_shrinking() {
        let sizes = [8, ARRAY - 8, ARRAY, 3 * ARRAY, LARGE - 8, LARGE, LARGE + 12_344, 2 * LARGE, LARGE - 64, 40];
        let layout = |size: usize| Layout::from_size_align(size, 8).unwrap();
        // SAFETY: every access stays within the size that was asked for, and every allocation is freed with its layout.
        unsafe {
            let mut start = PageAligned.alloc_zeroed(layout(sizes[0]));
            start.write(7);
            for pair in sizes.windows(2) {
                start.add(pair[0] - 1).write(9);
                start = PageAligned.realloc(start, layout(pair[0]), pair[1]);
                assert!(!start.is_null());
                assert_eq!(start.read(), 7, "{pair:?}");
                if pair[1] >= pair[0] {
                    assert_eq!(start.add(pair[0] - 1).read(), 9, "{pair:?}");
                }
                if pair[1] >= ARRAY {
                    assert_eq!(start as usize % LINE, 0, "{pair:?}");
                }
            }
            PageAligned.dealloc(start, layout(sizes[sizes.len() - 1]));
        }
    }

    #[test]
    fn zeroed_memory_is_zero_even_when_it_is_used_again() {
        for size in [ARRAY, LARGE + 5] {
            let layout = Layout::from_size_align(size, 4).unwrap();
            for _ in 0..3 {
                // SAFETY: all writes and reads are within `size` bytes.
                unsafe {
                    let start = PageAligned.alloc_zeroed(layout);
                    let bytes = std::slice::from_raw_parts_mut(start, size);
                    assert!(bytes.iter().all(|byte| *byte == 0));
                    bytes.fill(1);
                    PageAligned.dealloc(start, layout);
                }
            }
        }
    }
}
