//! A learner learns, resumes with the same bits, gives the same bits on any number of threads, and survives bad numbers.

use std::sync::Arc;

use farhop_graph::random::Stream;
use farhop_graph::{Direction, build};
use farhop_nn::{Batch, Learner, ModelConfig, NnError, OptimizerConfig, Targets};

/// Nodes on a ring; the class is a function of the node's own features.
fn toy(nodes: usize, width: usize, seed: u64) -> (Batch, Targets) {
    let edges: Vec<(u32, u32)> = (0..nodes as u32).map(|i| (i, (i + 1) % nodes as u32)).collect();
    let graph = build(nodes, &edges, Direction::Undirected).unwrap().graph;
    let mut stream = Stream::new(seed);
    let features: Vec<f32> = (0..nodes * width).map(|_| stream.normal() as f32).collect();
    let class = |row: &[f32]| u32::from(row[0] * row[1] > 0.0);
    let classes = features.chunks_exact(width).map(class).collect();
    let targets = Targets::classes((0..nodes as u32).collect(), classes);
    (Batch::new(Arc::new(graph), &features, width), targets)
}

fn accuracy(learner: &Learner, batch: &Batch, targets: &Targets) -> f64 {
    let logits = learner.model().outputs(batch);
    let Targets::Classes { rows, classes, .. } = targets else { panic!("classes") };
    let right = rows.iter().zip(classes).filter(|(row, class)| {
        let row = &logits[**row as usize * 2..][..2];
        u32::from(row[1] > row[0]) == **class
    });
    right.count() as f64 / rows.len() as f64
}

fn learner(config: &ModelConfig, width: usize) -> Learner {
    let model = config.init(width, 2, 3).unwrap();
    Learner::new(model, OptimizerConfig::default(), 5)
}

/// Every model, with every kind of normalisation.
fn configs() -> Vec<ModelConfig> {
    let text = |name: &str, norm: &str| {
        format!(r#"{{"kind": "{name}", "norm": "{norm}", "layers": 2, "width": 16, "dropout": 0.3}}"#)
    };
    let mut configs = Vec::new();
    for name in ["mlp", "gcn"] {
        for norm in ["none", "layer", "batch"] {
            configs.push(serde_json::from_str(&text(name, norm)).unwrap());
        }
    }
    let projected = r#"{"kind": "gcn", "input_projection": true, "input_dropout": 0.1, "width": 16}"#;
    configs.push(serde_json::from_str(projected).unwrap());
    configs
}

#[test]
fn mlp_learns_what_a_linear_map_cannot() {
    let (batch, targets) = toy(400, 4, 1);
    let linear = ModelConfig::from_name("mlp").unwrap().with("layers", 0).unwrap();
    let deep = ModelConfig::from_name("mlp").unwrap();
    let trained = |config: &ModelConfig| {
        let mut learner = learner(config, 4);
        for _ in 0..120 {
            learner.step(&batch, &targets, 0.01);
        }
        accuracy(&learner, &batch, &targets)
    };
    let (linear, deep) = (trained(&linear), trained(&deep));
    assert!(linear < 0.7 && deep > 0.95, "linear {linear}, deep {deep}");
}

#[test]
fn resuming_continues_with_the_same_bits() {
    let (batch, targets) = toy(60, 4, 2);
    for config in configs() {
        let mut whole = learner(&config, 4);
        for _ in 0..6 {
            whole.step(&batch, &targets, 0.01);
        }
        let mut first = learner(&config, 4);
        for _ in 0..3 {
            first.step(&batch, &targets, 0.01);
        }
        let mut second = Learner::new(config.init(4, 2, 77).unwrap(), OptimizerConfig::default(), 5);
        second.model_mut().load_safetensors(&first.model().to_safetensors()).unwrap();
        second.load_state(&first.state_to_safetensors()).unwrap();
        assert_eq!(second.steps(), 3);
        for _ in 0..3 {
            second.step(&batch, &targets, 0.01);
        }
        assert!(second.model().to_safetensors() == whole.model().to_safetensors(), "{config:?}");
        assert!(second.state_to_safetensors() == whole.state_to_safetensors(), "{config:?}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (batch, targets) = toy(20_000, 16, 3);
    for config in configs() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut learner = learner(&config, 16);
                for _ in 0..2 {
                    learner.step(&batch, &targets, 0.01);
                }
                (learner.model().to_safetensors(), learner.model().outputs(&batch))
            })
        };
        let one = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{config:?}: {threads} threads differ from 1");
        }
    }
}

