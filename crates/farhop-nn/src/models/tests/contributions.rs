//! What nodes add to an answer, and what a node of a GEN reads.

use farhop_graph::random::Stream;
use farhop_graph::relabel;

use super::support::*;
use crate::model::run_gated;
use crate::ops::bridge;
use crate::{Batch, BatchArrays, BatchNumbers, InputShape, Level, Model, OutputShape, Sights};

fn numbers_only() -> InputShape {
    InputShape { numbers: 3, ..InputShape::default() }
}

/// The change of an answer when what is known of one node grows and shrinks by `step`, per step.
fn by_steps(model: &Model, batch: &Batch, node: usize, answer: &dyn Fn(&[f32]) -> f64, step: f32) -> f64 {
    let at = |step: f32| {
        let mut gate = vec![1.0; batch.nodes()];
        gate[node] += step;
        let gate = bridge::from_vec(gate, [batch.nodes(), 1]);
        answer(&bridge::into_vec(run_gated(model.network(), batch, &gate)))
    };
    (at(step) - at(-step)) / (2.0 * f64::from(step))
}

/// The smallest error over several steps counts: a kink or rounding spoils some, not all.
fn assert_slopes(what: &str, model: &Model, batch: &Batch, found: &[f32], answer: &dyn Fn(&[f32]) -> f64) {
    let size = found.iter().fold(1e-2f64, |most, value| most.max(f64::from(value.abs())));
    for (node, slope) in found.iter().enumerate() {
        let error = |step: f32| (by_steps(model, batch, node, answer, step) - f64::from(*slope)).abs();
        let error = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3].map(error).into_iter().fold(f64::INFINITY, f64::min);
        assert!(error <= 2e-2 * size, "{what}, node {node}: {slope} is off by {error}");
    }
}

/// Every model, on everything that nodes can have.
#[test]
fn contributions_are_finite_differences() {
    let shape = everything();
    let batch = batch(&fill(graph(12, 16, 4), &shape, 3), &shape);
    for name in models() {
        let Ok(mut model) = config(name, "").init(&shape, OutputShape::from(3), 5) else { continue };
        stir(&mut model, 9);
        let (row, output) = (4, 1);
        let found = model.contributions(&batch, row, output);
        assert_eq!(found.len(), 12, "{name}");
        assert!(found.iter().any(|value| *value != 0.0), "{name}: nobody counts");
        assert_slopes(name, &model, &batch, &found, &|outputs| f64::from(outputs[row * 3 + output]));
    }
}

#[test]
fn those_of_graphs_and_pairs_are_finite_differences_too() {
    let shape = numbers_only();
    let arrays = join(&three(&shape));
    let graphs = batch(&arrays, &shape);
    let level = OutputShape { level: Level::Graph, outputs: 2 };
    let mut model = config("gen", "").init(&shape, level, 5).unwrap();
    stir(&mut model, 9);
    let found = model.contributions(&graphs, 1, 1);
    assert_slopes("graph", &model, &graphs, &found, &|outputs| f64::from(outputs[3]));
    let others = graphs.offsets()[1]..graphs.offsets()[2];
    let outside = found.iter().enumerate().filter(|(node, _)| !others.contains(node));
    assert!(outside.map(|(_, value)| value).all(|value| *value == 0.0), "other graphs have no say");

    let mut model = config("gen", "").init(&shape, OutputShape { level: Level::Pair, outputs: 4 }, 5).unwrap();
    stir(&mut model, 9);
    let found = model.pair_contributions(&graphs, [10, 15]);
    let nodes = graphs.nodes();
    let score = |outputs: &[f32]| {
        // The model says itself how wide an embedding is.
        let width = outputs.len() / nodes;
        (0..width).map(|at| f64::from(outputs[10 * width + at]) * f64::from(outputs[15 * width + at])).sum()
    };
    assert_slopes("pair", &model, &graphs, &found, &score);
}

/// A network without activations, norms and (as it starts) biases is linear: nodes add up to the answer.
#[test]
fn contributions_to_a_linear_network_add_up_to_its_answer() {
    let shape = numbers_only();
    let batch = batch(&fill(graph(14, 20, 2), &shape, 3), &shape);
    for name in ["gcn", "graphsage", "appnp", "mlp"] {
        let linear = r#""activation": "none", "norm": "none", "dropout": 0.0, "head_layers": 1"#;
        let model = config(name, linear).init(&shape, OutputShape::from(3), 5).unwrap();
        let outputs = model.outputs(&batch);
        for (row, output) in [(0, 0), (3, 2), (13, 1)] {
            let sum: f32 = model.contributions(&batch, row, output).iter().sum();
            assert_close(name, &[sum], &[outputs[row * 3 + output]], 1e-4);
        }
    }
}

