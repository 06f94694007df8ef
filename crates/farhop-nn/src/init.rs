//! Initial values from a seed alone.

use burn::module::Param;
use burn::tensor::Tensor;
use farhop_graph::random::{Stream, mix};

use crate::ops::bridge;

/// Hands out a seed per part of a model, in the order of its parts.
#[derive(Debug)]
pub struct Seeds {
    seed: u64,
    next: u64,
}

impl Seeds {
    /// Seeds below `seed`.
    pub fn new(seed: u64) -> Self {
        Seeds { seed, next: 0 }
    }

    /// The seed that these are below.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The next part's seed.
    pub fn next_seed(&mut self) -> u64 {
        self.next += 1;
        mix(self.seed, self.next)
    }
}

/// How linear maps start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Glorot's weights, zero biases.
    #[default]
    Glorot,
    /// Weights and biases uniform in `+- 1 / sqrt(inputs)`.
    Uniform,
    /// Weights uniform in `+- 1 / sqrt(inputs)`, zero biases.
    UniformWeights,
}

/// Uniform in `+- sqrt(6 / (inputs + outputs))` (Glorot and Bengio, 2010), `[inputs, outputs]`.
pub fn glorot(inputs: usize, outputs: usize, seed: u64) -> Param<Tensor<2>> {
    uniform(inputs, outputs, glorot_limit(inputs, outputs), seed)
}

/// Uniform in `+- limit`, `[rows, columns]`.
pub fn uniform(rows: usize, columns: usize, limit: f64, seed: u64) -> Param<Tensor<2>> {
    let mut stream = Stream::new(seed);
    let data = (0..rows * columns).map(|_| ((stream.uniform() * 2.0 - 1.0) * limit) as f32).collect();
    Param::from_tensor(bridge::from_vec(data, [rows, columns]))
}

/// Normal with deviation `deviation`, `[rows, columns]`.
pub fn normal(rows: usize, columns: usize, deviation: f64, seed: u64) -> Param<Tensor<2>> {
    let mut stream = Stream::new(seed);
    let data = (0..rows * columns).map(|_| (stream.normal() * deviation) as f32).collect();
    Param::from_tensor(bridge::from_vec(data, [rows, columns]))
}

/// Tables of `counts` categories one below the other, `[sum of counts, width]`, each with Glorot's limit.
pub fn tables(counts: &[u32], width: usize, seed: u64) -> Param<Tensor<2>> {
    let mut stream = Stream::new(seed);
    let mut data = Vec::new();
    for &count in counts {
        let limit = glorot_limit(count as usize, width);
        data.extend((0..count as usize * width).map(|_| ((stream.uniform() * 2.0 - 1.0) * limit) as f32));
    }
    let rows = counts.iter().map(|&count| count as usize).sum();
    Param::from_tensor(bridge::from_vec(data, [rows, width]))
}

fn glorot_limit(inputs: usize, outputs: usize) -> f64 {
    (6.0 / (inputs + outputs).max(1) as f64).sqrt()
}

/// `[width]` numbers of one value.
pub fn constant(width: usize, value: f32) -> Param<Tensor<1>> {
    Param::from_tensor(bridge::from_vec(vec![value; width], [width]))
}
