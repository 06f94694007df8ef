//! Features of entries in edge attention.

use std::sync::Arc;

use farhop_graph::random::Stream;
use farhop_graph::relabel;

use super::support::*;
use crate::{BatchArrays, BatchNumbers, InputShape, Model, NodeArray};

const GEN: &str = r#""heads": 2"#;

fn entries_only() -> InputShape {
    InputShape { numbers: 3, edge_numbers: 2, edge_categories: vec![3, 2], ..InputShape::default() }
}

fn numbers(arrays: &BatchArrays) -> &[f32] {
    match &arrays.numbers {
        BatchNumbers::Dense(values) => values,
        BatchNumbers::Sparse { .. } => panic!("dense numbers"),
    }
}

fn stirred(name: &str, more: &str, shape: &InputShape) -> Model {
    let mut model = config(name, more).init(shape, 3, 5).unwrap();
    stir(&mut model, 9);
    model
}

#[test]
fn a_new_layer_pays_no_heed_to_entries() {
    let shape = entries_only();
    let arrays = fill(graph(20, 30, 1), &shape, 2);
    let bare = BatchArrays { edge_numbers: vec![], edge_categories: vec![], ..arrays.clone() };
    for coefficients in ["attention-per-round", "attention-per-layer", "gcn"] {
        let more = format!(r#"{GEN}, "coefficients": "{coefficients}""#);
        let outputs = |arrays: &BatchArrays, shape: &InputShape| {
            config("gen", &more).init(shape, 3, 5).unwrap().outputs(&batch(arrays, shape))
        };
        // The same bits: the tables are zero.
        assert_eq!(outputs(&arrays, &shape), outputs(&bare, &3.into()), "{coefficients}");
    }
}

#[test]
fn only_attention_reads_entries() {
    let shape = entries_only();
    let arrays = fill(graph(20, 30, 1), &shape, 2);
    let mut other = arrays.clone();
    other.edge_numbers.iter_mut().for_each(|value| *value += 1.0);
    other.edge_categories.iter_mut().for_each(|value| *value = 0);
    for (name, more, reads) in [
        ("gen", GEN, true),
        ("gen", r#""coefficients": "attention-per-layer""#, true),
        ("gen", r#""edge_features": false"#, false),
        ("gen", r#""coefficients": "gcn""#, false),
        ("gcn", "", false),
        ("mlp", "", false),
    ] {
        let model = stirred(name, more, &shape);
        let (a, b) = (model.outputs(&batch(&arrays, &shape)), model.outputs(&batch(&other, &shape)));
        assert_eq!(a != b, reads, "{name}, {more}");
    }
}

#[test]
fn the_two_directions_of_an_edge_have_features_of_their_own() {
    let shape = entries_only();
    let arrays = fill(graph(20, 30, 1), &shape, 2);
    let graph = arrays.graph.clone();
    let one_layer: crate::ModelConfig =
        serde_json::from_str(r#"{"kind": "gen", "layers": 1, "width": 8, "hops": 1}"#).unwrap();
    let mut one = one_layer.init(&shape, 3, 5).unwrap();
    stir(&mut one, 9);
    let before = one.outputs(&batch(&arrays, &shape));
    for node in [0usize, 3] {
        let entry = graph.offsets()[node];
        for table in [true, false] {
            let mut changed = arrays.clone();
            if table {
                let value = &mut changed.edge_categories[entry * 2];
                *value = (*value + 1) % 3;
            } else {
                changed.edge_numbers[entry * 2] += 1.0;
            }
            let after = one.outputs(&batch(&changed, &shape));
            // After one hop, what node i receives along the entry shows in node i and nowhere else.
            for i in 0..graph.nodes() {
                let row = i * 3..(i + 1) * 3;
                assert_eq!(before[row.clone()] != after[row], i == node, "node {i}, entry of {node}");
            }
        }
    }
}

#[test]
fn moving_nodes_with_their_entries_moves_the_result() {
    let shape = everything();
    let arrays = fill(graph(20, 30, 1), &shape, 2);
    let nodes = arrays.graph.nodes();
    let mut new_id: Vec<u32> = (0..nodes as u32).collect();
    Stream::new(2).shuffle(&mut new_id);
    let graph = relabel(&arrays.graph, &new_id).unwrap();
    // Where each node and each entry comes from.
    let mut old_node = vec![0; nodes];
    new_id.iter().enumerate().for_each(|(old, &new)| old_node[new as usize] = old);
    let mut old_entry = Vec::new();
    for &old in &old_node {
        let new = new_id[old] as usize;
        for &source in graph.neighbours(new) {
            let wanted = old_node[source as usize] as u32;
            let place = arrays.graph.neighbours(old).iter().position(|&j| j == wanted).unwrap();
            old_entry.push(arrays.graph.offsets()[old] + place);
        }
    }
    fn rows<T: Copy>(values: &[T], from: &[usize], width: usize) -> Vec<T> {
        from.iter().flat_map(|&row| values[row * width..(row + 1) * width].to_vec()).collect()
    }
    let moved = BatchArrays {
        graph: Arc::new(graph),
        offsets: vec![],
        numbers: BatchNumbers::Dense(rows(numbers(&arrays), &old_node, 3)),
        categories: rows(&arrays.categories, &old_node, 2),
        edge_numbers: rows(&arrays.edge_numbers, &old_entry, 2),
        edge_categories: rows(&arrays.edge_categories, &old_entry, 2),
        arrays: arrays
            .arrays
            .iter()
            .map(|array| NodeArray { values: rows(&array.values, &old_node, array.width), ..array.clone() })
            .collect(),
    };
    for name in models().filter(|name| config(name, "").properties().equivariant) {
        let model = stirred(name, "", &shape);
        let expected = rows(&model.outputs(&batch(&arrays, &shape)), &old_node, 3);
        assert_close(name, &model.outputs(&batch(&moved, &shape)), &expected, 1e-5);
    }
}
