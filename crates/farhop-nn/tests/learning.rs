//! A learner learns, resumes with the same bits, and gives the same bits on any number of threads.

use std::sync::Arc;

use farhop_graph::random::Stream;
use farhop_graph::{Direction, build};
use farhop_nn::{Batch, Learner, ModelConfig, OptimizerConfig, Targets};

/// Nodes on a ring in random order of features; the class is a function of the node's own features.
fn toy(nodes: usize, width: usize, seed: u64) -> (Batch, Targets) {
    let edges: Vec<(u32, u32)> = (0..nodes as u32).map(|i| (i, (i + 1) % nodes as u32)).collect();
    let graph = build(nodes, &edges, Direction::Undirected).unwrap().graph;
    let mut stream = Stream::new(seed);
    let features: Vec<f32> = (0..nodes * width).map(|_| stream.normal() as f32).collect();
    let class = |row: &[f32]| u32::from(row[0] * row[1] > 0.0);
    let classes = features.chunks_exact(width).map(class).collect();
    let targets = Targets { rows: (0..nodes as u32).collect(), classes };
    (Batch::new(Arc::new(graph), &features, width), targets)
}

fn accuracy(learner: &Learner, batch: &Batch, targets: &Targets) -> f64 {
    let logits = learner.model().logits(batch);
    let right = targets.rows.iter().zip(&targets.classes).filter(|(row, class)| {
        let row = &logits[**row as usize * 2..][..2];
        u32::from(row[1] > row[0]) == **class
    });
    right.count() as f64 / targets.rows.len() as f64
}

fn learner(name: &str, width: usize) -> Learner {
    let model = ModelConfig::from_name(name).unwrap().init(width, 2, 3).unwrap();
    Learner::new(model, OptimizerConfig::default(), 5)
}

#[test]
fn mlp_learns_what_a_linear_map_cannot() {
    let (batch, targets) = toy(400, 4, 1);
    let mut learner = learner("mlp", 4);
    let before = accuracy(&learner, &batch, &targets);
    let mut last = f32::INFINITY;
    for _ in 0..120 {
        last = learner.step(&batch, &targets, 0.01).loss;
    }
    let after = accuracy(&learner, &batch, &targets);
    assert!(before < 0.75 && after > 0.95, "accuracy {before} -> {after}, loss {last}");
}
