//! GPS with gated edges and with sums of edges, with walks, with eigenvectors and with neither. Eigenvectors come with signs that the file says for its pass of training.

use super::{Case, Get, How, Numbers, Outside, OutsideFile, PASSES, Told, add_array, compare_one, files};
use crate::{LAPLACIAN, ModelConfig, WALK};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("rw_steps", &[])];

/// The batch of the file; in training its eigenvectors have the signs of the file.
fn case(file: &OutsideFile, training: bool) -> Option<Case> {
    let (mut arrays, mut inputs) = file.arrays(true);
    let config = &file.config;
    let mut model = ModelConfig::from_name("gps").unwrap();
    let words = |from: &str| match from {
        "GatedGCN" => "gated-gcn",
        "GINE" => "gine",
        "bn" => "batch",
        "ln" => "layer",
        "gelu" => "gelu-exact",
        "GCN" => "gcn",
        other => panic!("{other}"),
    };
    let word = |key: &str| config[key].as_str().unwrap_or_default();
    let heads = [("node_mlp", (true, false)), ("pool_linear", (false, false)), ("pool_pyramid", (false, true))];
    let (unit_rows, halving) = file.word("head", &heads);
    let maps = config["head_layers"].as_u64().map_or(1, |maps| maps as usize);
    assert_eq!(head_names(file).len(), maps, "{}: maps of the head", file.name);
    let activation = if word("act") == "relu" { "relu" } else { words(word("act")) };
    for (key, value) in [
        ("width", config["hidden"].clone()),
        ("heads", config["heads"].clone()),
        ("layers", config["layers"].clone()),
        ("local", words(word("local")).into()),
        ("norm", words(word("norm")).into()),
        ("activation", activation.into()),
        ("head_layers", head_names(file).len().into()),
        ("unit_head_rows", unit_rows.into()),
        ("halving_head", halving.into()),
        ("readout", file.word("pooling", &[("null", "mean"), ("mean", "mean"), ("add", "sum")]).into()),
        ("dropout", 0.0.into()),
        ("attention_dropout", 0.0.into()),
        ("position_width", config["dim_pe"].clone()),
        ("eigenvalues_of", "unnormalised".into()),
        ("random_signs", false.into()),
    ] {
        model = model.with(key, value).unwrap();
    }
    let (walk, laplacian) =
        file.word("pe", &[("none", (false, false)), ("RWSE", (true, false)), ("LapPE", (false, true))]);
    if let Some(vectors) = file.find("lappe_vec").filter(|_| laplacian) {
        let signs = file.find("sign_flip_train").filter(|_| training);
        let sign = |at: usize| signs.as_ref().map_or(1.0, |signs| signs.data[at % signs.data.len()]);
        // What a small graph does not have is zero here.
        let value = |(at, v): (usize, &f64)| if v.is_nan() { 0.0 } else { (v * sign(at)) as f32 };
        let values = vectors.data.iter().enumerate().map(value).collect();
        add_array(&mut arrays, &mut inputs, LAPLACIAN, vectors.shape[1], values);
    }
    if let Some(walks) = file.find("rwse").filter(|_| walk) {
        add_array(&mut arrays, &mut inputs, WALK, walks.shape[1], walks.to_f32());
    }
    Some(Case { config: model, inputs, outputs: file.outputs(), arrays })
}

/// The maps of the file's head, in order.
pub fn head_names(file: &OutsideFile) -> Vec<String> {
    let places = (0..16).flat_map(|at| [format!("head.lin{at}"), format!("head.fc{at}")]);
    places.filter(|name| file.find(&format!("param/{name}.weight")).is_some()).collect()
}

/// The maps of the head.
pub fn head(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let names = head_names(file);
    let ours = (0..names.len() - 1).map(|at| format!("head.hidden.{at}")).chain(["head.output".to_string()]);
    ours.zip(&names).flat_map(|(ours, theirs)| linear(get, &ours, theirs)).collect()
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
    // Nobody reads the states of edges after the last layer: their norm has no gradient in the file, and is not there here.
    let edges = norm(get, &format!("{ours}.edge_norm"), &format!("{theirs}.bn_edge_e"), true);
    all.extend(edges.into_iter().filter(|_| !last));
    all
}

/// The local part of layer `l`.
pub fn local(file: &OutsideFile, get: &Get, l: usize) -> Vec<(String, Numbers)> {
    let (ours, theirs) = (|name: &str| format!("layers.{l}.local.{name}"), |name: &str| format!("layer{l}.{name}"));
    match file.config["local"].as_str() {
        Some("GCN") => linear(get, &ours("gcn"), &theirs("gcn")),
        Some("GINE") => {
            let maps = [("gine.inner", "gine.lin1"), ("gine.outer", "gine.lin2")];
            maps.iter().flat_map(|(a, b)| linear(get, &ours(a), &theirs(b))).collect()
        }
        _ => gated(get, &ours("gated"), &theirs("gated"), l + 1 == file.count("layers")),
    }
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let layers = file.count("layers");
    let mut all = linear(get, "encoder.projection", "enc.node");
    // Graph convolution reads no edges: a file may have their map all the same.
    if get.has("enc.edge.weight") {
        let edges = linear(get, "edges.numbers", "enc.edge");
        all.extend(edges.into_iter().filter(|_| file.config["local"] != "GCN"));
    }
    if get.has("enc.pe.raw_norm.weight") {
        all.extend(norm(get, "positions.walk.norm", "enc.pe.raw_norm", true));
        all.extend(linear(get, "positions.walk.linear", "enc.pe.linear"));
    }
    if get.has("enc.pe.linear_A.weight") {
        all.extend(linear(get, "positions.laplacian.inner", "enc.pe.linear_A"));
        all.extend(linear(get, "positions.laplacian.outer", "enc.pe.linear_B"));
    }
    for l in 0..layers {
        let (ours, theirs) = (|name: &str| format!("layers.{l}.{name}"), |name: &str| format!("layer{l}.{name}"));
        all.extend(local(file, get, l));
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
    all.extend(head(file, get));
    all
}

#[test]
fn gps() {
    let outside = Outside { folder: "gps", case: |file| case(file, false), table, unused: &[], told: TOLD };
    for file in &files("gps") {
        compare_one(&outside, file, &case(file, false).unwrap(), &How { passes: &PASSES[..1], ..How::default() });
        compare_one(&outside, file, &case(file, true).unwrap(), &How { passes: &PASSES[1..], ..How::default() });
    }
}
