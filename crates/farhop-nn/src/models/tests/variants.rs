//! Settings that the common tests do not turn: other forms of SAT, heads that halve, networks of two phases.

use std::sync::Arc;

use super::support::*;
use crate::{Level, OutputShape, Shape, Targets};

const VARIANTS: [(&str, &str); 10] = [
    ("gcn", r#""skip": true"#),
    ("sat", r#""structure": "plain""#),
    ("sat", r#""structure": "gine", "subgraphs": true"#),
    ("sat", r#""structure": "plain", "subgraphs": true, "class_token": true"#),
    ("gps", r#""head_layers": 3, "halving_head": true"#),
    ("grit", r#""head_layers": 2, "halving_head": true, "degree_scale": false, "walk_identity": false"#),
    // All that there is to draw.
    ("goat", r#""draws": [64, 64], "code_width": 5, "positions": true"#),
    ("mixhop", r#""norm": "batch", "norm_last": false"#),
    ("cpgnn", r#""first_epochs": 3"#),
    ("polynormer", r#""first_epochs": 3, "head_layers": 2"#),
];

#[test]
fn parameters_in_the_estimate_are_those_of_the_model() {
    let inputs = everything();
    for (name, more) in VARIANTS {
        for level in [Level::Node, Level::Graph, Level::Pair] {
            let outputs = OutputShape { level, outputs: 3 };
            let config = config(name, more);
            let bytes = 4 * config.init(&inputs, outputs, 1).unwrap().parameters() as u64;
            let shape = Shape::of(&inputs, &outputs, 4, 100, 300);
            assert_eq!(config.memory(&shape, false).parameters, bytes, "{name}, {more}, {level:?}");
        }
    }
}

#[test]
fn gradients_are_finite_differences_and_graphs_stay_apart() {
    let shape = everything();
    let arrays = three(&shape);
    let joined = batch(&join(&arrays), &shape);
    for (name, more) in VARIANTS {
        for level in [Level::Node, Level::Graph] {
            let mut model = config(name, more).init(&shape, OutputShape { level, outputs: 3 }, 5).unwrap();
            stir(&mut model, 9);
            let what = format!("{name}, {more}, {level:?}");
            let alone: Vec<f32> = arrays.iter().flat_map(|part| model.outputs(&batch(part, &shape))).collect();
            assert_close(&what, &model.outputs(&joined), &alone, 1e-4);
            let targets = Targets::Classes { rows: vec![0, 1, 2], classes: vec![0, 2, 1], weights: None };
            assert_finite_differences(&what, model.network(), &joined, &Arc::new(targets));
        }
    }
}
