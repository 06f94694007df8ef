//! Hops and positional encodings by themselves.

use farhop_data::entry_rows::spread;
use farhop_graph::GraphSet;
use farhop_graph::encodings::{LaplacianOptions, laplacian_eigenvectors, walk_return};
use farhop_nn::{EliminationKind, HopCoefficients, HopFeatures, Hops};
use farhop_train::memory::{self, bytes_text};
use pyo3::prelude::*;

use crate::arrays::{array, view};
use crate::errors::Failure;
use crate::graph::Graph;
use crate::threads::compute;

/// The most rounds.
const MOST_ROUNDS: usize = 1024;

/// The elimination alone: increments and states, `[rounds, nodes, features]`.
#[pyfunction]
#[pyo3(signature = (graph, x, rounds, coefficients, weights, elimination, own, threads))]
pub fn hops<'py>(
    py: Python<'py>,
    graph: &Graph,
    x: &Bound<'py, PyAny>,
    rounds: usize,
    coefficients: &str,
    weights: Option<Bound<'py, PyAny>>,
    elimination: &str,
    own: Option<f32>,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let x = view::<f32>(x, "x")?;
    let parts = graph.parts();
    let structure = &parts.built.graph;
    let wrong = |text: String| PyErr::from(Failure::setting(text));
    if !(1..=MOST_ROUNDS).contains(&rounds) {
        return Err(wrong(format!("rounds is {rounds}: give 1 to 1,024.")));
    }
    if own.is_some_and(|own| !own.is_finite()) {
        return Err(wrong("self_coefficient must be a finite number.".to_string()));
    }
    if x.shape.len() != 2 || x.rows() != structure.nodes() {
        let text =
            format!("x has shape {:?}; [{}, features] is needed: a row for each node.", x.shape, structure.nodes());
        return Err(Failure::data(text).into());
    }
    let coefficients = match (coefficients, weights) {
        ("ones", _) => HopCoefficients::Ones,
        ("gcn", _) => HopCoefficients::Gcn,
        (_, Some(weights)) => {
            let rows = view::<f32>(&weights, "coefficients")?;
            if rows.data.len() != parts.built.entry_of_row.len() || rows.data.iter().any(|weight| !weight.is_finite()) {
                let text = format!(
                    "coefficients has shape {:?}; one finite number for each of the {} rows of edges is needed.",
                    rows.shape,
                    parts.built.entry_of_row.len()
                );
                return Err(Failure::data(text).into());
            }
            HopCoefficients::Given(spread(&parts.built, 1, rows.data, 0.0).values)
        }
        (other, None) => {
            return Err(wrong(format!("coefficients is \"{other}\": give \"ones\", \"gcn\" or an array.")));
        }
    };
    let kind = EliminationKind::WORDS.iter().position(|word| *word == elimination);
    let elimination = match kind {
        Some(0) => EliminationKind::Exact,
        Some(1) => EliminationKind::SelfLoop,
        Some(_) => EliminationKind::None,
        None => {
            let known = EliminationKind::WORDS.join(", ");
            return Err(wrong(format!("elimination is \"{elimination}\": one of {known} is needed.")));
        }
    };
    let asked = HopFeatures { rounds, elimination, coefficients, own };
    let (width, data) = (x.columns(), x.data);
    let Hops { increments, cumulative } = compute(py, threads, || {
        let needs = asked.bytes(structure, width);
        if let Some(limit) = memory::available().filter(|limit| needs > limit.bytes) {
            return Err(Failure::memory(format!(
                "these hops need {} and {} are available ({}). Use fewer rounds or features.",
                bytes_text(needs),
                bytes_text(limit.bytes),
                limit.source
            )));
        }
        asked.compute(structure, width, data).map_err(|round| {
            Failure::data(format!(
                "round {round} leaves the range of 32-bit numbers. Use fewer rounds, or coefficients = \"gcn\"."
            ))
        })
    })?;
    let shape = [rounds, structure.nodes(), width];
    Ok((array(py, increments, &shape)?, array(py, cumulative, &shape)?))
}

/// Probabilities that a random walk is back after 1, 2, ... `length` steps, `[nodes, length]`.
#[pyfunction]
#[pyo3(signature = (graph, length, threads))]
pub fn random_walk_encoding<'py>(
    py: Python<'py>,
    graph: &Graph,
    length: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let structure = &graph.parts().built.graph;
    let found = compute(py, threads, || {
        check_size("length", length, structure.nodes())?;
        Ok(walk_return(&GraphSet::single(structure.clone()), length))
    })?;
    array(py, found, &[structure.nodes(), length])
}

/// The smallest non-trivial eigenvectors of the normalised Laplacian, `[nodes, count]`, and their eigenvalues.
#[pyfunction]
#[pyo3(signature = (graph, count, threads))]
pub fn laplacian_encoding<'py>(
    py: Python<'py>,
    graph: &Graph,
    count: usize,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let structure = &graph.parts().built.graph;
    let found = compute(py, threads, || {
        check_size("count", count, structure.nodes())?;
        Ok(laplacian_eigenvectors(&GraphSet::single(structure.clone()), count, &LaplacianOptions::default())?)
    })?;
    Ok((array(py, found.vectors, &[structure.nodes(), count])?, array(py, found.values, &[count])?))
}

/// As many columns as recipes allow.
fn check_size(name: &str, size: usize, nodes: usize) -> Result<(), Failure> {
    if !(1..=MOST_ROUNDS).contains(&size) {
        return Err(Failure::setting(format!("{name} is {size}: give 1 to 1,024.")));
    }
    let needs = 4 * (nodes as u64) * size as u64;
    match memory::available().filter(|limit| needs > limit.bytes) {
        Some(limit) => Err(Failure::memory(format!(
            "this encoding needs {} and {} are available ({}). Give a smaller {name}.",
            bytes_text(needs),
            bytes_text(limit.bytes),
            limit.source
        ))),
        None => Ok(()),
    }
}
