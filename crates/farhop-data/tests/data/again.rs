//! New files are read as a file of the same layout was read for training.

use std::path::{Path, PathBuf};

use crate::bits::assert_same;
use crate::support::{dense, folder_of};
use farhop_data::import::{ColumnSizes, FileSchema, ImportOptions, import_again, import_learning};
use farhop_data::{DataError, Dataset, NodeTableOptions, Split, SplitChoice, Target};

fn kept(schema: &FileSchema) -> FileSchema {
    serde_json::from_str(&serde_json::to_string(schema).unwrap()).unwrap()
}

fn targets(names: &[&str]) -> ImportOptions {
    ImportOptions { targets: names.iter().map(ToString::to_string).collect(), ..ImportOptions::default() }
}

/// Two graphs are too few to draw a split from.
fn given() -> ImportOptions {
    let split = SplitChoice::Given(Split { train: vec![0], valid: vec![], test: vec![1] });
    ImportOptions { table: NodeTableOptions { split, ..NodeTableOptions::default() }, ..ImportOptions::default() }
}

fn again(path: &Path, options: &ImportOptions, schema: &FileSchema) -> Result<Dataset, DataError> {
    import_again(path, options, &kept(schema))
}

#[test]
fn the_file_of_training_gives_the_same_bits() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/graphs");
    let mut read = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // Of some files only a part is read, or they need to be asked for in a certain way.
        let Ok((dataset, schema)) = import_learning(&path, &ImportOptions::default()) else { continue };
        let same = again(&path, &ImportOptions::default(), &schema).unwrap();
        let (split, notes) = (Split::default(), same.notes.clone());
        assert_same(&Dataset { split, notes, ..dataset }, &same);
        read += 1;
    }
    assert!(read > 15, "{read} files");
}

const TU: [(&str, &str); 5] = [
    ("T_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"),
    ("T_graph_indicator.txt", "1\n1\n1\n2\n2\n"),
    ("T_graph_labels.txt", "-1\n4\n"),
    ("T_node_labels.txt", "0\n3\n7\n3\n0\n"),
    ("T_edge_labels.txt", "5\n5\n9\n9\n5\n5\n"),
];

#[test]
fn labels_of_a_collection_mean_the_same_in_another() {
    let trained = folder_of(&TU);
    let (dataset, schema) = import_learning(trained.path(), &given()).unwrap();
    assert_eq!(dataset.nodes.categories, [0, 1, 2, 1, 0]);
    // Other labels in another order, and no graph labels.
    let mut files = TU.map(|(name, text)| (name.replace('T', "U"), text.to_string()));
    files[3].1 = "7\n7\n3\n3\n7\n".to_string();
    files[4].1 = "9\n9\n9\n9\n9\n9\n".to_string();
    let files: Vec<(&str, &str)> = files
        .iter()
        .filter(|(name, _)| !name.contains("graph_labels"))
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let new = folder_of(&files);
    let read = again(new.path(), &ImportOptions::default(), &schema).unwrap();
    assert_eq!(read.nodes.categories, [2, 2, 1, 1, 2]);
    assert_eq!((read.nodes.sizes, read.edges.sizes), (vec![3], vec![2]));
    assert!(read.edges.categories.iter().all(|category| *category == 1));
    let Target::Class { labels, classes } = read.target else { panic!("classes") };
    assert_eq!((labels, classes), (vec![None, None], vec!["-1".to_string(), "4".to_string()]));
    // A label that training never saw.
    let mut files = TU;
    files[3].1 = "0\n3\n8\n3\n0\n";
    let error = again(folder_of(&files).path(), &ImportOptions::default(), &schema).unwrap_err().to_string();
    assert!(error.contains("T_node_labels.txt, line 3") && error.contains("label 8"), "{error}");
}

fn graphml(rows: &[(&str, &str, &str)]) -> String {
    let mut text = String::from(
        "<graphml><key id=\"s\" for=\"node\" attr.name=\"size\" attr.type=\"double\"/><key id=\"k\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/><key id=\"y\" for=\"node\" attr.name=\"y\" attr.type=\"string\"/><graph edgedefault=\"undirected\">",
    );
    for (number, (size, kind, label)) in rows.iter().enumerate() {
        text += &format!("<node id=\"n{number}\"><data key=\"s\">{size}</data><data key=\"k\">{kind}</data>");
        text += &if label.is_empty() { "</node>".into() } else { format!("<data key=\"y\">{label}</data></node>") };
    }
    text + "<edge source=\"n0\" target=\"n1\"/></graph></graphml>"
}

