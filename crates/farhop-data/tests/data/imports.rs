//! Tables of nodes, edges and graphs as datasets, and telling what a path holds.

use std::path::Path;

use farhop_data::import::{GraphFormat, ImportOptions, Kind, detect, import, import_tables};
use farhop_data::{Dataset, FeatureScaling, Level, NodeTableOptions, Numbers, Target, TargetKind};

use crate::bits::assert_same;
use crate::real::real_data;
use crate::support::{folder_of, short};

fn options(targets: &[&str]) -> ImportOptions {
    ImportOptions {
        table: NodeTableOptions { scaling: FeatureScaling::None, ..NodeTableOptions::default() },
        targets: targets.iter().map(|name| name.to_string()).collect(),
        ..ImportOptions::default()
    }
}

const NODES: &str = "id,price,kind,size,split\na,1.5,x,1,train\nb,2.5,y,2,train\nc,,x,3,valid\nd,4.5,y,4,test\n";
const EDGES: &str = "source,target,length,road\na,b,1,big\nb,c,2,small\nc,d,3,big\n";

#[test]
fn nodes_can_be_given_numbers_or_classes() {
    let folder = folder_of(&[("nodes.csv", NODES), ("edges.csv", EDGES)]);
    let (nodes, edges) = (folder.path().join("nodes.csv"), folder.path().join("edges.csv"));
    let mut with = options(&["price"]);
    with.table.ignore.push("kind".to_string());
    let dataset = import_tables(&nodes, &edges, None, &with).unwrap();
    let Target::Number { values, .. } = &dataset.target else { panic!() };
    assert!(values[..2] == [1.5, 2.5] && values[2].is_nan());
    // The third node has no price, so it is in no part.
    assert_eq!((&dataset.split.train[..], dataset.split.valid.len()), (&[0, 1][..], 0));
    assert_eq!(dataset.nodes.numbers, Numbers::Dense(vec![1., 2., 3., 4.]));
    // The length, whether the road is big, whether it is small, in both directions of every edge.
    let roads = [[1., 1., 0.], [1., 1., 0.], [2., 0., 1.], [2., 0., 1.], [3., 1., 0.], [3., 1., 0.]];
    assert_eq!(dataset.edges.numbers, Numbers::Dense(roads.concat()));
    let kinds = import_tables(&nodes, &edges, None, &options(&["kind"]));
    assert_eq!(
        short(&folder, kinds),
        "nodes.csv, line 4, column \"price\": the cell is empty. Give a value, or pass fill = mean or fill = zero."
    );
    let mut kinds = options(&["kind"]);
    kinds.table.ignore.push("price".to_string());
    let dataset = import_tables(&nodes, &edges, None, &kinds).unwrap();
    assert!(matches!(&dataset.target, Target::Class { classes, .. } if classes == &["x", "y"]));
    dataset.save(&folder.path().join("d.farhop")).unwrap();
    assert_eq!(detect(&folder.path().join("d.farhop")).unwrap(), Kind::Farhop);
    assert_eq!(import(&folder.path().join("d.farhop"), &kinds).unwrap().ids, ["a", "b", "c", "d"]);
}

const MANY: [(&str, &str); 3] = [
    ("nodes.csv", "node,graph,x\n1,B,10\n1,A,20\n2,A,30\n2,B,40\n1,C,50\n1,D,60\n"),
    ("edges.csv", "graph,source,target\nA,1,2\nB,2,1\n"),
    ("graphs.csv", "graph,y,split\nA,0.5,train\nB,1.5,train\nC,,test\nD,2.5,valid\n"),
];

fn many(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Dataset, farhop_data::DataError>) {
    let folder = folder_of(files);
    let path = |name: &str| folder.path().join(name);
    let read = import_tables(&path("nodes.csv"), &path("edges.csv"), Some(&path("graphs.csv")), &options(&["y"]));
    (folder, read)
}

#[test]
fn a_graph_column_makes_many_graphs() {
    let (_folder, dataset) = many(&MANY);
    let dataset = dataset.unwrap();
    assert_eq!((dataset.level, dataset.graphs.offsets()), (Level::Graph, &[0, 2, 4, 5, 6][..]));
    // Nodes in the order of their graphs, and of the table within them.
    assert_eq!(dataset.nodes.numbers, Numbers::Dense(vec![20., 30., 10., 40., 50., 60.]));
    let union = dataset.graphs.union();
    assert!(union.neighbours(0) == [1] && union.neighbours(3) == [2] && union.edges() == 2);
    let Target::Number { values, .. } = &dataset.target else { panic!() };
    assert!(values[0] == 0.5 && values[2].is_nan());
    assert_eq!((dataset.ids.join(""), &dataset.split.train[..]), ("ABCD".to_string(), &[0, 1][..]));
}

