//! The common test set: every layer of the registry and every model, by the same rules.
//!
//! Moving nodes moves the result; gradients are finite differences; graphs side by side give what each gives alone; nodes without
//! edges work; threads do not matter; what is saved is what is loaded.

use std::collections::BTreeMap;
use std::sync::Arc;

use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build, disjoint_union, relabel};

use super::REGISTRY;
use crate::network::{Array, Network};
use crate::ops::bridge;
use crate::{Batch, BatchArrays, BatchNumbers, Context, Properties, Targets, store};

const INPUTS: usize = 6;
const OUTPUTS: usize = 4;

/// What the set runs on.
struct Subject {
    name: &'static str,
    network: Box<dyn Network>,
    properties: Properties,
}

/// Everything the set runs on: every layer, and every model in a small and smooth form.
fn networks() -> Vec<Subject> {
    networks_from(17)
}

fn networks_from(seed: u64) -> Vec<Subject> {
    let layers = REGISTRY.iter().map(|layer| Subject {
        name: layer.name,
        network: (layer.build)(INPUTS, OUTPUTS, seed),
        properties: Properties::MESSAGE_PASSING,
    });
    let models = crate::REGISTRY.iter().map(|registration| {
        let config = registration.small_config().unwrap();
        let network = config.init(INPUTS, OUTPUTS, seed).unwrap().network().boxed_clone();
        Subject { name: registration.name, network, properties: config.properties() }
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
    bridge::into_vec(network.run(batch.input(), batch, &Context::evaluation()))
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
    for Subject { name, network, .. } in networks().into_iter().filter(|subject| subject.properties.equivariant) {
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
    let offsets = vec![0, 9, 23, 28];
    let numbers = BatchNumbers::Dense(parts.concat());
    let joined = BatchArrays { offsets, numbers, ..BatchArrays::new(Arc::new(all.graph)) };
    let joined = Batch::from_arrays(joined, &INPUTS.into());
    for Subject { name, network, .. } in networks().into_iter().filter(|subject| subject.properties.graphs_apart) {
        let alone: Vec<f32> =
            graphs.iter().zip(&parts).flat_map(|(g, x)| evaluate(&*network, &batch(g.clone(), x))).collect();
        assert_close(name, &evaluate(&*network, &joined), &alone);
    }
}

#[test]
fn nodes_without_edges_work() {
    for nodes in [1, 3] {
        let batch = batch(build(nodes, &[], Direction::Undirected).unwrap().graph, &features(nodes, 1));
        for Subject { name, network, .. } in networks() {
            let y = evaluate(&*network, &batch);
            assert!(y.len() == nodes * OUTPUTS && y.iter().all(|v| v.is_finite()), "{name}: {y:?}");
        }
    }
}

/// A point on a line through the parameters and the input: everything moved by `step` along its direction.
struct Line<'a> {
    network: &'a dyn Network,
    batch: &'a Batch,
    /// One direction per array, then that of the input.
    directions: Vec<Vec<f32>>,
    readout: &'a [f32],
}

impl Line<'_> {
    /// `sum of readout * output`, summed in f64.
    fn loss(&self, step: f32) -> f64 {
        let along = |values: &[f32], direction: &[f32]| -> Vec<f32> {
            values.iter().zip(direction).map(|(v, d)| v + step * d).collect()
        };
        let mut moved = self.network.boxed_clone();
        let arrays = self.network.arrays();
        // Stored values have no direction and stay.
        let moving = arrays.iter().zip(&self.directions).filter(|(_, direction)| !direction.is_empty());
        let mut values: BTreeMap<_, _> =
            moving.map(|(array, direction)| (array.id, along(&array.data, direction))).collect();
        moved.replace(&mut |id| values.remove(&id));
        let x = along(&bridge::into_vec(self.batch.features()), &self.directions[arrays.len()]);
        let batch = Batch::new(self.batch.graph().clone(), &x, INPUTS);
        let y = bridge::into_vec(moved.run(batch.features().into(), &batch, &Context::training(1, 1)));
        dot(&y, self.readout)
    }

    /// The smallest error of central differences over several steps: a kink of an activation or rounding spoils some, not all.
    fn error(&self, slope: f64) -> f64 {
        let difference = |step: f32| (self.loss(step) - self.loss(-step)) / (2.0 * f64::from(step));
        let errors = [1e-2, 3e-3, 1e-3, 3e-4].map(|step| (difference(step) - slope).abs());
        errors.into_iter().fold(f64::INFINITY, f64::min)
    }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[test]
fn gradients_are_finite_differences() {
    let nodes = 12;
    let batch = batch(graph(nodes, 16, 4), &features(nodes, 5));
    for Subject { name, network, .. } in networks() {
        let mut stream = Stream::new(6);
        let mut normals = |count: usize| (0..count).map(|_| stream.normal() as f32).collect::<Vec<f32>>();
        let readout = normals(nodes * OUTPUTS);
        let tracked = network.tracked();
        let x = batch.features().autodiff().require_grad();
        let y = tracked.run(x.clone().into(), &batch, &Context::training(1, 1));
        let mut tape = (y * bridge::from_vec(readout.clone(), [nodes, OUTPUTS]).autodiff()).sum().backward();
        let dx = bridge::into_vec(x.grad_remove(&mut tape).expect("the input has a gradient"));
        let trained = tracked.gradients(&mut tape);
        let arrays = network.arrays();
        // Stored values, such as running statistics, are not trained and have no gradient.
        let gradient_of = |array: &Array| trained.iter().find(|g| g.id == array.id).map(|g| g.data.clone());
        let mut gradients: Vec<(&str, Option<Vec<f32>>)> =
            arrays.iter().map(|array| (array.name.as_str(), gradient_of(array))).collect();
        gradients.push(("input", Some(dx)));
        // Each array by itself: an error in a small one must not drown in a large one.
        let total = gradients.iter().flat_map(|(_, g)| g).map(|g| dot(g, g)).sum::<f64>().sqrt();
        for (chosen, (what, gradient)) in gradients.iter().enumerate() {
            let Some(gradient) = gradient else { continue };
            // A bias before a norm, say, has no effect: then small steps have none either.
            let size = dot(gradient, gradient).sqrt().max(1e-4 * total);
            // Half along the gradient, so that the slope is large, half at random, so that nothing is overlooked.
            let random = normals(gradient.len());
            let length = dot(&random, &random).sqrt();
            let mixed =
                gradient.iter().zip(&random).map(|(g, r)| (f64::from(*g) / size + f64::from(*r) / length) as f32);
            let mixed: Vec<f32> = mixed.collect();
            let mut directions: Vec<Vec<f32>> =
                gradients.iter().map(|(_, g)| vec![0.0; g.as_ref().map_or(0, Vec::len)]).collect();
            let slope = dot(&mixed, gradient);
            directions[chosen] = mixed;
            let line = Line { network: &*network, batch: &batch, directions, readout: &readout };
            let error = line.error(slope);
            assert!(error <= 1e-2 * size.max(1e-2 * total), "{name}, {what}: slope {slope} is off by {error}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let nodes = 3000;
    let batch = batch(graph(nodes, 9000, 7), &features(nodes, 8));
    let classes = (0..nodes as u32).map(|i| i % OUTPUTS as u32).collect();
    let targets = Arc::new(Targets::classes((0..nodes as u32).collect(), classes));
    for Subject { name, network, .. } in networks() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let tracked = network.tracked();
                let logits = tracked.run(batch.input(), &batch, &Context::training(3, 4));
                let mut all = bridge::into_vec(logits.clone());
                let mut tape = crate::ops::loss(logits, targets.clone()).backward();
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
    for (Subject { name, network, .. }, other) in networks().into_iter().zip(networks_from(18)) {
        let mut other = other.network;
        let arrays = network.arrays();
        let mut names: Vec<&str> = arrays.iter().map(|a| a.name.as_str()).collect();
        let bytes = store::write(arrays.iter().map(|a| (a.name.as_str(), &a.shape[..], &a.data[..])), None);
        let mut reader = store::Reader::new(&bytes).unwrap();
        let mut values = BTreeMap::new();
        for array in other.arrays() {
            values.insert(array.id, reader.array(&array.name, None, &array.shape).unwrap());
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
