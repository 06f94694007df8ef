//! Cuts and times of the partitioners: `cargo run --release -p farhop-graph --features metis --example cluster`.
//!
//! Names after `--` choose graphs (`grid`, `cube`, `trees`, `blocks`, `power-law`, and `products`, which only comes when
//! named), `built-in` leaves METIS out, `entries` balances nodes and entries instead of nodes.

use std::time::Instant;

use farhop_graph::generate::{chung_lu, forest, grid, random_tree, stochastic_block_model};
use farhop_graph::{
    ClusterOptions, Direction, Graph, GraphError, NodeWeight, Partitioner, build, cluster_with, order, relabel,
};

fn main() -> Result<(), GraphError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let said = |word: &str| words.iter().any(|said| said == word);
    let graphs = ["grid", "cube", "trees", "blocks", "power-law", "products"];
    let all = !graphs.iter().any(|graph| said(graph));
    let built_in_only = said("built-in");
    let weight = if said("entries") { NodeWeight::NodesAndEntries } else { NodeWeight::Nodes };
    let compare = |name: &str, graph: Graph, parts: &[usize]| compare(name, &graph, parts, weight, built_in_only);
    if all || said("grid") {
        compare("grid 300 x 300", grid(300, 300)?, &[2, 16, 128]);
    }
    if all || said("cube") {
        compare("cube 40 x 40 x 40", cube(40)?, &[2, 16, 128]);
    }
    if all || said("trees") {
        compare("2,000 trees, 300,000 nodes", forest(300_000, 2_000, 1)?, &[16, 128]);
        compare("random tree, 100,000 nodes", random_tree(100_000, 1)?, &[16, 128]);
    }
    if all || said("blocks") {
        compare("100 blocks of 300 nodes", stochastic_block_model(&[300; 100], 0.03, 0.0001, 1)?.graph, &[16, 100]);
    }
    if all || said("power-law") {
        let graph = chung_lu(169_343, 1_166_243, 2.5, 1)?;
        orders("power law, 169,343 nodes", &graph)?;
        compare("power law, 169,343 nodes", graph, &[16, 128]);
    }
    if said("products") {
        compare("power law, 2,449,029 nodes", chung_lu(2_449_029, 61_859_140, 2.5, 1)?, &[128]);
    }
    Ok(())
}

fn compare(name: &str, graph: &Graph, parts: &[usize], weight: NodeWeight, built_in_only: bool) {
    println!("{name}, {} edges, {} MiB", graph.edges(), graph.heap_bytes() >> 20);
    let partitioners = [Partitioner::BuiltIn, Partitioner::Metis];
    for &parts in parts {
        for &partitioner in &partitioners[..if built_in_only { 1 } else { 2 }] {
            let options = ClusterOptions { partitioner, weight, seed: 1, ..ClusterOptions::default() };
            let start = Instant::now();
            let clusters = match cluster_with(graph, parts, &options) {
                Ok(clusters) => clusters,
                Err(error) => {
                    println!("  {parts:4} parts, {partitioner:?}: {error}");
                    continue;
                }
            };
            let seconds = start.elapsed().as_secs_f64();
            let (least, most) = (clusters.sizes().min().unwrap_or(0), clusters.sizes().max().unwrap_or(0));
            println!(
                "  {parts:4} parts, {:8} {:9} edges cut ({:5.2} %), {least} to {most} nodes, {seconds:.2} s",
                format!("{partitioner:?}:"),
                clusters.cut() / 2,
                100.0 * clusters.cut_share(),
            );
        }
    }
}

fn orders(name: &str, graph: &Graph) -> Result<(), GraphError> {
    println!("{name}: orders");
    for (order_name, order) in [
        ("by degree", order::by_degree as fn(&Graph) -> Vec<u32>),
        ("reverse Cuthill-McKee", order::reverse_cuthill_mckee),
    ] {
        let start = Instant::now();
        let order = order(graph);
        let seconds = start.elapsed().as_secs_f64();
        println!("  {order_name}: {seconds:.2} s, bandwidth {}", order::bandwidth(&relabel(graph, &order)?));
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
    Ok(build((side * side * side) as usize, &rows, Direction::Undirected)?.graph)
}
