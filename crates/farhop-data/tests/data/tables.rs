//! Nodes and edges tables become the arrays they describe.

use std::io::Write;

use crate::support::{Tables, features, graph, labels, notes, target};
use farhop_data::{
    FeatureKind, FeatureScaling, Fill, NoFeatures, NodeTableOptions, NodeTables, Part, Split, SplitChoice,
};

const NODES: &str = "\
id,label,colour,size
A1,cat,red,1.5
A2,dog,green,2
A3,cat,red,-3e-1
A4,dog,blue,4
A5,cat,green,5.25
A6,dog,red,6
A7,,blue,7
A8,dog,red,8
A9,cat,blue,0
";
const EDGES: &str = "source,target\nA1,A2\nA2,A1\nA3,A4\nA9,A9\nA1,A7\nA4,A5\n";

fn plain() -> NodeTableOptions {
    NodeTableOptions { scaling: FeatureScaling::None, ..target("label") }
}

#[test]
fn numbers_categories_labels_and_graph_arrive() {
    let data = Tables::new(NODES, EDGES).load(&plain()).unwrap();
    assert_eq!(data.dataset.ids[..3], ["A1", "A2", "A3"]);
    assert_eq!(data.dataset.target.names(), ["cat", "dog"]);
    assert_eq!(labels(&data)[..2], [Some(0), Some(1)]);
    assert_eq!(labels(&data)[6], None);
    assert_eq!(data.dataset.nodes.width, 4);
    let names = ["colour=blue", "colour=green", "colour=red", "size"];
    assert_eq!(data.schema.feature_names(), names);
    assert_eq!(features(&data)[..4], [0.0, 0.0, 1.0, 1.5]);
    assert_eq!(features(&data)[8..12], [0.0, 0.0, 1.0, -0.3]);
    assert_eq!(graph(&data).neighbours(0), [1, 6]);
    assert_eq!((data.summary.duplicates, data.summary.self_loops), (1, 1));
    assert_eq!((data.card().edges, data.card().isolated), (4, 3));
    assert_eq!(data.card().components, 5);
    // Of the edges with two labels, 1-2, 3-4 and 4-5, none joins equal labels.
    assert_eq!(data.card().homophily.map(|homophily| homophily.edge), Some(0.0));
    let split = &data.dataset.split;
    let members: usize = Part::ALL.iter().map(|&part| split.part(part).len()).sum();
    assert_eq!(members, 8, "all labelled nodes and no other");
    assert_eq!(data.dataset.sources.len(), 2);
    assert_eq!(data.dataset.sources[0].bytes, NODES.len() as u64);
}

#[test]
fn standardised_numbers_have_mean_0_and_deviation_1_over_train() {
    let data = Tables::new(NODES, EDGES).load(&target("label")).unwrap();
    let split = &data.dataset.split;
    let sizes: Vec<f64> = split
        .train
        .iter()
        .map(|&row| f64::from(features(&data)[row as usize * data.dataset.nodes.width + 3]))
        .collect();
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    let variance = sizes.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / sizes.len() as f64;
    assert!(mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-6);
}

#[test]
fn spelling_of_the_bytes_does_not_matter() {
    let plain_text = Tables::new(NODES, EDGES).load(&plain()).unwrap();
    let same = |nodes: &str, edges: &str| {
        let other = Tables::new(nodes, edges).load(&plain()).unwrap();
        assert_eq!(plain_text.dataset.ids, other.dataset.ids);
        assert_eq!(features(&plain_text), features(&other));
        assert_eq!(labels(&plain_text), labels(&other));
        assert_eq!(graph(&plain_text).sources(), graph(&other).sources());
        assert_eq!(plain_text.dataset.split, other.dataset.split);
    };
    same(&format!("\u{feff}{NODES}"), &format!("\u{feff}{EDGES}"));
    same(&NODES.replace('\n', "\r\n"), &EDGES.replace('\n', "\r\n"));
    same(&NODES.replace('\n', "\n\n"), &EDGES.replace('\n', "\r"));
    same(NODES.trim_end(), EDGES.trim_end());
    same(&NODES.replace(',', " , "), &EDGES.replace(',', ", "));
    same(&NODES.replace("A1", "\"A1\""), EDGES);
    same(NODES, &EDGES.replace("source,target", "from,to"));
    same(NODES, &EDGES.replace("source,target", "Src,DST"));
    same(NODES, &EDGES.replace("source,target", "one end,other end"));
    same(&NODES.replace("id,", "ID,"), EDGES);
    same(&NODES.replace("id,", ","), EDGES);
}

