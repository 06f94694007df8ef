//! Other initial weights for the linear maps of a finished network.

use burn::module::{ModuleMapper, Param};
use burn::tensor::Tensor;
use farhop_graph::random::{Stream, mix};

use crate::ops::bridge;

/// What of a layer is a linear map: the layer, and its fields if not all of them are.
const LINEAR: [(&str, &[&str]); 6] = [
    ("Struct:Linear", &[]),
    ("Struct:SageLayer", &[]),
    ("Struct:GinLayer", &["weight", "bias"]),
    ("Struct:GenLayer", &["query", "key", "value", "residual"]),
    ("Struct:FeedForward", &[]),
    ("Struct:CpgnnNetwork", &["hidden", "prior"]),
];

/// Whether field `name` of a layer is a linear map.
fn is_linear(layer: &str, name: &str) -> bool {
    let fields = LINEAR.iter().find(|(known, _)| *known == layer).map(|(_, fields)| fields);
    fields.is_some_and(|fields| fields.is_empty() || fields.contains(&name))
}

/// Draws the weights of linear maps, and their biases, uniformly in `+- 1 / sqrt(inputs)`, as PyTorch does. What is no linear map in
/// other libraries either stays: vectors of attention, convolutions of a GCN and a GAT, norms, tables.
pub(crate) struct Uniform {
    seed: u64,
    drawn: u64,
    linear: Vec<bool>,
    /// Rows of the last weight: a bias follows the weight that it belongs to.
    inputs: usize,
}

impl Uniform {
    pub(crate) fn new(seed: u64) -> Self {
        Uniform { seed, drawn: 0, linear: Vec::new(), inputs: 1 }
    }
}

impl ModuleMapper for Uniform {
    fn enter_module(&mut self, name: &str, container: &str) {
        // What a list holds is what its field is.
        let linear = if container == "Vec" { self.linear.last() == Some(&true) } else { is_linear(container, name) };
        self.linear.push(linear);
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.linear.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if !self.linear.last().is_some_and(|linear| *linear) {
            return param;
        }
        if D == 2 {
            self.inputs = param.dims()[0].max(1);
        }
        let limit = 1.0 / (self.inputs as f64).sqrt();
        self.drawn += 1;
        let mut stream = Stream::new(mix(self.seed, self.drawn));
        param.map(|tensor| {
            let dims = tensor.dims();
            let data = (0..dims.iter().product()).map(|_| ((stream.uniform() * 2.0 - 1.0) * limit) as f32).collect();
            bridge::from_vec(data, dims)
        })
    }
}
