//! Numbers, categories and encodings of nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::support::*;
use crate::network::Array;
use crate::ops::bridge;
use crate::{
    ArrayShape, Batch, BatchArrays, BatchNumbers, Context, InputShape, LAPLACIAN, Level, Model, OutputShape, Targets,
};

fn classes(nodes: usize) -> Arc<Targets> {
    Arc::new(Targets::classes((0..nodes as u32).collect(), (0..nodes as u32).map(|i| i % 3).collect()))
}

/// The same numbers row by row.
fn sparse(arrays: &BatchArrays, columns: usize) -> BatchArrays {
    let BatchNumbers::Dense(dense) = &arrays.numbers else { panic!("dense numbers") };
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in dense.chunks_exact(columns) {
        for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            indices.push(column as u32);
            values.push(value);
        }
        offsets.push(indices.len());
    }
    BatchArrays { numbers: BatchNumbers::Sparse { offsets, indices, values }, ..arrays.clone() }
}

#[test]
fn sparse_numbers_are_dense_numbers() {
    // As many numbers as channels, so that the first layer has a residual where numbers go in raw.
    let shape: InputShape = 8.into();
    let mut arrays = fill(graph(30, 40, 1), &shape, 2);
    if let BatchNumbers::Dense(values) = &mut arrays.numbers {
        // A third stays: too many to be taken for sparse by itself.
        values.iter_mut().enumerate().filter(|(at, _)| at % 3 != 0).for_each(|(_, value)| *value = 0.0);
    }
    let (dense, sparse) = (batch(&arrays, &shape), batch(&sparse(&arrays, 8), &shape));
    assert!(matches!(dense.input(), crate::Features::Dense(_)));
    assert!(matches!(sparse.input(), crate::Features::Sparse { .. }));
    let targets = classes(30);
    for (name, more) in [
        ("gen", r#""input_projection": true, "input_dropout": 0.3"#),
        ("gen", r#""input_projection": false, "input_dropout": 0.3"#),
        ("gen", r#""input_projection": false"#),
        ("gcn", r#""input_dropout": 0.3"#),
        ("gcn", r#""input_projection": true"#),
        ("mlp", r#""input_dropout": 0.3"#),
        ("mlp", r#""layers": 0"#),
    ] {
        let text = format!(r#"{{"kind": "{name}", "width": 8, {more}}}"#);
        let config: crate::ModelConfig = serde_json::from_str(&text).unwrap();
        let model = config.init(8, 3, 5).unwrap();
        assert_close(&text, &model.outputs(&sparse), &model.outputs(&dense), 1e-5);
        let (a, b) = (slopes(model.network(), &sparse, &targets), slopes(model.network(), &dense, &targets));
        assert!((a.0 - b.0).abs() < 1e-5, "{text}: loss {} instead of {}", a.0, b.0);
        for (a, b) in a.1.iter().zip(&b.1) {
            assert_close(&format!("{text}, {}", a.name), &a.data, &b.data, 1e-4);
        }
    }
    let broken = BatchNumbers::Sparse { offsets: vec![0; 31], indices: vec![], values: vec![] };
    let mut offsets = vec![1; 31];
    offsets[0] = 0;
    let not_a_number = BatchNumbers::Sparse { offsets, indices: vec![2], values: vec![f32::NAN] };
    let model = config("gcn", "").init(8, 3, 5).unwrap();
    for (numbers, stage) in [(broken, None), (not_a_number, Some("input"))] {
        let batch = batch(&BatchArrays { numbers, ..arrays.clone() }, &shape);
        assert_eq!(model.first_non_finite(&batch).as_deref(), stage);
    }
}

#[test]
fn a_table_is_a_linear_map_of_one_hot_rows() {
    let counts = [4u32, 3];
    let categories = InputShape { categories: counts.to_vec(), ..InputShape::default() };
    let arrays = fill(graph(25, 30, 1), &categories, 2);
    let mut one_hot = vec![0.0; 25 * 7];
    for (row, values) in arrays.categories.chunks_exact(2).enumerate() {
        one_hot[row * 7 + values[0] as usize] = 1.0;
        one_hot[row * 7 + 4 + values[1] as usize] = 1.0;
    }
    let (by_table, by_product) = (batch(&arrays, &categories), Batch::new(arrays.graph.clone(), &one_hot, 7));
    let config = config("gcn", r#""input_projection": true"#);
    let table = config.init(&categories, 3, 5).unwrap();
    let mut product = config.init(7, 3, 6).unwrap();
    let other_name = |name: &str| name.replace("encoder.projection.weight", "encoder.categories");
    let given: BTreeMap<String, Vec<f32>> =
        table.network().arrays().into_iter().map(|array: Array| (array.name, array.data)).collect();
    let mut values: BTreeMap<_, _> = product
        .network()
        .arrays()
        .into_iter()
        .filter_map(|array| Some((array.id, given.get(&other_name(&array.name))?.clone())))
        .collect();
    // Everything but the bias of the projection, which is zero.
    assert_eq!(values.len(), given.len());
    product.network_mut().replace(&mut |id| values.remove(&id));
    assert_close("outputs", &table.outputs(&by_table), &product.outputs(&by_product), 1e-6);
    let targets = classes(25);
    let (_, a) = slopes(table.network(), &by_table, &targets);
    let (_, b) = slopes(product.network(), &by_product, &targets);
    let find = |arrays: &[Array], name: &str| arrays.iter().find(|array| array.name == name).unwrap().data.clone();
    let (a, b) = (find(&a, "encoder.categories"), find(&b, "encoder.projection.weight"));
    assert_close("gradients", &a, &b, 1e-5);
}

/// The batch with the sign of eigenvector `vector` of graph `graph` turned.
fn turned(arrays: &BatchArrays, shape: &InputShape, graph: usize, vector: usize) -> Batch {
    let mut arrays = arrays.clone();
    for node in arrays.offsets[graph]..arrays.offsets[graph + 1] {
        let array = arrays.arrays.iter_mut().find(|array| array.name == LAPLACIAN).unwrap();
        let value = &mut array.values[node * array.width + vector];
        *value = -*value;
    }
    batch(&arrays, shape)
}

#[test]
fn signs_of_eigenvectors() {
    let shape = everything();
    let arrays = join(&three(&shape));
    let (before, after) = (batch(&arrays, &shape), turned(&arrays, &shape, 1, 0));
    let output = OutputShape { level: Level::Graph, outputs: 3 };
    for name in models() {
        let invariant = config(name, r#""laplacian_encoder": "deepset""#).init(&shape, output, 5).unwrap();
        assert_close(name, &invariant.outputs(&after), &invariant.outputs(&before), 1e-6);
        let linear = config(name, r#""laplacian_encoder": "linear""#).init(&shape, output, 5).unwrap();
        let (a, b) = (linear.outputs(&before), linear.outputs(&after));
        assert!(a[..3] == b[..3] && a[3..6] != b[3..6] && a[6..] == b[6..], "{name}: only graph 1 has changed");
    }
}

#[test]
fn signs_are_drawn_anew_for_every_step_graph_and_vector() {
    let shape = InputShape { arrays: vec![ArrayShape::new(LAPLACIAN, 2)], ..InputShape::default() };
    let arrays = join(&three(&shape));
    let plain = batch(&arrays, &shape);
    let text = r#"{"kind": "mlp", "layers": 0, "width": 8}"#;
    let config: crate::ModelConfig = serde_json::from_str(text).unwrap();
    let model = config.init(&shape, OutputShape { level: Level::Graph, outputs: 3 }, 5).unwrap();
    let run = |model: &Model, batch: &Batch, step: Option<u64>| {
        let context = step.map_or_else(Context::evaluation, |step| Context::training(3, step));
        bridge::into_vec(model.network().run(batch.input(), batch, &context))
    };
    // Without dropout, a step of training is evaluation with some signs turned: which ones is seen per graph.
    let mut seen = [[0usize; 4]; 3];
    for step in 0..40 {
        let trained = run(&model, &plain, Some(step));
        assert_eq!(trained, run(&model, &plain, Some(step)), "a step is a function of its seed");
        for (graph, seen) in seen.iter_mut().enumerate() {
            let signs = (0..4usize).find(|signs| {
                let mut arrays = arrays.clone();
                for row in arrays.arrays[0].values.chunks_exact_mut(2) {
                    (0..2).filter(|k| signs >> k & 1 == 1).for_each(|k| row[k] = -row[k]);
                }
                let expected = run(&model, &batch(&arrays, &shape), None);
                expected[graph * 3..graph * 3 + 3] == trained[graph * 3..graph * 3 + 3]
            });
            seen[signs.expect("some signs explain the step")] += 1;
        }
    }
    assert!(seen.iter().flatten().all(|count| *count > 0), "{seen:?}");
}
