//! Generators: counts, degrees, and what the models promise.

use farhop_graph::generate::{
    balanced_tree, barabasi_albert, chung_lu, forest, grid, path, random_tree, ring, star, stochastic_block_model,
};
use farhop_graph::{Graph, GraphError, connected_components, distances};

fn components(graph: &Graph) -> usize {
    connected_components(graph).sizes.len()
}

fn degrees(graph: &Graph) -> Vec<usize> {
    (0..graph.nodes()).map(|node| graph.degree(node)).collect()
}

/// Asserts that `found` is within five standard deviations of `trials` coins of `probability`.
fn assert_binomial(found: usize, trials: usize, probability: f64) {
    let mean = trials as f64 * probability;
    let deviation = (mean * (1.0 - probability)).sqrt();
    assert!((found as f64 - mean).abs() <= 5.0 * deviation, "{found} of {trials} at {probability}");
}

#[test]
fn paths_rings_and_stars() {
    for nodes in [0, 1, 2, 3, 10, 1_000] {
        let graph = path(nodes).unwrap();
        assert_eq!(graph.nodes(), nodes);
        assert_eq!(graph.edges(), nodes.saturating_sub(1));
        if nodes > 0 {
            let expected: Vec<u32> = (0..nodes as u32).collect();
            assert_eq!(distances(&graph, 0).unwrap(), expected);
        }

        let graph = star(nodes).unwrap();
        assert_eq!(graph.nodes(), nodes + 1);
        assert_eq!(graph.edges(), nodes);
        assert_eq!(graph.degree(0), nodes);
    }
    for nodes in [3, 4, 5, 1_000] {
        let graph = ring(nodes).unwrap();
        assert_eq!(graph.edges(), nodes);
        assert!(degrees(&graph).iter().all(|&degree| degree == 2));
        let farthest = *distances(&graph, 1).unwrap().iter().max().unwrap();
        assert_eq!(farthest as usize, nodes / 2);
    }
}

#[test]
fn grid_distances_are_row_plus_column_steps() {
    for (rows, columns) in [(0, 0), (0, 5), (1, 1), (1, 6), (6, 1), (4, 7)] {
        let graph = grid(rows, columns).unwrap();
        assert_eq!(graph.nodes(), rows * columns);
        let across = rows * columns.saturating_sub(1);
        let down = columns * rows.saturating_sub(1);
        assert_eq!(graph.edges(), across + down);
        for start in 0..graph.nodes() {
            let found = distances(&graph, start).unwrap();
            for (node, &distance) in found.iter().enumerate() {
                let row_steps = (node / columns).abs_diff(start / columns);
                let column_steps = (node % columns).abs_diff(start % columns);
                assert_eq!(distance as usize, row_steps + column_steps);
            }
        }
    }
}

#[test]
fn random_trees_are_trees_and_forests_are_forests() {
    for seed in 0..20 {
        for nodes in [1, 2, 3, 50, 400] {
            let graph = random_tree(nodes, seed).unwrap();
            assert_eq!(graph.nodes(), nodes);
            assert_eq!(graph.edges(), nodes - 1);
            assert_eq!(components(&graph), 1);
            for trees in [1, nodes / 2, nodes] {
                if trees > 0 {
                    let graph = forest(nodes, trees, seed).unwrap();
                    assert_eq!(graph.edges(), nodes - trees);
                    assert_eq!(components(&graph), trees);
                }
            }
        }
    }
    assert_eq!(random_tree(0, 1).unwrap().nodes(), 0);
}

#[test]
fn random_trees_attach_uniformly() {
    // Node v is a child of node 0 with probability 1 / v: the mean degree of node 0 is a harmonic number.
    let (nodes, trees) = (100, 2_000);
    let total: usize = (0..trees).map(|seed| random_tree(nodes, seed).unwrap().degree(0)).sum();
    let mean: f64 = (1..nodes).map(|v| 1.0 / v as f64).sum();
    let variance: f64 = (1..nodes).map(|v| (1.0 - 1.0 / v as f64) / v as f64).sum();
    let deviation = (variance * trees as f64).sqrt();
    assert!((total as f64 - mean * trees as f64).abs() < 5.0 * deviation);
}

