//! The smallest eigenvalues above 0 of the Laplacian of a large connected component.
//!
//! LOBPCG (Knyazev, 2001) in the orthogonal form: every step looks for the best vectors in the space of the present
//! ones, their residuals under an approximate inverse, and the last change. The basis is kept orthonormal, also against
//! the eigenvector of 0, so that nothing breaks down near convergence, and the small problem is a plain one.

use super::component::Component;
use super::dense_eigen::symmetric_eigen;
use super::factor::Factor;
use super::panel::{Panel, Small};
use crate::random::{Stream, mix};

/// Seed of the starting vectors and of the approximate inverse.
const SEED: u64 = 0x6c61_706c;
/// Directions that fall below this share of their length are dropped.
const DROP: f64 = 1e-10;
/// A basis this near to orthonormal is orthonormal after one more correction.
const NEARLY: f64 = 1e-8;

/// The Laplacian `S (D - A) S` of a component: `S = D^-1/2` if normalised, otherwise 1.
pub(super) struct Operator<'a> {
    pub(super) component: &'a Component,
    /// Diagonal of `S`.
    pub(super) scales: Vec<f64>,
    /// The unit eigenvector of 0, proportional to `1 / S`.
    pub(super) null: Vec<f64>,
    /// No eigenvalue is larger.
    pub(super) largest: f64,
}

impl<'a> Operator<'a> {
    pub(super) fn new(component: &'a Component, normalised: bool) -> Self {
        let size = component.size();
        let degrees: Vec<f64> = (0..size).map(|node| component.degree(node) as f64).collect();
        let most = degrees.iter().fold(0.0, |most: f64, &degree| most.max(degree));
        let (scales, weights, largest) = if normalised {
            (degrees.iter().map(|degree| 1.0 / degree.max(1.0).sqrt()).collect(), degrees, 2.0)
        } else {
            (vec![1.0; size], vec![1.0; size], 2.0 * most)
        };
        let sum: f64 = weights.iter().sum();
        let null = weights.iter().map(|weight| (weight / sum.max(1.0)).sqrt()).collect();
        Self { component, scales, null, largest }
    }

    /// `L panel`, by differences along the links: smooth vectors lose no digits.
    pub(super) fn apply(&self, panel: &Panel) -> Panel {
        let width = panel.width();
        let mut scaled = panel.clone();
        scaled.each_row(|row, values| values.iter_mut().for_each(|value| *value *= self.scales[row]));
        Panel::from_rows(panel.rows(), width, |row, values| {
            let own = scaled.row(row);
            for &next in self.component.row(row) {
                for ((value, own), other) in values.iter_mut().zip(own).zip(scaled.row(next as usize)) {
                    *value += own - other;
                }
            }
            values.iter_mut().for_each(|value| *value *= self.scales[row]);
        })
    }

    fn precondition(&self, factor: &Factor, mut residuals: Panel) -> Panel {
        residuals.each_row(|row, values| values.iter_mut().for_each(|value| *value /= self.scales[row]));
        factor.solve(&mut residuals);
        residuals.each_row(|row, values| values.iter_mut().for_each(|value| *value /= self.scales[row]));
        residuals
    }
}

/// When to stop.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) tolerance: f64,
    pub(super) iterations: usize,
}

/// Why it stopped too early.
pub(super) struct Unfinished {
    pub(super) converged: usize,
    pub(super) residual: f64,
}

/// The `count` smallest eigenvalues above 0, ascending, with their unit eigenvectors as rows.
pub(super) fn smallest(
    operator: &Operator<'_>,
    count: usize,
    limits: Limits,
) -> Result<(Vec<f64>, Vec<Vec<f64>>), Unfinished> {
    let size = operator.component.size();
    // Some more than wanted, so that the last ones converge as well; whole vector instructions.
    let block = (count + (count / 2).max(4)).next_multiple_of(4);
    let factor = Factor::new(operator.component, mix(SEED, 1));
    let null = Panel::from_rows(size, 1, |row, values| values[0] = operator.null[row]);
    let start = Panel::from_rows(size, block, |row, values| {
        let mut stream = Stream::new(mix(mix(SEED, 2), row as u64));
        values.iter_mut().for_each(|value| *value = stream.normal());
    });
    // One solve makes the start smooth.
    let mut vectors = orthonormal(operator.precondition(&factor, start), &[&null]);
    let mut changes = Panel::new(size, 0);
    let mut unfinished = Unfinished { converged: 0, residual: f64::INFINITY };
    for iteration in 0..=limits.iterations {
        let mut residuals = operator.apply(&vectors);
        if iteration == 0 {
            let turned = turn(&vectors, &residuals);
            vectors = turned;
            residuals = operator.apply(&vectors);
        }
        let values = rayleigh(&vectors, &residuals);
        let applied = residuals.clone();
        residuals.each_row(|row, residual| {
            for ((residual, value), vector) in residual.iter_mut().zip(&values).zip(vectors.row(row)) {
                *residual -= value * vector;
            }
        });
        let norms = residuals.norms();
        let allowed = |value: f64| limits.tolerance * value + 1e-14 * operator.largest;
        let done: Vec<bool> = norms.iter().zip(&values).map(|(&norm, &value)| norm <= allowed(value)).collect();
        unfinished.converged = done.iter().take(count).filter(|&&done| done).count();
        unfinished.residual = norms.iter().take(count).fold(0.0, |most, &norm| most.max(norm));
        if unfinished.converged == count.min(done.len()) {
            return Ok(finished(&vectors, &values, count));
        }
        let active: Vec<usize> = (0..done.len()).filter(|&at| !done[at]).collect();
        let fresh = operator.precondition(&factor, residuals.columns(&active));
        let fresh = orthonormal(fresh, &[&null, &vectors, &changes]);
        (vectors, changes) = best_in([&vectors, &fresh, &changes], &applied, operator, &active);
    }
    Err(unfinished)
}

