//! Files of graphs as other programs write them; `scripts/graph_file_fixtures.py` made them and says what is in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use farhop_data::catalogue::SplitRequest;
use farhop_data::import::{ImportOptions, import};
use farhop_data::{Dataset, FeatureScaling, Level, NodeTableOptions, Numbers, Split, Target};
use serde::Deserialize;

/// What a file holds.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    options: CaseOptions,
    graphs: usize,
    nodes: usize,
    /// Where the nodes of each graph begin.
    offsets: Option<Vec<usize>>,
    /// Pairs, the smaller node first unless edges are directed.
    edges: Vec<[u32; 2]>,
    #[serde(default)]
    directed: bool,
    level: String,
    /// Rows of numbers.
    features: Option<Vec<Vec<f32>>>,
    /// Rows of categories.
    categories: Option<Vec<Vec<u16>>>,
    /// Rows of numbers by the two nodes of an edge.
    edge_features: Option<BTreeMap<String, Vec<f32>>>,
    /// Rows of categories by the two nodes of an edge.
    edge_categories: Option<BTreeMap<String, Vec<u16>>>,
    /// Classes, -1 where unknown.
    classes: Option<Vec<i64>>,
    class_names: Option<Vec<String>>,
    /// Rows of numbers or answers.
    numbers: Option<Vec<Vec<f32>>>,
    split: Option<ExpectedSplit>,
    ids: Option<Vec<String>>,
    /// Names that a note says were not used.
    unused: Option<Vec<String>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct CaseOptions {
    targets: Vec<String>,
    split: Option<usize>,
    ignore: Vec<String>,
}

#[derive(Deserialize, Debug)]
struct ExpectedSplit {
    train: Vec<u32>,
    valid: Vec<u32>,
    test: Vec<u32>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/graphs")
}

fn options(asked: &CaseOptions) -> ImportOptions {
    let table =
        NodeTableOptions { scaling: FeatureScaling::None, ignore: asked.ignore.clone(), ..NodeTableOptions::default() };
    let split = asked.split.map_or(SplitRequest::Standard, SplitRequest::Number);
    ImportOptions { table, targets: asked.targets.clone(), split, ..ImportOptions::default() }
}

fn rows<T: Clone>(values: &[T], width: usize) -> Vec<Vec<T>> {
    values.chunks(width.max(1)).map(<[T]>::to_vec).collect()
}

/// Every entry of the graph, by the two nodes of its edge.
fn by_edge<T: Clone>(dataset: &Dataset, rows: &[Vec<T>]) -> BTreeMap<String, Vec<T>> {
    let graph = dataset.graphs.union();
    let mut found = BTreeMap::new();
    let mut entry = 0;
    for node in 0..graph.nodes() as u32 {
        for &from in graph.neighbours(node as usize) {
            found.insert(format!("{} {}", node.min(from), node.max(from)), rows[entry].clone());
            entry += 1;
        }
    }
    found
}

