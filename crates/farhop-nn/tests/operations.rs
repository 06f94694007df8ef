//! Operations against the same mathematics composed of the engine's own differentiable functions.

mod operation_support;

use std::sync::{Arc, Mutex};

use burn::tensor::{Tensor, TensorData, activation};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build};
use farhop_kernels::dense::{Activation, Dropout, Finish};
use farhop_nn::ops::{
    Array, Backward, EntryWeights, FeedForwardInputs, Input, Normalisation, Operation, Output, add, add_row, apply,
    between, concat_linear, feed_forward, head_linear, linear, loss, multiply, norm_block, norm_linear,
    personal_pagerank, polynomial_filter, spmm, sum,
};
use farhop_nn::{Batch, Targets};
use operation_support::{assert_close, compare, device, leaf, numbers, outcome};

#[test]
fn linear_is_a_matrix_product() {
    let (x, w, b) = (leaf([7, 3], 1), leaf([3, 5], 2), leaf([5], 3));
    let found = outcome!(linear(x.clone(), w.clone(), Some(b.clone())), x, w, b);
    let expected = outcome!(x.clone().matmul(w.clone()) + b.clone().unsqueeze(), x, w, b);
    compare("linear", found, expected);
    let found = outcome!(linear(x.clone(), w.clone(), None), x, w);
    compare("no bias", found, outcome!(x.clone().matmul(w.clone()), x, w));
}

#[test]
fn sums_in_place_and_not() {
    let (x, z, w, b) = (leaf([7, 4], 1), leaf([7, 4], 2), leaf([7, 4], 3), leaf([4], 4));
    let terms = || vec![(x.clone(), 0.5), (z.clone(), 1.0), (w.clone(), -2.0)];
    let expected = outcome!(x.clone() * 0.5 + z.clone() - w.clone() * 2.0, x, z, w);
    compare("leaves, which others hold", outcome!(sum(terms()), x, z, w), expected);
    // What nobody else holds is overwritten: the first, the second, or none of them.
    let made = |x: &Tensor<2>| multiply(x.clone(), x.clone());
    let expected = outcome!(x.clone() * x.clone() + z.clone() * z.clone(), x, z);
    compare("both free", outcome!(add(made(&x), made(&z)), x, z), expected);
    let square = made(&x);
    let twice = outcome!(add(add(square.clone(), made(&z)), square.clone()), x, z);
    compare("one held", twice, outcome!(x.clone() * x.clone() * 2.0 + z.clone() * z.clone(), x, z));
    let found = outcome!(add_row(made(&x), b.clone()), x, b);
    compare("a row", found, outcome!(x.clone() * x.clone() + b.clone().unsqueeze(), x, b));
    let found = outcome!(sum(vec![(made(&x), 3.0)]), x);
    compare("a multiple", found, outcome!(x.clone() * x.clone() * 3.0, x));
}

#[test]
fn between_two_by_a_share_of_every_channel() {
    let (x, z, b) = (leaf([7, 4], 1), leaf([7, 4], 2), leaf([1, 4], 3));
    let found = outcome!(between(x.clone(), z.clone(), b.clone()), x, z, b);
    let expected = outcome!((z.clone() - x.clone()) * b.clone() + x.clone(), x, z, b);
    compare("between", found, expected);
}

#[test]
fn feed_forward_with_five_tracked_inputs() {
    let (x, w1, b1, w2, b2) = (leaf([9, 4], 1), leaf([4, 6], 2), leaf([6], 3), leaf([6, 4], 4), leaf([4], 5));
    let inputs = FeedForwardInputs { x: x.clone(), w1: w1.clone(), b1: b1.clone(), w2: w2.clone(), b2: b2.clone() };
    let found = outcome!(feed_forward(inputs), x, w1, b1, w2, b2);
    let hidden = activation::relu(x.clone().matmul(w1.clone()) + b1.clone().unsqueeze());
    let expected = outcome!(x.clone() + hidden.matmul(w2.clone()) + b2.clone().unsqueeze(), x, w1, b1, w2, b2);
    compare("feed-forward", found, expected);
}

