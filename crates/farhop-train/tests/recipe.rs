//! Recipes: every setting survives, and every mistake is named.

use std::path::Path;

use farhop_data::Fill;
use farhop_nn::OptimizerKind;
use farhop_train::{CheckpointEvery, Recipe, Schedule};
use serde_json::Value;

fn parse(text: &str) -> Result<Recipe, String> {
    Recipe::parse(text, Path::new("mine.toml")).map_err(|error| error.to_string())
}

#[test]
fn every_setting_comes_back_exactly() {
    for model in ["gen", "mlp", "gcn"] {
        let mut recipe = Recipe::for_model(model).unwrap();
        recipe.train.learning_rate = 0.1 + 0.2;
        recipe.train.optimizer.kind = OptimizerKind::Adam;
        recipe.train.optimizer.weight_decay = 1.0 / 3.0;
        recipe.train.optimizer.clip_norm = None;
        recipe.train.patience = None;
        recipe.train.schedule = Schedule::Constant;
        recipe.train.checkpoint_every = CheckpointEvery::Epochs(7);
        recipe.train.seed = i64::MAX as u64;
        recipe.data.nodes = Some("a \"quoted\"/nodes.csv".into());
        recipe.data.smiles = Some("none".into());
        recipe.data.fill = Fill::Value(0.25);
        let text = recipe.to_toml().unwrap();
        assert_eq!(parse(&text).unwrap(), recipe, "{text}");

        // A rate that is an f32 in disguise must not be shortened into another number.
        recipe.train.learning_rate = f64::from(0.01f32);
        assert_eq!(parse(&recipe.to_toml().unwrap()).unwrap(), recipe);
    }
}

#[test]
fn defaults_are_written_out_and_filled_in() {
    let defaults = Recipe::for_model("mlp").unwrap();
    let text = defaults.to_toml().unwrap();
    for setting in ["epochs", "warmup_epochs", "schedule", "clip_norm", "patience", "seed", "width"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{setting} = "))), "{setting} is not in\n{text}");
    }
    for line in text.lines() {
        let digits = line.chars().filter(|c| ('1'..='9').contains(c)).count();
        assert!(digits <= 6, "a number has stray digits: {line}");
    }
    assert_eq!(parse("[model]\nkind = \"mlp\"\n").unwrap(), defaults);
}

#[test]
fn a_recipe_without_a_model_means_gen() {
    let recipe = parse("[model]\nelimination = \"none\"\nhops = 2\n").unwrap();
    assert_eq!(recipe.model.name(), "gen");
    assert_ne!(recipe, Recipe::for_model("gen").unwrap());
    assert_eq!(parse(&recipe.to_toml().unwrap()).unwrap(), recipe);
}

#[test]
fn none_switches_a_setting_off() {
    let text = "[model]\nkind = \"mlp\"\n[train]\npatience = \"none\"\n[data]\nscaling = \"none\"\n[train.optimizer]\nclip_norm = \"none\"\n";
    let recipe = parse(text).unwrap();
    assert_eq!(recipe.train.patience, None);
    assert_eq!(recipe.train.optimizer.clip_norm, None);
    assert_eq!(recipe.data.scaling, farhop_data::FeatureScaling::None);
}

#[test]
fn the_optimiser_has_a_name_and_decay_its_meaning() {
    let of = |lines: &str| parse(&format!("[train]\nlearning_rate = 0.01\n[train.optimizer]\n{lines}"));
    assert_eq!(of("").unwrap().train.optimizer.kind, OptimizerKind::AdamW);
    assert_eq!(of("kind = \"adam\"\n").unwrap().train.optimizer.kind, OptimizerKind::Adam);
    // Decay beside the gradient turns the signs of weights from 100 on; inside it, it has the range of the optimiser alone.
    assert!(of("weight_decay = 101\n").unwrap_err().contains("at most 100"));
    assert!(of("kind = \"adam\"\nweight_decay = 101\n").is_ok());
    assert!(of("kind = \"adam\"\nweight_decay = 1001\n").unwrap_err().contains("0 to 1000"));
    let message = of("kind = \"sgd\"\n").unwrap_err();
    assert!(message.starts_with("mine.toml, line 4: ") && message.contains("adamw"), "{message}");
}

