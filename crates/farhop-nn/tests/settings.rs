//! Settings: defaults, ranges, unknown keys, and the memory they imply.

use farhop_nn::{Common, ModelConfig, NnError, REGISTRY, Shape, explain_unknown_key, knobs::Knobs};

#[test]
fn every_model_has_a_name_and_a_recipe() {
    for name in ModelConfig::names() {
        let config = ModelConfig::from_name(name).unwrap();
        assert_eq!(config.name(), name);
        config.validate().unwrap();
        let text = serde_json::to_string(&config).unwrap();
        assert!(text.contains(&format!("\"kind\":\"{name}\"")), "{text}");
        assert_eq!(serde_json::from_str::<ModelConfig>(&text).unwrap(), config);
        let bare: ModelConfig = serde_json::from_str(&format!("{{\"kind\": \"{name}\"}}")).unwrap();
        assert_eq!(bare, config, "missing keys take their defaults");
    }
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    let message = ModelConfig::from_name("gnc").unwrap_err().to_string();
    assert!(message.contains("\"gcn\"?") && message.contains("mlp") && !message.contains('\n'), "{message}");
}

#[test]
fn an_unknown_key_suggests_the_nearest() {
    let error = serde_json::from_str::<ModelConfig>(r#"{"kind": "mlp", "droput": 0.1}"#).unwrap_err();
    let message = explain_unknown_key(&error.to_string());
    assert!(message.contains("`droput`") && message.contains("did you mean `dropout`?"), "{message}");
    let error = serde_json::from_str::<ModelConfig>(r#"{"kind": "mlp", "norm": "bach"}"#).unwrap_err();
    let message = explain_unknown_key(&error.to_string());
    assert!(message.contains("did you mean `batch`?"), "{message}");
}

#[test]
fn settings_out_of_range_are_errors() {
    let set = |name: &str, key: &str, value: f64| {
        let whole = value.fract() == 0.0 && key != "dropout";
        let value = if whole { serde_json::Value::from(value as u64) } else { value.into() };
        ModelConfig::from_name(name).unwrap().with(key, value).unwrap()
    };
    let wrong = [
        (set("mlp", "width", 0.0), "width"),
        (set("mlp", "dropout", 1.0), "dropout"),
        (set("gcn", "layers", 0.0), "layers"),
        (set("gcn", "dropout", -0.1), "dropout"),
        (set("gen", "hops", 65.0), "hops"),
        (set("gen", "heads", 129.0), "heads"),
        (set("gen", "gather_bits", 8.0), "gather_bits"),
        (set("gen", "gamma", 1.5), "gamma"),
    ];
    for (config, wrong_key) in wrong {
        match config.init(3, 2, 1) {
            Err(NnError::Setting { key, .. }) => assert_eq!(key, wrong_key),
            result => panic!("{config:?}: {result:?}"),
        }
    }
}

#[test]
fn parameters_in_the_estimate_are_those_of_the_model() {
    let shape = Shape::nodes(100, 400, 7, 3);
    for name in ModelConfig::names() {
        let config = ModelConfig::from_name(name).unwrap();
        let model = config.init(shape.inputs, shape.outputs, 1).unwrap();
        let bytes = 4 * model.parameters() as u64;
        assert_eq!(config.memory(&shape, false).parameters, bytes, "{name}");
        assert_eq!(config.memory(&shape, true).parameters, 4 * bytes, "{name}");
    }
}

#[test]
fn more_nodes_and_training_need_more_memory() {
    let small = Shape::nodes(1000, 4000, 16, 4);
    let large = Shape { nodes: 2000, entries: 8000, ..small.clone() };
    for name in ModelConfig::names() {
        let config = ModelConfig::from_name(name).unwrap();
        for training in [false, true] {
            let (a, b) = (config.memory(&small, training), config.memory(&large, training));
            assert!(a.total() < b.total(), "{name}");
            assert_eq!(a.parts.iter().map(|(_, bytes)| bytes).sum::<u64>(), a.parameters + a.kept, "{name}");
        }
        assert!(config.memory(&small, false).total() < config.memory(&small, true).total(), "{name}");
    }
}

#[test]
fn every_setting_says_what_it_means_and_has_one_home() {
    let shared: Vec<&str> = Common::knobs().iter().map(|knob| knob.key).collect();
    for registration in REGISTRY {
        let config = ModelConfig::from_name(registration.name).unwrap();
        for knob in config.knobs() {
            assert!(knob.about.len() > 5 && !knob.allowed.is_empty(), "{}.{}", registration.name, knob.key);
            assert!(config.get(knob.key).is_some(), "{}.{} has no default", registration.name, knob.key);
        }
        for knob in (registration.knobs)() {
            assert!(!shared.contains(&knob.key), "{}.{} is a shared setting", registration.name, knob.key);
        }
        assert!(registration.idle.iter().all(|key| shared.contains(key)), "{}", registration.name);
        assert!(!registration.about.citation.is_empty() && !registration.about.cost.is_empty());
        registration.small_config().unwrap().validate().unwrap();
    }
}

#[test]
fn smaller_is_smaller() {
    let shape = Shape::nodes(10_000, 60_000, 50, 4);
    for name in ModelConfig::names() {
        let config = ModelConfig::from_name(name).unwrap();
        for training in [false, true] {
            let whole = config.memory(&shape, training).total();
            for changes in config.smaller(training) {
                let total = config.with_all(&changes).unwrap().memory(&shape, training).total();
                assert!(total < whole, "{name}, {changes:?}: {total} is not below {whole}");
            }
        }
    }
}
