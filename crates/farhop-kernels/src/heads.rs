//! How channels are shared out among heads.

use std::ops::Range;

/// `heads` heads over `width` channels: head h owns channels `h * width / heads .. (h + 1) * width / heads`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Number of channels F.
    pub width: usize,
    /// Number of heads H, at least 1.
    pub count: usize,
}

impl Heads {
    /// `count` heads over `width` channels.
    pub fn new(width: usize, count: usize) -> Self {
        Heads { width, count: count.max(1) }
    }

    /// The channels of head `h`.
    #[inline(always)]
    pub fn range(&self, h: usize) -> Range<usize> {
        if self.count == 1 {
            return 0..self.width;
        }
        h * self.width / self.count..(h + 1) * self.width / self.count
    }
}
