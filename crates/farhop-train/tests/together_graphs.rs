//! Many graphs over several processes are many graphs in one: every batch is shared out, and losses, scores and predictions are those of one process.

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::several::{Course, Losses, alone, compare, on_threads, places};
use farhop_data::catalogue::{self, DataFolders, LoadOptions};
use farhop_data::{Columns, Dataset, Level, Split, Target};
use farhop_graph::random::{Stream, mix, unit};
use farhop_graph::{Direction, GraphSet, build};
use farhop_nn::exchange::Group;
use farhop_nn::{ModelConfig, REGISTRY};
use farhop_train::{
    CheckpointEvery, EncodingConfig, Job, Keep, Material, Outputs, Recipe, Resume, Schedule, Silent, TrainError,
    TrainedRun, probabilities,
};
use serde_json::json;

const EPOCHS: usize = 4;
const GRAPHS: usize = 61;

/// Trees with chords of 1 to 14 nodes: some have no edge. Colours and numbers of nodes, kinds of edges.
fn molecules(level: Level, make: impl Fn(&GraphSet) -> Target) -> Dataset {
    let mut random = Stream::new(4);
    let (mut rows, mut offsets) = (Vec::new(), vec![0usize]);
    for _ in 0..GRAPHS {
        let start = offsets[offsets.len() - 1];
        let nodes = 1 + random.below(14) as usize;
        for node in 1..nodes {
            rows.push(((start + random.below(node as u64) as usize) as u32, (start + node) as u32));
        }
        if nodes > 5 {
            rows.push((start as u32, (start + nodes - 1) as u32));
        }
        offsets.push(start + nodes);
    }
    let nodes = offsets[GRAPHS];
    let graph = build(nodes, &rows, Direction::Undirected).unwrap().graph;
    let entries = graph.entries();
    let columns = Columns {
        width: 2,
        numbers: farhop_data::Numbers::Dense((0..2 * nodes).map(|_| random.normal() as f32).collect()),
        sizes: vec![3],
        categories: (0..nodes).map(|_| random.below(3) as u16).collect(),
    };
    let edges = Columns::categories(vec![2], (0..entries).map(|_| random.below(2) as u16).collect());
    let graphs = GraphSet::new(graph, offsets).unwrap();
    let target = make(&graphs);
    let part = |from: u32| (0..GRAPHS as u32).filter(|graph| graph % 5 % 3 == from).collect();
    Dataset {
        name: "molecules".into(),
        graphs,
        nodes: columns,
        edges,
        level,
        metric: target.usual_metric(),
        target,
        split: Split { train: part(0), valid: part(1), test: part(2) },
        ids: Vec::new(),
        notes: Vec::new(),
        sources: Vec::new(),
        weights: Vec::new(),
    }
    .check()
    .unwrap()
}

fn number(seed: u64, at: usize) -> f32 {
    unit(mix(seed, at as u64)) as f32
}

/// Two numbers of every graph, some of them unknown.
fn numbers(graphs: &GraphSet) -> Target {
    let value = |at: usize| if at % 7 == 3 { f32::NAN } else { 2.0 + number(8, at) };
    Target::Number { values: (0..2 * graphs.len()).map(value).collect(), names: ["x", "y"].map(String::from).to_vec() }
}

fn labels(graphs: &GraphSet) -> Target {
    let value = |at: usize| if at % 9 == 2 { f32::NAN } else { f32::from(u8::from(number(9, at) > 0.4)) };
    Target::Binary { values: (0..2 * graphs.len()).map(value).collect(), names: ["a", "b"].map(String::from).to_vec() }
}

fn classes(rows: usize) -> Target {
    let labels = (0..rows).map(|row| Some((3.0 * number(21, row)) as u32)).collect();
    Target::Class { labels, classes: ["a", "b", "c"].map(String::from).to_vec() }
}

fn pairs(graphs: &GraphSet) -> Target {
    let (mut pairs, mut together, mut offsets) = (Vec::new(), Vec::new(), vec![0]);
    for graph in 0..graphs.len() {
        let nodes = graphs.nodes_of(graph);
        for at in 1..nodes.len() {
            pairs.push([nodes.start as u32, (nodes.start + at) as u32]);
            together.push(number(5, nodes.start + at) > 0.5);
        }
        offsets.push(pairs.len());
    }
    Target::Pair { pairs, together, offsets }
}

