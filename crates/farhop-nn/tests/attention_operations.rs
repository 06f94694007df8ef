//! Attention and sequence operations against the same mathematics composed of the engine's own differentiable
//! functions.

mod operation_support;

use std::sync::Arc;

use burn::tensor::{Tensor, activation};
use farhop_kernels::dense::Dropout;
use farhop_kernels::graph_attention::Settings;
use farhop_nn::ops::{
    LstmWeights, ScanInputs, causal_convolution, graph_attention, linear_attention, lstm, maximum, mix,
    packed_graph_attention, row_softmax, selective_scan,
};
use operation_support::{compare, device, leaf, outcome};

/// Softmax attention of every graph and head, put together.
fn dense_attention(q: &Tensor<2>, k: &Tensor<2>, v: &Tensor<2>, offsets: &[usize], settings: &Settings) -> Tensor<2> {
    let graph = |bounds: &[usize]| {
        let head = |h: usize| {
            let range = h * settings.channels..(h + 1) * settings.channels;
            let part = |x: &Tensor<2>| x.clone().slice([bounds[0]..bounds[1], range.clone()]);
            let scores = part(q).matmul(part(k).transpose()) * settings.scale;
            activation::softmax(scores, 1).matmul(part(v))
        };
        Tensor::cat((0..settings.heads).map(head).collect(), 1)
    };
    Tensor::cat(offsets.windows(2).filter(|b| b[0] < b[1]).map(graph).collect(), 0)
}

#[test]
fn graph_attention_is_attention_of_every_graph() {
    let settings = Settings { heads: 2, channels: 3, scale: 0.4, dropout: Dropout::NONE };
    let offsets = Arc::new(vec![0, 4, 4, 5, 11]);
    let (q, k, v) = (leaf([11, 6], 1), leaf([11, 6], 2), leaf([11, 6], 3));
    let expected = outcome!(dense_attention(&q, &k, &v, &offsets, &settings), q, k, v);
    let found = outcome!(graph_attention(q.clone(), k.clone(), v.clone(), &offsets, settings), q, k, v);
    compare("attention", found, expected);
    let qkv = leaf([11, 18], 4);
    let part = |at: usize| qkv.clone().slice([0..11, at * 6..(at + 1) * 6]);
    let expected = outcome!(dense_attention(&part(0), &part(1), &part(2), &offsets, &settings), qkv);
    compare("packed", outcome!(packed_graph_attention(qkv.clone(), &offsets, settings), qkv), expected);
    // Without a gradient of the keys.
    let y = graph_attention(q.clone(), k.clone().detach(), v.clone(), &offsets, settings);
    let gradients = y.sum().backward();
    assert!(q.grad(&gradients).is_some() && v.grad(&gradients).is_some() && k.grad(&gradients).is_none());
}

#[test]
fn causal_convolution_is_a_sum_of_shifted_rows() {
    let offsets = Arc::new(vec![0, 5, 6, 6, 14]);
    let (x, weight, bias) = (leaf([14, 3], 1), leaf([3, 4], 2), leaf([3], 3));
    let found = outcome!(causal_convolution(x.clone(), weight.clone(), bias.clone(), &offsets), x, weight, bias);
    let sequence = |bounds: &[usize]| {
        let length = bounds[1] - bounds[0];
        let part = x.clone().slice([bounds[0]..bounds[1], 0..3]);
        let padded = Tensor::cat(vec![Tensor::zeros([3, 3], &device()), part], 0);
        let tap =
            |w: usize| padded.clone().slice([w..w + length, 0..3]) * weight.clone().slice([0..3, w..w + 1]).transpose();
        (0..4).map(tap).reduce(|a, b| a + b).unwrap() + bias.clone().unsqueeze()
    };
    let y = Tensor::cat(offsets.windows(2).filter(|b| b[0] < b[1]).map(sequence).collect(), 0);
    compare("convolution", found, outcome!(y, x, weight, bias));
}

