//! IPR-MPNN where nodes choose among virtual nodes, and encodings stand side by side: settings that the common tests do
//! not turn.

use std::sync::Arc;

use super::support::*;
use crate::{Level, OutputShape, Shape, Targets};

const DRAWN: &str = r#""virtual_nodes": 3, "chosen": 2, "samples": 2, "encoding_width": 2, "start": "random""#;

#[test]
fn parameters_in_the_estimate_are_those_of_the_model() {
    let inputs = everything();
    for more in [DRAWN, r#""chosen": 1, "samples": 1, "head_per_layer": false, "delay": 0, "start": "zero""#] {
        for level in [Level::Node, Level::Graph, Level::Pair] {
            let outputs = OutputShape { level, outputs: 3 };
            let config = config("ipr-mpnn", more);
            let bytes = 4 * config.init(&inputs, outputs, 1).unwrap().parameters() as u64;
            let shape = Shape::of(&inputs, &outputs, 4, 100, 300);
            assert_eq!(config.memory(&shape, false).parameters, bytes, "{more}, {level:?}");
        }
    }
}

#[test]
fn drawn_choices_keep_graphs_apart() {
    let shape = everything();
    let arrays = three(&shape);
    for level in [Level::Node, Level::Graph] {
        let mut model = config("ipr-mpnn", DRAWN).init(&shape, OutputShape { level, outputs: 3 }, 5).unwrap();
        stir(&mut model, 9);
        let alone: Vec<f32> = arrays.iter().flat_map(|part| model.outputs(&batch(part, &shape))).collect();
        assert_close(&format!("{level:?}"), &model.outputs(&batch(&join(&arrays), &shape)), &alone, 1e-5);
    }
}

#[test]
fn drawn_choices_are_the_same_for_any_number_of_threads() {
    let shape = everything();
    let arrays: Vec<_> = (0..10).map(|seed| fill(graph(60 + seed as usize, 150, seed), &shape, 100 + seed)).collect();
    let large = batch(&join(&arrays), &shape);
    let mut model = config("ipr-mpnn", DRAWN).init(&shape, 3, 5).unwrap();
    stir(&mut model, 9);
    let nodes = large.nodes() as u32;
    let targets = Arc::new(Targets::classes((0..nodes).collect(), (0..nodes).map(|node| node % 3).collect()));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (loss, gradients) = slopes(model.network(), &large, &targets);
            let scorer: f32 = gradients
                .iter()
                .filter(|array| array.name.starts_with("scorer"))
                .flat_map(|array| &array.data)
                .map(|value| value.abs())
                .sum();
            assert!(scorer > 0.0, "the scores learn");
            let numbers = gradients.into_iter().flat_map(|array| array.data).chain([loss]);
            numbers.map(f32::to_bits).collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert!(run(2) == one && run(5) == one);
}
