//! Answers for nodes, graphs and pairs.

use std::sync::Arc;

use super::support::*;
use crate::{InputShape, Learner, Level, NnError, NumberLoss, OptimizerConfig, OutputShape, Shape, Targets};

const LEVELS: [Level; 3] = [Level::Node, Level::Graph, Level::Pair];

/// Targets of every kind that a level has, for the batch of [`three`].
fn targets(level: Level, outputs: usize) -> Vec<Targets> {
    let rows: Vec<u32> = if level == Level::Graph { vec![0, 1, 2] } else { vec![3, 0, 20, 27, 3] };
    let count = rows.len() * outputs;
    let value = |at: usize| if at % 5 == 1 { f32::NAN } else { (at % 3) as f32 / 2.0 };
    let values: Vec<f32> = (0..count).map(value).collect();
    let classes: Vec<u32> = rows.iter().map(|row| row % outputs as u32).collect();
    let weights = (0..outputs).map(|class| 0.5 + class as f32).collect();
    let number = |loss| Targets::Numbers { rows: rows.clone(), values: values.clone(), loss };
    if level == Level::Pair {
        let together = vec![true, false, false, true];
        return vec![Targets::Pairs { pairs: vec![[0, 1], [5, 2], [27, 4], [8, 8]], together }];
    }
    vec![
        Targets::Classes { rows: rows.clone(), classes, weights: Some(weights) },
        Targets::Binary { rows: rows.clone(), values: values.clone() },
        number(NumberLoss::L2),
        number(NumberLoss::Huber),
    ]
}

