//! The dense pieces written out in f64, forward only: gradients are compared with finite differences of these.

use super::{Activation, Dropout};

/// `x W + b`.
pub fn matmul(x: &[f64], weight: &[f64], bias: Option<&[f64]>, rows: usize, inputs: usize, outputs: usize) -> Vec<f64> {
    let mut y = vec![0.0; rows * outputs];
    for r in 0..rows {
        for o in 0..outputs {
            let mut sum = bias.map_or(0.0, |b| b[o]);
            for i in 0..inputs {
                sum += x[r * inputs + i] * weight[i * outputs + o];
            }
            y[r * outputs + o] = sum;
        }
    }
    y
}

/// The activation of one number.
pub fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Gelu => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            0.5 * x * (1.0 + inner.tanh())
        }
        Activation::GeluExact => 0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2)),
        Activation::Elu => {
            if x > 0.0 {
                x
            } else {
                x.exp_m1()
            }
        }
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
        Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::LeakyRelu => {
            if x < 0.0 {
                0.01 * x
            } else {
                x
            }
        }
    }
}

/// `erf(x) = 2 / sqrt(pi) exp(-x^2) sum over n of 2^n x^(2n + 1) / (2n + 1)!!`: no term is subtracted from another.
pub fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp() * sum
}

/// `residual + dropout(activation(z))`, `[rows, width]`.
pub fn finish(z: &[f64], residual: Option<&[f64]>, width: usize, activation: Activation, dropout: Dropout) -> Vec<f64> {
    z.iter()
        .enumerate()
        .map(|(at, &value)| {
            let factor = f64::from(dropout.factor(at / width, at % width));
            residual.map_or(0.0, |r| r[at]) + factor * activate(activation, value)
        })
        .collect()
}

/// `gamma (x - mean) / sqrt(var + epsilon) + beta` with the mean and variance of each row.
pub fn layer_norm(x: &[f64], gamma: &[f64], beta: &[f64], epsilon: f64) -> Vec<f64> {
    let width = gamma.len();
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks_exact(width) {
        let mean = row.iter().sum::<f64>() / width as f64;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / width as f64;
        for c in 0..width {
            y.push(gamma[c] * (row[c] - mean) / (variance + epsilon).sqrt() + beta[c]);
        }
    }
    y
}

/// Mean and variance of each column.
pub fn column_statistics(x: &[f64], width: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = (x.len() / width) as f64;
    let column = |c: usize| x.iter().skip(c).step_by(width);
    let mean: Vec<f64> = (0..width).map(|c| column(c).sum::<f64>() / rows).collect();
    let variance = (0..width).map(|c| column(c).map(|v| (v - mean[c]) * (v - mean[c])).sum::<f64>() / rows).collect();
    (mean, variance)
}

/// `gamma (x - mean) / sqrt(variance + epsilon) + beta`, mean and variance per column as given.
pub fn batch_norm(x: &[f64], gamma: &[f64], beta: &[f64], mean: &[f64], variance: &[f64], epsilon: f64) -> Vec<f64> {
    let width = gamma.len();
    x.iter()
        .enumerate()
        .map(|(at, v)| {
            let c = at % width;
            gamma[c] * (v - mean[c]) / (variance[c] + epsilon).sqrt() + beta[c]
        })
        .collect()
}

/// Mean over the chosen rows of `log sum exp - logit of the class`, weighed by the class if there are weights.
pub fn cross_entropy(logits: &[f64], width: usize, rows: &[u32], classes: &[u32], weights: Option<&[f64]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (&row, &class) in rows.iter().zip(classes) {
        let row = &logits[row as usize * width..(row as usize + 1) * width];
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weight = weights.map_or(1.0, |weights| weights[class as usize]);
        sum += weight * (most + row.iter().map(|v| (v - most).exp()).sum::<f64>().ln() - row[class as usize]);
        total += weight;
    }
    if total == 0.0 { 0.0 } else { sum / total }
}

/// `-t log p - (1 - t) log(1 - p)` with `p = 1 / (1 + exp(-z))`, as it is written: no large numbers, please.
pub fn binary_cross_entropy(z: f64, target: f64) -> f64 {
    let p = 1.0 / (1.0 + (-z).exp());
    -target * p.ln() - (1.0 - target) * (1.0 - p).ln()
}

/// Mean of `loss(z, t)` over the targets `[rows, width]` that are known.
pub fn element_loss(
    loss: impl Fn(f64, f64) -> f64,
    outputs: &[f64],
    width: usize,
    rows: &[u32],
    targets: &[f64],
) -> f64 {
    let (mut sum, mut known) = (0.0, 0.0);
    for (r, &row) in rows.iter().enumerate() {
        for c in 0..width {
            let target = targets[r * width + c];
            if !target.is_nan() {
                sum += loss(outputs[row as usize * width + c], target);
                known += 1.0;
            }
        }
    }
    if known == 0.0 { 0.0 } else { sum / known }
}

/// Mean over pairs of the binary cross-entropy of `x_i . x_j`.
pub fn pair_loss(x: &[f64], width: usize, pairs: &[[u32; 2]], together: &[bool]) -> f64 {
    let mut sum = 0.0;
    for (&[i, j], &together) in pairs.iter().zip(together) {
        let score: f64 = (0..width).map(|c| x[i as usize * width + c] * x[j as usize * width + c]).sum();
        sum += binary_cross_entropy(score, if together { 1.0 } else { 0.0 });
    }
    sum / pairs.len().max(1) as f64
}

/// `x + relu(x W1 + b1) W2 + b2`.
pub fn feed_forward(x: &[f64], w1: &[f64], b1: &[f64], w2: &[f64], b2: &[f64]) -> Vec<f64> {
    let (width, hidden) = (b2.len(), b1.len());
    let rows = x.len() / width;
    let inner: Vec<f64> = matmul(x, w1, Some(b1), rows, width, hidden).into_iter().map(|v| v.max(0.0)).collect();
    let outer = matmul(&inner, w2, Some(b2), rows, hidden, width);
    x.iter().zip(outer).map(|(x, y)| x + y).collect()
}
