//! Settings of a model, each a key of the recipe's `[model]` section.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use farhop_nn::{
    ActivationKind, CoefficientKind, EliminationKind, HopReading, LaplacianReading, NormKind, ReadoutKind,
};
use farhop_train::GivenSetting;
use serde_json::Value;

use super::train::finite;

/// Settings of a model. What is not given is as the recipe says, else the default.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Model")]
pub struct ModelArguments {
    /// Model; `farhop models` lists them [default: gen]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Hops that a node sees in one layer: rounds of elimination (gen) [default: 4]
    #[arg(long, value_name = "K")]
    hops: Option<usize>,
    /// Channels of a hidden layer [default: 64; many graphs: 96]
    #[arg(long, value_name = "F")]
    width: Option<usize>,
    /// Layers [default: 2; many graphs: 4]
    #[arg(long, value_name = "L")]
    layers: Option<usize>,
    /// Heads of edge and hop attention (gen) [default: 1]
    #[arg(long, value_name = "H")]
    heads: Option<usize>,
    /// Where the coefficients of a round come from (gen) [default: attention-per-round]
    #[arg(long, value_name = "KIND", value_parser = words(CoefficientKind::WORDS))]
    coefficients: Option<String>,
    /// What is taken away from each round (gen) [default: exact]
    #[arg(long, value_name = "KIND", value_parser = words(EliminationKind::WORDS))]
    elimination: Option<String>,
    /// What is read at each hop (gen) [default: cumulative]
    #[arg(long, value_name = "KIND", value_parser = words(HopReading::WORDS))]
    hop_reading: Option<String>,
    /// Weigh hops by attention, or all the same with =off (gen) [default: on]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    hop_attention: Option<bool>,
    /// A learned number per hop in hop attention, so that a layer can prefer a distance (gen) [default: on]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    hop_bias: Option<bool>,
    /// The node itself takes part in hop attention (gen) [default: off]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    hop_zero: Option<bool>,
    /// Exponent of the compression of hops, 0 to 1 (gen) [default: 0.5]
    #[arg(long, value_name = "X", value_parser = finite::<f32>)]
    gamma: Option<f32>,
    /// Feed-forward network in every layer (gen) [default: off; many graphs: on]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    feed_forward: Option<bool>,
    /// Project the features to --width channels before the first layer (gen, gcn) [default: on; gcn: off]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    input_projection: Option<bool>,
    /// Add the input of a layer to its output [default: off; many graphs: on]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    residual: Option<bool>,
    /// Normalisation after each layer [default: layer; gcn: none; many graphs: batch]
    #[arg(long, value_name = "KIND", value_parser = words(NormKind::WORDS))]
    norm: Option<String>,
    /// Activation after each layer [default: relu]
    #[arg(long, value_name = "KIND", value_parser = words(ActivationKind::WORDS))]
    activation: Option<String>,
    /// Probability of dropping an element after each activation [default: 0.6; gcn: 0.5; many graphs: 0.1]
    #[arg(long, value_name = "P", value_parser = finite::<f32>)]
    dropout: Option<f32>,
    /// Probability of dropping an input feature [default: 0.2; gcn: 0.5; many graphs: 0]
    #[arg(long, value_name = "P", value_parser = finite::<f32>)]
    input_dropout: Option<f32>,
    /// Probability of dropping an attention coefficient (gen) [default: 0]
    #[arg(long, value_name = "P", value_parser = finite::<f32>)]
    attention_dropout: Option<f32>,
    /// How nodes become a graph: mean, sum or max of their states [default: mean]
    #[arg(long, value_name = "KIND", value_parser = words(ReadoutKind::WORDS))]
    readout: Option<String>,
    /// Layers of the head; 1 is a linear map, with 0 the last layer answers [default: 1; gcn: 0; many graphs: 2]
    #[arg(long, value_name = "L")]
    head_layers: Option<usize>,
    /// Edge features add to the attention scores (gen) [default: on]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    edge_features: Option<bool>,
    /// Encoder of Laplacian eigenvectors [default: linear]
    #[arg(long, value_name = "KIND", value_parser = words(LaplacianReading::WORDS))]
    laplacian_encoder: Option<String>,
    /// Compute hops again in the backward pass: less memory, more time (gen) [default: off]
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", value_parser = switch)]
    recompute: Option<bool>,
    /// Bits of a number in the rows that hops gather: 16 is faster on large graphs, with errors of 2^-16 (gen) [default: 32]
    #[arg(long, value_name = "B", value_parser = gather_bits())]
    gather_bits: Option<usize>,
    /// Any setting of a recipe, such as model.alpha=0.1; `farhop models NAME` lists those of a model
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    set: Vec<(String, Value)>,
}

