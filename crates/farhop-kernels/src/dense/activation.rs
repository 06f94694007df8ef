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
    /// `x (1 + erf(x / sqrt(2))) / 2`: GELU as it is defined.
    GeluExact,
    /// `x`, or `exp(x) - 1` below zero (Clevert, Unterthiner and Hochreiter, 2016).
    Elu,
    /// `x s(x)` with the logistic s, also called swish.
    Silu,
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic `1 / (1 + exp(-x))`.
    Sigmoid,
    /// `x`, or `0.01 x` below zero.
    LeakyRelu,
}

/// `2 sqrt(2 / pi)` and `0.044715` of the tanh form: `0.5 (1 + tanh(u)) = s(2 u)`.
const GELU_SLOPE: f32 = 1.595_769;
const GELU_CUBE: f32 = 0.044_715;

/// Slope of LeakyReLU below zero.
const LEAK: f32 = 0.01;

impl Activation {
    /// All of them.
    pub const ALL: [Activation; 9] = [
        Activation::Identity,
        Activation::Relu,
        Activation::Gelu,
        Activation::GeluExact,
        Activation::Elu,
        Activation::Silu,
        Activation::Tanh,
        Activation::Sigmoid,
        Activation::LeakyRelu,
    ];

    /// `values = activation(values)`. NaN stays NaN, so that it is not hidden.
    #[inline(always)]
    pub(super) fn apply<M: Arith>(self, values: &mut [f32]) {
        let values = values.iter_mut();
        match self {
            Activation::Identity => {}
            // Written so that NaN stays NaN: `max` would turn it into 0 and hide it.
            Activation::Relu => values.for_each(|v| *v = if *v < 0.0 { 0.0 } else { *v }),
            Activation::Gelu => values.for_each(|v| *v *= gate::<M>(*v)),
            Activation::GeluExact => values.for_each(|v| *v *= normal_share::<M>(*v)),
            Activation::Elu => values.for_each(|v| *v = if *v > 0.0 { *v } else { exp_minus_one::<M>(*v) }),
            Activation::Silu => values.for_each(|v| *v *= logistic::<M>(*v)),
            Activation::Tanh => values.for_each(|v| *v = tanh::<M>(*v)),
            Activation::Sigmoid => values.for_each(|v| *v = logistic::<M>(*v)),
            Activation::LeakyRelu => values.for_each(|v| *v = if *v < 0.0 { LEAK * *v } else { *v }),
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
            Activation::GeluExact => pairs.for_each(|(g, x)| *g *= gelu_exact_slope::<M>(*x)),
            Activation::Elu => pairs.for_each(|(g, x)| *g *= if *x > 0.0 { 1.0 } else { exp::<M>(*x) }),
            Activation::Silu => pairs.for_each(|(g, x)| {
                let s = logistic::<M>(*x);
                *g *= M::fma(*x * s, 1.0 - s, s);
            }),
            Activation::Tanh => pairs.for_each(|(g, x)| {
                let t = tanh::<M>(*x);
                *g *= M::fma(-t, t, 1.0);
            }),
            Activation::Sigmoid => pairs.for_each(|(g, x)| {
                let s = logistic::<M>(*x);
                *g *= s * (1.0 - s);
            }),
            Activation::LeakyRelu => pairs.for_each(|(g, x)| *g *= if *x < 0.0 { LEAK } else { 1.0 }),
        }
    }
}

#[inline(always)]
fn logistic<M: Arith>(x: f32) -> f32 {
    1.0 / (1.0 + exp::<M>(-x))
}

/// The factor that GELU multiplies its input with.
#[inline(always)]
fn gate<M: Arith>(x: f32) -> f32 {
    logistic::<M>(GELU_SLOPE * x * M::fma(GELU_CUBE * x, x, 1.0))
}

#[inline(always)]
fn gelu_slope<M: Arith>(x: f32) -> f32 {
    let gate = gate::<M>(x);
    let inner_slope = GELU_SLOPE * M::fma(3.0 * GELU_CUBE * x, x, 1.0);
    M::fma(x * gate * (1.0 - gate), inner_slope, gate)
}

/// `exp(x) - 1` for x up to 0: near 0 by its series, where the difference would lose digits.
#[inline(always)]
fn exp_minus_one<M: Arith>(x: f32) -> f32 {
    let mut series = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0] {
        series = M::fma(series, x, coefficient);
    }
    if x > -0.35 { series * x } else { exp::<M>(x) - 1.0 }
}

/// Near 0 by its series, where the difference of exponentials would lose digits.
#[inline(always)]
fn tanh<M: Arith>(x: f32) -> f32 {
    let square = x * x;
    let mut series = -1382.0 / 155_925.0;
    for coefficient in [62.0 / 2835.0, -17.0 / 315.0, 2.0 / 15.0, -1.0 / 3.0, 1.0] {
        series = M::fma(series, square, coefficient);
    }
    let decay = exp::<M>(-2.0 * x.abs());
    let far = ((1.0 - decay) / (1.0 + decay)).copysign(x);
    if square < 0.0625 { series * x } else { far }
}

/// The share of the normal distribution below x, `(1 + erf(x / sqrt(2))) / 2`: erf by the rational approximation 7.1.26 of
/// Abramowitz and Stegun, within 1.5e-7.
#[inline(always)]
fn normal_share<M: Arith>(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / M::fma(0.327_591_1, z, 1.0);
    let mut series = 1.061_405_4;
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        series = M::fma(series, t, coefficient);
    }
    let above = 0.5 * series * t * exp::<M>(-z * z);
    if x < 0.0 { above } else { 1.0 - above }
}

#[inline(always)]
fn gelu_exact_slope<M: Arith>(x: f32) -> f32 {
    // 1 / sqrt(2 pi)
    const DENSITY: f32 = 0.398_942_3;
    M::fma(x * DENSITY, exp::<M>(-0.5 * x * x), normal_share::<M>(x))
}
