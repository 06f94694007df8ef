//! A run over several processes is the run of one: the loss of every epoch, scores and predictions. The processes are threads here.

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::several::{Course, Losses, alone, compare, on_threads, places};
use farhop_data::catalogue::{self, DataFolders, LoadOptions};
use farhop_data::metrics::Metric;
use farhop_data::parts::write_parts;
use farhop_data::{Columns, Dataset, Level, Split, Target};
use farhop_graph::random::{mix, unit};
use farhop_graph::{ClusterOptions, Direction, GraphSet, build, cluster_with};
use farhop_nn::exchange::Group;
use farhop_nn::{ModelConfig, REGISTRY};
use farhop_train::{
    CheckpointEvery, Job, Keep, Material, Outputs, Recipe, Resume, Schedule, Silent, TrainError, TrainedRun,
    probabilities,
};

const EPOCHS: usize = 20;

/// In as many processes as the folder has parts.
fn together(folder: &Path, ranks: usize, recipe: &Recipe, nodes: usize) -> Course {
    let mut recipe = recipe.clone();
    recipe.data.dataset = Some(folder.display().to_string());
    let run = |group: Arc<Group>| {
        let places = places(Some(group));
        let mut seen = Losses::default();
        let material = Material::read(&recipe, &places).unwrap();
        let job = Job::new(recipe.clone(), material, &places);
        let trained = job.train(&mut seen, &AtomicBool::new(false)).unwrap();
        let outputs = Outputs::of_all(&trained.task, &trained.fitted.model).unwrap();
        let answers = probabilities(trained.task.target(), &outputs.values);
        let names = trained.task.own_part().unwrap().halo.own_names().to_vec();
        (seen, trained.fitted.summary.scores, names, answers)
    };
    let mut found = on_threads(ranks, run);
    let width = found[0].3.len() / found[0].2.len();
    let mut answers = vec![f32::NAN; nodes * width];
    for (_, _, names, rows) in &found {
        for (name, row) in names.iter().zip(rows.chunks_exact(width)) {
            answers[*name as usize * width..][..width].copy_from_slice(row);
        }
    }
    for (other, ..) in &found[1..] {
        assert_eq!(other.losses, found[0].0.losses, "all processes see the same losses");
    }
    let (seen, scores, ..) = found.swap_remove(0);
    Course { losses: seen.losses, valid: seen.valid, scores, answers }
}

/// A power-law graph with hubs, a pair of its own, and nodes without edges.
fn hubs(nodes: usize, width: usize, target: Target) -> Dataset {
    let random = |seed: u64, at: usize| unit(mix(seed, at as u64));
    let linked = nodes - 20;
    let mut edges = Vec::new();
    for node in 1..linked {
        // Low numbers are met often.
        for draw in 0..2 {
            let other = (random(3 + draw, node).powi(3) * node as f64) as u32;
            edges.push((node as u32, other));
        }
    }
    edges.push((linked as u32, linked as u32 + 1));
    let graph = build(nodes, &edges, Direction::Undirected).unwrap().graph;
    let features: Vec<f32> = (0..nodes * width).map(|at| random(9, at) as f32 - 0.5).collect();
    let rows: Vec<u32> = (0..nodes as u32).collect();
    let part = |from: usize| rows.iter().copied().filter(|row| *row as usize % 3 == from).collect();
    Dataset {
        nodes: Columns::dense(width, features),
        split: Split { train: part(0), valid: part(1), test: part(2) },
        ..Dataset::new("hubs", GraphSet::single(graph), Level::Node, target)
    }
    .check()
    .unwrap()
}

fn classes(nodes: usize) -> Target {
    let labels = (0..nodes).map(|node| Some((unit(mix(21, node as u64)) * 3.0) as u32)).collect();
    Target::Class { labels, classes: ["a", "b", "c"].map(String::from).to_vec() }
}

fn recipe(model: &str, settings: &[(&str, serde_json::Value)]) -> Recipe {
    let mut recipe = Recipe::for_model(model).unwrap();
    for (key, value) in settings {
        recipe.model = recipe.model.with(key, value.clone()).unwrap();
    }
    recipe.train.epochs = EPOCHS;
    recipe.train.patience = None;
    recipe.train.learning_rate = 0.01;
    recipe.train.checkpoint_every = CheckpointEvery::Epochs(1);
    recipe.train.seed = 5;
    recipe.data.scaling = farhop_data::FeatureScaling::None;
    recipe
}

