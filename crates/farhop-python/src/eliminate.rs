//! The elimination by itself for PyTorch, with coefficients that are given: forward and backward over the memory of its tensors. Numbers of
//! 64 bits go through the literal rounds, as in [`layer`](crate::layer).

use farhop_graph::Graph as Structure;
use farhop_kernels::elimination::{self, Coefficients, Config, Mode, Reading, RowGradient, Source, Storage};
use farhop_kernels::heads::Heads;
use pyo3::prelude::*;

use crate::arrays::{Number, View, array, view};
use crate::errors::Failure;
use crate::graph::Graph;
use crate::layer::{Kept, is_double};
use crate::literal;
use crate::threads::compute;

/// What is eliminated over: a graph, rows of nodes and coefficients that belong to it.
struct Rounds<'a, T> {
    graph: &'a Structure,
    /// `[N, F]`.
    x: View<'a, T>,
    /// `[sets, E]`.
    edge: &'a [T],
    /// `[sets, N]`.
    node: &'a [T],
    rounds: usize,
    /// How many sets of coefficients there are: one for all rounds, or one for each.
    sets: usize,
}

impl<'a, T: Number> Rounds<'a, T> {
    /// Looks into the arrays, and refuses those that do not belong together.
    fn read(
        graph: &'a Structure,
        x: &'a Bound<'_, PyAny>,
        edge: &'a Bound<'_, PyAny>,
        node: &'a Bound<'_, PyAny>,
        rounds: usize,
    ) -> PyResult<Self> {
        let (x, edge, node) = (view::<T>(x, "x")?, view::<T>(edge, "coefficients")?, view::<T>(node, "own")?);
        let (nodes, entries) = (graph.nodes(), graph.entries());
        if !(1..=64).contains(&rounds) {
            return Err(Failure::setting(format!("rounds is {rounds}: give 1 to 64.")).into());
        }
        if x.shape.len() != 2 || x.rows() != nodes {
            return Err(Failure::data(format!("x has shape {:?}; [{nodes}, channels] is needed.", x.shape)).into());
        }
        let fits = |sets: usize| edge.data.len() == sets * entries && node.data.len() == sets * nodes;
        let Some(sets) = [1, rounds].into_iter().find(|sets| fits(*sets)) else {
            return Err(Failure::data(format!(
                "coefficients has shape {:?} and those of nodes {:?}; one for each edge and node is needed, or for each round.",
                edge.shape, node.shape
            ))
            .into());
        };
        Ok(Rounds { graph, x, edge: edge.data, node: node.data, rounds, sets })
    }

    /// Of the increments or states of all rounds.
    fn shape(&self) -> [usize; 3] {
        [self.rounds, self.graph.nodes(), self.x.columns()]
    }

    /// The gradient of what has that shape.
    fn gradient(&self, gradient: &'a Bound<'_, PyAny>) -> PyResult<&'a [T]> {
        let gradient = view::<T>(gradient, "gradient")?;
        match gradient.data.len() == self.shape().iter().product::<usize>() {
            true => Ok(gradient.data),
            false => Err(Failure::data(format!("gradient has shape {:?}.", gradient.shape)).into()),
        }
    }
}

impl Rounds<'_, f32> {
    fn config(&self) -> Config {
        let heads = Heads::new(self.x.columns(), 1);
        Config { rounds: self.rounds, heads, mode: Mode::Exact, skip_negligible: true, storage: Storage::Full }
    }

    fn coefficients(&self) -> Coefficients<'_> {
        Coefficients { rounds: self.sets, edge: self.edge, node: self.node }
    }
}

