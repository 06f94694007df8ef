//! Run-time choice of the instruction set, and the few vector loops everything else is made of.
//!
//! A kernel body is written once, as ordinary Rust over slices, generic over [`Arith`]. [`simd_fn!`](crate::simd_fn) compiles it
//! three times (baseline, AVX2 + FMA, AVX-512) and picks the version by [`Isa::active`]. One binary runs everywhere and is fast
//! where the machine allows it.

use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Isa {
    /// What every machine of the target has (SSE2 on x86-64, NEON on aarch64).
    Baseline = 1,
    /// AVX2 with fused multiply-add.
    Avx2 = 2,
    /// AVX-512 (F, VL, BW, DQ).
    Avx512 = 3,
}

static ACTIVE: AtomicU8 = AtomicU8::new(0);

impl Isa {
    /// The instruction set in use: the best this machine has, unless [`Isa::force`] chose another.
    #[inline]
    pub fn active() -> Isa {
        match ACTIVE.load(Ordering::Relaxed) {
            1 => Isa::Baseline,
            2 => Isa::Avx2,
            3 => Isa::Avx512,
            _ => {
                let best = *Isa::available().last().unwrap_or(&Isa::Baseline);
                ACTIVE.store(best as u8, Ordering::Relaxed);
                best
            }
        }
    }

    /// The instruction sets this machine can run, the best last.
    pub fn available() -> Vec<Isa> {
        #[allow(unused_mut)]
        let mut found = vec![Isa::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                found.push(Isa::Avx2);
                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                {
                    found.push(Isa::Avx512);
                }
            }
        }
        found
    }

    /// Uses `isa` from now on in the whole process. Returns false, and changes nothing, if this machine can't run it.
    /// Meant for tests and for measuring; results differ between instruction sets by rounding.
    pub fn force(isa: Isa) -> bool {
        let possible = Isa::available().contains(&isa);
        if possible {
            ACTIVE.store(isa as u8, Ordering::Relaxed);
        }
        possible
    }

    /// A short name: `baseline`, `avx2`, `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Baseline => "baseline",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }
}

/// How a kernel body multiplies and adds: fused where the instruction set has it.
pub trait Arith: Copy {
    /// `a * b + c`.
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

/// Separate multiplication and addition.
#[derive(Clone, Copy)]
pub struct Plain;
/// Fused multiply-add; slow where the machine has none, so only used behind a feature check.
#[derive(Clone, Copy)]
pub struct Fused;

impl Arith for Plain {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}

impl Arith for Fused {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// The arithmetic of [`Isa::Baseline`].
#[cfg(not(target_arch = "aarch64"))]
pub type BaselineArith = Plain;
/// The arithmetic of [`Isa::Baseline`]: every aarch64 machine has fused multiply-add.
#[cfg(target_arch = "aarch64")]
pub type BaselineArith = Fused;

/// Defines a function whose body is compiled once per instruction set and chosen at run time.
///
/// `simd_fn! { /// docs  pub fn name<M>(x: &[f32]) -> f32 { ... M::fma(a, b, c) ... } }`: `M` is the [`Arith`] of the version.
/// Everything the body calls should be `#[inline(always)]` so that it is compiled with the same instructions.
#[macro_export]
macro_rules! simd_fn {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$M:ident>($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn generic<$M: $crate::simd::Arith>($($arg: $ty),*) $(-> $ret)? $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($arg: $ty),*) $(-> $ret)? {
                generic::<$crate::simd::Fused>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($arg: $ty),*) $(-> $ret)? {
                generic::<$crate::simd::Fused>($($arg),*)
            }
            match $crate::simd::Isa::active() {
                // SAFETY: `Isa::active` only returns a set that was detected on this machine.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Isa::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Isa::Avx2 => unsafe { avx2($($arg),*) },
                _ => generic::<$crate::simd::BaselineArith>($($arg),*),
            }
        }
    };
}

const WIDE: usize = 32;
const NARROW: usize = 8;

/// `x . y`, in a fixed order of summation.
#[inline(always)]
pub fn dot<M: Arith>(x: &[f32], y: &[f32]) -> f32 {
    let mut wide = [0.0f32; WIDE];
    let (xs, xt) = x.as_chunks::<WIDE>();
    let (ys, yt) = y.as_chunks::<WIDE>();
    for (a, b) in xs.iter().zip(ys) {
        for l in 0..WIDE {
            wide[l] = M::fma(a[l], b[l], wide[l]);
        }
    }
    sum_lanes(&wide) + dot_tail::<M>(xt, yt)
}

