//! Learning from many graphs: batches, all kinds of targets, stopping and going on.

mod common;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Recorder, recipe, record, timeless_metrics};
use farhop_data::metrics::Metric;
use farhop_data::{Columns, Dataset, Level, Part, Split, Target};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, GraphSet, build};
use farhop_nn::{LAPLACIAN, ModelConfig, WALK};
use farhop_train::{
    EncodingConfig, Encodings, Fitted, LossKind, Observer, Outcome, Outputs, Recipe, RunFolder, Session, Silent, Task,
    TrainError, fit,
};

const COLOURS: u32 = 3;

/// Random trees of 4 to 11 nodes with a colour and a number per node, and two kinds of edges.
fn trees(count: usize) -> (GraphSet, Columns, Columns) {
    let mut random = Stream::new(3);
    let (mut rows, mut offsets) = (Vec::new(), vec![0]);
    for _ in 0..count {
        let start: usize = *offsets.last().unwrap();
        let nodes = 4 + random.below(8) as usize;
        rows.extend(
            (1..nodes).map(|node| ((start + random.below(node as u64) as usize) as u32, (start + node) as u32)),
        );
        offsets.push(start + nodes);
    }
    let nodes = *offsets.last().unwrap();
    let graph = build(nodes, &rows, Direction::Undirected).unwrap().graph;
    let entries = graph.entries();
    let columns = Columns {
        width: 1,
        numbers: farhop_data::Numbers::Dense((0..nodes).map(|_| random.normal() as f32).collect()),
        sizes: vec![COLOURS],
        categories: (0..nodes).map(|_| random.below(u64::from(COLOURS)) as u16).collect(),
    };
    let edges = Columns::categories(vec![2], (0..entries).map(|_| random.below(2) as u16).collect());
    (GraphSet::new(graph, offsets).unwrap(), columns, edges)
}

fn dataset(level: Level, metric: Metric, make: impl Fn(&GraphSet, &Columns) -> Target) -> Dataset {
    let (graphs, nodes, edges) = trees(150);
    let target = make(&graphs, &nodes);
    let all: Vec<u32> = (0..150).collect();
    let split = Split { train: all[..100].to_vec(), valid: all[100..125].to_vec(), test: all[125..].to_vec() };
    let dataset = Dataset { nodes, edges, split, metric, ..Dataset::new("trees", graphs, level, target) };
    dataset.check().unwrap()
}

/// How many nodes of each graph have each colour.
fn colours(graphs: &GraphSet, nodes: &Columns) -> Vec<[usize; COLOURS as usize]> {
    let count = |graph| {
        let mut counts = [0; COLOURS as usize];
        graphs.nodes_of(graph).for_each(|node| counts[nodes.categories[node] as usize] += 1);
        counts
    };
    (0..graphs.len()).map(count).collect()
}

/// The most frequent colour of each graph, the first among equals.
fn majority() -> Dataset {
    dataset(Level::Graph, Metric::Accuracy, |graphs, nodes| {
        let label = |counts: [usize; 3]| {
            let most = *counts.iter().max().unwrap();
            counts.iter().position(|&count| count == most).map(|colour| colour as u32)
        };
        Target::Class {
            labels: colours(graphs, nodes).into_iter().map(label).collect(),
            classes: ["red", "green", "blue"].map(String::from).to_vec(),
        }
    })
}

/// The mean number of each graph, on a scale far from 1; of every seventh graph it is not known.
fn mean_number() -> Dataset {
    dataset(Level::Graph, Metric::Mae, |graphs, nodes| {
        let farhop_data::Numbers::Dense(numbers) = &nodes.numbers else { unreachable!() };
        let mean = |graph: usize| {
            let range = graphs.nodes_of(graph);
            let sum: f32 = numbers[range.clone()].iter().sum();
            if graph.is_multiple_of(7) { f32::NAN } else { 5000.0 + 300.0 * sum / range.len() as f32 }
        };
        Target::Number { values: (0..graphs.len()).map(mean).collect(), names: vec!["mean".into()] }
    })
}

/// Which colours occur more than twice; the first answer of every fifth graph is missing.
fn frequent() -> Dataset {
    dataset(Level::Graph, Metric::AveragePrecision, |graphs, nodes| {
        let mut values = Vec::new();
        for (graph, counts) in colours(graphs, nodes).into_iter().enumerate() {
            values.extend(counts.map(|count| f32::from(u8::from(count > 2))));
            if graph.is_multiple_of(5) {
                values[graph * 3] = f32::NAN;
            }
        }
        Target::Binary { values, names: ["red", "green", "blue"].map(String::from).to_vec() }
    })
}

/// The colour of each node itself, in many graphs.
fn own_colour() -> Dataset {
    dataset(Level::Node, Metric::MacroF1, |_, nodes| Target::Class {
        labels: nodes.categories.iter().map(|colour| Some(u32::from(*colour))).collect(),
        classes: ["red", "green", "blue"].map(String::from).to_vec(),
    })
}