#[test]
fn selective_scan_is_the_recurrence() {
    let offsets = Arc::new(vec![0, 4, 4, 9]);
    let (u, delta, z) = (leaf([9, 3], 1), leaf([9, 3], 2), leaf([9, 3], 3));
    let (rates, b, c) = (leaf([3, 2], 4), leaf([9, 2], 5), leaf([9, 2], 6));
    let (d, bias) = (leaf([3], 7), leaf([3], 8));
    // The recurrence with [channels, S] states, one step after the other.
    let literal = |gate: Option<&Tensor<2>>, bias: Option<&Tensor<1>>| {
        let a = rates.clone().exp().neg();
        let mut rows = Vec::new();
        for bounds in offsets.windows(2) {
            let mut state = Tensor::<2>::zeros([3, 2], &device());
            for t in bounds[0]..bounds[1] {
                let row = |x: &Tensor<2>, width: usize| x.clone().slice([t..t + 1, 0..width]);
                let mut size = row(&delta, 3);
                if let Some(bias) = bias {
                    size = size + bias.clone().unsqueeze();
                }
                let size = ((size.exp() + 1.0).log()).transpose();
                let entering = (size.clone() * row(&u, 3).transpose()).matmul(row(&b, 2));
                state = (size * a.clone()).exp() * state + entering;
                let read = state.clone().matmul(row(&c, 2).transpose()).transpose();
                let mut y = read + row(&u, 3) * d.clone().unsqueeze();
                if let Some(gate) = gate {
                    let gate = row(gate, 3);
                    y = y * gate.clone() * activation::sigmoid(gate);
                }
                rows.push(y);
            }
        }
        Tensor::cat(rows, 0)
    };
    let inputs = |z: Option<Tensor<2>>, bias: Option<Tensor<1>>| ScanInputs {
        u: u.clone(),
        delta: delta.clone(),
        a: rates.clone().exp().neg(),
        b: b.clone(),
        c: c.clone(),
        d: d.clone(),
        z,
        bias,
    };
    let found = outcome!(
        selective_scan(inputs(Some(z.clone()), Some(bias.clone())), &offsets),
        u,
        delta,
        rates,
        b,
        c,
        d,
        z,
        bias
    );
    compare("scan", found, outcome!(literal(Some(&z), Some(&bias)), u, delta, rates, b, c, d, z, bias));
    let found = outcome!(selective_scan(inputs(None, Some(bias.clone())), &offsets), u, delta, rates, b, c, d, bias);
    compare("without a gate", found, outcome!(literal(None, Some(&bias)), u, delta, rates, b, c, d, bias));
    let found = outcome!(selective_scan(inputs(None, None), &offsets), u, delta, rates, b, c, d);
    compare("without a bias", found, outcome!(literal(None, None), u, delta, rates, b, c, d));
}

/// The quotient of every graph, from the matrix of products of queries and keys.
fn dense_linear_attention(q: &Tensor<2>, k: &Tensor<2>, v: &Tensor<2>, offsets: &[usize], own: f32) -> Tensor<2> {
    let graph = |bounds: &[usize]| {
        let part = |x: &Tensor<2>| x.clone().slice([bounds[0]..bounds[1], 0..x.dims()[1]]);
        let unit = |x: Tensor<2>| x.clone() / (x.clone() * x).sum().sqrt().unsqueeze();
        let own = own * (bounds[1] - bounds[0]) as f32;
        let normalise = |x: Tensor<2>| if own == 0.0 { x } else { unit(x) };
        let products = normalise(part(q)).matmul(normalise(part(k)).transpose());
        (products.clone().matmul(part(v)) + part(v) * own) / (products.sum_dim(1) + own)
    };
    Tensor::cat(offsets.windows(2).filter(|b| b[0] < b[1]).map(graph).collect(), 0)
}