/// The words of a setting, as its enum has them.
fn words(words: &'static [&'static str]) -> PossibleValuesParser {
    PossibleValuesParser::new(words)
}

/// `KEY=VALUE`; a value that is neither a number, a truth value nor a list is a text.
pub fn assignment(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, such as model.alpha=0.1")?;
    let known = ["model.", "train.", "encodings."].iter().any(|section| key.starts_with(section));
    if !known {
        return Err("a key is one of a recipe: model.KEY, train.KEY or encodings.KEY".into());
    }
    let value = match serde_json::from_str(value) {
        Ok(found @ (Value::Number(_) | Value::Bool(_) | Value::Array(_))) => found,
        _ if value == "none" && !key.starts_with("model.") => Value::Null,
        _ => Value::from(value),
    };
    Ok((key.to_string(), value))
}

/// The values of `--gather-bits`.
pub fn gather_bits() -> impl TypedValueParser<Value = usize> {
    PossibleValuesParser::new(["16", "32"]).map(|bits| if bits == "16" { 16 } else { 32 })
}

impl ModelArguments {
    /// The settings that were given, the name of the model not among them.
    pub fn settings(&self) -> Vec<GivenSetting> {
        let mut given = Vec::new();
        let mut add = |flag: &'static str, key: &'static str, value: Option<Value>| {
            given.extend(value.map(|value| GivenSetting::new(flag, ["model", key], value)));
        };
        add("--hops", "hops", self.hops.map(Value::from));
        add("--width", "width", self.width.map(Value::from));
        add("--layers", "layers", self.layers.map(Value::from));
        add("--heads", "heads", self.heads.map(Value::from));
        add("--gather-bits", "gather_bits", self.gather_bits.map(Value::from));
        let text = |value: &Option<String>| value.clone().map(Value::from);
        add("--coefficients", "coefficients", text(&self.coefficients));
        add("--elimination", "elimination", text(&self.elimination));
        add("--hop-reading", "hop_reading", text(&self.hop_reading));
        add("--norm", "norm", text(&self.norm));
        add("--activation", "activation", text(&self.activation));
        add("--readout", "readout", text(&self.readout));
        add("--head-layers", "head_layers", self.head_layers.map(Value::from));
        add("--laplacian-encoder", "laplacian_encoder", text(&self.laplacian_encoder));
        let switches = [
            ("--hop-attention", "hop_attention", self.hop_attention),
            ("--hop-bias", "hop_bias", self.hop_bias),
            ("--hop-zero", "hop_zero", self.hop_zero),
            ("--feed-forward", "feed_forward", self.feed_forward),
            ("--input-projection", "input_projection", self.input_projection),
            ("--residual", "residual", self.residual),
            ("--edge-features", "edge_features", self.edge_features),
            ("--recompute", "recompute", self.recompute),
        ];
        for (flag, key, value) in switches {
            add(flag, key, value.map(Value::from));
        }
        let numbers = [
            ("--gamma", "gamma", self.gamma),
            ("--dropout", "dropout", self.dropout),
            ("--input-dropout", "input_dropout", self.input_dropout),
            ("--attention-dropout", "attention_dropout", self.attention_dropout),
        ];
        for (flag, key, value) in numbers {
            add(flag, key, value.map(Value::from));
        }
        given.extend(
            self.set
                .iter()
                .map(|(key, value)| GivenSetting::new(&format!("--set {key}"), key.split('.'), value.clone())),
        );
        given
    }

    /// A model by its name, with settings of a recipe.
    pub fn named(name: &str, set: &[(String, Value)]) -> Self {
        ModelArguments { model: Some(name.to_string()), set: set.to_vec(), ..ModelArguments::default() }
    }

    /// Whether anything was asked about the model.
    pub fn is_empty(&self) -> bool {
        self.model.is_none() && self.settings().is_empty()
    }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_string()),
    }
}
