//! DRew in its three variants.

use super::gps::{head, head_names, linear, norm};
use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("hop_weights", &["ones"]), ("l2norm", &["true"])];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let config = &file.config;
    let unit_rows = file.word("head", &[("node_linear", false), ("pool_linear", false), ("node_mlp", true)]);
    let mut model = ModelConfig::from_name("drew").unwrap();
    for (key, value) in [
        ("width", config["hidden"].clone()),
        ("layers", config["layers"].clone()),
        ("variant", config["variant"].clone()),
        ("delay", if config["nu"] == "inf" { 0.into() } else { config["nu"].clone() }),
        ("furthest", config["k_max"].as_u64().unwrap_or(0).into()),
        ("head_layers", head_names(file).len().into()),
        ("unit_head_rows", unit_rows.into()),
        ("readout", file.word("pooling", &[("null", "mean"), ("mean", "mean"), ("add", "sum")]).into()),
        ("mean_of_hops", config["convex_combo"].clone()),
        ("residual", config["residual"].clone()),
        ("dropout", 0.0.into()),
    ] {
        model = model.with(key, value).unwrap();
    }
    Some(Case { config: model, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut all = linear(get, "encoder.projection", "enc.node");
    let furthest = file.config["k_max"].as_u64().map_or(usize::MAX, |most| most as usize);
    for t in 0..file.count("layers") {
        let hops = (t + 1).min(furthest);
        let (ours, theirs) = (|name: &str| format!("layers.{t}.{name}"), |name: &str| format!("layer{t}.{name}"));
        match file.config["variant"].as_str() {
            Some("gated") => {
                for (a, b) in [("own", "A"), ("values", "B"), ("receiver", "D"), ("sender", "E")] {
                    all.extend(linear(get, &ours(a), &theirs(b)));
                }
                all.extend(norm(get, &ours("own.norm"), &theirs("bn"), true));
            }
            Some("gin") => {
                all.extend(linear(get, &ours("own"), &theirs("self.lin")));
                all.extend(norm(get, &ours("own.norm"), &theirs("self.bn"), true));
                for k in 0..hops {
                    all.extend(linear(get, &ours(&format!("hops.{k}")), &theirs(&format!("hop{}.lin", k + 1))));
                    let (a, b) = (format!("hops.{k}.norm"), format!("hop{}.bn", k + 1));
                    all.extend(norm(get, &ours(&a), &theirs(&b), true));
                }
            }
            _ => {
                for k in 0..hops {
                    let weight = get.turned(&theirs(&format!("hop{}.gcn.weight", k + 1)));
                    all.push((ours(&format!("hops.{k}.weight")), weight));
                    let (a, b) = (format!("hops.{k}.norm"), format!("hop{}.bn", k + 1));
                    all.extend(norm(get, &ours(&a), &theirs(&b), true));
                }
            }
        }
    }
    all.extend(head(file, get));
    all
}

#[test]
fn drew() {
    compare(&Outside { folder: "drew", case, table, unused: &[], told: TOLD });
}