#[test]
fn layer_norm_with_residual() {
    let (x, gamma, beta, residual) = (leaf([6, 8], 1), leaf([8], 2), leaf([8], 3), leaf([6, 8], 4));
    let finish = Finish { activation: Activation::Relu, dropout: Dropout::NONE };
    let norm = Normalisation::Layer { gamma: gamma.clone(), beta: beta.clone(), epsilon: 1e-5 };
    let y = norm_block(x.clone(), norm, finish, Some(residual.clone()));
    let found = outcome!(y, x, gamma, beta, residual);
    let centred = x.clone() - x.clone().mean_dim(1);
    let scale = (centred.clone().powf_scalar(2.0).mean_dim(1) + 1e-5).sqrt();
    let z = centred / scale * gamma.clone().unsqueeze() + beta.clone().unsqueeze();
    let expected = outcome!(activation::relu(z) + residual.clone(), x, gamma, beta, residual);
    compare("layer norm", found, expected);
}

#[test]
fn batch_norm_by_its_own_and_by_given_statistics() {
    let (x, gamma, beta) = (leaf([20, 3], 1), leaf([3], 2), leaf([3], 3));
    let finish = Finish { activation: Activation::Identity, dropout: Dropout::NONE };
    let seen = Arc::new(Mutex::new(None));
    let norm = Normalisation::Batch {
        gamma: gamma.clone(),
        beta: beta.clone(),
        epsilon: 1e-5,
        seen: seen.clone(),
        others: None,
    };
    let found = outcome!(norm_block(x.clone(), norm, finish, None), x, gamma, beta);
    let mean = x.clone().mean_dim(0);
    let centred = x.clone() - mean;
    let scale = (centred.clone().powf_scalar(2.0).mean_dim(0) + 1e-5).sqrt();
    let z = centred / scale * gamma.clone().unsqueeze() + beta.clone().unsqueeze();
    compare("own statistics", found, outcome!(z, x, gamma, beta));

    let (statistics, _) = seen.lock().unwrap().take().expect("training leaves its statistics");
    let fixed = |values: &[f32]| Tensor::<1>::from_data(TensorData::new(values.to_vec(), [3]), &device());
    let mean = fixed(&statistics.mean).unsqueeze();
    let scale = (fixed(&statistics.variance) + 1e-5).sqrt().unsqueeze();
    let norm = Normalisation::Running { gamma: gamma.clone(), beta: beta.clone(), epsilon: 1e-5, statistics };
    let found = outcome!(norm_block(x.clone(), norm, finish, None), x, gamma, beta);
    let z = (x.clone() - mean) / scale * gamma.clone().unsqueeze() + beta.clone().unsqueeze();
    compare("given statistics", found, outcome!(z, x, gamma, beta));
}

#[test]
fn dropout_is_the_same_forward_and_backward() {
    let x = leaf([30, 40], 1);
    let finish = Finish { activation: Activation::Identity, dropout: Dropout::new(0.4, 7) };
    let y = norm_block(x.clone(), Normalisation::None, finish, None);
    let ratio: Vec<f32> = numbers(y.clone()).iter().zip(numbers(x.clone())).map(|(y, x)| y / x).collect();
    let gradient = numbers(x.grad(&y.sum().backward()).unwrap());
    assert_close("mask", &gradient, &ratio);
    assert!(gradient.contains(&0.0) && gradient.iter().any(|g| *g > 1.0));
}

#[test]
fn a_map_of_matrices_side_by_side() {
    let (x, z, w, b) = (leaf([9, 3], 1), leaf([9, 2], 2), leaf([8, 4], 3), leaf([4], 4));
    let found = concat_linear(vec![x.clone(), z.clone(), x.clone()], w.clone(), b.clone());
    let joined = Tensor::cat(vec![x.clone(), z.clone(), x.clone()], 1);
    let expected = joined.matmul(w.clone()) + b.clone().unsqueeze();
    compare("side by side", outcome!(found, x, z, w, b), outcome!(expected, x, z, w, b));
    let (parts, w) = (vec![x.clone(); 40], leaf([120, 4], 5));
    let expected = x.clone().repeat_dim(1, 40).matmul(w.clone()) + b.clone().unsqueeze();
    let found = concat_linear(parts, w.clone(), b.clone());
    compare("many", outcome!(found, x, w, b), outcome!(expected, x, w, b));
}

