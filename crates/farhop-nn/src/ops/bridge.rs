//! The only place where operations and the engine meet: one backend extension that carries any [`Operation`].
//!
//! The engine's extension macro takes tensors, structs of tensors and plain values. [`Inputs`] is such a struct with a list of
//! tensors inside, and the operation itself travels as a plain value, so one extension function serves all operations.

use std::any::Any;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward as BackwardStep, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    Autodiff, Backend, BackendTensor, Dispatch, DispatchAutodiffContext, DispatchTensor, DispatchTensorKind,
    ExtensionType, Flex, backend_extension,
};
use burn::tensor::{Bytes, DType, Shape, Tensor};
use burn_flex::{FlexTensor, Layout};
use farhop_kernels::elements;

use super::buffers;
use super::operation::{AnyOperation, Array, Operation};

/// The largest number of inputs of an operation.
pub const MOST_INPUTS: usize = 24;

/// An operation on its way through the engine.
#[derive(Clone, Debug)]
pub struct Carried(Arc<dyn AnyOperation>);

/// A list of tensors of one backend.
pub struct Inputs<B: Backend> {
    tensors: Vec<FloatTensor<B>>,
}

/// One tensor on its way into an operation, of any rank.
pub struct Input(DispatchTensor);

impl<const D: usize> From<Tensor<D>> for Input {
    fn from(tensor: Tensor<D>) -> Self {
        Input(tensor.into_dispatch())
    }
}

/// Runs an operation on tensors of any rank and mixture of tracked and untracked, and records it if any is tracked.
///
/// # Panics
/// If there is no input, more than [`MOST_INPUTS`], or the rank of the output is not `D`.
pub fn apply<const D: usize>(operation: impl Operation, inputs: impl IntoIterator<Item = Input>) -> Tensor<D> {
    let tensors = inputs.into_iter().map(|input| input.0).collect();
    Tensor::from_dispatch(Dispatch::run(Carried(Arc::new(operation)), Inputs { tensors }))
}

/// The extension: any operation, any number of tensors.
#[backend_extension(Flex, Autodiff)]
pub trait OperationBackend: Backend {
    /// Runs the operation.
    fn run(operation: Carried, #[extension_type] inputs: Inputs<Self>) -> FloatTensor<Self>;
}

impl<B: Backend> ExtensionType<B> for Inputs<B> {
    type Target = Inputs<Dispatch>;

    fn map_to_dispatch<F>(self, map_kind: F, autodiff: DispatchAutodiffContext) -> Self::Target
    where
        F: Fn(BackendTensor<B>) -> DispatchTensorKind,
    {
        let wrap = |tensor| DispatchTensor { kind: map_kind(BackendTensor::Float(tensor)), autodiff };
        Inputs { tensors: self.tensors.into_iter().map(wrap).collect() }
    }

    fn map_from_dispatch<F>(target: Self::Target, unwrap_kind: F) -> Self
    where
        F: Fn(DispatchTensor) -> BackendTensor<B>,
    {
        Inputs { tensors: target.tensors.into_iter().map(|tensor| unwrap_kind(tensor).float()).collect() }
    }

    fn routing_tensor(target: &Self::Target) -> Option<&DispatchTensor> {
        target.tensors.first()
    }

    fn routing_float_tensor(target: &Self::Target) -> Option<&DispatchTensor> {
        target.tensors.first()
    }

    fn autodiff_context(target: &Self::Target) -> DispatchAutodiffContext {
        let merge = |context: DispatchAutodiffContext, tensor: &DispatchTensor| context.merge(tensor.autodiff);
        target.tensors.iter().fold(DispatchAutodiffContext::Disabled, merge)
    }
}

/// What a device has to provide: the operation on its own tensors. A device without an implementation does not compile.
pub trait DeviceKernels: Backend {
    /// Output and what is kept. The output may take the memory of an input, which is empty then.
    fn forward(
        operation: &Carried,
        inputs: &mut [FloatTensor<Self>],
        training: bool,
    ) -> (FloatTensor<Self>, Box<dyn Any + Send>);

    /// Gradients of the inputs, in order.
    fn backward(
        operation: &Carried,
        inputs: &[Option<FloatTensor<Self>>],
        kept: Box<dyn Any + Send>,
        gradient: FloatTensor<Self>,
        needed: &[bool],
        shapes: &[Vec<usize>],
    ) -> Vec<Option<FloatTensor<Self>>>;

    /// Takes back the memory of a tensor that is no longer needed.
    fn recycle(tensor: FloatTensor<Self>);

