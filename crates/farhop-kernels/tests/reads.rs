//! What a node reads, against the literal propagation of every unit vector in f64.

mod common;

use common::{Problem, assert_close, f32s, normals};
use farhop_graph::Direction;
use farhop_kernels::elimination::{Mode, Reading};
use farhop_kernels::heads::Heads;
use farhop_kernels::reference::elimination::propagate;
use farhop_kernels::reference::hop_attention as literal_hops;
use farhop_kernels::{gen_layer, hop_attention};

const WIDTH: usize = 6;
const ROUNDS: usize = 4;
/// The graph is larger than what a node sees.
const NODES: usize = 40;

struct Case {
    heads: usize,
    reading: Reading,
    mode: Mode,
    include_self: bool,
    gamma: f32,
    /// Edge attention, and whether in every round; none: given coefficients of one set.
    attention: Option<bool>,
    with_query: bool,
    direction: Direction,
}

fn cases() -> Vec<Case> {
    let plain = || Case {
        heads: 1,
        reading: Reading::Increment,
        mode: Mode::Exact,
        include_self: false,
        gamma: 0.5,
        attention: Some(true),
        with_query: true,
        direction: Direction::Undirected,
    };
    vec![
        plain(),
        Case { heads: 3, include_self: true, gamma: 0.0, ..plain() },
        Case { reading: Reading::Cumulative, heads: 2, ..plain() },
        Case { reading: Reading::Cumulative, attention: Some(false), include_self: true, ..plain() },
        Case { attention: None, with_query: false, gamma: 1.0, ..plain() },
        Case { attention: None, reading: Reading::Cumulative, direction: Direction::Directed, ..plain() },
        Case { mode: Mode::SelfLoop, reading: Reading::Cumulative, heads: 2, ..plain() },
        Case { mode: Mode::None, reading: Reading::Cumulative, gamma: 0.75, ..plain() },
        Case { mode: Mode::None, ..plain() },
    ]
}

#[test]
fn reads_are_those_of_the_literal_propagation_and_add_up_to_the_mixed_hops() {
    for (number, case) in cases().into_iter().enumerate() {
        let heads = Heads::new(WIDTH, case.heads);
        let graph = common::random_graph(NODES, 52, case.direction, 4);
        let seed = 8 + number as u64;
        let problem = match case.attention {
            Some(each) => Problem::attention(graph, ROUNDS, heads, case.mode, each, seed),
            None => Problem::given(graph, ROUNDS, heads, case.mode, 1, seed),
        };
        // Queries are z W_Q W_K^T, with keys as wide as a head.
        let key = WIDTH / case.heads;
        let round = |values: Vec<f64>| common::f64s(&f32s(&values));
        let wq = round(normals(WIDTH * case.heads * key, 0.5, 51));
        let wk = round(normals(WIDTH * key, 0.5, 52));
        let query = literal_query(heads, key, &problem.z, &wq, &wk);

        let inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|values| values.to_vec()).collect();
        let rounds = problem.literal_rounds(&inputs);
        let states = if case.mode == Mode::SelfLoop { &rounds.increments } else { &rounds.states };
        let mut hops = if case.reading == Reading::Cumulative { states.clone() } else { rounds.increments.clone() };
        if case.include_self {
            hops.insert(0, problem.z.clone());
        }
        let gamma = f64::from(case.gamma);
        let asked = case.with_query.then_some(&query[..]);
        let (mixed, beta) = literal_hops::mix(heads, &hops, asked, None, gamma, 1e-6, 0.7);

        // Unit vectors of all nodes, one channel a head, under the coefficients that were used.
        let narrow = Heads::new(case.heads, case.heads);
        let unit_increments: Vec<Vec<Vec<f64>>> = (0..NODES)
            .map(|node| {
                let mut unit = vec![0.0; NODES * case.heads];
                unit[node * case.heads..(node + 1) * case.heads].fill(1.0);
                let used = |k: usize, _: &[f64]| rounds.coefficients[k - 1].clone();
                propagate(&problem.graph, narrow, ROUNDS, case.mode, &unit, used).increments
            })
            .collect();

        let (wq, wk) = (f32s(&wq), f32s(&wk));
        let config = gen_layer::Config {
            elimination: problem.config,
            hops: hop_attention::Config {
                heads,
                reading: case.reading,
                include_self: case.include_self,
                gamma: case.gamma,
                epsilon: 1e-6,
                scale: 0.7,
            },
            outputs: WIDTH,
            recompute: false,
        };
        let query_key = case.with_query.then_some((&wq[..], &wk[..]));
        let weights = gen_layer::Weights { query_key, hop_bias: None, value: None, residual: None };
        for i in [0, 7, 23, NODES - 1] {
            let found =
                problem.with_source(|source, z| gen_layer::reads(&problem.graph, &config, source, &weights, z, i));
            let mut expected = vec![0.0; NODES * case.heads * (ROUNDS + 1)];
            for head in 0..case.heads {
                let first = usize::from(!case.include_self);
                let factor = |k: usize| match k.checked_sub(first) {
                    None => 0.0,
                    Some(place) => {
                        let hop = &hops[place][i * WIDTH..(i + 1) * WIDTH];
                        let norm = hop.iter().map(|v| v * v).sum::<f64>().sqrt();
                        beta[(i * case.heads + head) * hops.len() + place] * (norm + 1e-6).powf(-gamma)
                    }
                };
                let own = |k: usize| rounds.coefficients[k - 1].node[i * case.heads + head];
                for k in 0..=ROUNDS {
                    // A state holds increment k after its own coefficients of the rounds between.
                    let through = match case.reading {
                        Reading::Cumulative if case.mode != Mode::SelfLoop => {
                            (k..=ROUNDS).map(|state| factor(state) * (k + 1..=state).map(own).product::<f64>()).sum()
                        }
                        _ => factor(k),
                    };
                    for (node, increments) in unit_increments.iter().enumerate() {
                        let walks = match k {
                            0 => f64::from(u8::from(node == i)),
                            _ => increments[k - 1][i * case.heads + head],
                        };
                        expected[(node * case.heads + head) * (ROUNDS + 1) + k] = through * walks;
                    }
                }
            }
            assert_close(&format!("case {number}, node {i}"), &found, &expected, 2e-5);
            // The sum rule: weights times features are what the layer mixed.
            let mut sum = vec![0.0f64; WIDTH];
            for (node, weights) in found.chunks_exact(case.heads * (ROUNDS + 1)).enumerate() {
                for (head, weights) in weights.chunks_exact(ROUNDS + 1).enumerate() {
                    let weight: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
                    heads.range(head).for_each(|c| sum[c] += weight * problem.z[node * WIDTH + c]);
                }
            }
            assert_close(
                &format!("sum of case {number}, node {i}"),
                &f32s(&sum),
                &mixed[i * WIDTH..(i + 1) * WIDTH],
                5e-5,
            );
        }
    }
}