fn recipes() -> Vec<(&'static str, Recipe)> {
    use serde_json::json;
    vec![
        (
            "gen, dropout of all kinds, batch norm",
            recipe(
                "gen",
                &[
                    ("width", json!(8)),
                    ("hops", json!(4)),
                    ("heads", json!(2)),
                    ("layers", json!(2)),
                    ("norm", json!("batch")),
                    // A bias before a batch norm has a gradient of nothing but rounding, which Adam makes large.
                    ("feed_forward", json!(false)),
                    ("dropout", json!(0.3)),
                    ("input_dropout", json!(0.2)),
                    ("attention_dropout", json!(0.2)),
                ],
            ),
        ),
        (
            "gen, fixed coefficients, recomputed",
            recipe(
                "gen",
                &[
                    ("width", json!(8)),
                    ("hops", json!(3)),
                    ("layers", json!(2)),
                    ("coefficients", json!("gcn")),
                    ("recompute", json!(true)),
                ],
            ),
        ),
        ("gcn", recipe("gcn", &[("width", json!(8)), ("layers", json!(3)), ("dropout", json!(0.5))])),
        ("mlp", recipe("mlp", &[("width", json!(8)), ("dropout", json!(0.4))])),
    ]
}

fn divided(dataset: &Dataset, owners: &[u32], parts: usize, place: &Path) {
    write_parts(dataset, owners, parts as u32, "test", place).unwrap();
}

#[test]
fn hubs_and_lone_nodes_over_any_number_of_processes() {
    let data = hubs(200, 6, classes(200));
    for (name, recipe) in recipes() {
        let one = alone(&data, &recipe);
        for parts in [1, 2, 3, 4, 8] {
            let place = tempfile::tempdir().unwrap();
            let clusters =
                cluster_with(data.graphs.union(), parts, &ClusterOptions { seed: 1, ..ClusterOptions::default() });
            divided(&data, clusters.unwrap().of_node(), parts, place.path());
            let several = together(place.path(), parts, &recipe, 200);
            compare(&one, &several, &format!("{name}, P = {parts}"));
            let again = together(place.path(), parts, &recipe, 200);
            assert_eq!(again.losses, several.losses, "{name}, P = {parts}: the same bits again");
            assert_eq!(again.answers, several.answers, "{name}, P = {parts}: the same bits again");
        }
    }
}

/// Every model of the registry that says that it spreads, with dropout.
#[test]
fn every_model_that_spreads() {
    let data = hubs(200, 6, classes(200));
    let mut tried = 0;
    for registered in REGISTRY {
        let mut model = ModelConfig::from_name(registered.name).unwrap();
        if !model.properties().spreads {
            continue;
        }
        tried += 1;
        for (key, value) in [("width", serde_json::json!(12)), ("layers", 2.into()), ("dropout", 0.2.into())] {
            if !registered.idle.contains(&key) {
                model = model.with(key, value).unwrap();
            }
        }
        if registered.name == "appnp" {
            model = model.with("edge_dropout", 0.3).unwrap();
        }
        if registered.name == "gat" {
            model = model.with("heads", 3).unwrap();
        }
        let mut recipe = recipe(registered.name, &[]);
        recipe.model = model;
        // A bias before a batch norm has a gradient of nothing but rounding, which this keeps small.
        recipe.train.optimizer.epsilon = 1e-3;
        let one = alone(&data, &recipe);
        for parts in [2, 3] {
            let place = tempfile::tempdir().unwrap();
            let owners: Vec<u32> = (0..200).map(|node| (mix(6, node) % parts) as u32).collect();
            divided(&data, &owners, parts as usize, place.path());
            compare(
                &one,
                &together(place.path(), parts as usize, &recipe, 200),
                &format!("{}, P = {parts}", registered.name),
            );
        }
    }
    assert!(tried >= 12, "{tried} models spread");
}

