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

const LARGEST: f32 = 32767.0;

/// `[N, F]` numbers, packed.
pub struct Packed {
    /// Pairs of 16-bit numbers: the pool of buffers knows 32-bit ones only.
    pairs: Vec<f32>,
    scales: Vec<f32>,
    width: usize,
}

/// Bytes of `rows` packed rows.
pub fn bytes(rows: usize, width: usize) -> u64 {
    (rows * (2 * width + size_of::<f32>())) as u64
}

impl Packed {
    /// Packs `values[N, F]`, F = `width`.
    pub fn new(values: &[f32], width: usize) -> Packed {
        let rows = values.len().checked_div(width).unwrap_or(0);
        let mut pairs = buffers::take((rows * width).div_ceil(2));
        let mut scales = buffers::take(rows);
        // SAFETY: two 16-bit numbers take the place of a 32-bit one, and any bits are a number of either kind.
        let numbers = unsafe { std::slice::from_raw_parts_mut(pairs.as_mut_ptr().cast::<i16>(), rows * width) };
        let (shared, shared_scales) = (SharedMut::new(numbers), SharedMut::new(&mut scales));
        Blocks::by_rows(rows, width).run(|block| {
            // SAFETY: blocks are disjoint ranges of rows.
            let (numbers, scales) =
                unsafe { (shared.part(block.start * width..block.end * width), shared_scales.part(block.clone())) };
            pack_rows(width, &values[block.start * width..block.end * width], numbers, scales);
        });
        Packed { pairs, scales, width }
    }

    /// q, `[N, F]`.
    pub fn numbers(&self) -> &[i16] {
        // SAFETY: as in `new`, which made them.
        unsafe { std::slice::from_raw_parts(self.pairs.as_ptr().cast::<i16>(), self.scales.len() * self.width) }
    }

    /// s, `[N]`.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Gives the memory to whoever needs some next.
    pub fn give_back(self) {
        buffers::give(self.pairs);
        buffers::give(self.scales);
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

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random;

    fn unpacked(packed: &Packed) -> Vec<f32> {
        let rows = packed.numbers().chunks(packed.width).zip(packed.scales());
        rows.flat_map(|(row, scale)| row.iter().map(move |&q| f32::from(q) * scale)).collect()
    }

    #[test]
    fn elements_are_off_by_half_a_step_of_their_row() {
        for (rows, width) in [(1, 1), (3, 7), (500, 64), (1000, 33)] {
            let size = |i: usize| 10f32.powi((i % 60) as i32 - 30);
            let values: Vec<f32> = (0..rows * width)
                .map(|at| size(at / width) * (2.0 * random::unit(random::mix(5, at as u64)) as f32 - 1.0))
                .collect();
            let back = unpacked(&Packed::new(&values, width));
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
        assert_eq!(unpacked(&Packed::new(&values, 8)), values);
        assert!(unpacked(&Packed::new(&[1e-44, -1e-44], 2)).iter().all(|v| v.abs() <= 1e-44));
    }

    #[test]
    fn what_is_not_finite_is_not_hidden() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let back = unpacked(&Packed::new(&[1.0, bad, 2.0, 3.0], 2));
            assert!(back[..2].iter().all(|v| v.is_nan()) && back[2..].iter().all(|v| v.is_finite()), "{back:?}");
        }
    }
}
