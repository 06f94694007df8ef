//! Large vectors that are used again instead of being returned to the operating system.
//!
//! Every training step asks for the same sizes in the same order; getting fresh pages for them costs as much time as the
//! arithmetic. Only which memory is used depends on this pool, never a result.

use std::sync::Mutex;

/// Vectors below this length are left to the allocator, which keeps such sizes by itself.
const SMALLEST: usize = 1 << 14;

/// A buffer may be larger than what was asked for by one part in this many.
pub const SLACK: usize = 4;

/// Allocations below this many bytes can't hold a large page.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 4 << 20;

/// At most this many buffers wait; beyond it the oldest goes. A step of a deep network has several for every layer and round, and one that
/// goes comes back as pages that the system has to clear.
const MOST: usize = 1024;

static POOL: Mutex<Pool> = Mutex::new(Pool { waiting: Vec::new(), spare: 0, most: 0, room: ROOM });

/// What waits unfit may be one part in this many of the most that ever waited, unless [`set_room`] says otherwise: with a little room, most
/// sizes that take turns in a step are there in the next one, and few have to wait for fresh pages.
pub const ROOM: usize = 32;

/// What is in use and what waits together hardly exceed the most that was ever in use, which is what a memory plan can know:
/// whoever needs fresh memory returns as much of what waits, beyond some room.
struct Pool {
    /// Oldest first.
    waiting: Vec<Vec<f32>>,
    /// Numbers that were returned beyond what had to be: so many may be asked for afresh.
    spare: usize,
    /// The most numbers that ever waited.
    most: usize,
    /// Instead of [`ROOM`].
    room: usize,
}

impl Pool {
    fn total(&self) -> usize {
        self.waiting.iter().map(Vec::len).sum()
    }

    /// The smallest buffer that fits.
    fn fitting(&mut self, len: usize) -> Option<Vec<f32>> {
        let fits = |at: &usize| {
            let size = self.waiting[*at].len();
            size >= len && size - len <= len / SLACK
        };
        let best = (0..self.waiting.len()).filter(fits).min_by_key(|&at| self.waiting[at].len())?;
        Some(self.waiting.remove(best))
    }

    /// Returns what waits for `len` fresh numbers: of one buffer if one is enough, the smallest such, or the largest in turn.
    fn make_room(&mut self, len: usize) {
        while self.spare < len && self.total() > self.most / self.room {
            let wanted = len - self.spare;
            let order = |at: &usize| {
                let size = self.waiting[*at].len();
                if size >= wanted { (false, size) } else { (true, usize::MAX - size) }
            };
            if let Some(at) = (0..self.waiting.len()).min_by_key(order) {
                self.spare += self.waiting.remove(at).len();
            }
        }
        self.spare = self.spare.saturating_sub(len);
    }

    fn put(&mut self, buffer: Vec<f32>) {
        self.waiting.push(buffer);
        self.most = self.most.max(self.total());
        if self.waiting.len() > MOST {
            self.spare += self.waiting.remove(0).len();
        }
    }
}

/// A vector of `len` numbers whose content is arbitrary: the caller writes all of it.
pub fn take(len: usize) -> Vec<f32> {
    if len >= SMALLEST
        && let Ok(mut pool) = POOL.lock()
    {
        if let Some(mut buffer) = pool.fitting(len) {
            drop(pool);
            buffer.truncate(len);
            return buffer;
        }
        pool.make_room(len);
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
        use crate::allocator::pages::{page, whole_pages};
        let (start, bytes) = whole_pages(fresh.as_ptr() as usize, size_of_val(fresh), page());
        if bytes >= LARGE_PAGE {
            // SAFETY: the range consists of whole pages inside an allocation that we own, and this advice changes no content.
            unsafe {
                libc::madvise(start as *mut libc::c_void, bytes, libc::MADV_HUGEPAGE);
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
pub fn give(mut buffer: Vec<f32>) {
    if buffer.capacity() < SMALLEST {
        return;
    }
    // It may have been shortened: what it holds counts, or it would serve smaller and smaller requests.
    buffer.resize(buffer.capacity(), 0.0);
    if let Ok(mut pool) = POOL.lock() {
        pool.put(buffer);
    }
}

/// Lets one part in `room` of the most that ever waited wait unfit. Where a step needs other sizes on its way back than on its way forward, a
/// part as large as the difference saves the pages that would change their size twice a step, which the system would have to clear.
///
/// # Panics
/// If it is 0.
pub fn set_room(room: usize) {
    assert!(room > 0, "one part in 0");
    if let Ok(mut pool) = POOL.lock() {
        pool.room = room;
    }
}

/// Returns all waiting memory to the allocator.
pub fn clear() {
    if let Ok(mut pool) = POOL.lock() {
        pool.waiting.clear();
        (pool.spare, pool.most) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(sizes: &[usize]) -> Pool {
        Pool { waiting: sizes.iter().map(|&size| vec![0.0; size]).collect(), spare: 0, most: 0, room: ROOM }
    }

    fn sizes(pool: &Pool) -> Vec<usize> {
        pool.waiting.iter().map(Vec::len).collect()
    }

    #[test]
    fn the_smallest_buffer_within_the_slack_is_used_again() {
        let mut pool = pool(&[1200, 1100, 999, 2000]);
        assert_eq!(pool.fitting(1000).map(|buffer| buffer.len()), Some(1100));
        assert_eq!(pool.fitting(1000).map(|buffer| buffer.len()), Some(1200));
        assert!(pool.fitting(1000).is_none());
        assert_eq!(sizes(&pool), [999, 2000]);
    }

    #[test]
    fn fresh_memory_takes_the_place_of_what_waits() {
        let mut pool = pool(&[100, 5000, 700, 300]);
        pool.make_room(600);
        assert_eq!((sizes(&pool), pool.spare), (vec![100, 5000, 300], 100));
        // What was returned too much counts.
        pool.make_room(150);
        assert_eq!((sizes(&pool), pool.spare), (vec![5000, 300], 50));
        // No single one is enough: the largest first.
        pool.make_room(5200);
        assert_eq!((sizes(&pool), pool.spare), (vec![], 150));
        pool.make_room(1000);
        assert_eq!(pool.spare, 0);
    }

    #[test]
    fn the_buffers_of_a_deep_network_wait_and_the_oldest_of_too_many_goes() {
        let mut pool = pool(&[]);
        // Twelve layers of eight rounds with eight arrays each.
        (0..768).for_each(|size| pool.put(vec![0.0; size]));
        assert_eq!((pool.waiting.len(), pool.spare), (768, 0));
        (768..MOST + 2).for_each(|size| pool.put(vec![0.0; size]));
        assert_eq!((pool.waiting.len(), pool.waiting[0].len(), pool.spare), (MOST, 2, 1));
    }

    #[test]
    fn what_fits_into_the_room_waits_on() {
        let mut pool = pool(&[100, 300]);
        (pool.most, pool.room) = (3200, 8);
        pool.make_room(1000);
        assert_eq!((sizes(&pool), pool.spare), (vec![100, 300], 0), "an eighth of the most may wait");
        pool.waiting.push(vec![0.0; 1]);
        pool.make_room(200);
        assert_eq!(sizes(&pool), [100, 1], "one more number is too much");
    }
}