/// Numbers that are mostly zeros are multiplied behind their product with the weights: the same contributions.
#[test]
fn sparse_numbers_contribute_like_dense_ones() {
    let shape = InputShape { numbers: 9, ..InputShape::default() };
    let filled = fill(graph(14, 20, 2), &shape, 3);
    let BatchNumbers::Dense(values) = &filled.numbers else { panic!("dense numbers") };
    let kept: Vec<f32> = values.iter().enumerate().map(|(at, value)| if at % 3 == 0 { *value } else { 0.0 }).collect();
    let (mut offsets, mut indices, mut stored) = (vec![0], Vec::new(), Vec::new());
    for row in kept.chunks_exact(9) {
        for (column, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            indices.push(column as u32);
            stored.push(*value);
        }
        offsets.push(indices.len());
    }
    let dense = BatchArrays { numbers: BatchNumbers::Dense(kept), ..filled.clone() };
    let sparse = BatchArrays { numbers: BatchNumbers::Sparse { offsets, indices, values: stored }, ..filled };
    let (dense, sparse) = (batch(&dense, &shape), batch(&sparse, &shape));
    for (name, more) in [("gen", ""), ("gen", r#""input_projection": false"#), ("gcn", ""), ("fsgnn", "")] {
        let mut model = config(name, more).init(&shape, OutputShape::from(3), 5).unwrap();
        stir(&mut model, 9);
        let (one, other) = (model.contributions(&dense, 2, 1), model.contributions(&sparse, 2, 1));
        assert_close(name, &other, &one, 1e-4);
    }
}

/// Moving nodes moves contributions and weights, and looking changes no answer.
#[test]
fn explanations_move_with_the_nodes() {
    let (nodes, shape) = (14, numbers_only());
    let before = fill(graph(nodes, 20, 2), &shape, 3);
    let mut new_id: Vec<u32> = (0..nodes as u32).collect();
    Stream::new(2).shuffle(&mut new_id);
    let BatchNumbers::Dense(values) = &before.numbers else { panic!("dense numbers") };
    let mut moved = vec![0.0; values.len()];
    for (old, &new) in new_id.iter().enumerate() {
        moved[new as usize * 3..new as usize * 3 + 3].copy_from_slice(&values[old * 3..old * 3 + 3]);
    }
    let after = BatchArrays {
        numbers: BatchNumbers::Dense(moved),
        ..fill(relabel(&before.graph, &new_id).unwrap(), &shape, 3)
    };
    let (before, after) = (batch(&before, &shape), batch(&after, &shape));
    let mut model = config("gen", r#""hops": 3, "heads": 2"#).init(&shape, OutputShape::from(3), 5).unwrap();
    stir(&mut model, 9);
    let node = 4;
    let there = new_id[node] as usize;
    let back = |values: &[f32], per: usize| -> Vec<f32> {
        new_id.iter().flat_map(|&new| values[new as usize * per..(new as usize + 1) * per].to_vec()).collect()
    };
    let (one, other) = (model.contributions(&before, node, 1), model.contributions(&after, there, 1));
    assert_close("contributions", &back(&other, 1), &one, 1e-4);
    let look = |batch: &Batch, node: usize| model.look(batch, Sights { reads_of: Some(node), ..Sights::default() });
    let (one, other) = (look(&before, node), look(&after, there));
    assert_eq!(one.outputs, model.outputs(&before));
    assert_eq!((one.reads.len(), one.reads[0].heads, one.reads[0].hops), (2, 2, 4));
    for (one, other) in one.reads.iter().zip(&other.reads) {
        assert_close("reads", &back(&other.weights, 8), &one.weights, 1e-4);
    }
    assert!(model.look(&before, Sights::default()).reads.is_empty(), "not asked for");
    let gcn = config("gcn", "").init(&shape, OutputShape::from(3), 5).unwrap();
    assert!(gcn.look(&before, Sights { reads_of: Some(node), ..Sights::default() }).reads.is_empty());
}
