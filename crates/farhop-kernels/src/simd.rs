//! Run-time choice of the instruction set, and the few vector loops everything else is made of.
//!
//! A kernel body is written once, as ordinary Rust over slices, generic over [`Arith`]. The macro `simd_fn!` compiles it three
//! times (baseline, AVX2 + FMA, AVX-512) and picks the version by [`Isa::active`]. One binary runs everywhere and is fast where
//! the machine allows it.
//!
//! The types that stand for AVX2 and AVX-512 are known to this crate alone, and so is the macro that names them: nobody else
//! can call their code on a machine that lacks them.
//!
//! ```compile_fail,E0603
//! use farhop_kernels::simd::Avx2;
//! ```

pub mod active;
mod number;

pub use number::Number;
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
        found.extend([Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.runs_here()));
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

    /// Whether this machine can run it. Without an allocation, for assertions in inner loops.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn runs_here(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = || has!("avx2") && has!("fma");
        match self {
            Isa::Baseline => true,
            Isa::Avx2 => avx2(),
            Isa::Avx512 => avx2() && has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq"),
        }
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

/// The arithmetic of an instruction set: what loops can't be trusted to be compiled to is written out per set.
pub trait Arith: Copy {
    /// `a * b + c`, fused where the instruction set has it.
    fn fma(a: f32, b: f32, c: f32) -> f32;
    /// `x . y`, in a fixed order of summation.
    fn dot<T: Number>(x: &[T], y: &[f32]) -> f32;
    /// `y += a x`, returning `x . v` of the same pass.
    fn axpy_dot<T: Number>(a: f32, x: &[T], y: &mut [f32], v: &[f32]) -> f32;
}

/// Plain Rust: whatever the compiler makes of it for the baseline of the target.
#[derive(Clone, Copy)]
pub struct Portable;

impl Arith for Portable {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        // Every aarch64 machine has the fused form; the baseline of x86-64 does not, and would call a slow function.
        if cfg!(target_arch = "aarch64") { a.mul_add(b, c) } else { a * b + c }
    }

    #[inline(always)]
    fn dot<T: Number>(x: &[T], y: &[f32]) -> f32 {
        portable_dot(x, y)
    }

    #[inline(always)]
    fn axpy_dot<T: Number>(a: f32, x: &[T], y: &mut [f32], v: &[f32]) -> f32 {
        axpy::<Self, T>(a, x, y);
        portable_dot(x, v)
    }
}

#[inline(always)]
fn portable_dot<T: Number>(x: &[T], y: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 16];
    let (xs, xt) = x.as_chunks::<16>();
    let (ys, yt) = y.as_chunks::<16>();
    for (a, b) in xs.iter().zip(ys) {
        for l in 0..16 {
            lanes[l] = Portable::fma(a[l].value(), b[l], lanes[l]);
        }
    }
    let mut rest = 0.0;
    for (a, b) in xt.iter().zip(yt) {
        rest = Portable::fma(a.value(), *b, rest);
    }
    lanes.iter().sum::<f32>() + rest
}

