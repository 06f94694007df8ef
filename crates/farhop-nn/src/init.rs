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

    /// The next part's seed.
    pub fn next_seed(&mut self) -> u64 {
        self.next += 1;
        mix(self.seed, self.next)
    }
}

/// Uniform in `+- sqrt(6 / (inputs + outputs))` (Glorot and Bengio, 2010), `[inputs, outputs]`.
pub fn glorot(inputs: usize, outputs: usize, seed: u64) -> Param<Tensor<2>> {
    let limit = (6.0 / (inputs + outputs).max(1) as f64).sqrt();
    let mut stream = Stream::new(seed);
    let data = (0..inputs * outputs).map(|_| ((stream.uniform() * 2.0 - 1.0) * limit) as f32).collect();
    Param::from_tensor(bridge::from_vec(data, [inputs, outputs]))
}

/// `[width]` numbers of one value.
pub fn constant(width: usize, value: f32) -> Param<Tensor<1>> {
    Param::from_tensor(bridge::from_vec(vec![value; width], [width]))
}
