//! Every file in `tests/bad_data` has its exact message in `tests/bad_data_messages.txt`; a new
//! file without one fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use farhop_data::bench_graph::BenchGraph;
use farhop_data::edge_list::{EdgeList, EdgeListOptions};
use farhop_data::import::{GraphFormat, ImportOptions, import_graphs, tables_in_pieces};
use farhop_data::molecules::{MoleculeOptions, MoleculeTable};
use farhop_data::npy::read_matrix;
use farhop_data::wikics::WikiCs;
use farhop_data::{DataError, NodeTableOptions, NodeTables, Scratch, pickle, torch};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Reads a file as its name says: `nodes_*` with no edges, `edges_*` beside good nodes (with
/// weights where the name says so), `features_*` as a matrix, `graph_*` as a benchmark graph,
/// `pickle_*` as a pickle, `torch_*` as a file of `torch.save`, `edgelist_*`, `graphml_*`,
/// `wikics_*` and `molecules_*` (target `y`) as such.
fn read(file: &str) -> Result<(), DataError> {
    let path = folder("bad_data").join(file);
    let nodes = folder("good_data").join("nodes.csv");
    let edges = folder("good_data").join("no_edges.csv");
    let options = NodeTableOptions { targets: vec!["label".to_string()], ..NodeTableOptions::default() };
    match file.split('_').next() {
        Some("nodes") => NodeTables::load(&path, &edges, &options).map(drop),
        Some("edges") if file.contains("weight") => NodeTables::load_weighted(&nodes, &path, &options).map(drop),
        Some("edges") => NodeTables::load(&nodes, &path, &options).map(drop),
        Some("features") => read_matrix(&path).map(drop),
        Some("graph") => BenchGraph::open(&path).map(drop),
        Some("edgelist") => {
            let options = EdgeListOptions { weights: file.contains("weight"), ..EdgeListOptions::default() };
            EdgeList::open(&path, options).map(drop)
        }
        Some("graphml") => {
            let options = ImportOptions { targets: vec!["label".to_string()], ..ImportOptions::default() };
            import_graphs(&path, GraphFormat::GraphMl, &options).map(drop)
        }
        Some("wikics") => WikiCs::open(&path).and_then(|read| read.dataset(0)).map(drop),
        Some("molecules") => {
            let options = MoleculeOptions { targets: vec!["y".to_string()], ..MoleculeOptions::default() };
            MoleculeTable::load(&path, &options).map(drop)
        }
        Some("pickle") => pickle::load(&path).map(drop),
        Some("torch") => torch::load(&path).map(drop),
        _ => panic!("{file}: the name does not say how to read it"),
    }
}

/// The message without the folders of the checkout; the lines of several problems behind ` / `.
fn message(error: &DataError) -> String {
    let mut text = match error {
        DataError::Several { .. } => error.to_string().replace("\n  ", " / "),
        one => one.to_string(),
    };
    for name in ["bad_data", "good_data"] {
        text = text.replace(&format!("{}/", folder(name).display()), "");
    }
    text
}

/// One line for each file: its name, ` => `, its message.
const EXPECTED: &str = include_str!("../bad_data_messages.txt");

#[test]
fn every_broken_file_has_its_message() {
    let mut listed = BTreeSet::new();
    let mut wrong = Vec::new();
    for line in EXPECTED.lines() {
        let (file, expected) = line.split_once(" => ").expect("name => message");
        assert!(listed.insert(file.to_string()), "{file} is listed twice");
        if cfg!(feature = "parquet") && file == "nodes_parquet.csv" {
            continue;
        }
        match read(file) {
            Ok(()) => wrong.push(format!("{file} was read without an error")),
            Err(error) => {
                let found = message(&error);
                assert!(!found.contains('\n'), "{file}: more than one line");
                if found != expected {
                    wrong.push(format!("{file}\n  expected {expected}\n  found    {found}"));
                }
            }
        }
    }
    let on_disk: BTreeSet<String> = std::fs::read_dir(folder("bad_data"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    for file in on_disk.difference(&listed) {
        let found = read(file).map_or_else(|error| message(&error), |()| "no error".to_string());
        wrong.push(format!("{file} has no expectation; found: {found}"));
    }
    for file in listed.difference(&on_disk) {
        wrong.push(format!("{file} is expected but not there"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tables_that_are_read_in_pieces_have_the_same_messages() {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(scratch.path()).unwrap();
    let options = NodeTableOptions { targets: vec!["label".to_string()], ..NodeTableOptions::default() };
    let mut compared = 0;
    for (file, expected) in EXPECTED.lines().filter_map(|line| line.split_once(" => ")) {
        if cfg!(feature = "parquet") && file == "nodes_parquet.csv" {
            continue;
        }
        let [mut nodes, mut edges] = ["nodes.csv", "no_edges.csv"].map(|name| folder("good_data").join(name));
        match file.split('_').next() {
            Some("nodes") => nodes = folder("bad_data").join(file),
            Some("edges") if !file.contains("weight") => edges = folder("bad_data").join(file),
            _ => continue,
        }
        match tables_in_pieces(&nodes, &edges, &options, &scratch) {
            Err(error) => {
                assert_eq!(message(&error), expected, "{file}");
                compared += 1;
            }
            // Features of edges: read through memory.
            Ok(found) => assert!(found.is_none(), "{file} was read without an error"),
        }
    }
    assert!(compared > 40, "{compared} files were compared");
}
