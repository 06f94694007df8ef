//! Polynormer: both stages of the authors' version with attention, and the one for large graphs.

use super::{Case, Get, How, Numbers, Outside, OutsideFile, Pass, Told, compare, compare_how};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("qk_shared", &["true"]), ("negative_slope", &["0.2"]), ("beta", &[])];

fn case_with(file: &OutsideFile, global: bool) -> Case {
    let (arrays, inputs) = file.arrays(false);
    let of = |key: &str| file.config[key].clone();
    let large = file.word("variant", &[("medium", false), ("large", true)]);
    let attends = file.word("local_conv", &[("gat", true), ("gcn", false)]);
    let settings = [
        ("width", (file.count("hidden_channels") * file.count("heads")).into()),
        ("heads", of("heads")),
        ("layers", of("local_layers")),
        ("global_layers", if global { of("global_layers") } else { 0.into() }),
        ("input_projection", (!large).into()),
        ("pre_norm", of("pre_ln")),
        ("norm", if file.config["post_bn"] == true { "batch" } else { "none" }.into()),
        ("convolution", if attends { "attention" } else { "gcn" }.into()),
        ("beta_kind", of("beta_mode")),
        // Only a constant matters: what is learned comes from the file.
        ("beta", if file.config["beta_mode"] == "fixed" { of("beta") } else { 0.5.into() }),
        ("dropout", 0.0.into()),
        ("global_dropout", 0.0.into()),
        ("input_dropout", 0.0.into()),
    ];
    let config = ModelConfig::from_name("polynormer").unwrap();
    let config = settings.into_iter().try_fold(config, |config, (key, value)| config.with(key, value)).unwrap();
    Case { config, inputs, outputs: file.outputs(), arrays }
}

fn local(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut names: Vec<(String, String)> = Vec::new();
    let mut linear = |ours: &str, theirs: &str| {
        names.extend(["weight", "bias"].map(|part| (format!("{ours}.{part}"), format!("{theirs}.{part}"))));
    };
    let mut norms = Vec::new();
    if get.has("lin_in.weight") {
        linear("encoder.projection", "lin_in");
    }
    let attends = file.config["local_conv"] == "gat";
    for i in 0..file.count("local_layers") {
        linear(&format!("local.{i}.hidden"), &format!("h_lin.{i}"));
        linear(&format!("local.{i}.own"), &format!("lin.{i}"));
        if !attends {
            linear(&format!("local.{i}.convolution"), &format!("conv.{i}"));
        }
        norms.push((format!("local.{i}.norm"), format!("ln.{i}"), false));
        if file.config["pre_ln"] == true {
            norms.push((format!("local.{i}.pre_norm"), format!("pre_ln.{i}"), false));
        }
        if file.config["post_bn"] == true {
            norms.push((format!("local.{i}.block"), format!("post_bn.{i}"), true));
        }
    }
    for i in (0..file.count("local_layers")).filter(|_| attends) {
        for (ours, theirs) in [("weight", "weight"), ("source", "att_src"), ("target", "att_dst")] {
            names.push((format!("local.{i}.attention.{ours}"), format!("conv.{i}.{theirs}")));
        }
    }
    let mut table = named(names, norms, get);
    table.extend(betas(file, get, "betas", "local"));
    table
}

fn global(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut names: Vec<(String, String)> = Vec::new();
    let mut norms = vec![("global_norm".to_string(), "glob_in_ln".to_string(), false)];
    let mut linear = |ours: &str, theirs: &str| {
        names.extend(["weight", "bias"].map(|part| (format!("{ours}.{part}"), format!("{theirs}.{part}"))));
    };
    linear("global_output", "glob.lin_out");
    for i in 0..file.count("global_layers") {
        linear(&format!("global.{i}.hidden"), &format!("glob.h_lin.{i}"));
        linear(&format!("global.{i}.key"), &format!("glob.k_lin.{i}"));
        linear(&format!("global.{i}.value"), &format!("glob.v_lin.{i}"));
        norms.push((format!("global.{i}.norm"), format!("glob.ln.{i}"), false));
    }
    let mut table = named(names, norms, get);
    table.extend(betas(file, get, "glob.betas", "global"));
    table
}

fn named(names: Vec<(String, String)>, norms: Vec<(String, String, bool)>, get: &Get) -> Vec<(String, Numbers)> {
    let mut table: Vec<_> = names.into_iter().map(|(ours, theirs)| (ours, get.get(&theirs))).collect();
    for (ours, theirs, running) in norms {
        let learned = [("scale", "weight"), ("shift", "bias")];
        let stored = [("running_mean", "running_mean"), ("running_variance", "running_var")];
        for (our, their) in learned.into_iter().chain(stored.into_iter().filter(|_| running)) {
            table.push((format!("{ours}.{our}"), get.get(&format!("{theirs}.{their}"))));
        }
    }
    table
}

fn betas(file: &OutsideFile, get: &Get, theirs: &str, ours: &str) -> Vec<(String, Numbers)> {
    if file.config["beta_mode"] == "fixed" {
        return Vec::new();
    }
    let all = get.get(theirs);
    (0..all.shape[0]).map(|i| (format!("{ours}.{i}.beta.learned"), all.rows(i, i + 1))).collect()
}

fn head(get: &Get, theirs: &str) -> Vec<(String, Numbers)> {
    ["weight", "bias"].map(|part| (format!("head.output.{part}"), get.get(&format!("{theirs}.{part}")))).into()
}

#[test]
fn polynormer() {
    let outside = Outside {
        folder: "polynormer",
        case: |file| Some(case_with(file, true)),
        table: |file, get| [local(file, get), global(file, get), head(get, "pred_global")].concat(),
        // The head of the other stage.
        unused: &["pred_local.weight", "pred_local.bias"],
        told: TOLD,
    };
    compare(&outside);
}

#[test]
fn polynormer_without_its_global_stage() {
    let outside = Outside {
        folder: "polynormer",
        case: |file| Some(case_with(file, false)),
        table: |file, get| {
            // Looked at, so that they count as known; they are not part of this stage.
            global(file, get);
            head(get, "pred_global");
            [local(file, get), head(get, "pred_local")].concat()
        },
        unused: &[],
        told: TOLD,
    };
    let pass = Pass { output: "out_local", cotangent: "cotangent", gradients: Some("grad_local/"), training: false };
    compare_how(&outside, &How { passes: &[pass], prepare: &|_, _, _| (), ..How::default() });
}