#[test]
fn gzip_and_tabs_are_read() {
    let tables = Tables::new(NODES, EDGES);
    let wanted = tables.load(&plain()).unwrap();
    // The name does not say gzip, the bytes do; two members are one file.
    let (head, tail) = EDGES.split_at(25);
    let mut packed = Vec::new();
    for part in [head, tail] {
        let level = flate2::Compression::default();
        let mut encoder = flate2::write::GzEncoder::new(&mut packed, level);
        encoder.write_all(part.as_bytes()).unwrap();
        encoder.finish().unwrap();
    }
    std::fs::write(tables.edges(), packed).unwrap();
    let tabs = tables.path("nodes.tsv");
    std::fs::write(&tabs, NODES.replace(',', "\t")).unwrap();
    let found = NodeTables::load(&tabs, &tables.edges(), &plain()).unwrap();
    assert_eq!(features(&wanted), features(&found));
    assert_eq!(graph(&wanted).sources(), graph(&found).sources());
}

#[test]
fn the_order_of_rows_only_permutes_nodes() {
    let mut lines: Vec<&str> = NODES.lines().collect();
    lines[1..].reverse();
    let turned = format!("{}\n", lines.join("\n"));
    let first = Tables::new(NODES, EDGES).load(&plain()).unwrap();
    let second = Tables::new(&turned, EDGES).load(&plain()).unwrap();
    let nodes = first.dataset.ids.len();
    assert_eq!(first.schema.features.len(), second.schema.features.len());
    for (a, b) in (0..nodes).map(|a| (a, nodes - 1 - a)) {
        assert_eq!(first.dataset.ids[a], second.dataset.ids[b]);
        assert_eq!(labels(&first)[a], labels(&second)[b]);
        let row = |data: &NodeTables, i: usize| features(data)[i * 4..(i + 1) * 4].to_vec();
        assert_eq!(row(&first, a), row(&second, b));
        assert_eq!(graph(&first).degree(a), graph(&second).degree(b));
    }
}

#[test]
fn a_split_column_is_used_as_it_is() {
    let nodes = "id,y,x,split\na,0,1,train\nb,1,1,Train\nc,0,1,val\nd,1,1,TEST\ne,1,1,\nf,,1,test\n";
    let data = Tables::new(nodes, "source,target\n").load(&target("y")).unwrap();
    let split = &data.dataset.split;
    assert_eq!(split.train, [0, 1]);
    assert_eq!(split.valid, [2]);
    assert_eq!(split.test, [3]);
    assert_eq!(data.dataset.nodes.width, 1, "the split is not a feature");
    assert_eq!(data.dataset.notes.len(), 1, "{:?}", data.dataset.notes);
    assert_eq!(data.schema.split.as_deref(), Some("split"));
}

#[test]
fn a_given_split_goes_before_everything() {
    let given = Split::from_lists(9, vec![0, 1], vec![2], vec![3]).unwrap();
    let options = NodeTableOptions { split: SplitChoice::Given(given.clone()), ..plain() };
    let data = Tables::new(NODES, EDGES).load(&options).unwrap();
    assert_eq!(data.dataset.split, given);
}

