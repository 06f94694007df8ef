//! The sparse-dense product against its literal version in f64, with weights, self weights and shift present or not.

mod dense_support;

use dense_support::{assert_close, assert_same_on_any_threads, differences, normal, weighted, wide};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build};
use farhop_kernels::spmm::{self, Weights, reference};

fn random_graph(nodes: usize, rows: usize, direction: Direction, seed: u64) -> Graph {
    let mut stream = Stream::new(seed);
    let mut node = || stream.below(nodes as u64) as u32;
    let rows: Vec<(u32, u32)> = (0..rows).map(|_| (node(), node())).collect();
    build(nodes, &rows, direction).unwrap().graph
}

fn graphs() -> Vec<Graph> {
    let star: Vec<(u32, u32)> = (1..60).map(|leaf| (0, leaf)).collect();
    vec![
        build(1, &[], Direction::Undirected).unwrap().graph,
        build(4, &[], Direction::Directed).unwrap().graph,
        build(60, &star, Direction::Undirected).unwrap().graph,
        random_graph(12, 30, Direction::Undirected, 1),
        random_graph(12, 30, Direction::Directed, 2),
    ]
}

#[test]
fn matches_the_reference_with_and_without_weights() {
    for graph in graphs() {
        for width in [1, 3, 64, 70] {
            let x = normal(graph.nodes() * width, 1);
            let entries = normal(graph.entries(), 2);
            let nodes = normal(graph.nodes(), 3);
            let shift = normal(width, 4);
            for choice in 0..8 {
                let entries = (choice & 1 != 0).then_some(entries.as_slice());
                let nodes = (choice & 2 != 0).then_some(nodes.as_slice());
                let shift = (choice & 4 != 0).then_some(shift.as_slice());
                let mut y = vec![f32::NAN; x.len()];
                spmm::forward(&graph, Weights { entries, nodes }, shift, &x, width, &mut y);
                let (e, n) = (entries.map(wide), nodes.map(wide));
                let mut expected = reference::forward(&graph, e.as_deref(), n.as_deref(), &wide(&x), width);
                if let Some(shift) = shift {
                    expected.iter_mut().enumerate().for_each(|(at, y)| *y += f64::from(shift[at % width]));
                }
                assert_close("y", &y, &expected, 1e-5);
            }
        }
    }
}

#[test]
fn gradients_match_differences() {
    for graph in graphs() {
        let width = 3;
        let x = normal(graph.nodes() * width, 1);
        let entries = normal(graph.entries(), 2);
        let nodes = normal(graph.nodes(), 3);
        let dy = normal(graph.nodes() * width, 4);
        let all = [wide(&x), wide(&entries), wide(&nodes)];
        let loss = |all: &[Vec<f64>; 3]| {
            weighted(&reference::forward(&graph, Some(&all[1]), Some(&all[2]), &all[0], width), &dy)
        };
        let mut dx = vec![f32::NAN; x.len()];
        spmm::backward(&graph, Weights { entries: Some(&entries), nodes: Some(&nodes) }, &dy, width, &mut dx);
        let mut dw = vec![f32::NAN; entries.len()];
        let mut ds = vec![f32::NAN; nodes.len()];
        spmm::backward_weights(&graph, &x, &dy, width, Some(&mut dw), Some(&mut ds));
        for (i, found) in [&dx, &dw, &ds].into_iter().enumerate() {
            let expected = differences(&all[i], |at| {
                let mut all = all.clone();
                all[i] = at.to_vec();
                loss(&all)
            });
            assert_close(["dx", "dw", "ds"][i], found, &expected, 1e-4);
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for direction in [Direction::Undirected, Direction::Directed] {
        let graph = random_graph(4000, 30_000, direction, 5);
        let width = 40;
        let x = normal(graph.nodes() * width, 1);
        let entries = normal(graph.entries(), 2);
        let weights = Weights { entries: Some(&entries), nodes: None };
        assert_same_on_any_threads("spmm", || {
            let mut y = vec![0.0; x.len()];
            spmm::forward(&graph, weights, None, &x, width, &mut y);
            let mut dx = vec![0.0; x.len()];
            spmm::backward(&graph, weights, &y, width, &mut dx);
            let mut dw = vec![0.0; entries.len()];
            spmm::backward_weights(&graph, &x, &y, width, Some(&mut dw), None);
            [y, dx, dw].concat()
        });
    }
}
