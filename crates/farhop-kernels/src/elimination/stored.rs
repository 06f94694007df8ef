//! Rows as the gathers read them: as they are, or packed.

use crate::packed::{self, Packed};
use crate::simd::{Number, prefetch};

/// How the rows that are gathered are stored. Everything else, the sums over them included, has 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Storage {
    /// As they are, 32 bits a number.
    #[default]
    Full,
    /// In 16 bits a number ([`crate::packed`]): half the bytes to gather, and a relative error of 2^-16 in each of them. Gradients
    /// are those of the full numbers, from gradients that are gathered the same way.
    Packed,
}

/// Gathered rows, `[N, F]`: `scales[j] * numbers[j, f]`.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, T> {
    pub numbers: &'a [T],
    scales: &'a [f32],
}

/// A number that gathered rows are made of.
pub(super) trait Stored: Number {
    /// The error of a row's largest number, as a part of it.
    const ERROR: f32;
    /// The rows of one array, which is the one `at` if it is packed.
    fn rows<'a>(full: &'a [f32], packed: &'a Packed, at: usize) -> Rows<'a, Self>;
    /// What row j's numbers are multiplied by.
    fn scale(scales: &[f32], j: usize) -> f32;
}

impl Stored for f32 {
    const ERROR: f32 = f32::EPSILON * 0.5;

    #[inline(always)]
    fn rows<'a>(full: &'a [f32], _: &'a Packed, _: usize) -> Rows<'a, f32> {
        Rows { numbers: full, scales: &[] }
    }

    #[inline(always)]
    fn scale(_: &[f32], _: usize) -> f32 {
        1.0
    }
}

impl Stored for i16 {
    const ERROR: f32 = packed::ERROR;

    #[inline(always)]
    fn rows<'a>(_: &'a [f32], packed: &'a Packed, at: usize) -> Rows<'a, i16> {
        Rows { numbers: packed.numbers(at), scales: packed.scales(at) }
    }

    #[inline(always)]
    fn scale(scales: &[f32], j: usize) -> f32 {
        scales[j]
    }
}

impl<'a, T: Stored> Rows<'a, T> {
    /// The numbers of row j.
    #[inline(always)]
    pub fn row(self, j: usize, width: usize) -> &'a [T] {
        &self.numbers[j * width..][..width]
    }

    /// What they are multiplied by.
    #[inline(always)]
    pub fn scale(self, j: usize) -> f32 {
        T::scale(self.scales, j)
    }

    /// Asks for row j ahead of time.
    #[inline(always)]
    pub fn prefetch(self, j: usize, width: usize) {
        prefetch(self.numbers, j * width, width);
    }
}