#[test]
fn missing_cells_are_filled_as_asked() {
    let nodes = "id,y,x,c,split\na,0,1,u,train\nb,1,3,v,train\nc,0,,u,test\nd,1,NA,,test\n";
    let edges = "source,target\na,b\n";
    for (fill, value) in [(Fill::Mean, 2.0), (Fill::Zero, 0.0), (Fill::Value(9.5), 9.5)] {
        let options = NodeTableOptions { fill, scaling: FeatureScaling::None, ..target("y") };
        let data = Tables::new(nodes, edges).load(&options).unwrap();
        assert_eq!(features(&data)[6..], [value, 1.0, 0.0, value, 0.0, 0.0]);
        let warnings = notes(&data);
        assert!(warnings.contains("column \"x\": 2 missing cells filled"), "{warnings}");
    }
}

#[test]
fn a_column_of_numbers_can_be_asked_for_as_a_category() {
    let options = NodeTableOptions {
        categories: vec!["size".to_string()],
        ignore: vec!["colour".to_string()],
        ..target("label")
    };
    let data = Tables::new(NODES, EDGES).load(&options).unwrap();
    assert_eq!(data.schema.features.len(), 1);
    assert!(matches!(
        &data.schema.features[0].kind,
        FeatureKind::Category { values, .. } if values.len() == 9
    ));
}

#[test]
fn without_feature_columns_the_degree_stands_in() {
    let nodes = "id\na\nb\nc\nd\n";
    let edges = "source,target\na,b\na,c\n";
    let mut options = NodeTableOptions { scaling: FeatureScaling::None, ..NodeTableOptions::default() };
    let data = Tables::new(nodes, edges).load(&options).unwrap();
    let degrees = [2.0f64, 1.0, 1.0, 0.0];
    assert_eq!(features(&data), degrees.map(|degree| degree.ln_1p() as f32));
    assert!(data.dataset.notes[0].contains("has no feature columns"));
    options.no_features = NoFeatures::One;
    let data = Tables::new(nodes, edges).load(&options).unwrap();
    assert_eq!(features(&data), [1.0; 4]);
}

#[test]
fn missing_nodes_are_added_on_request_with_mean_features() {
    let options = NodeTableOptions { add_missing_nodes: true, ..target("label") };
    let edges = format!("{EDGES}A1,new\nnew,other\n");
    let data = Tables::new(NODES, &edges).load(&options).unwrap();
    assert_eq!(data.dataset.ids[9..], ["new", "other"]);
    assert_eq!(labels(&data)[9..], [None, None]);
    assert_eq!(graph(&data).neighbours(9), [0, 10]);
    assert_eq!(data.summary.added_nodes, 2);
    assert_eq!(features(&data)[9 * 4..10 * 4], [0.0; 4]);
}

#[test]
fn directed_tables_keep_their_direction() {
    let options = NodeTableOptions { directed: true, ..plain() };
    let tables = Tables::new(NODES, "source,target,weight\nA1,A2,2\nA2,A1,3\nA1,A3,0.5\n");
    let (data, weights) = NodeTables::load_weighted(&tables.nodes(), &tables.edges(), &options).unwrap();
    assert!(graph(&data).is_directed());
    assert_eq!(graph(&data).neighbours(0), [1], "A1 receives from A2 alone");
    assert_eq!(graph(&data).neighbours(2), [0]);
    let entry = |i: usize, j: u32| {
        let row = graph(&data).offsets()[i];
        row + graph(&data).neighbours(i).iter().position(|&n| n == j).unwrap()
    };
    assert_eq!(weights[entry(1, 0)], 2.0);
    assert_eq!(weights[entry(0, 1)], 3.0);
    assert_eq!(weights[entry(2, 0)], 0.5);
}

#[test]
fn an_undirected_weight_counts_both_ways() {
    let tables = Tables::new(NODES, "source,target,weight\nA2,A1,2\nA3,A3,7\nA1,A2,2\nA1,A3,0.5\n");
    let (data, weights) = NodeTables::load_weighted(&tables.nodes(), &tables.edges(), &plain()).unwrap();
    // Rows: A1 <- A2, A3; A2 <- A1; A3 <- A1.
    assert_eq!(graph(&data).offsets()[..4], [0, 2, 3, 4]);
    assert_eq!(weights, [2.0, 0.5, 2.0, 0.5]);
}
