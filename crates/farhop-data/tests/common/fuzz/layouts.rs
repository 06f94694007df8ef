//! Folders of many files.

use farhop_data::ogb::{self, OgbOptions};
use farhop_data::tu::{self, TuOptions};

use super::Outcome;
use super::bundle::bundle;
use super::targets::{described, given, in_folder, said};

pub const TU: &[&str] = &[
    "X_A.txt",
    "X_graph_indicator.txt",
    "X_graph_labels.txt",
    "X_node_labels.txt",
    "X_node_attributes.txt",
    "X_edge_labels.txt",
    "X_edge_attributes.txt",
    "X_graph_attributes.txt",
];

pub fn tu_folder(input: &[u8]) -> Outcome {
    in_folder(|folder| {
        let path = folder.unpack(input, TU);
        let options = TuOptions {
            regression: input.len().is_multiple_of(3),
            one_hot: input.len().is_multiple_of(2),
            split: given(),
        };
        tu::read(path, "X", &options)
    })
    .map(described)
    .map_err(said)
}

pub fn tu_seeds() -> Vec<Vec<u8>> {
    vec![bundle(&[
        ("X_A.txt", "1, 2\n2, 1\n4, 3\n3, 4\n4, 5\n5, 4\n"),
        ("X_graph_indicator.txt", "1\n1\n2\n2\n2\n"),
        ("X_graph_labels.txt", "1\n-1\n"),
        ("X_node_labels.txt", "5\n7\n5\n5\n9\n"),
        ("X_node_attributes.txt", "0.5, 1\n1.5, 2\n2.5, 3\n3.5, 4\n4.5, 5\n"),
        ("X_edge_labels.txt", "0\n0\n3\n3\n1\n2\n"),
    ])]
}

pub const OGB: &[&str] = &[
    "raw/num-node-list.csv",
    "raw/num-edge-list.csv",
    "raw/edge.csv",
    "raw/node-feat.csv",
    "raw/edge-feat.csv",
    "raw/graph-label.csv",
    "raw/node-label.csv",
    "split/s/train.csv",
    "split/s/valid.csv",
    "split/s/test.csv",
    "mapping/labelidx2x.csv",
];

pub fn ogb_folder(input: &[u8]) -> Outcome {
    in_folder(|folder| {
        let path = folder.unpack(input, OGB);
        ogb::read(path, &OgbOptions { directed: input.len().is_multiple_of(3), draw: given(), ..OgbOptions::default() })
    })
    .map(described)
    .map_err(said)
}

pub fn ogb_seeds() -> Vec<Vec<u8>> {
    let graphs = bundle(&[
        ("raw/num-node-list.csv", "2\n3\n1\n"),
        ("raw/num-edge-list.csv", "1\n2\n0\n"),
        ("raw/edge.csv", "0,1\n0,1\n1,2\n"),
        ("raw/node-feat.csv", "5,0\n0,1\n1,1\n2,0\n3,1\n4,0\n"),
        ("raw/edge-feat.csv", "0\n1\n2\n"),
        ("raw/graph-label.csv", "0,1\n,0\n1,\"\"\n"),
        ("split/s/train.csv", "0\n"),
        ("split/s/valid.csv", "1\n"),
        ("split/s/test.csv", "2\n"),
        ("mapping/labelidx2x.csv", "idx,name\n0,a\n1,b\n"),
    ]);
    let nodes = bundle(&[
        ("raw/num-node-list.csv", "4\n"),
        ("raw/num-edge-list.csv", "3\n"),
        ("raw/edge.csv", "0,1\n1,2\n3,0\n"),
        ("raw/node-feat.csv", "5,0.5\n0,1\n1,1\n2,0\n"),
        ("raw/node-label.csv", "0\n2\n1\n2\n"),
    ]);
    vec![graphs, nodes]
}
