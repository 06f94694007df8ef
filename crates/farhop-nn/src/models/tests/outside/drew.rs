//! DRew in its three variants.

use super::gps::{linear, norm};
use super::{Case, Get, Numbers, Outside, OutsideFile, compare};
use crate::ModelConfig;

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let config = &file.config;
    let mut model = ModelConfig::from_name("drew").ok()?;
    for (key, value) in [
        ("width", config["hidden"].clone()),
        ("layers", config["layers"].clone()),
        ("variant", config["variant"].clone()),
        ("delay", if config["nu"] == "inf" { 0.into() } else { config["nu"].clone() }),
        ("mean_of_hops", config["convex_combo"].clone()),
        ("residual", config["residual"].clone()),
        ("dropout", 0.0.into()),
    ] {
        model = model.with(key, value).ok()?;
    }
    Some(Case { config: model, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut all = linear(get, "encoder.projection", "enc.node");
    for t in 0..file.count("layers") {
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
                for k in 0..=t {
                    all.extend(linear(get, &ours(&format!("hops.{k}")), &theirs(&format!("hop{}.lin", k + 1))));
                    let (a, b) = (format!("hops.{k}.norm"), format!("hop{}.bn", k + 1));
                    all.extend(norm(get, &ours(&a), &theirs(&b), true));
                }
            }
            _ => {
                for k in 0..=t {
                    let weight = get.turned(&theirs(&format!("hop{}.gcn.weight", k + 1)));
                    all.push((ours(&format!("hops.{k}.weight")), weight));
                    let (a, b) = (format!("hops.{k}.norm"), format!("hop{}.bn", k + 1));
                    all.extend(norm(get, &ours(&a), &theirs(&b), true));
                }
            }
        }
    }
    all.extend(linear(get, "head.output", "head.lin0"));
    all
}

#[test]
fn drew() {
    compare(&Outside { folder: "drew", case, table, unused: &[] });
}