#[test]
fn a_map_behind_a_block_has_the_bits_of_both_one_after_the_other() {
    let (x, gamma, beta, w, b) = (leaf([30, 8], 1), leaf([8], 2), leaf([8], 3), leaf([8, 5], 4), leaf([5], 5));
    let seen = || Arc::new(Mutex::new(None));
    let norms: [(&str, &dyn Fn() -> Normalisation); 2] = [
        ("layer", &|| Normalisation::Layer { gamma: gamma.clone(), beta: beta.clone(), epsilon: 1e-5 }),
        ("batch", &|| Normalisation::Batch {
            gamma: gamma.clone(),
            beta: beta.clone(),
            epsilon: 1e-5,
            seen: seen(),
            others: None,
        }),
    ];
    let finish = Finish { activation: Activation::Relu, dropout: Dropout::new(0.3, 7) };
    let map = |between: Tensor<2>| linear(between, w.clone(), Some(b.clone()));
    for (name, norm) in norms {
        let found = norm_linear(x.clone(), norm(), finish, w.clone(), Some(b.clone()));
        let expected = map(norm_block(x.clone(), norm(), finish, None));
        assert_eq!(outcome!(found, x, gamma, beta, w, b), outcome!(expected, x, gamma, beta, w, b), "{name}");
    }
    let found = norm_linear(x.clone(), Normalisation::None, finish, w.clone(), Some(b.clone()));
    let expected = map(norm_block(x.clone(), Normalisation::None, finish, None));
    let found = outcome!(found, x, w, b);
    assert_eq!(found, outcome!(expected, x, w, b), "none");
    assert!(found[1].contains(&0.0) && found[1].iter().any(|gradient| *gradient != 0.0));
    // The running statistics are those of the forward pass, seen once.
    let seen = seen();
    let norm = Normalisation::Batch {
        gamma: gamma.clone(),
        beta: beta.clone(),
        epsilon: 1e-5,
        seen: seen.clone(),
        others: None,
    };
    let y = norm_linear(x.clone(), norm, finish, w.clone(), None);
    assert!(seen.lock().unwrap().take().is_some());
    drop(y.sum().backward());
    assert!(seen.lock().unwrap().is_none(), "the backward pass takes no statistics");
}

/// A graph of five nodes with random coefficients, and the same as a dense matrix.
fn coefficients() -> (Arc<Graph>, Arc<EntryWeights>, Tensor<2>) {
    let graph = build(5, &[(0, 1), (1, 2), (3, 1), (4, 0), (2, 4)], Direction::Directed).unwrap().graph;
    let mut stream = Stream::new(1);
    let mut some = |count: usize| (0..count).map(|_| stream.normal() as f32).collect::<Vec<f32>>();
    let weights = EntryWeights { entries: some(graph.entries()), nodes: some(5) };
    let mut matrix = vec![0.0; 25];
    for i in 0..5 {
        matrix[i * 5 + i] = weights.nodes[i];
        for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
            matrix[i * 5 + graph.sources()[entry] as usize] = weights.entries[entry];
        }
    }
    let matrix = Tensor::<2>::from_data(TensorData::new(matrix, [5, 5]), &device());
    (Arc::new(graph), Arc::new(weights), matrix)
}

#[test]
fn spmm_is_a_product_with_the_dense_matrix() {
    let (graph, weights, matrix) = coefficients();
    let (x, b) = (leaf([5, 3], 2), leaf([3], 3));
    let found = outcome!(spmm(x.clone(), &graph, &weights, Some(b.clone())), x, b);
    let expected = outcome!(matrix.matmul(x.clone()) + b.clone().unsqueeze(), x, b);
    compare("spmm", found, expected);
}

#[test]
fn a_polynomial_filter_is_a_sum_of_powers() {
    let (graph, weights, matrix) = coefficients();
    let (z, gamma) = (leaf([5, 3], 2), leaf([4], 3));
    let found =
        outcome!(polynomial_filter(z.clone(), gamma.clone(), &Batch::new(graph, &[0.0; 5], 1), &weights), z, gamma);
    let (mut power, mut sum) = (z.clone(), z.clone() * gamma.clone().narrow(0, 0, 1).unsqueeze());
    for k in 1..4 {
        power = matrix.clone().matmul(power);
        sum = sum + power.clone() * gamma.clone().narrow(0, k, 1).unsqueeze();
    }
    compare("polynomial filter", found, outcome!(sum, z, gamma));
}

