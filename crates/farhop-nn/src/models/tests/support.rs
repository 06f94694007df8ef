//! Graphs with everything on them, and small steps along gradients.

use std::collections::BTreeMap;
use std::sync::Arc;

use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build, disjoint_union};

use crate::network::{Array, Network};
use crate::ops::{self, bridge};
use crate::{
    ArrayShape, Batch, BatchArrays, BatchNumbers, Context, InputShape, LAPLACIAN, Model, ModelConfig, NodeArray,
    REGISTRY, Targets, WALK,
};

/// The names of all models.
pub fn models() -> impl Iterator<Item = &'static str> {
    ModelConfig::names()
}

/// Everything that a node and an entry can have.
pub fn everything() -> InputShape {
    InputShape {
        numbers: 3,
        categories: vec![4, 2],
        edge_numbers: 2,
        edge_categories: vec![3, 2],
        arrays: vec![ArrayShape::new(WALK, 3), ArrayShape::new(LAPLACIAN, 2), ArrayShape::new("further", 2)],
    }
}

pub fn normals(count: usize, stream: &mut Stream) -> Vec<f32> {
    (0..count).map(|_| stream.normal() as f32).collect()
}

/// Random content of that shape for `graph`.
pub fn fill(graph: Graph, shape: &InputShape, seed: u64) -> BatchArrays {
    let mut stream = Stream::new(seed);
    let (nodes, entries) = (graph.nodes(), graph.entries());
    let numbers = BatchNumbers::Dense(normals(nodes * shape.numbers, &mut stream));
    let edge_numbers = normals(entries * shape.edge_numbers, &mut stream);
    let laplacian = normals(nodes * shape.array(LAPLACIAN), &mut stream);
    // Probabilities.
    let walk: Vec<f32> = (0..nodes * shape.array(WALK)).map(|_| stream.uniform() as f32).collect();
    let values = |array: &ArrayShape| match array.name.as_str() {
        LAPLACIAN => laplacian.clone(),
        WALK => walk.clone(),
        _ => normals(nodes * array.width, &mut Stream::new(seed + 1)),
    };
    let arrays = shape.arrays.iter().map(|array| NodeArray::new(&array.name, array.width, values(array))).collect();
    let mut pick = |rows: usize, counts: &[u32]| -> Vec<u16> {
        (0..rows * counts.len()).map(|at| stream.below(u64::from(counts[at % counts.len()])) as u16).collect()
    };
    let categories = pick(nodes, &shape.categories);
    let edge_categories = pick(entries, &shape.edge_categories);
    let graph = Arc::new(graph);
    BatchArrays { graph, offsets: Vec::new(), numbers, categories, edge_numbers, edge_categories, arrays }
}

/// A graph with cycles, a hub and isolated nodes.
pub fn graph(nodes: usize, rows: usize, seed: u64) -> Graph {
    let mut stream = Stream::new(seed);
    let mut pick = |bound: usize| stream.below(bound as u64) as u32;
    let mut list: Vec<(u32, u32)> = (0..rows).map(|_| (pick(nodes - 2), pick(nodes - 2))).collect();
    list.extend((1..nodes as u32 / 2).map(|leaf| (0, leaf)));
    build(nodes, &list, Direction::Undirected).unwrap().graph
}

/// Graphs side by side, with all they have.
pub fn join(arrays: &[BatchArrays]) -> BatchArrays {
    let graphs: Vec<&Graph> = arrays.iter().map(|part| &*part.graph).collect();
    let union = disjoint_union(&graphs).unwrap();
    let mut offsets = vec![0];
    arrays.iter().for_each(|part| offsets.push(offsets[offsets.len() - 1] + part.graph.nodes()));
    let dense = |part: &BatchArrays| match &part.numbers {
        BatchNumbers::Dense(values) => values.clone(),
        BatchNumbers::Sparse { .. } => panic!("dense numbers"),
    };
    let named = |at: usize| {
        let values = arrays.iter().flat_map(|part| part.arrays[at].values.clone()).collect();
        NodeArray { values, ..arrays[0].arrays[at].clone() }
    };
    BatchArrays {
        graph: Arc::new(union.graph),
        offsets,
        numbers: BatchNumbers::Dense(arrays.iter().flat_map(dense).collect()),
        categories: arrays.iter().flat_map(|part| part.categories.clone()).collect(),
        edge_numbers: arrays.iter().flat_map(|part| part.edge_numbers.clone()).collect(),
        edge_categories: arrays.iter().flat_map(|part| part.edge_categories.clone()).collect(),
        arrays: (0..arrays[0].arrays.len()).map(named).collect(),
    }
}

