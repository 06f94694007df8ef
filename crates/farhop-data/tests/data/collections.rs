//! TU collections and OGB layouts.

use farhop_data::ogb::{self, OgbOptions};
use farhop_data::tu::{self, TuOptions};
use farhop_data::{Level, Numbers, Target, TargetKind};
use farhop_graph::random::Stream;

use crate::real::real_data;
use crate::support::{folder_of, short};

/// Graphs, nodes, edges, sizes of node labels, width of attributes, edge labels, graphs by class.
type Counts = (&'static str, usize, usize, usize, &'static [u32], usize, usize, &'static [usize]);

/// As the README of the datasets counts them.
const COUNTS: [Counts; 4] = [
    ("MUTAG", 188, 3_371, 3_721, &[7], 0, 1, &[63, 125]),
    ("NCI1", 4_110, 122_747, 132_753, &[37], 0, 0, &[2053, 2057]),
    ("PROTEINS", 1_113, 43_471, 81_044, &[3], 1, 0, &[663, 450]),
    ("ENZYMES", 600, 19_580, 37_282, &[3], 18, 0, &[100; 6]),
];

#[test]
fn tu_collections_have_the_counts_of_their_readme() {
    let Some(folder) = real_data("tu") else { return };
    for (name, graphs, nodes, edges, labels, width, edge_labels, classes) in COUNTS {
        let dataset = tu::read(&folder.join(name), name, &TuOptions::default()).unwrap();
        let union = dataset.graphs.union();
        assert_eq!((dataset.graphs.len(), union.nodes(), union.edges()), (graphs, nodes, edges), "{name}");
        assert_eq!((&dataset.nodes.sizes[..], dataset.nodes.width), (labels, width), "{name}");
        assert_eq!(dataset.edges.sizes.len(), edge_labels, "{name}");
        let Target::Class { labels, classes: names } = &dataset.target else { panic!("{name}: classes") };
        let count = |class: u32| labels.iter().filter(|&&label| label == Some(class)).count();
        let mut counted: Vec<usize> = (0..names.len() as u32).map(count).collect();
        let mut expected = classes.to_vec();
        counted.sort();
        expected.sort();
        assert_eq!(counted, expected, "{name}");
        let parts = [&dataset.split.train, &dataset.split.valid, &dataset.split.test].map(|part| part.len());
        assert_eq!(parts.iter().sum::<usize>(), graphs);
    }
}

#[test]
fn tu_folds_use_every_graph_for_testing_once() {
    let Some(folder) = real_data("tu") else { return };
    for (name, graphs, ..) in COUNTS.into_iter().filter(|counts| counts.0 != "MUTAG") {
        let folds = tu::read_folds(&folder.join("splits").join(format!("{name}_splits.json")), graphs).unwrap();
        assert_eq!(folds.len(), 10);
        let mut tested: Vec<u32> = folds.iter().flat_map(|fold| fold.test.iter().copied()).collect();
        tested.sort();
        assert_eq!(tested, (0..graphs as u32).collect::<Vec<_>>());
    }
}

const TU: [(&str, &str); 6] = [
    ("X_A.txt", "1, 2\n2, 1\n4, 3\n3, 4\n4, 5\n5, 4\n"),
    ("X_graph_indicator.txt", "1\n1\n2\n2\n2\n3\n"),
    ("X_graph_labels.txt", "1\n-1\n1\n"),
    ("X_node_labels.txt", "5\n7\n5\n5\n9\n9\n"),
    ("X_node_attributes.txt", "0.5, 1\n1.5, 2\n2.5, 3\n3.5, 4\n4.5, 5\n5.5, 6\n"),
    ("X_edge_labels.txt", "0\n0\n3\n3\n1\n2\n"),
];

fn with(
    files: &[(&'static str, &'static str)],
    name: &'static str,
    text: &'static str,
) -> Vec<(&'static str, &'static str)> {
    let mut files: Vec<_> = files.iter().copied().filter(|(file, _)| *file != name).collect();
    if !text.is_empty() {
        files.push((name, text));
    }
    files
}

/// Three graphs are too few to draw a split from.
fn given() -> TuOptions {
    let split = farhop_data::Split { train: vec![0], valid: vec![1], test: vec![2] };
    TuOptions { split: farhop_data::SplitChoice::Given(split), ..TuOptions::default() }
}

#[test]
fn tu_labels_become_categories_and_attributes_numbers() {
    let folder = folder_of(&TU);
    let dataset = tu::read(folder.path(), "X", &given()).unwrap();
    assert_eq!(dataset.graphs.offsets(), [0, 2, 5, 6]);
    assert_eq!((&dataset.nodes.sizes[..], &dataset.nodes.categories[..]), (&[3][..], &[0, 1, 0, 0, 2, 2][..]));
    assert_eq!(dataset.nodes.numbers, Numbers::Dense(vec![0.5, 1., 1.5, 2., 2.5, 3., 3.5, 4., 4.5, 5., 5.5, 6.]));
    // Entries: 0<-1, 1<-0, 2<-3, 3<-2, 3<-4, 4<-3. Line "4, 5" is 4 <- 3 counted from 0, with label 1.
    assert_eq!(dataset.edges.categories, [0, 0, 3, 3, 2, 1]);
    assert_eq!(dataset.edges.sizes, [4]);
    let Target::Class { labels, classes } = &dataset.target else { panic!() };
    assert_eq!(
        (&labels[..], &classes[..]),
        (&[Some(1), Some(0), Some(1)][..], &["-1".to_string(), "1".to_string()][..])
    );
    let hot = tu::read(folder.path(), "X", &TuOptions { one_hot: true, ..given() }).unwrap();
    let Numbers::Dense(numbers) = &hot.nodes.numbers else { panic!() };
    assert_eq!((hot.nodes.width, &numbers[5..10]), (5, &[1.5, 2., 0., 1., 0.][..]));
}

#[test]
fn tu_regression_takes_attributes_of_graphs() {
    let files = with(&TU, "X_graph_attributes.txt", "0.25\n-1\n3e2\n");
    let folder = folder_of(&files);
    let dataset = tu::read(folder.path(), "X", &TuOptions { regression: true, ..given() }).unwrap();
    let Target::Number { values, .. } = &dataset.target else { panic!() };
    assert_eq!(values, &[0.25, -1.0, 300.0]);
}

#[test]
fn tu_errors_name_file_and_line() {
    for (name, text, message) in [
        ("X_A.txt", "1, 2\n2, 9\n", "X_A.txt, line 2: node 9 does not exist: nodes are 1 to 6."),
        ("X_A.txt", "1, 2\n\n2, 3\n", "X_A.txt, line 2: \"\" is not a whole number. Correct the cell."),
        (
            "X_A.txt",
            "1, 2\n2, 3\n",
            "X_A.txt, line 2: an edge between node 2 of graph 1 and node 3 of graph 2. Edges stay within a graph.",
        ),
        ("X_A.txt", "1 2\n", "X_A.txt, line 1: \"1 2\" is not a whole number. Correct the cell."),
        (
            "X_graph_indicator.txt",
            "1\n2\n1\n",
            "X_graph_indicator.txt, line 3: graph 1 after graph 2. Nodes of one graph must stand together, in order.",
        ),
        (
            "X_graph_indicator.txt",
            "0\n",
            "X_graph_indicator.txt, line 1: graph 0 cannot be: graphs are counted from 1.",
        ),
        (
            "X_node_labels.txt",
            "1\n2\n",
            "X_node_labels.txt: 2 lines for 6 nodes. The file is cut short, or belongs to other data.",
        ),
        (
            "X_node_attributes.txt",
            "1, 2\n1\n",
            "X_node_attributes.txt, line 2: 1 cell where line 1 has 2. Add or remove cells.",
        ),
        (
            "X_graph_labels.txt",
            "1\n0.5\n1\n",
            "X_graph_labels.txt, line 2: \"0.5\" is not a whole number. Correct the cell, or ask for regression.",
        ),
        ("X_A.txt", "", "X_A.txt: there is no such file. Collections in this folder: none."),
    ] {
        let folder = folder_of(&with(&TU, name, text));
        assert_eq!(short(&folder, tu::read(folder.path(), "X", &given())), message);
    }
}

const OGB_GRAPHS: [(&str, &str); 8] = [
    ("raw/num-node-list.csv.gz", "2\n3\n1\n"),
    ("raw/num-edge-list.csv.gz", "1\n2\n0\n"),
    ("raw/edge.csv.gz", "0,1\n0,1\n1,2\n"),
    ("raw/node-feat.csv.gz", "5,0\n0,1\n1,1\n2,0\n3,1\n4,0\n"),
    ("raw/edge-feat.csv.gz", "0\n1\n2\n"),
    ("raw/graph-label.csv.gz", "0,1\n,0\n1,\"\"\n"),
    ("split/scaffold/train.csv.gz", "2\n"),
    ("split/scaffold/valid.csv.gz", "0\n"),
];

#[test]
fn ogb_graphs_have_categories_answers_and_their_split() {
    let folder = folder_of(&[&OGB_GRAPHS[..], &[("split/scaffold/test.csv.gz", "1\n")]].concat());
    let dataset = ogb::read(folder.path(), &OgbOptions::default()).unwrap();
    assert_eq!((dataset.level, dataset.graphs.offsets()), (Level::Graph, &[0, 2, 5, 6][..]));
    assert_eq!(dataset.nodes.sizes, [6, 2]);
    assert_eq!(dataset.nodes.categories, [5, 0, 0, 1, 1, 1, 2, 0, 3, 1, 4, 0]);
    // 0<-1, 1<-0 of the first graph; 2<-3, 3<-2, 3<-4, 4<-3 of the second.
    assert_eq!(dataset.edges.categories, [0, 0, 1, 1, 2, 2]);
    let Target::Binary { values, names } = &dataset.target else { panic!() };
    let shown: Vec<String> = values.iter().map(f32::to_string).collect();
    assert_eq!((shown.join(" "), names.len()), ("0 1 NaN 0 1 NaN".to_string(), 2));
    assert_eq!((&dataset.split.train[..], &dataset.split.test[..]), (&[2][..], &[1][..]));
}

#[test]
fn ogb_nodes_with_numbers_agree_with_the_standard_parser() {
    let mut random = Stream::new(8);
    let (nodes, edges) = (500u64, 2_000);
    let rows: Vec<String> = (0..nodes)
        .map(|_| (0..7).map(|_| format!("{:.6}", random.normal() * 0.1)).collect::<Vec<_>>().join(","))
        .collect();
    let ends: Vec<String> = (0..edges).map(|_| format!("{},{}", random.below(nodes), random.below(nodes))).collect();
    let labels: Vec<String> = (0..nodes).map(|node| (node % 5).to_string()).collect();
    let folder = folder_of(&[
        ("raw/num-node-list.csv.gz", "500\n"),
        ("raw/num-edge-list.csv", "2000\n"),
        ("raw/edge.csv.gz", &ends.join("\n")),
        ("raw/node-feat.csv.gz", &rows.join("\r\n")),
        ("raw/node-label.csv.gz", &labels.join("\n")),
        ("mapping/labelidx2name.csv.gz", "label idx,name\n1,one\n0,\"zero, or none\"\n"),
    ]);
    let dataset = ogb::read(folder.path(), &OgbOptions::default()).unwrap();
    let Numbers::Dense(numbers) = &dataset.nodes.numbers else { panic!() };
    let expected: Vec<f32> = rows.iter().flat_map(|row| row.split(',')).map(|cell| cell.parse().unwrap()).collect();
    assert_eq!((dataset.nodes.width, numbers), (7, &expected));
    let Target::Class { labels, classes } = &dataset.target else { panic!() };
    assert_eq!((labels[7], &classes[..]), (Some(2), &["zero, or none", "one", "2", "3", "4"].map(String::from)[..]));
    for row in &ends {
        let ends: Vec<u32> = row.split(',').map(|end| end.parse().unwrap()).collect();
        if ends[0] != ends[1] {
            assert!(dataset.graphs.union().neighbours(ends[1] as usize).contains(&ends[0]));
        }
    }
    let directed = ogb::read(folder.path(), &OgbOptions { directed: true, ..OgbOptions::default() }).unwrap();
    assert!(directed.graphs.union().is_directed());
}

#[test]
fn ogb_arxiv_labels_and_years() {
    let Some(folder) = real_data("ogbn-arxiv-partial") else { return };
    let years = ogb::read_column(&folder, "node_year").unwrap();
    let (labels, classes) = ogb::read_node_classes(&folder).unwrap();
    assert_eq!((years.len(), labels.len(), classes.len()), (169_343, 169_343, 40));
    assert_eq!(classes[0], "arxiv cs na");
    let count = |test: &dyn Fn(i64) -> bool| years.iter().filter(|&&year| test(year)).count();
    assert_eq!((count(&|year| year == 2018), count(&|year| year >= 2019)), (29_799, 48_603));
    assert_eq!(ogb::read_column(&folder, "num-edge-list").unwrap(), [1_166_243]);
}

#[test]
fn ogb_errors_name_file_and_line() {
    for (name, text, message) in [
        (
            "raw/edge.csv.gz",
            "0,1\n0,1\n1,3\n",
            "raw/edge.csv.gz, line 3: node 3 does not exist: graph 1 has 3 nodes, numbered from 0.",
        ),
        (
            "raw/edge.csv.gz",
            "0,1\n",
            "raw/edge.csv.gz: 1 line for 3 edges. The file is cut short, or belongs to other data.",
        ),
        (
            "raw/node-feat.csv.gz",
            "1,x\n",
            "raw/node-feat.csv.gz, line 1: \"x\" is not a finite number. Correct the cell.",
        ),
        (
            "raw/num-node-list.csv.gz",
            "2\n-3\n1\n",
            "raw/num-node-list.csv.gz, line 2: -3 is not a count from 0 to 4,294,967,295.",
        ),
        (
            "split/scaffold/train.csv.gz",
            "2\n3\n",
            "split/scaffold/train.csv.gz, line 2: row 3 does not exist: rows are 0 to 2.",
        ),
        (
            "split/scaffold/train.csv.gz",
            "1\n",
            "split/scaffold: row 1 is in train and in test. A node may be in one part of the split only.",
        ),
    ] {
        let mut files = with(&OGB_GRAPHS, name, text);
        files.push(("split/scaffold/test.csv.gz", "1\n"));
        let folder = folder_of(&files);
        assert_eq!(short(&folder, ogb::read(folder.path(), &OgbOptions::default())), message);
    }
    let folder = folder_of(&with(&OGB_GRAPHS, "raw/graph-label.csv.gz", ""));
    assert_eq!(
        short(
            &folder,
            ogb::read(folder.path(), &OgbOptions { task: Some(TargetKind::Classes), ..OgbOptions::default() })
        ),
        "raw/graph-label.csv.gz: there is no such file, and the dataset cannot be read without it. Download it again."
    );
}
