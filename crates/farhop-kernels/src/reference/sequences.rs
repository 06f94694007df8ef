//! Operations along ragged sequences, step by step.

use super::Real;
use super::real::{dot, sum};

fn sigmoid<T: Real>(x: T) -> T {
    T::of(1.0) / (T::of(1.0) + (-x).exp())
}

/// `log(1 + e^x)`.
pub fn softplus<T: Real>(x: T) -> T {
    (T::of(1.0) + x.exp()).ln()
}

/// `e_t = softplus(delta_t + bias)`, `h_t = exp(e_t A) h_(t-1) + e_t u_t B_t`, `y_t = (C_t . h_t + D u_t) silu(z_t)`.
/// `arrays` are u, delta `[T, channels]`, A `[channels, S]`, B, C `[T, S]`, D `[channels]`, z `[T, channels]` and bias
/// `[channels]`; z or bias may be empty.
pub fn selective_scan<T: Real>(arrays: &[Vec<T>; 8], offsets: &[usize], channels: usize, states: usize) -> Vec<T> {
    let [u, delta, a, b, c, d, z, bias] = arrays;
    let mut y = vec![T::of(0.0); u.len()];
    for sequence in offsets.windows(2) {
        for channel in 0..channels {
            let rates = &a[channel * states..(channel + 1) * states];
            let mut state = vec![T::of(0.0); states];
            for t in sequence[0]..sequence[1] {
                let at = t * channels + channel;
                let shift = bias.get(channel).copied().unwrap_or(T::of(0.0));
                let size = softplus(delta[at] + shift);
                for s in 0..states {
                    state[s] = (size * rates[s]).exp() * state[s] + size * u[at] * b[t * states + s];
                }
                let read = dot(&state, &c[t * states..(t + 1) * states]) + d[channel] * u[at];
                y[at] = if z.is_empty() { read } else { read * z[at] * sigmoid(z[at]) };
            }
        }
    }
    y
}

/// `y_t = bias + sum over w of weight[:, w] x_(t - W + 1 + w)`, zeros before the start of a sequence: x and y `[T, D]`,
/// weight `[D, W]`, bias `[D]`.
pub fn causal_convolution<T: Real>(x: &[T], weight: &[T], bias: &[T], offsets: &[usize]) -> Vec<T> {
    let channels = bias.len();
    let taps = weight.len() / channels;
    let mut y = Vec::new();
    for sequence in offsets.windows(2) {
        for t in sequence[0]..sequence[1] {
            for channel in 0..channels {
                let first = (sequence[0] + taps - 1).saturating_sub(t).min(taps);
                let term = |w: usize| weight[channel * taps + w] * x[(t + 1 + w - taps) * channels + channel];
                y.push(bias[channel] + sum((first..taps).map(term)));
            }
        }
    }
    y
}

/// A long short-term memory in both directions over a list of L arrays `[N, F]`, one sequence for every row:
/// `[N, L, 2 M]`. `directions` are w_in `[4 M, F]`, w_rec `[4 M, M]`, b_in and b_rec `[4 M]` of each.
pub fn lstm<T: Real>(list: &[Vec<T>], width: usize, directions: [&[Vec<T>]; 2]) -> Vec<T> {
    let tanh = |x: T| T::of(2.0) * sigmoid(x + x) - T::of(1.0);
    let states = directions[0][2].len() / 4;
    let (rows, length) = (list[0].len() / width, list.len());
    let mut y = vec![T::of(0.0); rows * length * 2 * states];
    for (direction, weights) in directions.into_iter().enumerate() {
        for row in 0..rows {
            let (mut hidden, mut cell) = (vec![T::of(0.0); states], vec![T::of(0.0); states]);
            for step in 0..length {
                let l = if direction == 0 { step } else { length - 1 - step };
                let x = &list[l][row * width..(row + 1) * width];
                let gate = |at: usize| {
                    let [w_in, w_rec] = [(&weights[0], width), (&weights[1], states)];
                    let part = |(w, width): (&Vec<T>, usize)| w[at * width..(at + 1) * width].to_vec();
                    dot(&part(w_in), x) + weights[2][at] + dot(&part(w_rec), &hidden) + weights[3][at]
                };
                let gates: Vec<T> = (0..4 * states).map(gate).collect();
                for s in 0..states {
                    let [i, f, g, o] = [0, 1, 2, 3].map(|at| gates[at * states + s]);
                    cell[s] = sigmoid(f) * cell[s] + sigmoid(i) * tanh(g);
                    hidden[s] = sigmoid(o) * tanh(cell[s]);
                    y[((row * length + l) * 2 + direction) * states + s] = hidden[s];
                }
            }
        }
    }
    y
}