#[test]
fn personal_pagerank_goes_step_by_step() {
    let (graph, weights, matrix) = coefficients();
    let z = leaf([5, 3], 2);
    let found =
        outcome!(personal_pagerank(z.clone(), &Batch::new(graph, &[0.0; 5], 1), &weights, 3, 0.2, Dropout::NONE), z);
    let step = |state: Tensor<2>| matrix.clone().matmul(state) * 0.8 + z.clone() * 0.2;
    compare("personal PageRank", found, outcome!(step(step(step(z.clone()))), z));
}

#[test]
fn every_head_has_a_linear_map_of_its_own() {
    let (u, w) = (leaf([7, 6], 1), leaf([6, 4], 2));
    let found = outcome!(head_linear(u.clone(), w.clone(), 2), u, w);
    let head = |h: usize| u.clone().slice([0..7, 3 * h..3 * h + 3]).matmul(w.clone().slice([3 * h..3 * h + 3, 0..4]));
    compare("head linear", found, outcome!(Tensor::cat(vec![head(0), head(1)], 1), u, w));
}

#[test]
fn cross_entropy_of_chosen_rows() {
    let logits = leaf([6, 4], 1);
    let (rows, classes) = ([5, 0, 2], [1, 3, 0]);
    let targets = Targets::classes(rows.to_vec(), classes.to_vec());
    let found = outcome!(loss(logits.clone(), Arc::new(targets)), logits);
    let mut mask = vec![0.0f32; 24];
    for (row, class) in rows.iter().zip(classes) {
        mask[*row as usize * 4 + class as usize] = -1.0 / 3.0;
    }
    let mask = Tensor::<2>::from_data(TensorData::new(mask, [6, 4]), &device());
    let expected = outcome!((activation::log_softmax(logits.clone(), 1) * mask).sum(), logits);
    compare("cross-entropy", found, expected);
}

/// `sum of i * input_i`, to see that every input gets its own gradient.
#[derive(Debug)]
struct Weighted;

impl Operation for Weighted {
    type Kept = usize;

    fn name(&self) -> &'static str {
        "weighted"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, usize) {
        let mut sum = vec![0.0; inputs[0].data.len()];
        for (i, input) in inputs.iter().enumerate() {
            sum.iter_mut().zip(input.data).for_each(|(s, v)| *s += i as f32 * v);
        }
        (Output { data: sum, shape: inputs[0].shape.to_vec() }, inputs.len())
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<usize>) -> Vec<Option<Vec<f32>>> {
        assert_eq!(step.kept, step.needed.len());
        assert!(step.inputs.iter().all(Option::is_none), "inputs were not to be kept");
        let scaled = |i: usize| step.gradient.iter().map(|g| i as f32 * g).collect();
        step.needed.iter().enumerate().map(|(i, needed)| needed.then(|| scaled(i))).collect()
    }
}

#[test]
fn many_inputs_tracked_and_not() {
    for count in [1usize, 6, 24] {
        let leaves: Vec<Tensor<2>> = (0..count as u64).map(|seed| leaf([3, 2], seed)).collect();
        let tracked = |i: usize| i % 3 != 1;
        let inputs = leaves.iter().enumerate().map(|(i, leaf)| match tracked(i) {
            true => leaf.clone(),
            // One kind without any association with the tape, one detached from it.
            false if i % 2 == 0 => leaf.clone().detach(),
            false => leaf.clone().inner(),
        });
        let y: Tensor<2> = apply(Weighted, inputs.map(Input::from));
        let gradients = y.sum().backward();
        for (i, leaf) in leaves.iter().enumerate() {
            match leaf.grad(&gradients) {
                Some(gradient) => assert_eq!(numbers(gradient), vec![i as f32; 6], "input {i} of {count}"),
                None => assert!(!tracked(i), "input {i} of {count} has no gradient"),
            }
        }
    }
}

#[test]
fn an_input_used_twice_gets_both_gradients() {
    let x: Tensor<2> = leaf([2, 2], 1);
    let y: Tensor<2> = apply(Weighted, [&x, &x, &x].map(|x| Input::from(x.clone())));
    let z = y + x.clone() * 10.0;
    assert_eq!(numbers(x.grad(&z.sum().backward()).unwrap()), vec![13.0; 4]);
}