fn settled(model: ModelConfig) -> Recipe {
    let mut recipe = Recipe::for_model(model.name()).unwrap();
    recipe.model = model;
    recipe.train.epochs = EPOCHS;
    recipe.train.patience = None;
    recipe.train.learning_rate = 0.003;
    // Batches of 12, and one of 1 at the end.
    recipe.train.batch_size = 12;
    recipe.train.checkpoint_every = CheckpointEvery::Epochs(1);
    recipe.train.seed = 5;
    recipe.data.scaling = farhop_data::FeatureScaling::None;
    recipe
}

fn eliminating() -> Recipe {
    let model = ModelConfig::from_name("gen").unwrap();
    let settings = [
        ("width", json!(8)),
        ("hops", json!(3)),
        ("heads", json!(2)),
        ("layers", json!(2)),
        ("norm", json!("batch")),
        // A bias before a batch norm has a gradient of nothing but rounding, which Adam makes large.
        ("feed_forward", json!(false)),
        ("dropout", json!(0.3)),
        ("input_dropout", json!(0.2)),
        ("attention_dropout", json!(0.2)),
    ];
    settled(settings.into_iter().fold(model, |model, (key, value)| model.with(key, value).unwrap()))
}

fn together(dataset: &Dataset, ranks: usize, recipe: &Recipe) -> Course {
    let run = |group: Arc<Group>| {
        let places = places(Some(group));
        let mut seen = Losses::default();
        let job = Job::new(recipe.clone(), Material::of(dataset.clone()), &places);
        let trained = job.train(&mut seen, &AtomicBool::new(false)).unwrap();
        let outputs = Outputs::of_all(&trained.task, &trained.fitted.model).unwrap();
        let answers = trained.task.answers_of_all(outputs).unwrap();
        let answers = answers.map(|(_, outputs)| probabilities(trained.task.target(), &outputs.values));
        (seen, trained.fitted.summary.scores, answers)
    };
    let mut found = on_threads(ranks, run);
    for (other, ..) in &found[1..] {
        assert_eq!(other.losses, found[0].0.losses, "all processes see the same losses");
        assert_eq!(other.valid, found[0].0.valid, "all processes see the same losses in validation");
    }
    let (seen, scores, answers) = found.swap_remove(0);
    Course { losses: seen.losses, valid: seen.valid, scores, answers: answers.unwrap() }
}

#[test]
fn any_number_of_processes_and_every_kind_of_target() {
    let datasets = [
        ("numbers", molecules(Level::Graph, numbers)),
        ("labels", molecules(Level::Graph, labels)),
        ("classes", molecules(Level::Graph, |graphs| classes(graphs.len()))),
        ("nodes", molecules(Level::Node, |graphs| classes(graphs.union().nodes()))),
        ("pairs", molecules(Level::Pair, pairs)),
    ];
    for (name, data) in datasets {
        let mut recipe = eliminating();
        if name == "classes" {
            recipe.train.loss = farhop_train::LossKind::WeightedCrossEntropy;
        }
        let one = alone(&data, &recipe);
        // Sixteen are more than most batches have graphs.
        for ranks in [1, 2, 3, 4, 16] {
            let several = together(&data, ranks, &recipe);
            compare(&one, &several, &format!("{name}, P = {ranks}"));
            let again = together(&data, ranks, &recipe);
            assert_eq!((again.losses, again.answers), (several.losses, several.answers), "the same bits again");
        }
    }
}

#[test]
fn rows_that_weigh_and_encodings() {
    let mut data = molecules(Level::Graph, numbers);
    data.weights = (0..GRAPHS).map(|graph| (graph % 4) as f32).collect();
    let mut recipe = eliminating();
    recipe.encodings = EncodingConfig { walk: 4, laplacian: 3 };
    recipe.train.bucket_by_size = true;
    let one = alone(&data, &recipe);
    compare(&one, &together(&data, 3, &recipe), "weights, encodings, buckets");
}

