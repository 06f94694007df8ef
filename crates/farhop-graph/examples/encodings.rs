//! Times the encodings on graphs of the sizes they are meant for: `cargo run --release -p farhop-graph --example encodings`.

use std::time::Instant;

use farhop_graph::encodings::{LaplacianOptions, WalkMethod, laplacian_eigenvectors, walk_returns};
use farhop_graph::generate::{balanced_tree, barabasi_albert, chung_lu, grid, path, random_tree, ring};
use farhop_graph::{Graph, GraphError, GraphSet, disjoint_union};

fn main() -> Result<(), GraphError> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    if asked("trees") {
        let trees = (0..15_535).map(|seed| random_tree(151, seed)).collect::<Result<Vec<_>, _>>()?;
        let union = disjoint_union(&trees.iter().collect::<Vec<_>>())?;
        let set = GraphSet::new(union.graph, union.node_offsets)?;
        walks("15,535 random trees of 151 nodes", &set, WalkMethod::Automatic);
        eigenvectors("15,535 random trees of 151 nodes", &set)?;
    }
    if asked("superpixels") {
        let tiles = vec![grid(22, 22)?; 500];
        let union = disjoint_union(&tiles.iter().collect::<Vec<_>>())?;
        let set = GraphSet::new(union.graph, union.node_offsets)?;
        walks("500 grids of 22 x 22", &set, WalkMethod::Automatic);
        eigenvectors("500 grids of 22 x 22", &set)?;
        let hubs = (0..500).map(|seed| barabasi_albert(480, 3, seed)).collect::<Result<Vec<_>, _>>()?;
        let union = disjoint_union(&hubs.iter().collect::<Vec<_>>())?;
        let set = GraphSet::new(union.graph, union.node_offsets)?;
        walks("500 graphs of 480 nodes, 1,434 edges", &set, WalkMethod::Automatic);
        eigenvectors("500 graphs of 480 nodes, 1,434 edges", &set)?;
    }
    let single = |graph: Result<Graph, GraphError>| graph.map(GraphSet::single);
    if asked("power-law") {
        let set = single(chung_lu(169_343, 1_166_243, 2.5, 1))?;
        walks("power law, 169,343 nodes", &set, WalkMethod::Automatic);
        eigenvectors("power law, 169,343 nodes", &set)?;
    }
    for (name, graph) in [
        ("ring 10,000", ring(10_000)),
        ("grid 100 x 100", grid(100, 100)),
        ("ring 100,000", ring(100_000)),
        ("path 100,000", path(100_000)),
        ("grid 300 x 300", grid(300, 300)),
        ("grid 10 x 10,000", grid(10, 10_000)),
        ("random tree 100,000", random_tree(100_000, 1)),
        ("balanced tree, 2^17 - 1", balanced_tree(2, 16)),
    ] {
        if asked("wide") {
            let set = single(graph)?;
            walks(name, &set, WalkMethod::Automatic);
            eigenvectors(name, &set)?;
        }
    }
    Ok(())
}

/// Seconds of processor time used so far, where the system tells: on a busy machine the better measure.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn walks(name: &str, set: &GraphSet, method: WalkMethod) {
    let (start, used) = (Instant::now(), processor_seconds());
    let walks = walk_returns(set, 20, method);
    let seconds = start.elapsed().as_secs_f64();
    let used = processor_seconds() - used;
    println!("{name}: RWSE-20 {seconds:.2} s (processor {used:.2} s), {} nodes estimated", walks.estimated_nodes);
    if walks.estimated_nodes > 0 {
        for t in 0..walks.length {
            let values = walks.values.iter().skip(t).step_by(walks.length);
            let mean = values.map(|&value| f64::from(value)).sum::<f64>() / set.union().nodes() as f64;
            println!("    {:2} steps: mean {mean:.6}, standard error {:.6}", t + 1, walks.standard_errors[t]);
        }
    }
}

fn eigenvectors(name: &str, set: &GraphSet) -> Result<(), GraphError> {
    let (start, used) = (Instant::now(), processor_seconds());
    match laplacian_eigenvectors(set, 10, &LaplacianOptions::default()) {
        Ok(laplacian) => {
            let seconds = start.elapsed().as_secs_f64();
            let used = processor_seconds() - used;
            println!("{name}: LapPE-10 {seconds:.2} s (processor {used:.2} s), values {:?}", &laplacian.values[..10]);
        }
        Err(error) => println!("{name}: LapPE-10 {:.2} s, {error}", start.elapsed().as_secs_f64()),
    }
    Ok(())
}
