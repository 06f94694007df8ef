//! GOAT: the form of the authors with their tokens, the full-graph form, and codebooks after a step.

use super::{Case, Get, How, Numbers, Outside, OutsideFile, Told, add_array, assert_close, compare_how, files, load};
use crate::models::goat::tokens::{Found, RecordedTokens, Tokens};
use crate::ops::RowChoice;
use crate::{Batch, Context, Level, ModelConfig, OutputShape};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("conv_type", &["full"]), ("skip", &["false"]), ("sizes", &["[]"])];

const OUTSIDE: Outside = Outside { folder: "goat", case, table, unused: &[], told: TOLD };

/// Our name for the authors' node2vec codes.
const POSITIONS: &str = "positions";

fn is_authors(file: &OutsideFile) -> bool {
    file.word("variant", &[("authors", true), ("tuned", false)])
}

fn case(file: &OutsideFile) -> Option<Case> {
    let (mut arrays, mut inputs) = file.arrays(false);
    let mut config = ModelConfig::from_name("goat").unwrap();
    let mut settings = vec![
        ("width", "hidden_channels"),
        ("layers", "layers"),
        ("heads", "heads"),
        ("centroids", "num_centroids"),
        ("decay", "decay"),
        ("code_width", "global_dim"),
        ("dropout", "dropout"),
        ("attention_dropout", "dropout"),
    ];
    let authors = is_authors(file);
    assert_eq!(file.config["dist_count_norm"] == true, authors, "{}: counts of tokens", file.name);
    if authors {
        settings.push(("draws", "sizes"));
        config = config.with("positions", true).unwrap();
        let codes = file.find("pos_enc")?;
        add_array(&mut arrays, &mut inputs, POSITIONS, codes.shape[1], codes.to_f32());
    }
    let config = settings
        .into_iter()
        .try_fold(config, |config, (ours, theirs)| config.with(ours, file.config[theirs].clone()))
        .unwrap();
    let norm = file.word("norm", &[("batch_norm", "batch"), ("layer_norm", "layer")]);
    let outputs = OutputShape { level: Level::Node, outputs: file.find("out")?.shape[1] };
    Some(Case { config: config.with("norm", norm).unwrap(), inputs, outputs, arrays })
}

/// Gives the batch the tokens of the file.
fn prepare(file: &OutsideFile, batch: &Batch) {
    let Some(edges) = file.find("token_edge_index") else { return };
    let [nodes, distances, counts] =
        ["node_idx", "token_dist", "token_dist_count"].map(|name| file.find(name).unwrap());
    let targets = file.find("batch_nodes").unwrap().data.len();
    let mut found: Vec<Vec<Found>> = vec![Vec::new(); targets];
    let tokens = distances.data.len();
    for (at, distance) in distances.data.iter().enumerate() {
        let (token, target) = (edges.data[at] as u32, edges.data[tokens + at] as usize);
        if token as usize != target {
            found[target].push((token, *distance as u16));
        } else {
            assert_eq!((*distance, counts.data[at]), (0.0, 1.0), "a node is its own token at distance 0");
        }
    }
    found.iter_mut().for_each(|row| row.sort_unstable());
    let rounds = file.config["sizes"].as_array().unwrap().len();
    let rows = nodes.data.iter().map(|node| *node as u32).collect();
    let read = RowChoice::new(rows, batch.nodes());
    let tokens = Tokens { nodes: Some(read), ..Tokens::new(found, rounds, nodes.data.len()) };
    batch.derived(0, |_| RecordedTokens(Some(tokens)));
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
    let bias = |i: usize| (format!("layers.{i}.distances"), format!("{i}.dist_bias"));
    let biased = is_authors(file);
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
    let normed = file.config["norm"] == "batch_norm";
    names.retain(|(ours, _)| normed || !ours.contains("running_"));
    names.extend((0..file.count("layers")).filter(|_| biased).map(bias));
    for i in 0..file.count("layers") {
        let stored = STORED.map(|(ours, theirs)| (format!("layers.{i}.codebook.{ours}"), format!("{i}.{theirs}")));
        names.extend(stored);
    }
    let mut table: Vec<_> = names.into_iter().map(|(ours, theirs)| (ours, get.get(&theirs))).collect();
    for i in 0..file.count("layers") {
        let mut used = counts(&get.get(&format!("{i}.c_idx")), file.count("num_centroids"));
        if !get.prefix.is_empty() {
            // After a step, rows of the step count here: see below.
            used = used.map(|_| f64::NAN);
        }
        table.push((format!("layers.{i}.codebook.used"), used));
    }
    table
}

#[test]
fn goat() {
    let how =
        How { prepare: &|file, _, batch| prepare(file, batch), arrays: &[(POSITIONS, "pos_enc")], ..How::default() };
    compare_how(&OUTSIDE, &how);
}

#[test]
fn goat_codebooks_follow_a_step() {
    let mut compared = 0;
    for file in files(OUTSIDE.folder) {
        let (Some(case), Some(_)) = (case(&file), file.find("buffer_after/0.c_idx")) else { continue };
        let mut model = case.config.init(&case.inputs, case.outputs, 1).unwrap();
        load(&OUTSIDE, &file, model.network_mut());
        let batch = Batch::from_arrays(case.arrays.clone(), &case.inputs);
        prepare(&file, &batch);
        let context = Context::training(1, 1);
        model.network().tracked().run(batch.input(), &batch, &context);
        let updates = context.into_updates();
        let after = |name: String| file.find(&format!("buffer_after/{name}")).unwrap();
        for i in 0..file.count("layers") {
            let mut expected: Vec<(&str, Numbers)> =
                STORED.iter().map(|(ours, theirs)| (*ours, after(format!("{i}.{theirs}")))).collect();
            // Rows of the step: of the nodes that answer, if these are not all.
            let mut chosen = after(format!("{i}.c_idx"));
            if let Some(targets) = file.find("batch_nodes") {
                chosen.data = targets.data.iter().map(|node| chosen.data[*node as usize]).collect();
            }
            expected.push(("used", counts(&chosen, file.count("num_centroids"))));
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
