//! MAGNA. Of a file with drawn edges, the part without dropout is compared.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("edge_drop", &[])];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let chosen = file.config["top_k"].as_i64().filter(|most| *most > 0).unwrap_or(0);
    let projection = file.config["project_dim"].as_i64().filter(|width| *width > 1).unwrap_or(0);
    assert_eq!(file.count("ffn_dim"), 4 * file.count("hidden"), "{}: the inner width", file.name);
    let settings = [
        ("layers", file.config["layers"].clone()),
        ("heads", file.config["heads"].clone()),
        ("width", file.config["hidden"].clone()),
        ("hops", file.config["K"].clone()),
        ("alpha", file.config["alpha"].clone()),
        ("slope", file.config["negative_slope"].clone()),
        ("shared_scores", file.config["head_tail_shared"].clone()),
        ("top_entries", chosen.into()),
        ("top_per_head", file.word("topk_type", &[("local", true), ("global", false)]).into()),
        ("projection_width", projection.into()),
        ("dropout", 0.0.into()),
        ("input_dropout", 0.0.into()),
    ];
    // The width comes before the heads that divide it; ranges are looked at together in the end.
    let start = ModelConfig::from_name("magna").unwrap();
    let config = settings.into_iter().try_fold(start, |config, (key, value)| config.with(key, value)).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = vec![
        ("head.output.weight".into(), get.turned("classifier.weight")),
        ("head.output.bias".into(), get.get("classifier.bias")),
    ];
    if get.has("project.weight") {
        table.push(("projection.weight".into(), get.turned("project.weight")));
        table.push(("projection.bias".into(), get.get("project.bias")));
    }
    for layer in 0..file.count("layers") {
        let theirs = |name: &str| format!("gdt_layers.{layer}.{name}");
        let mut put = |ours: &str, numbers: Numbers| table.push((format!("layers.{layer}.{ours}"), numbers));
        for (ours, name) in [
            ("values", "fc.weight"),
            ("sender_values", "fc_head.weight"),
            ("receiver_values", "fc_tail.weight"),
            ("output", "fc_out.weight"),
            ("residual", "res_fc.weight"),
            ("inner.weight", "feed_forward.w_1.weight"),
            ("outer.weight", "feed_forward.w_2.weight"),
        ] {
            if get.has(&theirs(name)) {
                put(ours, get.turned(&theirs(name)));
            }
        }
        for (ours, name) in [
            ("norm.scale", "graph_norm.a_2"),
            ("norm.shift", "graph_norm.b_2"),
            ("inner_norm.scale", "ff_norm.a_2"),
            ("inner_norm.shift", "ff_norm.b_2"),
            ("inner.bias", "feed_forward.w_1.bias"),
            ("outer.bias", "feed_forward.w_2.bias"),
        ] {
            put(ours, get.get(&theirs(name)));
        }
        for (ours, name) in [("sender", "attn_h"), ("receiver", "attn_t")] {
            let vectors = get.get(&theirs(name));
            let shape = vectors.shape[1..].to_vec();
            put(ours, vectors.reshaped(&shape));
        }
    }
    table
}

#[test]
fn magna() {
    compare(&Outside { folder: "magna", case, table, unused: &[], told: TOLD });
}