/// All pairs of a graph; those of one colour belong together.
fn same_colour() -> Dataset {
    dataset(Level::Pair, Metric::MrrExtendedFiltered, |graphs, nodes| {
        let (mut pairs, mut together, mut offsets) = (Vec::new(), Vec::new(), vec![0]);
        for graph in 0..graphs.len() {
            let range = graphs.nodes_of(graph);
            for a in range.clone() {
                // Both orders: a true tail that is not named would count as a rival.
                for b in range.clone().filter(|b| *b != a) {
                    pairs.push([a as u32, b as u32]);
                    together.push(nodes.categories[a] == nodes.categories[b]);
                }
            }
            offsets.push(pairs.len());
        }
        Target::Pair { pairs, together, offsets }
    })
}

fn small(epochs: usize) -> Recipe {
    let mut recipe = recipe(epochs);
    let settings = serde_json::json!({ "kind": "gen", "width": 16, "layers": 1, "hops": 2, "dropout": 0.1 });
    recipe.model = serde_json::from_value(settings).unwrap();
    recipe.train.batch_size = 16;
    recipe.train.learning_rate = 0.02;
    recipe
}

fn task(dataset: &Dataset, recipe: &Recipe) -> Task {
    Task::new(dataset.clone(), Encodings::default(), &recipe.train, None).unwrap()
}

fn train_free(dataset: &Dataset, recipe: &Recipe, observer: &mut dyn Observer) -> Fitted {
    let stop = AtomicBool::new(false);
    let mut session = Session { folder: None, observer, stop: &stop };
    fit(&task(dataset, recipe), &recipe.model, &recipe.train, &mut session).unwrap()
}

#[test]
fn every_kind_of_target_is_learned() {
    type Case = (Dataset, &'static str, fn(f64) -> bool);
    let cases: [Case; 5] = [
        (majority(), "graph-classification", |score| score > 0.8),
        // Guessing the mean is off by about 90 (300 times the deviation of a mean of some eight normal numbers).
        (mean_number(), "graph-regression", |score| score < 30.0),
        (frequent(), "graph-multi-label-classification", |score| score > 0.85),
        (own_colour(), "node-classification", |score| score > 0.95),
        (same_colour(), "edge-prediction", |score| score > 0.9),
    ];
    for (dataset, kind, good) in cases {
        let recipe = small(40);
        let mut recorder = Recorder::new();
        let fitted = train_free(&dataset, &recipe, &mut recorder);
        assert_eq!(task(&dataset, &recipe).kind(), kind);
        let (first, last) = (&recorder.reports[0], recorder.reports.last().unwrap());
        assert!(last.loss < first.loss, "{kind}: {first:?} {last:?}");
        for score in [fitted.summary.scores.train, fitted.summary.scores.valid, fitted.summary.scores.test] {
            assert!(good(score.unwrap()), "{kind}: {:?}", fitted.summary.scores);
        }
    }
}

#[test]
fn the_batch_a_graph_is_in_does_not_change_its_outputs() {
    let dataset = majority();
    let recipe = small(3);
    let fitted = train_free(&dataset, &recipe, &mut Silent);
    let outputs = |batch_size| {
        let mut recipe = recipe.clone();
        recipe.train.batch_size = batch_size;
        Outputs::of_all(&task(&dataset, &recipe), &fitted.model).unwrap().values
    };
    let together = outputs(150);
    for (one, other) in together.iter().zip(outputs(1)) {
        assert!((one - other).abs() < 1e-5);
    }
}

#[test]
fn numbers_are_predicted_on_their_own_scale() {
    let dataset = mean_number();
    let recipe = small(20);
    let fitted = train_free(&dataset, &recipe, &mut Silent);
    let task = task(&dataset, &recipe);
    let outputs = Outputs::of_all(&task, &fitted.model).unwrap();
    let Target::Number { values, .. } = &dataset.target else { unreachable!() };
    let test = task.rows_of(Part::Test);
    let errors: Vec<f64> =
        test.iter().map(|row| f64::from((values[*row as usize] - outputs.values[*row as usize]).abs())).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!((mean - fitted.summary.scores.test.unwrap()).abs() < 1e-3 * mean);
    assert!(task.scale().unwrap().shift[0] > 4000.0);
    assert!(test.iter().all(|row| row % 7 != 0), "rows without a value are not scored");
}

/// Asks to stop after a step of an epoch.
struct StopAt<'a>(usize, usize, &'a AtomicBool);

impl Observer for StopAt<'_> {
    fn step(&mut self, epoch: usize, step: usize, _steps: usize, _loss: f32) {
        if (epoch, step) == (self.0, self.1) {
            self.2.store(true, Ordering::SeqCst);
        }
    }
}