fn rayleigh(vectors: &Panel, applied: &Panel) -> Vec<f64> {
    let gram = vectors.gram(applied);
    (0..vectors.width()).map(|at| gram.data[at * gram.columns + at]).collect()
}

fn finished(vectors: &Panel, values: &[f64], count: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let columns = (0..count).map(|at| (0..vectors.rows()).map(|row| vectors.row(row)[at]).collect());
    (values[..count].to_vec(), columns.collect())
}

/// Turns the vectors in their own space to the eigenvectors of the Laplacian there.
fn turn(vectors: &Panel, applied: &Panel) -> Panel {
    let gram = vectors.gram(applied);
    let width = vectors.width();
    let eigen = symmetric_eigen(width, symmetric(width, &gram.data), width);
    combined(&[vectors], &eigen.vectors)
}

fn symmetric(size: usize, data: &[f64]) -> Vec<f64> {
    (0..size * size).map(|at| 0.5 * (data[at] + data[at % size * size + at / size])).collect()
}

/// The best vectors in the space of all parts, and what distinguishes the active ones from the present ones.
fn best_in(parts: [&Panel; 3], applied: &Panel, operator: &Operator<'_>, active: &[usize]) -> (Panel, Panel) {
    let widths = parts.map(Panel::width);
    let size: usize = widths.iter().sum();
    let starts = [0, widths[0], widths[0] + widths[1]];
    let applied = [applied.clone(), operator.apply(parts[1]), operator.apply(parts[2])];
    let mut matrix = vec![0f64; size * size];
    for (left, &row) in starts.iter().enumerate() {
        for (right, &column) in starts.iter().enumerate().take(left + 1) {
            let gram = parts[left].gram(&applied[right]);
            for (at, values) in gram.data.chunks_exact(gram.columns.max(1)).enumerate() {
                matrix[(row + at) * size + column..][..gram.columns].copy_from_slice(values);
            }
        }
    }
    let eigen = symmetric_eigen(size, matrix, widths[0]);
    let mut changes: Vec<Vec<f64>> = Vec::new();
    for &at in active {
        let mut change = eigen.vectors[at].clone();
        change[..widths[0]].fill(0.0);
        let length = norm(&change);
        // Twice is enough for orthogonality to the last digit.
        for _ in 0..2 {
            for other in eigen.vectors.iter().chain(&changes) {
                let product: f64 = change.iter().zip(other).map(|(a, b)| a * b).sum();
                change.iter_mut().zip(other).for_each(|(value, other)| *value -= product * other);
            }
        }
        let left = norm(&change);
        if left > DROP * length.max(DROP) {
            change.iter_mut().for_each(|value| *value /= left);
            changes.push(change);
        }
    }
    (combined(&parts, &eigen.vectors), combined(&parts, &changes))
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// Linear combinations of the columns of all parts, one per row of coefficients.
fn combined(parts: &[&Panel], coefficients: &[Vec<f64>]) -> Panel {
    let rows = parts.first().map_or(0, |part| part.rows());
    let mut sum = Panel::new(rows, coefficients.len());
    let mut start = 0;
    for part in parts {
        let columns = coefficients.len();
        let data = (0..part.width() * columns).map(|at| coefficients[at % columns][start + at / columns]).collect();
        sum.add_product(1.0, part, &Small { columns, data });
        start += part.width();
    }
    sum
}

/// An orthonormal basis of the columns, orthogonal to the `others`; columns that hardly add to the space are dropped.
fn orthonormal(mut panel: Panel, others: &[&Panel]) -> Panel {
    for round in 0..3 {
        let norms = panel.norms();
        panel.each_row(|_, values| {
            for (value, norm) in values.iter_mut().zip(&norms) {
                *value = if *norm > 0.0 { *value / norm } else { 0.0 };
            }
        });
        for other in others {
            let products = other.gram(&panel);
            panel.add_product(-1.0, other, &products);
        }
        let width = panel.width();
        let gram = panel.gram(&panel);
        let eigen = symmetric_eigen(width, symmetric(width, &gram.data), width);
        let most = eigen.values.last().copied().unwrap_or(0.0);
        let drop = if round == 0 { 1e-14 } else { 1e-3 };
        let kept: Vec<Vec<f64>> = eigen
            .values
            .iter()
            .zip(&eigen.vectors)
            .filter(|(value, _)| **value > drop * most && **value > 0.0)
            .map(|(value, vector)| vector.iter().map(|entry| entry / value.sqrt()).collect())
            .collect();
        // An error of 1e-8 before this correction is one of 1e-16 after it.
        let orthonormal = eigen.values.iter().all(|value| (value - 1.0).abs() < NEARLY);
        panel = combined(&[&panel], &kept);
        if orthonormal && round > 0 {
            break;
        }
    }
    panel
}
