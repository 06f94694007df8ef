//! Helpers shared by the tests of the dense pieces.
#![allow(dead_code)]

use farhop_graph::random::Stream;

/// Normal numbers from a seed.
pub fn normal(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = Stream::new(seed);
    (0..count).map(|_| stream.normal() as f32).collect()
}

/// The same numbers in f64.
pub fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

/// Fails unless the two agree to `tolerance` relative to the largest number.
pub fn assert_close(what: &str, found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    let scale = expected.iter().fold(1e-3, |most: f64, v| most.max(v.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        let difference = (f64::from(*f) - e).abs();
        assert!(difference <= tolerance * scale, "{what}[{i}]: {f} instead of {e} (scale {scale})");
    }
}

/// Central differences of `loss` at `at`.
pub fn differences(at: &[f64], loss: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let step = 1e-5;
    let mut point = at.to_vec();
    (0..at.len())
        .map(|i| {
            point[i] = at[i] + step;
            let above = loss(&point);
            point[i] = at[i] - step;
            let below = loss(&point);
            point[i] = at[i];
            (above - below) / (2.0 * step)
        })
        .collect()
}

/// `sum of values * weights`: a loss whose gradient with respect to the values is `weights`.
pub fn weighted(values: &[f64], weights: &[f32]) -> f64 {
    values.iter().zip(weights).map(|(v, w)| v * f64::from(*w)).sum()
}

/// Runs `task` in pools of 1, 2, 3 and 8 threads and fails unless all results have the same bits.
pub fn assert_same_on_any_threads(what: &str, task: impl Fn() -> Vec<f32> + Send + Sync) {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&task).into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == one, "{what}: {threads} threads differ from 1");
    }
}