#[test]
fn balanced_tree_levels_multiply() {
    for (branching, depth) in [(1, 0), (1, 6), (2, 5), (3, 4), (10, 2)] {
        let graph = balanced_tree(branching, depth).unwrap();
        assert_eq!(graph.edges(), graph.nodes() - 1);
        let found = distances(&graph, 0).unwrap();
        for level in 0..=depth as u32 {
            let count = found.iter().filter(|&&distance| distance == level).count();
            assert_eq!(count, branching.pow(level));
        }
        assert!(found.iter().all(|&distance| distance <= depth as u32));
    }
}

#[test]
fn barabasi_albert_counts_and_hubs() {
    for (nodes, attachments) in [(2, 1), (10, 9), (500, 1), (500, 3), (2_000, 8)] {
        for seed in 0..3 {
            let graph = barabasi_albert(nodes, attachments, seed).unwrap();
            assert_eq!(graph.nodes(), nodes);
            assert_eq!(graph.edges(), attachments * (nodes - attachments));
            assert_eq!(components(&graph), 1);
            for node in attachments + 1..nodes {
                let earlier = graph.neighbours(node).iter().filter(|&&other| (other as usize) < node);
                assert_eq!(earlier.count(), attachments);
            }
        }
    }
    // Degrees grow like the square root of age; without preference they would grow like its logarithm.
    let graph = barabasi_albert(20_000, 2, 5).unwrap();
    let largest = degrees(&graph).into_iter().max().unwrap();
    assert!(largest > 100, "{largest}");
}

#[test]
fn barabasi_albert_prefers_by_degree() {
    // The star 0 - 1, then node 2 takes either end evenly, then node 3 takes the middle one with probability 1/2.
    let trials = 4_000;
    let stars = (0..trials)
        .filter(|&seed| {
            let graph = barabasi_albert(4, 1, seed).unwrap();
            degrees(&graph).contains(&3)
        })
        .count();
    assert_binomial(stars, trials as usize, 0.5);
}

#[test]
fn chung_lu_has_exactly_the_edges_asked_for() {
    for nodes in [0usize, 1, 2, 3, 10, 60] {
        let pairs = nodes * nodes.saturating_sub(1) / 2;
        for exponent in [2.1, 3.0, f64::INFINITY] {
            for edges in [0, pairs / 4, pairs / 2, pairs.saturating_sub(1), pairs] {
                let graph = chung_lu(nodes, edges, exponent, 7).unwrap();
                assert_eq!(graph.nodes(), nodes);
                assert_eq!(graph.edges(), edges);
            }
        }
    }
    let graph = chung_lu(20_000, 100_000, 2.5, 1).unwrap();
    assert_eq!(graph.edges(), 100_000);
}

#[test]
fn chung_lu_gives_every_id_the_same_chance() {
    let trials = 6_000;
    let mut alone = [0usize; 3];
    for seed in 0..trials {
        let graph = chung_lu(3, 1, 2.1, seed).unwrap();
        alone[(0..3).find(|&node| graph.degree(node) == 0).unwrap()] += 1;
    }
    for found in alone {
        assert_binomial(found, trials as usize, 1.0 / 3.0);
    }
}

#[test]
fn chung_lu_draws_pairs_by_weight_without_replacement() {
    // Ids hide the weights, but the largest degree shows them; its distribution by listing all orders of draws.
    let exponent = 2.1;
    let weights: Vec<f64> = (1..=4).map(|rank| f64::powf(rank as f64, -1.0 / (exponent - 1.0))).collect();
    let pairs: Vec<(usize, usize)> = (0..4).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let trials = 4_000;
    for edges in [2, 3, 4] {
        let mut expected = [0.0; 4];
        list_draws(&weights, &mut pairs.clone(), edges, [0; 4], 1.0, &mut expected);
        let mut found = [0usize; 4];
        for seed in 0..trials {
            let graph = chung_lu(4, edges, exponent, seed).unwrap();
            found[degrees(&graph).into_iter().max().unwrap()] += 1;
        }
        for (found, expected) in found.into_iter().zip(expected) {
            assert_binomial(found, trials as usize, expected);
        }
    }
}

