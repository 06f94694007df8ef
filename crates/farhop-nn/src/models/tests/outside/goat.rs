//! GOAT: the file of the full-graph form, and its codebook after a step. The others are of sampled neighbourhoods,
//! another model.

use super::{Case, Get, Numbers, Outside, OutsideFile, assert_close, compare, files, load};
use crate::{Batch, Context, ModelConfig};

const OUTSIDE: Outside = Outside { folder: "goat", case, table, unused: &[] };

fn case(file: &OutsideFile) -> Option<Case> {
    if file.config["variant"] != "tuned" {
        return None;
    }
    let (arrays, inputs) = file.arrays(false);
    let config = ModelConfig::from_name("goat").ok()?;
    let settings = [
        ("width", "hidden_channels"),
        ("layers", "layers"),
        ("heads", "heads"),
        ("centroids", "num_centroids"),
        ("decay", "decay"),
        ("dropout", "dropout"),
        ("attention_dropout", "dropout"),
    ];
    let config = settings
        .into_iter()
        .try_fold(config, |config, (ours, theirs)| config.with(ours, file.config[theirs].clone()))
        .unwrap();
    let norm = if file.config["norm"] == "batch_norm" { "batch" } else { "layer" };
    Some(Case { config: config.with("norm", norm).unwrap(), inputs, outputs: file.outputs(), arrays })
}

/// Our names of what a layer's codebook stores, and theirs. How often centroids are used is counted.
const STORED: [(&str, &str); 6] = [
    ("centroids", "vq.embedding"),
    ("values", "vq.embedding_output"),
    ("sums", "vq.ema_w"),
    ("sizes", "vq.ema_cluster_size"),
    ("running_mean", "vq.bn.running_mean"),
    ("running_variance", "vq.bn.running_var"),
];

fn counts(chosen: &Numbers, centroids: usize) -> Numbers {
    let mut data = vec![0.0; centroids];
    chosen.data.iter().for_each(|centroid| data[*centroid as usize] += 1.0);
    Numbers { shape: vec![centroids], data }
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut names = Vec::new();
    let mut linear = |ours: String, theirs: String| {
        names.extend(["weight", "bias"].map(|part| (format!("{ours}.{part}"), format!("{theirs}.{part}"))));
    };
    linear("input".into(), "in1".into());
    linear("input_output".into(), "in2".into());
    linear("head.output".into(), "out".into());
    let maps = [
        ("local_query", "loc_q"),
        ("local_key", "loc_k"),
        ("local_value", "loc_v"),
        ("projection", "glob_proj"),
        ("global_query", "glob_q"),
        ("global_key", "glob_k"),
        ("global_value", "glob_v"),
        ("inner", "ff1"),
        ("outer", "ff2"),
    ];
    let mut norms = vec![("input_norm".to_string(), "in_norm".to_string())];
    for i in 0..file.count("layers") {
        maps.iter().for_each(|(ours, theirs)| linear(format!("layers.{i}.{ours}"), format!("{i}.{theirs}")));
        norms.push((format!("layers.{i}.inner_norm"), format!("{i}.ff1_norm")));
        norms.push((format!("layers.{i}.outer_norm"), format!("{i}.ff2_norm")));
    }
    let arrays =
        [("scale", "weight"), ("shift", "bias"), ("running_mean", "running_mean"), ("running_variance", "running_var")];
    for (ours, theirs) in norms {
        names.extend(arrays.map(|(our, their)| (format!("{ours}.{our}"), format!("{theirs}.{their}"))));
    }
    for i in 0..file.count("layers") {
        let stored = STORED.map(|(ours, theirs)| (format!("layers.{i}.codebook.{ours}"), format!("{i}.{theirs}")));
        names.extend(stored);
    }
    let mut table: Vec<_> = names.into_iter().map(|(ours, theirs)| (ours, get.get(&theirs))).collect();
    for i in 0..file.count("layers") {
        let used = counts(&get.get(&format!("{i}.c_idx")), file.count("num_centroids"));
        table.push((format!("layers.{i}.codebook.used"), used));
    }
    table
}

#[test]
fn goat() {
    compare(&OUTSIDE);
}

#[test]
fn goat_codebooks_follow_a_step() {
    let mut compared = 0;
    for file in files(OUTSIDE.folder) {
        let Some(case) = case(&file) else { continue };
        let mut model = case.config.init(&case.inputs, case.outputs, 1).unwrap();
        load(&OUTSIDE, &file, model.network_mut());
        let batch = Batch::from_arrays(case.arrays.clone(), &case.inputs);
        let context = Context::training(1, 1);
        model.network().tracked().run(batch.input(), &batch, &context);
        let updates = context.into_updates();
        let after = |name: String| file.find(&format!("buffer_after/{name}")).unwrap();
        for i in 0..file.count("layers") {
            let mut expected: Vec<(&str, Numbers)> =
                STORED.iter().map(|(ours, theirs)| (*ours, after(format!("{i}.{theirs}")))).collect();
            expected.push(("used", counts(&after(format!("{i}.c_idx")), file.count("num_centroids"))));
            for (ours, expected) in expected {
                let name = format!("layers.{i}.codebook.{ours}");
                let id = model.network().arrays().into_iter().find(|array| array.name == name).unwrap().id;
                let (_, found) = updates.iter().find(|(updated, _)| *updated == id).unwrap();
                assert_close(&format!("{}, {name}", file.name), found, &expected.data, 0.0);
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}
