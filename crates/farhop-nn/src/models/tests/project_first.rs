//! GEN layers that project before their rounds.

use std::sync::Arc;

use super::support::*;
use crate::{Batch, BatchArrays, BatchNumbers, InputShape, Level, Model, ModelConfig, OutputShape, Shape, Targets};

const COLUMNS: usize = 12;

/// Nodes with a word in four of the columns' vocabulary, as a list of words or as rows.
fn words() -> (Batch, Batch) {
    let shape: InputShape = COLUMNS.into();
    let mut arrays = fill(graph(30, 40, 1), &shape, 2);
    let BatchNumbers::Dense(values) = &mut arrays.numbers else { panic!("dense numbers") };
    values.iter_mut().enumerate().filter(|(at, _)| (at * at) % 7 > 1).for_each(|(_, value)| *value = 0.0);
    let (mut offsets, mut indices, mut kept) = (vec![0], Vec::new(), Vec::new());
    for row in values.chunks_exact(COLUMNS) {
        let there = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
        there.for_each(|(column, &value)| {
            indices.push(column as u32);
            kept.push(value);
        });
        offsets.push(indices.len());
    }
    let list = BatchArrays { numbers: BatchNumbers::Sparse { offsets, indices, values: kept }, ..arrays.clone() };
    (batch(&list, &shape), batch(&arrays, &shape))
}

fn classes(nodes: usize) -> Arc<Targets> {
    Arc::new(Targets::classes((0..nodes as u32).collect(), (0..nodes as u32).map(|i| i % 3).collect()))
}

fn model(more: &str) -> Model {
    let mut model = made(more).init(COLUMNS, 3, 5).unwrap();
    stir(&mut model, 9);
    model
}

fn made(more: &str) -> ModelConfig {
    config("gen", &format!(r#""input_projection": false, {more}"#))
}

/// Where nothing but the rounds looks at the hops, the order of rounds and projection does not matter: same weights, same answers, same gradients.
#[test]
fn with_given_coefficients_it_is_the_layer_as_printed() {
    let (list, rows) = words();
    let targets = classes(30);
    for elimination in ["exact", "self-loop", "none"] {
        for reading in ["cumulative", "increment"] {
            for (own, head) in [(true, 1), (true, 0), (false, 0)] {
                let more = format!(
                    r#""coefficients": "gcn", "gamma": 0.0, "hop_attention": false, "input_dropout": 0.3, "elimination": "{elimination}",
                    "hop_reading": "{reading}", "own_term": {own}, "head_layers": {head}"#
                );
                let printed = model(&more);
                let first = model(&format!(r#""project_first": true, {more}"#));
                let (expected_loss, expected) = slopes(printed.network(), &rows, &targets);
                for batch in [&list, &rows] {
                    assert_close(&more, &first.outputs(batch), &printed.outputs(&rows), 1e-5);
                    let (loss, found) = slopes(first.network(), batch, &targets);
                    assert!((loss - expected_loss).abs() < 1e-5, "{more}: loss {loss} instead of {expected_loss}");
                    assert_eq!(found.len(), expected.len(), "{more}");
                    for (found, expected) in found.iter().zip(&expected) {
                        assert_eq!(found.name, expected.name, "{more}");
                        assert_close(&format!("{more}, {}", found.name), &found.data, &expected.data, 1e-4);
                    }
                }
            }
        }
    }
}

/// With attention over edges and hops, it is a layer of its own: the same for both forms of features, with the gradients of small steps.
#[test]
fn with_attention_it_reads_projected_features() {
    let (list, rows) = words();
    let targets = classes(30);
    for more in [
        r#""heads": 2"#,
        r#""heads": 2, "hop_zero": true, "own_term": false, "head_layers": 0"#,
        r#""coefficients": "attention-per-layer", "recompute": true, "hop_reading": "increment", "head_layers": 0"#,
        r#""own_term": false, "feed_forward": false, "norm": "none""#,
    ] {
        let first = model(&format!(r#""project_first": true, {more}"#));
        let printed = model(more);
        assert_close(more, &first.outputs(&list), &first.outputs(&rows), 1e-5);
        let apart = first.outputs(&list).iter().zip(printed.outputs(&list)).any(|(a, b)| (a - b).abs() > 1e-3);
        assert!(apart, "{more}: the setting changes nothing");
        assert_finite_differences(more, first.network(), &list, &targets);
    }
}

/// The plan counts the weights that there are, and rounds of the few channels.
#[test]
fn the_plan_follows() {
    let outputs = OutputShape { level: Level::Node, outputs: 3 };
    for more in [
        r#""heads": 2"#,
        r#""own_term": false, "head_layers": 0"#,
        r#""hop_attention": false, "feed_forward": false, "coefficients": "ones""#,
    ] {
        let plans = [false, true].map(|first| {
            let config = made(&format!(r#""project_first": {first}, {more}"#));
            let parameters = config.init(COLUMNS, 3, 5).unwrap().parameters() as u64;
            let plan = config.memory(&Shape::of(&COLUMNS.into(), &outputs, 1, 100, 300), true);
            assert_eq!(plan.parameters, 16 * parameters, "{more}, {first}");
            let wide = Shape { non_zeros: Some(100_000), ..Shape::nodes(10_000, 60_000, 1_000, 3) };
            config.memory(&wide, true).total()
        });
        // The increments of three rounds alone are 3 * 10,000 * 1,000 numbers, of which 992 in 1,000 go.
        assert!(plans[1] + 119_000_000 < plans[0], "{more}: {plans:?}");
    }
}
