//! Operations beside the same mathematics composed of the engine's own functions: values, and gradients of all inputs.
#![allow(dead_code)]

use burn::tensor::{Device, Tensor, TensorData};
use farhop_graph::random::Stream;

pub fn device() -> Device {
    Device::flex().autodiff()
}

pub fn constant<const D: usize>(data: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
    Tensor::from_data(TensorData::new(data, shape), &device())
}

/// Normal numbers that get a gradient.
pub fn leaf<const D: usize>(shape: [usize; D], seed: u64) -> Tensor<D> {
    let mut stream = Stream::new(seed);
    let count = shape.iter().product::<usize>();
    constant((0..count).map(|_| stream.normal() as f32).collect(), shape).require_grad()
}

pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

/// Values and the gradients of all leaves under a random readout.
macro_rules! outcome {
    ($y:expr, $($leaf:expr),+) => {{
        let y = $y;
        let readout = $crate::operation_support::leaf(y.dims(), 99).detach();
        let values = $crate::operation_support::numbers(y.clone());
        let gradients = (y * readout).sum().backward();
        vec![values, $($crate::operation_support::numbers($leaf.grad(&gradients).expect("a gradient"))),+]
    }};
}
pub(crate) use outcome;

/// Within 2e-5 of the largest number.
pub fn assert_close(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3f32, |most, v| most.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 2e-5 * scale, "{what}: {f} instead of {e}");
    }
}

pub fn compare(what: &str, found: Vec<Vec<f32>>, expected: Vec<Vec<f32>>) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_close(&format!("{what}, array {i}"), found, expected);
    }
}
