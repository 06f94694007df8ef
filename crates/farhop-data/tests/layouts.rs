//! Readers that have never seen the whole upstream file, on small files in its layout made by another program
//! (scripts/catalogue_layouts.py).

#[path = "common/bits.rs"]
mod bits;

use std::path::PathBuf;

use farhop_data::catalogue::{self, Counts, DataFolders, LoadOptions, SplitRequest};
use farhop_data::{Dataset, Level, Numbers, Target};
use farhop_graph::GraphSet;
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/layouts"))
}

fn expected(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join("expected.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[name].clone()
}

/// Loads an entry without its counts, which are those of the whole file.
fn load_with(name: &str, options: &LoadOptions) -> Dataset {
    let mut entry = catalogue::find(name).unwrap().clone();
    assert!(!entry.seen_whole, "{name}");
    entry.expected = Counts::default();
    catalogue::load(&entry, &DataFolders::new(vec![root()]), options).unwrap()
}

fn load(name: &str) -> (Dataset, Value) {
    let data = load_with(name, &LoadOptions::default());
    let expected = expected(name);
    if let Some(split) = expected.get("split") {
        let sizes = [data.split.train.len(), data.split.valid.len(), data.split.test.len()];
        assert_eq!(serde_json::json!(sizes), *split, "{name}");
    }
    if let (Some(nodes), Some(edges)) = (expected.get("nodes"), expected.get("edges")) {
        let union = data.graphs.union();
        assert_eq!(
            [union.nodes() as u64, union.edges() as u64],
            [nodes.as_u64().unwrap(), edges.as_u64().unwrap()],
            "{name}"
        );
    }
    (data, expected)
}

fn labels(data: &Dataset) -> Vec<u64> {
    match &data.target {
        Target::Class { labels, .. } => labels.iter().map(|label| u64::from(label.unwrap())).collect(),
        _ => panic!("{} has no classes", data.name),
    }
}

fn dense(numbers: &Numbers) -> &[f32] {
    match numbers {
        Numbers::Dense(numbers) => numbers,
        _ => panic!("not dense"),
    }
}

fn close(found: &[f32], expected: &Value) {
    let sum: f64 = found.iter().map(|&number| f64::from(number)).sum();
    assert!((sum - expected.as_f64().unwrap()).abs() < 1e-4, "{sum} {expected}");
}

fn sizes_of(graphs: &GraphSet) -> Vec<usize> {
    (0..graphs.len()).map(|graph| graphs.nodes_of(graph).len()).collect()
}

#[test]
fn superpixels() {
    for (name, classes) in [("pascalvoc-sp", 21), ("coco-sp", 81)] {
        let (data, expected) = load(name);
        assert_eq!((data.level, data.graphs.len(), data.nodes.width, data.edges.width), (Level::Node, 9, 14, 2));
        assert_eq!(data.target.outputs(), classes);
        assert_eq!(serde_json::json!(labels(&data)), expected["labels"], "{name}");
        close(dense(&data.nodes.numbers), &expected["numbers"]);
        // Every direction of every edge has the weights of its own row.
        close(dense(&data.edges.numbers), &expected["edge_numbers"]);
        assert!(!data.splits_nodes());
    }
}

#[test]
fn contacts() {
    let (data, expected) = load("pcqm-contact");
    let Target::Pair { pairs, together, offsets } = &data.target else { panic!() };
    let found: Vec<[u32; 3]> =
        pairs.iter().zip(together).map(|(pair, &close)| [pair[0], pair[1], u32::from(close)]).collect();
    assert_eq!(serde_json::json!(found), expected["pairs"]);
    assert_eq!((data.level, offsets.len()), (Level::Pair, data.graphs.len() + 1));
    let sum: u64 = data.nodes.categories.iter().map(|&category| u64::from(category)).sum();
    assert_eq!(sum, expected["categories"].as_u64().unwrap());
}

#[test]
fn zinc_from_upstreams_pickles() {
    let (data, expected) = load("zinc");
    assert_eq!(data.name, "zinc");
    assert!(!data.notes.iter().any(|note| note.contains("STAND-IN")));
    assert_eq!(serde_json::json!(data.nodes.categories), expected["atoms"]);
    let bonds: u64 = data.edges.categories.iter().map(|&order| u64::from(order)).sum();
    assert_eq!(bonds, expected["bonds"].as_u64().unwrap());
    let Target::Number { values, .. } = &data.target else { panic!() };
    let targets: Vec<f32> =
        expected["targets"].as_array().unwrap().iter().map(|y| y.as_f64().unwrap() as f32).collect();
    assert_eq!(*values, targets);
}

#[test]
fn peptides_struct() {
    let (data, expected) = load("peptides-struct");
    let Target::Number { values, names } = &data.target else { panic!() };
    let targets: Vec<f32> =
        expected["targets"].as_array().unwrap().iter().map(|y| y.as_f64().unwrap() as f32).collect();
    assert_eq!((values, names[9].as_str()), (&targets, "Spherocity"));
    assert_eq!(serde_json::json!(sizes_of(&data.graphs)), expected["atoms"]);
    let bonds: Vec<usize> = (0..4).map(|graph| data.graphs.entries_of(graph).len() / 2).collect();
    assert_eq!(serde_json::json!(bonds), expected["bonds"]);
    assert_eq!(serde_json::json!(data.split.train), expected["train"]);
}

#[test]
fn coauthors() {
    let (data, expected) = load("cs");
    assert_eq!(serde_json::json!(labels(&data)), expected["labels"]);
    assert_eq!(serde_json::json!(data.split.train), expected["train"]);
    let Numbers::Sparse(csr) = &data.nodes.numbers else { panic!() };
    assert_eq!(csr.indices.len() as u64, expected["entries"].as_u64().unwrap());
}

#[test]
fn masks_in_either_order() {
    for name in ["roman-empire", "minesweeper"] {
        let (data, expected) = load(name);
        let found: Vec<u64> = match &data.target {
            Target::Binary { values, names } => {
                assert_eq!((name, names.len()), ("minesweeper", 1));
                values.iter().map(|&value| value as u64).collect()
            }
            _ => labels(&data),
        };
        assert_eq!(serde_json::json!(found), expected["labels"]);
        for number in 0..10 {
            let data = load_with(name, &LoadOptions { split: SplitRequest::Number(number), ..Default::default() });
            assert_eq!(serde_json::json!(data.split.test), expected["tests"][number], "{name}, split {number}");
        }
    }
}

#[test]
fn wikics_takes_the_stopping_nodes_into_valid() {
    let (_, expected) = load("wikics");
    let data = load_with("wikics", &LoadOptions { split: SplitRequest::Number(2), ..Default::default() });
    let lists = serde_json::json!([data.split.train, data.split.valid, data.split.test]);
    assert_eq!(lists, serde_json::json!([expected["train_of_2"], expected["valid"], expected["test"]]));
}

#[test]
fn the_open_graph_benchmark() {
    let (data, _) = load("ogbn-arxiv");
    assert_eq!((data.nodes.width, data.target.outputs(), data.graphs.union().is_directed()), (4, 3, false));
}

#[test]
fn all_kinds_of_data_come_back_from_a_file_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept.farhop");
    for name in [
        "pascalvoc-sp",
        "pcqm-contact",
        "zinc",
        "peptides-struct",
        "cs",
        "roman-empire",
        "minesweeper",
        "wikics",
        "ogbn-arxiv",
    ] {
        let data = load_with(name, &LoadOptions::default());
        data.save(&path).unwrap();
        bits::assert_same(&Dataset::load(&path).unwrap(), &data);
    }
}

#[test]
fn a_file_with_other_counts_than_expected_is_refused() {
    let entry = catalogue::find("wikics").unwrap();
    let error = catalogue::load(entry, &DataFolders::new(vec![root()]), &LoadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "wikics: 12 nodes where 11,701 are expected. The files are damaged or of another version: fetch them again."
    );
}
