//! Large vectors that are used again instead of being returned to the operating system.
//!
//! Every training step asks for the same sizes in the same order; getting fresh pages for them costs as much time as the
//! arithmetic. Only which memory is used depends on this pool, never a result.

use std::sync::Mutex;

/// Vectors below this length are left to the allocator, which keeps such sizes by itself.
const SMALLEST: usize = 1 << 14;

/// A buffer may be up to this many times larger than what was asked for.
const SLACK: usize = 2;

/// Allocations below this many bytes can't hold a large page.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 4 << 20;

/// At most this many buffers wait; beyond it the oldest goes.
const MOST: usize = 64;

static WAITING: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

/// A vector of `len` numbers whose content is arbitrary: the caller writes all of it.
pub fn take(len: usize) -> Vec<f32> {
    if len >= SMALLEST
        && let Ok(mut waiting) = WAITING.lock()
    {
        let fits = |buffer: &Vec<f32>| buffer.len() >= len && buffer.len() <= len.saturating_mul(SLACK);
        let best = (0..waiting.len()).filter(|&at| fits(&waiting[at])).min_by_key(|&at| waiting[at].len());
        if let Some(at) = best {
            let mut buffer = waiting.remove(at);
            drop(waiting);
            buffer.truncate(len);
            return buffer;
        }
    }
    let fresh = vec![0.0; len];
    advise_large_pages(&fresh);
    fresh
}

/// Asks the operating system to back fresh memory with large pages: rows that are gathered at random then cost fewer look-ups
/// of page addresses, and first use costs fewer faults. A hint: nothing happens where it is not supported.
fn advise_large_pages(fresh: &[f32]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start = (fresh.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (fresh.as_ptr() as usize + size_of_val(fresh)) / PAGE * PAGE;
        if end.saturating_sub(start) >= LARGE_PAGE {
            // SAFETY: the range consists of whole pages inside an allocation that we own, and this advice changes no content.
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = fresh;
}

/// As [`take`], filled with zeros.
pub fn zeros(len: usize) -> Vec<f32> {
    let mut buffer = take(len);
    crate::parallel::clear(&mut buffer);
    buffer
}

/// Gives a vector that is no longer needed to the next [`take`].
pub fn give(buffer: Vec<f32>) {
    if buffer.len() < SMALLEST {
        return;
    }
    if let Ok(mut waiting) = WAITING.lock() {
        waiting.push(buffer);
        if waiting.len() > MOST {
            waiting.remove(0);
        }
    }
}

/// Returns all waiting memory to the allocator.
pub fn clear() {
    if let Ok(mut waiting) = WAITING.lock() {
        waiting.clear();
    }
}
