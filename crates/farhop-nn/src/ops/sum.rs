//! Sums with fixed factors, a row added to every row, and products, number by number. In place where nobody else holds an input.

use burn::tensor::Tensor;
use farhop_kernels::dense::{Write, product};
use farhop_kernels::elements as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs x^l, equally large.
#[derive(Debug)]
struct SumOp {
    factors: Vec<f32>,
}

impl SumOp {
    /// Adds the terms from the third on.
    fn rest(&self, inputs: &[Array], y: &mut [f32]) {
        for (x, factor) in inputs.iter().zip(&self.factors).skip(2) {
            kernel::blend_over(1.0, y, *factor, x.data);
        }
    }
}

impl Operation for SumOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "sum"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let mut y = buffers::take(inputs[0].data.len());
        match inputs.get(1) {
            Some(other) => kernel::blend(self.factors[0], inputs[0].data, self.factors[1], other.data, &mut y),
            None => kernel::scale(self.factors[0], inputs[0].data, &mut y),
        }
        self.rest(inputs, &mut y);
        (Output { data: y, shape: inputs[0].shape.to_vec() }, ())
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    /// The first two may change places without changing a bit; those after them may not.
    fn overwrites(&self, input: usize) -> bool {
        input < 2
    }

    fn forward_over(&self, at: usize, mut data: Vec<f32>, inputs: &[Array]) -> (Vec<f32>, ()) {
        match inputs.get(1 - at) {
            Some(other) => kernel::blend_over(self.factors[at], &mut data, self.factors[1 - at], other.data),
            None => kernel::scale_over(self.factors[at], &mut data),
        }
        self.rest(inputs, &mut data);
        (data, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let mut whole = Some(step.gradient);
        let last = step.needed.iter().rposition(|needed| *needed);
        let mut gradients = Vec::with_capacity(self.factors.len());
        for (at, (&factor, needed)) in self.factors.iter().zip(step.needed).enumerate() {
            // The last one that is wanted takes the memory of the output's.
            if Some(at) == last {
                let mut own = whole.take().unwrap_or_default();
                if factor != 1.0 {
                    kernel::scale_over(factor, &mut own);
                }
                gradients.push(Some(own));
                continue;
            }
            gradients.push(whole.as_ref().filter(|_| *needed).map(|dy| {
                let mut own = buffers::take(dy.len());
                kernel::scale(factor, dy, &mut own);
                own
            }));
        }
        whole.into_iter().for_each(buffers::give);
        gradients
    }
}

/// `y = sum over l of f_l x^l` with fixed factors, all `[N, F]`. Keeps nothing.
///
/// # Panics
/// If there is no term, more than [`MOST_INPUTS`](super::bridge::MOST_INPUTS), or they are not equally large.
pub fn sum(terms: Vec<(Tensor<2>, f32)>) -> Tensor<2> {
    let shape = terms.first().map(|(x, _)| x.dims());
    assert!(terms.iter().all(|(x, _)| Some(x.dims()) == shape), "sum: equally large terms");
    let factors = terms.iter().map(|(_, factor)| *factor).collect();
    apply(SumOp { factors }, terms.into_iter().map(|(x, _)| Input::from(x)))
}

/// `x + z`, both `[N, F]`. Keeps nothing.
///
/// # Panics
/// If they are not equally large.
pub fn add(x: Tensor<2>, z: Tensor<2>) -> Tensor<2> {
    sum(vec![(x, 1.0), (z, 1.0)])
}

/// Inputs x `[N, F]` and b `[F]`.
#[derive(Debug)]
struct AddRowOp;

impl Operation for AddRowOp {
    /// The width.
    type Kept = usize;

    fn name(&self) -> &'static str {
        "add_row"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, usize) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        kernel::copy(x.data, &mut y);
        kernel::add_row(inputs[1].data, &mut y);
        (Output { data: y, shape: x.shape.to_vec() }, x.columns())
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn overwrites(&self, input: usize) -> bool {
        input == 0
    }

    fn forward_over(&self, _at: usize, mut data: Vec<f32>, inputs: &[Array]) -> (Vec<f32>, usize) {
        kernel::add_row(inputs[1].data, &mut data);
        (data, inputs[1].data.len())
    }

    fn backward(&self, step: Backward<usize>) -> Vec<Option<Vec<f32>>> {
        let (width, dy) = (step.kept, step.gradient);
        let db = step.needed[1].then(|| {
            let mut db = vec![0.0; width];
            product::column_sums(&dy, dy.len() / width.max(1), width, Write::Replace, &mut db);
            db
        });
        if step.needed[0] {
            return vec![Some(dy), db];
        }
        buffers::give(dy);
        vec![None, db]
    }
}

/// `y_i = x_i + b`: x, y `[N, F]`, b `[F]`. Keeps nothing.
///
/// # Panics
/// If the shapes do not fit.
pub fn add_row(x: Tensor<2>, b: Tensor<1>) -> Tensor<2> {
    assert_eq!(x.dims()[1], b.dims()[0], "add_row: a number for every channel");
    apply(AddRowOp, [Input::from(x), b.into()])
}

/// Inputs x and z, equally large.
#[derive(Debug)]
struct MultiplyOp;

impl Operation for MultiplyOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "multiply"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let mut y = buffers::take(inputs[0].data.len());
        kernel::multiply(inputs[0].data, inputs[1].data, &mut y);
        (Output { data: y, shape: inputs[0].shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (x, z) = (step.input(0), step.input(1));
        let dz = step.needed[1].then(|| {
            let mut dz = buffers::take(step.gradient.len());
            kernel::multiply(&step.gradient, x.data, &mut dz);
            dz
        });
        let mut dx = step.gradient;
        if step.needed[0] {
            kernel::multiply_over(z.data, &mut dx);
            return vec![Some(dx), dz];
        }
        buffers::give(dx);
        vec![None, dz]
    }
}

/// `x z`, number by number, both `[N, F]`. Keeps both.
///
/// # Panics
/// If they are not equally large.
pub fn multiply(x: Tensor<2>, z: Tensor<2>) -> Tensor<2> {
    assert_eq!(x.dims(), z.dims(), "multiply: equally large factors");
    apply(MultiplyOp, [Input::from(x), z.into()])
}

/// Inputs x, z `[N, F]` and b `[1, F]`.
#[derive(Debug)]
struct BetweenOp;

impl Operation for BetweenOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "between"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        kernel::between(x.data, inputs[1].data, inputs[2].data, &mut y);
        (Output { data: y, shape: x.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (x, z, b) = (step.input(0), step.input(1), step.input(2));
        let mut dx = step.gradient;
        let mut dz = buffers::take(dx.len());
        let db = kernel::between_backward(x.data, z.data, b.data, &mut dx, &mut dz);
        vec![Some(dx), Some(dz), Some(db)]
    }
}

/// `y_i = x_i + b (z_i - x_i)`, number by number: x, y, z `[N, F]`, b `[1, F]`. Keeps its inputs.
///
/// # Panics
/// If the shapes do not fit.
pub fn between(x: Tensor<2>, z: Tensor<2>, b: Tensor<2>) -> Tensor<2> {
    assert!(x.dims() == z.dims() && b.dims() == [1, x.dims()[1]], "between: x, z [N, F] and b [1, F]");
    apply(BetweenOp, [Input::from(x), z.into(), b.into()])
}
