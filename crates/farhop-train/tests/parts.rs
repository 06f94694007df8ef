//! One graph, seen part by part.

mod common;

use std::sync::atomic::AtomicBool;

use common::{Recorder, recipe as small_recipe, record};
use farhop_data::metrics::Metric;
use farhop_data::{Columns, Csr, Dataset, Level, Numbers, Split, Target};
use farhop_graph::random::{Stream, mix};
use farhop_graph::{Direction, GraphSet, build, generate};
use farhop_nn::{ModelConfig, NormKind};
use farhop_train::{
    EncodingConfig, Encodings, Fitted, Outputs, Recipe, RunFolder, Session, Silent, Task, TrainConfig, fit, scores,
};
use serde_json::json;

const NODES: usize = 240;
const WIDTH: usize = 6;

/// A random graph with features of nodes and edges; the class is whether the features of the neighbours add up to more than 0.
fn dataset(directed: bool) -> Dataset {
    let drawn = generate::chung_lu(NODES, 400, 2.8, 5).unwrap();
    let pairs: Vec<(u32, u32)> = (0..NODES)
        .flat_map(|node| drawn.neighbours(node).iter().map(move |other| (*other, node as u32)))
        .filter(|(a, b)| a < b)
        .collect();
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let graph = build(NODES, &pairs, direction).unwrap().graph;
    let mut random = Stream::new(3);
    let features: Vec<f32> = (0..NODES * WIDTH).map(|_| random.normal() as f32).collect();
    let edge_numbers: Vec<f32> = (0..2 * graph.entries()).map(|_| random.normal() as f32).collect();
    let sum = |node: usize| graph.neighbours(node).iter().map(|other| features[*other as usize * WIDTH]).sum::<f32>();
    let labels = (0..NODES).map(|node| Some(u32::from(sum(node) > 0.0))).collect();
    let of = |rest: u32| (0..NODES as u32).filter(|node| mix(9, u64::from(*node)) as u32 % 4 == rest).collect();
    let dataset = Dataset {
        nodes: Columns {
            sizes: vec![5],
            categories: (0..NODES as u16).map(|node| node % 5).collect(),
            ..Columns::dense(WIDTH, features)
        },
        edges: Columns::dense(2, edge_numbers),
        split: Split { train: of(0), valid: of(1), test: of(2) },
        metric: Metric::Accuracy,
        ..Dataset::new(
            "drawn",
            GraphSet::single(graph),
            Level::Node,
            Target::Class { labels, classes: vec!["no".into(), "yes".into()] },
        )
    };
    dataset.check().unwrap()
}

fn model(name: &str, norm: NormKind) -> ModelConfig {
    let settings = match name {
        "gen" => json!({
            "kind": name, "width": 8, "layers": 2, "hops": 2, "heads": 2, "norm": norm, "dropout": 0.3, "attention_dropout": 0.1,
        }),
        name => json!({ "kind": name, "width": 8, "layers": 2, "norm": norm }),
    };
    serde_json::from_value(settings).unwrap()
}

fn config(parts: Option<usize>, halo: Option<usize>, per_batch: usize) -> TrainConfig {
    TrainConfig { parts, halo, parts_per_batch: per_batch, ..small_recipe(4).train }
}

fn task(dataset: &Dataset, config: &TrainConfig) -> Task {
    let encodings = EncodingConfig { walk: 3, laplacian: 2 }.compute(&dataset.graphs).unwrap();
    Task::new(dataset.clone(), encodings, config, None).unwrap()
}