#[test]
fn many_graphs_are_read_the_same_way_twice() {
    let read = || many(&MANY).1.unwrap();
    let (one, mut two) = (read(), read());
    // The folder has another name each time.
    two.name.clone_from(&one.name);
    two.sources.clone_from(&one.sources);
    assert_same(&one, &two);
}

#[test]
fn edges_of_many_graphs_have_features_too() {
    let mut files = MANY;
    files[1].1 = "graph,source,target,length,kind\nA,1,2,3,road\nB,2,1,5,rail\n";
    let dataset = many(&files).1.unwrap();
    // The length, whether it is a rail, whether it is a road, in both directions of each edge.
    let rows = [[3., 0., 1.], [3., 0., 1.], [5., 1., 0.], [5., 1., 0.]];
    assert_eq!(dataset.edges.numbers, Numbers::Dense(rows.concat()));
}

#[test]
fn graph_tables_that_do_not_fit_are_named() {
    for (name, text, message) in [
        (
            "nodes.csv",
            "node,graph,x\n1,Z,10\n",
            "nodes.csv, line 2, column \"graph\": graph \"Z\" is not in graphs.csv. Add the graph, or correct the cell.",
        ),
        (
            "nodes.csv",
            "node,graph,x\n1,A,10\n1,A,20\n",
            "nodes.csv, line 3: id \"1\" is already on line 2. Remove one of the rows, or rename it.",
        ),
        (
            "nodes.csv",
            "node,x\n1,10\n",
            "nodes.csv has no column \"graph\" (the graph of every node). Its columns are \"node\", \"x\".",
        ),
        (
            "edges.csv",
            "source,target\n1,2\n",
            "edges.csv: ids of nodes.csv repeat from graph to graph, so every edge must name its graph. Add a column \"graph\".",
        ),
        (
            "edges.csv",
            "graph,source,target\nA,1,9\n",
            "edges.csv, line 2: target id \"9\" is not in graph \"A\" of nodes.csv. Add the node.",
        ),
        (
            "graphs.csv",
            "graph,y\nA,1\nA,2\n",
            "graphs.csv, line 3: id \"A\" is already on line 2. Remove one of the rows, or rename it.",
        ),
        (
            "graphs.csv",
            "graph,z\nA,1\n",
            "graphs.csv has no column \"y\" (the target). Its columns are \"graph\", \"z\".",
        ),
    ] {
        let files: Vec<_> = MANY.iter().map(|&(file, old)| (file, if file == name { text } else { old })).collect();
        let (folder, read) = many(&files);
        assert_eq!(short(&folder, read), message);
    }
    let unique = [("nodes.csv", "id,graph,x\na,A,1\nb,B,2\n"), ("edges.csv", "source,target\na,b\n"), MANY[2]];
    let (folder, read) = many(&unique);
    assert_eq!(
        short(&folder, read),
        "edges.csv, line 2: an edge between graph \"A\" and graph \"B\". Edges stay within a graph: correct its ends or take it out."
    );
}