/// Adds the probability of every order of drawing `edges` more of the `pairs` left, by largest degree.
fn list_draws(
    weights: &[f64],
    pairs: &mut Vec<(usize, usize)>,
    edges: usize,
    degrees: [usize; 4],
    probability: f64,
    by_largest: &mut [f64; 4],
) {
    if edges == 0 {
        by_largest[degrees.into_iter().max().unwrap()] += probability;
        return;
    }
    let weight = |&(a, b): &(usize, usize)| weights[a] * weights[b];
    let total: f64 = pairs.iter().map(weight).sum();
    for place in 0..pairs.len() {
        let pair = pairs.remove(place);
        let mut degrees = degrees;
        degrees[pair.0] += 1;
        degrees[pair.1] += 1;
        let probability = probability * weight(&pair) / total;
        list_draws(weights, pairs, edges - 1, degrees, probability, by_largest);
        pairs.insert(place, pair);
    }
}

#[test]
fn chung_lu_degrees_fall_as_a_power() {
    // The sum of the weights of ranks 1..=r grows like r^(1 - 1/(exponent - 1)).
    let (nodes, edges, exponent) = (50_000usize, 150_000usize, 3.0);
    let mut degrees = degrees(&chung_lu(nodes, edges, exponent, 3).unwrap());
    degrees.sort_unstable_by(|a, b| b.cmp(a));
    let total = 2.0 * edges as f64;
    for top in [500usize, 2_000, 5_000] {
        let share = degrees[..top].iter().sum::<usize>() as f64 / total;
        let power = 1.0 - 1.0 / (exponent - 1.0);
        let expected = (top as f64 / nodes as f64).powf(power);
        // The luckiest nodes are counted as the heaviest, which adds a little.
        assert!((0.9..1.35).contains(&(share / expected)), "{top}: {share} {expected}");
    }
    let even = chung_lu(nodes, edges, f64::INFINITY, 3).unwrap();
    let largest = (0..nodes).map(|node| even.degree(node)).max().unwrap();
    assert!(degrees[0] > 10 * largest);
}

#[test]
fn block_model_densities() {
    let sizes = [300, 0, 200, 500, 1];
    let (within, between) = (0.08, 0.01);
    let made = stochastic_block_model(&sizes, within, between, 9).unwrap();
    let nodes: usize = sizes.iter().sum();
    assert_eq!(made.graph.nodes(), nodes);
    let mut found = vec![vec![0usize; sizes.len()]; sizes.len()];
    for (block, &size) in sizes.iter().enumerate() {
        assert_eq!(made.blocks.iter().filter(|&&b| b as usize == block).count(), size);
    }
    assert!(made.blocks.is_sorted());
    for node in 0..nodes {
        for &other in made.graph.neighbours(node) {
            found[made.blocks[node] as usize][made.blocks[other as usize] as usize] += 1;
        }
    }
    for a in 0..sizes.len() {
        for b in 0..a {
            assert_binomial(found[a][b], sizes[a] * sizes[b], between);
        }
        let pairs = sizes[a] * sizes[a].saturating_sub(1) / 2;
        assert_binomial(found[a][a] / 2, pairs, within);
    }
}

