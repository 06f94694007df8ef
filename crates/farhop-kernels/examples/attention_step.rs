//! Times of one forward and one backward pass of attention within graphs, linear attention and the selective scan.
//!
//! `cargo run --release -p farhop-kernels --example attention_step`

use std::time::Instant;

use farhop_graph::random::Stream;
use farhop_kernels::dense::Dropout;
use farhop_kernels::{graph_attention, linear_attention, selective_scan};

fn normal(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = Stream::new(seed);
    (0..count).map(|_| stream.normal() as f32).collect()
}

/// The shortest of a few runs, in milliseconds.
fn time(mut task: impl FnMut()) -> f64 {
    let once = |task: &mut dyn FnMut()| {
        let start = Instant::now();
        task();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..7).map(|_| once(&mut task)).fold(f64::INFINITY, f64::min)
}

fn attention(graphs: usize, nodes: usize, heads: usize, channels: usize) {
    let offsets: Vec<usize> = (0..=graphs).map(|g| g * nodes).collect();
    let settings =
        graph_attention::Settings { heads, channels, scale: 1.0 / (channels as f32).sqrt(), dropout: Dropout::NONE };
    let (rows, width) = (graphs * nodes, heads * channels);
    let (qkv, dy) = (normal(rows * 3 * width, 1), normal(rows * width, 2));
    let inputs = graph_attention::Inputs::packed(&qkv, width, &offsets);
    let (mut y, mut sums, mut gradient) = (dy.clone(), vec![0.0; rows * heads], qkv.clone());
    let ahead = time(|| graph_attention::forward(inputs, &settings, &mut y, &mut sums));
    let back = time(|| graph_attention::backward(inputs, &settings, &y, &sums, &dy, &mut gradient));
    println!("attention, {graphs} x {nodes} nodes, {heads} heads of {channels}: {ahead:.2} ms, back {back:.2} ms");
}

fn linear(nodes: usize, heads: usize, channels: usize) {
    let settings = linear_attention::Settings {
        heads,
        features: channels,
        channels,
        own: 1.0,
        epsilon: 0.0,
        normalise: true,
        shared_values: false,
        interleaved: false,
    };
    let size = nodes * heads * channels;
    let [q, k, v, dy] = [1, 2, 3, 4].map(|seed| normal(size, seed));
    let offsets = [0, nodes];
    let inputs = linear_attention::Inputs { q: &q, k: &k, v: &v, offsets: &offsets, key_weights: None };
    let [mut y, mut dq, mut dk, mut dv] = [(); 4].map(|()| vec![0.0; size]);
    let ahead = time(|| linear_attention::forward(inputs, &settings, &mut y));
    let back = time(|| linear_attention::backward(inputs, &settings, &dy, [&mut dq, &mut dk, &mut dv]));
    println!("linear attention, {nodes} nodes, {heads} heads of {channels}: {ahead:.2} ms, back {back:.2} ms");
}

fn scan(sequences: usize, steps: usize, channels: usize, states: usize) {
    let offsets: Vec<usize> = (0..=sequences).map(|s| s * steps).collect();
    let rows = sequences * steps;
    let [u, delta, z, dy] = [1, 2, 3, 4].map(|seed| normal(rows * channels, seed));
    let [b, c] = [5, 6].map(|seed| normal(rows * states, seed));
    let a: Vec<f32> = normal(channels * states, 7).iter().map(|v| -v.exp()).collect();
    let [d, bias] = [8, 9].map(|seed| normal(channels, seed));
    let inputs = selective_scan::Inputs {
        u: &u,
        delta: &delta,
        a: &a,
        b: &b,
        c: &c,
        d: &d,
        z: Some(&z),
        bias: Some(&bias),
        offsets: &offsets,
        channels,
        states,
    };
    let mut y = dy.clone();
    let mut kept = vec![0.0; selective_scan::kept_len(&offsets, channels, states)];
    let ahead = time(|| selective_scan::forward(inputs, &mut y, Some(&mut kept)));
    let back = time(|| drop(selective_scan::backward(inputs, &kept, &dy)));
    println!("scan, {sequences} x {steps} steps, {channels} channels of {states}: {ahead:.2} ms, back {back:.2} ms");
}

fn main() {
    attention(200, 150, 4, 16);
    attention(200, 150, 4, 32);
    attention(1000, 25, 4, 16);
    attention(1, 2708, 4, 16);
    linear(169_343, 1, 64);
    scan(200, 150, 96, 16);
    scan(1, 2708, 96, 16);
}
