//! `farhop bench`: time and memory of a model, in figures that compare with those of other programs.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use farhop_data::bench_graph::{BenchGraph, BenchTargets};
use farhop_graph::random::{Stream, mix};
use farhop_graph::{Graph, generate};
use farhop_nn::{
    ActivationKind, Batch, GcnConfig, GenConfig, Learner, MlpConfig, ModelConfig, NormKind, OptimizerConfig, Shape,
    Targets,
};
use farhop_train::memory::{Held, bytes_text, peak_rss_bytes};
use serde_json::json;

use crate::arguments::{BenchArguments, BenchMode, Common};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;
use crate::table::TextTable;

/// Exponent of the degrees of a generated graph.
const POWER_LAW: f64 = 2.5;

/// A graph with features and a class for every node.
struct Work {
    graph: Graph,
    features: Vec<f32>,
    width: usize,
    of_node: Vec<u32>,
    classes: usize,
    note: Option<&'static str>,
}

impl Work {
    fn shape(&self) -> Shape {
        let graph = &self.graph;
        Shape::nodes(graph.nodes(), graph.entries(), self.width, self.classes)
    }
}

/// Runs the command.
pub fn run(
    arguments: &BenchArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    model(arguments, false)?.validate()?;
    let seed = common.seed.unwrap_or(0);
    let training = arguments.mode == BenchMode::Train;
    let planned = |shape: &Shape| -> Result<_, Failure> {
        let config = model(arguments, shape.inputs > arguments.hidden && !arguments.raw_features)?;
        let held = Held::one_graph(shape.nodes, shape.entries, false);
        let plan = data::plan_shape(&config, shape, held, training, console)?;
        Ok((config, plan))
    };
    let (work, (config, plan)) = match &arguments.graph {
        Some(file) => {
            let work = given(BenchGraph::open(file)?, seed);
            let plan = planned(&work.shape())?;
            (work, plan)
        }
        None => {
            let asked = Asked::from(arguments)?;
            // Before anything is made: a graph that does not fit is not worth waiting for.
            let plan = planned(&asked.shape())?;
            (asked.generate(seed)?, plan)
        }
    };
    let (shape, nodes, edges) = (work.shape(), work.graph.nodes(), work.graph.edges());
    let network = config.init(work.width, work.classes, seed)?;
    let parameters = network.parameters();
    let batch = Batch::from_vec(Arc::new(work.graph), work.features, work.width);
    let targets = Targets::classes((0..nodes as u32).collect(), work.of_node);
    // Adam as the peers have it: no decay, no clipping.
    let optimizer = OptimizerConfig { weight_decay: 0.0, clip_norm: None, ..OptimizerConfig::default() };
    let mut learner = Learner::new(network, optimizer, seed);
    let mut times = Vec::new();
    for epoch in 0..=arguments.epochs {
        let start = Instant::now();
        if training {
            let step = learner.step(&batch, &targets, 0.005);
            if !step.is_finite() {
                return Err(Failure::failed(format!("the loss of epoch {epoch} is not finite. Check the features.")));
            }
        } else {
            std::hint::black_box(learner.model().outputs(&batch));
        }
        times.push(start.elapsed().as_secs_f64());
        let name = if epoch == 0 { "warm-up".to_string() } else { format!("epoch {epoch}") };
        console.message(&format!("{name}: {:.3} s", start.elapsed().as_secs_f64()));
    }
    let timed = if times.len() > 1 { &times[1..] } else { &times };
    let best = timed.iter().copied().fold(f64::INFINITY, f64::min);
    let peak = peak_rss_bytes();
    let is_gen = matches!(config, ModelConfig::Gen(_));
    let object = json!({
        "model": config.name(),
        "hops": is_gen.then_some(arguments.hops),
        "hidden": arguments.hidden,
        "layers": arguments.layers,
        "heads": is_gen.then_some(arguments.heads),
        "mode": arguments.mode.name(),
        "threads": threads,
        "nodes": nodes,
        "edges": edges,
        "features": shape.inputs,
        "classes": shape.outputs,
        "input_projection": matches!(&config, ModelConfig::Gen(gen_config) if gen_config.input_projection),
        "parameters": parameters,
        "seconds_per_epoch": best,
        "all": times.iter().map(|time| (time * 1e4).round() / 1e4).collect::<Vec<_>>(),
        "peak_rss_bytes": peak,
        "planned_peak_bytes": plan.total,
        "note": work.note,
    });
    if let Some(note) = work.note {
        console.message(&format!("note: {note}"));
    }
    console.result(&object, || {
        let mut table =
            TextTable::new(&["model", "mode", "nodes", "edges", "hops", "parameters", "s/epoch", "peak memory"]);
        table.row([
            config.name().to_string(),
            arguments.mode.name().to_string(),
            farhop_data::text::thousands(nodes as u64),
            farhop_data::text::thousands(edges as u64),
            if is_gen { arguments.hops.to_string() } else { "-".to_string() },
            farhop_data::text::thousands(parameters as u64),
            format!("{best:.4}"),
            peak.map_or("-".to_string(), bytes_text),
        ]);
        let mut lines = table.lines();
        lines[0] = console.heading(&lines[0]);
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The shape of the peers: batch norm, ReLU, dropout 0.5, no residual. Features go into the first layer raw, unless a GEN is to
/// project them first.
fn model(arguments: &BenchArguments, input_projection: bool) -> Result<ModelConfig, Failure> {
    let (layers, width) = (arguments.layers, arguments.hidden);
    let (norm, activation, dropout) = (NormKind::Batch, ActivationKind::Relu, 0.5);
    Ok(match ModelConfig::from_name(&arguments.model)? {
        ModelConfig::Gen(_) => ModelConfig::Gen(GenConfig {
            layers,
            width,
            hops: arguments.hops,
            heads: arguments.heads,
            input_projection,
            gamma: 0.75,
            feed_forward: true,
            hop_bias: false,
            norm,
            activation,
            dropout,
            residual: false,
            recompute: arguments.recompute,
            ..GenConfig::default()
        }),
        ModelConfig::Gcn(_) => ModelConfig::Gcn(GcnConfig {
            layers,
            width,
            input_projection: false,
            norm,
            activation,
            dropout,
            residual: false,
            ..GcnConfig::default()
        }),
        ModelConfig::Mlp(_) => ModelConfig::Mlp(MlpConfig {
            layers,
            width,
            norm,
            activation,
            dropout,
            residual: false,
            ..MlpConfig::default()
        }),
    })
}

fn given(file: BenchGraph, seed: u64) -> Work {
    let nodes = file.graph.nodes();
    let (of_node, classes, note) = match file.targets {
        BenchTargets::Classes { of_node, count } => (of_node, count, None),
        BenchTargets::Numbers { columns, .. } => {
            let classes = columns.max(2);
            let note = "the file has targets for whole graphs; timed with a class for every node instead";
            (labels(nodes, classes, seed), classes, Some(note))
        }
    };
    Work { graph: file.graph, features: file.features, width: file.width, of_node, classes, note }
}

/// A graph that is yet to be made.
struct Asked {
    nodes: usize,
    edges: usize,
    width: usize,
    classes: usize,
}

impl Asked {
    fn from(arguments: &BenchArguments) -> Result<Self, Failure> {
        let (Some(nodes), Some(edges)) = (arguments.nodes, arguments.edges) else {
            return Err(Failure::usage("there is no graph to measure on: give --graph FILE, or --nodes and --edges."));
        };
        let (width, classes) = (arguments.features.unwrap_or(128), arguments.classes.unwrap_or(40));
        let few = |count: usize| (1..=u32::MAX as usize / 2).contains(&count);
        if !(few(nodes) && few(edges.max(1)) && few(width) && few(classes)) {
            return Err(Failure::usage(
                "--nodes, --features and --classes must be at least 1, and nothing above 2147483647.",
            ));
        }
        Ok(Asked { nodes, edges, width, classes })
    }

    fn shape(&self) -> Shape {
        Shape::nodes(self.nodes, 2 * self.edges, self.width, self.classes)
    }

    fn generate(&self, seed: u64) -> Result<Work, Failure> {
        let graph = generate::chung_lu(self.nodes, self.edges, POWER_LAW, seed)?;
        let mut stream = Stream::new(mix(seed, 1));
        let features = (0..self.nodes * self.width).map(|_| stream.normal() as f32).collect();
        let of_node = labels(self.nodes, self.classes, seed);
        Ok(Work { graph, features, width: self.width, of_node, classes: self.classes, note: None })
    }
}

fn labels(nodes: usize, classes: usize, seed: u64) -> Vec<u32> {
    let mut stream = Stream::new(mix(seed, 2));
    (0..nodes).map(|_| stream.below(classes as u64) as u32).collect()
}
