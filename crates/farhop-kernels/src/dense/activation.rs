//! Activation functions, as loops over slices that vectorise.

use crate::simd::{Arith, exp};

/// What is applied to every number after normalisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    Identity,
    /// `max(x, 0)`.
    #[default]
    Relu,
    /// `x s(2 sqrt(2 / pi) (x + 0.044715 x^3))` with the logistic s: the tanh form of GELU (Hendrycks and Gimpel, 2016).
    Gelu,
}

/// `2 sqrt(2 / pi)` and `0.044715` of the tanh form: `0.5 (1 + tanh(u)) = s(2 u)`.
const GELU_SLOPE: f32 = 1.595_769;
const GELU_CUBE: f32 = 0.044_715;

impl Activation {
    /// `values = activation(values)`.
    #[inline(always)]
    pub(super) fn apply<M: Arith>(self, values: &mut [f32]) {
        match self {
            Activation::Identity => {}
            // Written so that NaN stays NaN: `max` would turn it into 0 and hide it.
            Activation::Relu => values.iter_mut().for_each(|v| *v = if *v < 0.0 { 0.0 } else { *v }),
            Activation::Gelu => values.iter_mut().for_each(|v| *v *= gate::<M>(*v)),
        }
    }

    /// `gradient *= activation'(inputs)`.
    #[inline(always)]
    pub(super) fn multiply_slope<M: Arith>(self, inputs: &[f32], gradient: &mut [f32]) {
        let pairs = gradient.iter_mut().zip(inputs);
        match self {
            Activation::Identity => {}
            Activation::Relu => pairs.for_each(|(g, x)| *g = if *x > 0.0 { *g } else { 0.0 }),
            Activation::Gelu => pairs.for_each(|(g, x)| *g *= gelu_slope::<M>(*x)),
        }
    }
}

/// The factor that GELU multiplies its input with.
#[inline(always)]
fn gate<M: Arith>(x: f32) -> f32 {
    let inner = GELU_SLOPE * x * M::fma(GELU_CUBE * x, x, 1.0);
    1.0 / (1.0 + exp::<M>(-inner))
}

#[inline(always)]
fn gelu_slope<M: Arith>(x: f32) -> f32 {
    let gate = gate::<M>(x);
    let inner_slope = GELU_SLOPE * M::fma(3.0 * GELU_CUBE * x, x, 1.0);
    M::fma(x * gate * (1.0 - gate), inner_slope, gate)
}
