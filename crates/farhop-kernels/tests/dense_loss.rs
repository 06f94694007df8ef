//! Cross-entropy and the feed-forward block against their literal versions in f64.

mod dense_support;

use dense_support::{assert_close, assert_same_on_any_threads, differences, normal, weighted, wide};
use farhop_graph::random::Stream;
use farhop_kernels::dense::cross_entropy::Labels;
use farhop_kernels::dense::feed_forward::Parameters;
use farhop_kernels::dense::{cross_entropy, feed_forward, reference};

fn labels<'a>(rows: &'a [u32], classes: &'a [u32]) -> Labels<'a> {
    Labels { rows, classes, weights: None, of_rows: None }
}

#[test]
fn cross_entropy_matches_the_reference() {
    for (nodes, width, chosen) in [(4, 1, 2), (5, 3, 5), (30, 7, 12), (8, 40, 3)] {
        let logits: Vec<f32> = normal(nodes * width, 1).iter().map(|v| 3.0 * v).collect();
        let mut stream = Stream::new(2);
        // With replacement: a row may be listed twice.
        let rows: Vec<u32> = (0..chosen).map(|_| stream.below(nodes as u64) as u32).collect();
        let classes: Vec<u32> = (0..chosen).map(|_| stream.below(width as u64) as u32).collect();
        let loss = |logits: &[f64]| reference::cross_entropy(logits, width, &rows, &classes, None);
        let found = cross_entropy::forward(&logits, width, labels(&rows, &classes));
        assert_close("loss", &[found], &[loss(&wide(&logits))], 1e-5);
        let mut gradient = vec![f32::NAN; logits.len()];
        cross_entropy::backward(&logits, width, labels(&rows, &classes), 2.5, &mut gradient);
        let expected = differences(&wide(&logits), |logits| 2.5 * loss(logits));
        assert_close("gradient", &gradient, &expected, 1e-4);
    }
}

#[test]
fn huge_logits_give_finite_losses() {
    let logits = [1e30, -1e30, 0.0, 500.0, -500.0, 3.0];
    let loss = cross_entropy::forward(&logits, 3, labels(&[0, 1], &[0, 0]));
    assert!(loss.abs() < 1e-6, "{loss}");
    let mut gradient = [f32::NAN; 6];
    cross_entropy::backward(&logits, 3, labels(&[0, 1], &[0, 0]), 1.0, &mut gradient);
    assert!(gradient.iter().all(|g| g.abs() < 1e-6), "{gradient:?}");
}

#[test]
fn no_rows_no_loss() {
    let mut gradient = [f32::NAN; 4];
    assert_eq!(cross_entropy::forward(&[1.0; 4], 2, labels(&[], &[])), 0.0);
    cross_entropy::backward(&[1.0; 4], 2, labels(&[], &[]), 1.0, &mut gradient);
    assert_eq!(gradient, [0.0; 4]);
}

#[test]
fn not_a_number_is_not_hidden() {
    assert!(cross_entropy::forward(&[1.0, f32::NAN, 0.0], 3, labels(&[0], &[0])).is_nan());
}

struct Block {
    x: Vec<f32>,
    w1: Vec<f32>,
    b1: Vec<f32>,
    w2: Vec<f32>,
    b2: Vec<f32>,
    dy: Vec<f32>,
}

fn block(rows: usize, width: usize, hidden: usize) -> Block {
    let scaled = |count: usize, seed, by: usize| {
        normal(count, seed).iter().map(|v| v / (by as f32).sqrt()).collect::<Vec<f32>>()
    };
    Block {
        x: normal(rows * width, 1),
        w1: scaled(width * hidden, 2, width),
        b1: normal(hidden, 3),
        w2: scaled(hidden * width, 4, hidden),
        b2: normal(width, 5),
        dy: normal(rows * width, 6),
    }
}

impl Block {
    fn parameters(&self) -> Parameters<'_> {
        Parameters { w1: &self.w1, b1: &self.b1, w2: &self.w2, b2: &self.b2 }
    }
}

#[test]
fn feed_forward_matches_the_reference() {
    for (rows, width, hidden) in [(1, 1, 1), (6, 3, 8), (20, 8, 5), (700, 4, 6)] {
        let b = block(rows, width, hidden);
        let all = [&b.x, &b.w1, &b.b1, &b.w2, &b.b2].map(|v| wide(v));
        let run = |all: &[Vec<f64>; 5]| reference::feed_forward(&all[0], &all[1], &all[2], &all[3], &all[4]);
        let mut y = vec![f32::NAN; b.x.len()];
        feed_forward::forward(&b.x, b.parameters(), rows, &mut y);
        assert_close("y", &y, &run(&all), 1e-5);
        if rows > 100 {
            continue;
        }
        let mut dx = vec![f32::NAN; b.x.len()];
        let g = feed_forward::backward(&b.x, b.parameters(), &b.dy, rows, &mut dx);
        for (i, found) in [&dx, &g.w1, &g.b1, &g.w2, &g.b2].into_iter().enumerate() {
            let expected = differences(&all[i], |at| {
                let mut all = all.clone();
                all[i] = at.to_vec();
                weighted(&run(&all), &b.dy)
            });
            assert_close(["dx", "dw1", "db1", "dw2", "db2"][i], found, &expected, 1e-4);
        }
    }
}

#[test]
fn feed_forward_in_tiles_is_the_sum_over_rows() {
    let (rows, width, hidden) = (700, 4, 6);
    let b = block(rows, width, hidden);
    let mut dx = vec![0.0; b.x.len()];
    let whole = feed_forward::backward(&b.x, b.parameters(), &b.dy, rows, &mut dx);
    let mut sum = vec![0.0f64; whole.w1.len()];
    let mut rows_dx = Vec::new();
    for r in 0..rows {
        let mut row = vec![0.0; width];
        let range = r * width..(r + 1) * width;
        let one = feed_forward::backward(&b.x[range.clone()], b.parameters(), &b.dy[range], 1, &mut row);
        sum.iter_mut().zip(one.w1).for_each(|(s, v)| *s += f64::from(v));
        rows_dx.extend(row);
    }
    assert_close("dw1", &whole.w1, &sum, 1e-5);
    assert_close("dx", &dx, &wide(&rows_dx), 1e-5);
}

#[test]
fn threads_do_not_change_a_bit() {
    let rows = 12_345;
    let b = block(rows, 16, 32);
    let logits = normal(rows * 40, 9);
    let chosen: Vec<u32> = (0..rows as u32).collect();
    let classes: Vec<u32> = chosen.iter().map(|r| r % 40).collect();
    assert_same_on_any_threads("loss and feed-forward", || {
        let mut y = vec![0.0; b.x.len()];
        feed_forward::forward(&b.x, b.parameters(), rows, &mut y);
        let mut dx = vec![0.0; b.x.len()];
        let g = feed_forward::backward(&b.x, b.parameters(), &b.dy, rows, &mut dx);
        let mut gradient = vec![0.0; logits.len()];
        cross_entropy::backward(&logits, 40, labels(&chosen, &classes), 1.0, &mut gradient);
        let loss = vec![cross_entropy::forward(&logits, 40, labels(&chosen, &classes))];
        [y, dx, g.w1, g.b1, g.w2, g.b2, gradient, loss].concat()
    });
}