fn run_in(folder: &mut RunFolder, dataset: &Dataset, observer: &mut dyn Observer, stop: &AtomicBool) -> Fitted {
    let recipe = folder.recipe().clone();
    let mut session = Session { folder: Some(folder), observer, stop };
    fit(&task(dataset, &recipe), &recipe.model, &recipe.train, &mut session).unwrap()
}

#[test]
fn stopped_between_two_steps_and_resumed_it_ends_with_the_same_bits() {
    let temporary = tempfile::tempdir().unwrap();
    for (number, dataset) in [majority(), mean_number()].iter().enumerate() {
        let recipe = small(4);
        let whole = temporary.path().join(format!("whole-{number}"));
        let mut folder = RunFolder::create(&whole, false, &recipe, record()).unwrap();
        run_in(&mut folder, dataset, &mut Silent, &AtomicBool::new(false));
        let steps = task(dataset, &recipe).steps();
        for (epoch, step) in [(1, 1), (2, 3), (3, steps)] {
            let path = temporary.path().join(format!("{number}-{epoch}-{step}"));
            let stop = AtomicBool::new(false);
            let mut folder = RunFolder::create(&path, false, &recipe, record()).unwrap();
            let fitted = run_in(&mut folder, dataset, &mut StopAt(epoch, step, &stop), &stop);
            // After the last step the epoch is whole.
            let done = if step == steps { epoch } else { epoch - 1 };
            assert_eq!((fitted.summary.outcome, fitted.summary.epochs), (Outcome::Interrupted, done));
            drop(folder);
            let mut folder = RunFolder::resume(&path).unwrap();
            let fitted = run_in(&mut folder, dataset, &mut Silent, &AtomicBool::new(false));
            assert_eq!(fitted.summary.outcome, Outcome::Finished);
            drop(folder);
            let bytes = |path: &std::path::Path| fs::read(path.join("model.safetensors")).unwrap();
            assert_eq!(bytes(&path), bytes(&whole), "stopped at epoch {epoch}, step {step}");
            assert_eq!(timeless_metrics(&path), timeless_metrics(&whole));
        }
    }
}

#[test]
fn rare_classes_count_more_when_asked() {
    let mut recipe = small(3);
    recipe.train.loss = LossKind::WeightedCrossEntropy;
    let weighted = train_free(&own_colour(), &recipe, &mut Silent);
    recipe.train.loss = LossKind::CrossEntropy;
    let plain = train_free(&own_colour(), &recipe, &mut Silent);
    assert_ne!(weighted.model.to_safetensors(), plain.model.to_safetensors());
}

#[test]
fn encodings_are_features_too() -> Result<(), TrainError> {
    let (graphs, _, _) = trees(150);
    let leaves = |graph: usize| {
        let nodes = graphs.nodes_of(graph);
        nodes.clone().filter(|node| graphs.union().degree(*node) == 1).count() as f32 / nodes.len() as f32
    };
    let mut dataset = dataset(Level::Graph, Metric::Mae, |graphs, _| Target::Number {
        values: (0..graphs.len()).map(leaves).collect(),
        names: vec!["leaves".into()],
    });
    dataset.nodes = Columns::none();
    dataset.edges = Columns::none();
    let mut recipe = small(30);
    recipe.model = ModelConfig::from_name("mlp")?;
    let bare = Task::new(dataset.clone(), Encodings::default(), &recipe.train, None);
    assert!(bare.unwrap_err().to_string().contains("no node features"));
    let encodings = EncodingConfig { walk: 4, laplacian: 2 }.compute(&dataset.graphs)?;
    let task = Task::new(dataset, encodings, &recipe.train, None)?;
    assert_eq!((task.input().array(WALK), task.input().array(LAPLACIAN)), (4, 2));
    let stop = AtomicBool::new(false);
    let mut session = Session { folder: None, observer: &mut Silent, stop: &stop };
    let fitted = fit(&task, &recipe.model, &recipe.train, &mut session)?;
    // The share of leaves has a deviation of about 0.1; return probabilities give away the degrees around a node.
    assert!(fitted.summary.scores.test.unwrap() < 0.05, "{:?}", fitted.summary.scores);
    Ok(())
}

#[test]
fn encodings_in_the_cache_are_those_of_the_same_graphs() -> Result<(), TrainError> {
    let temporary = tempfile::tempdir().unwrap();
    let config = EncodingConfig { walk: 5, laplacian: 2 };
    let graph = |direction| {
        let rows: Vec<(u32, u32)> = (0..9).map(|node| (node, (node * 2 + 1) % 10)).collect();
        GraphSet::single(build(10, &rows, direction).unwrap().graph)
    };
    // The same rows of the same size, read in two ways.
    for graphs in [graph(Direction::Undirected), graph(Direction::Directed)] {
        let expected = config.compute(&graphs)?;
        for _ in 0..2 {
            assert_eq!(config.compute_cached(&graphs, Some(temporary.path()))?, expected);
        }
    }
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 2);
    Ok(())
}
