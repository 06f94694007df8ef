//! Row by row: division by the length, multiplication with a number, matrices side by side.

use burn::tensor::Tensor;
use farhop_kernels::dense::rows as kernel;

use super::bridge::MOST_INPUTS;
use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Input: x.
#[derive(Debug)]
struct RowNormaliseOp {
    epsilon: f32,
}

impl Operation for RowNormaliseOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "row_normalise"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        kernel::normalise(x.data, x.columns(), self.epsilon, &mut y);
        (Output { data: y, shape: x.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let x = step.input(0);
        let mut dx = buffers::take(x.data.len());
        kernel::normalise_backward(x.data, x.columns(), self.epsilon, &step.gradient, &mut dx);
        buffers::give(step.gradient);
        vec![Some(dx)]
    }
}

/// `x / max(|x|, epsilon)` for every row of x `[N, F]`, with the Euclidean length. Keeps x.
pub fn row_normalise(x: Tensor<2>, epsilon: f32) -> Tensor<2> {
    apply(RowNormaliseOp { epsilon }, [Input::from(x)])
}

/// Inputs x `[N, F]` and s `[N, 1]`.
#[derive(Debug)]
struct ScaleRowsOp;

impl Operation for ScaleRowsOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "scale_rows"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        kernel::scale(x.data, x.columns(), inputs[1].data, &mut y);
        (Output { data: y, shape: x.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (x, s) = (step.input(0), step.input(1));
        let dx = step.needed[0].then(|| {
            let mut dx = buffers::take(x.data.len());
            kernel::scale(&step.gradient, x.columns(), s.data, &mut dx);
            dx
        });
        let ds = step.needed[1].then(|| {
            let mut ds = buffers::take(s.data.len());
            kernel::dots(x.data, &step.gradient, x.columns(), &mut ds);
            ds
        });
        buffers::give(step.gradient);
        vec![dx, ds]
    }
}

/// `y_i = s_i x_i`: x, y `[N, F]`, s `[N, 1]`. Keeps x and s.
///
/// # Panics
/// If there is not one number for every row.
pub fn scale_rows(x: Tensor<2>, s: Tensor<2>) -> Tensor<2> {
    assert_eq!(s.dims(), [x.dims()[0], 1], "scale_rows: one number for every row");
    apply(ScaleRowsOp, [Input::from(x), s.into()])
}

/// Inputs `[N, widths[0]]`, `[N, widths[1]]`, ...
#[derive(Debug)]
struct ConcatOp {
    widths: Vec<usize>,
}

impl Operation for ConcatOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "concat"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (rows, width) = (inputs[0].rows(), self.widths.iter().sum::<usize>());
        let parts: Vec<(&[f32], usize)> = inputs.iter().map(|input| (input.data, input.columns())).collect();
        let mut y = buffers::take(rows * width);
        kernel::join_columns(&parts, &mut y);
        (Output { data: y, shape: vec![rows, width] }, ())
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let all: usize = self.widths.iter().sum();
        let rows = step.gradient.len() / all.max(1);
        let mut start = 0;
        let mut gradients = Vec::with_capacity(self.widths.len());
        for (&width, needed) in self.widths.iter().zip(step.needed) {
            gradients.push(needed.then(|| {
                let mut part = buffers::take(rows * width);
                kernel::take_columns(&step.gradient, all, start, width, &mut part);
                part
            }));
            start += width;
        }
        buffers::give(step.gradient);
        gradients
    }
}

/// Matrices side by side: `[N, F_1]`, `[N, F_2]`, ... give `[N, F_1 + F_2 + ...]`. Keeps nothing.
///
/// # Panics
/// If there is no matrix, or they do not have equally many rows.
pub fn concat(parts: impl Into<Vec<Tensor<2>>>) -> Tensor<2> {
    let mut parts: Vec<Tensor<2>> = parts.into();
    while parts.len() > MOST_INPUTS {
        // An operation has so many inputs and no more: groups first.
        let mut groups = Vec::with_capacity(parts.len().div_ceil(MOST_INPUTS));
        while !parts.is_empty() {
            let rest = parts.split_off(parts.len().min(MOST_INPUTS));
            groups.push(concat(std::mem::replace(&mut parts, rest)));
        }
        parts = groups;
    }
    let rows = parts.first().map_or(0, |part| part.dims()[0]);
    assert!(parts.iter().all(|part| part.dims()[0] == rows), "concat: equally many rows");
    let widths = parts.iter().map(|part| part.dims()[1]).collect();
    // Nobody else holds the parts: where nothing is kept, they go as soon as they were read.
    apply(ConcatOp { widths }, parts.into_iter().map(Input::from))
}