/// Defines the [`Arith`] of an x86-64 vector extension from its intrinsics. Four accumulators run side by side, since one
/// addition takes several cycles; what does not fill a vector is done number by number.
#[cfg(target_arch = "x86_64")]
macro_rules! vector_arith {
    ($(#[$meta:meta])* $name:ident, $lanes:literal, $zero:ident, $splat:ident, $load:ident, $number:ident, $store:ident, $fma:ident, $add:ident, $sum:ident) => {
        $(#[$meta])*
        ///
        /// `simd_fn!` names it, where the machine is known to have it, and nothing else should.
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        impl Arith for $name {
            #[inline(always)]
            fn fma(a: f32, b: f32, c: f32) -> f32 {
                a.mul_add(b, c)
            }

            #[inline(always)]
            fn dot<T: Number>(x: &[T], y: &[f32]) -> f32 {
                use std::arch::x86_64::*;
                debug_assert!(Isa::$name.runs_here(), "only behind a feature check");
                let (xs, xt) = x.as_chunks::<$lanes>();
                let (ys, yt) = y.as_chunks::<$lanes>();
                let mut rest = 0.0;
                for (a, b) in xt.iter().zip(yt) {
                    rest = Self::fma(a.value(), *b, rest);
                }
                let (xw, xn) = xs.as_chunks::<4>();
                let (yw, yn) = ys.as_chunks::<4>();
                // SAFETY: this code is only reached from functions compiled for the extension, behind its detection
                // (`simd_fn!`); every pointer is to an array of as many numbers as are loaded.
                unsafe {
                    let mut sums = [$zero(); 4];
                    for (a, b) in xw.iter().zip(yw) {
                        for p in 0..4 {
                            sums[p] = $fma(T::$number(&a[p]), $load(b[p].as_ptr()), sums[p]);
                        }
                    }
                    for (a, b) in xn.iter().zip(yn) {
                        sums[0] = $fma(T::$number(a), $load(b.as_ptr()), sums[0]);
                    }
                    $sum($add($add(sums[0], sums[1]), $add(sums[2], sums[3]))) + rest
                }
            }

            #[inline(always)]
            fn axpy_dot<T: Number>(a: f32, x: &[T], y: &mut [f32], v: &[f32]) -> f32 {
                use std::arch::x86_64::*;
                debug_assert!(Isa::$name.runs_here(), "only behind a feature check");
                let n = x.len().min(y.len()).min(v.len());
                let (xs, xt) = x[..n].as_chunks::<$lanes>();
                let (ys, yt) = y[..n].as_chunks_mut::<$lanes>();
                let (vs, vt) = v[..n].as_chunks::<$lanes>();
                let mut rest = 0.0;
                for ((x, y), v) in xt.iter().zip(yt).zip(vt) {
                    *y = Self::fma(a, x.value(), *y);
                    rest = Self::fma(x.value(), *v, rest);
                }
                let (xw, xn) = xs.as_chunks::<4>();
                let (yw, yn) = ys.as_chunks_mut::<4>();
                let (vw, vn) = vs.as_chunks::<4>();
                // SAFETY: as in `dot`.
                unsafe {
                    let factor = $splat(a);
                    let mut sums = [$zero(); 4];
                    for ((x, y), v) in xw.iter().zip(yw).zip(vw) {
                        for p in 0..4 {
                            let value = T::$number(&x[p]);
                            sums[p] = $fma(value, $load(v[p].as_ptr()), sums[p]);
                            $store(y[p].as_mut_ptr(), $fma(factor, value, $load(y[p].as_ptr())));
                        }
                    }
                    for ((x, y), v) in xn.iter().zip(yn).zip(vn) {
                        let value = T::$number(x);
                        sums[0] = $fma(value, $load(v.as_ptr()), sums[0]);
                        $store(y.as_mut_ptr(), $fma(factor, value, $load(y.as_ptr())));
                    }
                    $sum($add($add(sums[0], sums[1]), $add(sums[2], sums[3]))) + rest
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector_arith! {
    /// 256-bit vectors with fused multiply-add. Only behind a feature check.
    Avx2, 8, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps, load_8, _mm256_storeu_ps, _mm256_fmadd_ps, _mm256_add_ps, sum_of_8
}
#[cfg(target_arch = "x86_64")]
vector_arith! {
    /// 512-bit vectors. Only behind a feature check.
    Avx512, 16, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps, load_16, _mm512_storeu_ps, _mm512_fmadd_ps, _mm512_add_ps, sum_of_16
}

/// The sum of the lanes, halving.
///
/// # Safety
/// The machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sum_of_8(lanes: std::arch::x86_64::__m256) -> f32 {
    use std::arch::x86_64::*;
    // SAFETY: by the caller's promise.
    unsafe {
        let four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }
}

/// As [`sum_of_8`].
///
/// # Safety
/// The machine has AVX-512 F and DQ.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sum_of_16(lanes: std::arch::x86_64::__m512) -> f32 {
    use std::arch::x86_64::*;
    // SAFETY: by the caller's promise.
    unsafe { sum_of_8(_mm256_add_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps::<1>(lanes))) }
}

/// Defines a function whose body is compiled once per instruction set and chosen at run time.
///
/// `simd_fn! { /// docs  pub fn name<M>(x: &[f32]) -> f32 { ... M::fma(a, b, c) ... } }`: `M` is the [`Arith`] of the version.
/// Everything the body calls should be `#[inline(always)]` so that it is compiled with the same instructions.
macro_rules! simd_fn {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$M:ident>($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments, clippy::extra_unused_type_parameters)]
            fn generic<$M: $crate::simd::Arith>($($arg: $ty),*) $(-> $ret)? $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($arg: $ty),*) $(-> $ret)? {
                generic::<$crate::simd::Avx2>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($arg: $ty),*) $(-> $ret)? {
                generic::<$crate::simd::Avx512>($($arg),*)
            }
            match $crate::simd::Isa::active() {
                // SAFETY: `Isa::active` only returns a set that was detected on this machine.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Isa::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Isa::Avx2 => unsafe { avx2($($arg),*) },
                _ => generic::<$crate::simd::Portable>($($arg),*),
            }
        }
    };
}

