//! Numbers of neighbouring channels side by side.

use crate::simd::{Arith, exp};

/// Channels that run side by side.
pub(super) const LANES: usize = 16;

/// One number for each of them.
pub(super) type Lanes = [f32; LANES];

/// `data[at .. at + count]`, with zeros for the channels that do not exist.
#[inline(always)]
pub(super) fn load(data: &[f32], at: usize, count: usize) -> Lanes {
    let mut lanes = [0.0; LANES];
    if count == LANES {
        lanes.copy_from_slice(&data[at..at + LANES]);
    } else {
        lanes[..count].copy_from_slice(&data[at..at + count]);
    }
    lanes
}

/// `log(1 + e^x)`.
#[inline(always)]
pub(super) fn softplus<M: Arith>(x: f32) -> f32 {
    // log(1 + e) = 2 artanh(e / (2 + e)); the argument is at most 1/3, so a few terms of the series are exact to
    // rounding.
    let e = exp::<M>(-x.abs());
    let s = e / (2.0 + e);
    let q = s * s;
    let mut series = 2.0 / 15.0;
    for odd in [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = M::fma(series, q, 2.0 / odd);
    }
    M::fma(series, s, if x > 0.0 { x } else { 0.0 })
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub(super) fn sigmoid<M: Arith>(x: f32) -> f32 {
    1.0 / (1.0 + exp::<M>(-x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    #[test]
    fn softplus_is_exact_to_rounding() {
        for step in -400..400 {
            let x = step as f32 / 10.0;
            let exact = f64::from(x).exp().ln_1p();
            let found = f64::from(softplus::<Portable>(x));
            assert!((found - exact).abs() <= 4e-7 * exact, "{x}: {found} instead of {exact}");
        }
    }
}
