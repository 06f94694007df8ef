//! Attention along a list of edges against its literal version, and on any number of threads.

mod edge_support;

use edge_support::*;
use farhop_graph::random::Stream;
use farhop_kernels::edges::clamped::{self as kernel, EdgeList, Inputs, Settings};
use farhop_kernels::heads::Heads;
use farhop_kernels::reference::edges as reference;

/// Edges with repeats and loops; the first `own` have rows of their own, the rest share two.
fn edges(nodes: usize, count: usize, own: usize, seed: u64) -> Vec<(u32, u32, u32)> {
    let mut stream = Stream::new(seed);
    let mut node = || stream.below(nodes as u64) as u32;
    (0..count).map(|x| (node(), node(), if x < own { x } else { own + x % 2 } as u32)).collect()
}

#[test]
fn matches_the_literal_version() {
    for (nodes, count, own, width, heads) in [(6, 20, 8, 8, 2), (5, 12, 0, 6, 3), (4, 0, 0, 4, 1), (9, 40, 40, 16, 4)] {
        let rows = edges(nodes, count, own, 1);
        let list = EdgeList::new(nodes, &rows, own, 2);
        let heads = Heads::new(width, heads);
        // A small limit, so that some scores are clamped.
        let settings = Settings { heads, scale: 0.7, limit: 1.0, epsilon: 1e-6 };
        let [q, k, v, dy] = [2, 3, 4, 5].map(|seed| normal(nodes * width, seed));
        let f = normal((own + 2) * width, 6);
        let inputs = Inputs { q: &q, k: &k, v: &v, f: &f };
        let (mut y, mut inverse) = (unwritten(q.len()), unwritten(nodes * heads.count));
        kernel::forward(&list, &settings, inputs, &mut y, &mut inverse);
        let found = kernel::backward(&list, &settings, inputs, &y, &inverse, &dy);
        let numbers = [f64::from(0.7f32), 1.0, f64::from(1e-6f32)];
        let literal = |inputs: &[Vec<_>]| {
            let [q, k, v, f] = [0, 1, 2, 3].map(|at: usize| &inputs[at][..]);
            reference::clamped_attention(&rows, heads, numbers, [q, k, v, f])
        };
        let gradients: [&[f32]; 4] = [&found.q, &found.k, &found.v, &found.f];
        compare(&format!("{nodes}, {count}"), &[&q, &k, &v, &f], literal, &y, &dy, &gradients);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (nodes, width) = (500, 16);
    let rows = edges(nodes, 9000, 3000, 7);
    let list = EdgeList::new(nodes, &rows, 3000, 2);
    let settings = Settings { heads: Heads::new(width, 2), scale: 0.3, limit: 5.0, epsilon: 1e-6 };
    let [q, k, v, dy] = [2, 3, 4, 5].map(|seed| normal(nodes * width, seed));
    let f = normal(3002 * width, 6);
    assert_same_on_any_threads("edge list attention", || {
        let inputs = Inputs { q: &q, k: &k, v: &v, f: &f };
        let (mut y, mut inverse) = (unwritten(q.len()), unwritten(nodes * 2));
        kernel::forward(&list, &settings, inputs, &mut y, &mut inverse);
        let found = kernel::backward(&list, &settings, inputs, &y, &inverse, &dy);
        [y, found.q, found.k, found.v, found.f].concat()
    });
}