#[inline(always)]
fn dot_tail<M: Arith>(x: &[f32], y: &[f32]) -> f32 {
    let mut narrow = [0.0f32; NARROW];
    let (xs, xt) = x.as_chunks::<NARROW>();
    let (ys, yt) = y.as_chunks::<NARROW>();
    for (a, b) in xs.iter().zip(ys) {
        for l in 0..NARROW {
            narrow[l] = M::fma(a[l], b[l], narrow[l]);
        }
    }
    let mut rest = 0.0;
    for (a, b) in xt.iter().zip(yt) {
        rest = M::fma(*a, *b, rest);
    }
    sum_narrow(&narrow) + rest
}

#[inline(always)]
fn sum_lanes(lanes: &[f32; WIDE]) -> f32 {
    let mut narrow = [0.0f32; NARROW];
    for l in 0..NARROW {
        narrow[l] = (lanes[l] + lanes[l + NARROW]) + (lanes[l + 2 * NARROW] + lanes[l + 3 * NARROW]);
    }
    sum_narrow(&narrow)
}

#[inline(always)]
fn sum_narrow(l: &[f32; NARROW]) -> f32 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

/// `y += a x`.
#[inline(always)]
pub fn axpy<M: Arith>(a: f32, x: &[f32], y: &mut [f32]) {
    for (yv, xv) in y.iter_mut().zip(x) {
        *yv = M::fma(a, *xv, *yv);
    }
}

/// `y += a x`, returning `x . v` of the same pass.
#[inline(always)]
pub fn axpy_dot<M: Arith>(a: f32, x: &[f32], y: &mut [f32], v: &[f32]) -> f32 {
    let mut wide = [0.0f32; WIDE];
    let n = x.len().min(y.len()).min(v.len());
    let (xs, xt) = x[..n].as_chunks::<WIDE>();
    let (ys, yt) = y[..n].as_chunks_mut::<WIDE>();
    let (vs, vt) = v[..n].as_chunks::<WIDE>();
    for ((xc, yc), vc) in xs.iter().zip(ys).zip(vs) {
        for l in 0..WIDE {
            yc[l] = M::fma(a, xc[l], yc[l]);
            wide[l] = M::fma(xc[l], vc[l], wide[l]);
        }
    }
    axpy::<M>(a, xt, yt);
    sum_lanes(&wide) + dot_tail::<M>(xt, vt)
}

/// The largest absolute value, 0 for an empty slice. NaN is skipped.
#[inline(always)]
pub fn max_abs(x: &[f32]) -> f32 {
    let mut lanes = [0.0f32; WIDE];
    let (xs, xt) = x.as_chunks::<WIDE>();
    for a in xs {
        for l in 0..WIDE {
            lanes[l] = lanes[l].max(a[l].abs());
        }
    }
    let mut most = 0.0f32;
    for v in lanes {
        most = most.max(v);
    }
    for v in xt {
        most = most.max(v.abs());
    }
    most
}

/// `e^x` without branches, so that loops over it vectorise: within 2 units in the last place of the exact value for
/// x in [-87, 88], clamped outside; NaN stays NaN.
#[inline(always)]
pub fn exp<M: Arith>(x: f32) -> f32 {
    // x = n ln 2 + r with |r| <= ln 2 / 2; adding and subtracting 1.5 * 2^23 rounds to the nearest integer.
    const MAGIC: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let shifted = M::fma(x, std::f32::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = M::fma(n, -0.693_359_4, x);
    let r = M::fma(n, 2.121_944_4e-4, r);
    let mut p = 1.0 / 5040.0;
    p = M::fma(p, r, 1.0 / 720.0);
    p = M::fma(p, r, 1.0 / 120.0);
    p = M::fma(p, r, 1.0 / 24.0);
    p = M::fma(p, r, 1.0 / 6.0);
    p = M::fma(p, r, 0.5);
    p = M::fma(p, r, 1.0);
    p = M::fma(p, r, 1.0);
    // The low bits of `shifted` hold n; moved into the exponent field they are 2^n.
    let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    p * scale
}

/// Asks the processor to bring the cache lines of `data[start..start + len]` closer. No effect on results.
#[inline(always)]
pub fn prefetch(data: &[f32], start: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        let end = (start + len).min(data.len());
        let mut at = start;
        while at < end {
            // SAFETY: prefetching never faults, and the address lies inside `data`.
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(data.as_ptr().add(at).cast());
            }
            at += 16;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (data, start, len);
}
