//! GPS with gated edges. Eigenvectors come with signs that the file says for its pass of training.

use super::{Case, Get, How, Numbers, Outside, OutsideFile, PASSES, compare_one, files};
use crate::ModelConfig;

/// The batch of the file; in training its eigenvectors have the signs of the file.
fn case(file: &OutsideFile, training: bool) -> Option<Case> {
    let (mut arrays, mut inputs) = file.arrays(true);
    let config = &file.config;
    let mut model = ModelConfig::from_name("gps").ok()?;
    let words = |from: &str| match from {
        "GatedGCN" => "gated-gcn",
        "GINE" => "gine",
        "bn" => "batch",
        "ln" => "layer",
        "gelu" => "gelu-exact",
        "add" => "sum",
        other => panic!("{other}"),
    };
    let word = |key: &str| config[key].as_str().unwrap_or_default();
    let activation = if word("act") == "relu" { "relu" } else { words(word("act")) };
    for (key, value) in [
        ("width", config["hidden"].clone()),
        ("heads", config["heads"].clone()),
        ("layers", config["layers"].clone()),
        ("local", words(word("local")).into()),
        ("norm", words(word("norm")).into()),
        ("activation", activation.into()),
        ("head_layers", config["head_layers"].clone()),
        ("unit_head_rows", true.into()),
        ("dropout", 0.0.into()),
        ("attention_dropout", 0.0.into()),
        ("position_width", config["dim_pe"].clone()),
        ("eigenvalues_of", "unnormalised".into()),
        ("random_signs", false.into()),
    ] {
        model = model.with(key, value).ok()?;
    }
    if let Some(vectors) = file.find("lappe_vec") {
        inputs.laplacian = vectors.shape[1];
        let signs = file.find("sign_flip_train").filter(|_| training);
        let sign = |at: usize| signs.as_ref().map_or(1.0, |signs| signs.data[at % signs.data.len()]);
        // What a small graph does not have is zero here.
        let value = |(at, v): (usize, &f64)| if v.is_nan() { 0.0 } else { (v * sign(at)) as f32 };
        arrays.laplacian = vectors.data.iter().enumerate().map(value).collect();
    }
    Some(Case { config: model, inputs, outputs: file.outputs(), arrays })
}

/// Our linear map `ours` from `theirs`.
pub fn linear(get: &Get, ours: &str, theirs: &str) -> Vec<(String, Numbers)> {
    vec![
        (format!("{ours}.weight"), get.turned(&format!("{theirs}.weight"))),
        (format!("{ours}.bias"), get.get(&format!("{theirs}.bias"))),
    ]
}

/// Our norm `ours` from `theirs`.
pub fn norm(get: &Get, ours: &str, theirs: &str, running: bool) -> Vec<(String, Numbers)> {
    let mut all = vec![
        (format!("{ours}.scale"), get.get(&format!("{theirs}.weight"))),
        (format!("{ours}.shift"), get.get(&format!("{theirs}.bias"))),
    ];
    if running {
        all.push((format!("{ours}.running_mean"), get.get(&format!("{theirs}.running_mean"))));
        all.push((format!("{ours}.running_variance"), get.get(&format!("{theirs}.running_var"))));
    }
    all
}

/// The gated edges of a layer.
pub fn gated(get: &Get, ours: &str, theirs: &str, last: bool) -> Vec<(String, Numbers)> {
    let names = [("own", "A"), ("values", "B"), ("edges", "C"), ("receiver", "D"), ("sender", "E")];
    let mut all: Vec<_> =
        names.iter().flat_map(|(a, b)| linear(get, &format!("{ours}.{a}"), &format!("{theirs}.{b}"))).collect();
    all.extend(norm(get, &format!("{ours}.node_norm"), &format!("{theirs}.bn_node_x"), true));
    if !last {
        all.extend(norm(get, &format!("{ours}.edge_norm"), &format!("{theirs}.bn_edge_e"), true));
    }
    all
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let layers = file.count("layers");
    let mut all = linear(get, "encoder.projection", "enc.node");
    all.extend(linear(get, "edges.numbers", "enc.edge"));
    if get.has("enc.pe.linear_A.weight") {
        all.extend(linear(get, "positions.laplacian.inner", "enc.pe.linear_A"));
        all.extend(linear(get, "positions.laplacian.outer", "enc.pe.linear_B"));
    }
    for l in 0..layers {
        let (ours, theirs) = (|name: &str| format!("layers.{l}.{name}"), |name: &str| format!("layer{l}.{name}"));
        all.extend(gated(get, &ours("local.gated"), &theirs("gated"), l + 1 == layers));
        all.extend(linear(get, &ours("attention"), &theirs("attn.in_proj")));
        all.extend(linear(get, &ours("output"), &theirs("attn.out_proj")));
        all.extend(linear(get, &ours("feed.inner"), &theirs("ff1")));
        all.extend(linear(get, &ours("feed.outer"), &theirs("ff2")));
        let batch = file.config["norm"] == "bn";
        for (a, b) in [("local_norm", "norm_local"), ("attention_norm", "norm_attn"), ("norm", "norm_ff")] {
            let rows = if batch { format!("{}.rows", ours(a)) } else { ours(a) };
            all.extend(norm(get, &rows, &theirs(b), batch));
        }
    }
    let heads = file.count("head_layers");
    for at in 0..heads - 1 {
        all.extend(linear(get, &format!("head.hidden.{at}"), &format!("head.lin{at}")));
    }
    all.extend(linear(get, "head.output", &format!("head.lin{}", heads - 1)));
    all
}

#[test]
fn gps() {
    // The states of edges after the last layer are not read: their gradients are zero in the files.
    let unused = &["layer1.gated.bn_edge_e.weight", "layer1.gated.bn_edge_e.bias"];
    let outside = Outside { folder: "gps", case: |file| case(file, false), table, unused };
    for file in files("gps").iter().filter(|file| file.config["local"] == "GatedGCN") {
        compare_one(&outside, file, &case(file, false).unwrap(), &How { passes: &PASSES[..1], ..How::default() });
        compare_one(&outside, file, &case(file, true).unwrap(), &How { passes: &PASSES[1..], ..How::default() });
    }
}