/// One part has no node to learn from, and one has no neighbour elsewhere; hubs lie in random parts.
#[test]
fn parts_without_training_nodes_and_without_boundary() {
    let mut data = hubs(200, 6, classes(200));
    let mut owners: Vec<u32> = (0..200).map(|node| (mix(2, node) % 2) as u32).collect();
    // The nodes without edges, and the pair, have a part of their own.
    owners[180..].fill(2);
    data.split.train.retain(|node| owners[*node as usize] == 0);
    for (name, recipe) in recipes() {
        let one = alone(&data, &recipe);
        let place = tempfile::tempdir().unwrap();
        divided(&data, &owners, 3, place.path());
        compare(&one, &together(place.path(), 3, &recipe, 200), name);
    }
}

#[test]
fn numbers_labels_weighted_classes_and_rows_that_weigh() {
    let nodes = 120;
    let values: Vec<f32> = (0..2 * nodes).map(|at| 3.0 + unit(mix(4, at as u64)) as f32).collect();
    let names = ["x", "y"].map(String::from).to_vec();
    let yes = values.iter().map(|value| f32::from(u8::from(*value > 3.4))).collect();
    let targets = [
        Target::Number { values: values.clone(), names: names.clone() },
        Target::Binary { values: yes, names },
        classes(nodes),
    ];
    for (target, weigh) in targets.into_iter().flat_map(|target| [(target.clone(), false), (target, true)]) {
        let weighted = matches!(target, Target::Class { .. });
        let mut data = hubs(nodes, 4, target);
        if weigh {
            data.weights = (0..nodes).map(|node| (node % 4) as f32).collect();
        }
        let (_, mut recipe) = recipes().swap_remove(0);
        if weighted {
            recipe.train.loss = farhop_train::LossKind::WeightedCrossEntropy;
        }
        let one = alone(&data, &recipe);
        let place = tempfile::tempdir().unwrap();
        let owners: Vec<u32> = (0..nodes as u64).map(|node| (mix(8, node) % 3) as u32).collect();
        divided(&data, &owners, 3, place.path());
        compare(
            &one,
            &together(place.path(), 3, &recipe, nodes),
            &format!("{}, rows weigh: {weigh}", data.metric.name()),
        );
    }
}

/// A run of four processes that is interrupted goes on with one, and with eight.
#[test]
fn a_run_goes_on_with_another_number_of_processes() {
    let data = hubs(200, 6, classes(200));
    let (_, mut recipe) = recipes().swap_remove(0);
    // A schedule knows the number of epochs, which differs here.
    recipe.train.schedule = Schedule::Constant;
    let one = alone(&data, &recipe);
    let place = tempfile::tempdir().unwrap();
    for parts in [1, 4, 8] {
        let owners: Vec<u32> = (0..200).map(|node| (mix(6, node) % parts) as u32).collect();
        divided(&data, &owners, parts as usize, &place.path().join(format!("{parts}.parts")));
    }
    let folder = |parts: u64| place.path().join(format!("{parts}.parts")).display().to_string();
    let mut short = recipe.clone();
    short.data.dataset = Some(folder(4));
    short.train.epochs = 12;
    for then in [1, 8] {
        let run = place.path().join(format!("run-{then}"));
        let keep = Keep::In { path: run.clone(), overwrite: false };
        on_threads(4, |group| {
            let places = places(Some(group));
            let material = Material::read(&short, &places).unwrap();
            let job = Job { keep: keep.clone(), ..Job::new(short.clone(), material, &places) };
            job.train(&mut Silent, &AtomicBool::new(false)).unwrap();
        });
        assert!(TrainedRun::open(&run).is_ok(), "the folder is whole");
        let mut seen = on_threads(then as usize, |group| {
            let mut seen = Losses::default();
            let resume =
                Resume { epochs: Some(EPOCHS), dataset: Some(folder(then)), group: Some(group), ..Resume::new(&run) };
            resume.train(&mut seen, &AtomicBool::new(false)).unwrap();
            seen.losses
        });
        let losses = seen.swap_remove(0);
        assert_eq!(losses.len(), EPOCHS - 12);
        for (found, expected) in losses.iter().zip(&one.losses[12..]) {
            assert!((found - expected).abs() <= 1e-5 * expected, "4 processes, then {then}: {found} for {expected}");
        }
    }
}

