//! An allocator for programs that work on large arrays.
//!
//! The system's allocator puts a header in front of every large allocation, so an array of feature rows starts 16 bytes into a
//! cache line and every row reaches into one line more: a gather of 512-byte rows reads nine lines instead of eight, and one
//! of them at the cost of a miss. Here a large allocation is a mapping of its own, which starts on a page, or on a large page
//! where it holds some; the system is asked to back it with large pages, so rows at random cost fewer look-ups of addresses.
//!
//! A program opts in:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: farhop_kernels::allocator::PageAligned = farhop_kernels::allocator::PageAligned;
//! ```
//!
//! Results do not depend on it. Small allocations, and all of them on other systems than Linux, go to the system's allocator.

use std::alloc::{GlobalAlloc, Layout, System};

/// Large allocations on pages of their own; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct PageAligned;

/// Allocations from this many bytes on are mappings of their own.
const LARGE: usize = 1 << 20;

// SAFETY: an allocation goes to the mapping or to the system by its size and alignment alone, which `dealloc` and `realloc` are
// told again; both give memory that is valid for the layout, and `realloc` keeps what fits.
unsafe impl GlobalAlloc for PageAligned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if mapped(&layout) {
            return pages::map(layout.size());
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if mapped(&layout) {
            // Fresh pages are zeros.
            return pages::map(layout.size());
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if mapped(&layout) {
            // SAFETY: `start` came from `map` with this size.
            return unsafe { pages::unmap(start, layout.size()) };
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that `size`, rounded up to the alignment, is a valid size.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (mapped(&layout), mapped(&wanted)) {
            // SAFETY: the caller's promise.
            (false, false) => unsafe { System.realloc(start, layout, size) },
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
        }
    }
}

fn mapped(layout: &Layout) -> bool {
    cfg!(target_os = "linux") && layout.size() >= LARGE && layout.align() <= pages::PAGE
}

#[cfg(target_os = "linux")]
mod pages {
    use std::ptr::null_mut;

    pub const PAGE: usize = 4096;
    /// A large page of x86-64; of aarch64 with pages of 4 KiB as well.
    const LARGE_PAGE: usize = 2 << 20;

    fn rounded(size: usize) -> usize {
        size.next_multiple_of(PAGE)
    }

    /// `size` bytes of zeros that start on a page, or on a large page if they hold one; null if there is no memory.
    pub fn map(size: usize) -> *mut u8 {
        let size = rounded(size);
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
        aligned
    }

    /// # Safety
    /// `start` came from [`map`] or [`resize`] with `size`.
    pub unsafe fn unmap(start: *mut u8, size: usize) {
        // SAFETY: by the caller's promise this is a whole mapping of ours.
        unsafe { libc::munmap(start.cast(), rounded(size)) };
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
}

#[cfg(not(target_os = "linux"))]
mod pages {
    //! Never reached: nothing is mapped here.
    use std::ptr::null_mut;

    pub const PAGE: usize = 4096;

    pub fn map(_: usize) -> *mut u8 {
        null_mut()
    }

    pub unsafe fn unmap(_: *mut u8, _: usize) {}

    pub unsafe fn resize(_: *mut u8, _: usize, _: usize) -> *mut u8 {
        null_mut()
    }
}