pub(crate) use simd_fn;

/// `x . y`, in a fixed order of summation.
#[inline(always)]
pub fn dot<M: Arith, T: Number>(x: &[T], y: &[f32]) -> f32 {
    M::dot(x, y)
}

/// `y += a x`.
#[inline(always)]
pub fn axpy<M: Arith, T: Number>(a: f32, x: &[T], y: &mut [f32]) {
    for (yv, xv) in y.iter_mut().zip(x) {
        *yv = M::fma(a, xv.value(), *yv);
    }
}

/// Channels whose sums stay in registers while a row is pulled together.
pub(crate) const PANEL: usize = 64;

/// `sums += weight x` for one panel.
#[inline(always)]
pub(crate) fn add_panel<M: Arith>(weight: f32, x: &[f32], sums: &mut [f32; PANEL]) {
    for (sum, x) in sums.iter_mut().zip(x) {
        *sum = M::fma(weight, *x, *sum);
    }
}

/// `y += a x`, returning `x . v` of the same pass.
#[inline(always)]
pub fn axpy_dot<M: Arith, T: Number>(a: f32, x: &[T], y: &mut [f32], v: &[f32]) -> f32 {
    M::axpy_dot(a, x, y, v)
}

/// The largest absolute value, 0 for an empty slice. NaN is skipped.
#[inline(always)]
pub fn max_abs(x: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 32];
    let (xs, xt) = x.as_chunks::<32>();
    for a in xs {
        for l in 0..32 {
            lanes[l] = lanes[l].max(a[l].abs());
        }
    }
    lanes.iter().chain(xt).fold(0.0f32, |most, v| most.max(v.abs()))
}

/// `e^x` without branches, so that loops over it vectorise: within 2 units in the last place of the exact value for
/// x in [-87, 88], 0 below (a softmax leaves nothing of what is removed, and no subnormal number slows what follows), clamped
/// above; NaN stays NaN.
#[inline(always)]
pub fn exp<M: Arith>(x: f32) -> f32 {
    // x = n ln 2 + r with |r| <= ln 2 / 2; adding and subtracting 1.5 * 2^23 rounds to the nearest integer.
    const MAGIC: f32 = 12_582_912.0;
    let low = x < -87.0;
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
    if low { 0.0 } else { p * scale }
}

/// Asks the processor to bring the cache lines of `data[start..start + len]` closer. No effect on results.
#[inline(always)]
pub fn prefetch<T>(data: &[T], start: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        // Whole lines from the one that holds the first number: where rows do not start on a line, they reach into one more.
        let first = data.as_ptr().wrapping_add(start).cast::<i8>();
        let lines = (size_of::<T>() * len).div_ceil(64);
        for line in 0..lines {
            // SAFETY: prefetching never faults, whatever the address.
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(first.wrapping_add(64 * line));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (data, start, len);
}
