//! The settings of a file, and which of them were looked at: one that nobody reads may not be ignored.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Index;

use serde_json::{Value, json};

/// A setting that is part of a model, and what it may say: words, or other values as JSON; nothing: whatever it likes.
pub type Told = (&'static str, &'static [&'static str]);

/// `config` of a file. It remembers what was asked for.
#[derive(Debug, Default)]
pub struct Settings {
    values: Value,
    asked: RefCell<BTreeSet<String>>,
}

impl From<Value> for Settings {
    fn from(values: Value) -> Self {
        Settings { values, asked: RefCell::default() }
    }
}

impl Index<&str> for Settings {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        self.asked.borrow_mut().insert(key.to_string());
        &self.values[key]
    }
}

/// What tells a reader about the file or the numbers about themselves: sizes that arrays have too, names, sources.
const TOLD: [&str; 21] = [
    "case",
    "classes",
    "dims",
    "dt_rank",
    "edge_dim",
    "F_in",
    "head_dim",
    "hops_used",
    "in_channels",
    "in_dim",
    "in_dims",
    "layer",
    "loss",
    "lstm_hidden",
    "max_freqs",
    "model",
    "network_setup",
    "out_channels",
    "pe_dim",
    "seed",
    "source",
];

/// What all models here have in common with the files, as part of their formulas: the value of a key, or the values that it may have.
fn formula(key: &str) -> Vec<Value> {
    let words = |words: &[&str]| words.iter().map(|word| json!(word)).collect();
    match key {
        "bn_eps" | "ln_eps" | "layer_norm_eps" | "laplace_eps" | "vq_bn_eps" => vec![json!(1e-5)],
        "gate_eps" | "gated_eps" | "attn_eps" | "kernel_eps" | "norm_eps" => vec![json!(1e-6)],
        "l2_eps" => vec![json!(1e-12)],
        // Nothing in f32.
        "softmax_eps" => vec![json!(1e-16)],
        "gin_eps" => vec![json!(0.0)],
        "bn_momentum" | "vq_bn_momentum" => vec![json!(0.1)],
        // In evaluation, and in a step of training without: draws are compared where a file has them.
        "dropout" | "attention_dropout" | "attn_dropout" | "feat_drop" | "attn_drop" | "dprate" => vec![json!(0.0)],
        "linear" => words(&["y = x W^T"]),
        "normalisation" => words(&["symmetric"]),
        "self_loops" => {
            words(&["added before normalising", "added to every node", "added", "removed", "token of distance 0"])
        }
        _ => Vec::new(),
    }
}

impl Settings {
    /// Another value.
    pub fn set(&mut self, key: &str, value: Value) {
        self.values[key] = value;
    }

    /// Keys that nobody asked for, but for those that only tell something, with their values; `own` are those of the model, with the values that it can have
    /// (none: any).
    pub fn ignored(&self, own: &[Told]) -> Vec<String> {
        let Some(keys) = self.values.as_object() else { return Vec::new() };
        let asked = self.asked.borrow();
        let known = |key: &str, value: &Value| {
            let told = own.iter().find(|(name, _)| *name == key).map(|(_, values)| *values);
            let is = |word: &&str| serde_json::from_str(word).unwrap_or_else(|_| json!(word)) == *value;
            asked.contains(key)
                || TOLD.contains(&key)
                || formula(key).contains(value)
                || told.is_some_and(|values| values.is_empty() || values.iter().any(is))
        };
        keys.iter().filter(|(key, value)| !known(key, value)).map(|(key, value)| format!("{key}: {value}")).collect()
    }
}

#[test]
fn a_setting_that_nobody_reads_is_found() {
    let settings = Settings::from(json!({
        "layers": 2, "bn_eps": 1e-5, "ln_eps": 0.5, "act": "relu", "loops": true, "case": "x", "bias": null
    }));
    assert_eq!(settings["layers"], 2);
    assert_eq!(settings.ignored(&[("act", &["relu", "elu"]), ("bias", &["null"])]), ["ln_eps: 0.5", "loops: true"]);
    assert_eq!(
        settings.ignored(&[("act", &["elu"]), ("ln_eps", &[]), ("loops", &["true"])]),
        ["act: \"relu\"", "bias: null"]
    );
}