/// Rounds of elimination with given coefficients: `[rounds, N, F]` increments or states, and what the backward pass needs.
#[pyfunction]
#[pyo3(signature = (graph, x, edge, node, rounds, cumulative, keep, threads))]
pub fn eliminate<'py>(
    py: Python<'py>,
    graph: &Graph,
    x: &Bound<'py, PyAny>,
    edge: &Bound<'py, PyAny>,
    node: &Bound<'py, PyAny>,
    rounds: usize,
    cumulative: bool,
    keep: bool,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyAny>, Option<Kept>)> {
    let graph = &graph.parts().built.graph;
    if is_double(x)? {
        let given = Rounds::<f64>::read(graph, x, edge, node, rounds)?;
        let Rounds { x, edge, node, .. } = &given;
        let found = compute(py, threads, || {
            Ok(literal::eliminate(graph, x.data, x.columns(), edge, node, rounds, cumulative))
        })?;
        return Ok((array(py, found, &given.shape())?, keep.then(|| Kept::new(None, Vec::new()))));
    }
    let given = Rounds::<f32>::read(graph, x, edge, node, rounds)?;
    let (found, kept) = compute(py, threads, || {
        let (config, coefficients) = (given.config(), given.coefficients());
        let kept = elimination::forward(graph, &config, &Source::Given(coefficients), given.x.data);
        let found = match cumulative {
            true => elimination::cumulative(&config, &coefficients, given.x.data, &kept.increments),
            false => kept.increments.concat(),
        };
        Ok((found, kept))
    })?;
    Ok((array(py, found, &given.shape())?, keep.then(|| Kept::new(Some(kept), Vec::new()))))
}

/// The gradients of x, of the coefficients of entries and of those of nodes.
#[pyfunction]
#[pyo3(signature = (graph, x, edge, node, rounds, cumulative, kept, gradient, threads))]
pub fn eliminate_backward<'py>(
    py: Python<'py>,
    graph: &Graph,
    x: &Bound<'py, PyAny>,
    edge: &Bound<'py, PyAny>,
    node: &Bound<'py, PyAny>,
    rounds: usize,
    cumulative: bool,
    kept: &Kept,
    gradient: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let graph = &graph.parts().built.graph;
    if is_double(x)? {
        let given = Rounds::<f64>::read(graph, x, edge, node, rounds)?;
        let gradient = given.gradient(gradient)?;
        let found = compute(py, threads, || {
            let arrays = (given.x.data, given.x.columns(), given.edge, given.node);
            Ok(literal::eliminate_backward(graph, arrays, rounds, cumulative, gradient))
        })?;
        return flat(py, found);
    }
    let given = Rounds::<f32>::read(graph, x, edge, node, rounds)?;
    let gradient = given.gradient(gradient)?;
    let [_, nodes, width] = given.shape();
    let (rounds_kept, _) = kept.take();
    let found = compute(py, threads, || {
        let (config, source) = (given.config(), Source::Given(given.coefficients()));
        let kept = rounds_kept.unwrap_or_else(|| elimination::forward(graph, &config, &source, given.x.data));
        let rows = || -> RowGradient<'_> {
            Box::new(move |i: usize, block: &mut [f32]| {
                for (round, place) in block.chunks_exact_mut(width).enumerate() {
                    place.copy_from_slice(&gradient[(round * nodes + i) * width..(round * nodes + i + 1) * width]);
                }
            })
        };
        let reading = if cumulative { Reading::Cumulative } else { Reading::Increment };
        Ok(elimination::backward(graph, &config, &source, given.x.data, kept, reading, &rows))
    })?;
    // The gradient of a node's own coefficient comes for every round, also where the coefficients are the same in all.
    let own = match given.sets {
        1 => sum_of(&found.node, nodes),
        _ => found.node,
    };
    flat(py, [found.z, found.edge, own])
}

/// Each as an array of one axis.
fn flat<'py, T: Number>(py: Python<'py>, found: impl IntoIterator<Item = Vec<T>>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let one = |data: Vec<T>| {
        let length = data.len();
        array(py, data, &[length])
    };
    found.into_iter().map(one).collect()
}

/// `[rounds, size]` to `[size]`, in the order of the rounds.
fn sum_of(rounds: &[f32], size: usize) -> Vec<f32> {
    let mut sum = vec![0.0; size];
    for round in rounds.chunks_exact(size.max(1)) {
        sum.iter_mut().zip(round).for_each(|(sum, value)| *sum += value);
    }
    sum
}
