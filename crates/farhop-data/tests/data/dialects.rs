//! Tables as they come: other delimiters, decimal commas, dates, answers in words.

use farhop_data::metrics::Metric;
use farhop_data::molecules::{MoleculeOptions, MoleculeTable};
use farhop_data::{ApplyOptions, FeatureKind, Level, NodeTableOptions, NodeTables, Schema, Target, TargetKind};

use crate::support::{Tables, features, folder_of, message, notes, target};

const NODES: &str = "id,label,size,colour\na,cat,1.5,red\nb,dog,-2.25,blue\nc,cat,3,red\nd,dog,4e-1,red\n";
const EDGES: &str = "source,target,length\na,b,0.5\nb,c,1.5\nc,d,2\n";

fn with(text: &str, delimiter: char) -> String {
    text.replace(',', &delimiter.to_string())
}

#[test]
fn delimiters_are_told_by_themselves_in_both_tables() {
    let commas = Tables::new(NODES, EDGES).load(&target("label")).unwrap();
    for delimiter in [';', '\t'] {
        let other = Tables::new(&with(NODES, delimiter), &with(EDGES, delimiter)).load(&target("label")).unwrap();
        assert_eq!(other.schema, commas.schema);
        assert_eq!(features(&other), features(&commas));
        assert_eq!(other.dataset.edges, commas.dataset.edges);
        assert_eq!(notes(&other), notes(&commas), "nothing to say about it");
    }
}

#[test]
fn decimal_commas_are_read_and_said() {
    let points = Tables::new(&with(NODES, ';'), &with(EDGES, ';')).load(&target("label")).unwrap();
    let commas = Tables::new(&with(NODES, ';').replace('.', ","), &with(EDGES, ';').replace('.', ","));
    let commas = commas.load(&target("label")).unwrap();
    assert_eq!(commas.schema, points.schema);
    assert_eq!(features(&commas), features(&points));
    assert_eq!(commas.dataset.edges, points.dataset.edges);
    let said = notes(&commas);
    assert_eq!(said.matches("numbers are read with decimal commas, 1,5 as 1.5").count(), 2, "{said}");
}

#[test]
fn molecules_may_be_separated_by_semicolons_too() {
    let folder = folder_of(&[("m.csv", "smiles;y\nCCO;1,5\nCC(=O)O;2,5\nC;0,5\nCC;1\n")]);
    let options = MoleculeOptions { targets: vec!["y".to_string()], ..MoleculeOptions::default() };
    let read = MoleculeTable::load(&folder.path().join("m.csv"), &options).unwrap().dataset;
    assert!(matches!(&read.target, Target::Number { values, .. } if values[..] == [1.5, 2.5, 0.5, 1.0]));
}

/// Days since 1970 from another calendar: 2024-01-01 is 19723, noon is half a day more.
#[test]
fn dates_become_days_and_new_rows_are_treated_the_same() {
    let nodes = "id,label,since,seen\n\
        a,x,2024-01-01,2024-01-01T12:00:00\nb,y,2024-01-03,2024-01-02 00:00:00Z\n\
        c,x,2024-01-05,2024-01-01T00:00\nd,y,2024-01-07,2024-01-03\n";
    let edges = "source,target,made\na,b,2023-12-31\nb,c,2024-01-01\nc,d,2024-01-02\n";
    let plain = NodeTableOptions { scaling: farhop_data::FeatureScaling::None, ..target("label") };
    let tables = Tables::new(nodes, edges);
    let read = tables.load(&plain).unwrap();
    assert_eq!(features(&read), [19723.0, 19723.5, 19725.0, 19724.0, 19727.0, 19723.0, 19729.0, 19725.0]);
    for column in ["since", "seen", "made"] {
        assert!(notes(&read).contains(&format!("\"{column}\"")), "{}", notes(&read));
    }
    assert!(notes(&read).contains("dates are read as days since 1970-01-01"));
    assert!(read.card().to_string().contains("2 dates"), "{}", read.card());
    let schema: Schema = serde_json::from_str(&serde_json::to_string(&read.schema).unwrap()).unwrap();
    assert!(matches!(schema.features[0].kind, FeatureKind::Number { dates: true, .. }));
    let new = Tables::new("id,since,seen\nz,2024-01-02,2024-01-02\n", "source,target,made\nz,z,2024-01-01\n");
    let new = NodeTables::load_with_schema(&new.nodes(), &new.edges(), &schema, &ApplyOptions::default()).unwrap();
    assert_eq!(features(&new), [19724.0, 19724.0]);
    // A year alone is a number, and a date that was asked for as a category is one.
    let categories = NodeTableOptions { categories: vec!["since".to_string()], ..plain };
    let read = tables.load(&categories).unwrap();
    assert!(matches!(read.schema.features[0].kind, FeatureKind::Category { .. }));
}

