//! The vector loops by themselves, on the instruction set in use.

use super::simd_fn;

simd_fn! {
    /// `x . y`, in a fixed order of summation.
    pub fn dot<M>(x: &[f32], y: &[f32]) -> f32 {
        super::dot::<M, _>(x, y)
    }
}

simd_fn! {
    /// `y += a x`, returning `x . v` of the same pass.
    pub fn axpy_dot<M>(a: f32, x: &[f32], y: &mut [f32], v: &[f32]) -> f32 {
        super::axpy_dot::<M, _>(a, x, y, v)
    }
}

simd_fn! {
    /// As [`axpy_dot`], of whole numbers of 16 bits.
    pub fn axpy_dot_packed<M>(a: f32, x: &[i16], y: &mut [f32], v: &[f32]) -> f32 {
        super::axpy_dot::<M, _>(a, x, y, v)
    }
}

simd_fn! {
    /// `e^x`, as [`exp`](super::exp) has it.
    pub fn exp<M>(x: f32) -> f32 {
        super::exp::<M>(x)
    }
}
