//! Target columns become classes, labels or numbers, as they look or as was asked.

use crate::support::{Tables, labels, message, notes, target};
use farhop_data::metrics::Metric;
use farhop_data::{ApplyOptions, NodeTableOptions, NodeTables, Part, Schema, Target, TargetKind};

const EDGES: &str = "source,target\n0,1\n1,2\n";

/// A table of `rows` rows whose cells `of` gives.
fn nodes(header: &str, rows: usize, of: impl Fn(usize) -> String) -> String {
    let mut text = format!("id,x,{header}\n");
    (0..rows).for_each(|row| text.push_str(&format!("{row},{},{}\n", row % 5, of(row))));
    text
}

fn targets(names: &[&str]) -> NodeTableOptions {
    NodeTableOptions { targets: names.iter().map(|name| name.to_string()).collect(), ..NodeTableOptions::default() }
}

fn numbers(tables: &NodeTables) -> &[f32] {
    match &tables.dataset.target {
        Target::Number { values, .. } => values,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_column_is_what_it_looks_like() {
    let kind = |of: &dyn Fn(usize) -> String| {
        let data = Tables::new(&nodes("y", 60, of), EDGES).load(&target("y")).unwrap();
        (data.schema.target.as_ref().unwrap().kind, notes(&data))
    };
    let classes = |of: &dyn Fn(usize) -> String| assert_eq!(kind(of), (TargetKind::Classes, String::new()));
    classes(&|row| ["cat", "dog"][row % 2].to_string());
    classes(&|row| (row % 7).to_string());
    classes(&|row| format!("{}.0", row % 3));
    classes(&|row| if row == 3 { String::new() } else { (row % 2).to_string() });
    let numbers = |of: &dyn Fn(usize) -> String, why: &str| {
        let (kind, notes) = kind(of);
        assert_eq!(kind, TargetKind::Numbers);
        assert!(notes.starts_with("target \"y\" has ") && notes.contains(why), "{notes}");
    };
    numbers(&|row| format!("{}.5", row % 2), "numbers that are not whole");
    numbers(&|row| (row * row).to_string(), "60 different whole numbers");
    numbers(&|row| (row % 29).max(row / 59 * 29).to_string(), "30 different whole numbers");
    let (kind, text) = kind(&|row| (row % 30).to_string());
    assert_eq!(kind, TargetKind::Classes);
    assert!(text.contains("30 different values: read as classes. Pass task = numbers"), "{text}");
}

#[test]
fn numbers_arrive_and_are_split_at_random() {
    let text = nodes("y", 50, |row| if row % 10 == 9 { "NA".to_string() } else { format!("{}", 0.25 * row as f64) });
    let data = Tables::new(&text, EDGES).load(&target("y")).unwrap();
    for (row, value) in numbers(&data).iter().enumerate() {
        assert!(if row % 10 == 9 { value.is_nan() } else { *value == 0.25 * row as f32 });
    }
    assert_eq!(data.dataset.metric, Metric::Mae);
    let split = &data.dataset.split;
    assert_eq!(Part::ALL.map(|part| split.part(part).len()), [27, 9, 9], "60, 20 and 20 % of 45");
    let mut all: Vec<u32> = Part::ALL.iter().flat_map(|&part| split.part(part)).copied().collect();
    all.sort_unstable();
    let known: Vec<u32> = (0..50).filter(|row| row % 10 != 9).collect();
    assert_eq!(all, known);
    let again = Tables::new(&text, EDGES).load(&target("y")).unwrap();
    assert_eq!(split, &again.dataset.split);
}

#[test]
fn several_columns_are_labels_or_numbers() {
    let data = Tables::new(&nodes("p,q", 20, |row| format!("{},{}", row % 2, ["", "1.0", "0"][row % 3])), EDGES)
        .load(&targets(&["q", "p"]))
        .unwrap();
    let Target::Binary { values, names } = &data.dataset.target else { panic!("{:?}", data.dataset.target) };
    assert_eq!(names, &["q", "p"]);
    for (row, pair) in values.chunks_exact(2).enumerate() {
        assert_eq!(pair[1], (row % 2) as f32);
        assert!(if row % 3 == 0 { pair[0].is_nan() } else { pair[0] == (2 - row % 3) as f32 });
    }
    assert_eq!(data.dataset.metric, Metric::AveragePrecision, "of several questions");
    assert_eq!(data.dataset.nodes.width, 1, "targets are no features");
    assert!(notes(&data).starts_with("target \"q\", \"p\" are 0, 1 or empty: read as labels."));
    let data =
        Tables::new(&nodes("p,q", 20, |row| format!("{},{row}", row % 2)), EDGES).load(&targets(&["p", "q"])).unwrap();
    assert_eq!(numbers(&data)[10..12], [1.0, 5.0]);
}

#[test]
fn a_task_that_was_asked_for_goes_before_looks() {
    let text = nodes("y", 40, |row| (row % 2).to_string());
    let load = |task| Tables::new(&text, EDGES).load(&NodeTableOptions { task: Some(task), ..target("y") }).unwrap();
    assert_eq!(numbers(&load(TargetKind::Numbers))[..3], [0.0, 1.0, 0.0]);
    assert!(matches!(&load(TargetKind::Labels).dataset.target, Target::Binary { names, .. } if names == &["y"]));
    assert_eq!(labels(&load(TargetKind::Classes))[..3], [Some(0), Some(1), Some(0)]);
    assert!(notes(&load(TargetKind::Numbers)).is_empty());
}

#[test]
fn what_does_not_fit_is_one_line() {
    let refused = |text: &str, names: &[&str], task| {
        let tables = Tables::new(text, EDGES);
        message(&tables, &tables.load(&NodeTableOptions { task, ..targets(names) }).unwrap_err())
    };
    let unique = nodes("y", 30, |row| format!("{row}.5"));
    assert_eq!(
        refused(&unique, &["y"], Some(TargetKind::Classes)),
        "nodes.csv: column \"y\" has 30 different values in 30 labelled rows, too many for classes. Pass another `target`."
    );
    let bad = nodes("y", 30, |row| if row == 4 { "soon".to_string() } else { format!("{row}.5") });
    assert_eq!(
        refused(&bad, &["y"], None),
        "nodes.csv, line 6, column \"y\": \"soon\" is not a finite 32-bit number, but the target is read as numbers. Correct or empty the cell, or pass another `task`."
    );
    assert!(
        refused(&nodes("y", 9, |_| "1e39".to_string()), &["y"], Some(TargetKind::Numbers)).contains("\"1e39\" is not")
    );
    assert_eq!(
        refused(&nodes("y", 9, |row| row.min(2).to_string()), &["y"], Some(TargetKind::Labels)),
        "nodes.csv, line 4, column \"y\": \"2\" is not 0, 1 (or no, yes; false, true) or empty, but the target is read as labels. Correct or empty the cell, or pass another `task`."
    );
    let mixed = nodes("p,q", 9, |row| format!("{row},w{}", row % 2));
    assert_eq!(
        refused(&mixed, &["p", "q"], None),
        "nodes.csv, line 2, column \"q\": \"w0\" is text. Of several targets each is 0, 1 or empty, or a number; classes need one target alone."
    );
    assert!(
        refused(&mixed, &["p", "q"], Some(TargetKind::Classes))
            .starts_with("nodes.csv: target \"p\" is one of 2 targets")
    );
    assert!(refused(&mixed, &["p", "p"], None).contains("cannot be one target and another at once"));
    assert_eq!(
        refused(&nodes("y", 9, |_| String::new()), &["y"], Some(TargetKind::Numbers)),
        "nodes.csv: target \"y\" has no value in any row. Pass another `target`."
    );
    assert_eq!(
        refused("id,x,y\n0,1,2.5\n1,1,3\n2,1,\n", &["y"], None),
        "nodes.csv: 2 labelled rows are too few for a split into train, valid and test. Label more rows, or add a split column."
    );
}

#[test]
fn the_schema_keeps_the_kind_and_reads_new_tables_so() {
    let text = nodes("p,q", 20, |row| format!("{}.5,{row}", row % 4));
    let trained = Tables::new(&text, EDGES).load(&targets(&["p", "q"])).unwrap();
    let json = serde_json::to_string(&trained.schema).unwrap();
    let schema: Schema = serde_json::from_str(&json).unwrap();
    assert_eq!(schema, trained.schema);
    // Whole numbers alone would look like classes, and one of the columns is not there.
    let new = Tables::new("id,x,q\n7,1,1\n8,2,\n", "source,target\n");
    let data = NodeTables::load_with_schema(&new.nodes(), &new.edges(), &schema, &ApplyOptions::default()).unwrap();
    let values = numbers(&data);
    assert!(values[0].is_nan() && values[1] == 1.0 && values[2].is_nan() && values[3].is_nan());
    assert_eq!(data.dataset.target.names(), ["p", "q"]);
    assert_eq!(data.dataset.metric, Metric::Mae);
}

#[test]
fn a_schema_of_before_holds_classes() {
    let old = r#"{"id":"id","target":{"name":"y","classes":["a","b"]},"split":null,"features":[],"directed":false}"#;
    let schema: Schema = serde_json::from_str(old).unwrap();
    assert_eq!(schema.target.unwrap().kind, TargetKind::Classes);
    assert!(schema.edge_features.is_empty());
}

#[test]
fn a_column_may_hold_lists() {
    let text = nodes("y", 20, |row| if row == 3 { String::new() } else { format!("\"[{}, nan, 1]\"", row % 2) });
    let data = Tables::new(&text, EDGES).load(&target("y")).unwrap();
    let Target::Binary { values, names } = &data.dataset.target else { panic!("{:?}", data.dataset.target) };
    assert_eq!(names, &["y 0", "y 1", "y 2"]);
    for (row, three) in values.chunks_exact(3).enumerate() {
        assert!(three[1].is_nan());
        assert!(if row == 3 { three[0].is_nan() } else { three[0] == (row % 2) as f32 && three[2] == 1.0 });
    }
    let new = Tables::new("id,x,y\n7,1,\"[1, 1, 0]\"\n8,2,\n", "source,target\n");
    let apply =
        |schema: &Schema| NodeTables::load_with_schema(&new.nodes(), &new.edges(), schema, &ApplyOptions::default());
    let Target::Binary { values, .. } = apply(&data.schema).unwrap().dataset.target else { panic!() };
    assert!(values[..3] == [1.0, 1.0, 0.0] && values[3..].iter().all(|value| value.is_nan()));
    let classes = Tables::new(&text, EDGES).load(&NodeTableOptions { task: Some(TargetKind::Classes), ..target("y") });
    assert!(
        classes
            .unwrap_err()
            .to_string()
            .ends_with("column \"y\": a list is not a class. Pass another `target` or `task`.")
    );
}

#[test]
fn new_rows_need_no_target_at_all() {
    let text = nodes("y", 20, |row| format!("{row}.5"));
    let schema = Tables::new(&text, EDGES).load(&target("y")).unwrap().schema;
    let new = Tables::new("id,x,y\n7,1,\n8,2,NA\n", "source,target\n");
    let data = NodeTables::load_with_schema(&new.nodes(), &new.edges(), &schema, &ApplyOptions::default()).unwrap();
    assert!(numbers(&data).iter().all(|value| value.is_nan()));
}
