//! A layer or model behind one object-safe face, so that learner, store and tests need not know which one it is.

use burn::module::{ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{Gradients, Tensor};

use crate::layers::Layer;
use crate::ops::bridge;
use crate::restart::Uniform;
use crate::{Batch, Context, Features, Targets};

/// One named array of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Dotted path, such as `layers.0.weight`.
    pub name: String,
    /// The engine's id, which a clone of the network shares.
    pub id: ParamId,
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// The numbers.
    pub data: Vec<f32>,
}

/// Any [`Layer`], boxed.
pub trait Network: Send + Sync {
    /// `[N, inputs]` to `[N, outputs]` (or `[G, outputs]` if answers are about graphs). What else it reads is in the batch.
    fn run(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2>;

    /// What changes when the first phase of training is over; see [`Layer::next_phase`].
    fn next_phase(&self, batch: &Batch, targets: &Targets) -> Vec<(ParamId, Vec<f32>)>;

    /// The same network, whose trained parameters are tracked.
    fn tracked(&self) -> Box<dyn Network>;

    /// A copy; numbers are shared until changed.
    fn boxed_clone(&self) -> Box<dyn Network>;

    /// All parameters and stored values, in the order of the network's fields.
    fn arrays(&self) -> Vec<Array>;

    /// Of a tracked network: name, id and shape of the trained parameters, in the order of [`Network::arrays`].
    fn trained(&self) -> Vec<(String, ParamId, Vec<usize>)>;

    /// Of a tracked network: the gradients of the trained parameters, in the order of [`Network::arrays`]. A parameter
    /// that the output does not depend on has a gradient of zeros.
    fn gradients(&self, gradients: &mut Gradients) -> Vec<Array>;

    /// Draws the linear maps anew, uniformly in `+- 1 / sqrt(inputs)`.
    fn start_uniformly(&mut self, seed: u64);

    /// Replaces the numbers of the arrays for which `value` gives some. They must have the same length.
    fn replace(&mut self, value: &mut dyn FnMut(ParamId) -> Option<Vec<f32>>);
}

impl<L: Layer + Sync + 'static> Network for L {
    fn run(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        Layer::forward(self, features, batch, context)
    }

    fn next_phase(&self, batch: &Batch, targets: &Targets) -> Vec<(ParamId, Vec<f32>)> {
        Layer::next_phase(self, batch, targets)
    }

    fn tracked(&self) -> Box<dyn Network> {
        Box::new(self.clone().train())
    }

    fn boxed_clone(&self) -> Box<dyn Network> {
        Box::new(self.clone())
    }

    fn arrays(&self) -> Vec<Array> {
        let mut visitor = Collector { path: Path::default(), gradients: None, found: Vec::new() };
        self.visit(&mut visitor);
        visitor.found
    }

    fn trained(&self) -> Vec<(String, ParamId, Vec<usize>)> {
        let mut visitor = Lister { path: Path::default(), found: Vec::new() };
        self.visit(&mut visitor);
        visitor.found
    }

    fn gradients(&self, gradients: &mut Gradients) -> Vec<Array> {
        let mut visitor = Collector { path: Path::default(), gradients: Some(gradients), found: Vec::new() };
        self.visit(&mut visitor);
        visitor.found
    }

    fn start_uniformly(&mut self, seed: u64) {
        *self = self.clone().map(&mut Uniform::new(seed));
    }

    fn replace(&mut self, value: &mut dyn FnMut(ParamId) -> Option<Vec<f32>>) {
        *self = self.clone().map(&mut Replacer { value });
    }
}

/// Where in the module tree a visitor is.
#[derive(Default)]
struct Path(Vec<String>);

impl Path {
    fn name(&self) -> String {
        self.0.join(".")
    }
}

struct Collector<'a> {
    path: Path,
    gradients: Option<&'a mut Gradients>,
    found: Vec<Array>,
}

impl ModuleVisitor for Collector<'_> {
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.0.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.0.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        let shape = tensor.dims().to_vec();
        let data = match &mut self.gradients {
            None => bridge::into_vec(tensor),
            Some(_) if !tensor.is_require_grad() => return,
            Some(gradients) => match tensor.grad_remove(gradients) {
                Some(gradient) => bridge::into_vec(gradient),
                None => vec![0.0; shape.iter().product()],
            },
        };
        self.found.push(Array { name: self.path.name(), id: param.id, shape, data });
    }
}

struct Lister {
    path: Path,
    found: Vec<(String, ParamId, Vec<usize>)>,
}

impl ModuleVisitor for Lister {
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.0.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.0.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if param.val().is_require_grad() {
            self.found.push((self.path.name(), param.id, param.dims().to_vec()));
        }
    }
}

struct Replacer<'a> {
    value: &'a mut dyn FnMut(ParamId) -> Option<Vec<f32>>,
}

impl ModuleMapper for Replacer<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        match (self.value)(param.id) {
            Some(data) => param.map(|tensor| bridge::from_vec(data, tensor.dims())),
            None => param,
        }
    }
}
