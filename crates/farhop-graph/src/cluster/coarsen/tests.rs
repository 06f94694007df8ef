//! Coarser graphs keep weights and connections.

use super::*;
use crate::cluster::NodeWeight;
use crate::cluster::assignment::Assignment;
use crate::generate;

fn neighbours(level: &Level<'_>, node: u32) -> Vec<(u32, u64)> {
    let mut row = Vec::new();
    level.each_neighbour(node, |other, weight| row.push((other, weight)));
    row
}

fn assert_symmetric(level: &Level<'_>) {
    for node in 0..level.nodes() as u32 {
        for (other, weight) in neighbours(level, node) {
            assert!(other != node && neighbours(level, other).contains(&(node, weight)));
        }
    }
}

#[test]
fn a_coarser_graph_has_the_weights_and_cuts_of_the_finer_one() {
    let star = crate::build(301, &(1..301).map(|leaf| (0, leaf)).collect::<Vec<_>>(), crate::Direction::Undirected);
    let graphs = [
        generate::grid(20, 20).unwrap(),
        generate::barabasi_albert(500, 3, 1).unwrap(),
        generate::forest(400, 150, 2).unwrap(),
        star.unwrap().graph,
    ];
    for graph in &graphs {
        let level = Level::finest(graph, NodeWeight::Nodes);
        let step = coarser(&level, 50, 7).unwrap();
        let coarse = &step.level;
        assert!(coarse.nodes() < level.nodes() * 7 / 10, "{} of {}", coarse.nodes(), level.nodes());
        assert_eq!(coarse.total(), level.total());
        assert!(coarse.heaviest() <= MOST_JOINED);
        assert_symmetric(coarse);
        for parts in [2, 5] {
            let coarse_parts: Vec<u32> = (0..coarse.nodes() as u64).map(|node| (mix(3, node) % parts) as u32).collect();
            let fine_parts = step.coarse_of.iter().map(|&coarse| coarse_parts[coarse as usize]).collect();
            let coarse_now = Assignment::new(coarse, coarse_parts, parts as usize);
            let fine_now = Assignment::new(&level, fine_parts, parts as usize);
            assert_eq!(coarse_now.weights, fine_now.weights);
            assert_eq!(coarse_now.cut(coarse), fine_now.cut(&level));
        }
    }
}

#[test]
fn thinning_keeps_heavy_edges_and_the_weight_in_the_mean() {
    let graph = generate::chung_lu(3_000, 60_000, 2.5, 1).unwrap();
    let level = Level::finest(&graph, NodeWeight::Nodes);
    let coarse_of: Vec<u32> = (0..3_000).map(|node| node % 600).collect();
    let whole = contract(&level, &coarse_of, 600, &Thinning { least: 1, seed: 1 });
    let thin = contract(&level, &coarse_of, 600, &Thinning { least: 4, seed: 1 });
    assert_symmetric(&thin);
    assert!(thin.entries() < whole.entries() / 2);
    let weight = |level: &Level<'_>| -> u64 {
        (0..600).flat_map(|node| neighbours(level, node)).map(|(_, weight)| weight).sum()
    };
    let (before, after) = (weight(&whole) as f64, weight(&thin) as f64);
    assert!((after / before - 1.0).abs() < 0.02, "{before} became {after}");
    for node in 0..600 {
        let kept = neighbours(&thin, node);
        assert!(kept.iter().all(|&(_, weight)| weight >= 4));
        for edge in neighbours(&whole, node) {
            assert!(edge.1 < 4 || kept.contains(&edge));
        }
    }
}