fn trained(task: &Task, model: &ModelConfig, config: &TrainConfig) -> Fitted {
    let stop = AtomicBool::new(false);
    fit(task, model, config, &mut Session { folder: None, observer: &mut Silent, stop: &stop }).unwrap()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn one_part_without_a_halo_is_the_full_batch_to_the_last_bit() {
    for (name, directed) in [("gen", false), ("gen", true), ("gcn", false)] {
        let (data, model) = (dataset(directed), model(name, NormKind::Batch));
        let (whole, part) = (config(None, None, 1), config(Some(1), None, 1));
        let (one, two) = (task(&data, &whole), task(&data, &part));
        let (first, second) = (trained(&one, &model, &whole), trained(&two, &model, &part));
        assert_eq!(first.model.to_safetensors(), second.model.to_safetensors(), "{name}");
        assert_eq!(first.summary.scores, second.summary.scores);
        let answers = |task: &Task, fitted: &Fitted| bits(&Outputs::of_all(task, &fitted.model).unwrap().values);
        assert_eq!(answers(&one, &first), answers(&two, &second));
    }
}

#[test]
fn a_halo_as_wide_as_the_model_sees_gives_the_answers_of_the_full_batch() {
    // Two layers of two hops; symmetric normalisation also counts the neighbours of those it reads.
    for (name, directed, halo) in [("gen", false, 4), ("gen", true, 4), ("gcn", false, 3), ("gcn", true, 3)] {
        let (data, model) = (dataset(directed), model(name, NormKind::Batch));
        let whole = config(None, None, 1);
        let fitted = trained(&task(&data, &whole), &model, &whole);
        let exact = Outputs::of_all(&task(&data, &whole), &fitted.model).unwrap();
        let difference = |config: &TrainConfig| {
            let found = Outputs::of_all(&task(&data, config), &fitted.model).unwrap();
            assert_eq!(found.rows, exact.rows);
            let pairs = found.values.iter().zip(&exact.values);
            pairs.map(|(one, two)| (one - two).abs() / (1.0 + two.abs())).fold(0.0, f32::max)
        };
        for (parts, per_batch) in [(2, 1), (7, 1), (7, 3)] {
            let near = difference(&config(Some(parts), Some(halo), per_batch));
            assert!(near < 1e-4, "{name}, directed {directed}, {parts} parts: {near}");
        }
        let cut_off = difference(&config(Some(7), None, 1));
        assert!(cut_off > 1e-2, "{name}: a part that is cut off answers the same ({cut_off})");
    }
}

#[test]
fn what_is_said_of_a_node_does_not_depend_on_who_else_is_asked_for() {
    let (data, model) = (dataset(false), model("gen", NormKind::Layer));
    let config = config(Some(9), Some(1), 2);
    let task = task(&data, &config);
    let fitted = trained(&task, &model, &config);
    let all = Outputs::of_all(&task, &fitted.model).unwrap();
    let some = [17u32, 3, 200, 101];
    let found = Outputs::of_units(&task, &fitted.model, &some).unwrap();
    assert_eq!(found.rows, some);
    let expected: Vec<f32> = some.iter().flat_map(|node| &all.values[*node as usize * 2..][..2]).copied().collect();
    assert_eq!(bits(&found.values), bits(&expected));
    assert_eq!(scores(&task, &fitted.model).unwrap(), fitted.summary.scores);
}

#[test]
fn every_training_node_is_learned_from_once_an_epoch() {
    let (data, mut model) = (dataset(false), model("gen", NormKind::Layer));
    model = model.with("dropout", 0.0).unwrap().with("attention_dropout", 0.0).unwrap();
    // Steps too small to change anything, and batches that see all that matters: the loss of a step is the mean over the
    // training nodes of its part under the initial weights.
    let mut config = config(Some(3), Some(4), 1);
    (config.learning_rate, config.epochs) = (1e-12, 1);
    // No eigenvectors: training turns their signs.
    let task = Task::new(data.clone(), Encodings::default(), &config, None).unwrap();
    assert_eq!(task.steps(), 3);
    struct Losses(Vec<f32>);
    impl farhop_train::Observer for Losses {
        fn step(&mut self, _: usize, _: usize, _: usize, loss: f32) {
            self.0.push(loss);
        }
    }
    let mut losses = Losses(Vec::new());
    let stop = AtomicBool::new(false);
    let fitted =
        fit(&task, &model, &config, &mut Session { folder: None, observer: &mut losses, stop: &stop }).unwrap();
    let outputs = Outputs::of_all(&task, &fitted.model).unwrap();
    let Target::Class { labels, .. } = &data.target else { unreachable!() };
    let loss = |node: u32| {
        let row: Vec<f64> = outputs.values[node as usize * 2..][..2].iter().map(|value| f64::from(*value)).collect();
        let label = labels[node as usize].unwrap() as usize;
        (row[0].exp() + row[1].exp()).ln() - row[label]
    };
    let (parting, halo) = task.parting().unwrap();
    assert_eq!((parting.parts(), halo), (3, 4));
    let of_part = |part: u32| {
        let nodes: Vec<u32> =
            data.split.train.iter().copied().filter(|node| parting.of_node()[*node as usize] == part).collect();
        nodes.iter().map(|node| loss(*node)).sum::<f64>() / nodes.len() as f64
    };
    let mut expected: Vec<f64> = (0..3).map(of_part).collect();
    let mut found: Vec<f64> = losses.0.iter().map(|loss| f64::from(*loss)).collect();
    expected.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn parts_without_training_nodes_are_no_steps() {
    let mut data = dataset(false);
    let train_config = config(Some(8), None, 1);
    let all = task(&data, &train_config);
    let (parting, _) = all.parting().unwrap();
    let lonely = parting.members(3).to_vec();
    data.split = Split { train: lonely[..4].to_vec(), valid: lonely[4..].to_vec(), test: Vec::new() };
    let task = task(&data, &train_config);
    assert_eq!((all.steps(), task.steps()), (8, 1));
    assert!(trained(&task, &model("gen", NormKind::Layer), &train_config).summary.scores.train.is_some());
}

#[test]
fn a_run_that_was_broken_off_ends_with_the_same_bits() {
    let data = dataset(false);
    let mut recipe = Recipe { model: model("gen", NormKind::Batch), ..small_recipe(5) };
    recipe.train = TrainConfig { parts: Some(6), parts_per_batch: 2, ..recipe.train };
    let task = task(&data, &recipe.train);
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, stop_after: Option<usize>| {
        let path = folder.path().join(name);
        let mut run = match stop_after {
            None if path.exists() => RunFolder::resume(&path).unwrap(),
            _ => RunFolder::create(&path, false, &recipe, record()).unwrap(),
        };
        let stop = AtomicBool::new(false);
        let mut recorder = Recorder::new();
        recorder.stop_after = stop_after.map(|epoch| (epoch, &stop));
        let mut session = Session { folder: Some(&mut run), observer: &mut recorder, stop: &stop };
        fit(&task, &recipe.model, &recipe.train, &mut session).unwrap().model.to_safetensors()
    };
    let whole = run("whole", None);
    run("broken", Some(2));
    assert_eq!(run("broken", None), whole);
}

#[test]
fn features_on_disk_and_sparse_ones_train_like_those_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.farhop");
    let data = dataset(false);
    data.save(&file).unwrap();
    let left = Dataset::open(&file, 1).unwrap();
    assert!(matches!(left.nodes.numbers, Numbers::OnDisk(_)));
    assert_eq!(left.nodes.heap_bytes(), 2 * NODES);
    let (model, config) = (model("gen", NormKind::Layer), config(Some(5), Some(2), 1));
    let weights = |data: &Dataset| trained(&task(data, &config), &model, &config).model.to_safetensors();
    let memory = weights(&data);
    assert_eq!(weights(&left), memory);
    // The whole graph at once takes numbers from the disk, too.
    let whole = TrainConfig { parts: None, ..config.clone() };
    assert_eq!(
        trained(&task(&left, &whole), &model, &whole).model.to_safetensors(),
        trained(&task(&data, &whole), &model, &whole).model.to_safetensors()
    );
    // The same numbers, kept as sparse ones.
    let Numbers::Dense(numbers) = &data.nodes.numbers else { unreachable!() };
    let offsets = (0..=NODES).map(|row| row * WIDTH).collect();
    let indices = (0..NODES).flat_map(|_| 0..WIDTH as u32).collect();
    let csr = Csr::new("x", [NODES, WIDTH], offsets, indices, numbers.clone()).unwrap();
    let mut sparse = data.clone();
    sparse.nodes.numbers = Numbers::Sparse(csr);
    let answers = |data: &Dataset| {
        let task = task(data, &config);
        let fitted = trained(&task, &model, &config);
        Outputs::of_all(&task, &fitted.model).unwrap().values
    };
    for (one, two) in answers(&sparse).iter().zip(answers(&data)) {
        assert!((one - two).abs() < 1e-3, "{one} {two}");
    }
}

#[test]
fn a_file_that_is_cut_short_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.farhop");
    let data = dataset(false);
    data.save(&file).unwrap();
    let left = Dataset::open(&file, 1).unwrap();
    let (model, config) = (model("gen", NormKind::Layer), config(Some(5), Some(1), 1));
    let task = task(&left, &config);
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(100).unwrap();
    let stop = AtomicBool::new(false);
    let error = fit(&task, &model, &config, &mut Session { folder: None, observer: &mut Silent, stop: &stop });
    let text = error.err().unwrap().to_string();
    assert!(text.contains("data.farhop") && !text.contains('\n'), "{text}");
}

