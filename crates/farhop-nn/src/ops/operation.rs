//! What an operation is: a differentiable function over slices, without any engine type.

use std::any::Any;
use std::fmt::Debug;

/// An input as an operation sees it: its numbers, row-major, and its shape.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// The numbers.
    pub data: &'a [f32],
    /// The length of each axis.
    pub shape: &'a [usize],
}

impl Array<'_> {
    /// Length of the first axis; 1 for a scalar.
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Length of the last axis; 1 for a scalar.
    pub fn columns(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }
}

/// The result of an operation.
#[derive(Debug)]
pub struct Output {
    /// The numbers, row-major; best from [`buffers::take`](super::buffers::take).
    pub data: Vec<f32>,
    /// The length of each axis.
    pub shape: Vec<usize>,
}

/// What [`Operation::backward`] works with.
#[derive(Debug)]
pub struct Backward<'a, K> {
    /// The inputs of the forward pass; `None` where [`Operation::keeps`] was false.
    pub inputs: Vec<Option<Array<'a>>>,
    /// What the forward pass kept.
    pub kept: K,
    /// The gradient of the output, in its shape.
    pub gradient: Vec<f32>,
    /// Which inputs want a gradient.
    pub needed: &'a [bool],
}

impl<'a, K> Backward<'a, K> {
    /// Input `index`, which [`Operation::keeps`].
    pub fn input(&self, index: usize) -> Array<'a> {
        self.inputs[index].unwrap_or(Array { data: &[], shape: &[] })
    }
}

/// A differentiable function of tensors to one tensor, over slices.
pub trait Operation: Debug + Send + Sync + 'static {
    /// What the forward pass hands to the backward pass beside the inputs.
    type Kept: Send + 'static;

    /// A short name for messages.
    fn name(&self) -> &'static str;

    /// The output, and what to keep. `training` is false when there will be no backward pass.
    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Self::Kept);

    /// Whether the backward pass reads input `input`.
    fn keeps(&self, input: usize) -> bool {
        let _ = input;
        true
    }

    /// Whether the output may take the memory of input `input`, which is as large, where nobody else holds it: then
    /// [`Operation::forward_over`] stands for [`Operation::forward`]. Not for inputs that the backward pass reads.
    fn overwrites(&self, input: usize) -> bool {
        let _ = input;
        false
    }

    /// As [`Operation::forward`], with the same bits, in the memory of input `at`: `data` has its numbers, and `inputs[at]` its shape alone.
    fn forward_over(&self, at: usize, data: Vec<f32>, inputs: &[Array]) -> (Vec<f32>, Self::Kept) {
        let _ = (at, data, inputs);
        unreachable!("{} overwrites no input", self.name())
    }

    /// The gradient of every input, in the order of the inputs; `None` where none is needed.
    fn backward(&self, step: Backward<Self::Kept>) -> Vec<Option<Vec<f32>>>;
}

/// [`Operation`] without its associated type, so that one extension function carries all of them.
pub(super) trait AnyOperation: Debug + Send + Sync {
    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Box<dyn Any + Send>);
    fn keeps(&self, input: usize) -> bool;
    fn overwrites(&self, input: usize) -> bool;
    fn forward_over(&self, at: usize, data: Vec<f32>, inputs: &[Array]) -> (Vec<f32>, Box<dyn Any + Send>);
    fn backward(
        &self,
        inputs: Vec<Option<Array>>,
        kept: Box<dyn Any + Send>,
        gradient: Vec<f32>,
        needed: &[bool],
    ) -> Vec<Option<Vec<f32>>>;
}

impl<O: Operation> AnyOperation for O {
    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Box<dyn Any + Send>) {
        let (output, kept) = Operation::forward(self, inputs, training);
        debug_assert_eq!(output.data.len(), output.shape.iter().product::<usize>(), "{}", self.name());
        (output, Box::new(kept))
    }

    fn keeps(&self, input: usize) -> bool {
        Operation::keeps(self, input)
    }

    fn overwrites(&self, input: usize) -> bool {
        Operation::overwrites(self, input)
    }

    fn forward_over(&self, at: usize, data: Vec<f32>, inputs: &[Array]) -> (Vec<f32>, Box<dyn Any + Send>) {
        let (output, kept) = Operation::forward_over(self, at, data, inputs);
        (output, Box::new(kept))
    }

    fn backward(
        &self,
        inputs: Vec<Option<Array>>,
        kept: Box<dyn Any + Send>,
        gradient: Vec<f32>,
        needed: &[bool],
    ) -> Vec<Option<Vec<f32>>> {
        match kept.downcast::<O::Kept>() {
            Ok(kept) => Operation::backward(self, Backward { inputs, kept: *kept, gradient, needed }),
            // `forward` of the same object made the box, so the types agree.
            Err(_) => unreachable!("kept state of another operation in {}", self.name()),
        }
    }
}