#[test]
fn a_loss_that_is_not_finite_changes_nothing() {
    let (good, targets) = toy(30, 4, 4);
    for config in configs() {
        let mut learner = learner(&config, 4);
        learner.step(&good, &targets, 0.01);
        let before = (learner.model().to_safetensors(), learner.state_to_safetensors());
        let mut features = vec![1.0; 30 * 4];
        features[17] = f32::NAN;
        let bad = Batch::new(good.graph().clone(), &features, 4);
        let report = learner.step(&bad, &targets, 0.01);
        assert!(!report.loss.is_finite() && !report.is_finite());
        assert!((learner.model().to_safetensors(), learner.state_to_safetensors()) == before, "{config:?}");
        assert_eq!(learner.model().first_non_finite(&bad).as_deref(), Some("input"));
        assert_eq!(learner.model().first_non_finite(&good), None);
        assert!(learner.step(&good, &targets, 0.01).is_finite());
    }
}

#[test]
fn the_first_stage_that_overflows_is_named() {
    let (batch, targets) = toy(30, 4, 5);
    let config = ModelConfig::from_name("gcn").unwrap().with("norm", "none").unwrap();
    let mut learner = learner(&config, 4);
    // A learning rate of 1e20 blows the weights up; some later stage overflows while the first does not.
    learner.step(&batch, &targets, 1e20);
    let stage = learner.model().first_non_finite(&batch).expect("weights of 1e20 overflow");
    assert!(stage.starts_with("layers.1") || stage.starts_with("norms.0") || stage.starts_with("layers.0"), "{stage}");
}

#[test]
fn clipping_limits_the_gradient_not_the_report() {
    let (batch, targets) = toy(50, 4, 6);
    let config = ModelConfig::from_name("mlp").unwrap();
    let run = |clip_norm| {
        let optimizer = OptimizerConfig { clip_norm, ..OptimizerConfig::default() };
        let mut learner = Learner::new(config.init(4, 2, 3).unwrap(), optimizer, 5);
        let report = learner.step(&batch, &targets, 0.01);
        (report, learner.state_to_safetensors())
    };
    let (free, free_state) = run(None);
    let (clipped, clipped_state) = run(Some(free.gradient_norm / 2.0));
    let (loose, loose_state) = run(Some(free.gradient_norm * 2.0));
    assert_eq!(free, clipped);
    assert_eq!(free, loose);
    assert!(free_state == loose_state && free_state != clipped_state);
}

#[test]
fn weights_depend_on_the_seed_alone() {
    for config in configs() {
        let bytes = |seed| config.init(4, 2, seed).unwrap().to_safetensors();
        assert!(bytes(1) == bytes(1) && bytes(1) != bytes(2), "{config:?}");
    }
}

#[test]
fn broken_weights_are_errors_that_name_the_tensor() {
    let mlp = |layers: usize, width: usize| {
        ModelConfig::from_name("mlp").unwrap().with("layers", layers).unwrap().with("width", width).unwrap()
    };
    let small = mlp(1, 8);
    let large = mlp(1, 9);
    let deep = mlp(2, 8);
    let mut model = small.init(3, 2, 1).unwrap();
    let good = model.to_safetensors();
    let other = |config: &ModelConfig| config.init(3, 2, 1).unwrap().to_safetensors();
    match model.load_safetensors(&other(&large)) {
        Err(NnError::TensorShape { name, found, expected }) => {
            assert_eq!((name.as_str(), found, expected), ("layers.0.weight", vec![3, 9], vec![3, 8]));
        }
        result => panic!("{result:?}"),
    }
    assert!(
        matches!(model.load_safetensors(&other(&deep)), Err(NnError::UnknownTensor { name }) if name.contains("1"))
    );
    let mut deep = deep.init(3, 2, 1).unwrap();
    assert!(
        matches!(deep.load_safetensors(&good), Err(NnError::MissingTensor { name, .. }) if name == "layers.1.weight")
    );
    assert!(model.to_safetensors() == good, "a failed load changed the model");
    // Every cut, and a flip of every byte of the header, is an error or leaves a loadable file, never a panic.
    for end in 0..good.len() {
        assert!(model.load_safetensors(&good[..end]).is_err(), "cut at {end}");
    }
    for at in 0..good.len().min(600) {
        for bit in [0, 3, 7] {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            let _ = model.load_safetensors(&bytes);
        }
    }
    assert!(model.load_safetensors(&good).is_ok());
    let state = Learner::new(model, OptimizerConfig::default(), 1).state_to_safetensors();
    assert!(deep.load_safetensors(&state).is_err());
}

#[test]
fn batch_norm_keeps_running_statistics() {
    let (batch, targets) = toy(200, 4, 7);
    let config: ModelConfig =
        serde_json::from_str(r#"{"kind": "mlp", "norm": "batch", "layers": 1, "width": 4}"#).unwrap();
    let mut learner = learner(&config, 4);
    let before = learner.model().outputs(&batch);
    // A rate of 0 trains nothing: only the statistics move, towards those of the batch.
    for _ in 0..200 {
        learner.step(&batch, &targets, 0.0);
    }
    let after = learner.model().outputs(&batch);
    assert_ne!(before, after);
    let settled = learner.model().outputs(&batch);
    learner.step(&batch, &targets, 0.0);
    let change = settled.iter().zip(learner.model().outputs(&batch)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(change < 1e-4, "statistics still move by {change}");
}
