//! The common test set: every layer of the registry and every model, by the same rules.
//!
//! Moving nodes moves the result; gradients are finite differences; graphs side by side give what each gives alone; nodes without
//! edges work; threads do not matter; what is saved is what is loaded.

use std::sync::Arc;

use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build, disjoint_union, relabel};

use super::REGISTRY;
use crate::network::Network;
use crate::ops::bridge;
use crate::{Batch, Context, ModelConfig, Targets, store};

const INPUTS: usize = 6;
const OUTPUTS: usize = 4;

/// Everything the set runs on.
fn networks() -> Vec<(&'static str, Box<dyn Network>)> {
    let layers = REGISTRY.iter().map(|layer| (layer.name, (layer.build)(INPUTS, OUTPUTS, 17)));
    let models = ModelConfig::NAMES.iter().map(|name| {
        let model = ModelConfig::from_name(name).unwrap().init(INPUTS, OUTPUTS, 17).unwrap();
        (*name, model.network().boxed_clone())
    });
    layers.chain(models).collect()
}

fn features(nodes: usize, seed: u64) -> Vec<f32> {
    let mut stream = Stream::new(seed);
    (0..nodes * INPUTS).map(|_| stream.normal() as f32).collect()
}

/// A graph with cycles, a hub and isolated nodes.
fn graph(nodes: usize, rows: usize, seed: u64) -> Graph {
    let mut stream = Stream::new(seed);
    let mut pick = |bound: usize| stream.below(bound as u64) as u32;
    let mut list: Vec<(u32, u32)> = (0..rows).map(|_| (pick(nodes - 3), pick(nodes - 3))).collect();
    list.extend((1..nodes as u32 / 2).map(|leaf| (0, leaf)));
    build(nodes, &list, Direction::Undirected).unwrap().graph
}

fn batch(graph: Graph, features: &[f32]) -> Batch {
    Batch::new(Arc::new(graph), features, INPUTS)
}

fn evaluate(network: &dyn Network, batch: &Batch) -> Vec<f32> {
    bridge::into_vec(network.run(batch.features(), batch, &Context::evaluation()))
}

fn assert_close(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3f32, |most, v| most.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 1e-5 * scale, "{what}: {f} instead of {e}");
    }
}

#[test]
fn moving_nodes_moves_the_result() {
    let (nodes, graph) = (20, graph(20, 30, 1));
    let mut new_id: Vec<u32> = (0..nodes as u32).collect();
    Stream::new(2).shuffle(&mut new_id);
    let moved_graph = relabel(&graph, &new_id).unwrap();
    let original = features(nodes, 3);
    let mut moved = vec![0.0; original.len()];
    for (old, &new) in new_id.iter().enumerate() {
        let to = new as usize * INPUTS;
        moved[to..to + INPUTS].copy_from_slice(&original[old * INPUTS..(old + 1) * INPUTS]);
    }
    let (before, after) = (batch(graph, &original), batch(moved_graph, &moved));
    for (name, network) in networks() {
        let (y, z) = (evaluate(&*network, &before), evaluate(&*network, &after));
        let back = new_id.iter().flat_map(|&new| &z[new as usize * OUTPUTS..(new as usize + 1) * OUTPUTS]);
        assert_close(name, &back.copied().collect::<Vec<_>>(), &y);
    }
}

#[test]
fn graphs_side_by_side_give_what_each_gives_alone() {
    let graphs = [graph(9, 8, 1), graph(14, 20, 2), graph(5, 0, 3)];
    let all = disjoint_union(&graphs.iter().collect::<Vec<_>>()).unwrap();
    let parts: Vec<Vec<f32>> = graphs.iter().zip(10..).map(|(g, seed)| features(g.nodes(), seed)).collect();
    let joined = batch(all.graph, &parts.concat());
    for (name, network) in networks() {
        let alone: Vec<f32> =
            graphs.iter().zip(&parts).flat_map(|(g, x)| evaluate(&*network, &batch(g.clone(), x))).collect();
        assert_close(name, &evaluate(&*network, &joined), &alone);
    }
}

#[test]
fn nodes_without_edges_work() {
    for nodes in [1, 3] {
        let batch = batch(build(nodes, &[], Direction::Undirected).unwrap().graph, &features(nodes, 1));
        for (name, network) in networks() {
            let y = evaluate(&*network, &batch);
            assert!(y.len() == nodes * OUTPUTS && y.iter().all(|v| v.is_finite()), "{name}: {y:?}");
        }
    }
}

/// Loss `sum r y` summed in f64, at the network's parameters moved by `step` along `directions` and its input along its own.
fn loss(network: &dyn Network, batch: &Batch, direction: &Direction64, step: f32, readout: &[f32]) -> f64 {
    let mut moved = network.boxed_clone();
    let mut values = std::collections::BTreeMap::new();
    for (array, along) in network.arrays().into_iter().zip(&direction.arrays) {
        let data = array.data.iter().zip(along).map(|(v, d)| v + step * d).collect();
        values.insert(array.id, data);
    }
    moved.replace(&mut |id| values.remove(&id));
    let x = bridge::into_vec(batch.features());
    let x: Vec<f32> = x.iter().zip(&direction.features).map(|(v, d)| v + step * d).collect();
    let batch = Batch::new(batch.graph().clone(), &x, INPUTS);
    let y = bridge::into_vec(moved.run(batch.features(), &batch, &Context::training(1, 1)));
    y.iter().zip(readout).map(|(y, r)| f64::from(*y) * f64::from(*r)).sum()
}

