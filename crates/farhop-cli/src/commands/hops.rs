//! `farhop hops`: the elimination alone, hop by hop, without training.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_data::npy::read_matrix;
use farhop_data::npz::write_npz;
use farhop_data::{EdgeOptions, EdgeTable, FeatureScaling, Fill, NoFeatures, NodeIds, NodeTableOptions, NodeTables};
use farhop_graph::Graph;
use farhop_kernels::allocator;
use farhop_nn::{EliminationKind, HopFeatures, Hops};
use farhop_train::memory::{self, bytes_text};
use serde_json::json;

use crate::arguments::{HopCoefficients, HopElimination, HopsArguments};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::Output;

/// What the rounds start from.
struct Start {
    ids: Vec<String>,
    graph: Graph,
    features: Vec<f32>,
    width: usize,
    /// The weight of every entry, when weights are the coefficients.
    weights: Option<Vec<f32>>,
    self_loops: usize,
}

/// Runs the command.
pub fn run(arguments: &HopsArguments, console: &Console) -> Result<ExitCode, Failure> {
    if arguments.self_coefficient.is_some_and(|number| !number.is_finite()) {
        return Err(Failure::usage("--self-coefficient must be a finite number."));
    }
    let out = Output::new("--out", &arguments.out, arguments.overwrite)?;
    let read = [Some(&arguments.edges), arguments.nodes.as_ref(), arguments.features.as_ref()];
    out.spares(read.into_iter().flatten().map(PathBuf::as_path))?;
    let start = match (&arguments.nodes, &arguments.features) {
        (Some(nodes), _) => from_tables(nodes, arguments, console)?,
        (None, Some(features)) => from_array(features, arguments)?,
        (None, None) => {
            return Err(Failure::usage(
                "--nodes or --features is missing: give the features of the nodes, as a CSV table or as npy.",
            ));
        }
    };
    if start.self_loops > 0 {
        console.warning(&format!(
            "{}: {} self-loops are set apart; the coefficient of a node itself is --self-coefficient",
            arguments.edges.display(),
            start.self_loops
        ));
    }
    let Start { ids, graph, features, width, weights, .. } = start;
    let rounds = arguments.rounds as usize;
    let features_of_hops = HopFeatures {
        rounds,
        elimination: elimination(arguments.elimination),
        coefficients: coefficients(arguments.coefficients, weights),
        own: arguments.self_coefficient,
    };
    check_memory(&features_of_hops, &graph, width)?;
    allocator::doing(&"computing hops");

    let Hops { increments, cumulative } =
        features_of_hops.compute(&graph, width, &features).map_err(|round| {
            Failure::failed(format!(
                "round {round} leaves the range of 32-bit numbers. Pass fewer --rounds, or --coefficients gcn. Nothing was written."
            ))
        })?;
    let shape = [rounds, graph.nodes(), width];
    write_npz(&arguments.out, |npz| {
        npz.f32("increments", &shape, &increments)?;
        npz.f32("cumulative", &shape, &cumulative)?;
        npz.text("ids", &ids)
    })?;
    let object = json!({
        "out": arguments.out,
        "rounds": rounds,
        "nodes": graph.nodes(),
        "edges": graph.edges(),
        "features": width,
        "directed": graph.is_directed(),
        "coefficients": arguments.coefficients.name(),
        "elimination": arguments.elimination.name(),
    });
    console.result(&object, || {
        format!("{} (increments and cumulative {rounds} x {} x {width}, ids)", arguments.out.display(), graph.nodes())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn from_tables(nodes: &Path, arguments: &HopsArguments, console: &Console) -> Result<Start, Failure> {
    let table = &arguments.table;
    let options = NodeTableOptions {
        id: table.id.clone(),
        ignore: table.ignore.clone(),
        ignore_edges: table.ignore_edges.clone(),
        categories: table.category.clone(),
        fill: table.fill.unwrap_or(Fill::Error),
        scaling: FeatureScaling::None,
        no_features: NoFeatures::One,
        directed: table.directed,
        add_missing_nodes: table.add_missing_nodes,
        ..NodeTableOptions::default()
    };
    let (tables, weights) = if arguments.coefficients == HopCoefficients::Given {
        let (tables, weights) = NodeTables::load_weighted(nodes, &arguments.edges, &options)?;
        (tables, Some(weights))
    } else {
        (NodeTables::load(nodes, &arguments.edges, &options)?, None)
    };
    let NodeTables { dataset, summary, .. } = tables;
    for note in &dataset.notes {
        console.message(&format!("note: {note}"));
    }
    let width = dataset.nodes.width;
    let features = dataset.nodes.numbers.into_dense()?;
    let (ids, graph) = (dataset.ids, dataset.graphs.into_union());
    Ok(Start { ids, graph, features, width, weights, self_loops: summary.self_loops })
}

fn from_array(path: &Path, arguments: &HopsArguments) -> Result<Start, Failure> {
    let matrix = read_matrix(path)?;
    let name = path.display().to_string();
    let rows = NodeIds::Rows { count: matrix.rows, file: &name };
    let weighted = arguments.coefficients == HopCoefficients::Given;
    let options = EdgeOptions { directed: arguments.table.directed, weights: weighted };
    let edges = EdgeTable::open(&arguments.edges, rows, options)?;
    Ok(Start {
        ids: (0..matrix.rows).map(|row| row.to_string()).collect(),
        weights: edges.entry_weights(),
        self_loops: edges.built.report.self_loops,
        graph: edges.built.graph,
        features: matrix.values,
        width: matrix.columns,
    })
}

fn elimination(asked: HopElimination) -> EliminationKind {
    match asked {
        HopElimination::Exact => EliminationKind::Exact,
        HopElimination::SelfLoop => EliminationKind::SelfLoop,
        HopElimination::None => EliminationKind::None,
    }
}

fn coefficients(asked: HopCoefficients, weights: Option<Vec<f32>>) -> farhop_nn::HopCoefficients {
    match (asked, weights) {
        (HopCoefficients::Given, Some(weights)) => farhop_nn::HopCoefficients::Given(weights),
        (HopCoefficients::Gcn, _) => farhop_nn::HopCoefficients::Gcn,
        _ => farhop_nn::HopCoefficients::Ones,
    }
}

/// Refuses what can't fit: the features, both results, the coefficients and the working space of the rounds.
fn check_memory(hops: &HopFeatures, graph: &Graph, width: usize) -> Result<(), Failure> {
    let needed = |rounds: usize| HopFeatures { rounds, ..hops.clone() }.bytes(graph, width);
    let Some(limit) = memory::available() else { return Ok(()) };
    let needs = needed(hops.rounds);
    if needs <= limit.bytes {
        return Ok(());
    }
    let remedy = match (1..hops.rounds).rev().find(|rounds| needed(*rounds) <= limit.bytes) {
        Some(rounds) => format!("Pass --rounds {rounds} (needs {}).", bytes_text(needed(rounds))),
        None => "Use fewer features, or a machine with more memory.".to_string(),
    };
    Err(Failure::failed(format!(
        "these hops need {} and {} are available ({}). {remedy}",
        bytes_text(needs),
        bytes_text(limit.bytes),
        limit.source
    )))
}