#[test]
fn linear_attention_is_a_quotient_of_sums() {
    let offsets = Arc::new(vec![0, 4, 4, 5, 11]);
    let settings = |own: f32| farhop_kernels::linear_attention::Settings {
        heads: 1,
        features: 3,
        channels: 2,
        own,
        epsilon: 0.0,
        normalise: own != 0.0,
        shared_values: false,
        interleaved: false,
    };
    let (q, k, v) = (leaf([11, 3], 1), leaf([11, 3], 2), leaf([11, 2], 3));
    for own in [0.0, 1.0] {
        let map = |x: &Tensor<2>| if own == 0.0 { activation::sigmoid(x.clone()) } else { x.clone() };
        let y = linear_attention(map(&q), map(&k), v.clone(), &offsets, settings(own), None);
        let found = outcome!(y, q, k, v);
        let expected = outcome!(dense_linear_attention(&map(&q), &map(&k), &v, &offsets, own), q, k, v);
        compare("linear attention", found, expected);
    }
    // Equal weights of all keys of a draw cancel.
    let ones = Arc::new([vec![2.0; 11], vec![0.5; 11]].concat());
    let map = |x: &Tensor<2>| activation::sigmoid(x.clone());
    let y = linear_attention(map(&q), map(&k), v.clone(), &offsets, settings(0.0), Some(ones));
    let expected = outcome!(dense_linear_attention(&map(&q), &map(&k), &v, &offsets, 0.0), q, k, v);
    compare("draws", outcome!(y, q, k, v), expected);
}

#[test]
fn lists_of_tensors() {
    let (scores, a, b) = (leaf([7, 2], 1), leaf([7, 3], 2), leaf([7, 3], 3));
    let found = outcome!(mix(row_softmax(scores.clone()), vec![a.clone(), b.clone()]), scores, a, b);
    let weights = activation::softmax(scores.clone(), 1);
    let weight = |l: usize| weights.clone().slice([0..7, l..l + 1]);
    compare("mix", found, outcome!(a.clone() * weight(0) + b.clone() * weight(1), scores, a, b));

    let shared = leaf([1, 2], 4);
    let found = outcome!(mix(shared.clone(), vec![a.clone(), b.clone()]), shared, a, b);
    let weight = |l: usize| shared.clone().slice([0..1, l..l + 1]);
    compare("shared weights", found, outcome!(a.clone() * weight(0) + b.clone() * weight(1), shared, a, b));

    let found = outcome!(maximum(vec![a.clone(), b.clone()]), a, b);
    compare("maximum", found, outcome!(a.clone().max_pair(b.clone()), a, b));
}

#[test]
fn lstm_is_the_recurrence_in_both_directions() {
    let (width, states, length) = (3, 2, 3);
    let list: Vec<Tensor<2>> = (0..length as u64).map(|seed| leaf([5, width], seed)).collect();
    let weights = |seed: u64| LstmWeights {
        w_in: leaf([4 * states, width], seed),
        w_rec: leaf([4 * states, states], seed + 1),
        b_in: leaf([4 * states], seed + 2),
        b_rec: leaf([4 * states], seed + 3),
    };
    let (ahead, back) = (weights(20), weights(30));
    let run = |weights: &LstmWeights, order: Vec<usize>| {
        let mut outputs = vec![None; length];
        let (mut hidden, mut cell) =
            (Tensor::<2>::zeros([5, states], &device()), Tensor::zeros([5, states], &device()));
        for l in order {
            let gates = list[l].clone().matmul(weights.w_in.clone().transpose())
                + weights.b_in.clone().unsqueeze()
                + hidden.matmul(weights.w_rec.clone().transpose())
                + weights.b_rec.clone().unsqueeze();
            let gate = |at: usize| gates.clone().slice([0..5, at * states..(at + 1) * states]);
            let sigmoid = |at: usize| activation::sigmoid(gate(at));
            cell = sigmoid(1) * cell + sigmoid(0) * gate(2).tanh();
            hidden = sigmoid(3) * cell.clone().tanh();
            outputs[l] = Some(hidden.clone());
        }
        outputs.into_iter().map(Option::unwrap).collect::<Vec<_>>()
    };
    let pairs = run(&ahead, (0..length).collect()).into_iter().zip(run(&back, (0..length).rev().collect()));
    let expected = Tensor::cat(pairs.flat_map(|(a, b)| [a, b]).collect(), 1);
    let found = lstm(list.clone(), ahead.clone(), back.clone());
    macro_rules! all {
        ($y:expr) => {
            outcome!(
                $y,
                list[0],
                list[1],
                list[2],
                ahead.w_in,
                ahead.w_rec,
                ahead.b_in,
                ahead.b_rec,
                back.w_in,
                back.w_rec,
                back.b_in,
                back.b_rec
            )
        };
    }
    compare("lstm", all!(found), all!(expected));
}