struct Direction64 {
    arrays: Vec<Vec<f32>>,
    features: Vec<f32>,
}

#[test]
fn gradients_are_finite_differences() {
    let graph = graph(12, 16, 4);
    let batch = batch(graph, &features(12, 5));
    for (name, network) in networks() {
        let tracked = network.tracked();
        let x = batch.features().autodiff().require_grad();
        let y = tracked.run(x.clone(), &batch, &Context::training(1, 1));
        let mut stream = Stream::new(6);
        let mut normals = |count: usize| (0..count).map(|_| stream.normal() as f32).collect::<Vec<f32>>();
        let readout = normals(12 * OUTPUTS);
        let r = bridge::from_vec(readout.clone(), [12, OUTPUTS]).autodiff();
        let mut tape = (y * r).sum().backward();
        let dx = bridge::into_vec(x.grad_remove(&mut tape).expect("the input has a gradient"));
        let gradients = tracked.gradients(&mut tape);
        let arrays = network.arrays();
        // Each array by itself, then the input: an error in a small one must not drown in a large one.
        for chosen in 0..=arrays.len() {
            let direction = Direction64 {
                arrays: arrays
                    .iter()
                    .enumerate()
                    .map(|(i, a)| if i == chosen { normals(a.data.len()) } else { vec![0.0; a.data.len()] })
                    .collect(),
                features: if chosen == arrays.len() { normals(12 * INPUTS) } else { vec![0.0; 12 * INPUTS] },
            };
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
            let (what, slope, size) = match arrays.get(chosen) {
                None => ("input", dot(&dx, &direction.features), dot(&dx, &dx)),
                Some(array) => match gradients.iter().find(|g| g.id == array.id) {
                    Some(g) => (array.name.as_str(), dot(&g.data, &direction.arrays[chosen]), dot(&g.data, &g.data)),
                    // Stored values, such as running statistics, are not trained.
                    None => continue,
                },
            };
            // Kinks of an activation inside the interval spoil one step size, not all.
            let error = [3e-3f32, 1e-3, 3e-4]
                .map(|step| {
                    let above = loss(&*network, &batch, &direction, step, &readout);
                    let below = loss(&*network, &batch, &direction, -step, &readout);
                    ((above - below) / (2.0 * f64::from(step)) - slope).abs()
                })
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            assert!(error <= 2e-2 * (size.sqrt() + 1e-2), "{name}, {what}: slope {slope} is off by {error}");
            assert!(size > 0.0, "{name}, {what}: no gradient at all");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let nodes = 3000;
    let batch = batch(graph(nodes, 9000, 7), &features(nodes, 8));
    let targets = Arc::new(Targets {
        rows: (0..nodes as u32).collect(),
        classes: (0..nodes as u32).map(|i| i % OUTPUTS as u32).collect(),
    });
    for (name, network) in networks() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let tracked = network.tracked();
                let logits = tracked.run(batch.features(), &batch, &Context::training(3, 4));
                let mut all = bridge::into_vec(logits.clone());
                let mut tape = crate::ops::cross_entropy(logits, targets.clone()).backward();
                tracked.gradients(&mut tape).into_iter().for_each(|g| all.extend(g.data));
                all.into_iter().map(f32::to_bits).collect::<Vec<_>>()
            })
        };
        let one = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{name}: {threads} threads differ from 1");
        }
    }
}

#[test]
fn saved_is_loaded() {
    let batch = batch(graph(10, 10, 9), &features(10, 10));
    for ((name, network), other) in networks().into_iter().zip(networks_of_another_seed()) {
        let arrays = network.arrays();
        let mut names: Vec<&str> = arrays.iter().map(|a| a.name.as_str()).collect();
        let bytes = store::write(arrays.iter().map(|a| (a.name.as_str(), &a.shape[..], &a.data[..])), None);
        let mut other = other;
        let mut reader = store::Reader::new(&bytes).unwrap();
        let mut values = std::collections::BTreeMap::new();
        for array in other.arrays() {
            values.insert(array.id, reader.array(&array.name, &array.shape).unwrap());
        }
        reader.finish().unwrap();
        assert_ne!(evaluate(&*other, &batch), evaluate(&*network, &batch), "{name}: seeds make no difference");
        other.replace(&mut |id| values.remove(&id));
        assert_eq!(evaluate(&*other, &batch), evaluate(&*network, &batch), "{name}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), arrays.len(), "{name}: names are not unique");
    }
}

fn networks_of_another_seed() -> Vec<Box<dyn Network>> {
    let layers = REGISTRY.iter().map(|layer| (layer.build)(INPUTS, OUTPUTS, 18));
    let models = ModelConfig::NAMES.iter().map(|name| {
        let model = ModelConfig::from_name(name).unwrap().init(INPUTS, OUTPUTS, 18).unwrap();
        model.network().boxed_clone()
    });
    layers.chain(models).collect()
}