#[test]
fn block_model_at_the_ends_of_probability() {
    let none = stochastic_block_model(&[20, 30], 0.0, 0.0, 1).unwrap();
    assert_eq!(none.graph.edges(), 0);
    let cliques = stochastic_block_model(&[20, 30], 1.0, 0.0, 1).unwrap();
    assert_eq!(cliques.graph.edges(), 20 * 19 / 2 + 30 * 29 / 2);
    let across = stochastic_block_model(&[20, 30], 0.0, 1.0, 1).unwrap();
    assert_eq!(across.graph.edges(), 20 * 30);
    let rare = stochastic_block_model(&[2_000, 2_000], 1e-300, f64::MIN_POSITIVE, 1).unwrap();
    assert_eq!(rare.graph.edges(), 0);
    assert_eq!(stochastic_block_model(&[], 0.5, 0.5, 1).unwrap().graph.nodes(), 0);
}

type Seeded = fn(u64) -> Result<Graph, GraphError>;

#[test]
fn same_seed_same_graph_other_seed_other_graph() {
    let generators: [(&str, Seeded); 6] = [
        ("random_tree", |seed| random_tree(500, seed)),
        ("forest", |seed| forest(500, 7, seed)),
        ("barabasi_albert", |seed| barabasi_albert(500, 3, seed)),
        ("chung_lu", |seed| chung_lu(500, 30_000, 2.5, seed)),
        ("dense chung_lu", |seed| chung_lu(50, 1_200, 2.5, seed)),
        ("stochastic_block_model", |seed| stochastic_block_model(&[250, 250], 0.05, 0.01, seed).map(|made| made.graph)),
    ];
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let three_threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for (name, generator) in generators {
        let first = one_thread.install(|| generator(1)).unwrap();
        assert!(first == three_threads.install(|| generator(1)).unwrap(), "{name}");
        assert!(first != generator(2).unwrap(), "{name}");
    }
}

#[test]
fn impossible_parameters_are_errors_of_one_line() {
    let huge = usize::MAX;
    let cases: [(Result<Graph, GraphError>, &str); 20] = [
        (path(huge), "nodes are too many"),
        (star(huge), "nodes are too many"),
        (grid(huge, 2), "nodes are too many"),
        (random_tree(huge, 1), "nodes are too many"),
        (ring(2), "ring: nodes = 2 is not possible; allowed is 3 or more"),
        (forest(5, 0, 1), "trees = 0 is not possible; allowed is 1 to 5"),
        (forest(5, 6, 1), "trees = 6"),
        (forest(0, 1, 1), "allowed is 0 to 0"),
        (balanced_tree(0, 3), "branching = 0"),
        (balanced_tree(2, 64), "nodes are too many"),
        (balanced_tree(1, huge), "nodes are too many"),
        (barabasi_albert(5, 0, 1), "attachments = 0"),
        (barabasi_albert(5, 5, 1), "attachments = 5"),
        (barabasi_albert(1 << 31, 1 << 30, 1), "entries are too many"),
        (chung_lu(5, 11, 3.0, 1), "edges = 11 is not possible; allowed is 0 to 10"),
        (chung_lu(5, 3, 2.0, 1), "exponent = 2"),
        (chung_lu(5, 3, f64::NAN, 1), "exponent = NaN"),
        (chung_lu(5, huge, 3.0, 1), "entries are too many"),
        (stochastic_block_model(&[5], 1.5, 0.0, 1).map(|made| made.graph), "within = 1.5"),
        (stochastic_block_model(&[1 << 20], 1.0, f64::MIN_POSITIVE, 1).map(|made| made.graph), "entries are too many"),
    ];
    for (case, (result, expected)) in cases.into_iter().enumerate() {
        let message = result.expect_err(expected).to_string();
        assert!(message.contains(expected), "case {case}: {message}");
        assert!(!message.contains('\n'));
    }
    let error = stochastic_block_model(&[huge, huge], 0.0, 0.0, 1).unwrap_err();
    assert!(error.to_string().contains("nodes are too many"));
    let error = stochastic_block_model(&[3, 3], 0.5, f64::NAN, 1).unwrap_err();
    assert!(error.to_string().contains("between = NaN"));
}
