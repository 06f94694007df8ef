//! Rows in half the memory: whole numbers of 16 bits and a scale per row.
//!
//! ```text
//! s_i  = max_f |x_if| / 32767        q_if = round(x_if / s_i)        |x_if - s_i q_if| <= s_i / 2
//! ```
//!
//! A gather is limited by the bytes it reads at random, and reads half of them this way; sums stay in 32 bits. An element is off by at most
//! 2^-16 of the largest of its row. What is not finite makes all of its row NaN.

use crate::buffers;
use crate::parallel::{Blocks, SharedMut};
use crate::simd_fn;
use std::ops::Range;

const LARGEST: f32 = 32767.0;

/// The error of a packed number at most, as a part of the largest of its row.
pub const ERROR: f32 = 0.5 / LARGEST;

/// Packed arrays of `[N, F]` numbers.
///
/// Two of them share a buffer of N F numbers of 32 bits: the size that everything else of a layer has, so that buffers are used again.
pub struct Packed {
    pairs: Vec<Vec<f32>>,
    scales: Vec<Vec<f32>>,
    rows: usize,
    width: usize,
}

/// Bytes of `arrays` packed arrays.
pub fn bytes(arrays: usize, rows: usize, width: usize) -> u64 {
    (rows * (arrays.div_ceil(2) * width + arrays) * size_of::<f32>()) as u64
}

impl Packed {
    /// No array yet.
    pub fn new(rows: usize, width: usize) -> Packed {
        Packed { pairs: Vec::new(), scales: Vec::new(), rows, width }
    }

    /// Packs one more array, `values[N, F]`.
    pub fn push(&mut self, values: &[f32]) {
        let (rows, width) = (self.rows, self.width);
        if self.scales.len().is_multiple_of(2) {
            self.pairs.push(buffers::take(rows * width));
        }
        self.scales.push(buffers::take(rows));
        self.renew(values, 0..rows);
    }

    /// Packs some rows of the last array again: `values[N, F]` has changed there.
    ///
    /// # Panics
    /// If there is no array, or `values` has another shape.
    pub fn renew(&mut self, values: &[f32], rows: Range<usize>) {
        let (size, width) = (self.rows * self.width, self.width);
        assert_eq!(values.len(), size, "values must be [rows, width]");
        assert!(!self.scales.is_empty(), "there is an array");
        let second = (self.scales.len() - 1) % 2;
        let numbers = self.pairs.last_mut().map_or(&mut [][..], |pair| {
            debug_assert_eq!(pair.len(), size, "a buffer for two packed arrays");
            // SAFETY: the buffer has rows * width numbers of 32 bits, which are twice as many of 16; any bits are a number of either kind.
            let both = unsafe { std::slice::from_raw_parts_mut(pair.as_mut_ptr().cast::<i16>(), 2 * size) };
            &mut both[second * size..][..size]
        });
        let scales = self.scales.last_mut().map_or(&mut [][..], |scales| scales);
        let (shared, shared_scales) = (SharedMut::new(numbers), SharedMut::new(scales));
        Blocks::by_rows(rows.len(), width).run(|block| {
            let block = rows.start + block.start..rows.start + block.end;
            let part = block.start * width..block.end * width;
            // SAFETY: blocks are disjoint ranges of rows.
            let (numbers, scales) = unsafe { (shared.part(part.clone()), shared_scales.part(block)) };
            pack_rows(width, &values[part], numbers, scales);
        });
    }

    /// How many arrays there are.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// q of array `at`, `[N, F]`.
    pub fn numbers(&self, at: usize) -> &[i16] {
        let size = self.rows * self.width;
        debug_assert_eq!(self.pairs[at / 2].len(), size, "a buffer for two packed arrays");
        // SAFETY: as in `push`, which made them.
        let both = unsafe { std::slice::from_raw_parts(self.pairs[at / 2].as_ptr().cast::<i16>(), 2 * size) };
        &both[at % 2 * size..][..size]
    }

    /// s of array `at`, `[N]`.
    pub fn scales(&self, at: usize) -> &[f32] {
        &self.scales[at]
    }

    /// All arrays as they were, but for the rounding; their packed memory is given away on the way.
    pub fn unpack(&mut self) -> Vec<Vec<f32>> {
        let (rows, width) = (self.rows, self.width);
        let mut all: Vec<Vec<f32>> = Vec::new();
        while let Some(scales) = self.scales.last() {
            let at = self.scales.len() - 1;
            let mut values = buffers::take(rows * width);
            let (shared, numbers) = (SharedMut::new(&mut values), self.numbers(at));
            Blocks::by_rows(rows, width).run(|block| {
                let part = block.start * width..block.end * width;
                // SAFETY: blocks are disjoint ranges of rows.
                let values = unsafe { shared.part(part.clone()) };
                unpack_rows(width, &numbers[part], &scales[block], values);
            });
            all.push(values);
            self.scales.pop().into_iter().for_each(buffers::give);
            // The first of a pair is the last to go.
            if at.is_multiple_of(2) {
                self.pairs.pop().into_iter().for_each(buffers::give);
            }
        }
        all.reverse();
        all
    }