    /// The shape of a tensor.
    fn shape_of(tensor: &FloatTensor<Self>) -> Vec<usize>;
}

impl DeviceKernels for Flex {
    fn forward(operation: &Carried, inputs: &mut [FlexTensor], training: bool) -> (FlexTensor, Box<dyn Any + Send>) {
        let free = |at: &usize| operation.0.overwrites(*at) && inputs[*at].is_unique();
        if let Some(at) = (0..inputs.len()).find(free) {
            let shape = dims(&inputs[at]).to_vec();
            let data = vector(std::mem::replace(&mut inputs[at], tensor(Vec::new(), vec![0])));
            let others: Vec<FlexTensor> = inputs.iter().map(FlexTensor::to_contiguous).collect();
            let mut arrays: Vec<Array> = others.iter().map(array).collect();
            arrays[at] = Array { data: &[], shape: &shape };
            let (output, kept) = operation.0.forward_over(at, data, &arrays);
            drop(others);
            return (tensor(output, shape), kept);
        }
        // Free when contiguous, which every tensor made here is.
        let inputs: Vec<FlexTensor> = inputs.iter().map(FlexTensor::to_contiguous).collect();
        let arrays: Vec<Array> = inputs.iter().map(array).collect();
        let (output, kept) = operation.0.forward(&arrays, training);
        (tensor(output.data, output.shape), kept)
    }

    fn backward(
        operation: &Carried,
        inputs: &[Option<FlexTensor>],
        kept: Box<dyn Any + Send>,
        gradient: FlexTensor,
        needed: &[bool],
        shapes: &[Vec<usize>],
    ) -> Vec<Option<FlexTensor>> {
        let inputs: Vec<Option<FlexTensor>> =
            inputs.iter().map(|t| t.as_ref().map(FlexTensor::to_contiguous)).collect();
        let arrays = inputs.iter().map(|t| t.as_ref().map(array)).collect();
        let gradients = operation.0.backward(arrays, kept, vector(gradient), needed);
        debug_assert_eq!(gradients.len(), shapes.len(), "one gradient per input of {:?}", operation.0);
        let wrap = |(data, shape): (Option<Vec<f32>>, &Vec<usize>)| data.map(|data| tensor(data, shape.clone()));
        gradients.into_iter().zip(shapes).map(wrap).collect()
    }

    fn recycle(tensor: FlexTensor) {
        if tensor.is_unique() {
            buffers::give(vector(tensor));
        }
    }

    fn shape_of(tensor: &FlexTensor) -> Vec<usize> {
        dims(tensor).to_vec()
    }
}

fn dims(tensor: &FlexTensor) -> &[usize] {
    tensor.layout().shape()
}

fn array(tensor: &FlexTensor) -> Array<'_> {
    Array { data: numbers(tensor), shape: dims(tensor) }
}

/// The numbers of a contiguous tensor, in place.
///
/// # Panics
/// If there are none of 32 bits to be read: the engine made a tensor that this crate never asks for.
fn numbers(tensor: &FlexTensor) -> &[f32] {
    match tensor.as_slice() {
        Some(data) => data,
        None => panic!("a tensor of {:?} in rows of {:?} can't be read as f32", tensor.dtype(), dims(tensor)),
    }
}

/// The vector becomes the tensor's storage.
fn tensor(data: Vec<f32>, shape: Vec<usize>) -> FlexTensor {
    FlexTensor::new(Bytes::from_elems(data), Layout::contiguous(Shape::from(shape)), DType::F32)
}

/// The tensor's storage becomes the vector, copied only if something else holds the tensor too.
fn vector(tensor: FlexTensor) -> Vec<f32> {
    assert_eq!(tensor.dtype(), DType::F32, "numbers are f32");
    if !tensor.is_unique() {
        let tensor = tensor.to_contiguous();
        let shared = numbers(&tensor);
        let mut copy = buffers::take(shared.len());
        elements::copy(shared, &mut copy);
        return copy;
    }
    let (bytes, _, _) = tensor.into_data().into_parts();
    match bytes.try_into_vec::<f32>() {
        Ok(data) => data,
        Err(bytes) => bytes.chunks_exact(4).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect(),
    }
}

/// A tensor from a vector, without a copy.
pub fn from_vec<const D: usize>(data: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
    Tensor::from_primitive::<Flex>(tensor(data, shape.to_vec()))
}

/// The numbers of a tensor, copied only if something else holds the tensor too.
pub fn into_vec<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    vector(primitive(tensor))
}

/// Reads the numbers of a tensor in place.
pub fn with_slice<const D: usize, R>(tensor: &Tensor<D>, read: impl FnOnce(&[f32]) -> R) -> R {
    read(numbers(&primitive(tensor.clone()).to_contiguous()))
}

/// The tensor as the device has it.
///
/// # Panics
/// If it is a tensor of another device: there is one only.
fn primitive<const D: usize>(tensor: Tensor<D>) -> FlexTensor {
    match tensor.inner().try_into_primitive::<Flex>() {
        Ok(primitive) => primitive,
        Err(error) => panic!("a tensor of another device can't be read: {error:?}"),
    }
}