fn literal_query(heads: Heads, key: usize, z: &[f64], wq: &[f64], wk: &[f64]) -> Vec<f64> {
    let mut query = vec![0.0; z.len()];
    let count = heads.count;
    for (row, out) in z.chunks_exact(WIDTH).zip(query.chunks_exact_mut(WIDTH)) {
        for head in 0..count {
            for channel in heads.range(head) {
                for c in 0..key {
                    let projected: f64 = (0..WIDTH).map(|f| row[f] * wq[f * count * key + head * key + c]).sum();
                    out[channel] += projected * wk[channel * key + c];
                }
            }
        }
    }
    query
}

/// With every coefficient 1 on a chain, hop k of a node is the nodes at distance k, each with the weight of its hop.
#[test]
fn a_chain_is_read_by_distance() {
    let rows: Vec<(u32, u32)> = (0..6).map(|node| (node, node + 1)).collect();
    let graph = farhop_graph::build(7, &rows, Direction::Undirected).unwrap().graph;
    let heads = Heads::new(2, 1);
    let (edge, node) = (vec![1.0; graph.entries()], vec![1.0; 7]);
    let given = farhop_kernels::elimination::Coefficients { rounds: 1, edge: &edge, node: &node };
    let config = gen_layer::Config {
        elimination: farhop_kernels::elimination::Config {
            rounds: 4,
            heads,
            mode: Mode::Exact,
            skip_negligible: true,
            storage: farhop_kernels::elimination::Storage::Full,
        },
        hops: hop_attention::Config {
            heads,
            reading: Reading::Increment,
            include_self: false,
            gamma: 0.0,
            epsilon: 1e-6,
            scale: 1.0,
        },
        outputs: 2,
        recompute: false,
    };
    let weights = gen_layer::Weights { query_key: None, hop_bias: None, value: None, residual: None };
    let source = farhop_kernels::elimination::Source::Given(given);
    let found = gen_layer::reads(&graph, &config, &source, &weights, &[1.0; 14], 1);
    for (other, row) in found.chunks_exact(5).enumerate() {
        let distance = other.abs_diff(1);
        for (hop, weight) in row.iter().enumerate() {
            let expected = if hop == distance && (1..=4).contains(&hop) { 0.25 } else { 0.0 };
            assert_eq!(*weight, expected, "node {other}, hop {hop}");
        }
    }
}
