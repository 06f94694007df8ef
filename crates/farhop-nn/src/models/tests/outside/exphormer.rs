//! Exphormer with the expander edges of the files.

use super::gps::{head, head_names, linear, local, norm};
use super::{Case, Get, How, Numbers, Outside, OutsideFile, Told, compare_one, files};
use crate::layers::Expander;
use crate::models::exphormer::Exphormer;
use crate::{Batch, ModelConfig};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("clamp", &["5.0"]), ("head", &["node_linear", "pool_linear"]), ("expander_degree", &[])];

fn expander_kind(file: &OutsideFile) -> &'static str {
    file.word("expander_algorithm", &[("Hamiltonian", "hamiltonian"), ("Random-d", "random"), ("null", "random")])
}

fn local_kind(file: &OutsideFile) -> &'static str {
    file.word("local", &[("GCN", "gcn"), ("GINE", "gine"), ("GatedGCN", "gated-gcn")])
}

fn degree(file: &OutsideFile) -> usize {
    if file.config["use_expander"] == true { file.count("expander_degree") } else { 0 }
}

fn case(file: &OutsideFile) -> Option<Case> {
    // One row for all edges, or their features through a map.
    let read = file.word("edge_encoder", &[("linear", true), ("dummy", false)]);
    let (arrays, inputs) = file.arrays(read);
    let config = &file.config;
    let mut model = ModelConfig::from_name("exphormer").unwrap();
    for (key, value) in [
        ("width", config["hidden"].clone()),
        ("heads", config["heads"].clone()),
        ("layers", config["layers"].clone()),
        ("local", local_kind(file).into()),
        ("virtual_nodes", config["virtual_nodes"].clone()),
        ("expander_degree", degree(file).into()),
        ("expander", expander_kind(file).into()),
        ("head_layers", head_names(file).len().into()),
        ("readout", file.word("pooling", &[("null", "mean"), ("mean", "mean"), ("add", "sum")]).into()),
        ("unit_inputs", file.word("pre_mp", &[("0", false), ("1", true)]).into()),
        ("dropout", 0.0.into()),
    ] {
        model = model.with(key, value).unwrap();
    }
    Some(Case { config: model, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let layers = file.count("layers");
    let mut all = Vec::new();
    if get.has("pre.lin.weight") {
        all.push(("encoder.projection.weight".into(), get.turned("pre.lin.weight")));
        // Their map has no bias. Ours is set to zero; its gradient has no counterpart.
        all.push(("encoder.projection.bias".into(), get.get("pre.bn.running_mean").map(|v| 0.0 * v)));
        all.extend(norm(get, "input_norm", "pre.bn", true));
    } else {
        all.extend(linear(get, "encoder.projection", "enc.node"));
    }
    if get.has("enc.edge.bias") {
        all.extend(linear(get, "edges.numbers", "enc.edge"));
    } else {
        all.push(("edges.row".into(), get.get("enc.edge.weight")));
    }
    let names = [
        ("expander", "exp.edge_emb"),
        ("to_virtual", "virt.edge_in_emb"),
        ("from_virtual", "virt.edge_out_emb"),
        ("virtual_states", "virt.node_emb"),
    ];
    for (ours, theirs) in names {
        if get.has(theirs) && (ours != "expander" || degree(file) > 0) {
            all.push((ours.into(), get.get(theirs)));
        }
    }
    for l in 0..layers {
        let (ours, theirs) = (|name: &str| format!("layers.{l}.{name}"), |name: &str| format!("layer{l}.{name}"));
        all.extend(local(file, get, l));
        for (a, b) in [("query", "Q"), ("key", "K"), ("value", "V"), ("edge", "E")] {
            all.push((ours(a), get.turned(&theirs(&format!("attn.{b}.weight")))));
        }
        all.extend(linear(get, &ours("feed.inner"), &theirs("ff1")));
        all.extend(linear(get, &ours("feed.outer"), &theirs("ff2")));
        for (a, b) in [("local_norm", "norm_local"), ("attention_norm", "norm_attn"), ("norm", "norm_ff")] {
            all.extend(norm(get, &format!("{}.rows", ours(a)), &theirs(b), true));
        }
    }
    all.extend(head(file, get));
    all
}

#[test]
fn exphormer() {
    // An expander's row is there in the file even if the expander is not.
    let unused = &["exp.edge_emb"];
    let outside = Outside { folder: "exphormer", case, table, unused, told: TOLD };
    for file in &files("exphormer") {
        let prepare = |batch: &Batch| {
            let Some(edges) = file.find("expander_edge_index") else { return };
            let count = edges.data.len() / 2;
            let edges = (0..count).map(|x| (edges.data[x] as u32, edges.data[count + x] as u32)).collect();
            let kind = serde_json::from_value(expander_kind(file).into()).unwrap();
            let settings = Exphormer { expander_degree: degree(file), expander: kind, ..Exphormer::default() };
            batch.derived(settings.expander_key(), |_| Expander { edges });
        };
        let how = How { prepare: &|_, _, batch| prepare(batch), ..How::default() };
        compare_one(&outside, file, &case(file).unwrap(), &how);
    }
}