#[test]
fn mistakes_have_a_line_and_a_remedy() {
    let cases = [
        (
            "[model]\nkind = \"mlp\"\n[train]\nepoch = 3\n",
            "mine.toml, line 4: [train] has no setting \"epoch\". Did you mean \"epochs\"?",
        ),
        (
            "[model]\nkind = \"mlp\"\nwidht = 3\n",
            "mine.toml, line 3: [model] has no setting \"widht\". Did you mean \"width\"?",
        ),
        (
            "[model]\nkind = \"mlp\"\n[trian]\n",
            "mine.toml, line 3: a recipe has no setting \"trian\". Did you mean \"train\"?",
        ),
        ("train = 3\n[model]\nkind = \"mlp\"\n", "mine.toml, line 1: train is a section, not a value."),
        ("[model]\nkind = \"mlp\"\n[train]\nepochs = 0\n", "mine.toml, line 4: epochs is 0: give 1 to 1,000,000,000."),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text).unwrap_err(), expected);
    }
    let begins = [
        ("[model]\nkind = \"mlp\"\n[train]\nepochs = \"many\"\n", "mine.toml, line 4: train.epochs = \"many\": "),
        (
            "[model]\nkind = \"mlp\"\n[train]\nseed = 1\nschedule = \"cosin\"\n",
            "mine.toml, line 5: train.schedule = \"cosin\": ",
        ),
        (
            "[model]\nkind = \"mlp\"\n[train]\ncheckpoint_every = \"soon\"\n",
            "mine.toml, line 4: train.checkpoint_every = \"soon\": ",
        ),
        ("[train]\nepochs = 3\nepochs = 4\n", "mine.toml, line 3: "),
        ("[model]\nkind = \"mlpp\"\n", "mine.toml, line 2: "),
        ("[model]\nkind = \"mlp\"\n[train]\nlearning_rate = inf\n", "mine.toml, line 4: "),
        (
            "[model]\nkind = \"mlp\"\n[train]\nqqqqqqqq = 1\n",
            "mine.toml, line 4: [train] has no setting \"qqqqqqqq\". Known: ",
        ),
    ];
    for (text, start) in begins {
        let message = parse(text).unwrap_err();
        assert!(message.starts_with(start), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

/// The keys of all numbers below a tree of settings, those that are absent by default among them.
fn numbers(tree: &Value, path: &str, found: &mut Vec<String>) {
    const ABSENT: [&str; 4] = [".parts", ".halo", ".split_seed", ".distance"];
    match tree {
        Value::Object(object) => {
            for (key, value) in object {
                numbers(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, found);
            }
        }
        Value::Number(_) => found.push(path.to_string()),
        Value::Null if ABSENT.iter().any(|end| path.ends_with(end)) => found.push(path.to_string()),
        _ => {}
    }
}

#[test]
fn every_number_has_a_range() {
    for model in ["gen", "mlp", "gcn"] {
        let mut keys = Vec::new();
        numbers(&serde_json::to_value(Recipe::for_model(model).unwrap()).unwrap(), "", &mut keys);
        assert!(keys.len() >= 20, "{keys:?}");
        for key in keys {
            let of = |value: &str| parse(&format!("model.kind = \"{model}\"\n{key} = {value}\n"));
            for value in ["-1", "-10.5", "9223372036854775807", "1e300", "9223372036854775808", "nan", "-inf"] {
                if key.ends_with("seed") && value == "9223372036854775807" {
                    continue;
                }
                let message = of(value).err().unwrap_or_else(|| panic!("{key} = {value} is accepted"));
                assert!(message.starts_with("mine.toml, line 2: ") && !message.contains('\n'), "{key}: {message}");
            }
        }
    }
}

#[test]
fn what_would_undo_learning_is_refused() {
    for (key, value, says) in [
        ("train.optimizer.clip_norm", "0", "1e-6 to 1e9, or \"none\""),
        ("train.optimizer.beta1", "1.0", "0 to below 1"),
        ("train.optimizer.beta1", "2", "0 to below 1"),
        ("train.optimizer.epsilon", "0", "1e-30 to 1"),
        ("train.learning_rate", "0", "above 0, at most 1000"),
        ("train.optimizer.weight_decay", "201", "at most 200, which is 1 divided by the learning rate"),
        ("train.checkpoint_every", "\"18446744073709551615 epochs\"", "at most 1,000,000,000"),
        ("train.checkpoint_every", "\"1e10 seconds\"", "at most 1,000,000,000"),
        ("model.dropout", "1", "0 to below 1"),
        ("data.fractions.valid", "0.5", "train and valid stay below 1"),
    ] {
        let message = parse(&format!("\n\n{key} = {value}\n")).unwrap_err();
        assert!(message.starts_with("mine.toml, line 3: ") && message.contains(says), "{key} = {value}: {message}");
    }
}

#[test]
fn checkpoint_times_are_read_and_refused() {
    assert_eq!("10 epochs".parse(), Ok(CheckpointEvery::Epochs(10)));
    assert_eq!("1 epoch".parse(), Ok(CheckpointEvery::Epochs(1)));
    assert_eq!("0.5 seconds".parse(), Ok(CheckpointEvery::Seconds(0.5)));
    for wrong in ["", "10", "0 epochs", "-1 seconds", "nan seconds", "2 hours"] {
        assert!(wrong.parse::<CheckpointEvery>().is_err(), "{wrong}");
    }
}

#[test]
fn a_seed_that_toml_cannot_hold_is_refused() {
    let mut recipe = Recipe::for_model("mlp").unwrap();
    recipe.train.seed = u64::MAX;
    let message = recipe.to_toml().unwrap_err().to_string();
    assert!(message.starts_with("seed is 18446744073709551615"), "{message}");
}
