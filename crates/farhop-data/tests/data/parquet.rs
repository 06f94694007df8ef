//! Parquet tables say the same as the CSV tables beside them; both are written by `scripts/make_parquet_tables.py`.

use std::path::{Path, PathBuf};

use farhop_data::import::{ImportOptions, Kind, detect, import_tables};
use farhop_data::table::Table;
use farhop_data::{DataError, NodeTableOptions, NodeTables};
use farhop_graph::random::Stream;

use crate::mutations::{mutated, one_line};

fn good(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data").join(name)
}

fn cells(path: &Path) -> Vec<Vec<String>> {
    let table = Table::open(path, "id").unwrap();
    let mut rows = vec![table.header().to_vec()];
    let mut walk = table.rows();
    while let Some(row) = walk.next_row().unwrap() {
        rows.push((0..table.header().len()).map(|column| row.cell(column).to_string()).collect());
    }
    rows
}

#[test]
fn parquet_and_csv_hold_the_same_cells() {
    for name in ["parquet_nodes", "parquet_edges"] {
        let csv = cells(&good(&format!("{name}.csv")));
        let parquet = cells(&good(&format!("{name}.parquet")));
        assert_eq!(csv.len(), parquet.len());
        for (one, two) in csv.iter().zip(&parquet) {
            for (one, two) in one.iter().zip(two) {
                let same_number = matches!((one.parse::<f64>(), two.parse::<f64>()), (Ok(a), Ok(b)) if a == b);
                assert!(one == two || same_number, "{one} and {two}");
            }
        }
        assert_eq!(detect(&good(&format!("{name}.parquet"))).unwrap(), Kind::Parquet);
    }
}

#[test]
fn parquet_tables_are_trained_on_and_imported() {
    let (nodes, edges) = (good("parquet_nodes.parquet"), good("parquet_edges.parquet"));
    let options = NodeTableOptions { targets: vec!["kind".to_string()], ..NodeTableOptions::default() };
    let read = NodeTables::load(&nodes, &edges, &options).unwrap();
    let same = NodeTables::load(&good("parquet_nodes.csv"), &good("parquet_edges.csv"), &options).unwrap();
    let (read, same) = (read.dataset, same.dataset);
    assert_eq!((read.nodes, read.target, read.graphs), (same.nodes, same.target, same.graphs));
    let import = ImportOptions { targets: vec!["kind".to_string()], ..ImportOptions::default() };
    assert_eq!(import_tables(&nodes, &edges, None, &import).unwrap().ids, same.ids);
    let missing = NodeTableOptions { targets: vec!["kid".to_string()], ..NodeTableOptions::default() };
    let error = NodeTables::load(&nodes, &edges, &missing).unwrap_err().to_string();
    assert!(error.contains("has no column \"kid\" (the target). Did you mean \"kind\"?"), "{error}");
}

#[test]
fn broken_parquet_files_are_refused_on_one_line() {
    let original = std::fs::read(good("parquet_nodes.parquet")).unwrap();
    let mut random = Stream::new(41);
    let mut seen = [0, 0];
    for _ in 0..500 {
        let read: Result<Table, DataError> = Table::from_bytes("t.parquet", mutated(&original, 3, &mut random), "id");
        one_line(read, &mut seen);
    }
    assert!(seen[1] > 100, "{seen:?}");
}
