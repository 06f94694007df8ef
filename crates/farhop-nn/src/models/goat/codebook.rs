//! A codebook that follows what it has seen: running k-means with exponential averages.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::Stream;

use crate::ops::{self, bridge};
use crate::{Context, init};

/// Added to sizes and to variances.
const EPSILON: f64 = 1e-5;

/// Share of a batch in the running statistics.
const MOMENTUM: f64 = 0.1;

/// Rows whose distances are alive at once.
const BLOCK: usize = 1024;

/// M centroids of rows with `width` channels. Nothing of it is trained by gradients.
#[derive(Module, Debug)]
pub(super) struct Codebook {
    /// In the space of rows with mean 0 and variance 1, `[M, width]`.
    centroids: Param<Tensor<2>>,
    /// The same in the space of the rows themselves.
    values: Param<Tensor<2>>,
    /// Averages of the sums of rows that were near, `[M, width]`, and of how many there were, `[M]`.
    sums: Param<Tensor<2>>,
    sizes: Param<Tensor<1>>,
    /// How many rows of the last batch were near, `[M]`.
    used: Param<Tensor<1>>,
    running_mean: Param<Tensor<1>>,
    running_variance: Param<Tensor<1>>,
    #[module(skip)]
    decay: f64,
}

impl Codebook {
    /// Normal centroids that have seen one row each.
    pub fn init(count: usize, width: usize, decay: f32, seed: u64) -> Self {
        let mut stream = Stream::new(seed);
        let start: Vec<f32> = (0..count * width).map(|_| stream.normal() as f32).collect();
        let matrix = || {
            let tensor: Tensor<2> = bridge::from_vec(start.clone(), [count, width]);
            Param::from_tensor(tensor).set_require_grad(false)
        };
        let vector = |width, value| init::constant(width, value).set_require_grad(false);
        Codebook {
            centroids: matrix(),
            values: matrix(),
            sums: matrix(),
            sizes: vector(count, 1.0),
            used: vector(count, 1.0),
            running_mean: vector(width, 0.0),
            running_variance: vector(width, 1.0),
            decay: f64::from(decay),
        }
    }

    /// Numbers that it stores.
    pub fn size(count: usize, width: usize) -> usize {
        count * (3 * width + 2) + 2 * width
    }

    /// What attention reads, `[M, width]`.
    pub fn values(&self) -> Tensor<2> {
        self.values.val()
    }

    /// The logarithm of how many rows a centroid stands for, `[M]`; minus infinity if there are none.
    pub fn log_counts(&self) -> Tensor<1> {
        let counts = bridge::into_vec(self.used.val());
        let width = counts.len();
        bridge::from_vec(counts.into_iter().map(f32::ln).collect(), [width])
    }

    /// Lets the codebook follow `rows` `[N, width]` once this step has succeeded.
    pub fn follow(&self, rows: &Tensor<2>, context: &Context) {
        let [count, width] = rows.dims();
        if !context.is_training() || count == 0 {
            return;
        }
        let (mean, variance) = bridge::with_slice(rows, |rows| statistics(rows, width));
        let scaled = |column: usize| 1.0 / (variance[column] + EPSILON).sqrt();
        let scales: Vec<f64> = (0..width).map(scaled).collect();
        let whiten = |(at, value): (usize, &f32)| ((f64::from(*value) - mean[at % width]) * scales[at % width]) as f32;
        let white: Vec<f32> = bridge::with_slice(rows, |rows| rows.iter().enumerate().map(whiten).collect());
        let nearest = self.nearest(&white, width);
        let mut used = vec![0.0f64; self.used.dims()[0]];
        let mut near = vec![0.0f64; used.len() * width];
        for (&centroid, row) in nearest.iter().zip(white.chunks_exact(width)) {
            used[centroid] += 1.0;
            let sum = &mut near[centroid * width..(centroid + 1) * width];
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        let mut sizes = blend(bridge::into_vec(self.sizes.val()), &used, 1.0 - self.decay);
        let total: f64 = sizes.iter().sum();
        let all = total + sizes.len() as f64 * EPSILON;
        sizes.iter_mut().for_each(|size| *size = (*size + EPSILON) / all * total);
        let sums = blend(bridge::into_vec(self.sums.val()), &near, 1.0 - self.decay);
        // Of unseen rows, so divided by one row less.
        let unbiased = count as f64 / count.saturating_sub(1).max(1) as f64;
        let variance: Vec<f64> = variance.iter().map(|variance| variance * unbiased).collect();
        let mean = blend(bridge::into_vec(self.running_mean.val()), &mean, MOMENTUM);
        let variance = blend(bridge::into_vec(self.running_variance.val()), &variance, MOMENTUM);
        let centroids: Vec<f64> = sums.iter().enumerate().map(|(at, sum)| sum / sizes[at / width]).collect();
        let back = |(at, value): (usize, &f64)| value * (variance[at % width] + EPSILON).sqrt() + mean[at % width];
        let values: Vec<f64> = centroids.iter().enumerate().map(back).collect();
        let stored = [
            (self.centroids.id, centroids),
            (self.values.id, values),
            (self.sums.id, sums),
            (self.sizes.id, sizes),
            (self.used.id, used),
            (self.running_mean.id, mean),
            (self.running_variance.id, variance),
        ];
        for (id, value) in stored {
            context.update(id, value.into_iter().map(|value| value as f32).collect());
        }
    }

    /// The nearest centroid of every row.
    fn nearest(&self, rows: &[f32], width: usize) -> Vec<usize> {
        let centroids = bridge::into_vec(self.centroids.val());
        let count = centroids.len() / width;
        // |w - e|² = |w|² - 2 w . e + |e|², where the first is the same for all centroids.
        let turned = |at: usize| -2.0 * centroids[at % count * width + at / count];
        let map: Tensor<2> = bridge::from_vec((0..centroids.len()).map(turned).collect(), [width, count]);
        let square = |centroid: &[f32]| centroid.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>() as f32;
        let squares: Tensor<1> = bridge::from_vec(centroids.chunks_exact(width).map(square).collect(), [count]);
        let mut nearest = Vec::with_capacity(rows.len() / width);
        for block in rows.chunks(BLOCK * width) {
            let block: Tensor<2> = bridge::from_vec(block.to_vec(), [block.len() / width, width]);
            let distances = bridge::into_vec(ops::linear(block, map.clone(), Some(squares.clone())));
            nearest.extend(distances.chunks_exact(count).map(|row| {
                let smaller = |best: usize, at: usize| if row[at] < row[best] { at } else { best };
                (1..count).fold(0, smaller)
            }));
        }
        nearest
    }
}

/// Mean and variance of every column.
fn statistics(rows: &[f32], width: usize) -> (Vec<f64>, Vec<f64>) {
    let count = (rows.len() / width) as f64;
    let mut mean = vec![0.0; width];
    rows.iter().enumerate().for_each(|(at, value)| mean[at % width] += f64::from(*value) / count);
    let mut variance = vec![0.0; width];
    for (at, value) in rows.iter().enumerate() {
        variance[at % width] += (f64::from(*value) - mean[at % width]).powi(2) / count;
    }
    (mean, variance)
}

/// `(1 - share) old + share new`.
fn blend(old: Vec<f32>, new: &[f64], share: f64) -> Vec<f64> {
    old.into_iter().zip(new).map(|(old, new)| (1.0 - share) * f64::from(old) + share * new).collect()
}
