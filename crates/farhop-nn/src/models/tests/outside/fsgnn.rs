//! FSGNN. Its program collects against the direction of edges, so edges are turned round here; that matters in `directed` alone.

use std::sync::Arc;

use farhop_graph::{Direction, build};

use super::{Case, Get, Numbers, Outside, OutsideFile, compare_log_probabilities};
use crate::{BatchArrays, ModelConfig};

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let graph = &arrays.graph;
    let turned: Vec<(u32, u32)> = (0..graph.nodes() as u32)
        .flat_map(|target| graph.neighbours(target as usize).iter().map(move |&source| (target, source)))
        .collect();
    let direction = if graph.is_directed() { Direction::Directed } else { Direction::Undirected };
    let arrays = BatchArrays { graph: Arc::new(build(graph.nodes(), &turned, direction).unwrap().graph), ..arrays };
    let kinds = file.word("feat_type", &[("homophily", "with-self"), ("heterophily", "without-self"), ("all", "all")]);
    let large = is_large(file);
    let config = ModelConfig::from_name("fsgnn").unwrap().with("hop_features", kinds).unwrap();
    let config = config.with("width", file.config["hidden"].clone()).unwrap();
    let config = config.with("hops", file.config["K"].clone()).unwrap();
    let config = config.with("unit_rows", file.config["layer_norm"].clone()).unwrap();
    let config = config.with("mean_one", large).unwrap().with("head_layers", if large { 2 } else { 1 }).unwrap();
    Some(Case { config: config.with("dropout", 0.0).unwrap(), inputs, outputs: file.outputs(), arrays })
}

fn is_large(file: &OutsideFile) -> bool {
    file.word("model", &[("fsgnn", false), ("fsgnn_large", true)])
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let members = get.get("att").data.len();
    let mut table = vec![("selection".into(), get.get("att"))];
    let mut linear = |ours: String, theirs: String| {
        table.push((format!("{ours}.weight"), get.turned(&format!("{theirs}.weight"))));
        table.push((format!("{ours}.bias"), get.get(&format!("{theirs}.bias"))));
    };
    let (map, last) = if is_large(file) { ("wt1", "fc3") } else { ("fc1", "fc2") };
    (0..members).for_each(|i| linear(format!("maps.{i}"), format!("{map}.{i}")));
    if is_large(file) {
        linear("head.hidden.0".into(), "fc2".into());
    }
    linear("head.output".into(), last.into());
    table
}

#[test]
fn fsgnn() {
    compare_log_probabilities(&Outside { folder: "fsgnn", case, table, unused: &[], told: &[] });
}
