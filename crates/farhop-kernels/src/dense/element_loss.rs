//! Losses of single numbers on chosen rows: `loss = mean of l(z_rc, t_rc)` over all targets that are known, weighed by the rows if they have
//! weights: `sum of w_r l(z_rc, t_rc) / sum of w_r`.
//!
//! A target that is not a number (NaN) is missing: it adds nothing to the loss, to the mean's denominator and to the gradient.

use super::scatter::{row_of, scatter};
use super::tiles::Tiles;

/// The loss of one number z towards its target t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ElementLoss {
    /// `log(1 + exp(z)) - t z`: cross-entropy of a yes with probability `1 / (1 + exp(-z))`; t in [0, 1].
    Binary,
    /// `|z - t|`; slope 0 where they agree.
    Absolute,
    /// `(z - t)^2`.
    Square,
    /// `(z - t)^2 / 2` up to a distance of delta, `delta (|z - t| - delta / 2)` beyond.
    Huber {
        /// Where the square ends, above 0.
        delta: f64,
    },
}

impl ElementLoss {
    /// The loss of one number.
    pub fn value(self, z: f64, target: f64) -> f64 {
        let distance = (z - target).abs();
        match self {
            // No exponent is above 0, so nothing overflows.
            ElementLoss::Binary => z.max(0.0) + nan_of(z) - target * z + (-z.abs()).exp().ln_1p(),
            ElementLoss::Absolute => distance,
            ElementLoss::Square => distance * distance,
            ElementLoss::Huber { delta } if distance > delta => delta * (distance - 0.5 * delta),
            ElementLoss::Huber { .. } => 0.5 * distance * distance,
        }
    }

    /// Its derivative by z.
    pub fn slope(self, z: f64, target: f64) -> f64 {
        let difference = z - target;
        match self {
            ElementLoss::Binary => sigmoid(z) - target,
            ElementLoss::Absolute if difference == 0.0 => 0.0,
            ElementLoss::Absolute => difference.signum(),
            ElementLoss::Square => 2.0 * difference,
            ElementLoss::Huber { delta } => difference.clamp(-delta, delta),
        }
    }
}

/// 0, or NaN for NaN: `max` would hide it.
fn nan_of(z: f64) -> f64 {
    if z.is_nan() { f64::NAN } else { 0.0 }
}

/// `1 / (1 + exp(-z))` without an overflow.
pub(super) fn sigmoid(z: f64) -> f64 {
    let small = (-z.abs()).exp();
    if z < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
}

/// The rows that count, and what they should be.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// Rows of the outputs; a row that is listed twice counts twice.
    pub rows: &'a [u32],
    /// `[rows, width]`, NaN where unknown.
    pub values: &'a [f32],
    /// A weight per listed row, not negative: a row of weight 2 counts like one that is listed twice.
    pub weights: Option<&'a [f32]>,
}

impl Values<'_> {
    fn weight(&self, r: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[r]))
    }

    /// Number of known targets, each counted with the weight of its row; 1 where nothing counts.
    fn total(&self, width: usize) -> f64 {
        assert_eq!(self.values.len(), self.rows.len() * width, "targets must be [rows, width]");
        let known = |r: usize| self.values[r * width..(r + 1) * width].iter().filter(|value| !value.is_nan()).count();
        let total: f64 = (0..self.rows.len()).map(|r| self.weight(r) * known(r) as f64).sum();
        if total > 0.0 { total } else { 1.0 }
    }
}

/// The mean loss; 0 if no target is known or has a weight above 0. `outputs` is `[N, width]`.
///
/// # Panics
/// If a row is out of range, or there are not `width` targets a row.
pub fn forward(loss: ElementLoss, outputs: &[f32], width: usize, targets: Values) -> f32 {
    let total = targets.total(width);
    let parts = Tiles::elementwise(targets.rows.len(), width).map(|tile| {
        let mut sum = 0.0f64;
        for r in tile {
            let row = row_of(outputs, width, targets.rows[r]);
            let wanted = &targets.values[r * width..(r + 1) * width];
            let pairs = row.iter().zip(wanted).filter(|(_, target)| !target.is_nan());
            let own = pairs.map(|(z, target)| loss.value(f64::from(*z), f64::from(*target))).sum::<f64>();
            sum += targets.weight(r) * own;
        }
        sum
    });
    (parts.into_iter().sum::<f64>() / total) as f32
}

/// Writes `gradient = scale d loss / d outputs`, `[N, width]`: zero outside of the chosen rows.
///
/// # Panics
/// If a row is out of range, or there are not `width` targets a row.
pub fn backward(loss: ElementLoss, outputs: &[f32], width: usize, targets: Values, scale: f32, gradient: &mut [f32]) {
    let share = f64::from(scale) / targets.total(width);
    let parts = Tiles::elementwise(targets.rows.len(), width).map(|tile| {
        let mut part = Vec::with_capacity(tile.len() * width);
        for r in tile {
            let row = row_of(outputs, width, targets.rows[r]);
            let wanted = &targets.values[r * width..(r + 1) * width];
            let share = share * targets.weight(r);
            part.extend(row.iter().zip(wanted).map(|(z, target)| {
                let slope = || share * loss.slope(f64::from(*z), f64::from(*target));
                if target.is_nan() { 0.0 } else { slope() as f32 }
            }));
        }
        part
    });
    scatter(targets.rows, &parts, width, gradient);
}

/// Bytes that [`backward`] allocates while it runs.
pub fn bytes(rows: usize, width: usize) -> usize {
    rows * width * size_of::<f32>()
}
