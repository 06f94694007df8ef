//! Weights of runs that were written when they had other names.

use safetensors::SafeTensors;
use safetensors::tensor::TensorView;

use super::support::*;
use crate::{Learner, Level, OptimizerConfig, OutputShape, REGISTRY, Targets};

/// The same arrays, those whose names begin with `now` (behind `first.` and `second.`, too) under the names of before.
fn as_before(bytes: &[u8], now: &str, then: &str) -> (Vec<u8>, usize) {
    let file = SafeTensors::deserialize(bytes).unwrap();
    let mut renamed = 0;
    let mut name = |name: &str| {
        let place = ["first.", "second."].into_iter().find(|part| name.starts_with(part)).map_or(0, str::len);
        match name[place..].strip_prefix(now) {
            Some(rest) => {
                renamed += 1;
                format!("{}{then}{rest}", &name[..place])
            }
            None => name.to_string(),
        }
    };
    let views: Vec<(String, TensorView)> = file.iter().map(|(array, view)| (name(array), view)).collect();
    (safetensors::serialize(views, None).unwrap(), renamed)
}

/// The model, and the state of its optimiser.
#[test]
fn runs_with_former_names_load() {
    let shape = everything();
    let batch = batch(&join(&three(&shape)), &shape);
    let output = OutputShape { level: Level::Node, outputs: 3 };
    let rows: Vec<u32> = (0..5).collect();
    let classes = rows.iter().map(|row| row % 3).collect();
    let targets = &Targets::Classes { rows, classes, weights: None };
    let mut tried = 0;
    for registration in REGISTRY {
        for &(now, then) in registration.former_names {
            let name = registration.name;
            let config = config(name, r#""head_layers": 3"#);
            let learner =
                |seed| Learner::new(config.init(&shape, output, seed).unwrap(), OptimizerConfig::default(), 5);
            let (mut saved, mut found) = (learner(1), learner(7));
            assert!(saved.step(&batch, targets, 0.01).is_finite());
            let (weights, arrays) = as_before(&saved.model().to_safetensors(), now, then);
            let (state, moments) = as_before(&saved.state_to_safetensors(), now, then);
            assert!(arrays > 0 && moments == 2 * arrays, "{name}: {arrays} arrays, {moments} moments");
            found.model_mut().load_safetensors(&weights).unwrap();
            found.load_state(&state).unwrap();
            assert!(found.model().to_safetensors() == saved.model().to_safetensors(), "{name}");
            assert!(found.state_to_safetensors() == saved.state_to_safetensors(), "{name}");
            tried += 1;
        }
    }
    assert!(tried > 0);
}