fn check(file: &str, expected: &Expected, dataset: &Dataset) {
    let graph = dataset.graphs.union();
    assert_eq!((dataset.graphs.len(), graph.nodes()), (expected.graphs, expected.nodes), "{file}");
    if let Some(offsets) = &expected.offsets {
        assert_eq!(dataset.graphs.offsets(), offsets, "{file}");
    }
    assert_eq!(graph.is_directed(), expected.directed, "{file}");
    let mut edges = Vec::new();
    for to in 0..graph.nodes() as u32 {
        let pair = |&from: &u32| (expected.directed || from < to).then_some([from, to]);
        edges.extend(graph.neighbours(to as usize).iter().filter_map(pair));
    }
    edges.sort_unstable();
    assert_eq!(edges, expected.edges, "{file}");
    let level = match dataset.level {
        Level::Node => "node",
        Level::Graph => "graph",
        Level::Pair => "pair",
    };
    assert_eq!(level, expected.level, "{file}");
    if let Some(features) = &expected.features {
        let found = dataset.nodes.numbers.clone().into_dense().unwrap();
        assert_eq!(&rows(&found, dataset.nodes.width), features, "{file}");
    } else if expected.categories.is_none() {
        // A file without features: the degree of every node.
        let Numbers::Dense(numbers) = &dataset.nodes.numbers else { panic!("{file}") };
        let degrees: Vec<f32> = (0..graph.nodes()).map(|node| (graph.degree(node) as f64).ln_1p() as f32).collect();
        assert_eq!(numbers, &degrees, "{file}");
    }
    if let Some(categories) = &expected.categories {
        assert_eq!(&rows(&dataset.nodes.categories, dataset.nodes.sizes.len()), categories, "{file}");
    }
    let numbers = dataset.edges.numbers.clone().into_dense().unwrap();
    match &expected.edge_features {
        Some(wanted) => assert_eq!(&by_edge(dataset, &rows(&numbers, dataset.edges.width)), wanted, "{file}"),
        None => assert_eq!(dataset.edges.width, 0, "{file}"),
    }
    match &expected.edge_categories {
        Some(wanted) => {
            let found = rows(&dataset.edges.categories, dataset.edges.sizes.len());
            assert_eq!(&by_edge(dataset, &found), wanted, "{file}");
        }
        None => assert!(dataset.edges.sizes.is_empty(), "{file}"),
    }
    check_target(file, expected, &dataset.target);
    if let Some(ExpectedSplit { train, valid, test }) = &expected.split {
        let wanted = Split { train: train.clone(), valid: valid.clone(), test: test.clone() };
        assert_eq!(dataset.split, wanted, "{file}");
    }
    if let Some(ids) = &expected.ids {
        assert_eq!(&dataset.ids, ids, "{file}");
    }
    let unused = dataset.notes.iter().find_map(|note| note.strip_prefix("not used: "));
    let wanted = expected.unused.as_ref().map(|names| {
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        quoted.join(", ")
    });
    assert_eq!(unused, wanted.as_deref(), "{file}");
}

fn check_target(file: &str, expected: &Expected, target: &Target) {
    match (target, &expected.classes, &expected.numbers) {
        (Target::Class { labels, classes }, Some(wanted), None) => {
            let found: Vec<i64> = labels.iter().map(|label| label.map_or(-1, i64::from)).collect();
            assert_eq!(&found, wanted, "{file}");
            if let Some(names) = &expected.class_names {
                assert_eq!(classes, names, "{file}");
            }
        }
        (Target::Number { values, names } | Target::Binary { values, names }, None, Some(wanted)) => {
            assert_eq!(&rows(values, names.len()), wanted, "{file}");
        }
        (Target::Class { classes, .. }, None, None) => assert!(classes.is_empty(), "{file}"),
        other => panic!("{file}: {other:?}"),
    }
}

#[test]
fn every_file_holds_what_its_author_says() {
    let text = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let expected: BTreeMap<String, Expected> = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for (file, expected) in &expected {
        match import(&folder().join(file), &options(&expected.options)) {
            Ok(dataset) => check(file, expected, &dataset),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let on_disk = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let unknown: Vec<String> = on_disk.filter(|name| name != "expected.json" && !expected.contains_key(name)).collect();
    assert!(unknown.is_empty(), "without an expectation: {unknown:?}");
}

#[test]
fn splits_that_are_not_there_are_named() {
    let read = |file: &str, split: usize| {
        let asked = CaseOptions { split: Some(split), ..CaseOptions::default() };
        let folder = format!("{}/", folder().display());
        import(&Path::new(&folder).join(file), &options(&asked)).unwrap_err().to_string().replace(&folder, "")
    };
    assert_eq!(read("masks_of_rows.npz", 2), "masks_of_rows.npz: there is no split 2; its splits are 0 to 1.");
    assert_eq!(read("masks.npz", 3), "masks.npz: there is no split 3; the file has one, number 0.");
    assert_eq!(
        read("sparse_objects.npz", 0),
        "sparse_objects.npz: there is no split 0: the file has no splits of its own. Take `split` out."
    );
}