#[test]
fn graphml_keeps_scales_categories_and_classes_of_training() {
    let rows = [("1", "a", "no"), ("2", "b", "yes"), ("6", "c", "no"), ("9", "a", "yes"), ("4", "b", "no")];
    let folder = folder_of(&[
        ("old.graphml", &graphml(&rows)),
        // One of the old nodes alone beside a kind that training never saw; no labels at all.
        ("new.graphml", &graphml(&[("6", "c", ""), ("1", "d", "")])),
        ("labelled.graphml", &graphml(&[("6", "c", "yes"), ("1", "a", "maybe")])),
    ]);
    let options = targets(&["y"]);
    let (old, schema) = import_learning(&folder.path().join("old.graphml"), &options).unwrap();
    let new = again(&folder.path().join("new.graphml"), &options, &schema).unwrap();
    assert_eq!(new.nodes.width, old.nodes.width);
    let width = new.nodes.width;
    assert_eq!(dense(&old.nodes)[2 * width..3 * width], dense(&new.nodes)[..width]);
    assert_eq!(new.target.names(), ["no", "yes"]);
    let labelled = again(&folder.path().join("labelled.graphml"), &options, &schema).unwrap();
    let Target::Class { labels, .. } = labelled.target else { panic!("classes") };
    assert_eq!(labels, [Some(1), None]);
}

/// Several graphs, each with a class and some nodes with a size and a kind; an empty class is left out.
fn several(graphs: &[(&str, &[(&str, &str)])]) -> String {
    let mut text = String::from(
        "<graphml><key id=\"s\" for=\"node\" attr.name=\"size\"/><key id=\"k\" for=\"node\" attr.name=\"kind\"/>\
         <key id=\"l\" for=\"edge\" attr.name=\"length\"/><key id=\"y\" for=\"graph\" attr.name=\"y\"/>",
    );
    for (number, (class, nodes)) in graphs.iter().enumerate() {
        text += &format!("<graph id=\"g{number}\" edgedefault=\"undirected\">");
        text += &if class.is_empty() { String::new() } else { format!("<data key=\"y\">{class}</data>") };
        for (node, (size, kind)) in nodes.iter().enumerate() {
            text += &format!("<node id=\"n{node}\"><data key=\"s\">{size}</data><data key=\"k\">{kind}</data></node>");
        }
        text += &format!("<edge source=\"n0\" target=\"n1\"><data key=\"l\">{}</data></edge></graph>", 3 * number + 1);
    }
    text + "</graphml>"
}

#[test]
fn several_graphs_keep_scales_categories_and_classes_of_training() {
    let folder = folder_of(&[
        (
            "old.graphml",
            &several(&[("low", &[("1", "a"), ("2", "b")]), ("high", &[("6", "c"), ("9", "a"), ("4", "b")])]),
        ),
        // The second graph of training alone, without its class; then graphs with classes, one of them new.
        ("new.graphml", &several(&[("", &[("6", "c"), ("9", "a"), ("4", "b")]), ("", &[("1", "d"), ("1", "a")])])),
        ("labelled.graphml", &several(&[("high", &[("6", "c"), ("1", "a")]), ("maybe", &[("1", "a"), ("2", "b")])])),
    ]);
    let mut options = targets(&["y"]);
    options.table.split = SplitChoice::Given(Split { train: vec![0, 1], valid: vec![], test: vec![] });
    let (old, schema) = import_learning(&folder.path().join("old.graphml"), &options).unwrap();
    let new = again(&folder.path().join("new.graphml"), &options, &schema).unwrap();
    let width = old.nodes.width;
    assert_eq!((new.nodes.width, new.graphs.len(), new.rows()), (width, 2, 2));
    assert_eq!(dense(&old.nodes)[2 * width..5 * width], dense(&new.nodes)[..3 * width]);
    assert_eq!(new.edges.width, old.edges.width);
    assert_eq!(dense(&old.edges)[0], dense(&new.edges)[0], "the length of the first edge is 1 in both");
    assert_eq!(new.target.names(), ["high", "low"]);
    let labelled = again(&folder.path().join("labelled.graphml"), &options, &schema).unwrap();
    let Target::Class { labels, .. } = labelled.target else { panic!("classes") };
    assert_eq!(labels, [Some(0), None]);
}

#[test]
fn what_differs_is_said_on_one_line() {
    let folder = folder_of(&[("a.graphml", &graphml(&[("1", "a", "no"), ("2", "b", "yes"), ("3", "a", "yes")]))]);
    let trained = folder_of(&TU);
    let (_, schema) = import_learning(trained.path(), &given()).unwrap();
    let error = again(&folder.path().join("a.graphml"), &targets(&["y"]), &schema).unwrap_err().to_string();
    assert!(error.contains("this is GraphML; the run was trained on a TU collection"), "{error}");
    let graphs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/graphs");
    let (data, schema) = import_learning(&graphs.join("masks.npz"), &ImportOptions::default()).unwrap();
    let wider = FileSchema { nodes: ColumnSizes { numbers: 77, categories: vec![] }, ..schema };
    let error = again(&graphs.join("masks.npz"), &ImportOptions::default(), &wider).unwrap_err().to_string();
    assert!(error.contains(&format!("{} numbers for every node", data.nodes.width)), "{error}");
    assert!(error.contains("trained with 77 numbers") && error.lines().count() == 1, "{error}");
}
