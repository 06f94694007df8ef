//! Edge lists, GraphML and Wiki-CS.

use farhop_data::edge_list::{EdgeList, EdgeListOptions, IdKind};
use farhop_data::import::{GraphFormat, ImportOptions, import_graphs_bytes};
use farhop_data::wikics::WikiCs;
use farhop_data::{DataError, Dataset, FeatureScaling, Level, NodeTableOptions, Numbers, Split, SplitChoice, Target};

fn list(text: &str, options: EdgeListOptions) -> Result<EdgeList, DataError> {
    EdgeList::from_bytes("e.txt", text.as_bytes().to_vec(), options)
}

#[test]
fn the_same_edges_in_every_spelling() {
    let expected = [(0, 1), (1, 2), (2, 0)];
    for text in [
        "0 1\n1 2\n2 0\n",
        "# Nodes: 3\n0\t1\n1\t2\n\n2\t0",
        "% asym\r\n0,1\r\n1, 2\r\n2 ,0\r\n",
        "1 2\n2 3\n3 1\n",
        "a b\nb c\nc a\n",
        "900000000001 5\n5 7\n7 900000000001\n",
        "%%MatrixMarket matrix coordinate pattern general\n% made by hand\n3 3 3\n1 2\n2 3\n3 1\n",
    ] {
        let read = list(text, EdgeListOptions::default()).unwrap();
        assert_eq!(read.rows, expected, "{text}");
        assert_eq!((read.built.graph.nodes(), read.built.graph.edges()), (3, 3), "{text}");
    }
    let named = list("x y\ny 3\n", EdgeListOptions::default()).unwrap();
    assert_eq!((&named.names[..], named.ids), (&["x", "y", "3"].map(String::from)[..], IdKind::Names));
    let matrix = list("%%MatrixMarket matrix coordinate real symmetric\n4 4 1\n2 1 0.5\n", EdgeListOptions::default());
    assert_eq!(matrix.unwrap().built.graph.nodes(), 4);
}

#[test]
fn weights_are_read_if_asked_for() {
    let options = EdgeListOptions { weights: true, directed: true, ..EdgeListOptions::default() };
    let read = list("0 1 0.5\n1 0 -2\n0 2 1e3\n", options).unwrap();
    // Entries 0 <- 1, 1 <- 0, 2 <- 0.
    assert_eq!(read.entry_weights().unwrap(), [-2.0, 0.5, 1000.0]);
    let unread = list("0 1 0.5\n1 2 1\n", EdgeListOptions::default()).unwrap();
    assert_eq!(unread.notes, ["e.txt: 2 lines have more cells than are used"]);
    let counted = EdgeListOptions { ids: IdKind::FromZero, nodes: Some(9), ..EdgeListOptions::default() };
    assert_eq!(list("1 2\n", counted).unwrap().built.graph.nodes(), 9);
}

const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="size" attr.type="double"><default>7</default></key>
  <key id="d1" for="node" attr.name="kind" attr.type="string"/>
  <key id="d2" for="edge" attr.name="weight" attr.type="float"/>
  <key id="d3" for="node" attr.name="good" attr.type="boolean"/>
  <key id="d4" for="node" yfiles.type="nodegraphics"/>
  <graph id="G" edgedefault="directed">
    <node id="n0"><data key="d0">1.5</data><data key="d1">a &amp; b</data><data key="d3">true</data></node>
    <node id="n1"><data key="d1">c</data><data key="d3">false</data><data key="d4"><y:Shape w="1"/></data></node>
    <node id="n2"><data key="d0">2.5</data><data key="d1">c</data><data key="d3">true</data></node>
    <edge source="n0" target="n1"><data key="d2">0.25</data></edge>
    <edge source="n2" target="n1"><data key="d2">4</data></edge>
  </graph>
</graphml>
"#;

fn graphml(text: &str, target: &str, split: Split) -> Result<Dataset, DataError> {
    let table = NodeTableOptions {
        scaling: FeatureScaling::None,
        split: SplitChoice::Given(split),
        ..NodeTableOptions::default()
    };
    let options = ImportOptions { table, targets: vec![target.to_string()], ..ImportOptions::default() };
    import_graphs_bytes("g.graphml", text.as_bytes().to_vec(), GraphFormat::GraphMl, &options)
}

/// Both classes are in train.
fn most() -> Split {
    Split { train: vec![0, 1], valid: vec![], test: vec![2] }
}

fn each() -> Split {
    Split { train: vec![0], valid: vec![1], test: vec![2] }
}