#[test]
fn what_does_not_belong_together_is_refused_on_all() {
    let data = hubs(120, 4, classes(120));
    let place = tempfile::tempdir().unwrap();
    let owners = |seed: u64| -> Vec<u32> { (0..120).map(|node| (mix(seed, node) % 2) as u32).collect() };
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    divided(&data, &owners(1), 2, &one);
    divided(&data, &owners(2), 2, &other);
    let (_, recipe) = recipes().swap_remove(2);
    let refusal = |folder: &Path, ranks: usize, change: &(dyn Fn(usize, &mut Recipe) + Sync)| {
        let said = on_threads(ranks, |group| -> String {
            let rank = group.rank();
            let places = places(Some(group));
            let mut recipe = recipe.clone();
            recipe.data.dataset = Some(folder.display().to_string());
            change(rank, &mut recipe);
            let run = || -> Result<(), TrainError> {
                let material = Material::read(&recipe, &places)?;
                Job::new(recipe.clone(), material, &places).train(&mut Silent, &AtomicBool::new(false))?;
                Ok(())
            };
            run().unwrap_err().to_string()
        });
        assert!(said.iter().all(|line| *line == said[0] && !line.contains('\n')), "{said:?}");
        said[0].clone()
    };
    let nothing = |_: usize, _: &mut Recipe| {};
    let said = refusal(&one, 3, &nothing);
    assert!(said.contains("has 2 parts, and there are 3 processes"), "{said}");
    let said = refusal(&one, 2, &|rank, recipe| recipe.train.seed = rank as u64);
    assert!(said.contains("the recipe of process 1 is not that of process 0"), "{said}");
    let said = refusal(&one, 2, &|_, recipe| recipe.model = Recipe::for_model("gps").unwrap().model);
    assert!(
        said.contains(
            "gps can't be spread over several processes. Those that can: gen, gcn, mlp, appnp, gat, graphsage"
        ),
        "{said}"
    );
    // A flipped byte, a part of another division, a missing part.
    let file = one.join("part-00001.farhop");
    let whole = std::fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    std::fs::write(&file, flipped).unwrap();
    let said = refusal(&one, 2, &nothing);
    assert!(
        said.contains("process 1 of 2") && said.contains("part-00001.farhop") && said.contains("checksum"),
        "{said}"
    );
    std::fs::copy(other.join("part-00001.farhop"), &file).unwrap();
    let said = refusal(&one, 2, &nothing);
    assert!(said.contains("part-00001.farhop") && said.contains("another division"), "{said}");
    std::fs::remove_file(&file).unwrap();
    let said = refusal(&one, 2, &nothing);
    assert!(said.contains("process 1 of 2") && said.contains("part-00001.farhop: it is missing"), "{said}");
    std::fs::write(&file, whole).unwrap();
    let manifest = one.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("\"version\": 1", "\"version\": 7")).unwrap();
    let said = refusal(&one, 2, &nothing);
    assert!(said.contains("manifest.json") && said.contains("another version"), "{said}");
}

/// The first two citation networks, where they are at hand.
#[test]
fn citation_networks() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("FARHOP_DATA").is_none().then_some(beside);
    for name in ["cora", "pubmed"] {
        let entry = catalogue::find(name).unwrap();
        let Ok(mut data) = catalogue::load(entry, &DataFolders::usual(data.as_deref()), &LoadOptions::default()) else {
            println!("{name}: skipped, not at hand");
            continue;
        };
        data.nodes.row_normalise();
        data.metric = Metric::Accuracy;
        let (_, mut recipe) = recipes().swap_remove(0);
        recipe.model = recipe.model.with("input_projection", true).unwrap();
        let one = alone(&data, &recipe);
        let nodes = data.graphs.union().nodes();
        for parts in if name == "cora" { vec![2, 3, 4, 8] } else { vec![4] } {
            let place = tempfile::tempdir().unwrap();
            let clusters = cluster_with(data.graphs.union(), parts, &ClusterOptions::default()).unwrap();
            divided(&data, clusters.of_node(), parts, place.path());
            compare(&one, &together(place.path(), parts, &recipe, nodes), &format!("{name}, P = {parts}"));
        }
    }
}