#[test]
fn gradients_are_finite_differences_at_every_level() {
    let shape = everything();
    let batch = batch(&join(&three(&shape)), &shape);
    for name in models() {
        let settings = [
            (Level::Node, r#""laplacian_encoder": "deepset""#),
            (Level::Graph, r#""readout": "mean", "head_layers": 2"#),
            (Level::Graph, r#""readout": "sum", "norm": "none""#),
            (Level::Graph, r#""readout": "max", "laplacian_encoder": "deepset""#),
            (Level::Pair, ""),
        ];
        for (i, (level, more)) in settings.into_iter().enumerate() {
            let mut model = config(name, more).init(&shape, OutputShape { level, outputs: 3 }, 5).unwrap();
            stir(&mut model, 9);
            let all = targets(level, 3);
            let targets = all[i % all.len()].clone();
            targets.check(&batch, model.output_shape()).unwrap();
            let what = format!("{name}, {level:?}, {more}");
            assert_finite_differences(&what, model.network(), &batch, &Arc::new(targets));
        }
    }
}

#[test]
fn a_batch_of_graphs_gives_what_each_gives_alone() {
    let shape = everything();
    let arrays = three(&shape);
    let joined = batch(&join(&arrays), &shape);
    for name in models().filter(|name| config(name, "").properties().graphs_apart) {
        for readout in ["mean", "sum", "max"] {
            for level in LEVELS {
                let more = format!(r#""readout": "{readout}", "head_layers": 2"#);
                let mut model = config(name, &more).init(&shape, OutputShape { level, outputs: 3 }, 5).unwrap();
                stir(&mut model, 9);
                let alone: Vec<f32> = arrays.iter().flat_map(|part| model.outputs(&batch(part, &shape))).collect();
                let rows = if level == Level::Graph { 3 } else { joined.nodes() };
                let columns = if level == Level::Pair { 8 } else { 3 };
                assert_eq!((alone.len(), model.output_shape().outputs), (rows * columns, columns));
                assert_close(&format!("{name}, {readout}, {level:?}"), &model.outputs(&joined), &alone, 1e-5);
            }
        }
    }
}

#[test]
fn a_graph_without_nodes_has_an_answer() {
    let shape: InputShape = 2.into();
    let mut arrays = fill(graph(6, 5, 1), &shape, 2);
    arrays.offsets = vec![0, 0, 6, 6];
    for name in models() {
        let model = config(name, "").init(2, OutputShape { level: Level::Graph, outputs: 2 }, 1).unwrap();
        let outputs = model.outputs(&batch(&arrays, &shape));
        // Nothing to read gives what the head makes of nothing: zero, unless its biases start elsewhere.
        let arrays = model.network().arrays();
        let biases = arrays.iter().filter(|array| array.name.contains("head") && array.name.ends_with("bias"));
        if biases.flat_map(|array| &array.data).all(|bias| *bias == 0.0) {
            assert_eq!(outputs[..2], [0.0; 2], "{name}");
        }
        assert!(outputs.len() == 6 && outputs[..2] == outputs[4..], "{name}: {outputs:?}");
        assert!(outputs.iter().all(|value| value.is_finite()) && outputs[2..4] != outputs[..2], "{name}: {outputs:?}");
    }
}

#[test]
fn every_level_learns() {
    let shape = everything();
    let batch = batch(&join(&three(&shape)), &shape);
    for level in LEVELS {
        let model = config("gen", r#""dropout": 0.0"#).init(&shape, OutputShape { level, outputs: 3 }, 5).unwrap();
        for targets in targets(level, 3) {
            let mut learner = Learner::new(model.clone(), OptimizerConfig::default(), 3);
            let first = learner.step(&batch, &targets, 0.01).loss;
            let last = (0..40).map(|_| learner.step(&batch, &targets, 0.01).loss).last().unwrap();
            assert!(last < 0.7 * first, "{level:?}, {targets:?}: from {first} to {last}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let shape = everything();
    let arrays: Vec<_> = (0..40).map(|seed| fill(graph(60 + seed as usize, 150, seed), &shape, 100 + seed)).collect();
    let large = batch(&join(&arrays), &shape);
    for (name, level) in models().zip(LEVELS.into_iter().cycle()) {
        let more = r#""readout": "max", "input_dropout": 0.1"#;
        let mut model = config(name, more).init(&shape, OutputShape { level, outputs: 3 }, 5).unwrap();
        stir(&mut model, 9);
        let targets = Arc::new(targets(level, 3).remove(0));
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (loss, gradients) = slopes(model.network(), &large, &targets);
                let numbers = gradients.into_iter().flat_map(|array| array.data).chain([loss]);
                numbers.chain(model.outputs(&large)).map(f32::to_bits).collect::<Vec<_>>()
            })
        };
        let one = run(1);
        for threads in [2, 5] {
            assert!(run(threads) == one, "{name}, {level:?}: {threads} threads differ from 1");
        }
    }
}

#[test]
fn resuming_continues_with_the_same_bits() {
    let shape = everything();
    let batch = batch(&join(&three(&shape)), &shape);
    let output = OutputShape { level: Level::Graph, outputs: 3 };
    let targets = &targets(Level::Graph, 3)[2];
    for name in models() {
        let config = config(name, r#""norm": "batch", "input_dropout": 0.2"#);
        let learner = |seed| Learner::new(config.init(&shape, output, seed).unwrap(), OptimizerConfig::default(), 5);
        let mut whole = learner(1);
        let mut first = learner(1);
        let train = |learner: &mut Learner, steps: usize| {
            for _ in 0..steps {
                assert!(learner.step(&batch, targets, 0.01).is_finite());
            }
        };
        train(&mut whole, 4);
        train(&mut first, 2);
        let mut second = learner(7);
        second.model_mut().load_safetensors(&first.model().to_safetensors()).unwrap();
        second.load_state(&first.state_to_safetensors()).unwrap();
        assert_eq!(second.model().outputs(&batch), first.model().outputs(&batch), "{name}: saved is loaded");
        train(&mut second, 2);
        assert!(second.model().to_safetensors() == whole.model().to_safetensors(), "{name}");
        assert!(second.state_to_safetensors() == whole.state_to_safetensors(), "{name}");
    }
}

#[test]
fn parameters_in_the_estimate_are_those_of_the_model() {
    let shapes = [everything(), InputShape { categories: vec![5], ..InputShape::default() }];
    for inputs in shapes {
        for name in models() {
            for (level, more) in [
                (Level::Node, r#""head_layers": 3"#),
                (Level::Graph, r#""laplacian_encoder": "deepset""#),
                (Level::Pair, ""),
            ] {
                let outputs = OutputShape { level, outputs: 3 };
                let config = config(name, more);
                let bytes = 4 * config.init(&inputs, outputs, 1).unwrap().parameters() as u64;
                let shape = Shape::of(&inputs, &outputs, 4, 100, 300);
                assert_eq!(config.memory(&shape, false).parameters, bytes, "{name}, {level:?}");
                assert_eq!(config.memory(&shape, true).parameters, 4 * bytes, "{name}, {level:?}");
            }
        }
    }
}

#[test]
fn a_last_layer_can_answer_by_itself() {
    let shape = everything();
    let batch = batch(&join(&three(&shape)), &shape);
    for name in models() {
        let line = crate::REGISTRY.iter().find(|line| line.name == name).unwrap();
        // A model with a head of its own has no such setting.
        let headless = line.headless || line.idle.contains(&"head_layers");
        let config = config(name, r#""head_layers": 0"#);
        assert_eq!(config.validate().is_ok(), headless, "{name}");
        for level in LEVELS.into_iter().filter(|_| line.headless) {
            let outputs = OutputShape { level, outputs: 3 };
            let mut model = config.init(&shape, outputs, 1).unwrap();
            let plan = config.memory(&Shape::of(&shape, &outputs, 4, 100, 300), false);
            assert_eq!(plan.parameters, 4 * model.parameters() as u64, "{name}, {level:?}");
            stir(&mut model, 9);
            let targets = targets(level, 3).remove(0);
            assert_finite_differences(&format!("{name}, {level:?}"), model.network(), &batch, &Arc::new(targets));
        }
    }
}

#[test]
fn targets_that_do_not_fit_are_errors() {
    let shape: InputShape = 2.into();
    let batch = batch(&fill(graph(6, 5, 1), &shape, 2), &shape);
    let nodes = OutputShape { level: Level::Node, outputs: 2 };
    let graphs = OutputShape { level: Level::Graph, outputs: 2 };
    let pairs = OutputShape { level: Level::Pair, outputs: 8 };
    let weighted = |weights: Vec<f32>| Targets::Classes { rows: vec![0], classes: vec![1], weights: Some(weights) };
    let binary = |values: Vec<f32>| Targets::Binary { rows: vec![0], values };
    let number = |values: Vec<f32>| Targets::Numbers { rows: vec![0], values, loss: NumberLoss::L1 };
    let pair = |pair, together| Targets::Pairs { pairs: vec![pair], together };
    let check = |targets: &Targets, shape: &OutputShape| targets.check(&batch, shape);
    assert_eq!(check(&weighted(vec![1.0, 0.0]), &nodes), Ok(()));
    assert_eq!(check(&binary(vec![1.0, f32::NAN]), &graphs), Ok(()));
    assert_eq!(check(&pair([0, 5], vec![true]), &pairs), Ok(()));
    let wrong = [
        (Targets::classes(vec![6], vec![0]), nodes, "target 0: row 6 is out of range, allowed is 0 to 5."),
        (Targets::classes(vec![1], vec![0]), graphs, "target 0: row 1 is out of range, allowed is 0 to 0."),
        (Targets::classes(vec![0], vec![2]), nodes, "target 0: class 2 is out of range, allowed is 0 to 1."),
        (Targets::classes(vec![0, 1], vec![0]), nodes, "1 targets of kind \"class\", but 2 are needed: one per row."),
        (weighted(vec![1.0]), nodes, "1 targets of kind \"weight\", but 2 are needed: one per class."),
        (weighted(vec![1.0, -1.0]), nodes, "target value 1 is -1, allowed is finite and not below 0."),
        (binary(vec![1.0, 2.0]), nodes, "target value 1 is 2, allowed is 0 to 1, or NaN if unknown."),
        (number(vec![1.0]), nodes, "1 targets of kind \"value\", but 2 are needed: one per row and output."),
        (
            number(vec![1.0, f32::INFINITY]),
            nodes,
            "target value 1 is inf, allowed is any finite number, or NaN if unknown.",
        ),
        (pair([0, 6], vec![true]), pairs, "target 1: node 6 is out of range, allowed is 0 to 5."),
        (pair([0, 5], vec![]), pairs, "0 targets of kind \"answer\", but 1 are needed: one per pair."),
    ];
    for (targets, shape, message) in wrong {
        assert_eq!(check(&targets, &shape).unwrap_err().to_string(), message);
    }
    assert!(matches!(check(&pair([0, 1], vec![true]), &nodes), Err(NnError::TargetKind { .. })));
    assert!(matches!(check(&binary(vec![1.0; 8]), &pairs), Err(NnError::TargetKind { .. })));
    assert_eq!(config("gcn", "").init(0, 2, 1).unwrap_err(), NnError::NoInputs);
}
