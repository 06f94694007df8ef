//! Requests that do not fit good tables, with their exact messages.

use std::path::Path;

use crate::support::{self, Tables, target};
use farhop_data::{EdgeOptions, EdgeTable, NodeIds, NodeTableOptions, NodeTables};

const NODES: &str = "id,label,x,y\na,0,1,2\nb,1,1,2\nc,0,1,2\nd,1,1,2\n";

fn message(change: impl FnOnce(&mut NodeTableOptions)) -> String {
    let tables = Tables::new(NODES, "source,target\na,b\n");
    let mut options = target("label");
    change(&mut options);
    support::message(&tables, &tables.load(&options).unwrap_err())
}

fn some(name: &str) -> Option<String> {
    Some(name.to_string())
}

#[test]
fn columns_that_do_not_exist_suggest_the_nearest() {
    assert_eq!(
        message(|options| options.targets = vec!["lable".to_string()]),
        "nodes.csv has no column \"lable\" (the target). Did you mean \"label\"? Its columns are \"id\", \"label\", \"x\", \"y\"."
    );
    assert_eq!(
        message(|options| options.id = some("node")),
        "nodes.csv has no column \"node\" (the id column). Its columns are \"id\", \"label\", \"x\", \"y\"."
    );
    assert_eq!(
        message(|options| options.ignore = vec!["Y".to_string()]),
        "nodes.csv has no column \"Y\" (passed to `ignore`). Did you mean \"y\"? Its columns are \"id\", \"label\", \"x\", \"y\"."
    );
}

#[test]
fn all_columns_that_do_not_exist_are_told_at_once() {
    let text = message(|options| {
        options.targets = vec!["lable".to_string()];
        options.id = some("node");
        options.ignore = vec!["Y".to_string()];
        options.categories = vec!["colour".to_string()];
        options.ignore_edges = vec!["since".to_string()];
    });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "5 problems in the data:");
    for (line, name) in lines[1..].iter().zip(["lable", "node", "Y", "colour", "since"]) {
        assert!(line.contains(&format!(" has no column \"{name}\" (")), "{name}: {text}");
    }
}

#[test]
fn a_column_plays_one_part() {
    assert_eq!(
        message(|options| options.targets = vec!["id".to_string()]),
        "nodes.csv: column \"id\" cannot be the id column and the target at once. Name the id column with `id`, or another column with `target`."
    );
    assert_eq!(
        message(|options| options.ignore = vec!["label".to_string()]),
        "nodes.csv: column \"label\" cannot be the target and ignored at once. Take it out of `ignore`."
    );
    let text = message(|options| options.categories = vec!["label".to_string()]);
    assert!(text.starts_with("nodes.csv: column \"label\" cannot be a category and "));
}

#[test]
fn files_that_are_not_there_and_standard_input_twice() {
    let nowhere = Path::new("no/such/nodes.csv");
    let error = NodeTables::load(nowhere, nowhere, &target("label")).unwrap_err();
    assert!(error.to_string().starts_with("cannot read no/such/nodes.csv: "));
    let dash = Path::new("-");
    let error = NodeTables::load(dash, dash, &target("label")).unwrap_err();
    assert_eq!(error.to_string(), "both tables are to be read from standard input (-). Give one of them as a file.");
}

#[test]
fn edges_without_a_nodes_table_use_row_numbers() {
    let ids = NodeIds::Rows { count: 3, file: "x.npy" };
    let read = |text: &str| {
        let bytes = text.as_bytes().to_vec();
        EdgeTable::from_bytes("edges.csv", bytes, ids, EdgeOptions::default())
    };
    let table = read("source,target\n0,2\n2,1\n").unwrap();
    assert_eq!(table.rows, [(0, 2), (2, 1)]);
    assert_eq!(table.built.graph.nodes(), 3);
    assert!(table.entry_weights().is_none());
    for (id, shown) in [("3", "3"), ("-1", "-1"), ("a", "a"), ("", ""), ("1.0", "1.0")] {
        assert_eq!(
            read(&format!("source,target\n0,2\n1,{id}\n")).unwrap_err().to_string(),
            format!(
                "edges.csv, line 3: target id \"{shown}\" is not a row number of x.npy. Without `nodes`, ids are row numbers from 0 to 2."
            )
        );
    }
    assert_eq!(
        read("0,2\n1,2\n").unwrap_err().to_string(),
        "edges.csv, line 1: the first row (\"0\", \"2\") looks like data. Add a header row, such as source,target."
    );
}
