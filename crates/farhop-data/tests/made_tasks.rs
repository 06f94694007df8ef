//! Tasks made to order, through the catalogue.

use farhop_data::catalogue::{self, DataFolders, LoadOptions, Presence};
use farhop_data::synthetic::{RingTransferOptions, ring_transfer};
use farhop_data::{Dataset, Level, Numbers, Target};
use farhop_graph::distances;

fn make(name: &str, distance: usize, seed: u64) -> Dataset {
    let entry = catalogue::find(name).unwrap();
    let folders = DataFolders::new(Vec::new());
    assert_eq!(entry.on_this_machine(&folders), Presence::Made);
    let options = LoadOptions { distance: Some(distance), size: Some(200), seed, ..Default::default() };
    catalogue::load(entry, &folders, &options).unwrap()
}

fn labels(data: &Dataset) -> &[Option<u32>] {
    match &data.target {
        Target::Class { labels, .. } => labels,
        _ => panic!(),
    }
}

#[test]
fn the_label_of_a_ring_lies_at_its_distance_and_nowhere_else() {
    for distance in [2, 3, 8] {
        let data = make("ring-transfer", distance, 7);
        let Numbers::Dense(features) = &data.nodes.numbers else { panic!() };
        let row = |node: usize| &features[node * 6..(node + 1) * 6];
        assert_eq!(data.graphs.len(), 200);
        for graph in 0..200 {
            let start = data.graphs.nodes_of(graph).start;
            let far = distances(data.graphs.union(), start).unwrap();
            assert_eq!(row(start), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
            let nodes: Vec<usize> = data.graphs.nodes_of(graph).collect();
            assert_eq!(nodes.len(), 2 * distance);
            for &node in &nodes[1..] {
                let label = labels(&data)[graph].unwrap() as usize;
                if far[node] as usize == distance {
                    assert!((0..6).all(|column| row(node)[column] == f32::from(column == label)));
                } else {
                    assert_eq!(row(node), [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
                }
            }
            // One node is that far, along both ways.
            assert_eq!(nodes.iter().filter(|&&node| far[node] as usize == distance).count(), 1);
        }
    }
}

#[test]
fn rings_can_ask_their_target_node() {
    let options = RingTransferOptions { graphs: 10, distance: 3, per_node: true, ..Default::default() };
    let (nodes, graphs) =
        (ring_transfer(&options).unwrap(), ring_transfer(&RingTransferOptions { per_node: false, ..options }).unwrap());
    assert_eq!((nodes.level, graphs.level), (Level::Node, Level::Graph));
    for (node, label) in labels(&nodes).iter().enumerate() {
        assert_eq!(*label, if node % 6 == 0 { labels(&graphs)[node / 6] } else { None });
    }
}

#[test]
fn the_root_of_a_tree_asks_for_the_leaf_with_its_number() {
    for depth in [1, 2, 4] {
        let data = make("tree-neighbours-match", depth, 3);
        let leaves = 1 << depth;
        for graph in 0..data.graphs.len() {
            let range = data.graphs.nodes_of(graph);
            let start = range.start;
            let far = distances(data.graphs.union(), start).unwrap();
            let of = |node: usize| [data.nodes.categories[2 * node], data.nodes.categories[2 * node + 1]];
            let at_the_end: Vec<usize> = range.clone().filter(|&node| far[node] as usize == depth).collect();
            assert_eq!((range.len(), at_the_end.len()), (2 * leaves - 1, leaves));
            let answers: Vec<u16> =
                at_the_end.iter().filter(|&&leaf| of(leaf)[0] == of(start)[0]).map(|&leaf| of(leaf)[1]).collect();
            assert_eq!(answers.len(), 1, "numbers of neighbours are different");
            assert_eq!(labels(&data)[graph], Some(u32::from(answers[0]) - 1));
            // Nothing else in the tree says anything.
            assert!(range.filter(|node| *node != start && !at_the_end.contains(node)).all(|node| of(node) == [0, 0]));
        }
    }
}

#[test]
fn the_seed_decides_and_parts_cover_all_graphs() {
    for name in ["ring-transfer", "tree-neighbours-match", "hop-majority"] {
        assert_eq!(make(name, 3, 1).target, make(name, 3, 1).target);
        assert_ne!(make(name, 3, 1).target, make(name, 3, 2).target);
    }
    let data = make("ring-transfer", 3, 1);
    assert_eq!(data.split.train.len() + data.split.valid.len() + data.split.test.len(), 200);
}

#[test]
fn settings_without_sense_are_one_line() {
    let folders = DataFolders::new(Vec::new());
    for (name, distance) in
        [("ring-transfer", 1), ("ring-transfer", usize::MAX), ("tree-neighbours-match", 40), ("hop-majority", 0)]
    {
        let options = LoadOptions { distance: Some(distance), ..Default::default() };
        let text = catalogue::load(catalogue::find(name).unwrap(), &folders, &options).unwrap_err().to_string();
        assert!(text.contains("needs a") && !text.contains('\n'), "{text}");
    }
}
