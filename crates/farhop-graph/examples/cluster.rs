//! Cuts and times of the partitioners:
//! `cargo run --release -p farhop-graph --features metis --example cluster -- [name of a graph]`.

use std::time::Instant;

use farhop_graph::generate::{chung_lu, forest, grid, random_tree, stochastic_block_model};
use farhop_graph::{ClusterOptions, Graph, GraphError, NodeWeight, Partitioner, cluster_with};

fn main() -> Result<(), GraphError> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| wanted.iter().any(|wanted| wanted == name);
    let all = wanted.is_empty();
    if all || asked("grid") {
        compare("grid 300 x 300", &grid(300, 300)?, &[2, 16, 128])?;
    }
    if all || asked("cube") {
        compare("cube 40 x 40 x 40", &cube(40)?, &[2, 16, 128])?;
    }
    if all || asked("forest") {
        compare("2,000 trees, 300,000 nodes", &forest(300_000, 2_000, 1)?, &[16, 128])?;
        compare("random tree, 100,000 nodes", &random_tree(100_000, 1)?, &[16, 128])?;
    }
    if all || asked("blocks") {
        compare("100 blocks of 300", &stochastic_block_model(&[300; 100], 0.03, 0.0001, 1)?.graph, &[16, 100])?;
    }
    if all || asked("power-law") {
        compare("power law, 169,343 nodes", &chung_lu(169_343, 1_166_243, 2.5, 1)?, &[16, 128])?;
    }
    if asked("products") {
        compare("power law, 2,449,029 nodes", &chung_lu(2_449_029, 61_859_140, 2.5, 1)?, &[128])?;
    }
    Ok(())
}

/// A grid in space.
fn cube(side: u32) -> Result<Graph, GraphError> {
    let id = |x: u32, y: u32, z: u32| (x * side + y) * side + z;
    let mut rows = Vec::new();
    for x in 0..side {
        for y in 0..side {
            for z in 0..side {
                let near = [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)];
                let inside = near.into_iter().filter(|&(x, y, z)| x < side && y < side && z < side);
                rows.extend(inside.map(|(a, b, c)| (id(x, y, z), id(a, b, c))));
            }
        }
    }
    Ok(farhop_graph::build((side * side * side) as usize, &rows, farhop_graph::Direction::Undirected)?.graph)
}

fn compare(name: &str, graph: &Graph, parts: &[usize]) -> Result<(), GraphError> {
    println!("{name}: {} edges, {} MiB", graph.edges(), graph.heap_bytes() >> 20);
    for &parts in parts {
        for partitioner in [Partitioner::BuiltIn, Partitioner::Metis] {
            for weight in [NodeWeight::Nodes] {
                let options = ClusterOptions { partitioner, weight, seed: 1, ..ClusterOptions::default() };
                let start = Instant::now();
                match cluster_with(graph, parts, &options) {
                    Ok(clusters) => println!(
                        "  {parts:4} parts, {partitioner:?}: {} edges cut ({:.2} %), {:.2} s, sizes {:?} to {:?}",
                        clusters.cut() / 2,
                        100.0 * clusters.cut_share(),
                        start.elapsed().as_secs_f64(),
                        clusters.sizes().min(),
                        clusters.sizes().max(),
                    ),
                    Err(error) => println!("  {parts:4} parts, {partitioner:?}: {error}"),
                }
            }
        }
    }
    Ok(())
}
