//! `farhop bench`: time and memory of a model, in figures that compare with those of other programs.

mod work;

use std::process::ExitCode;
use std::time::Instant;

use farhop_data::bench_graph::BenchGraph;
use farhop_kernels::simd::Isa;
use farhop_nn::{Learner, Level, Model, ModelConfig, OptimizerConfig, Shape};
use farhop_train::memory::{DataBytes, bytes_text, peak_rss_bytes};
use serde_json::json;

use crate::arguments::{BenchArguments, BenchMode, Common};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;
use crate::table::TextTable;
use work::{GraphRequest, Work};

/// What is measured.
#[allow(clippy::large_enum_variant, reason = "there is one")]
enum Subject {
    /// In training.
    Learner(Learner),
    /// In inference.
    Model(Model),
}

/// Runs the command.
pub fn run(
    arguments: &BenchArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let checked = model(arguments, false)?;
    checked.validate()?;
    let seed = common.seed.unwrap_or(0);
    let training = arguments.mode == BenchMode::Train;
    let planned = |shape: &Shape| -> Result<_, Failure> {
        let config = model(arguments, shape.inputs > arguments.width && !arguments.raw_features)?;
        let held = DataBytes::one_graph(shape.nodes, shape.entries, false);
        let plan = data::plan_shape(&config, shape, held, training, console)?;
        Ok((config, plan))
    };
    let (work, (config, plan)) = match &arguments.graph {
        Some(file) => {
            let work = Work::given(BenchGraph::open(file)?).with_edge_features(arguments.edge_features, seed);
            let plan = planned(&work.shape())?;
            (work, plan)
        }
        None => {
            let asked = GraphRequest::from(arguments)?;
            // Before anything is made: a graph that does not fit is not worth waiting for.
            planned(&asked.shape())?;
            let work = asked.generate(seed)?.with_edge_features(arguments.edge_features, seed);
            let plan = planned(&work.shape())?;
            (work, plan)
        }
    };
    let (shape, edges, loss) = (work.shape(), work.edges(), work.loss());
    let network = config.init(work.inputs(), work.outputs(), seed)?;
    let parameters = network.parameters();
    let (batch, targets) = work.into_batch()?;
    // Adam as the peers have it: no decay, no clipping.
    let optimizer = OptimizerConfig { weight_decay: 0.0, clip_norm: None, ..OptimizerConfig::default() };
    // Without training there is no optimiser, as in a prediction.
    let mut subject =
        if training { Subject::Learner(Learner::new(network, optimizer, seed)) } else { Subject::Model(network) };
    let (mut epochs, mut busy) = (Vec::new(), Vec::new());
    for epoch in 0..=arguments.epochs {
        let (start, before) = (Instant::now(), processor_seconds());
        match &mut subject {
            Subject::Learner(learner) => {
                let step = learner.step(&batch, &targets, 0.005);
                if !step.is_finite() {
                    let says = format!("the loss of epoch {epoch} is not finite. Check the features.");
                    return Err(Failure::failed(says));
                }
            }
            Subject::Model(model) => drop(std::hint::black_box(model.outputs(&batch))),
        }
        let seconds = start.elapsed().as_secs_f64();
        epochs.push(seconds);
        busy.extend(processor_seconds().zip(before).map(|(after, before)| after - before));
        let name = if epoch == 0 { "warm-up".to_string() } else { format!("epoch {epoch}") };
        console.message(&format!("{name}: {seconds:.3} s"));
    }
    let times = Times::of(&epochs);
    let peak = peak_rss_bytes();
    let object = json!({
        "model": config.name(),
        "hops": config.get("hops"),
        "width": arguments.width,
        "layers": arguments.layers,
        "heads": config.get("heads"),
        "recompute": config.get("recompute"),
        "gather_bits": config.get("gather_bits"),
        "mode": arguments.mode.name(),
        "threads": threads,
        "instruction_set": Isa::active().name(),
        "level": if shape.level == Level::Graph { "graph" } else { "node" },
        "loss": loss,
        "graphs": shape.graphs,
        "nodes": shape.nodes,
        "edges": edges,
        "features": shape.inputs,
        "classes": shape.outputs,
        "input_projection": config.get("input_projection").is_some_and(|value| value == true),
        "parameters": parameters,
        "seconds_per_epoch": times.best,
        "seconds_median": times.median,
        "seconds_max": times.worst,
        "all": epochs.iter().map(|time| (time * 1e6).round() / 1e6).collect::<Vec<_>>(),
        "cpu_all": busy.iter().map(|time| (time * 100.0).round() / 100.0).collect::<Vec<_>>(),
        "peak_rss_bytes": peak,
        "planned_peak_bytes": plan.total,
    });
    console.result(&object, || {
        let mut table = TextTable::new(&[
            "model",
            "mode",
            "nodes",
            "edges",
            "hops",
            "parameters",
            "best s",
            "median s",
            "peak memory",
        ]);
        table.row([
            config.name().to_string(),
            arguments.mode.name().to_string(),
            farhop_data::text::thousands(shape.nodes as u64),
            farhop_data::text::thousands(edges as u64),
            config.get("hops").map_or("-".to_string(), |hops| hops.to_string()),
            farhop_data::text::thousands(parameters as u64),
            format!("{:.4}", times.best),
            format!("{:.4}", times.median),
            peak.map_or("-".to_string(), bytes_text),
        ]);
        console.lines(&table)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What all threads of this process worked so far, from the Linux process files, in steps of a hundredth: on a machine that others
/// share it says more than the time that passed. Elsewhere there is no answer.
fn processor_seconds() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in brackets and may have spaces; of what follows, the 12th and 13th are user and system time.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Seconds of an epoch.
struct Times {
    best: f64,
    median: f64,
    worst: f64,
}

impl Times {
    /// Of all epochs but the first, the warm-up, unless it is the only one.
    fn of(epochs: &[f64]) -> Self {
        let mut sorted = epochs.get(1..).filter(|timed| !timed.is_empty()).unwrap_or(epochs).to_vec();
        sorted.sort_by(f64::total_cmp);
        let (half, at) = (sorted.len() / 2, |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN));
        let median = if sorted.len() % 2 == 1 { at(half) } else { (at(half.saturating_sub(1)) + at(half)) / 2.0 };
        Times { best: at(0), median, worst: at(sorted.len().saturating_sub(1)) }
    }
}

/// The shape of the peers: batch norm, ReLU, dropout 0.5, no residual. Features go into the first layer raw, unless a GEN is to
/// project them first. Settings that a model does not have are left out, those that were asked for are not.
fn model(arguments: &BenchArguments, input_projection: bool) -> Result<ModelConfig, Failure> {
    let mut config = ModelConfig::from_name(&arguments.model)?;
    let frame = [
        ("layers", json!(arguments.layers)),
        ("width", json!(arguments.width)),
        ("norm", json!("batch")),
        ("activation", json!("relu")),
        ("dropout", json!(0.5)),
        ("residual", json!(false)),
        ("input_projection", json!(input_projection && arguments.model == "gen")),
    ];
    let of_gen = [("gamma", json!(0.75)), ("feed_forward", json!(true)), ("hop_bias", json!(false))];
    for (key, value) in frame.into_iter().chain(of_gen.into_iter().filter(|_| arguments.model == "gen")) {
        if config.get(key).is_some() {
            config = config.with(key, value)?;
        }
    }
    for (flag, key, value) in arguments.of_model() {
        if config.get(key).is_none() {
            let name = config.name();
            return Err(Failure::usage(format!("{flag}: {name} has no such setting. Take it out.")));
        }
        config = config.with(key, value)?;
    }
    for (key, value) in &arguments.set {
        config = config.with(key.strip_prefix("model.").unwrap_or(key), value.clone())?;
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn the_warm_up_counts_only_when_there_is_nothing_else() {
        let of = |epochs: &[f64]| {
            let Times { best, median, worst } = Times::of(epochs);
            [best, median, worst]
        };
        assert_eq!(of(&[9.0]), [9.0, 9.0, 9.0]);
        assert_eq!(of(&[9.0, 3.0, 1.0, 2.0]), [1.0, 2.0, 3.0]);
        assert_eq!(of(&[9.0, 4.0, 1.0]), [1.0, 2.5, 4.0]);
    }
}