    /// Gives the memory of all arrays to whoever needs some next.
    pub fn clear(&mut self) {
        self.pairs.drain(..).chain(self.scales.drain(..)).for_each(buffers::give);
    }
}

simd_fn! {
    fn pack_rows<M>(width: usize, values: &[f32], numbers: &mut [i16], scales: &mut [f32]) {
        // Adding 1.5 * 2^23 rounds to the nearest whole number, whose 16 bits are then the lowest.
        const MAGIC: f32 = 12_582_912.0;
        let rows = values.chunks_exact(width).zip(numbers.chunks_exact_mut(width));
        for ((row, numbers), scale) in rows.zip(scales) {
            // As whole numbers, absolute values are in order, and whatever is not finite comes last.
            let largest = f32::from_bits(row.iter().fold(0, |most, v| most.max(v.to_bits() & 0x7fff_ffff)));
            if !largest.is_finite() {
                numbers.fill(0);
                *scale = f32::NAN;
                continue;
            }
            // Numbers too small for their inverse to be one count as zeros.
            let inverse = LARGEST / largest;
            let inverse = if inverse.is_finite() { inverse } else { 0.0 };
            *scale = largest / LARGEST;
            for (q, v) in numbers.iter_mut().zip(row) {
                *q = (v * inverse + MAGIC).to_bits() as i16;
            }
        }
    }
}

simd_fn! {
    fn unpack_rows<M>(width: usize, numbers: &[i16], scales: &[f32], values: &mut [f32]) {
        for ((row, numbers), scale) in values.chunks_exact_mut(width).zip(numbers.chunks_exact(width)).zip(scales) {
            for (v, q) in row.iter_mut().zip(numbers) {
                *v = scale * f32::from(*q);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random;

    /// `values` packed and unpacked, as the first array and as the second.
    fn back(values: &[f32], width: usize) -> Vec<f32> {
        let mut packed = Packed::new(values.len() / width, width);
        packed.push(values);
        packed.push(values);
        packed.push(values);
        let [first, second] = [0, 1].map(|at| -> Vec<f32> {
            let rows = packed.numbers(at).chunks(width).zip(packed.scales(at));
            rows.flat_map(|(row, scale)| row.iter().map(move |&q| f32::from(q) * scale)).collect()
        });
        let unpacked = packed.unpack();
        assert!(packed.is_empty() && unpacked.len() == 3);
        assert!(unpacked.iter().flatten().zip(first.repeat(3)).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(first.iter().zip(&second).all(|(a, b)| a.to_bits() == b.to_bits()));
        // Packed in two steps, with anything in the rows that come later.
        let rows = values.len() / width;
        let mut early = values.to_vec();
        early[rows / 2 * width..].fill(f32::NAN);
        packed.push(&early);
        packed.renew(values, rows / 2..rows);
        assert!(packed.unpack().concat().iter().zip(&first).all(|(a, b)| a.to_bits() == b.to_bits()));
        first
    }

    #[test]
    fn elements_are_off_by_half_a_step_of_their_row() {
        for (rows, width) in [(1, 1), (3, 7), (500, 64), (1000, 33)] {
            let size = |i: usize| 10f32.powi((i % 60) as i32 - 30);
            let values: Vec<f32> = (0..rows * width)
                .map(|at| size(at / width) * (2.0 * random::unit(random::mix(5, at as u64)) as f32 - 1.0))
                .collect();
            let back = back(&values, width);
            assert_eq!(back.len(), values.len());
            for (row, back) in values.chunks(width).zip(back.chunks(width)) {
                let largest = row.iter().fold(0.0f32, |most, v| most.max(v.abs()));
                // Three roundings of numbers up to 32767 come on top.
                let most = largest / LARGEST * (0.5 + 3.0 * LARGEST * f32::EPSILON / 2.0);
                for (v, b) in row.iter().zip(back) {
                    assert!((v - b).abs() <= most, "{v} became {b} in a row up to {largest}");
                }
            }
        }
    }

    #[test]
    fn whole_numbers_zeros_and_the_largest_stay_as_they_are() {
        let values: Vec<f32> = (-3..=3).map(|v| v as f32).chain([32767.0]).chain([0.0; 8]).collect();
        assert_eq!(back(&values, 8), values);
        assert!(back(&[1e-44, -1e-44], 2).iter().all(|v| v.abs() <= 1e-44));
    }

    #[test]
    fn what_is_not_finite_is_not_hidden() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let back = back(&[1.0, bad, 2.0, 3.0], 2);
            assert!(back[..2].iter().all(|v| v.is_nan()) && back[2..].iter().all(|v| v.is_finite()), "{back:?}");
        }
    }
}
