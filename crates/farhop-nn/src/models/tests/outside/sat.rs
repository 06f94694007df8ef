//! SAT with all kinds of message passing, over the graph and over copies of surroundings, with readouts and with a class token. Walk encodings
//! come as further numbers: the authors map both without a norm, and add.

use super::gps::{linear, norm};
use super::{Case, Get, Numbers, Outside, OutsideFile, compare};
use crate::ModelConfig;

/// Graph convolution reads entries only where they have features.
fn structure(file: &OutsideFile) -> &'static str {
    let convolution = if file.config["edge_dim"].is_null() { "plain" } else { "gcn" };
    file.word("gnn", &[("gcn", convolution), ("gine", "gine"), ("pna2", "pna")])
}

fn case(file: &OutsideFile) -> Option<Case> {
    let config = &file.config;
    let (mut arrays, mut inputs) = file.arrays(true);
    let (x, walk) = (file.find("x")?, file.find("rwse")?);
    let (a, b) = (x.shape[1], walk.shape[1]);
    let row = |i: usize| [&x.data[i * a..(i + 1) * a], &walk.data[i * b..(i + 1) * b]].concat();
    let rows: Vec<f32> = (0..x.shape[0]).flat_map(row).map(|v| v as f32).collect();
    (arrays.numbers, inputs.numbers) = (crate::BatchNumbers::Dense(rows), a + b);
    let pooled =
        [("null", (false, "mean")), ("mean", (false, "mean")), ("add", (false, "sum")), ("cls", (true, "mean"))];
    let (token, readout) = file.word("pooling", &pooled);
    let mut model = ModelConfig::from_name("sat").unwrap();
    for (key, value) in [
        ("width", config["hidden"].clone()),
        ("heads", config["heads"].clone()),
        ("layers", config["layers"].clone()),
        ("structure", structure(file).into()),
        ("subgraphs", file.word("extractor", &[("k-subtree", false), ("k-subgraph", true)]).into()),
        ("class_token", token.into()),
        ("readout", readout.into()),
        ("structure_hops", config["k_hop"].clone()),
        ("edge_width", config["edge_dim"].as_u64().unwrap_or(4).into()),
        ("towers", config["towers"].as_u64().unwrap_or(4).into()),
        ("degree_scale", config["degree_scale"].clone()),
        ("expansion", (file.count("ff") / file.count("hidden")).into()),
        ("dropout", 0.0.into()),
    ] {
        model = model.with(key, value).unwrap();
    }
    Some(Case { config: model, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let projection = Numbers::stacked(&[get.turned("enc.node.weight"), get.turned("enc.pe.weight")]);
    let mut all = vec![
        ("encoder.projection.weight".to_string(), projection),
        ("encoder.projection.bias".into(), get.get("enc.pe.bias")),
    ];
    if get.has("enc.edge.weight") {
        all.push(("edges.numbers.weight".into(), get.turned("enc.edge.weight")));
        // Their map of edges has no bias. Ours is set to zero; its gradient has no counterpart.
        all.push(("edges.numbers.bias".into(), get.without(file.count("edge_dim"))));
    }
    if get.has("cls_token") {
        all.push(("token".into(), get.get("cls_token")));
    }
    for l in 0..file.count("layers") {
        let (ours, theirs) = (|name: &str| format!("layers.{l}.{name}"), |name: &str| format!("layer{l}.{name}"));
        for k in 0..file.count("k_hop") {
            let (a, b) = (ours(&format!("structure.layers.{k}")), theirs(&format!("se.gnn{k}")));
            let pair = |x: &str, y: &str| linear(get, &format!("{a}.{x}"), &format!("{b}.{y}"));
            match structure(file) {
                "plain" => {
                    all.push((format!("{a}.convolution.weight"), get.turned(&format!("{b}.lin.weight"))));
                    all.push((format!("{a}.convolution.bias"), get.get(&format!("{b}.bias"))));
                }
                "gcn" => {
                    all.extend(pair("edges", "edge"));
                    all.extend(pair("linear", "linear"));
                    all.push((format!("{a}.root"), get.get(&format!("{b}.root"))));
                }
                "gine" => {
                    all.extend(pair("edges", "lin"));
                    all.extend(pair("inner", "lin1"));
                    all.extend(pair("outer", "lin2"));
                    all.push((format!("{a}.share"), get.get(&format!("{b}.eps"))));
                }
                _ => {
                    all.extend(pair("edges", "edge"));
                    all.extend(pair("joined", "lin"));
                    for (x, y) in [("before", "pre"), ("after", "post")] {
                        let (weight, bias) = (get.get(&format!("{b}.{y}.weight")), get.get(&format!("{b}.{y}.bias")));
                        for t in 0..weight.shape[0] {
                            let tower = weight.rows(t, t + 1).reshaped(&weight.shape[1..]).transposed();
                            all.push((format!("{a}.{x}.{t}.weight"), tower));
                            all.push((format!("{a}.{x}.{t}.bias"), bias.rows(t, t + 1)));
                        }
                    }
                }
            }
        }
        all.extend(norm(get, &ours("structure.norm"), &theirs("se.bn"), true));
        all.extend(linear(get, &ours("structure.output"), &theirs("se.out")));
        // Keys first.
        let both = get.get(&theirs("attn.qk.weight"));
        let half = both.shape[0] / 2;
        all.push((ours("key"), both.rows(0, half).transposed()));
        all.push((ours("query"), both.rows(half, 2 * half).transposed()));
        all.push((ours("value"), get.turned(&theirs("attn.v.weight"))));
        all.extend(linear(get, &ours("output"), &theirs("attn.out")));
        all.extend(norm(get, &ours("norm.rows"), &theirs("norm1"), true));
        all.extend(linear(get, &ours("feed.inner"), &theirs("ff1")));
        all.extend(linear(get, &ours("feed.outer"), &theirs("ff2")));
        all.extend(norm(get, &ours("feed_norm.rows"), &theirs("norm2"), true));
    }
    all.extend(linear(get, "head.hidden.0", "head.lin0"));
    all.extend(linear(get, "head.output", "head.lin1"));
    all
}

#[test]
fn sat() {
    compare(&Outside { folder: "sat", case, table, unused: &[], told: &[] });
}
