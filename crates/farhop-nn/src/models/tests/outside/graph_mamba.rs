//! Graph-Mamba with the recorded orders; `scan` is a test of the operation alone.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::{Case, Get, How, Numbers, Outside, OutsideFile, PASSES, Told, assert_close, compare_how, files};
use crate::models::graph_mamba::{Draw, RecordedOrders};
use crate::ops::{self, ScanInputs, bridge};
use crate::{Batch, ModelConfig};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("head", &["inductive_node", "graph"]), ("pool", &["none", "mean"])];

fn case(file: &OutsideFile) -> Option<Case> {
    file.find("x")?;
    let (arrays, inputs) = file.arrays(true);
    let mut config = ModelConfig::from_name("graph-mamba").unwrap();
    let keys = [
        ("width", "hidden"),
        ("layers", "layers"),
        ("head_layers", "post_layers"),
        ("states", "d_state"),
        ("taps", "d_conv"),
        ("expansion", "expand"),
        ("orders", "eval_repeats"),
        ("buckets", "buckets"),
        ("dropout", "dropout"),
    ];
    for (ours, theirs) in keys {
        config = config.with(ours, file.config[theirs].clone()).unwrap();
    }
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn prepare(file: &OutsideFile, batch: &Batch) {
    let layers = file.count("layers");
    let draws = |ending: &str| -> Vec<Vec<Draw>> {
        let noise = file.find(&format!("draw/noise{ending}")).unwrap();
        let buckets = file.find(&format!("draw/bucket{ending}"));
        let (orders, nodes) = (noise.shape[1], noise.shape[2]);
        let draw = |at: usize| Draw {
            noise: noise.to_f32()[at * nodes..][..nodes].to_vec(),
            buckets: match &buckets {
                Some(buckets) => buckets.data[at * nodes..][..nodes].iter().map(|bucket| *bucket as u32).collect(),
                None => vec![0; nodes],
            },
        };
        (0..layers).map(|layer| (0..orders).map(|order| draw(layer * orders + order)).collect()).collect()
    };
    let recorded = batch.derived(0, |_| RecordedOrders { evaluation: draws(""), training: draws("_train") });
    assert_eq!(recorded.evaluation.len(), layers, "{}: the draws came too late", file.name);
}

/// A linear map.
pub fn linear(ours: &str, theirs: &str, get: &Get) -> [(String, Numbers); 2] {
    let [weight, bias] = ["weight", "bias"].map(|part| get.turned(&format!("{theirs}.{part}")));
    [(format!("{ours}.weight"), weight), (format!("{ours}.bias"), bias)]
}

/// A Mamba block whose names begin with `theirs`.
pub fn mamba(ours: &str, theirs: &str, get: &Get) -> Vec<(String, Numbers)> {
    let read = |name: &str| get.get(&format!("{theirs}.{name}"));
    let (projection, arrays) = (read("in_proj.weight"), read("x_proj.weight"));
    let (inner, states) = (projection.shape[0] / 2, read("A_log").shape[1]);
    let rank = arrays.shape[0] - 2 * states;
    let table = [
        ("input", projection.rows(0, inner).transposed()),
        ("gate", projection.rows(inner, 2 * inner).transposed()),
        ("taps", read("conv.weight")),
        ("taps_bias", read("conv.bias")),
        ("factor", arrays.rows(0, rank).transposed()),
        ("write", arrays.rows(rank, rank + states).transposed()),
        ("read", arrays.rows(rank + states, rank + 2 * states).transposed()),
        ("step", read("dt_proj.weight").transposed()),
        ("step_bias", read("dt_proj.bias")),
        ("rates", read("A_log")),
        ("skip", read("D")),
        ("output", read("out_proj.weight").transposed()),
    ];
    table.into_iter().map(|(name, numbers)| (format!("{ours}.{name}"), numbers)).collect()
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    table.extend(linear("encoder.projection", "node_enc", get));
    table.extend(linear("entries.projection", "edge_enc", get));
    let layers = file.count("layers");
    for i in 0..layers {
        let layer = format!("layers.{i}");
        let maps = [("gates.own", "A"), ("gates.neighbour", "B"), ("states", "C"), ("gates.target", "D")];
        for (ours, theirs) in maps.into_iter().chain([("gates.source", "E")]) {
            table.extend(linear(&format!("{layer}.{ours}"), &format!("{layer}.gcn.{theirs}"), get));
        }
        table.extend(linear(&format!("{layer}.up"), &format!("{layer}.ff1"), get));
        table.extend(linear(&format!("{layer}.down"), &format!("{layer}.ff2"), get));
        table.extend(mamba(&format!("{layer}.mamba"), &format!("{layer}.mamba"), get));
        let norms = [
            ("norm_nodes", "gcn.bn_x"),
            ("norm_local", "norm_local"),
            ("norm_global", "norm_attn"),
            ("norm", "norm2"),
            ("norm_entries", "gcn.bn_e"),
        ];
        for (ours, theirs) in norms {
            let arrays =
                [("scale", "weight"), ("shift", "bias"), ("running_mean", "mean"), ("running_variance", "var")];
            let arrays = arrays.map(|(our, their)| (our, get.get(&format!("{layer}.{theirs}.{their}"))));
            // The last layer's entries are read by nobody.
            if ours != "norm_entries" || i + 1 < layers {
                table.extend(arrays.map(|(our, numbers)| (format!("{layer}.{ours}.{our}"), numbers)));
            }
        }
    }
    let hidden = file.count("post_layers") - 1;
    (0..hidden).for_each(|at| table.extend(linear(&format!("head.hidden.{at}"), &format!("head.0.{at}"), get)));
    table.extend(linear("head.output", if hidden > 0 { "head.1" } else { "head.0" }, get));
    table
}

#[test]
fn graph_mamba() {
    compare_how(
        &Outside { folder: "graph-mamba", case, table, unused: &[], told: TOLD },
        &How { passes: &PASSES, prepare: &|file, _, batch| prepare(file, batch), ..How::default() },
    );
}

/// `[batch, channel, time]` as rows of time.
fn by_time(numbers: &Numbers) -> Vec<f32> {
    let [batch, channels, time] = numbers.shape[..] else { panic!("three axes") };
    let at = |row: usize, channel: usize| numbers.data[(row / time * channels + channel) * time + row % time] as f32;
    (0..batch * time).flat_map(|row| (0..channels).map(move |channel| at(row, channel))).collect()
}

#[test]
fn the_scan_alone() {
    let all = files("graph-mamba");
    let file = all.iter().find(|file| file.find("delta").is_some()).unwrap();
    let (batch, time) = (file.count("batch"), file.count("length"));
    let read = |name: &str| {
        let numbers = file.find(name).unwrap();
        match numbers.shape.len() {
            3 => (by_time(&numbers), numbers.shape[1]),
            _ => (numbers.to_f32(), *numbers.shape.last().unwrap()),
        }
    };
    let matrix = |name: &str| -> Tensor<2> {
        let (data, width) = read(name);
        let rows = data.len() / width;
        bridge::from_vec::<2>(data, [rows, width]).autodiff().require_grad()
    };
    let vector = |name: &str| -> Tensor<1> {
        let (data, width) = read(name);
        bridge::from_vec::<1>(data, [width]).autodiff().require_grad()
    };
    let names = ["u", "delta", "A", "B", "C", "z"];
    let [u, delta, a, b, c, z] = names.map(matrix);
    let (d, bias) = (vector("D"), vector("delta_bias"));
    let inputs = ScanInputs {
        u: u.clone(),
        delta: delta.clone(),
        a: a.clone(),
        b: b.clone(),
        c: c.clone(),
        d: d.clone(),
        z: Some(z.clone()),
        bias: Some(bias.clone()),
    };
    let offsets = Arc::new((0..=batch).map(|at| at * time).collect::<Vec<_>>());
    let out = ops::selective_scan(inputs, &offsets);
    let wide = |values: Vec<f32>| values.into_iter().map(f64::from).collect::<Vec<_>>();
    assert_close("out", &bridge::into_vec(out.clone()), &wide(read("out").0), 0.0);
    let cotangent: Tensor<2> = bridge::from_vec(read("cotangent").0, out.dims());
    let mut tape = (out * cotangent.autodiff()).sum().backward();
    for (name, tensor) in names.into_iter().zip([u, delta, a, b, c, z]) {
        let found = bridge::into_vec(tensor.grad_remove(&mut tape).unwrap());
        assert_close(name, &found, &wide(read(&format!("grad/{name}")).0), 0.0);
    }
    for (name, tensor) in [("D", d), ("delta_bias", bias)] {
        let found = bridge::into_vec(tensor.grad_remove(&mut tape).unwrap());
        assert_close(name, &found, &wide(read(&format!("grad/{name}")).0), 0.0);
    }
}