/// Every model of the registry, as the test set of models makes it; those that can't say so.
#[test]
fn every_model_shares_or_says_that_it_can_not() {
    let data = molecules(Level::Graph, numbers);
    let mut shared = 0;
    for registered in REGISTRY {
        let mut recipe = settled(registered.small_config().unwrap());
        // A bias before a batch norm has a gradient of nothing but rounding, which this keeps small.
        recipe.train.optimizer.epsilon = 1e-3;
        if recipe.model.properties().shares {
            compare(&alone(&data, &recipe), &together(&data, 3, &recipe), registered.name);
            shared += 1;
            continue;
        }
        let said = on_threads(2, |group| {
            let places = places(Some(group));
            let job = Job::new(recipe.clone(), Material::of(data.clone()), &places);
            job.train(&mut Silent, &AtomicBool::new(false)).err().expect("it is refused").to_string()
        });
        assert!(
            said[0].contains("can't share a batch of graphs") && said[0] == said[1],
            "{}: {said:?}",
            registered.name
        );
    }
    assert!(shared > 25, "{shared} models share");
}

#[test]
fn a_run_goes_on_with_another_number_of_processes() {
    let data = molecules(Level::Graph, numbers);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("molecules.farhop");
    data.save(&file).unwrap();
    let mut recipe = eliminating();
    recipe.train.schedule = Schedule::Constant;
    recipe.data.dataset = Some(file.display().to_string());
    let one = alone(&data, &recipe);
    let mut short = recipe.clone();
    short.train.epochs = 2;
    for then in [1, 3] {
        let run = place.path().join(format!("run-{then}"));
        on_threads(2, |group| {
            let places = places(Some(group));
            let material = Material::read(&short, &places).unwrap();
            let keep = Keep::In { path: run.clone(), overwrite: false };
            let job = Job { keep, ..Job::new(short.clone(), material, &places) };
            job.train(&mut Silent, &AtomicBool::new(false)).unwrap();
        });
        assert!(TrainedRun::open(&run).is_ok(), "the folder is whole");
        let losses = on_threads(then, |group| {
            let mut seen = Losses::default();
            let resume = Resume { epochs: Some(EPOCHS), group: Some(group), ..Resume::new(&run) };
            resume.train(&mut seen, &AtomicBool::new(false)).unwrap();
            seen.losses
        });
        assert_eq!(losses[0].len(), EPOCHS - 2);
        for (found, expected) in losses[0].iter().zip(&one.losses[2..]) {
            assert!((found - expected).abs() <= 1e-5 * expected, "2 processes, then {then}: {found} for {expected}");
        }
    }
}

#[test]
fn what_does_not_belong_together_is_refused_on_all() {
    let refusal = |change: &(dyn Fn(usize, &mut Dataset, &mut Recipe) + Sync)| {
        let said = on_threads(2, |group| -> String {
            let rank = group.rank();
            let places = places(Some(group));
            let (mut data, mut recipe) = (molecules(Level::Graph, numbers), eliminating());
            change(rank, &mut data, &mut recipe);
            let run = || -> Result<(), TrainError> {
                Job::new(recipe.clone(), Material::of(data), &places).train(&mut Silent, &AtomicBool::new(false))?;
                Ok(())
            };
            run().unwrap_err().to_string()
        });
        assert!(said[0] == said[1] && !said[0].contains('\n'), "{said:?}");
        said[0].clone()
    };
    let said = refusal(&|rank, _, recipe| recipe.train.seed = rank as u64);
    assert!(said.contains("the recipe of process 1 is not that of process 0"), "{said}");
    let said = refusal(&|rank, data, _| {
        if rank == 1 {
            data.split.train.pop();
        }
    });
    assert!(said.contains("the data of process 1 is not that of process 0"), "{said}");
    let said = refusal(&|_, data, _| {
        data.graphs = GraphSet::single(data.graphs.union().clone());
        data.level = Level::Node;
        data.target = classes(data.graphs.union().nodes());
        data.metric = data.target.usual_metric();
    });
    assert!(said.contains("Divide it first, into 2 parts"), "{said}");
}

/// Real molecules, where they are at hand.
#[test]
fn zinc() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("FARHOP_DATA").is_none().then_some(beside);
    let entry = catalogue::find("zinc-acyclic").unwrap();
    let Ok(mut data) = catalogue::load(entry, &DataFolders::usual(data.as_deref()), &LoadOptions::default()) else {
        println!("zinc-acyclic: skipped, not at hand");
        return;
    };
    data.split.train.truncate(300);
    data.split.valid.truncate(100);
    data.split.test.truncate(100);
    let mut recipe = eliminating();
    recipe.train.batch_size = 32;
    let one = alone(&data, &recipe);
    for ranks in [2, 4] {
        compare(&one, &together(&data, ranks, &recipe), &format!("zinc-acyclic, P = {ranks}"));
    }
}