#[test]
fn answers_may_be_words() {
    let rows = |words: [&str; 2]| -> String {
        let mut text = String::from("id,x,y,z\n");
        (0..40).for_each(|row| {
            text += &format!("{row},{},{},{}\n", row % 7, words[row % 2], words[(row / 2) % 2]);
        });
        text
    };
    for words in [["no", "yes"], ["False", "TRUE"], ["0", "1"], ["n", "Y"], ["F", "t"]] {
        let tables = Tables::new(&rows(words), "source,target\n0,1\n");
        // Of one column there are two classes, no before yes.
        let one = tables.load(&target("y")).unwrap();
        assert_eq!(one.schema.classes(), words);
        // Of several, and where it was asked for, there are labels.
        let both = NodeTableOptions { targets: vec!["y".to_string(), "z".to_string()], ..NodeTableOptions::default() };
        let asked = NodeTableOptions { task: Some(TargetKind::Labels), ..target("y") };
        for (options, width) in [(both, 2), (asked, 1)] {
            let read = tables.load(&options).unwrap();
            let Target::Binary { values, names } = &read.dataset.target else { panic!("{:?}", read.dataset.target) };
            assert_eq!(names.len(), width);
            assert!(values.iter().step_by(width).enumerate().all(|(row, value)| *value == (row % 2) as f32));
        }
        let mut molecules = String::from("smiles,y\n");
        (0..12).for_each(|row| molecules += &format!("{},{}\n", "C".repeat(row + 1), words[row % 2]));
        let folder = folder_of(&[("m.csv", &molecules)]);
        let options = MoleculeOptions { targets: vec!["y".to_string()], ..MoleculeOptions::default() };
        let read = MoleculeTable::load(&folder.path().join("m.csv"), &options).unwrap().dataset;
        assert_eq!((read.level, read.metric), (Level::Graph, Metric::RocAuc));
        assert!(matches!(&read.target, Target::Binary { values, .. } if values[..3] == [0.0, 1.0, 0.0]));
    }
    let mixed = Tables::new(&rows(["no", "yes"]).replacen(",yes,", ",Yes,", 1), "source,target\n0,1\n");
    let read = mixed.load(&target("y")).unwrap();
    assert_eq!(read.schema.target.as_ref().map(|target| target.kind), Some(TargetKind::Labels));
    assert!(notes(&read).contains("several spellings"), "{}", notes(&read));
}

#[test]
fn classes_far_from_even_choose_the_score_and_say_why() {
    let nodes = |label: &dyn Fn(usize) -> &'static str| {
        let mut text = String::from("id,x,label\n");
        (0..60).for_each(|row| text += &format!("{row},{},{}\n", row % 7, label(row)));
        text
    };
    let card = |label: &dyn Fn(usize) -> &'static str| {
        let read = Tables::new(&nodes(label), "source,target\n0,1\n").load(&target("label")).unwrap();
        (read.dataset.metric, read.card().to_string().split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (metric, text) = card(&|row| if row % 10 == 0 { "yes" } else { "no" });
    assert_eq!(metric, Metric::RocAuc);
    assert!(text.contains("scored by roc-auc (always naming \"no\" would be right in 90.0 % of the rows)"), "{text}");
    let (metric, text) = card(&|row| ["a", "b", "c", "c", "c", "c", "c", "c", "c", "c"][row % 10]);
    assert_eq!(metric, Metric::BalancedAccuracy);
    assert!(text.contains("scored by balanced-accuracy (always naming \"c\" would be right in 80.0 %"), "{text}");
    let (metric, text) = card(&|row| if row % 2 == 0 { "yes" } else { "no" });
    assert_eq!(metric, Metric::Accuracy);
    assert!(!text.contains("always naming"), "{text}");
}

#[test]
fn all_problems_are_said_at_once() {
    let mut nodes = String::from("id,label,size,note,split\n");
    for row in 0..30 {
        let size = if row == 3 { "big".to_string() } else { row.to_string() };
        let part = if row == 4 { "holdout" } else { ["train", "valid", "test"][row % 3] };
        nodes += &format!("n{row},{},{size},text number {row},{part}\n", ["a", "b"][row % 2]);
    }
    nodes = nodes.replace("n7,", ",").replace("n9,", "n8,").replace("n11,b,11,", "n11,b,");
    let tables = Tables::new(&nodes, "source,target\nn0,n1\nn0,x1\n,n2\nn3\nn11,n0\n");
    let text = message(&tables, &tables.load(&target("label")).unwrap_err());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "9 problems in the data:", "{text}");
    assert_eq!(lines.len(), 10);
    for (line, says) in lines[1..].iter().zip([
        "nodes.csv, line 6, column \"split\": \"holdout\"",
        "nodes.csv, line 9: the id in column \"id\" is empty",
        "nodes.csv, line 13: 4 cells where the header has 5",
        "nodes.csv, line 11: id \"n8\" is in train, but line 10 puts it in test",
        "nodes.csv: text column \"note\" has 29 different values in 29 rows",
        "nodes.csv, line 5, column \"size\": \"big\" is not a number",
        "edges.csv, line 3: target id \"x1\" is not in nodes.csv",
        "edges.csv, line 4: the id in column \"source\" is empty",
        "edges.csv, line 5: 1 cell where the header has 2",
    ]) {
        assert!(line.starts_with("  ") && line.contains(says), "{says:?} is not in {line:?}\n{text}");
    }
}