#[test]
fn what_can_not_be_divided_is_said_in_one_line() {
    let data = dataset(false);
    let wrong = |data: &Dataset, config: &TrainConfig| {
        Task::new(data.clone(), Encodings::default(), config, None).err().unwrap().to_string()
    };
    assert_eq!(
        wrong(&data, &config(Some(241), None, 1)),
        "parts is 241, but drawn has 240 nodes: give at most that many."
    );
    let union = data.graphs.union().clone();
    let mut many = data.clone();
    many.graphs = GraphSet::single(union);
    many.level = Level::Graph;
    assert!(wrong(&many, &config(Some(2), None, 1)).starts_with("parts is 2, but drawn has 1 graph, of which batches"));
    let range = |config: TrainConfig| config.validate().unwrap_err().to_string();
    assert!(range(config(Some(0), None, 1)).starts_with("parts is 0: "));
    assert!(range(config(Some(3), None, 4)).starts_with("parts_per_batch is 4: "));
    assert!(range(config(None, None, 0)).starts_with("parts_per_batch is 0: "));
    let mut recipe = Recipe { model: model("gen", NormKind::Layer), ..small_recipe(1) };
    recipe.train = config(Some(3), Some(5), 1);
    let text = recipe.validate().unwrap_err().to_string();
    assert_eq!(text, "halo is 5: this gen sees 4 hops; give at most 4, or \"none\".");
    recipe.train.parts = None;
    assert!(recipe.validate().is_ok(), "without parts there is no halo");
}
