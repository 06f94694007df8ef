//! The smoothest functions on graphs: eigenvectors of Laplacians.

use rayon::prelude::*;

use super::component::{Component, components_of};
use super::dense_eigen::symmetric_eigen;
use super::sparse_eigen::{Limits, Operator, smallest};
use crate::error::GraphError;
use crate::graph_set::GraphSet;

/// Components of up to this many nodes are solved as dense matrices.
const DENSE_NODES: usize = 256;
/// Larger components too if more than one in so many of their eigenvectors are wanted.
const DENSE_SHARE: usize = 6;
/// Entries this near to the largest share its place in the choice of the sign, whatever their rounding.
const SIGN_TIE: f64 = 1e-6;

/// Which Laplacian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaplacianKind {
    /// `I - D^-1/2 A D^-1/2`; its eigenvalues lie in `[0, 2]`. The row of an isolated node is 0.
    #[default]
    Normalised,
    /// `D - A`.
    Unnormalised,
}

/// How eigenvectors are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaplacianOptions {
    /// Which Laplacian; the normalised one unless told.
    pub kind: LaplacianKind,
    /// An eigenvector of a large component is done when `|L v - lambda v| <= tolerance * lambda` (and a little for
    /// rounding); 1e-6 unless told. Small components are solved to the last digits.
    pub tolerance: f64,
    /// Iterations for a large component before it is given up; 500 unless told.
    pub iterations: usize,
}

impl Default for LaplacianOptions {
    fn default() -> Self {
        Self { kind: LaplacianKind::default(), tolerance: 1e-6, iterations: 500 }
    }
}

/// Eigenvalues and eigenvectors of the graphs of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Laplacian {
    /// `[N, count]`: `vectors[i * count + k]` is the entry of node `i` in eigenvector `k` of its graph. Columns that
    /// a graph does not have are 0.
    pub vectors: Vec<f32>,
    /// `[G, count]`: the eigenvalues of every graph, ascending. Those it does not have are 0, which tells them apart:
    /// real ones are above 0.
    pub values: Vec<f32>,
    /// Number of columns.
    pub count: usize,
}

/// For every graph the `count` smallest eigenvalues above 0 of its Laplacian, with unit eigenvectors.
///
/// The eigenvalue 0 belongs to functions that are constant (times `sqrt(d)`) on every connected component. It occurs
/// once per component, says nothing about places inside it, and is left out altogether. Elsewhere (PyG, GraphGPS) only
/// the very first eigenvector of a graph is left out; for connected graphs that is the same. A graph of `n` nodes and
/// `c` components has `n - c` further eigenvectors; if that is less than `count`, zeros fill up.
///
/// Every eigenvector lives on one component and is 0 on the others. Repeated eigenvalues come as often as they
/// occur, with orthonormal eigenvectors, of which there are then many equally good choices. An entry of
/// the largest magnitude, the first such, is positive. Edges of directed graphs count both ways.
///
/// # How
/// Components of up to 256 nodes as dense matrices; larger ones by LOBPCG with an approximate Cholesky factor, in
/// memory of about `(100 count + 50 links per node) * 8` bytes per node at most.
///
/// # Errors
/// [`GraphError::NotConverged`] if a large component does not reach the tolerance.
pub fn laplacian_eigenvectors(
    set: &GraphSet,
    count: usize,
    options: &LaplacianOptions,
) -> Result<Laplacian, GraphError> {
    let mut vectors = vec![0f32; set.union().nodes() * count];
    let mut values = vec![0f32; set.len() * count];
    if count > 0 {
        let mut parts = Vec::with_capacity(set.len());
        let mut rest = vectors.as_mut_slice();
        for g in 0..set.len() {
            let (part, others) = rest.split_at_mut(set.nodes_of(g).len() * count);
            parts.push(part);
            rest = others;
        }
        parts
            .into_par_iter()
            .zip(values.par_chunks_exact_mut(count))
            .enumerate()
            .try_for_each(|(g, (vectors, values))| fill_graph(set, g, options, vectors, values))?;
    }
    Ok(Laplacian { vectors, values, count })
}

fn fill_graph(
    set: &GraphSet,
    g: usize,
    options: &LaplacianOptions,
    vectors: &mut [f32],
    values: &mut [f32],
) -> Result<(), GraphError> {
    let nodes = set.nodes_of(g);
    let count = values.len();
    let components = components_of(set.union(), nodes.clone());
    let mut found: Vec<(f64, usize, Vec<f64>)> = Vec::new();
    for (at, component) in components.iter().enumerate() {
        let (values, vectors) = component_eigen(component, count, options, g)?;
        found.extend(values.into_iter().zip(vectors).map(|(value, vector)| (value, at, vector)));
        // Keeps no more than can be wanted, however many components there are.
        if found.len() > 8 * count {
            found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            found.truncate(count);
        }
    }
    // The sort is stable: within a component the order stays.
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (column, (value, component, vector)) in found.into_iter().take(count).enumerate() {
        values[column] = value as f32;
        let sign = sign_of(&vector);
        for (&node, entry) in components[component].nodes.iter().zip(vector) {
            vectors[(node as usize - nodes.start) * count + column] = (sign * entry) as f32;
        }
    }
    Ok(())
}

/// The sign that makes the largest entry, the first of those, positive.
fn sign_of(vector: &[f64]) -> f64 {
    let most = vector.iter().fold(0f64, |most, entry| most.max(entry.abs()));
    let first = vector.iter().find(|entry| entry.abs() >= most * (1.0 - SIGN_TIE));
    if first.is_some_and(|&entry| entry < 0.0) { -1.0 } else { 1.0 }
}

/// Eigenvalues, and one vector for each.
type Pairs = (Vec<f64>, Vec<Vec<f64>>);

fn component_eigen(
    component: &Component,
    count: usize,
    options: &LaplacianOptions,
    graph: usize,
) -> Result<Pairs, GraphError> {
    let count = count.min(component.size() - 1);
    if count == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let operator = Operator::new(component, options.kind == LaplacianKind::Normalised);
    if component.size() <= DENSE_NODES.max(DENSE_SHARE * count) {
        return Ok(dense(&operator, count));
    }
    let limits = Limits { tolerance: options.tolerance, iterations: options.iterations };
    smallest(&operator, count, limits).map_err(|unfinished| GraphError::NotConverged {
        graph,
        nodes: component.size(),
        converged: unfinished.converged,
        count,
        residual: unfinished.residual,
        iterations: options.iterations,
    })
}

/// As a dense matrix, in which the eigenvalue 0 is moved above all others.
fn dense(operator: &Operator<'_>, count: usize) -> Pairs {
    let (component, scales) = (operator.component, &operator.scales);
    let size = component.size();
    let away = 1.5 * operator.largest;
    let mut matrix = vec![0f64; size * size];
    for row in 0..size {
        let entries = &mut matrix[row * size..(row + 1) * size];
        for (entry, null) in entries.iter_mut().zip(&operator.null) {
            *entry = away * operator.null[row] * null;
        }
        entries[row] += component.degree(row) as f64 * scales[row] * scales[row];
        for &next in component.row(row) {
            entries[next as usize] -= scales[row] * scales[next as usize];
        }
    }
    let mut eigen = symmetric_eigen(size, matrix, count);
    eigen.values.truncate(count);
    (eigen.values, eigen.vectors)
}