impl OperationBackend for Flex {
    fn run(operation: Carried, mut inputs: Inputs<Self>) -> FloatTensor<Self> {
        let (output, _) = <Flex as DeviceKernels>::forward(&operation, &mut inputs.tensors, false);
        inputs.tensors.into_iter().for_each(Flex::recycle);
        output
    }
}

impl<B: DeviceKernels, C: CheckpointStrategy> OperationBackend for Autodiff<B, C> {
    fn run(operation: Carried, inputs: Inputs<Self>) -> FloatTensor<Self> {
        macro_rules! by_count {
            ($($count:literal)*) => {
                match inputs.tensors.len() {
                    $($count => record::<B, C, $count>(operation, inputs.tensors),)*
                    count => panic!("an operation has 1 to {MOST_INPUTS} inputs, not {count}"),
                }
            };
        }
        by_count!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
    }
}

/// Runs the operation and puts it on the tape if any input is tracked.
fn record<B: DeviceKernels, C: CheckpointStrategy, const N: usize>(
    operation: Carried,
    inputs: Vec<FloatTensor<Autodiff<B, C>>>,
) -> FloatTensor<Autodiff<B, C>> {
    let guards: [_; N] = std::array::from_fn(|i| inputs[i].node());
    let mut tensors: Vec<FloatTensor<B>> = inputs.into_iter().map(|tensor| tensor.into_primitive()).collect();
    match Recorded.prepare::<C>(guards).compute_bound().stateful() {
        OpsKind::Tracked(step) => {
            let shapes = tensors.iter().map(B::shape_of).collect();
            let (output, kept) = B::forward(&operation, &mut tensors, true);
            let keep = |(i, tensor): (usize, FloatTensor<B>)| {
                if operation.0.keeps(i) {
                    return Some(tensor);
                }
                B::recycle(tensor);
                None
            };
            let inputs = tensors.into_iter().enumerate().map(keep).collect();
            let state = State { operation, inputs, shapes, kept: Arc::new(Mutex::new(Some(kept))) };
            step.finish(state, output)
        }
        OpsKind::UnTracked(step) => {
            let (output, _) = B::forward(&operation, &mut tensors, false);
            tensors.into_iter().for_each(B::recycle);
            step.finish(output)
        }
    }
}

/// The backward step of any operation.
#[derive(Debug)]
struct Recorded;

/// What the tape holds of an operation. The engine asks for `Clone` but never clones it; the mutex makes that cheap and `kept`
/// movable.
struct State<B: Backend> {
    operation: Carried,
    inputs: Vec<Option<FloatTensor<B>>>,
    shapes: Vec<Vec<usize>>,
    kept: Arc<Mutex<Option<Box<dyn Any + Send>>>>,
}

impl<B: Backend> Clone for State<B> {
    fn clone(&self) -> Self {
        State {
            operation: self.operation.clone(),
            inputs: self.inputs.clone(),
            shapes: self.shapes.clone(),
            kept: self.kept.clone(),
        }
    }
}

impl<B: Backend> Debug for State<B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("operation", &self.operation).finish_non_exhaustive()
    }
}

impl<B: DeviceKernels, const N: usize> BackwardStep<B, N> for Recorded {
    type State = State<B>;

    fn backward(self, ops: Ops<State<B>, N>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        let needed = ops.parents.each_ref().map(Option::is_some);
        let State { operation, inputs, shapes, kept } = ops.state;
        let kept = kept.lock().ok().and_then(|mut kept| kept.take());
        let Some(kept) = kept else { panic!("{operation:?} went backward twice") };
        let gradients = B::backward(&operation, &inputs, kept, gradient, &needed, &shapes);
        inputs.into_iter().flatten().for_each(B::recycle);
        for (parent, gradient) in ops.parents.into_iter().zip(gradients) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                grads.register::<B>(parent.id, gradient);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_the_order_of_rows() {
        let tensor: Tensor<2> = from_vec(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]);
        let transposed = tensor.transpose();
        with_slice(&transposed, |numbers| assert_eq!(numbers, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
        assert_eq!(into_vec(transposed), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    /// What can't be read is no empty slice, with which a computation would go on.
    #[test]
    #[should_panic(expected = "can't be read as f32")]
    fn a_tensor_of_another_type_is_not_read_as_nothing() {
        let tensor: Tensor<2> = from_vec(vec![1.0, 2.0], [1, 2]);
        with_slice(&tensor.cast(DType::F64), |numbers| assert!(numbers.is_empty()));
    }

    #[test]
    #[should_panic(expected = "numbers are f32")]
    fn a_tensor_of_another_type_is_no_vector_of_other_numbers() {
        let tensor: Tensor<2> = from_vec(vec![1.0, 2.0], [1, 2]);
        into_vec(tensor.cast(DType::F64));
    }
}