/// Three graphs side by side.
pub fn three(shape: &InputShape) -> Vec<BatchArrays> {
    let sizes = [(9, 8, 1), (14, 20, 2), (5, 0, 3)];
    sizes.map(|(nodes, rows, seed)| fill(graph(nodes, rows, seed), shape, 10 + seed)).to_vec()
}

pub fn batch(arrays: &BatchArrays, shape: &InputShape) -> Batch {
    Batch::from_arrays(arrays.clone(), shape)
}

/// A small and smooth model with more settings as JSON: `"readout": "max"`. Shared settings that the model has no use for are left out.
pub fn config(name: &str, more: &str) -> ModelConfig {
    let registration = REGISTRY.iter().find(|registration| registration.name == name).unwrap();
    let more: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&format!("{{{more}}}")).unwrap();
    let mut config = registration.small_config().unwrap();
    for (key, value) in more.into_iter().filter(|(key, _)| !registration.idle.contains(&key.as_str())) {
        config = config.with(&key, value).unwrap();
    }
    config
}

/// Moves every trained number a little, so that nothing is at the zero it started from.
pub fn stir(model: &mut Model, seed: u64) {
    let trained: Vec<_> = model.network().tracked().trained().into_iter().map(|(_, id, _)| id).collect();
    let mut stream = Stream::new(seed);
    let mut values: BTreeMap<_, Vec<f32>> = BTreeMap::new();
    for array in model.network().arrays() {
        if trained.contains(&array.id) {
            let moved = array.data.iter().map(|v| v + 0.3 * stream.normal() as f32).collect();
            values.insert(array.id, moved);
        }
    }
    model.network_mut().replace(&mut |id| values.remove(&id));
}

pub fn assert_close(what: &str, found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3f32, |most, v| most.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * scale, "{what}: {f} instead of {e}");
    }
}

/// Loss of a step of training, and the gradients of all trained arrays.
pub fn slopes(network: &dyn Network, batch: &Batch, targets: &Arc<Targets>) -> (f32, Vec<Array>) {
    let tracked = network.tracked();
    let outputs = tracked.run(batch.input(), batch, &Context::training(1, 1));
    let loss = ops::loss(outputs, targets.clone());
    let value = bridge::with_slice(&loss, |values| values[0]);
    let mut tape = loss.backward();
    (value, tracked.gradients(&mut tape))
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Every trained array by itself: the slope of the loss along its gradient and a random direction is that of small steps. The
/// smallest error over several steps counts: a kink or rounding spoils some, not all.
pub fn assert_finite_differences(what: &str, network: &dyn Network, batch: &Batch, targets: &Arc<Targets>) {
    let mut stream = Stream::new(6);
    let arrays = network.arrays();
    let (loss, gradients) = slopes(network, batch, targets);
    assert!(loss.is_finite(), "{what}");
    let total = gradients.iter().map(|gradient| dot(&gradient.data, &gradient.data)).sum::<f64>().sqrt();
    assert!(total > 0.0, "{what}: no gradient at all");
    for gradient in &gradients {
        let Some(array) = arrays.iter().find(|array| array.id == gradient.id) else { panic!("{what}") };
        // A bias before a norm, say, has no effect: then small steps have none either.
        let size = dot(&gradient.data, &gradient.data).sqrt().max(1e-4 * total);
        let random = normals(gradient.data.len(), &mut stream);
        let length = dot(&random, &random).sqrt();
        let mixed = gradient.data.iter().zip(&random);
        let mixed: Vec<f32> = mixed.map(|(g, r)| (f64::from(*g) / size + f64::from(*r) / length) as f32).collect();
        let slope = dot(&mixed, &gradient.data);
        let at = |step: f32| {
            let mut moved = network.boxed_clone();
            let along: Vec<f32> = array.data.iter().zip(&mixed).map(|(v, d)| v + step * d).collect();
            moved.replace(&mut |id| (id == array.id).then(|| along.clone()));
            let outputs = moved.run(batch.input(), batch, &Context::training(1, 1));
            f64::from(bridge::into_vec(ops::loss(outputs, targets.clone()))[0])
        };
        let error = |step: f32| ((at(step) - at(-step)) / (2.0 * f64::from(step)) - slope).abs();
        let error = [3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4].map(error).into_iter().fold(f64::INFINITY, f64::min);
        assert!(
            error <= 2e-2 * size.max(1e-2 * total),
            "{what}, {}: slope {slope} of size {size} is off by {error}",
            gradient.name
        );
    }
}