#[test]
fn graphml_keys_become_features_and_targets() {
    let dataset = graphml(GRAPHML, "good", most()).unwrap();
    let union = dataset.graphs.union();
    assert!(union.is_directed() && union.neighbours(1) == [0, 2] && union.entries() == 2);
    // size with its default, then one number per kind, in alphabetical order.
    let Numbers::Dense(numbers) = &dataset.nodes.numbers else { panic!() };
    assert_eq!((dataset.nodes.width, &numbers[..]), (3, &[1.5, 1., 0., 7., 0., 1., 2.5, 0., 1.][..]));
    assert_eq!(dataset.edges.numbers, Numbers::Dense(vec![0.25, 4.0]));
    assert!(matches!(&dataset.target, Target::Class { labels, .. } if labels == &[Some(1), Some(0), Some(1)]));
    assert_eq!((dataset.level, dataset.ids.join(" ")), (Level::Node, "n0 n1 n2".to_string()));
    let kinds = graphml(GRAPHML, "kind", most()).unwrap();
    assert!(matches!(&kinds.target, Target::Class { classes, .. } if classes == &["a & b", "c"]));
}

#[test]
fn several_graphs_are_predicted_as_graphs() {
    let mut text = String::from(
        "<graphml><key id='y' for='graph' attr.name='y' attr.type='double'/><key id='x' for='node' attr.name='x' attr.type='int'/>",
    );
    for graph in 0..3 {
        text += &format!("<graph id='g{graph}' edgedefault='undirected'><data key='y'>{graph}.5</data>");
        text += "<node id='a'><data key='x'>1</data></node><node id='b'><data key='x'>2</data></node><edge source='b' target='a'/></graph>\n";
    }
    text += "</graphml>";
    let dataset = graphml(&text, "y", each()).unwrap();
    assert_eq!((dataset.level, dataset.graphs.offsets()), (Level::Graph, &[0, 2, 4, 6][..]));
    assert!(matches!(&dataset.target, Target::Number { values, .. } if values == &[0.5, 1.5, 2.5]));
    assert_eq!(dataset.nodes.numbers, Numbers::Dense(vec![1., 2., 1., 2., 1., 2.]));
    assert_eq!(dataset.graphs.union().edges(), 3);
}

#[test]
fn graphml_errors_name_the_line_of_the_file() {
    for (from, to, message) in [
        (
            "target=\"n1\"><data key=\"d2\">4",
            "target=\"n9\"><data key=\"d2\">4",
            "g.graphml, line 13: target id \"n9\" is not in g.graphml (3 ids). Add the node, or pass add_missing_nodes = true.",
        ),
        (
            "1.5",
            "large",
            "g.graphml, line 9, column \"size\": \"large\" is not a number, but the column is one of numbers. Correct the cell, or train with category = size or ignore = size.",
        ),
        (
            "id=\"n2\"",
            "id=\"n0\"",
            "2 problems in the data:\n  g.graphml, line 11: id \"n0\" is already on line 9. Remove one of the rows, or rename it.\n  \
             g.graphml, line 13: source id \"n2\" is not in g.graphml (3 ids). Add the node, or pass add_missing_nodes = true.",
        ),
        ("key=\"d1\">a &amp; b", "key=\"d9\">a &amp; b", "g.graphml, line 9: key \"d9\" is not declared. Add a <key>."),
        ("&amp;", "&bomb;", "g.graphml, line 9: entity &bomb; is not known."),
        (
            "?>",
            "?><!DOCTYPE x [<!ENTITY a \"aa\">]>",
            "g.graphml, line 1: the document declares entities or types of its own, which is refused. Remove the declaration.",
        ),
    ] {
        let error = graphml(&GRAPHML.replacen(from, to, 1), "good", most()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

const WIKICS: &str = r#"{"features": [[1, 2.5], [0, -1], [3, 4], [5, 6]], "labels": [0, 1, 1, 0],
"links": [[1, 2], [], [3], [0]],
"train_masks": [[true, false, false, false], [false, true, false, false]],
"val_masks": [[false, true, false, false], [true, false, false, false]],
"stopping_masks": [[false, false, true, false], [false, false, true, false]],
"test_mask": [false, false, false, true], "tokens": [["not", "read"]]}"#;

#[test]
fn wikics_has_its_splits() {
    let read = WikiCs::from_bytes("data.json", WIKICS.as_bytes().to_vec()).unwrap();
    let dataset = read.dataset(1).unwrap();
    assert_eq!(dataset.split, Split { train: vec![1], valid: vec![0], test: vec![3] });
    assert_eq!((read.stopping[0].clone(), dataset.graphs.union().edges()), (vec![2], 4));
    assert_eq!(dataset.nodes.numbers, Numbers::Dense(vec![1., 2.5, 0., -1., 3., 4., 5., 6.]));
    assert_eq!(
        read.dataset(2).unwrap_err().to_string(),
        "data.json: split 2 does not exist: there are 2 splits, numbered from 0."
    );
}