#[test]
fn kinds_are_told_by_content() {
    let folder = folder_of(&[
        ("m.csv", "id,smiles,y\n1,C,1\n"),
        ("m.csv.gz", "id,SMILES,y\n1,C,1\n"),
        ("lines.txt", "CCO\nc1ccccc1 benzene\n"),
        ("lines.smi", "CCO\n"),
        ("g.xml", "<?xml version='1.0'?>\n<graphml><graph/></graphml>"),
        ("w.json", "{\"features\": []"),
        ("e.csv", "source,target\na,b\n"),
        ("n.csv", "id,x\na,1\n"),
        ("snap.txt", "# FromNodeId\tToNodeId\n0\t1\n"),
        ("plain", "3 4\n"),
        ("m.mtx", "%%MatrixMarket matrix coordinate\n1 1 0\n"),
        ("p.pkl", "\u{80}"),
        ("tu/X_A.txt", "1, 2\n"),
        ("tu/X_graph_indicator.txt", "1\n1\n"),
        ("ogb/raw/edge.csv.gz", ""),
        ("ogb/raw/node-label.csv.gz", ""),
        ("planetoid/ind.cora.allx", ""),
        ("empty", ""),
        ("binary", "\0\u{1}\0"),
    ]);
    std::fs::write(folder.path().join("p.pkl"), [0x80, 2, b'}']).unwrap();
    std::fs::write(folder.path().join("t.parquet"), b"PAR1....").unwrap();
    for (name, kind) in [
        ("m.csv", Kind::Molecules),
        ("m.csv.gz", Kind::Molecules),
        ("lines.txt", Kind::SmilesLines),
        ("lines.smi", Kind::SmilesLines),
        ("g.xml", Kind::Graphs(GraphFormat::GraphMl)),
        ("w.json", Kind::WikiCs),
        ("e.csv", Kind::EdgesTable),
        ("n.csv", Kind::NodesTable),
        ("snap.txt", Kind::EdgeList),
        ("plain", Kind::EdgeList),
        ("m.mtx", Kind::EdgeList),
        ("p.pkl", Kind::Pickle),
        ("t.parquet", Kind::Parquet),
        ("tu", Kind::TuFolder { names: vec!["X".to_string()] }),
        ("ogb", Kind::OgbFolder),
        ("planetoid", Kind::Planetoid { name: "cora".to_string() }),
    ] {
        assert_eq!(detect(&folder.path().join(name)).unwrap(), kind, "{name}");
    }
    for (name, start) in [
        ("empty", "empty: the file is empty. Known are tables"),
        ("binary", "binary: it is not clear what the file holds. Known are tables"),
        ("", "it is not clear what the folder holds. Known are tables"),
        ("missing", "cannot read missing: "),
    ] {
        let message = short(&folder, detect(&folder.path().join(name)));
        assert!(message.contains(start), "{name}: {message}");
    }
    assert_eq!(
        short(&folder, import(&folder.path().join("n.csv"), &options(&[]))),
        "n.csv: the file is a table. Give a nodes table and an edges table together."
    );
}

#[test]
fn real_files_are_told_and_imported() {
    let told = |name: &str, file: &str| real_data(name).map(|folder| detect(&folder.join(file)).unwrap());
    assert!(matches!(told("peptides-func", "peptide_multi_class_dataset.csv.gz"), None | Some(Kind::Molecules)));
    assert!(matches!(told("hiv", "HIV.csv"), None | Some(Kind::Molecules)));
    assert!(matches!(told("zinc", "250k_rndm_zinc_drugs_clean.smi"), None | Some(Kind::SmilesLines)));
    assert!(matches!(told("planetoid-cora", ""), None | Some(Kind::Planetoid { .. })));
    assert!(matches!(told("peptides-func", "splits_random_stratified_peptide.pickle"), None | Some(Kind::Pickle)));
    let masks = Kind::GraphArchive;
    assert!(told("heterophilous", "texas.npz").is_none_or(|kind| kind == masks));
    let Some(folder) = real_data("tu/MUTAG") else { return };
    let dataset =
        import(&folder, &ImportOptions { task: Some(TargetKind::Classes), ..ImportOptions::default() }).unwrap();
    assert_eq!(dataset.graphs.len(), 188);
}

#[test]
fn archives_with_a_graph_are_imported() {
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/graph.npz");
    assert_eq!(detect(&good).unwrap(), Kind::GraphArchive);
    let error = import(&good, &ImportOptions::default());
    // Small as it is, it may be too small for a split; then the message says so.
    match error {
        Ok(dataset) => assert!(dataset.graphs.union().nodes() > 0),
        Err(error) => assert!(error.to_string().contains("too few") || error.to_string().contains("only")),
    }
}

#[test]
fn real_archives_have_the_counts_of_their_readme() {
    // Nodes, edges, features, classes, sizes of the first split.
    for (folder, file, nodes, edges, width, classes, sizes) in [
        ("heterophilous", "texas.npz", 183, 279, 1703, 5, Some([87, 59, 37])),
        ("heterophilous", "chameleon_filtered.npz", 890, 8854, 2325, 5, Some([409, 287, 194])),
        ("amazon-photo", "amazon_photo.npz", 7650, 119_081, 745, 8, None),
    ] {
        let Some(folder) = real_data(folder) else { return };
        let dataset = import(&folder.join(file), &ImportOptions::default()).unwrap();
        let union = dataset.graphs.union();
        assert_eq!((union.nodes(), union.edges(), dataset.nodes.width), (nodes, edges, width), "{file}");
        assert_eq!(dataset.target.outputs(), classes, "{file}");
        let split = [&dataset.split.train, &dataset.split.valid, &dataset.split.test].map(Vec::len);
        assert!(sizes.is_none_or(|sizes| sizes == split), "{file}: {split:?}");
    }
}
