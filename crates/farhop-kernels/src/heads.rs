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

    /// The same heads with their size known to the compiler: one head of `WIDTH` channels; unchanged where `WIDTH` is 0.
    /// Loops over rows then have constant lengths, which on short rows halves their cost. Chosen by `by_width!`.
    #[inline(always)]
    pub(crate) fn fixed<const WIDTH: usize>(self) -> Self {
        if WIDTH == 0 { self } else { Heads { width: WIDTH, count: 1 } }
    }

    /// As [`Heads::fixed`], where there may be several heads although `WIDTH` is given.
    #[inline(always)]
    pub(crate) fn fixed_if_single<const WIDTH: usize>(self) -> Self {
        if self.count == 1 { self.fixed::<WIDTH>() } else { self }
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

/// Calls a function that is generic over an instruction set and a width, `name::<M, WIDTH>(arguments)`, with the width of `heads` as
/// a constant where it is a usual one, and 0 where not.
macro_rules! by_width {
    ($heads:expr, $name:ident::<$M:ident $(, $T:ty)?>($($argument:expr),* $(,)?)) => {
        match ($heads.width, $heads.count) {
            (64, 1) => $name::<$M, $($T,)? 64>($($argument),*),
            (128, 1) => $name::<$M, $($T,)? 128>($($argument),*),
            _ => $name::<$M, $($T,)? 0>($($argument),*),
        }
    };
}

pub(crate) use by_width;