#[test]
fn ten_problems_are_told_and_the_rest_are_counted() {
    let mut edges = String::from("source,target\n");
    (0..25).for_each(|row| edges += &format!("a,x{row}\n"));
    let tables = Tables::new(NODES, &edges);
    let text = message(&tables, &tables.load(&target("label")).unwrap_err());
    assert!(text.starts_with("25 problems in the data:\n  edges.csv, line 2: target id \"x0\""), "{text}");
    assert!(text.ends_with("\n  and 15 more"), "{text}");
    assert_eq!(text.lines().count(), 12);
}

#[test]
fn new_tables_say_all_that_is_wrong_too() {
    let schema = Tables::new(NODES, EDGES).load(&target("label")).unwrap().schema;
    let apply = |nodes: &str, edges: &str| {
        let new = Tables::new(nodes, edges);
        let read = NodeTables::load_with_schema(&new.nodes(), &new.edges(), &schema, &ApplyOptions::default());
        message(&new, &read.unwrap_err())
    };
    let missing = apply("id,other\na,1\n", EDGES);
    assert!(missing.contains("no column \"size\"") && missing.contains("no column \"colour\""), "{missing}");
    let cells = apply("id,size,colour\na,x,red\nb,,red\n", "source,target,length\na,b,long\n");
    assert!(cells.starts_with("3 problems") && cells.contains("line 2, column \"size\""), "{cells}");
    assert!(cells.contains("line 3, column \"size\"") && cells.contains("edges.csv, line 2"), "{cells}");
}

#[test]
fn bad_molecules_are_said_together() {
    let folder = folder_of(&[(
        "m.csv",
        "smiles,y,split\nCC,1,train\n,2,train\nC(,3,valid\nCCC,high,test\nC,4,nowhere\nCO,1.5,\n",
    )]);
    let options = MoleculeOptions { targets: vec!["y".to_string()], ..MoleculeOptions::default() };
    let path = folder.path().join("m.csv");
    let text = MoleculeTable::load(&path, &options).unwrap_err().to_string();
    assert!(text.starts_with("4 problems in the data:"), "{text}");
    for says in ["line 3: the SMILES is empty", "line 4: SMILES \"C(\"", "line 5, column \"y\"", "\"nowhere\""] {
        assert!(text.contains(says), "{says:?} is not in\n{text}");
    }
    let folder = folder_of(&[("m.csv", "smiles,y\nCC,1\n,2\nCCC,2.5\nCCCC,3\n")]);
    let skipped = MoleculeOptions { skip_bad: true, ..options };
    let read = MoleculeTable::load(&folder.path().join("m.csv"), &skipped).unwrap();
    assert_eq!(read.rows, [0, 2, 3]);
    assert!(read.dataset.notes.iter().any(|note| note.contains("line 3: the SMILES is empty")));
}

#[test]
fn names_are_the_ids_of_molecules() {
    let folder = folder_of(&[
        ("m.smi", "CCO ethanol 46.07\nCC\tacetic acid\nC\nCO methanol\n"),
        ("m.csv", "Name,smiles,y\nfirst,CC,1\nsecond,CCC,2.5\n,C,3\n"),
    ]);
    let none = MoleculeOptions::default();
    let lines = MoleculeTable::load(&folder.path().join("m.smi"), &none).unwrap();
    assert_eq!(lines.dataset.ids, ["ethanol", "acetic acid", "2", "methanol"]);
    let table = MoleculeTable::load(&folder.path().join("m.csv"), &none).unwrap();
    assert_eq!(table.dataset.ids, ["first", "second", "2"]);
    assert_eq!(table.schema.id.as_deref(), Some("Name"));
    // What the target is called is no id.
    let target = MoleculeOptions { targets: vec!["Name".to_string()], ..none };
    assert!(MoleculeTable::load(&folder.path().join("m.csv"), &target).is_err());
}
